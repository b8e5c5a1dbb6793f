//go:build js && wasm

package chat

import (
	"math"

	"screentest/app/chat"
)

// anchor moves the thread to its end, or to its target, if that is where the
// person is.
func (t *thread) anchor() { t.aim()() }

// aim looks where the thread is to be, and returns what moves it there. Looking
// costs nothing as long as nothing was moved since the browser worked out all sizes.
func (t *thread) aim() (move func()) {
	if t.el.IsUndefined() {
		return func() {}
	}
	t.tall = t.el.Get("scrollHeight").Float()
	t.height = t.el.Get("clientHeight").Float()
	if w := t.inner.Get("clientWidth").Float(); w > 0 { // on a phone another lane may be shown
		t.width = w
	}
	switch {
	case t.stuck:
		end := math.Max(0, t.tall-t.height)
		if t.p.chat.Current == nil {
			end = 0 // the examples are read from their beginning
		}
		return func() {
			t.last = end // not read again: that would cost what aim has spared
			t.el.Set("scrollTop", end)
			t.showJump()
		}
	case t.target != "":
		if off, there := t.offTarget(); there {
			top := t.el.Get("scrollTop").Float() + off
			return func() {
				if math.Abs(off) > 1 {
					t.scrollTo(top)
				}
				t.showJump()
			}
		}
		if at := t.place(t.target); at >= 0 {
			return func() {
				t.scrollTo(t.column.Height(0, at))
				t.look()
				t.tall = t.el.Get("scrollHeight").Float()
				t.showJump()
			}
		}
	}
	return t.showJump
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
	t.anchor()
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

// markPlace makes what stands at the top of the window the target, so that the thread
// is there again when it is back in the document.
func (t *thread) markPlace() {
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
	if t.stuck && math.Abs(top-t.last) < 1 {
		return // the thread's own move
	}
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
	if _, want, _ := t.wanted(); !t.window.Holds(want) {
		t.rev++
		t.p.changed(chat.PartThread)
	}
}

// showJump shows the way to the end to whoever is elsewhere.
func (t *thread) showJump() {
	if t.jumpHidden != t.stuck {
		t.jumpHidden = t.stuck
		t.jump.Set("hidden", t.stuck)
	}
}
