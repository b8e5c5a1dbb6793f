package inspect

import (
	"encoding/json"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// far is the far end of the connection: it keeps the calls until a test answers.
type far struct {
	t     *testing.T
	calls []asked
	later []func()
}

type asked struct {
	op   wire.Op
	args json.RawMessage
	done session.Done
}

func (f *far) Call(op wire.Op, args any, done session.Done) { f.Once(op, args, done) }
func (f *far) Once(op wire.Op, args any, done session.Done) {
	raw, err := json.Marshal(args)
	if err != nil {
		f.t.Fatal(err)
	}
	f.calls = append(f.calls, asked{op, raw, done})
}

// take removes and returns the oldest call, which must be op.
func (f *far) take(op wire.Op) asked {
	f.t.Helper()
	if len(f.calls) == 0 || f.calls[0].op != op {
		f.t.Fatalf("calls %+v, want %s", f.calls, op)
	}
	c := f.calls[0]
	f.calls = f.calls[1:]
	return c
}

func (f *far) answer(op wire.Op, v any) {
	f.t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		f.t.Fatal(err)
	}
	f.take(op).done(raw, nil)
}

func newFar(t *testing.T) (*far, *Inspector) {
	f := &far{t: t}
	return f, New(Options{Server: f, Changed: func() {}, After: func(_ time.Duration, fn func()) func() {
		f.later = append(f.later, fn)
		return func() {}
	}})
}

func TestInspectAnAnswer(t *testing.T) {
	f, i := newFar(t)
	run := wire.Run{ID: "r1", State: wire.Done}
	i.Show(run, false)
	i.Read() // too early: it is not known that the server has the run
	f.answer(wire.OpRunRequest, wire.RunRequest{Run: "r1", Body: "{}", Status: 200})
	if i.Request == nil || i.Request.Body != "{}" || len(f.calls) != 0 {
		t.Fatalf("%+v, calls %+v", i.Request, f.calls)
	}
	i.Read()
	f.answer(wire.OpRead, run)
	i.Frame(wire.LogFrame{Run: "r1", Type: "text/event-stream"}, []byte("data: 1\n\n"))
	i.Frame(wire.LogFrame{Run: "other", From: 9}, []byte("data: 9\n\n"))
	i.Frame(wire.LogFrame{Run: "r1", From: 0}, []byte("data: 1\n\ndata: 2\n\n")) // overlaps
	i.Frame(wire.LogFrame{Run: "r1", From: 18, End: true}, nil)
	if len(i.Log.Events()) != 2 || !i.Log.Ended {
		t.Errorf("%+v", i.Log.Events())
	}
}

func TestAGapIsReadAgain(t *testing.T) {
	f, i := newFar(t)
	i.Show(wire.Run{ID: "r1", State: wire.Running}, false)
	f.answer(wire.OpRunRequest, wire.RunRequest{Run: "r1"})
	i.Read()
	f.answer(wire.OpRead, wire.Run{ID: "r1"})
	f.answer(wire.OpRunTimes, wire.RunTimes{})
	i.Frame(wire.LogFrame{Run: "r1", From: 9}, []byte("data: 2\n\n"))
	if c := f.take(wire.OpRead); string(c.args) != `{"run":"r1","from":0}` || i.Log.Len() != 0 {
		t.Errorf("%s, %d bytes", c.args, i.Log.Len())
	}
	if len(f.later) != 1 {
		t.Fatalf("the times of a run under way are asked for %d times more", len(f.later))
	}
	f.later[0]()
	f.take(wire.OpRunTimes)
}

// An answer to a question about another run changes nothing.
func TestLateAnswersAreDropped(t *testing.T) {
	f, i := newFar(t)
	i.Show(wire.Run{ID: "r1"}, false)
	i.Show(wire.Run{ID: "r2"}, false)
	f.answer(wire.OpRunRequest, wire.RunRequest{Run: "r1", Body: "old"})
	if i.Request != nil {
		t.Errorf("%+v", i.Request)
	}
	f.take(wire.OpRunRequest).done(nil, &wire.Problem{Code: "disconnected"})
	if i.Problem != nil {
		t.Errorf("a lost connection is shown as %v", i.Problem)
	}
	i.Reconnected()
	f.take(wire.OpRunRequest).done(nil, &wire.Problem{Code: "not_found"})
	if i.Problem == nil {
		t.Error("what is not there is not told")
	}
}

// A turn that the server has not taken is not asked for.
func TestUnsentIsNotAskedFor(t *testing.T) {
	f, i := newFar(t)
	i.Show(wire.Run{ID: "r1", State: wire.Running}, true)
	if len(f.calls) != 0 {
		t.Errorf("%+v", f.calls)
	}
	i.Show(wire.Run{ID: "r1", State: wire.Running}, false)
	f.take(wire.OpRunRequest)
	i.Show(wire.Run{ID: "r1", State: wire.Running}, false)
	if len(f.calls) != 0 {
		t.Errorf("asked twice: %+v", f.calls)
	}
	i.Show(wire.Run{ID: "r1", State: wire.Done}, false) // the reply's head is known now
	f.take(wire.OpRunRequest)
}
