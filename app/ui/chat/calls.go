//go:build js && wasm

package chat

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
	p    *Page
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
	c.leadToResult()
}

// OnUpdate implements app.Updater.
func (c *Calls) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer c.p.Guard("the calls")
		c.leadToResult()
	})
}

// leadToResult moves the focus to the field that is waited for, if it is here.
func (c *Calls) leadToResult() {
	for i := range c.waiting() {
		if c.p.resultField == c.fieldID(i) {
			c.p.writeResult()
		}
	}
}

// awaitResult leads to the field for a call's result, once an answer that was
// followed has ended with one.
func (p *Page) awaitResult(c *chat.Conversation, m *chat.Message) {
	for i := range c.Lanes {
		if p.chat.Lane(i).Awaits(m) {
			p.resultField = partID("result", i, m.ID) + "-0"
			p.writeResult()
		}
	}
}

// writeResult moves the focus there when the field is drawn: not away from
// somebody who writes elsewhere, and not where a keyboard would come up unasked.
func (p *Page) writeResult() {
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
			kit.El("label", "label", kit.At{"for", id}, "What "+call.Name+" returns"),
			p.Area(id, "field code result", kit.At{"rows", 3, "spellcheck", "false",
				"onkeydown", p.On("result-key "+call.ID, func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					if ctrl := e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool(); ctrl && p.DOM.Sends(e.Value) {
						e.PreventDefault()
						c.send()
					}
				})}, p.chat.Lane(c.Lane).Result(c.ID, call), func(text string) { p.chat.SetResult(c.ID, call.ID, text) }),
		)
	}
	switch {
	case len(waiting) > 0 && over:
		body = append(body, kit.Notice(kit.Info, "", nil, "The model has called functions in all "+strconv.Itoa(wire.MaxRounds)+
			" rounds allowed after one message. Write a message to continue; these calls are then left out."))
	case len(waiting) > 0:
		words := "Send the result"
		if len(waiting) > 1 {
			words = "Send the " + strconv.Itoa(len(waiting)) + " results"
		}
		body = append(body, kit.Box("div", "line",
			kit.Button("primary send-results", nil, p.Do("results "+c.ID, func() { c.send() }), kit.Icon(kit.IconSend, "icon small"), words),
			kit.Box("span", "faint", "Round "+strconv.Itoa(rounds)+" of "+strconv.Itoa(wire.MaxRounds)),
		))
	}
	return kit.Box("div", "calls", body)
}

// send answers the calls with what is written.
func (c *Calls) send() {
	c.p.threads.stick()
	if c.p.chat.Lane(c.Lane).SendResults() {
		c.p.FocusComposer()
	}
}

// toolResult is a result as it was sent.
func toolResult(m *chat.Message) []app.UI {
	return []app.UI{kit.Box("div", "tool-result",
		kit.Box("div", "call-name", kit.Icon(kit.IconCheck, "icon small"), kit.Box("code", "", m.Tool), kit.Box("span", "", " returned")),
		kit.El("pre", "call-arguments body", kit.At{"tabindex", 0, "aria-label", "Result of " + m.Tool}, m.Text),
	)}
}
