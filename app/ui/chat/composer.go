//go:build js && wasm

package chat

import (
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Composer is where a turn is written.
type Composer struct {
	app.Compo
	p            *Page
	Rev          int
	Conversation string
	Budget       string // that is nearly used up, in words

	of string // the conversation whose draft is in the field
}

// OnMount implements app.Mounter.
func (c *Composer) OnMount(ctx app.Context) {
	c.p.FocusComposer()
	if c.p.shell.focused { // by a finger, too: its keyboard stays
		c.p.shell.focused = false
		c.p.DOM.Focus("#composer")
	}
	c.OnUpdate(ctx)
}

// OnUpdate implements app.Updater: the draft may be another.
func (c *Composer) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer c.p.Guard("the composer")
		c.p.Settle()
		if c.of != c.Conversation { // the field may have the focus
			c.of = c.Conversation
			c.p.Put("composer", c.p.draft())
		}
		c.fit()
		c.estimate()
	})
}

func (c *Composer) area() js.Value { return c.p.DOM.ByID("composer") }

// typed follows what is written.
func (c *Composer) typed(text string) {
	if !c.p.shell.keep(text) {
		c.p.chat.Shown().SetDraft(text)
	}
	c.fit()
	c.estimate()
	c.p.inspector.Touch()
}

// fit grows the field with its text where the browser does not.
func (c *Composer) fit() {
	if js.Global().Get("CSS").Call("supports", "field-sizing", "content").Bool() {
		return
	}
	e := c.area()
	if !e.Truthy() {
		return
	}
	e.Get("style").Set("height", "auto")
	e.Get("style").Set("height", strconv.Itoa(e.Get("scrollHeight").Int())+"px")
}

// estimate says beside the button what sending would take.
func (c *Composer) estimate() {
	text := c.p.chat.Shown().Draft()
	note := c.p.chat.Shown().Estimate(len(text))
	if e := c.p.DOM.ByID("estimate"); e.Truthy() {
		e.Set("textContent", note.Text)
		e.Set("title", note.Basis)
	}
	if e := c.p.DOM.ByID("over-context"); e.Truthy() {
		kit.SetText(e, note.Over)
		e.Set("hidden", note.Over == "")
	}
	if e := c.p.DOM.ByID("send"); e.Truthy() {
		e.Set("disabled", chat.TrimDraft(text) == "" && len(c.p.chat.Shown().Attached()) == 0)
	}
}

// Render implements app.Composer.
func (c *Composer) Render() (ui app.UI) {
	p := c.p
	defer p.Drawing("the composer", &ui)
	running := p.chat.Running()
	stopping := running && allStopping(p.chat.Current)
	stop := "Stop"
	if len(p.chat.Shown().Lanes) > 1 {
		stop = "Stop all"
	}
	stopButton := kit.Button("", kit.At{"id", "stop", "hidden", !running, "disabled", stopping,
		"aria-label", stop, "title", "Stop all answers (Esc)"},
		p.Do("stop", func() { p.chat.Stop(); p.FocusComposer() }),
		kit.Icon(kit.IconStop, "icon small"), kit.Box("span", "wide-only", stop))
	if p.Guest { // an answer from before may still be under way
		return kit.Box("div", "composer", kit.Box("div", "composer-inner", kit.GuestNote(), kit.Box("div", "line", stopButton)))
	}
	gone := p.chat.Current != nil && p.chat.Current.Phase == chat.Missing
	enter := "send"
	if p.DOM.Coarse() {
		enter = "enter" // see kit.DOM.Sends
	}
	return kit.El("form", "composer", kit.At{"aria-label", "Message", "hidden", gone,
		"onsubmit", p.On("submit", func(ctx app.Context, e app.Event) { e.PreventDefault(); c.submit(ctx) })},
		kit.Box("div", "composer-inner",
			c.refusal(),
			kit.BudgetNote(c.Budget),
			kit.El("p", "budget-note", kit.At{"id", "over-context", "role", "status", "hidden", true}),
			kit.Box("div", "composer-box",
				p.attachments(),
				p.Area("composer", "", kit.At{"rows", 1, "placeholder", "Ask something", "aria-label", "Message", "enterkeyhint", enter,
					"onkeydown", p.On("key", c.onKey)}, p.draft(), c.typed),
				kit.Box("div", "composer-bar",
					kit.IconButton("narrow-only", "Add to this message", kit.IconPlus, kit.At{"id", "composer-more", "popovertarget", "composer-tools"},
						p.On("composer-more", c.placeTools)),
					kit.El("div", "composer-tools", kit.At{"id", "composer-tools", "popover", "auto", "role", "group", "aria-label", "Add to this message",
						"onclick", p.On("composer-tools", c.closeTools)}, c.tools()),
					kit.El("span", "composer-note faint figure cut", kit.At{"id", "estimate"}),
					p.ChargeChoice("charge"),
					stopButton,
					kit.Button("primary", kit.At{"id", "send", "type", "submit", "hidden", running,
						"aria-label", "Send", "title", "Send (Enter); Shift+Enter for a new line"},
						nil,
						kit.Icon(kit.IconSend, "icon small"), kit.Box("span", "wide-only", "Send")),
				),
			),
		),
	)
}

// placeTools puts the menu of the tools, which on a phone stands behind one
// button, over the composer.
func (c *Composer) placeTools(ctx app.Context, _ app.Event) {
	ctx.PreventUpdate()
	at := c.p.DOM.Find(".composer-box").Call("getBoundingClientRect")
	c.p.DOM.ByID("composer-tools").Get("style").Set("bottom", strconv.Itoa(js.Global().Get("innerHeight").Int()-at.Get("top").Int()+4)+"px")
}

