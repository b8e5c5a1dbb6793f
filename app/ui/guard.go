//go:build js && wasm

package ui

import (
	"fmt"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// guard is deferred around everything that runs on the UI goroutine outside
// of Render. A panic there would end the program; it is shown instead.
func (p *page) guard(during string) {
	if r := recover(); r != nil {
		p.showFault(during, r)
	}
}

// showFault puts a notice over the page by direct DOM, for go-app may be what
// failed.
func (p *page) showFault(during string, r any) {
	app.Logf("screentest: panic in %s: %v", during, r)
	box := p.dom.byID("fault")
	if !box.Truthy() {
		box = p.dom.el("div", "fault")
		box.Set("id", "fault")
		box.Call("setAttribute", "role", "alert")
		text := p.dom.el("p", "")
		box.Call("append", text)
		reload := p.dom.el("button", "button primary")
		reload.Set("textContent", "Reload")
		p.dom.on(reload, "click", func(js.Value) { app.Window().Get("location").Call("reload") }, func(f func()) { f() })
		box.Call("append", reload)
		p.dom.doc.Get("body").Call("append", box)
	}
	box.Get("firstChild").Set("textContent", fmt.Sprintf(
		"Something in this page failed, in %s: %v. Your conversations are safe on the server; reload the page.", during, r))
}

// drawing is deferred in a component's Render: when it panics, the component
// is replaced by a sentence, and the rest of the page goes on.
func (p *page) drawing(what string, ui *app.UI) {
	if r := recover(); r != nil {
		app.Logf("screentest: panic while drawing %s: %v", what, r)
		*ui = app.Div().Class("problem").Text(fmt.Sprintf("This part of the page, %s, could not be drawn: %v", what, r))
	}
}

// on guards a handler and names it. go-app compares handlers by their code,
// which is the same for all that are guarded here: the name, which has to
// differ for handlers that can follow each other at one place, tells it when
// to take the new one.
func (p *page) on(name string, f func(ctx app.Context, e app.Event)) (app.EventHandler, app.EventOption) {
	return func(ctx app.Context, e app.Event) {
		defer p.guard(name)
		f(ctx, e)
	}, app.EventScope(name)
}
