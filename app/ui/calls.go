//go:build js && wasm

package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Calls are the functions that an answer wants called. At the end of a lane
// the person stands for them: writes or changes each result, and sends them.
type Calls struct {
	app.Compo
	p    *page
	Lane int
	ID   string // of the message
	Rev  int
	Last bool
}

// CompoID implements app.DismountEnforcer.
func (c *Calls) CompoID() string { return "calls " + c.ID }

func (c *Calls) fieldID(i int) string { return partID("result", c.Lane, c.ID) + "-" + strconv.Itoa(i) }

// OnMount implements app.Mounter.
func (c *Calls) OnMount(app.Context) {
	defer c.p.Guard("the calls")
	c.fill()
}

// OnUpdate implements app.Updater.
func (c *Calls) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer c.p.Guard("the calls")
		c.fill()
	})
}

// fill puts what was written, or the sample, into the fields that are new.
func (c *Calls) fill() {
	for i, call := range c.waiting() {
		e := c.p.DOM.ByID(c.fieldID(i))
		if e.Truthy() && e.Get("dataset").Get("call").String() != call.ID {
			e.Get("dataset").Set("call", call.ID)
			e.Set("value", c.p.chat.Lane(c.Lane).Result(c.ID, call))
		}
		if c.p.resultField == c.fieldID(i) {
			c.p.writeResult()
		}
	}
}

// awaitResult leads to the field for a call's result, once an answer that was
// followed has ended with one.
func (p *page) awaitResult(c *chat.Conversation, m *chat.Message) {
	for i := range c.Lanes {
		if p.chat.Lane(i).Awaits(m) {
			p.resultField = partID("result", i, m.ID) + "-0"
			p.writeResult()
		}
	}
}

// writeResult moves the focus there when the field is drawn: not away from
// somebody who writes elsewhere, and not where a keyboard would come up unasked.
func (p *page) writeResult() {
	field := p.DOM.ByID(p.resultField)
	if !field.Truthy() {
		return // Calls comes back when it has it
	}
	p.resultField = ""
	at := p.DOM.Doc.Get("activeElement")
	writing := at.Truthy() && at.Call("matches", "input, textarea, select, dialog *").Bool() &&
		!(at.Get("id").String() == "composer" && at.Get("value").String() == "")
	if !writing && !p.DOM.Coarse() {
		field.Call("focus", map[string]any{"preventScroll": true})
	}
}

func (c *Calls) waiting() []wire.ToolCall {
	if cur := c.p.chat.Current; !c.Last || cur == nil || c.Lane >= len(cur.Lanes) || cur.Lanes[c.Lane].Leaf != c.ID {
		return nil
	}
	return c.p.chat.Lane(c.Lane).Waiting()
}

// Render implements app.Composer.
func (c *Calls) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the calls", &ui)
	var m *chat.Message
	if p.chat.Current != nil {
		m = p.chat.Current.Message(c.ID)
	}
	if m == nil || m.Running() {
		return kit.Box("div", "calls")
	}
	waiting := c.waiting()
	rounds := p.chat.Lane(c.Lane).Rounds()
	over := rounds > wire.MaxRounds
	var body []app.UI
	for i, call := range m.Calls() {
		arguments := chat.Pretty(call.Arguments)
		body = append(body, kit.Box("div", "call",
			kit.Box("div", "call-name", kit.Icon(kit.IconTool, "icon small"), kit.Box("span", "", "Calls "), kit.Box("code", "", call.Name)),
			kit.El("pre", "call-arguments", kit.At{"tabindex", 0, "aria-label", "Arguments of " + call.Name}, arguments),
		))
		if len(waiting) == 0 || over {
			continue
		}
		id := c.fieldID(i)
		body = append(body,
			kit.El("label", "params-name", kit.At{"for", id}, "What "+call.Name+" returns"),
			kit.El("textarea", "field code-field result", kit.At{"id", id, "rows", 3, "spellcheck", "false",
				"oninput", p.On("result "+call.ID, func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					p.chat.SetResult(c.ID, call.ID, e.Get("target").Get("value").String())
				}),
				"onkeydown", p.On("result-key "+call.ID, func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					if ctrl := e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool(); ctrl && p.DOM.Sends(e.Value) {
						e.PreventDefault()
						c.send()
					}
				})}),
		)
	}
	switch {
	case len(waiting) > 0 && over:
		body = append(body, kit.Box("p", "calls-limit", "The model has called functions in all "+strconv.Itoa(wire.MaxRounds)+
			" rounds that are sent after one message. Write to it to go on; these calls are then left out."))
	case len(waiting) > 0:
		words := "Send the result"
		if len(waiting) > 1 {
			words = "Send the " + strconv.Itoa(len(waiting)) + " results"
		}
		body = append(body, kit.Box("div", "calls-foot",
			kit.El("button", "button primary send-results", kit.At{"type", "button",
				"onclick", p.Do("results "+c.ID, func() { c.send() })}, kit.Icon(kit.IconSend, "icon small"), words),
			kit.Box("span", "params-state", "Round "+strconv.Itoa(rounds)+" of "+strconv.Itoa(wire.MaxRounds)),
		))
	}
	return kit.Box("div", "calls", body)
}

