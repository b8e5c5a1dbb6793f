//go:build js && wasm

package ui

import (
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
)

// command is something that can be done by a key, and from the palette.
type command struct {
	name string
	keys string // "n", "Shift G"; "" where there are none
	when func() bool
	do   func()
}

// commands are those of the whole page, in the order in which the palette and
// the list of keys have them. A single key works outside of fields only.
func (p *page) commands() []command {
	always := func() bool { return true }
	inChat := func() bool { return p.view == viewChat }
	named := func() bool { return inChat() && !p.chat.Shown().Hidden() }
	open := func() bool {
		return p.view == viewChat && p.chat.Current != nil && p.chat.Current.Phase == chat.Ready
	}
	running := func() bool { return inChat() && p.chat.Running() }
	retry := func() bool {
		return open() && !p.chat.Focused().Running() && p.lastAnswer() != ""
	}
	go_ := func(path string) func() { return func() { p.Context().Navigate(path) } }
	return []command{
		{"New conversation", "n", always, func() { p.Context().Navigate("/"); p.focusComposer() }},
		{"Search everything", "/", always, p.focusSearch},
		{"Search in this conversation", "f", open, p.searchHere},
		{"Write a message", "c", inChat, func() { p.DOM.Focus("#composer") }},
		{"Choose the model", "m", named, func() { p.openPicker(p.chat.Shown().Focused) }},
		{"Compare with another model", "l", func() bool { return named() && !p.chat.Shown().Full() }, p.addLane},
		{"Stop the answers", "", running, func() { p.chat.Stop(); p.focusComposer() }},
		{"Retry the last answer", "", retry, func() { p.threads.stick(); p.chat.Focused().Retry(p.lastAnswer()) }},
		{"Blind comparison, on or off", "", func() bool { return named() && p.chat.Current == nil && len(p.chat.Shown().Lanes) > 1 },
			func() { p.chat.SetBlind(!p.chat.Shown().Blind) }},
		{"Tools: functions and web search", "", named, func() { p.openTools(p.chat.Shown().Focused) }},
		{"Write the system prompt", "", named, p.writeSystem},
		{"Saved prompts and settings", "", inChat, p.openLibrary},
		{"Make a video", "v", always, go_("/video")},
		{"Show or hide the drawer", "i", inChat, p.inspector.toggle},
		{"Show the parameters", "", inChat, func() { p.inspector.choose(tabParams); p.inspector.setOpen(true) }},
		{"Show the request", "", inChat, func() { p.inspector.choose(tabRequest); p.inspector.setOpen(true) }},
		{"Show the wire", "", inChat, func() { p.inspector.choose(tabWire); p.inspector.setOpen(true) }},
		{"Next conversation", "j", always, func() { p.toNeighbour(1) }},
		{"Previous conversation", "k", always, func() { p.toNeighbour(-1) }},
		{"Go to the first message", "g", open, func() { p.toFirst() }},
		{"Go to the latest message", "Shift G", open, func() { p.threads.toEnd() }},
		{"Pin or unpin this conversation", "p", open, func() { p.chat.List.Pin(p.chat.Current.ID, !p.chat.Current.Summary.Pinned) }},
		{"Rename this conversation", "r", open, func() { p.beginRename(); p.changed(chat.PartBar) }},
		{"Delete this conversation", "", open, p.deleteShown},
		{"Export this conversation as Markdown", "", open, func() { p.export(p.chat.Current.ID, ".md") }},
		{"Export this conversation as JSON", "", open, func() { p.export(p.chat.Current.ID, ".json") }},
		{"Export everything", "", always, p.exportAll},
		{"Import conversations", "", always, p.chooseImport},
		{"Use the dark theme", "", always, func() { p.setTheme("dark") }},
		{"Use the light theme", "", always, func() { p.setTheme("light") }},
		{"Use the system's theme", "", always, func() { p.setTheme("") }},
		{"Settings", "s", always, go_("/settings")},
		{"List the keys", "?", always, p.openKeys},
	}
}

// fixedKeys are those that work where they are written about, which no command
// has.
var fixedKeys = [][2]string{
	{"Ctrl K", "Find anything: commands, conversations, models, messages"},
	{"Ctrl I", "Show or hide the drawer, while typing too"},
	{"Enter or Ctrl Enter", "Send: a message, an edited one, a prompt with its variables"},
	{"Shift Enter", "A new line there"},
	{"Ctrl Enter", "Send from where one writes JSON, and make the clip on the video desk"},
	{"Esc", "Stop the answers, or close what is open"},
}

// onKey takes the keys that work anywhere on the page.
func (p *page) onKey(ev js.Value) {
	key := ev.Get("key").String()
	modified := ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool()
	switch {
	case ev.Get("defaultPrevented").Bool() || kit.Composing(ev):
	case modified && !ev.Get("altKey").Bool() && !ev.Get("shiftKey").Bool() && strings.EqualFold(key, "k"):
		ev.Call("preventDefault")
		p.togglePalette()
	case key == "Escape":
		p.onEscape()
	case !modified && !ev.Get("altKey").Bool() && len(key) == 1 && !typing(ev.Get("target")) && !p.modal():
		if ev.Get("shiftKey").Bool() && key >= "A" && key <= "Z" {
			key = "Shift " + key
		}
		for _, c := range p.commands() {
			if c.keys == key && c.when() {
				ev.Call("preventDefault")
				c.do()
				return
			}
		}
	}
}

