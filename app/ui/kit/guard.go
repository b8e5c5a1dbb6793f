//go:build js && wasm

package kit

import (
	"fmt"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// Guard is deferred around everything that runs on the UI goroutine outside
// of Render. A panic there would end the program; it is shown instead.
func (h *Host) Guard(during string) {
	if r := recover(); r != nil {
		h.showFault(during, r)
	}
}

// showFault puts a notice over the page by direct DOM, for go-app may be what
// failed.
func (h *Host) showFault(during string, r any) {
	app.Logf("screentest: panic in %s: %v", during, r)
	box := h.DOM.ByID("fault")
	if !box.Truthy() {
		box = h.DOM.El("div", "fault")
		box.Set("id", "fault")
		box.Call("setAttribute", "role", "alert")
		text := h.DOM.El("p", "")
		box.Call("append", text)
		reload := h.DOM.El("button", "button primary")
		reload.Set("textContent", "Reload")
		h.DOM.On(reload, "click", func(js.Value) { app.Window().Get("location").Call("reload") }, func(f func()) { f() })
		box.Call("append", reload)
		h.DOM.Doc.Get("body").Call("append", box)
	}
	box.Get("firstChild").Set("textContent", fmt.Sprintf(
		"Something on this page failed (%s: %v). Your conversations are safe on the server. Reload the page.", during, r))
}

// Drawing is deferred in a component's Render: when it panics, the component
// is replaced by a sentence, and the rest of the page goes on.
func (h *Host) Drawing(what string, ui *app.UI) {
	if r := recover(); r != nil {
		app.Logf("screentest: panic while drawing %s: %v", what, r)
		*ui = Box("div", "problem", fmt.Sprintf("This part of the page, %s, could not be drawn: %v", what, r))
	}
}

// Handler is what happens on an event of an element; see At.
type Handler struct{ do app.EventHandler }

// On guards a handler; name is for people, should it fail. An element that is drawn
// again keeps its listener, which calls the handler of the newest draw: see
// web/build/slim.
func (h *Host) On(name string, f func(ctx app.Context, e app.Event)) *Handler {
	return &Handler{func(ctx app.Context, e app.Event) {
		defer h.Guard(name)
		f(ctx, e)
	}}
}

// Do is On for what needs no event.
func (h *Host) Do(name string, f func()) *Handler {
	return h.On(name, func(app.Context, app.Event) { f() })
}
