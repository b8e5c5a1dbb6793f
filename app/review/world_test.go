package review

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"screentest/shared/wire"
)

// world is a Desk with the server and the browser in the test's hands. Who is
// signed in is Ann.
type world struct {
	*Desk
	t      *testing.T
	calls  []call
	store  map[string]string
	timers []func()
	me     wire.Me
	ids    int
	drawn  int
}

type call struct {
	op   wire.Op
	args any
	done func(json.RawMessage, *wire.Problem)
}

func (w *world) Call(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	w.calls = append(w.calls, call{op, args, done})
}

func (w *world) Once(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	w.Call(op, args, done)
}

type store map[string]string

func (s store) Get(name string) string { return s[name] }
func (s store) Set(name, value string) { s[name] = value }
func (s store) Remove(name string)     { delete(s, name) }

func newWorld(t *testing.T) *world {
	w := &world{t: t, store: map[string]string{}, me: wire.Me{ID: "ann", Name: "Ann", Role: wire.RoleMember}}
	w.reload()
	return w
}

// reload is the page loaded again: what was unanswered is gone, the browser's
// store stays.
func (w *world) reload() {
	w.calls, w.timers = nil, nil
	w.Desk = NewDesk(Options{
		Server: w, Storage: store(w.store), Me: func() *wire.Me { return &w.me },
		NewID: func() string { w.ids++; return fmt.Sprint("id", w.ids) },
		After: func(_ time.Duration, f func()) func() {
			w.timers = append(w.timers, f)
			n := len(w.timers) - 1
			return func() { w.timers[n] = func() {} }
		},
		Changed: func() { w.drawn++ },
	})
}

// asked takes the oldest unanswered call of a kind.
func (w *world) asked(op wire.Op) call {
	w.t.Helper()
	at := slices.IndexFunc(w.calls, func(c call) bool { return c.op == op })
	if at < 0 {
		w.t.Fatalf("%s was not asked; unanswered: %v", op, w.calls)
	}
	c := w.calls[at]
	w.calls = slices.Delete(w.calls, at, at+1)
	return c
}

// quiet says that nothing more was asked.
func (w *world) quiet() {
	w.t.Helper()
	if len(w.calls) != 0 {
		w.t.Errorf("unanswered: %+v", w.calls)
	}
}

func (w *world) pass() {
	timers := w.timers
	w.timers = nil
	for _, f := range timers {
		f()
	}
}

func (c call) answer(v any) {
	b, _ := json.Marshal(v)
	c.done(b, nil)
}

func (c call) refuse(code string) { c.done(nil, &wire.Problem{Code: code, Message: code}) }

// seen is a thread of Ben's share, with two versions.
func (w *world) seen(comments ...wire.Comment) *Thread {
	w.t.Helper()
	t := w.Look(wire.Look{Share: "s1"})
	w.asked(wire.OpLook).answer(reviewOf(comments...))
	return t
}

func reviewOf(comments ...wire.Comment) wire.Review {
	return wire.Review{
		ID: "r1", Comments: comments,
		Versions: []wire.ReviewVersion{{Version: 1, Title: "Boat", Owner: "Ben", State: wire.ReviewChanges}, {Version: 2, Title: "Boat", Owner: "Ben", State: wire.ReviewOpen}},
		People:   []wire.Mate{{ID: "ben", Name: "Ben"}, {ID: "cleo", Name: "Cleo"}, {ID: "cleo2", Name: "Cleo Mann"}},
		Decides:  true,
	}
}

func said(id string, atMS int64) wire.Comment {
	return wire.Comment{ID: id, Review: "r1", Version: 2, Author: "ben", Name: "Ben", Text: "of " + id, AtMS: atMS, CreatedMS: 1000}
}

func ids(list []Entry) (out []string) {
	for _, e := range list {
		out = append(out, e.ID)
	}
	return out
}

func (w *world) lists(t *Thread, want ...string) {
	w.t.Helper()
	if got := ids(t.Entries()); !slices.Equal(got, want) {
		w.t.Errorf("the comments are %q, want %q", got, want)
	}
}
