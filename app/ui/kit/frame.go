//go:build js && wasm

package kit

import (
	"syscall/js"
	"time"
)

// backgroundFrame is how long a page in the background, which has no frames,
// waits instead: long enough to cost little, and its title stays right.
const backgroundFrame = 300 * time.Millisecond

// frames is what the next frame is to do.
type frames struct {
	tick    js.Func
	planned bool
	wakes   []func()
	redraw  func()
	stale   bool // the Shell is to be drawn
	drawn   int  // times so far
}

// Redraw is how anything says that it changed: the Shell is drawn with the next
// frame. go-app then draws the components again of which an exported field has
// changed: give them a revision.
func (h *Host) Redraw() {
	h.frames.stale = true
	h.plan()
}

// Draws counts the draws of the Shell: a revision for what shows something of
// every part of the page.
func (h *Host) Draws() int { return h.frames.drawn }

// Waker returns a function that has f called with the next frame, once however
// often it is called before. It says of nothing that it changed: it is for what
// is drawn past go-app.
func (h *Host) Waker(f func()) (wake func()) {
	woken := false
	run := func() {
		woken = false
		f()
	}
	return func() {
		if !woken {
			woken = true
			h.frames.wakes = append(h.frames.wakes, run)
			h.plan()
		}
	}
}

func (h *Host) plan() {
	f := &h.frames
	if f.planned || !h.bound {
		return
	}
	f.planned = true
	if h.Hidden() {
		h.After(backgroundFrame, h.onFrame)
		return
	}
	js.Global().Call("requestAnimationFrame", f.tick)
}

func (h *Host) guarded(f func()) {
	defer h.Guard("a frame")
	f()
}

// onFrame does what was planned. What asks for the next frame meanwhile gets it.
func (h *Host) onFrame() {
	f := &h.frames
	wakes := f.wakes
	f.planned, f.wakes = false, nil
	for _, wake := range wakes {
		h.guarded(wake)
	}
	if f.stale {
		f.stale = false
		f.drawn++
		f.redraw()
	}
}
