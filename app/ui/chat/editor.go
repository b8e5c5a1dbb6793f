//go:build js && wasm

package chat

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
)

// edit is the message of the person's that is written anew.
type edit struct {
	of    viewKey
	text  string // so far
	begun bool   // just now: its field is yet to come
}

// Editor is where a message of the person's is written anew. It may leave the
// document meanwhile: further up in a long conversation, or behind another page.
type Editor struct {
	app.Compo
	p    *Page
	Lane int
	ID   string
}

// CompoID implements app.DismountEnforcer.
func (e *Editor) CompoID() string { return "edit " + e.ID }

func (e *Editor) fieldID() string { return partID("edit", e.Lane, e.ID) }

// OnMount implements app.Mounter.
func (e *Editor) OnMount(ctx app.Context) {
	ctx.PreventUpdate()
	defer e.p.Guard("the editor")
	field := e.p.DOM.ByID(e.fieldID())
	if !field.Truthy() {
		return
	}
	// Further on it comes back by scrolling: then it leaves the focus to the field
	// that one writes in.
	writing := e.p.DOM.Doc.Get("activeElement")
	if begun := e.p.edit.begun; begun || !writing.Truthy() || !writing.Call("matches", "input, textarea, select").Bool() {
		field.Call("focus", map[string]any{"preventScroll": true})
	}
	e.p.edit.begun = false
}

func (e *Editor) send(all bool) {
	p := e.p
	p.threads.stick()
	ok := false
	if all {
		ok = p.chat.Lane(e.Lane).EditAll(e.ID, p.edit.text)
	} else {
		ok = p.chat.Lane(e.Lane).Edit(e.ID, p.edit.text)
	}
	if ok {
		p.endEdit()
	}
}

// Render implements app.Composer.
func (e *Editor) Render() (ui app.UI) {
	p := e.p
	defer p.Drawing("the editor", &ui)
	c := p.chat.Current
	many := c != nil && len(c.Lanes) > 1
	busy := c != nil && e.Lane < len(c.Lanes) && c.Lane(e.Lane).Running()
	here := "Send again"
	if many {
		here = "Send again in this lane"
	}
	return kit.Box("div", "editor",
		p.Area(e.fieldID(), "field", kit.At{"rows", 3, "aria-label", "Your message",
			"onkeydown", p.On("edit-key", func(ctx app.Context, ev app.Event) {
				ctx.PreventUpdate()
				switch key := ev.Get("key").String(); {
				case kit.Composing(ev.Value):
				case key == "Escape":
					ev.PreventDefault()
					p.endEdit()
				case p.DOM.Sends(ev.Value):
					ev.PreventDefault()
					e.send(false)
				}
			})}, p.edit.text, func(text string) { p.edit.text = text }),
		kit.Box("div", "line editor-foot",
			kit.Button("", nil, p.Do("edit-cancel", func() { p.endEdit() }), "Cancel"),
			kit.Button("", kit.At{"hidden", !many, "disabled", busy}, p.Do("edit-all", func() { e.send(true) }), "In all lanes"),
			kit.Button("primary edit-send", kit.At{"disabled", busy}, p.Do("edit-send", func() { e.send(false) }), here),
		),
	)
}

func (p *Page) beginEdit(lane int, id string) {
	p.endEdit()
	c := p.chat.Current
	if c == nil || c.Message(id) == nil {
		return
	}
	p.edit = edit{of: viewKey{lane, id}, text: c.Message(id).Text, begun: true}
	p.drawMessage(id)
}

func (p *Page) endEdit() {
	if p.edit.of.id == "" {
		return
	}
	id := p.edit.of.id
	p.edit = edit{}
	p.drawMessage(id)
	p.FocusComposer()
}

// drawMessage plans that a message is drawn again.
func (p *Page) drawMessage(id string) {
	if c := p.chat.Current; c != nil {
		if m := c.Message(id); m != nil {
			m.Rev++
		}
	}
	p.changed(chat.PartThread)
}
