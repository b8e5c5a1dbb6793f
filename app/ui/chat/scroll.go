//go:build js && wasm

package chat

import (
	"math"
	"slices"
	"syscall/js"

	"screentest/app/chat"
)

// thread scrolls a lane's messages. It keeps the part of them near the window
// in the document, and the window where the person left it: at the end, at a
// message that was jumped to, or anywhere else. There the browser itself holds
// what is in view while heights above it change (scroll anchoring).
//
// CSS's content-visibility: auto in its place was measured, in a conversation of
// 10 000 messages. With its last 2 000 in the document it opened in 4.2 s, here in
// 1.4, scrolled at 9 frames a second, here 37, and took 536 MiB, here 220. With
// its last 500 it opened in 2.0 s with a task of 0.85 s, here 0.32. And a message
// above those has to be gone to all the same, which needs most of what is here.
type thread struct {
	p         *Page
	lane      int
	el, inner js.Value // undefined while it is not in the document

	column chat.Column
	window chat.Window
	pinned []int // blocks in the document besides, by their first message: see pin
	rev    int   // counts the changes of the window

	stuck  bool    // at the end
	target string  // message that was jumped to and is kept in place
	below  float64 // where: px below the top of the window
	found  string  // message that is marked
	last   float64 // scrollTop at the last look
	height float64 // of the window, px
	width  float64 // of the messages, when they were last in view, px; 0 before
	tall   float64 // of all that is in it, at the last look

	seen     bool // it is in view, or not known not to be
	sizes    *sizes
	watched  map[string]js.Value // messages whose sizes are watched
	sight    *sight
	onScroll js.Func

	jump       js.Value // button that leads to the end
	jumpHidden bool
}

// attach watches the thread once it is in the document.
func (t *thread) attach() {
	t.detach()
	t.el = t.p.DOM.ByID(threadID("thread", t.lane))
	t.inner = t.p.DOM.ByID(threadID("thread-inner", t.lane))
	t.jump, t.jumpHidden = t.p.DOM.ByID(threadID("jump", t.lane)), t.stuck
	t.jump.Set("hidden", t.stuck)
	t.watched = map[string]js.Value{}
	t.onScroll = js.FuncOf(func(js.Value, []js.Value) any {
		t.p.Post(t.scrolled)
		return nil
	})
	t.sizes.watchLane(t)
	t.el.Call("addEventListener", "scroll", t.onScroll, map[string]any{"passive": true})
	t.sight.attach(t.el)
	t.rendered()
	t.anchor()
}

func (t *thread) detach() {
	if t.el.IsUndefined() {
		return
	}
	t.sizes.unwatchLane(t)
	for _, e := range t.watched {
		t.sizes.unwatch(e)
	}
	t.el.Call("removeEventListener", "scroll", t.onScroll)
	t.sight.detach()
	t.onScroll.Release()
	t.el, t.inner, t.jump = js.Undefined(), js.Undefined(), js.Undefined()
}

// plan decides, before the lane is drawn, what of it will be in the document. It
// asks for no sizes: lanes that are drawn together would have them all worked out
// for each lane.
func (t *thread) plan(c *chat.Conversation) {
	width := t.width
	if width == 0 {
		win := js.Global()
		width, t.height = math.Min(736, win.Get("innerWidth").Float()-32), win.Get("innerHeight").Float()
	}
	path := c.Lane(t.lane).Path()
	t.column.Set(path, width)
	seen, want, keep := t.wanted()
	if !t.window.Holds(want) || t.window.To > len(path) {
		t.pin()
		t.window = t.window.Toward(seen, want, keep)
	}
	if n := len(path); n > 0 && path[n-1].Running() {
		t.pinAt((n - 1) / chat.Block * chat.Block) // it is drawn as it grows
	}
}

// wanted returns the messages that are in view, those that have to be in the
// document, and those that are left there.
func (t *thread) wanted() (seen, want, keep chat.Window) {
	top := t.last
	bottom := top
	if at := t.place(t.target); at >= 0 {
		top = t.column.Height(0, at)
		bottom = top + math.Max(0, -t.below) // of a long message its end may be in view
	}
	if t.stuck {
		top = t.column.Height(0, t.column.Len()) - t.height
		bottom = top
	}
	h := math.Max(t.height, 300)
	around := t.column.Around
	return around(top, bottom+h), around(top-h/2, bottom+h*3/2), around(top-h, bottom+h*2)
}

// shown says whether any of the messages is to be in the document.
func (t *thread) shown(from, to int) bool {
	if from < t.window.To && t.window.From < to {
		return true
	}
	return slices.ContainsFunc(t.pinned, func(at int) bool { return from <= at && at < to })
}

// pin notes what may not leave the document with the window: where the focus
// is, and the ends of what is selected.
func (t *thread) pin() {
	t.pinned = t.pinned[:0]
	if t.el.IsUndefined() {
		return
	}
	nodes := []js.Value{t.p.DOM.Doc.Get("activeElement")}
	if s := t.p.DOM.Doc.Call("getSelection"); s.Truthy() && !s.Get("isCollapsed").Bool() {
		nodes = append(nodes, s.Get("anchorNode"), s.Get("focusNode"))
	}
	for _, n := range nodes {
		if !n.Truthy() || n.Equal(t.el) || !t.el.Call("contains", n).Bool() {
			continue
		}
		if n.Get("nodeType").Int() != 1 {
			n = n.Get("parentElement")
		}
		if block := n.Call("closest", "[data-from]"); block.Truthy() {
			t.pinAt(js.Global().Call("Number", block.Get("dataset").Get("from")).Int())
		}
	}
}

func (t *thread) pinAt(at int) {
	if !slices.Contains(t.pinned, at) {
		t.pinned = append(t.pinned, at)
	}
}

// rendered looks at what is in the document now.
func (t *thread) rendered() {
	if t.el.IsUndefined() {
		return
	}
	c := t.p.chat.Current
	if c == nil || c.Phase != chat.Ready {
		return
	}
	path := c.Lane(t.lane).Path()
	if w := t.window; w.To <= len(path) {
		c.Need(path[w.From:w.To])
	}
	all := t.inner.Call("querySelectorAll", ".message")
	seen := make(map[string]bool, all.Length())
	for i := range all.Length() {
		e := all.Index(i)
		id := e.Get("dataset").Get("id").String()
		seen[id] = true
		if old, known := t.watched[id]; !known || !old.Equal(e) {
			if known {
				t.forget(old)
			}
			t.watched[id] = e
			t.sizes.watch(e)
			t.sight.watch(e)
		}
		if id == t.found {
			e.Get("dataset").Set("found", "true")
		} else if e.Get("dataset").Get("found").Truthy() {
			e.Call("removeAttribute", "data-found")
		}
	}
	for id, e := range t.watched {
		if !seen[id] {
			t.forget(e)
			delete(t.watched, id)
		}
	}
}

func (t *thread) forget(e js.Value) {
	t.sizes.unwatch(e)
	t.sight.unwatch(e)
}

// place is where a message stands in the lane, -1 if it doesn't. Those near the
// window are looked at first.
func (t *thread) place(id string) int {
	c := t.p.chat.Current
	if id == "" || c == nil || t.lane >= len(c.Lanes) {
		return -1
	}
	path := c.Lane(t.lane).Path()
	is := func(m *chat.Message) bool { return m.ID == id }
	if w := t.window; w.To <= len(path) {
		if at := slices.IndexFunc(path[w.From:w.To], is); at >= 0 {
			return w.From + at
		}
	}
	return slices.IndexFunc(path, is)
}
