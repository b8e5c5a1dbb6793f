//go:build js && wasm

package shell

import (
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/ui/kit"
	"screentest/app/ui/settings"
	"screentest/app/ui/video"
)

// commands are those of the whole program, in the order in which the palette and
// the list of keys have them. A single key works outside of fields only.
func (p *page) commands() []kit.Command {
	always := func() bool { return true }
	var list []kit.Command
	for _, s := range p.sections {
		if c, ok := s.(kit.Commanding); ok {
			list = append(list, c.Commands()...)
		}
	}
	if p.account != nil {
		list = append(list, p.account.commands()...)
	}
	return append(list,
		kit.Command{Name: "Make a video", Keys: "v", When: always, Do: func() { p.Context().Navigate(video.Path) }},
		kit.Command{Name: "Settings", Keys: "s", When: always, Do: func() { p.Context().Navigate(settings.Path) }},
		kit.Command{Name: "List the keys", Keys: "?", When: always, Do: p.openKeys},
	)
}

// shownCommands are those of the section that is shown: their keys go before
// those of others.
func (p *page) shownCommands() []kit.Command {
	if c, ok := p.section.(kit.Commanding); ok {
		return c.Commands()
	}
	return nil
}

// fixedKeys are those that work where they are written about, which no command
// has.
var fixedKeys = [][2]string{
	{"Ctrl K", "Find anything: commands, conversations, models, messages"},
	{"Ctrl I", "Show or hide the drawer, even while typing"},
	{"Enter or Ctrl Enter", "Send a message, an edit or a prompt with variables"},
	{"Shift Enter", "New line"},
	{"Ctrl Enter", "Send while editing JSON; create the clip on the Video page"},
	{"Esc", "Stop answers, or close what’s open"},
}

// onKey takes the keys that work anywhere on the page.
func (p *page) onKey(ev js.Value) {
	key := ev.Get("key").String()
	modified := ev.Get("ctrlKey").Bool() || ev.Get("metaKey").Bool()
	switch {
	case ev.Get("defaultPrevented").Bool() || kit.Composing(ev):
	case p.account != nil && p.account.again.Open: // first that: the rest stays as it is
	case modified && !ev.Get("altKey").Bool() && !ev.Get("shiftKey").Bool() && strings.EqualFold(key, "k"):
		ev.Call("preventDefault")
		p.togglePalette()
	case key == "Escape":
		p.onEscape()
	case !modified && !ev.Get("altKey").Bool() && len(key) == 1 && !typing(ev.Get("target")) && !p.Modal():
		if ev.Get("shiftKey").Bool() && key >= "A" && key <= "Z" {
			key = "Shift " + key
		}
		for _, c := range append(p.shownCommands(), p.commands()...) {
			if c.Keys == key && c.When() {
				ev.Call("preventDefault")
				c.Do()
				return
			}
		}
	}
}

func (p *page) onEscape() {
	if p.Modal() || p.DOM.Find(":popover-open").Truthy() {
		return // it closes itself
	}
	if p.listOpen {
		p.showList(false)
	} else if s, ok := p.section.(kit.Escaping); ok {
		s.Escape()
	}
}

// typing says that a key is meant for a field.
func typing(target js.Value) bool {
	if target.Get("matches").IsUndefined() {
		return false
	}
	return target.Get("isContentEditable").Truthy() ||
		target.Call("matches", "textarea, select, input:not([type=checkbox]):not([type=radio]):not([type=button]):not([type=range])").Bool()
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
		if c.Keys != "" {
			row(c.Keys, c.Name)
		}
	}
	lists := []app.UI{kit.Box("dl", "", rows)}
	for _, s := range p.sections {
		k, ok := s.(kit.Keyed)
		if !ok {
			continue
		}
		rows = nil
		for _, x := range k.Keys() {
			row(x.Keys, x.Name)
		}
		lists = append(lists, kit.Box("h3", "", s.Item().Name), kit.Box("dl", "", rows))
	}
	shut := func() { p.DOM.ByID("keys").Call("close") }
	return p.Dialog("keys", "Keys", kit.At{"onclick", p.OnBackdrop("keys", shut)}, shut, shut,
		kit.El("div", "dialog-body", kit.At{"tabindex", 0, "role", "region", "aria-label", "The keys"}, // it scrolls, and has nothing else to tab to
			kit.Box("p", "soft", "Single keys work when no field is focused."),
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
