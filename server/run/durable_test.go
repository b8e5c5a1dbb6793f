package run_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

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

// A process that hung while its turn was stored may have been found gone: it asks
// before it sends, and sends nothing where the run is another one's.
func TestOnlyTheHolderOfARunSendsIt(t *testing.T) {
	for _, tt := range []struct {
		name       string
		sure, held bool
		err        error
		sends      bool
	}{
		{"heard of lately", true, false, nil, true},
		{"it is its own", false, true, nil, true},
		{"it is another one's", false, false, nil, false},
		{"the database does not answer", false, false, errors.New("away"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, func(c *run.Config) {
				c.DurableStart = true
				c.Sure = func() bool { return tt.sure }
				c.Holds = func(context.Context, string, string) (bool, error) { return tt.held, tt.err }
			})
			s := turn()
			w.start(s)
			if tt.sends {
				c := w.call()
				c.stream(events)
				c.send(t, "%s", chunk("x")+finish+done)
				c.pipe.Close()
				w.wait(s.Run)
				return
			}
			if r := w.wait(s.Run); r.State != wire.Failed || r.Problem == nil || r.Problem.Code != "not_sent" {
				t.Errorf("it ended as %s, %+v", r.State, r.Problem)
			}
			if len(w.calls) != 0 {
				t.Error("it was sent")
			}
		})
	}
}

// deafTurns is a store that stores turns and has the answer to that lost; looks is how
// many more times it says whether one is there.
type deafTurns struct {
	*store.DB
	looks atomic.Int64
}

func (s *deafTurns) StartTurn(owner string, st wire.Start, r wire.Run, title, baseURL string, done func(error)) {
	s.DB.StartTurn(owner, st, r, title, baseURL, func(error) { done(errors.New("connection lost")) })
}

func (s *deafTurns) CheckStart(ctx context.Context, owner string, st wire.Start) (wire.Run, bool, error) {
	if s.looks.Add(-1) < 0 {
		return wire.Run{}, false, errors.New("connection refused")
	}
	return s.DB.CheckStart(ctx, owner, st)
}

func newDeafTurns(t *testing.T, looks int64) (*world, *deafTurns) {
	t.Helper()
	s := &deafTurns{}
	s.looks.Store(looks)
	w := newWorld(t, func(c *run.Config) {
		s.DB = c.Store.(*store.DB)
		c.Store, c.DurableStart = s, true
		c.Holds = func(context.Context, string, string) (bool, error) { return true, nil }
		c.LookEvery = 20 * time.Millisecond
	})
	return w, s
}

func TestATurnWhoseCommitWasNotHeardOfGoesOn(t *testing.T) {
	w, _ := newDeafTurns(t, 2)
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	c.send(t, "%s", chunk("x")+finish+done)
	c.pipe.Close()
	if r := w.wait(s.Run); r.State != wire.Done || len(w.calls) != 0 {
		t.Errorf("it ended as %s, and %d calls more were made", r.State, len(w.calls))
	}
}

// Where nobody can tell whether a turn is stored, its run is not left running.
func TestARunThatNobodyGoesOnWithIsEnded(t *testing.T) {
	w, store := newDeafTurns(t, 1)
	s := turn()
	_, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, s)
	wantCode(t, "a start of which nothing is known", err, wire.CodeNoAnswer)
	if r := w.wait(s.Run); r.State != wire.Interrupted {
		t.Errorf("it ended as %s", r.State)
	}
	store.looks.Store(1)
	if again := w.start(s); again.State != wire.Interrupted || len(w.calls) != 0 {
		t.Errorf("asked for again it is %s; calls: %d", again.State, len(w.calls))
	}
}

// hungDisk is a store that says nothing of log stretches.
type hungDisk struct {
	*store.DB
	waits chan func(error)
}

func (h hungDisk) AppendRunLog(_, _ string, _ int64, _, _ []byte, done func(error)) { h.waits <- done }

// A database that hangs says for long not that it is away: what is held in memory
// meanwhile has its bound all the same.
func TestADatabaseThatHangsHasRunsEnded(t *testing.T) {
	var later atomic.Int64
	disk := hungDisk{waits: make(chan func(error), 10)}
	w := newWorld(t, func(c *run.Config) {
		disk.DB = c.Store.(*store.DB)
		c.Store, c.DurableStart, c.MaxUnstored = disk, true, 1<<10
		c.Now = func() time.Time { return time.Now().Add(time.Duration(later.Load())) }
	})
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	for range 20 {
		c.send(t, "%s", chunk("so much text that it is too much in the end"))
	}
	answer := <-disk.waits
	if err := context.Cause(c.ctx); err != nil {
		t.Errorf("it was ended at once: %v", err)
	}
	later.Store(int64(time.Minute))
	<-c.ctx.Done()
	answer(errors.New("connection lost"))
	if r := w.wait(s.Run); r.State != wire.Failed || r.Problem == nil || r.Problem.Code != "storage_failed" {
		t.Errorf("it ended as %s, %+v", r.State, r.Problem)
	}
}
