package run_test

import (
	"context"
	"errors"
	"testing"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// slowTurns is a store that takes its time for turns: each is begun when the test
// lets it.
type slowTurns struct {
	*store.DB
	asked chan struct{}
	goOn  chan struct{}
}

func (s slowTurns) StartTurn(owner string, st wire.Start, r wire.Run, title, baseURL string, done func(error)) {
	s.asked <- struct{}{}
	go func() {
		<-s.goOn
		s.DB.StartTurn(owner, st, r, title, baseURL, done)
	}()
}

func newSlowTurns(t *testing.T, change func(*run.Config)) (*world, slowTurns) {
	t.Helper()
	s := slowTurns{asked: make(chan struct{}, 4), goOn: make(chan struct{})}
	w := newWorld(t, func(c *run.Config) {
		s.DB = c.Store.(*store.DB)
		c.Store, c.DurableStart = s, true
		if change != nil {
			change(c)
		}
	})
	return w, s
}

func wantCode(t *testing.T, what string, err error, code string) {
	t.Helper()
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != code {
		t.Errorf("%s: %v, want a problem %s", what, err, code)
	}
}

// Who waits no longer for a turn that is on its way to the store is not told that
// nothing is sent: it may be, and is once.
func TestAStartThatIsStoredLateIsNotSaidToBeRefused(t *testing.T) {
	w, store := newSlowTurns(t, nil)
	s := turn()
	by := payer.Payer{Owner: w.owner, Secret: canary}
	ctx, giveUp := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := w.Start(ctx, by, s)
		failed <- err
	}()
	<-store.asked
	giveUp()
	wantCode(t, "given up while its turn is stored", <-failed, wire.CodeNoAnswer)
	store.goOn <- struct{}{}
	c := w.call()
	if r, err := w.Start(ctx, by, s); err != nil || r.ID != s.Run || r.State != wire.Running {
		t.Errorf("asked for again: %+v, %v", r, err) // it has begun: nobody waits for anything
	}
	c.stream(events)
	c.send(t, "%s", chunk("once")+finish+done)
	c.pipe.Close()
	if r := w.wait(s.Run); r.State != wire.Done {
		t.Errorf("it ended as %s", r.State)
	}
	if n := len(w.calls); n != 0 {
		t.Errorf("the gateway was called %d times more", n)
	}
}

func TestAStartThatIsGivenUpBeforeItIsStoredIsNotSent(t *testing.T) {
	ctx, giveUp := context.WithCancel(t.Context())
	released := 0
	w, store := newSlowTurns(t, func(c *run.Config) {
		c.Reserve = func(context.Context, payer.Payer, gateway.Model, []byte) (func(), *wire.Problem) {
			giveUp() // it took that long
			return func() { released++ }, nil
		}
	})
	s := turn()
	_, err := w.Start(ctx, payer.Payer{Owner: w.owner, Secret: canary}, s)
	wantCode(t, "given up before", err, "cancelled")
	if len(store.asked) != 0 || len(w.calls) != 0 || released != 1 || w.UnderWay() != 0 {
		t.Errorf("turns: %d, calls: %d, released: %d, under way: %d", len(store.asked), len(w.calls), released, w.UnderWay())
	}
	if _, found, err := w.db.CheckStart(t.Context(), w.owner, s); found || err != nil {
		t.Errorf("it is stored: %v, %v", found, err)
	}
}
