package video

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// noon is the time of these tests.
var noon = time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)

// pane is Tasks with the other end of its line in the test's hands.
type pane struct {
	*Tasks
	t      *testing.T
	now    time.Time
	calls  []call
	timers map[int]func()
	next   int
	seen   bool
	told   []Notice
	drawn  int
}

func newPane(t *testing.T) *pane {
	p := &pane{t: t, now: noon, timers: map[int]func(){}, seen: true}
	p.Tasks = NewTasks(TasksOptions{
		Call: func(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
			p.calls = append(p.calls, call{op, args, done})
		},
		Now: func() time.Time { return p.now },
		After: func(_ time.Duration, f func()) func() {
			p.next++
			n := p.next
			p.timers[n] = f
			return func() { delete(p.timers, n) }
		},
		Changed: func() { p.drawn++ },
		Cat:     gateway.SampleCatalogue,
		Seen:    func() bool { return p.seen },
		Tell:    func(n Notice) { p.told = append(p.told, n) },
	})
	return p
}

// asked takes the oldest unanswered call of a kind.
func (p *pane) asked(op wire.Op) call {
	p.t.Helper()
	at := slices.IndexFunc(p.calls, func(c call) bool { return c.op == op })
	if at < 0 {
		p.t.Fatalf("%s was not asked; unanswered: %v", op, p.calls)
	}
	c := p.calls[at]
	p.calls = slices.Delete(p.calls, at, at+1)
	return c
}

func (p *pane) query(c call) wire.VideoQuery {
	p.t.Helper()
	q, ok := c.args.(wire.VideoQuery)
	if !ok {
		p.t.Fatalf("%s was asked with %+v", c.op, c.args)
	}
	return q
}

// pass lets every timer run out.
func (p *pane) pass() {
	timers := p.timers
	p.timers = map[int]func(){}
	for _, f := range timers {
		f()
	}
}

// opened is a pane that has these tasks as its first page.
func opened(t *testing.T, before string, tasks ...wire.VideoTask) *pane {
	t.Helper()
	p := newPane(t)
	p.Start()
	p.asked(wire.OpArchive)
	p.asked(wire.OpVideoTasks).answer(wire.VideoPage{Tasks: tasks, Before: before, Counts: &wire.VideoCount{All: len(tasks)}})
	return p
}

func task(n int, state wire.VideoState) wire.VideoTask {
	return wire.VideoTask{
		ID: fmt.Sprintf("t%03d", n), State: state, Version: 1, CreatedMS: noon.UnixMilli() + int64(n), Progress: -1,
		Prompt: fmt.Sprintf("a paper boat, take %d", n), Model: "beta-video-720p", Mode: string(gateway.TextToVideo), Seconds: 6,
	}
}

func (p *pane) list(want ...string) {
	p.t.Helper()
	if !slices.Equal(p.List, want) && len(p.List)+len(want) > 0 {
		p.t.Errorf("the list is %v, want %v", p.List, want)
	}
}

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

// json is what the call carries, as it goes to the server.
func (c call) json() string {
	b, _ := json.Marshal(c.args)
	return string(b)
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

func (r *rig) Remove(name string) { delete(r.store, name) }

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
