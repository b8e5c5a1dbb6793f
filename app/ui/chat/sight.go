//go:build js && wasm

package chat

import (
	"syscall/js"
	"time"
)

// restFor is how long an answer has to stay in view before its log is read for
// its reasoning, calls and sources, which the stored text has not. What is
// scrolled past is not asked for.
const restFor = 150 * time.Millisecond

// sight tells which of the messages in the document stay in view. Opening a
// long conversation thus costs what can be seen of it.
type sight struct {
	p       *Page
	seen    js.Value // IntersectionObserver
	onSeen  js.Func
	resting map[string]func() // by message: calls its timer off
}

func newSight(p *Page) *sight {
	return &sight{p: p, resting: map[string]func(){}}
}

// attach looks at the thread from now on.
func (s *sight) attach(thread js.Value) {
	s.detach()
	s.onSeen = js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0]
		s.p.Post(func() {
			for i := range entries.Length() {
				e := entries.Index(i)
				if id := e.Get("target").Get("dataset").Get("id"); id.Type() == js.TypeString {
					s.rest(id.String(), e.Get("isIntersecting").Bool())
				}
			}
		})
		return nil
	})
	s.seen = js.Global().Get("IntersectionObserver").New(s.onSeen, map[string]any{"root": thread})
}

func (s *sight) detach() {
	if s.seen.IsUndefined() {
		return
	}
	s.seen.Call("disconnect")
	s.onSeen.Release()
	for id, cancel := range s.resting {
		cancel()
		delete(s.resting, id)
	}
	s.seen = js.Undefined()
}

// watch observes a message, unwatch lets it go.
func (s *sight) watch(message js.Value) { s.seen.Call("observe", message) }

func (s *sight) unwatch(message js.Value) { s.seen.Call("unobserve", message) }

// rest waits whether an answer stays in view.
func (s *sight) rest(id string, in bool) {
	if cancel := s.resting[id]; cancel != nil {
		cancel()
		delete(s.resting, id)
	}
	if in {
		s.resting[id] = s.p.After(restFor, func() {
			delete(s.resting, id)
			s.p.chat.Shown().Details(id)
		})
	}
}
