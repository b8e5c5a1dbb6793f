//go:build js && wasm

package chat

import (
	"slices"
	"strconv"
	"syscall/js"
)

// sizes watches the sizes of the lanes and of their messages, and which of the
// lanes are in view. The observer of sizes is called after layout and before
// painting, when reading them costs nothing, and once for all that changed.
type sizes struct {
	ts       *threads
	observer js.Value // ResizeObserver; undefined before the first lane
	sight    js.Value // IntersectionObserver of the lanes, likewise
}

// watchLane watches a lane's thread: it is taken to be in view until it is known.
func (s *sizes) watchLane(t *thread) {
	if s.sight.IsUndefined() {
		s.sight = js.Global().Get("IntersectionObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
			entries := args[0]
			s.ts.p.Post(func() { s.sighted(entries) })
			return nil
		}))
	}
	t.seen = true
	s.sight.Call("observe", t.el)
	s.watch(t.el)
	s.watch(t.inner)
}

func (s *sizes) unwatchLane(t *thread) {
	s.sight.Call("unobserve", t.el)
	s.unwatch(t.el)
	s.unwatch(t.inner)
}

// sighted takes which lanes are in view, and draws what has grown out of it.
func (s *sizes) sighted(entries js.Value) {
	for i := range entries.Length() {
		e := entries.Index(i)
		if t := s.lane(e.Get("target")); t != nil {
			t.seen = e.Get("isIntersecting").Bool()
		}
	}
	s.ts.p.answers.draw()
}

// lane is the lane that an element is of, or nil where it was closed.
func (s *sizes) lane(e js.Value) *thread {
	lane, err := strconv.Atoi(e.Get("dataset").Get("lane").String())
	if err != nil || lane >= len(s.ts.list) || s.ts.list[lane].el.IsUndefined() {
		return nil
	}
	return s.ts.list[lane]
}

func (s *sizes) watch(e js.Value) {
	if s.observer.IsUndefined() {
		s.observer = js.Global().Get("ResizeObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
			entries := args[0]
			s.ts.p.Post(func() { s.resized(entries) })
			return nil
		}))
	}
	s.observer.Call("observe", e)
}

func (s *sizes) unwatch(e js.Value) { s.observer.Call("unobserve", e) }

// resized takes the heights of messages, and keeps the lanes that have changed
// where they are to be.
func (s *sizes) resized(entries js.Value) {
	var changed []*thread
	for i := range entries.Length() {
		e := entries.Index(i)
		target := e.Get("target")
		t := s.lane(target)
		if t == nil {
			continue
		}
		if !slices.Contains(changed, t) {
			changed = append(changed, t)
		}
		if id := target.Get("dataset").Get("id"); id.Type() == js.TypeString {
			t.column.Measure(t.place(id.String()), e.Get("borderBoxSize").Index(0).Get("blockSize").Float())
		}
	}
	anchorAll(changed)
	for _, t := range changed {
		t.look()
	}
}
