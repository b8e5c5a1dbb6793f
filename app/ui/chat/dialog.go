//go:build js && wasm

package chat

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
)

// showDialog opens a dialog once it is drawn.
func (p *Page) showDialog(id string, part chat.Part) {
	p.changed(part)
	p.Context().Defer(func(app.Context) {
		defer p.Guard("a dialog")
		if d := p.DOM.ByID(id); d.Truthy() && !d.Get("open").Bool() {
			d.Call("showModal")
		}
	})
}

func (p *Page) hideDialog(id string, part chat.Part) {
	if d := p.DOM.ByID(id); d.Truthy() && d.Get("open").Bool() {
		d.Call("close")
	}
	p.changed(part)
	p.Context().Defer(func(app.Context) { p.FocusComposer() })
}
