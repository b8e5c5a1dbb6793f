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

	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/tails"
	"screentest/shared/wire"
)

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
