//go:build js && wasm

package chat

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
)

// edit is the message that is written anew, or the one below which another is put.
type edit struct {
	of    viewKey
	role  string // of the message to be put below it; "" where it is written anew
	text  string // so far
	begun bool   // just now: its field is yet to come
}

// Editor is where a message is written. It may leave the document meanwhile:
// further up in a long conversation, or behind another page.
type Editor struct {
	app.Compo
	p    *Page
	Lane int
	ID   string
	Role string // of the message that stands there
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

// keep keeps what was written as it is: no model is asked.
func (e *Editor) keep() {
	p := e.p
	l, of, text := p.chat.Lane(e.Lane), p.edit.of, p.edit.text
	done := func(kept bool) {
		if kept && p.edit.of == of && p.edit.text == text { // else more was typed meanwhile
			p.endEdit()
		}
	}
	if p.edit.role == "" {
		l.Rewrite(e.ID, p.edit.text, done)
	} else {
		l.Insert(e.ID, p.edit.role, p.edit.text, done)
	}
}

func (e *Editor) send(all bool) {
	p := e.p
	if p.edit.role != "" || e.Role == "assistant" {
		e.keep()
		return
	}
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
	asks := p.edit.role == "" && e.Role == "user"
	many := asks && c != nil && len(c.Lanes) > 1
	busy := c != nil && e.Lane < len(c.Lanes) && c.Lane(e.Lane).Running()
	label, here := "Your message", "Send again"
	switch {
	case p.edit.role != "":
		label, here = "The message to insert", "Insert"
	case !asks:
		label, here = "The answer", "Save"
	case many:
		here = "Send again in this lane"
	}
	return kit.Box("div", "editor",
		kit.If(p.edit.role != "", func() app.UI {
			return p.Radios("insert-role", "Who says it", "", p.edit.role, []kit.Option{{Value: "user", Name: "You"}, {Value: "assistant", Name: "The model"}},
				func(role string) { p.edit.role = role })
		}),
		p.Area(e.fieldID(), "field", kit.At{"rows", 3, "aria-label", label,
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
			kit.SayIf("span", "faint grow", kit.When(!asks, "No model is asked. What follows stays in the version before.")),
			kit.Button("", nil, p.Do("edit-cancel", func() { p.endEdit() }), "Cancel"),
			kit.Button("", kit.At{"hidden", !many, "disabled", busy}, p.Do("edit-all", func() { e.send(true) }), "In all lanes"),
			kit.Button("primary edit-send", kit.At{"disabled", busy}, p.Do("edit-send", func() { e.send(false) }), here),
		),
	)
}

// editor is where the message is written anew, or where one is put below it.
func (p *Page) editor(lane int, m *chat.Message) app.UI {
	return &Editor{p: p, Lane: lane, ID: m.ID, Role: m.Role}
}

// edits says that a message is written anew in a lane, and inserts that one is put
// below it.
func (p *Page) edits(lane int, id string) bool {
	return p.edit.role == "" && p.edit.of == viewKey{lane, id}
}

func (p *Page) inserts(lane int, id string) bool {
	return p.edit.role != "" && p.edit.of == viewKey{lane, id}
}

// insertButton puts a message below another one.
func (p *Page) insertButton(lane int, m *chat.Message) app.UI {
	return kit.IconButton("small insert", "Insert a message below", kit.IconPlus, nil, p.Do("insert", func() {
		role := "assistant"
		if m.Role == role {
			role = "user"
		}
		p.open(edit{of: viewKey{lane, m.ID}, role: role, begun: true})
	}))
}

func (p *Page) beginEdit(lane int, id string) {
	if c := p.chat.Current; c != nil && c.Message(id) != nil {
		p.open(edit{of: viewKey{lane, id}, text: c.Message(id).Text, begun: true})
	}
}

func (p *Page) open(e edit) {
	p.endEdit()
	p.edit = e
	p.drawMessage(e.of.id)
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