func (p *page) onEscape() {
	switch {
	case p.picker.open || p.modal() || p.DOM.Find(":popover-open").Truthy(): // closes itself
	case p.drawer:
		p.setDrawer(false)
	case p.renaming:
		p.endRename("", false)
	case p.view == viewChat && p.inspector.open && p.inspector.narrow():
		p.inspector.setOpen(false)
	case p.view == viewChat && p.chat.Running():
		p.chat.Stop()
	}
}

// modal says that a dialog is open above the page.
func (p *page) modal() bool { return p.DOM.Find("dialog[open]").Truthy() }

// typing says that a key is meant for a field.
func typing(target js.Value) bool {
	if target.Get("matches").IsUndefined() {
		return false
	}
	return target.Get("isContentEditable").Truthy() ||
		target.Call("matches", "textarea, select, input:not([type=checkbox]):not([type=radio]):not([type=button]):not([type=range])").Bool()
}

func (p *page) toNeighbour(by int) {
	if id := p.chat.List.Neighbour(by); id != "" {
		p.leafing = true // the keys stay outside of the composer
		p.Context().Navigate("/c/" + id)
	}
}

// lastAnswer is the id of the answer at the end of the focused lane, "" if none.
func (p *page) lastAnswer() string {
	if path := p.chat.Focused().Path(); len(path) > 0 && path[len(path)-1].Role == "assistant" {
		return path[len(path)-1].ID
	}
	return ""
}

// writeSystem leads to the lane's system prompt.
func (p *page) writeSystem() {
	p.inspector.choose(tabParams)
	p.inspector.setOpen(true)
	p.Context().Defer(func(app.Context) { p.After(0, func() { p.DOM.Focus("#param-system") }) })
}

// toFirst goes to the beginning of each lane.
func (p *page) toFirst() {
	for i := range p.chat.Current.Lanes {
		if path := p.chat.Current.Lane(i).Path(); len(path) > 0 {
			p.threads.at(i).toMessage(path[0].ID, false)
		}
	}
	p.DOM.Focus("#thread")
}

// Keys is the dialog that lists the keys.
type Keys struct {
	app.Compo
	p *page
}

func (p *page) openKeys() {
	if d := p.DOM.ByID("keys"); d.Truthy() && !d.Get("open").Bool() {
		d.Call("showModal")
	}
}

// Render implements app.Composer.
func (k *Keys) Render() (ui app.UI) {
	p := k.p
	defer p.Drawing("the list of keys", &ui)
	var rows []app.UI
	row := func(keys, name string) {
		rows = append(rows, kit.Box("div", "keys-row",
			kit.Box("dt", "", keycaps(keys)),
			kit.Box("dd", "", name),
		))
	}
	for _, f := range fixedKeys {
		row(f[0], f[1])
	}
	for _, c := range p.commands() {
		if c.keys != "" {
			row(c.keys, c.name)
		}
	}
	lists := []app.UI{kit.Box("dl", "keys-list", rows)}
	for _, s := range p.sections {
		k, ok := s.(kit.Keyed)
		if !ok {
			continue
		}
		rows = nil
		for _, x := range k.Keys() {
			row(x.Keys, x.Name)
		}
		lists = append(lists, kit.Box("h3", "", s.Item().Name), kit.Box("dl", "keys-list", rows))
	}
	closeIt := func(app.Context, app.Event) { p.DOM.ByID("keys").Call("close") }
	return kit.El("dialog", "sheet", kit.At{"id", "keys", "aria-labelledby", "keys-title",
		"onclick", p.On("keys-backdrop", func(ctx app.Context, e app.Event) {
			ctx.PreventUpdate()
			if e.Get("target").Get("id").String() == "keys" {
				closeIt(ctx, e)
			}
		})},
		kit.Box("div", "sheet-inner",
			kit.Box("div", "sheet-head",
				kit.El("h2", "", kit.At{"id", "keys-title"}, "Keys"),
				kit.El("button", "icon-button", kit.At{"type", "button", "aria-label", "Close", "autofocus", "",
					"onclick", p.On("keys-close", closeIt)}, kit.Icon(iconShut, "icon")),
			),
			kit.Box("p", "about", "Single keys work while no field has the focus."),
			kit.Box("div", "keys-lists", lists),
		))
}

// keycaps draws "Ctrl K" as two keys; "or" and "to" stay words.
func keycaps(keys string) []app.UI {
	var out []app.UI
	for _, k := range strings.Fields(keys) {
		if k == "or" || k == "to" {
			out = append(out, kit.Box("span", "", " "+k+" "))
			continue
		}
		out = append(out, kit.Box("kbd", "", k))
	}
	return out
}
