//go:build js && wasm

package ui

import (
	"syscall/js"
	"time"
)

const (
	// ahead is how far outside of the thread's window an answer is drawn
	// already, so that scrolling meets it ready.
	ahead = "1200px 0px"
	// restFor is how long an answer has to stay in view before its log is read
	// for its reasoning, calls and sources, which the stored text has not. What
	// is scrolled past is not asked for.
	restFor = 400 * time.Millisecond
)

// sight tells which answers come near the thread's window, and which stay in
// it. Opening a long conversation thus costs what can be seen of it.
type sight struct {
	p          *page
	near, seen js.Value // IntersectionObservers
	funcs      []js.Func
	resting    map[string]func() // by message: calls its timer off
}

func newSight(p *page) *sight { return &sight{p: p, resting: map[string]func(){}} }

// attach looks at the thread from now on.
func (s *sight) attach(thread js.Value) {
	s.detach()
	s.near = s.observer(thread, ahead, func(id string, in bool, el js.Value) {
		if in {
			s.near.Call("unobserve", el)
			s.p.answers.near(id)
		}
	})
	s.seen = s.observer(thread, "0px", func(id string, in bool, el js.Value) {
		if cancel := s.resting[id]; cancel != nil {
			cancel()
			delete(s.resting, id)
		}
		if in {
			s.resting[id] = s.p.after(restFor, func() {
				delete(s.resting, id)
				if !s.seen.IsUndefined() {
					s.seen.Call("unobserve", el)
				}
				s.p.desk.Details(id)
			})
		}
	})
}

// watch looks at one message's element.
func (s *sight) watch(el js.Value) {
	if !s.near.IsUndefined() {
		s.near.Call("observe", el)
		s.seen.Call("observe", el)
	}
}

func (s *sight) detach() {
	for _, o := range []js.Value{s.near, s.seen} {
		if !o.IsUndefined() {
			o.Call("disconnect")
		}
	}
	for _, f := range s.funcs {
		f.Release()
	}
	for id, cancel := range s.resting {
		cancel()
		delete(s.resting, id)
	}
	s.funcs, s.near, s.seen = nil, js.Undefined(), js.Undefined()
}

func (s *sight) observer(root js.Value, margin string, f func(id string, in bool, el js.Value)) js.Value {
	fn := js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0]
		s.p.post(func() {
			for i := range entries.Length() {
				e := entries.Index(i)
				el := e.Get("target")
				f(el.Get("dataset").Get("id").String(), e.Get("isIntersecting").Bool(), el)
			}
		})
		return nil
	})
	s.funcs = append(s.funcs, fn)
	return js.Global().Get("IntersectionObserver").New(fn, map[string]any{"root": root, "rootMargin": margin})
}
