package main

import (
	"context"
	"sync"
)

// sealAnew has what other sealing keys have sealed be sealed with the first, beside all
// else, and says in the log what that comes to.
func (s *server) sealAnew() {
	ctx, cancel := context.WithCancel(context.Background())
	var under sync.WaitGroup
	under.Go(func() {
		done, err := s.store.SealAnew(ctx)
		if ctx.Err() != nil {
			return // the next start goes on
		}
		keys := s.store.SealKeys()
		if err != nil {
			s.log.Error("values are not all sealed with the first sealing key yet; that is gone on with at the next start", "err", err)
		} else if len(keys) > 1 {
			s.log.Info("all values that open are sealed with the first sealing key. The others can go once it is the first of all replicas, and each has said this after that", "key", keys[0], "values", done.Values, "sealed anew", done.Anew)
		}
		for id, n := range done.Lost {
			if id == "" {
				id = "unknown"
			}
			s.log.Warn("sealed values don't open. If there is another sealing key, give it after the first", "values", n, "sealed with the key", id, "here are", keys)
		}
	})
	s.onClose(func(context.Context) error {
		cancel()
		under.Wait()
		return nil
	})
}
