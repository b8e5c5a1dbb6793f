//go:build js && wasm

package kit

import (
	"syscall/js"
	"time"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/session"
	"screentest/shared/wire"
)

// Host is what every part of the page stands on: go-app's UI goroutine, the
// document, the socket, and the next draw.
type Host struct {
	DOM     DOM
	Server  session.Server
	ctx     app.Context // the Shell's
	frames  frames
	bound   bool
	shows   map[string]any // by control, what it is to show; see Show
	settles bool           // soon

	// SignedOut is called where an address answers that nobody is signed in any
	// more: somebody is asked to sign in, and again is called when it was the
	// same person. nil where there are no accounts.
	SignedOut func(again func())

	// Tell shows a sentence for a while, whatever page is open.
	Tell func(words string)

	// Budget says how much of a budget is used that is nearly used up, for
	// wherever money is spent; "" where none is.
	Budget string

	// Lost says that there is no connection to the server: calls wait for one.
	Lost bool

	// Guest says that who is signed in sends nothing. See GuestNote.
	Guest bool

	// Sharing says who else sees what is the person's; nil where there are no
	// accounts.
	Sharing Sharing

	// Charges are what a send may be charged to, Charged the one that is chosen,
	// and Charge chooses another. See ChargeChoice.
	Charges []wire.Charge
	Charged string
	Charge  func(id string)
}

// NewHost returns a Host; redraw draws the Shell.
func NewHost(server session.Server, redraw func()) *Host {
	h := &Host{DOM: NewDOM(), Server: server}
	h.frames.redraw = redraw
	h.frames.tick = js.FuncOf(func(js.Value, []js.Value) any {
		h.Post(h.onFrame)
		return nil
	})
	return h
}

// Bind takes the Shell's context, once it stands and with each navigation.
func (h *Host) Bind(ctx app.Context) {
	h.ctx, h.bound = ctx, true
	h.settleSoon()
}

// Context is the Shell's.
func (h *Host) Context() app.Context { return h.ctx }

// Post runs f on the UI goroutine, guarded, without drawing any component
// again: f says by Redraw when that has to be.
func (h *Host) Post(f func()) {
	h.ctx.Dispatch(func(ctx app.Context) {
		ctx.PreventUpdate()
		defer h.Guard("an event")
		f()
	})
}

// After calls f on the UI goroutine when d has passed.
func (h *Host) After(d time.Duration, f func()) (cancel func()) {
	t := time.AfterFunc(d, func() { h.Post(f) })
	return func() { t.Stop() }
}

// Hidden says that the page is in the background: it has no frames then.
func (h *Host) Hidden() bool { return h.DOM.Doc.Get("hidden").Bool() }
