package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/tails"
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

// asked is an Elsewhere of which only the tails are asked.
type asked struct {
	tails func(runs []tails.Run) ([]tails.Tail, error)
}

func (asked) Feed(context.Context, string, string, int64) (io.ReadCloser, error) {
	return nil, fs.ErrNotExist
}
func (asked) Stop(context.Context, string, string) error                        { return fs.ErrNotExist }
func (asked) StopAll(context.Context, string, string)                           {}
func (a asked) Tails(_ context.Context, runs []tails.Run) ([]tails.Tail, error) { return a.tails(runs) }

// leave starts runs that the process then leaves as a kill would, and gives their ids.
func leave(t *testing.T, n int) (w *world, ids []string) {
	t.Helper()
	lost := lostEnd{appended: make(chan int64, 100)}
	w = newWorld(t, func(c *run.Config) {
		lost.DB = c.Store.(*store.DB)
		c.Store = lost
	})
	for range n {
		s := turn()
		w.start(s)
		c := w.call()
		c.stream(events)
		c.send(t, "%s", chunk("stored"))
		for n := int64(0); n < int64(len(chunk("stored"))); {
			n = <-lost.appended
		}
		ids = append(ids, s.Run)
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	return w, ids
}

// A replica that is there and doesn't answer may keep what somebody was shown: nothing
// is ended without it, as long as it may.
func TestNothingIsEndedBeforeAllHaveSaidWhatTheyKeep(t *testing.T) {
	w, ids := leave(t, 1)
	var fail error
	var slept atomic.Int64
	more := tails.Tail{Run: ids[0], From: int64(len(chunk("stored"))), Data: []byte(chunk(" and kept"))}
	w.open(func(c *run.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
		c.Elsewhere = asked{func(runs []tails.Run) ([]tails.Tail, error) {
			if fail != nil {
				return nil, fail
			}
			more.Owner = runs[0].Owner
			return []tails.Tail{more}, nil
		}}
	})
	fail = errors.New("one does not answer")
	if err := w.TakeOver(t.Context()); !errors.Is(err, fail) {
		t.Errorf("taken over: %v", err)
	}
	slept.Store(int64(tails.KeptFor / 2))
	if err := w.TakeOver(t.Context()); !errors.Is(err, fail) {
		t.Errorf("taken over: %v", err)
	}
	if r, err := w.db.Run(t.Context(), w.owner, ids[0]); err != nil || r.State != wire.Running {
		t.Errorf("it is %s, %v", r.State, err)
	}
	fail = nil
	if err := w.TakeOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := string(w.read(ids[0], 0)); got != chunk("stored")+chunk(" and kept") {
		t.Errorf("stored is %q", got)
	}

	w, ids = leave(t, 1)
	w.open(func(c *run.Config) {
		c.Now = func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }
		c.Elsewhere = asked{func([]tails.Run) ([]tails.Tail, error) { return nil, errors.New("one does not answer") }}
	})
	slept.Store(0)
	if err := w.TakeOver(t.Context()); err == nil {
		t.Error("it was ended before")
	}
	slept.Store(int64(tails.KeptFor))
	if err := w.TakeOver(t.Context()); err != nil { // it keeps nothing any more
		t.Error(err)
	}
	if r := w.wait(ids[0]); r.State != wire.Interrupted {
		t.Errorf("it ended as %s", r.State)
	}
}

// oneStuck is a store in which a run can't be ended.
type oneStuck struct {
	*store.DB
	run string
}

func (s oneStuck) FinishRun(ctx context.Context, owner string, r wire.Run, text string, log, times []byte, prices json.RawMessage) error {
	if r.ID == s.run {
		return errors.New("damaged")
	}
	return s.DB.FinishRun(ctx, owner, r, text, log, times, prices)
}

func TestARunThatCannotBeEndedKeepsNoOtherFromIt(t *testing.T) {
	w, ids := leave(t, 3)
	w.open(func(c *run.Config) { c.Store = oneStuck{c.Store.(*store.DB), ids[0]} })
	if err := w.Recover(t.Context()); err == nil {
		t.Error("no error")
	}
	for i, id := range ids {
		if r, err := w.db.Run(t.Context(), w.owner, id); err != nil || (r.State == wire.Running) != (i == 0) {
			t.Errorf("run %d is %s, %v", i, r.State, err)
		}
	}
}

// slowList is a store whose list of running runs is old when it is given.
type slowList struct {
	*store.DB
	read func()
}

func (s slowList) EachRunning(ctx context.Context, fn func(owner string, r wire.Run) error) error {
	var owners []string
	var runs []wire.Run
	err := s.DB.EachRunning(ctx, func(owner string, r wire.Run) error {
		owners, runs = append(owners, owner), append(runs, r)
		return nil
	})
	s.read()
	for i, r := range runs {
		err = errors.Join(err, fn(owners[i], r))
	}
	return err
}

// A run that ends while another replica's are taken over is not among these: its
// keepers would take this process for gone.
func TestARunThatEndsMeanwhileIsNotTakenOver(t *testing.T) {
	var read func()
	var taken []tails.Run
	w := newWorld(t, func(c *run.Config) {
		c.Store, c.DurableStart = slowList{c.Store.(*store.DB), func() { read() }}, true
		c.Elsewhere = asked{func(runs []tails.Run) ([]tails.Tail, error) {
			taken = slices.Concat(taken, runs)
			return nil, nil
		}}
	})
	before, during := turn(), turn()
	w.start(before)
	first := w.call()
	first.stream(events)
	ended := false
	read = func() {
		ended = true
		first.send(t, "%s", chunk("x")+finish+done)
		first.pipe.Close()
		w.wait(before.Run)
		w.start(during)
		w.call().stream(events)
	}
	if err := w.TakeOver(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(taken) != 0 || !ended {
		t.Errorf("taken over: %v", taken)
	}
	read = func() {}
	if err := w.TakeOver(t.Context()); err != nil || len(taken) != 0 {
		t.Errorf("taken over: %v, %v", taken, err)
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
