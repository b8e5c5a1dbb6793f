package main

import (
	"sync"

	"screentest/server/replica"
)

// mostRooms bounds whose archives one replica is still to be told of.
const mostRooms = 1000

// roomNews tells replicas in whose archives there may be room: each one after the other, and
// of an owner who is still to be told of once.
type roomNews struct {
	tell func(p replica.Peer, owner string) error

	mu sync.Mutex
	of map[int64]map[string]struct{} // by replica, while it is being told: the owners that wait
}

// add has a replica told of an owner. It doesn't wait.
func (r *roomNews) add(p replica.Peer, owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[int64]map[string]struct{}{}
	}
	wait, telling := r.of[p.N]
	if !telling {
		wait = map[string]struct{}{}
		r.of[p.N] = wait
		go r.tellAll(p)
	}
	if len(wait) < mostRooms {
		wait[owner] = struct{}{}
	}
}

// tellAll tells a replica until nobody waits, or it doesn't answer.
func (r *roomNews) tellAll(p replica.Peer) {
	for {
		owner, some := r.next(p)
		if !some {
			return
		}
		if r.tell(p, owner) != nil {
			r.mu.Lock()
			clear(r.of[p.N])
			r.mu.Unlock()
		}
	}
}

func (r *roomNews) next(p replica.Peer) (owner string, some bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for owner := range r.of[p.N] {
		delete(r.of[p.N], owner)
		return owner, true
	}
	delete(r.of, p.N)
	return "", false
}
