package video

import (
	"context"
	"sync"
)

// keys are the gateway keys that open tasks hold, as they are in the store.
// Tasks with the same key share one entry, so that a key that is refused is
// found out once and not ten thousand times.
type keys struct {
	mu   sync.Mutex
	byN  map[int64]*storedKey
	byID map[[2]string]int64 // owner, secret → number
}

type storedKey struct {
	owner, secret    string
	paused, replaced bool
}

func newKeys() *keys { return &keys{byN: map[int64]*storedKey{}, byID: map[[2]string]int64{}} }

// load takes a key from the store.
func (k *keys) load(owner string, n int64, secret string, paused, replaced bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.byN[n] = &storedKey{owner, secret, paused, replaced}
	if secret != "" && !paused {
		k.byID[[2]string{owner, secret}] = n
	}
}

// number is the number of an owner's key that is stored and not paused; 0 if
// there is none.
func (k *keys) number(owner, secret string) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.byID[[2]string{owner, secret}]
}

// used notes the number that the store gave a key.
func (k *keys) used(owner, secret string, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n == 0 || k.byN[n] != nil {
		return
	}
	if old := k.byID[[2]string{owner, secret}]; old != 0 {
		delete(k.byN, old) // forgotten by the store with its last task
	}
	k.byN[n] = &storedKey{owner: owner, secret: secret}
	k.byID[[2]string{owner, secret}] = n
}

// get returns the key of that number. ok is false for one that is gone or
// paused.
func (k *keys) get(n int64) (secret string, replaced, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.byN[n]
	if h == nil || h.paused || h.secret == "" {
		return "", false, false
	}
	return h.secret, h.replaced, true
}

// pause marks a key as refused. first is false if it was marked before.
func (k *keys) pause(n int64) (first bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.byN[n]
	if h == nil || h.paused {
		return false
	}
	h.paused = true
	delete(k.byID, [2]string{h.owner, h.secret})
	return true
}

// replace puts the new key n in the place of the owner's paused ones.
func (k *keys) replace(owner, secret string, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for old, h := range k.byN {
		if h.owner == owner && (h.paused || h.secret == "") {
			delete(k.byN, old)
		}
	}
	k.byN[n] = &storedKey{owner: owner, secret: secret, replaced: true}
	k.byID[[2]string{owner, secret}] = n
}

// KeyEntered gives an owner's tasks that wait for a key the one that was just
// entered, and has them polled again.
func (s *Service) KeyEntered(ctx context.Context, owner, secret string) error {
	n, err := s.Store.ReplaceKeys(ctx, owner, s.Origin, secret)
	if err != nil || n == 0 {
		return err
	}
	s.keys.replace(owner, secret, n)
	for _, id := range s.poll.unpause(owner, n) {
		if t, err := s.Store.Task(ctx, owner, id); err == nil {
			s.tell(owner, t)
		}
	}
	s.arch.wakeAll()
	return nil
}
