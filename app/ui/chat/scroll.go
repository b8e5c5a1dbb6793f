//go:build js && wasm

package chat

import (
	"cmp"
	"math"
	"slices"
	"syscall/js"

	"screentest/app/chat"
)

// threads are the scrolled messages of the lanes.
type threads struct {
	p    *Page
	of   string    // conversation
	list []*thread // by lane, made when first asked for
}

func (ts *threads) at(lane int) *thread {
	for len(ts.list) <= lane {
		ts.list = append(ts.list, &thread{p: ts.p, lane: len(ts.list), stuck: true, sight: newSight(ts.p)})
	}
	return ts.list[lane]
}

// begin shows another conversation, from its end.
func (ts *threads) begin(conversation string) {
	ts.of = conversation
	ts.stick()
}

// keep notes what stands at the top of every lane before another page takes
// their place.
func (ts *threads) keep() {
	for _, t := range ts.list {
		t.keep()
	}
}

// stick lets every lane follow its end from its next growth on.
func (ts *threads) stick() {
	for _, t := range ts.list {
		t.stuck, t.target, t.found = true, "", ""
	}
}

// toEnd goes to the end of every lane.
func (ts *threads) toEnd() {
	for _, t := range ts.list {
		t.toEnd()
	}
}

// thread scrolls a lane's messages. It keeps the part of them near the window
// in the document, and the window where the person left it: at the end, at a
// message that was jumped to, or anywhere else. There the browser itself holds
// what is in view while heights above it change (scroll anchoring).
type thread struct {
	p         *Page
	lane      int
	el, inner js.Value // undefined while it is not in the document

	column chat.Column
	window chat.Window
	held   []int // blocks kept besides, by their first message: see hold
	rev    int   // counts the changes of the window

	stuck  bool    // at the end
	target string  // message that was jumped to and is kept in place
	below  float64 // where: px below the top of the window
	found  string  // message that is marked
	last   float64 // scrollTop at the last look
	height float64 // of the window, px
	width  float64 // of the messages, when they were last seen, px
	tall   float64 // of all that is in it, at the last look

	sizes    js.Value            // ResizeObserver
	watched  map[string]js.Value // messages it observes
	sight    *sight
	onResize js.Func
	onScroll js.Func
}

// attach watches the thread once it is in the document. The observer is called
// after layout and before painting, when reading sizes costs nothing, so the
// thread is moved at most once a frame.
func (t *thread) attach() {
	t.detach()
	t.el = t.p.DOM.ByID(threadID("thread", t.lane))
	t.inner = t.p.DOM.ByID(threadID("thread-inner", t.lane))
	t.watched = map[string]js.Value{}
	t.onResize = js.FuncOf(func(_ js.Value, args []js.Value) any {
		entries := args[0]
		t.p.Post(func() { t.resized(entries) })
		return nil
	})
	t.onScroll = js.FuncOf(func(js.Value, []js.Value) any {
		t.p.Post(t.scrolled)
		return nil
	})
	t.sizes = js.Global().Get("ResizeObserver").New(t.onResize)
	t.sizes.Call("observe", t.el)
	t.sizes.Call("observe", t.inner)
	t.el.Call("addEventListener", "scroll", t.onScroll, map[string]any{"passive": true})
	t.sight.attach(t.el)
	t.rendered()
}

func (t *thread) detach() {
	if t.sizes.IsUndefined() {
		return
	}
	t.sizes.Call("disconnect")
	t.el.Call("removeEventListener", "scroll", t.onScroll)
	t.sight.detach()
	t.onResize.Release()
	t.onScroll.Release()
	t.sizes, t.el, t.inner = js.Undefined(), js.Undefined(), js.Undefined()
}

// plan decides, before the lane is drawn, what of it will be in the document.
func (t *thread) plan(c *chat.Conversation) {
	win := js.Global()
	width := math.Min(736, win.Get("innerWidth").Float()-32)
	t.height = win.Get("innerHeight").Float()
	if !t.inner.IsUndefined() {
		t.height = t.el.Get("clientHeight").Float()
		if w := t.inner.Get("clientWidth").Float(); w > 0 { // on a phone another lane may be shown
			t.width = w
		}
		width = cmp.Or(t.width, width)
	}
	path := c.Lane(t.lane).Path()
	t.column.Set(path, width)
	want, wide := t.wanted()
	if !t.window.Holds(want) || t.window.To > len(path) {
		t.hold()
		t.window = wide
	}
	if n := len(path); n > 0 && path[n-1].Running() {
		t.holdAt((n - 1) / chat.Block * chat.Block) // it is drawn as it grows
	}
}

// wanted returns the messages that have to be in the document, and those that
// are put there when one of them is not.
func (t *thread) wanted() (want, wide chat.Window) {
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
	return t.column.Around(top-h/2, bottom+h*3/2), t.column.Around(top-h, bottom+h*2)
}

// shown says whether any of the messages is to be in the document.
func (t *thread) shown(from, to int) bool {
	if from < t.window.To && t.window.From < to {
		return true
	}
	return slices.ContainsFunc(t.held, func(at int) bool { return from <= at && at < to })
}

// hold notes what may not leave the document with the window: where the focus
// is, and the ends of what is selected.
func (t *thread) hold() {
	t.held = t.held[:0]
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
			t.holdAt(js.Global().Call("Number", block.Get("dataset").Get("from")).Int())
		}
	}
}

func (t *thread) holdAt(at int) {
	if !slices.Contains(t.held, at) {
		t.held = append(t.held, at)
	}
}

