package run_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/shared/wire"
)

func TestCloseEndsRunsAsInterruptedWithAllTheirText(t *testing.T) {
	w := newWorld(t, func(c *run.Config) { c.FlushEvery = time.Hour }) // nothing is flushed before
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	c.send(t, "%s", chunk("All of "))
	c.send(t, "%s", chunk("this"))
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := w.wait(s.Run); r.State != wire.Interrupted {
		t.Errorf("ended %s", r.State)
	}
	if m := w.message(s); m.Text != "All of this" || m.Run.State != wire.Interrupted {
		t.Errorf("stored %q, %s", m.Text, m.Run.State)
	}
	_, err := w.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, turn())
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "shutting_down" {
		t.Errorf("a start after it: %v", err)
	}
}

// lostEnd is a store from which the process is gone before the end of a run
// could be written, as after a kill.
type lostEnd struct {
	*store.DB
	appended chan int64
}

func (l lostEnd) FinishRun(context.Context, string, wire.Run, string, []byte, []byte, json.RawMessage) error {
	return nil
}

func (l lostEnd) AppendRunLog(owner, id string, from int64, p, times []byte, done func(error)) {
	l.DB.AppendRunLog(owner, id, from, p, times, func(err error) {
		done(err)
		l.appended <- from + int64(len(p))
	})
}

func TestRecoverAfterAKill(t *testing.T) {
	tests := []struct {
		name, sent string
		state      wire.RunState
		text       string
	}{
		{"in mid-stream", chunk("Kept ") + chunk("text"), wire.Interrupted, "Kept text"},
		{"in the middle of an event", chunk("Kept") + `data: {"choices":[{"del`, wire.Interrupted, "Kept"},
		{"after the end had been stored", chunk("Whole") + usage + done, wire.Done, "Whole"},
		{"before anything came", "", wire.Interrupted, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lost := lostEnd{appended: make(chan int64, 100)}
			w := newWorld(t, func(c *run.Config) {
				lost.DB = c.Store.(*store.DB)
				c.Store = lost
			})
			s := turn()
			w.start(s)
			c := w.call()
			c.stream(events)
			if tt.sent != "" {
				c.send(t, "%s", tt.sent)
				for n := int64(0); n < int64(len(tt.sent)); {
					n = <-lost.appended
				}
			}
			if err := w.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := w.db.Close(); err != nil {
				t.Fatal(err)
			}

			w.open(nil)
			if err := w.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			m := w.message(s)
			if m.Text != tt.text || m.Run.State != tt.state || m.Run.Bytes != int64(len(tt.sent)) {
				t.Errorf("recovered %q, %+v", m.Text, m.Run)
			}
			if got := w.read(s.Run, 0); string(got) != tt.sent {
				t.Errorf("the log is %q", got)
			}
			if tt.text != "" && w.spent() == 0 {
				t.Error("nothing was charged for it")
			}
			before := w.spent()
			if err := w.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			if w.spent() != before {
				t.Error("a second recovery charged again")
			}
			if again := w.start(s); again.State != tt.state {
				t.Errorf("starting it again gives %+v", again)
			}
		})
	}
}
