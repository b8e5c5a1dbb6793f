//go:build js && wasm

package ui

import (
	"syscall/js"
	"time"
)

// restFor is how long an answer has to stay in view before its log is read for
// its reasoning, calls and sources, which the stored text has not. What is
// scrolled past is not asked for.
const restFor = 150 * time.Millisecond

// sight tells which answers come near the thread's window, and which stay in
// it. Opening a long conversation thus costs what can be seen of it.
//
// That a message comes near is told by the browser, which leaves out what is
// far (content-visibility); only what is near is observed, for an observer
// costs every frame for each element.
type sight struct {
	p       *page
	thread  js.Value
	seen    js.Value // IntersectionObserver
	onNear  js.Func
	onSeen  js.Func
	resting map[string]func() // by message: calls its timer off
	lazy    bool              // the browser tells what comes near
}

const nearEvent = "contentvisibilityautostatechange"

func newSight(p *page) *sight {
	return &sight{
		p: p, resting: map[string]func(){},
		lazy: !p.DOM.Doc.Get("documentElement").Get("on" + nearEvent).IsUndefined(),
	}
}

// attach looks at the thread from now on.
func (s *sight) attach(thread js.Value) {
	s.detach()
	s.thread = thread
	s.onNear = js.FuncOf(func(_ js.Value, args []js.Value) any {
		target, skipped := args[0].Get("target"), args[0].Get("skipped").Bool()
		s.p.Post(func() {
			if id := target.Get("dataset").Get("id"); id.Type() == js.TypeString {
				s.moved(id.String(), target, !skipped)
			}
		})
		return nil
	})
	s.onSeen = js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0]
		s.p.Post(func() {
			for i := range entries.Length() {
				e := entries.Index(i)
				s.rest(e.Get("target").Get("dataset").Get("id").String(), e.Get("isIntersecting").Bool())
			}
		})
		return nil
	})
	thread.Call("addEventListener", nearEvent, s.onNear, true)
	s.seen = js.Global().Get("IntersectionObserver").New(s.onSeen, map[string]any{"root": thread})
}

func (s *sight) detach() {
	if s.seen.IsUndefined() {
		return
	}
	s.seen.Call("disconnect")
	s.thread.Call("removeEventListener", nearEvent, s.onNear, true)
	s.onNear.Release()
	s.onSeen.Release()
	for id, cancel := range s.resting {
		cancel()
		delete(s.resting, id)
	}
	s.seen, s.thread = js.Undefined(), js.Undefined()
}

// moved says that a message came near the window, or went far from it.
func (s *sight) moved(id string, el js.Value, near bool) {
	if s.seen.IsUndefined() {
		return
	}
	if near {
		s.p.answers.near(id)
		s.seen.Call("observe", el)
	} else {
		s.seen.Call("unobserve", el)
	}
}

// rest waits whether an answer stays in view.
func (s *sight) rest(id string, in bool) {
	if cancel := s.resting[id]; cancel != nil {
		cancel()
		delete(s.resting, id)
	}
	if in {
		s.resting[id] = s.p.After(restFor, func() {
			delete(s.resting, id)
			s.p.desk.Details(id)
		})
	}
}