// rendered looks at what is in the document now.
func (t *thread) rendered() {
	if t.el.IsUndefined() {
		return
	}
	c := t.p.chat.Current
	if c == nil || c.Phase != chat.Ready {
		t.settle()
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
			t.sizes.Call("observe", e)
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
	t.settle()
}

func (t *thread) forget(e js.Value) {
	t.sizes.Call("unobserve", e)
	t.sight.unwatch(e)
}

// resized takes the heights of messages, and keeps the window where it is to
// be.
func (t *thread) resized(entries js.Value) {
	if t.el.IsUndefined() {
		return
	}
	for i := range entries.Length() {
		e := entries.Index(i)
		target := e.Get("target")
		if target.Equal(t.inner) || target.Equal(t.el) {
			t.height = t.el.Get("clientHeight").Float()
			continue
		}
		id := target.Get("dataset").Get("id")
		if id.Type() == js.TypeString {
			t.column.Measure(t.place(id.String()), e.Get("borderBoxSize").Index(0).Get("blockSize").Float())
		}
	}
	t.settle()
	t.look()
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

// settle moves the thread to its end, or to its target, if that is where the
// person is.
func (t *thread) settle() {
	if t.el.IsUndefined() {
		return
	}
	switch {
	case t.stuck:
		end := t.el.Get("scrollHeight")
		if t.p.chat.Current == nil {
			end = js.ValueOf(0) // the examples are read from their beginning
		}
		t.scrollTo(end.Float())
	case t.target != "":
		if off, there := t.offTarget(); there {
			if math.Abs(off) > 1 {
				t.scrollTo(t.el.Get("scrollTop").Float() + off)
			}
		} else if at := t.place(t.target); at >= 0 {
			t.scrollTo(t.column.Height(0, at))
			t.look()
		}
	}
	t.tall = t.el.Get("scrollHeight").Float()
	t.showJump()
}

func (t *thread) scrollTo(top float64) {
	t.el.Set("scrollTop", top)
	t.last = t.el.Get("scrollTop").Float()
}

// nearTop is where a message stands that was jumped to, px below the top.
const nearTop = 12.0

// offTarget is how far the target is below where it is to be, in px, as far as
// the ends let it.
func (t *thread) offTarget() (off float64, there bool) {
	e := t.el.Call("querySelector", `.message[data-id="`+t.target+`"]`)
	if e.IsNull() {
		return 0, false
	}
	off = e.Call("getBoundingClientRect").Get("top").Float() - t.el.Call("getBoundingClientRect").Get("top").Float() - t.below
	top := t.el.Get("scrollTop").Float()
	left := t.el.Get("scrollHeight").Float() - t.el.Get("clientHeight").Float() - top
	return math.Max(math.Min(off, left), -top), true
}

// toEnd goes to the end and stays there.
func (t *thread) toEnd() {
	t.stuck, t.target, t.found = true, "", ""
	t.look()
	t.settle()
}

// toMessage goes to a message and stays there until the person scrolls.
func (t *thread) toMessage(id string, mark bool) {
	t.stuck, t.target, t.below, t.found = false, id, nearTop, ""
	if mark {
		t.found = id
	}
	t.rev++
	t.p.changed(chat.PartThread)
}

// keep makes what stands at the top of the window the target, so that the thread
// is there again when it is back in the document.
func (t *thread) keep() {
	if t.el.IsUndefined() || t.stuck || t.target != "" {
		return
	}
	if t.el.Get("clientHeight").Float() == 0 { // on a phone another lane is shown
		if at := t.column.At(t.last); at >= 0 {
			t.target, t.below = t.column.ID(at), t.column.Height(0, at)-t.last
		}
		return
	}
	window := t.el.Call("getBoundingClientRect")
	all := t.inner.Call("querySelectorAll", ".message")
	for i := range all.Length() {
		e := all.Index(i)
		r := e.Call("getBoundingClientRect")
		if r.Get("bottom").Float() > window.Get("top").Float() {
			t.target, t.below = e.Get("dataset").Get("id").String(), r.Get("top").Float()-window.Get("top").Float()
			return
		}
	}
}

// nearEnd is how many px from the end still count as the end.
const nearEnd = 24.0

// scrolled finds out what the person wants: at the end means stay there, up
// means leave me here. What grows moves nothing, and so is no reason.
func (t *thread) scrolled() {
	if t.el.IsUndefined() {
		return
	}
	top := t.el.Get("scrollTop").Float()
	height := t.el.Get("clientHeight").Float()
	if height == 0 {
		return // on a phone another lane is shown
	}
	left := t.el.Get("scrollHeight").Float() - height - top
	if t.target != "" {
		// What has grown since the last look moves the target too: see resized.
		grown := t.el.Get("scrollHeight").Float() != t.tall
		if off, there := t.offTarget(); there && math.Abs(off) > 4 && !grown {
			t.target = ""
		}
	}
	switch {
	case t.target != "":
	case left <= nearEnd:
		t.stuck = true
	case top < t.last-1:
		t.stuck = false
	}
	t.last = top
	t.look()
	t.showJump()
}

// look draws the lane anew when something near its window is not in the
// document.
func (t *thread) look() {
	if c := t.p.chat.Current; c == nil || c.Phase != chat.Ready || t.column.Len() == 0 {
		return
	}
	if want, _ := t.wanted(); !t.window.Holds(want) {
		t.rev++
		t.p.changed(chat.PartThread)
	}
}

func (t *thread) showJump() {
	if jump := t.p.DOM.ByID(threadID("jump", t.lane)); jump.Truthy() {
		jump.Set("hidden", t.stuck)
	}
}
