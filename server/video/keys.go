package video

import (
	"cmp"
	"context"
	"sync"

	"screentest/server/payer"
	"screentest/shared/wire"
)

// keys are the gateway keys that open tasks hold, as they are in the store.
// Tasks with the same key share one entry, so that a key that is refused is
// found out once and not ten thousand times.
type keys struct {
	mu    sync.Mutex
	byN   map[int64]*storedKey
	byID  map[keyID]int64
	moved map[int64]int64 // numbers in whose place another one was put, which is always a later one
}

// holder is whose key it is, the person's own or that of a team which pays for what
// the person sends, and for which gateway.
type holder struct{ owner, team, gateway string }

func holderOf(by payer.Payer) holder { return holder{by.Owner, by.Team, by.Gateway} }

type keyID struct {
	holder
	secret string
}

type storedKey struct {
	keyID
	paused, replaced bool
}

func newKeys() *keys {
	return &keys{byN: map[int64]*storedKey{}, byID: map[keyID]int64{}, moved: map[int64]int64{}}
}

// load takes a key from the store.
func (k *keys) load(of payer.Payer, n int64, paused, replaced bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.take(of, n, paused, replaced)
}

// take is load. The lock is held.
func (k *keys) take(of payer.Payer, n int64, paused, replaced bool) {
	id := keyID{holderOf(of), of.Secret}
	k.byN[n] = &storedKey{id, paused, replaced}
	switch {
	case of.Secret != "" && !paused:
		k.byID[id] = n
	case k.byID[id] == n:
		delete(k.byID, id)
	}
}

// number is the number of a payer's key that is stored and not paused; 0 if
// there is none.
func (k *keys) number(by payer.Payer) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.byID[keyID{holderOf(by), by.Secret}]
}

// used notes the number that the store gave a key.
func (k *keys) used(by payer.Payer, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n == 0 || k.byN[n] != nil || k.moved[n] != 0 {
		return
	}
	id := keyID{holderOf(by), by.Secret}
	if old := k.byID[id]; old != 0 {
		delete(k.byN, old) // forgotten by the store with its last task
	}
	k.byN[n] = &storedKey{keyID: id}
	k.byID[id] = n
}

// current is the number that stands in the place of n: n itself, unless its
// tasks were given another key.
func (k *keys) current(n int64) int64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	for k.moved[n] > n {
		n = k.moved[n]
	}
	return n
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

// pause marks a key as refused, with the same key of others, and returns their
// owners by number; none if it was marked before.
func (k *keys) pause(n int64) (refused map[int64]string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	h := k.byN[n]
	if h == nil || h.paused {
		return nil
	}
	refused = map[int64]string{}
	for n, same := range k.byN {
		if same.secret == h.secret && same.gateway == h.gateway && !same.paused {
			same.paused = true
			delete(k.byID, same.keyID)
			refused[n] = same.owner
		}
	}
	return refused
}

// replace puts the new key n in the place of a payer's: of all, or of those that
// are paused. It may be known by now, and others that came after it: who hears what the
// store was told may be here first.
func (k *keys) replace(by payer.Payer, n int64, all bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	id := keyID{holderOf(by), by.Secret}
	for old, h := range k.byN {
		if old < n && h.holder == id.holder && (all || h.paused || h.secret == "") {
			k.move(old, n)
		}
	}
	if k.moved[n] == 0 {
		k.byN[n] = &storedKey{keyID: id, replaced: true}
		k.byID[id] = n
	}
}

// move puts a key in the place of an earlier one. The lock is held.
func (k *keys) move(old, n int64) {
	if h := k.byN[old]; h != nil {
		delete(k.byN, old)
		if k.byID[h.keyID] == old {
			delete(k.byID, h.keyID)
		}
	}
	k.moved[old] = n
}

// KeyEntered gives the tasks at a payer's gateway that wait for a key of theirs the
// one that was just entered, and has them polled again.
func (s *Service) KeyEntered(ctx context.Context, by payer.Payer) error {
	return s.replaceKey(ctx, by, false)
}

// KeyChanged gives the open tasks that a payer pays for another key: those of
// all people that its Team pays for, or without one those of its Owner's own
// key. They are polled with it from then on.
func (s *Service) KeyChanged(ctx context.Context, by payer.Payer) error {
	return s.replaceKey(ctx, by, true)
}

// Rekeyed has the tasks of an owner, or of all ("") go on with the keys that another
// process has given them in the store.
func (s *Service) Rekeyed(ctx context.Context, owner string) error {
	err := s.Store.EachKey(ctx, func(of payer.Payer, n int64, paused, replaced bool) {
		if owner == "" || of.Owner == owner {
			s.keys.learn(of, n, paused, replaced)
		}
	})
	if err != nil {
		return err
	}
	some := false
	err = s.Store.EachOpen(ctx, func(of string, n int64, t wire.VideoTask) error {
		if n != 0 && (owner == "" || of == owner) && s.poll.follow(taskID{of, t.ID}, n) {
			some = true
			s.tell(of, t)
		}
		return nil
	})
	if some {
		s.arch.wakeAll()
	}
	return err
}

// learn takes a key from the store that isn't known yet.
func (k *keys) learn(of payer.Payer, n int64, paused, replaced bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byN[n] == nil && k.moved[n] == 0 {
		k.take(of, n, paused, replaced)
	}
}

// superseded notes that the key n stands in the place of an earlier one.
func (k *keys) superseded(old, n int64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if old < n {
		k.move(old, n)
	}
}

func (s *Service) replaceKey(ctx context.Context, by payer.Payer, all bool) error {
	by.Gateway = cmp.Or(by.Gateway, s.Origin)
	numbers, err := s.Store.ReplaceKeys(ctx, by, by.Gateway, all)
	if err != nil || len(numbers) == 0 {
		return err
	}
	for owner, n := range numbers {
		by.Owner = owner
		s.keys.replace(by, n, all)
		for _, id := range s.poll.rekey(holderOf(by), n, all) {
			if t, err := s.Store.Task(ctx, owner, id); err == nil {
				s.tell(owner, t)
			}
		}
	}
	s.arch.wakeAll()
	return nil
}
