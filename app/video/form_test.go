package video

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// call is what the Desk said to the server.
type call struct {
	op   wire.Op
	args any
	done func(json.RawMessage, *wire.Problem)
}

// answer gives the call an answer.
func (c call) answer(v any) {
	b, _ := json.Marshal(v)
	c.done(b, nil)
}

// rig is a Desk with a server, a browser and a clock that the test plays.
type rig struct {
	*Desk
	t       *testing.T
	calls   []call
	store   map[string]string
	uploads []*upload
	gone    []string                 // the files that were let go, by File.Shown
	measure map[string]wire.Measured // by File.Shown
	timers  []func()
	ids     int
}

// upload is one that the Desk began.
type upload struct {
	file     File
	progress func(int64)
	done     func(wire.Upload, *wire.Problem)
	gone     bool
}

func (r *rig) Call(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	r.calls = append(r.calls, call{op, args, done})
}
func (r *rig) Once(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	r.Call(op, args, done)
}
func (r *rig) Get(name string) string { return r.store[name] }
func (r *rig) Set(name, value string) { r.store[name] = value }
func (r *rig) Remove(name string)     { delete(r.store, name) }

func (r *rig) Upload(f File, progress func(int64), done func(wire.Upload, *wire.Problem)) func() {
	u := &upload{file: f, progress: progress, done: done}
	r.uploads = append(r.uploads, u)
	return func() { u.gone = true }
}

func (r *rig) Release(shown string) { r.gone = append(r.gone, shown) }

func (r *rig) Measure(f File, done func(wire.Measured)) { done(r.measure[f.Shown]) }

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newRig(t *testing.T) *rig {
	r := &rig{t: t, store: map[string]string{}, measure: map[string]wire.Measured{}}
	r.reload()
	return r
}

// reload begins anew with what the storage holds, as a browser does.
func (r *rig) reload() {
	r.calls = nil
	r.Desk = NewDesk(Options{
		Server: r, Storage: r, Files: r,
		Now:   func() time.Time { return now },
		NewID: func() string { r.ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", r.ids) },
		After: func(_ time.Duration, f func()) func() {
			r.timers = append(r.timers, f)
			return func() {}
		},
		Changed: func(Part) {},
	})
	r.greet()
}

// sample is one for all greetings: as long as it is the same, so is the catalogue.
var sample = gateway.SampleCatalogue()

func (r *rig) greet() {
	r.News(session.Greeting{Gateway: wire.Gateway{Sandbox: true}, Catalogue: sample})
}

// last is the last call of an op.
func (r *rig) last(op wire.Op) call {
	r.t.Helper()
	for i := len(r.calls) - 1; i >= 0; i-- {
		if r.calls[i].op == op {
			return r.calls[i]
		}
	}
	r.t.Fatalf("the desk has not called %s", op)
	return call{}
}

func (r *rig) count(op wire.Op) (n int) {
	for _, c := range r.calls {
		if c.op == op {
			n++
		}
	}
	return n
}

// ready fails the test unless the draft may go, and its body is this.
func (r *rig) ready(body string) {
	r.t.Helper()
	c := r.Form.Check
	if !c.Ready() {
		r.t.Fatalf("not ready: missing %v, errors %v", c.Missing, c.Errors)
	}
	if got := strings.TrimSpace(string(c.Body)); got != body {
		r.t.Errorf("the body is\n%s\nwant\n%s", got, body)
	}
	if v := r.Cat.Validate(gateway.Video, c.Body, gateway.Options{}); !v.OK() {
		r.t.Errorf("the body alone is refused: %v", v.Errors)
	}
}

func TestTextToVideo(t *testing.T) {
	r := newRig(t)
	if got := r.Form.Verb(); got != "Write a prompt" {
		t.Errorf("the empty form's button says %q", got)
	}
	if first, sent := r.Form.Send(); first != "prompt" || sent {
		t.Errorf("an empty form: focus %q, sent %v", first, sent)
	}
	r.Form.SetPrompt("A paper boat")
	r.ready(`{"model":"alpha-3.1-lite","prompt":"A paper boat","seconds":"4","aspect_ratio":"16:9"}`)
	if got := r.Form.Check.Price; got.Cost.String() != "$0.20" || got.Basis != "4 s × $0.05" || !got.Sample {
		t.Errorf("the price is %+v", got)
	}
	if first, sent := r.Form.Send(); first != "" || !sent {
		t.Fatalf("a whole form: focus %q, sent %v", first, sent)
	}
	create := r.last(wire.OpVideoCreate).args.(wire.VideoCreate)
	if create.ID == "" || create.Mode != "text-to-video" || string(create.Body) != string(r.Form.Check.Body) {
		t.Errorf("sent %+v", create)
	}
}
