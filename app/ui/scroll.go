//go:build js && wasm

package ui

import (
	"syscall/js"
	"time"

	"screentest/app/model"
)

// scroller keeps a thread at its end while it grows, unless the person has
// scrolled up: then it offers the way back.
type scroller struct {
	p        *page
	el       js.Value
	stuck    bool
	last     float64 // scrollTop at the last look
	observer js.Value
	onResize js.Func
	onScroll js.Func
}

func newScroller(p *page) *scroller { return &scroller{p: p, stuck: true} }

// attach watches the thread once it is in the document. The observer is called
// after layout and before painting, when reading sizes costs nothing, so the
// thread is moved at most once a frame.
func (s *scroller) attach(el, inner js.Value) {
	s.detach()
	s.el = el
	s.onResize = js.FuncOf(func(js.Value, []js.Value) any {
		s.p.Post(s.settle)
		return nil
	})
	s.onScroll = js.FuncOf(func(js.Value, []js.Value) any {
		s.p.Post(s.scrolled)
		return nil
	})
	s.observer = js.Global().Get("ResizeObserver").New(s.onResize)
	s.observer.Call("observe", el)
	s.observer.Call("observe", inner)
	el.Call("addEventListener", "scroll", s.onScroll, map[string]any{"passive": true})
}

func (s *scroller) detach() {
	if s.observer.IsUndefined() {
		return
	}
	s.observer.Call("disconnect")
	s.el.Call("removeEventListener", "scroll", s.onScroll)
	s.onResize.Release()
	s.onScroll.Release()
	s.observer, s.el = js.Undefined(), js.Undefined()
}

// settle moves the thread to its end if that is where the person was.
func (s *scroller) settle() {
	if s.el.IsUndefined() {
		return
	}
	if s.stuck {
		end := s.el.Get("scrollHeight")
		if s.p.desk.Current == nil {
			end = js.ValueOf(0) // the examples are read from their beginning
		}
		s.el.Set("scrollTop", end)
		s.last = s.el.Get("scrollTop").Float()
	}
	s.showJump()
}

// hold keeps what is in view where it is while messages are put before it.
// The browser's own anchoring does not at the very top, where older messages
// are mostly asked for, so it is switched off meanwhile. The returned function
// is to be called when they stand there.
func (s *scroller) hold() (settle func()) {
	first := js.Null()
	if !s.el.IsUndefined() {
		first = s.el.Call("querySelector", ".message")
	}
	if first.IsNull() {
		return func() {}
	}
	top := func() float64 { return first.Call("getBoundingClientRect").Get("top").Float() }
	before := top()
	style := s.el.Get("style")
	style.Set("overflowAnchor", "none")
	return func() {
		s.last = s.el.Get("scrollTop").Float() + top() - before
		s.el.Set("scrollTop", s.last)
		s.p.After(100*time.Millisecond, func() { style.Set("overflowAnchor", "") })
	}
}

// toEnd goes to the end and stays there.
func (s *scroller) toEnd() {
	s.stuck = true
	s.settle()
}

const (
	nearEnd   = 24.0  // px from the end that still count as the end
	nearStart = 600.0 // px from the start at which older messages are fetched
)

// scrolled finds out what the person wants: at the end means stay there, up
// means leave me here. What grows moves nothing, and so is no reason.
func (s *scroller) scrolled() {
	if s.el.IsUndefined() {
		return
	}
	top := s.el.Get("scrollTop").Float()
	left := s.el.Get("scrollHeight").Float() - s.el.Get("clientHeight").Float() - top
	switch {
	case left <= nearEnd:
		s.stuck = true
	case top < s.last-1:
		s.stuck = false
	}
	if top < s.last && top < nearStart {
		s.p.desk.FetchEarlier()
	}
	s.last = top
	s.showJump()
	s.p.changed(model.PartStream)
}

func (s *scroller) showJump() {
	if jump := s.p.DOM.ByID("jump"); jump.Truthy() {
		jump.Set("hidden", s.stuck)
	}
}
