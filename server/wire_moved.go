package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"screentest/server/payer"
	"screentest/server/people"
	"screentest/server/store"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What was moved elsewhere is served for reading alone: what goes on by itself, asks
// the gateway, or writes to the folder isn't started.

// mayWrite is err of a write that the start can do without where nothing is written.
func (s *server) mayWrite(err error) error {
	if s.store.ReadOnly() != nil && errors.Is(err, s.store.ReadOnly()) {
		return nil
	}
	return err
}

// goOn starts what goes on by itself.
func (s *server) goOn(ctx context.Context) error {
	if err := s.store.ReadOnly(); err != nil {
		s.log.Warn("what is there is only served for reading", "err", err)
		return nil
	}
	if err := s.recoverRuns(ctx); err != nil {
		return err
	}
	// Sends that never began before a kill are in no run of those.
	if err := s.budget.TakeUp(ctx); err != nil {
		return err
	}
	if err := s.videos.Start(ctx); err != nil {
		return err
	}
	if err := s.leaving.Start(ctx); err != nil {
		return err
	}
	s.retention.Start()
	s.sealAnew()
	return nil
}

// reserveText refuses a send whose answer could not be stored before the gateway is
// asked.
func (s *server) reserveText(ctx context.Context, by payer.Payer, m gateway.Model, body []byte) (release func(), p *wire.Problem) {
	if err := s.store.ReadOnly(); errors.As(err, &p) {
		return nil, p
	}
	return s.budget.ReserveText(ctx, by, m, body)
}

// sessions are where browsers' sessions are kept: in memory, where nothing is
// written.
func (s *server) sessions() people.Sessions {
	if s.store.ReadOnly() == nil {
		return s.store
	}
	return &heldSessions{DB: s.store, held: map[string]heldSession{}}
}

// heldSessions are sessions in memory, before those that were stored.
type heldSessions struct {
	*store.DB
	mu   sync.Mutex
	held map[string]heldSession // by the sums of their ids
}

type heldSession struct {
	owner   string
	data    []byte
	expires time.Time
}

// mostHeld bounds how many sessions are held: each is of a browser that came without
// a cookie.
const mostHeld = 1000

// SaveSession holds a session.
func (h *heldSessions) SaveSession(_ context.Context, id, owner string, data []byte, expires time.Time) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.held) >= mostHeld {
		clear(h.held)
	}
	h.held[people.SessionSum(id)] = heldSession{owner, data, expires}
	return nil
}

// LoadSessionBy reads one.
func (h *heldSessions) LoadSessionBy(ctx context.Context, sum string) (owner string, data []byte, err error) {
	h.mu.Lock()
	one, is := h.held[sum]
	h.mu.Unlock()
	if is && time.Now().Before(one.expires) {
		return one.owner, one.data, nil
	}
	return h.DB.LoadSessionBy(ctx, sum)
}

// MoveSession holds one in the place of another.
func (h *heldSessions) MoveSession(ctx context.Context, from, id, owner string, data []byte, expires time.Time) error {
	h.mu.Lock()
	delete(h.held, people.SessionSum(from))
	h.mu.Unlock()
	if data == nil {
		return nil
	}
	return h.SaveSession(ctx, id, owner, data, expires)
}