// closeTools closes it once one was chosen.
func (c *Composer) closeTools(ctx app.Context, e app.Event) {
	ctx.PreventUpdate()
	if e.Get("target").Call("closest", "button").Truthy() && e.Get("currentTarget").Call("matches", ":popover-open").Bool() {
		e.Get("currentTarget").Call("hidePopover")
	}
}

// tools are what goes with a message besides its text. Where there is room they
// stand in the composer, on a phone they are a menu.
func (c *Composer) tools() []app.UI {
	p := c.p
	chip := func(id, label, title string, path kit.IconPath, f func(), more ...any) app.UI {
		return kit.Chip(append(kit.At{"id", id, "title", title}, more...), p.Do(id, f),
			kit.Icon(path, "icon small"), kit.Box("span", "", label))
	}
	fresh := p.chat.Current == nil
	n := 0
	for _, f := range p.chat.Focused().Params().Functions {
		if !f.Off {
			n++
		}
	}
	tools := "Tools"
	if p.chat.Focused().Params().WebSearch && p.chat.Focused().WebSearches() {
		n++
	}
	if n > 0 {
		tools += " · " + strconv.Itoa(n)
	}
	return []app.UI{
		chip("add-lane", "Add a model", "Ask another model at the same time", kit.IconPlus, p.addLane, "disabled", p.chat.Shown().Full() || p.chat.Shown().Hidden()),
		p.imageButton(),
		chip("open-tools", tools, "Functions and web search", kit.IconTool, func() { p.openTools(p.chat.Shown().Focused) }, "hidden", p.chat.Shown().Hidden()),
		chip("add-draft", "Add only", "Add this message without asking a model", kit.IconPencil, p.addDraft,
			"disabled", p.chat.Shown().Blind && len(p.chat.Shown().Lanes) > 1),
		chip("open-library", "Prompts", "Saved prompts and settings", kit.IconBook, func() { p.openLibrary(wire.LibraryPrompt) }),
		chip("blind", "Blind", "Hide model names until you vote", kit.IconEyeOff, func() { p.chat.SetBlind(!p.chat.Shown().Blind) },
			"aria-pressed", p.chat.Shown().Blind, "hidden", !fresh || len(p.chat.Shown().Lanes) < 2),
	}
}

// refusal is why the draft was not sent, with the field that is to blame.
func (c *Composer) refusal() app.UI {
	r := c.p.chat.Shown().Refused()
	if r == nil {
		return kit.El("div", "", kit.At{"id", "refusal", "role", "alert"})
	}
	lines := make([]app.UI, 0, len(r.Issues)+1)
	if r.Many {
		lines = append(lines, kit.Box("p", "todo", c.p.chat.Lane(r.Lane).Name()+", lane "+strconv.Itoa(r.Lane+1)+":"))
	}
	for _, i := range r.Issues {
		lines = append(lines, kit.Box("p", "",
			kit.If(i.Field != "", func() app.UI { return kit.Box("code", "", i.Field+": ") }),
			kit.Box("span", "", i.Message),
			kit.If(i.Hint != "", func() app.UI { return kit.Box("span", "todo", " "+i.Hint) }),
		))
	}
	return kit.Notice(kit.Bad, "refusal", kit.At{"id", "refusal", "role", "alert"}, lines, c.withoutImages(r))
}

func allStopping(c *chat.Conversation) bool {
	for _, l := range c.Lanes {
		if m := c.Message(l.Leaf); m != nil && m.Running() && !m.Stopping() {
			return false
		}
	}
	return true
}

func (c *Composer) onKey(ctx app.Context, e app.Event) {
	ctx.PreventUpdate()
	if c.p.DOM.Sends(e.Value) {
		e.PreventDefault()
		c.submit(ctx)
	}
}

func (c *Composer) submit(ctx app.Context) {
	if e := c.area(); e.Truthy() {
		c.p.send(ctx, e.Get("value").String())
	}
}

// send sends text as the next turn. A turn that is refused is left in the
// composer.
func (p *Page) send(ctx app.Context, text string) {
	if !p.chat.Running() { // else it is told why not, and reads on where it is
		p.threads.stick()
	}
	if c := p.chat.Shown(); !c.Send(text) {
		if c.Draft() != text { // an example
			refusal := c.Refusal
			c.SetDraft(text)
			c.Refusal = refusal
			p.changed(chat.PartComposer)
		}
		p.FocusComposer()
		if c.Refusal.NoModel() { // a gateway that lists none: one is asked for at once
			p.picker.show(c.Focused)
		}
		return
	}
	p.shell.keep("")
	p.Put("composer", "") // at once: the next turn may be begun before the next draw
	p.FocusComposer()
	ctx.Navigate("/c/" + p.chat.Current.ID)
}

// addDraft puts the draft into the history without asking a model.
func (p *Page) addDraft() {
	c := p.chat.Shown()
	if chat.TrimDraft(c.Draft()) == "" {
		p.FocusComposer()
		return
	}
	p.threads.stick()
	c.AddDraft(func(kept bool) {
		if kept && p.chat.Current == c {
			p.Put("composer", c.Draft())
			p.Context().Navigate("/c/" + c.ID)
		}
		p.FocusComposer()
	})
}

// resend sends what has waited, if it is still what the composer has.
func (p *Page) resend(text string) {
	if chat.TrimDraft(p.chat.Shown().Draft()) == chat.TrimDraft(text) {
		p.send(p.Context(), text)
	}
}

// FocusComposer moves the focus back to where one types, but for a person who
// types on the screen: there it would open the keyboard over the page.
func (p *Page) FocusComposer() {
	if !p.picker.open && !p.renaming && !p.DOM.Coarse() {
		p.DOM.Focus("#composer")
	}
}
