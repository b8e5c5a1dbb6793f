package approval

import (
	"encoding/json"
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// store is a browser's.
type store map[string]string

func (s store) Get(name string) string { return s[name] }
func (s store) Set(name, value string) { s[name] = value }

type call struct {
	op   wire.Op
	args any
	done session.Done
}

// world is a Desk with the other end of its line in the test's hands.
type world struct {
	*Desk
	t     *testing.T
	calls []call
}

func newWorld(t *testing.T, s store) *world {
	w := &world{t: t}
	w.Desk = NewDesk(Options{Server: w, Storage: s, Changed: func() {}})
	return w
}

func (w *world) Call(op wire.Op, args any, done session.Done) {
	w.calls = append(w.calls, call{op, args, done})
}
func (w *world) Once(op wire.Op, args any, done session.Done) { w.Call(op, args, done) }

// answer answers the oldest call, which is of that kind, and returns its arguments.
func (w *world) answer(op wire.Op, v any, p *wire.Problem) any {
	w.t.Helper()
	if len(w.calls) == 0 || w.calls[0].op != op {
		w.t.Fatalf("asked is %+v, want %s", w.calls, op)
	}
	c := w.calls[0]
	w.calls = w.calls[1:]
	data, _ := json.Marshal(v)
	c.done(data, p)
	return c.args
}

func (w *world) shows(want string) {
	w.t.Helper()
	var got []string
	for _, v := range w.Shown() {
		got = append(got, v.ID)
	}
	if strings.Join(got, " ") != want {
		w.t.Errorf("shown is %q, want %q", got, want)
	}
}

// What waits stands above the clips: first what one decides. What is told while a
// page is under way, and what was decided, stays as it is.
func TestWhatWaitsIsShown(t *testing.T) {
	w := newWorld(t, store{})
	w.News(session.Greeting{}) // alone
	if len(w.calls) != 0 {
		t.Fatalf("asked is %+v", w.calls)
	}
	w.News(session.Greeting{Me: &wire.Me{}})
	w.answer(wire.OpApprovals, wire.Approvals{Approvals: []wire.Approval{
		{ID: "mine", Mine: true, State: wire.ApprovalAsked, AskedMS: 9},
		{ID: "older", Decides: true, State: wire.ApprovalAsked, AskedMS: 1, Clip: wire.VideoTask{PriceNanoUSD: 7}},
		{ID: "refused", Mine: true, State: wire.ApprovalRefused, AskedMS: 3},
		{ID: "released", Mine: true, State: wire.ApprovalReleased, AskedMS: 2},
	}}, nil)
	w.News(wire.Approval{ID: "newer", Decides: true, State: wire.ApprovalAsked, AskedMS: 5})
	w.shows("newer older mine refused")

	w.Release("older")
	w.Release("older") // a double click
	if d := w.answer(wire.OpDecide, nil, &wire.Problem{Code: wire.CodePriceChanged}).(wire.Decision); d.PriceNanoUSD != 7 || d.State != wire.ApprovalReleased || len(w.calls) != 0 {
		t.Errorf("%+v, %+v", d, w.calls)
	}
	if w.Problem("older") == nil || w.Busy("older") {
		t.Error("nothing is said of what went wrong")
	}
	w.News(wire.Approval{ID: "older", Decides: true, State: wire.ApprovalAsked, AskedMS: 1, Clip: wire.VideoTask{PriceNanoUSD: 8}})
	w.Release("older")
	if d := w.answer(wire.OpDecide, wire.Approval{ID: "older", State: wire.ApprovalReleased}, nil).(wire.Decision); d.PriceNanoUSD != 8 {
		t.Errorf("%+v", d)
	}
	w.News(wire.Approval{ID: "older", Decides: true, State: wire.ApprovalAsked, AskedMS: 1}) // news that was late
	w.shows("newer mine refused")
	done := false
	w.Refuse("newer", "too long", func() { done = true })
	w.answer(wire.OpDecide, wire.Approval{ID: "newer", State: wire.ApprovalRefused}, nil)
	w.Withdraw("mine")
	w.answer(wire.OpDecide, wire.Approval{ID: "mine", Mine: true, State: wire.ApprovalWithdrawn}, nil)
	w.shows("refused")
	if !done {
		t.Error("the reason stays open")
	}

	// Who lost their right to it sees it no more.
	w.News(session.Greeting{Me: &wire.Me{}})
	w.answer(wire.OpApprovals, wire.Approvals{}, nil)
	w.shows("")
}

// A refusal that was read stays away, in this browser.
func TestARefusalIsRead(t *testing.T) {
	s := store{}
	w := newWorld(t, s)
	refused := wire.Approval{ID: "a", Mine: true, State: wire.ApprovalRefused}
	w.News(refused)
	w.shows("a")
	w.Dismiss("a")
	w.shows("")
	for range 2 * maxDismissed {
		w.Dismiss("x")
	}
	w.Dismiss("a")
	w = newWorld(t, s)
	w.News(refused)
	w.shows("")
	if n := len(w.dismissed); n != maxDismissed {
		t.Errorf("%d are kept", n)
	}
}

// What is told while all are on their way stays, though they were read before it.
func TestAnApprovalBesideAll(t *testing.T) {
	w := newWorld(t, store{})
	w.News(session.Greeting{Me: &wire.Me{}})
	w.News(wire.Approval{ID: "new", Decides: true, State: wire.ApprovalAsked, AskedMS: 5})
	w.News(wire.Approval{ID: "old", Mine: true, State: wire.ApprovalReleased, AskedMS: 1})
	w.answer(wire.OpApprovals, wire.Approvals{Approvals: []wire.Approval{{ID: "old", Mine: true, State: wire.ApprovalAsked, AskedMS: 1}}}, nil)
	w.shows("new")
	w.News(session.Greeting{Me: &wire.Me{}})
	w.answer(wire.OpApprovals, wire.Approvals{}, nil)
	w.shows("")
}