// send answers the calls with what is written.
func (c *Calls) send() {
	c.p.threads.stick()
	if c.p.chat.Lane(c.Lane).SendResults() {
		c.p.focusComposer()
	}
}

// toolResult is a result as it was sent.
func toolResult(m *chat.Message) []app.UI {
	return []app.UI{kit.Box("div", "tool-result",
		kit.Box("div", "call-name", kit.Icon(kit.IconCheck, "icon small"), kit.Box("code", "", m.Tool), kit.Box("span", "", " returned")),
		kit.El("pre", "call-arguments body", kit.At{"tabindex", 0, "aria-label", "Result of " + m.Tool}, m.Text),
	)}
}

// Editor is where a message of the person's is written anew. Its text lives in
// its element, and in page.edited while that is not in the document: further up
// in a long conversation, or behind another page.
type Editor struct {
	app.Compo
	p    *page
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
	field.Set("value", e.p.edited)
	// Further on it comes back by scrolling: then it leaves the focus to the field
	// that one writes in.
	writing := e.p.DOM.Doc.Get("activeElement")
	if begun := e.p.editBegun; begun || !writing.Truthy() || !writing.Call("matches", "input, textarea, select").Bool() {
		field.Call("focus", map[string]any{"preventScroll": true})
	}
	e.p.editBegun = false
}

func (e *Editor) send(all bool) {
	p := e.p
	text := p.DOM.ByID(e.fieldID()).Get("value").String()
	p.threads.stick()
	ok := false
	if all {
		ok = p.chat.Lane(e.Lane).EditAll(e.ID, text)
	} else {
		ok = p.chat.Lane(e.Lane).Edit(e.ID, text)
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
		kit.El("textarea", "field", kit.At{"id", e.fieldID(), "rows", 3, "aria-label", "Your message",
			"oninput", p.On("edit-input", func(ctx app.Context, ev app.Event) {
				ctx.PreventUpdate()
				p.edited = ev.Get("target").Get("value").String()
			}),
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
			})}),
		kit.Box("div", "editor-foot",
			kit.El("button", "button", kit.At{"type", "button",
				"onclick", p.Do("edit-cancel", func() { p.endEdit() })}, "Cancel"),
			kit.El("button", "button edit-all", kit.At{"type", "button", "hidden", !many, "disabled", busy,
				"onclick", p.Do("edit-all", func() { e.send(true) })}, "In all lanes"),
			kit.El("button", "button primary edit-send", kit.At{"type", "button", "disabled", busy,
				"onclick", p.Do("edit-send", func() { e.send(false) })}, here),
		),
	)
}

func (p *page) beginEdit(lane int, id string) {
	p.endEdit()
	c := p.chat.Current
	if c == nil || c.Message(id) == nil {
		return
	}
	p.editing, p.edited, p.editBegun = viewKey{lane, id}, c.Message(id).Text, true
	p.drawMessage(id)
}

func (p *page) endEdit() {
	if p.editing.id == "" {
		return
	}
	id := p.editing.id
	p.editing, p.edited, p.editBegun = viewKey{}, "", false
	p.drawMessage(id)
	p.focusComposer()
}

// drawMessage plans that a message is drawn again.
func (p *page) drawMessage(id string) {
	if c := p.chat.Current; c != nil {
		if m := c.Message(id); m != nil {
			m.Rev++
		}
	}
	p.changed(chat.PartThread)
}
