//go:build js && wasm

package ui

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/session"
	"screentest/app/ui/kit"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Bar is the top of the main part: the title, the connection, the gateway.
type Bar struct {
	app.Compo
	p        *page
	Rev      int
	View     string
	Section  string // its title, where one is shown
	Renaming bool
}

// Render implements app.Composer.
func (b *Bar) Render() (ui app.UI) {
	p := b.p
	defer p.Drawing("the bar", &ui)
	c := p.chat.Current
	known := b.View == string(viewChat) && c != nil && c.Phase == chat.Ready
	title := "New conversation"
	switch {
	case b.View == string(viewSettings):
		title = "Settings"
	case b.View == string(viewSection):
		title = b.Section
	case b.View == string(viewNowhere):
		title = "Not found"
	case c != nil && c.Phase == chat.Missing:
		title = "Not found"
	case c != nil && c.Summary.Title != "":
		title = c.Summary.Title
	case c != nil:
		title = "Conversation"
	}
	return kit.Box("header", "",
		kit.Box("div", "bar",
			kit.El("button", "icon-button menu", kit.At{"id", "menu", "type", "button",
				"aria-label", "Conversations", "aria-expanded", p.drawer,
				"onclick", p.Do("menu", func() { p.setDrawer(true) })},
				kit.Icon(kit.IconMenu, "icon")),
			kit.Either(b.Renaming && known, func() app.UI {
				return kit.El("input", "field", kit.At{"id", "rename", "type", "text", "maxlength", 200,
					"aria-label", "Title of this conversation", "autocomplete", "off",
					"onkeydown", p.On("rename-key", func(_ app.Context, e app.Event) {
						switch key := e.Get("key").String(); {
						case kit.Composing(e.Value):
						case key == "Enter":
							e.PreventDefault()
							p.endRename(e.Get("target").Get("value").String(), true)
						case key == "Escape":
							e.PreventDefault()
							p.endRename("", false)
						}
					}),
					"onblur", p.On("rename-blur", func(_ app.Context, e app.Event) {
						p.endRename(e.Get("target").Get("value").String(), true)
					})})
			}, func() app.UI {
				return kit.El("h1", "bar-title", kit.At{"id", "title", "title", title}, title)
			}),
			kit.If(known && !b.Renaming, func() app.UI {
				return kit.El("button", "icon-button small wide-only", kit.At{"type", "button",
					"aria-label", "Rename this conversation", "title", "Rename",
					"onclick", p.Do("rename", func() { p.beginRename() })},
					kit.Icon(kit.IconPencil, "icon"))
			}),
			kit.If(known && !b.Renaming, func() app.UI {
				return kit.El("button", "icon-button small wide-only", kit.At{"id", "delete", "type", "button",
					"aria-label", "Delete this conversation", "title", "Delete",
					"onclick", p.Do("delete", func() { p.deleteShown() })},
					kit.Icon(kit.IconTrash, "icon"))
			}),
			kit.If(known && !b.Renaming, func() app.UI { return b.more(c.Summary) }),
			kit.Box("div", "push"),
			b.link(),
			kit.If(known && c.Summary.CostNanoUSD > 0, func() app.UI {
				return kit.El("span", "pill wide-only", kit.At{"title", "This conversation so far: " + money.NanoUSD(c.Summary.CostNanoUSD).String()}, cost(c.Summary))
			}),
			b.gateway(),
			kit.If(b.View == string(viewChat), func() app.UI {
				return kit.El("button", "icon-button", kit.At{"id", "inspector", "type", "button",
					"aria-label", "Parameters, request and wire", "title", "Parameters, request and wire (Ctrl I)",
					"aria-expanded", p.inspector.open, "aria-controls", "drawer",
					"onclick", p.Do("inspector", func() { p.inspector.toggle() })},
					kit.Icon(kit.IconInspect, "icon"))
			}),
		),
		b.offer(),
	)
}

// more is what else can be done with the conversation.
func (b *Bar) more(s wire.Summary) app.UI {
	p := b.p
	items := []struct {
		id   string
		icon kit.IconPath
		name string
		do   func()
	}{
		{"pin", iconPin, pinWord(s.Pinned), func() { p.chat.List.Pin(s.ID, !s.Pinned) }},
		{"more-rename", kit.IconPencil, "Rename", p.beginRename},
		{"export-markdown", iconExport, "Export as Markdown", func() { p.export(s.ID, ".md") }},
		{"export-json", iconExport, "Export as JSON", func() { p.export(s.ID, ".json") }},
		{"more-search", kit.IconSearch, "Search in it", p.searchHere},
		{"more-delete", kit.IconTrash, "Delete", p.deleteShown},
	}
	return kit.Box("span", "more-box",
		kit.El("button", "icon-button small", kit.At{"id", "more-button", "type", "button",
			"aria-label", "More for this conversation", "title", "More", "popovertarget", "more",
			"onclick", p.On("more", func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				at := p.DOM.ByID("more-button").Call("getBoundingClientRect")
				style := p.DOM.ByID("more").Get("style")
				style.Set("top", strconv.Itoa(at.Get("bottom").Int()+4)+"px")
				style.Set("left", strconv.Itoa(max(8, min(at.Get("left").Int(), js.Global().Get("innerWidth").Int()-240)))+"px")
			})},
			kit.Icon(iconMore, "icon")),
		kit.El("div", "more-menu", kit.At{"id", "more", "popover", "auto", "role", "group", "aria-label", "More for this conversation"},
			kit.Times(len(items), func(i int) app.UI {
				x := items[i]
				return kit.El("button", "menu-item", kit.At{"id", x.id, "type", "button",
					"onclick", p.Do(x.name+s.ID, func() { p.DOM.ByID("more").Call("hidePopover"); x.do() })},
					kit.Icon(x.icon, "icon small"), x.name)
			}),
		),
	)
}

// link says what is wrong with the connection, and nothing when all is well.
func (b *Bar) link() app.UI {
	words, tone := "", ""
	switch b.p.session.Link {
	case session.LinkLost:
		words, tone = "Reconnecting…", "dot live"
	case session.LinkNone:
		words, tone = "Offline", "dot bad"
	}
	return kit.El("span", "link-state", kit.At{"id", "link", "role", "status"},
		kit.If(words != "", func() app.UI { return kit.Box("span", tone) }),
		kit.Box("span", "", words),
	)
}

func (b *Bar) gateway() app.UI {
	if !b.p.session.Greeted {
		return kit.Box("span", "")
	}
	g := b.p.session.Hello.Gateway
	name, dot, words := g.BaseURL, "dot good", "wide-only"
	_, name, _ = strings.Cut(name, "://")
	name, _, _ = strings.Cut(name, "/")
	switch {
	case g.Sandbox:
		name = "Sandbox gateway"
	case !g.HasKey:
		dot = "dot live"
	case g.KeyRefused:
		name, dot, words = "Key refused", "dot bad", "key-refused"
	}
	if b.p.session.Link != session.LinkOpen {
		dot = "dot" // nothing is known of it at the moment
	}
	return kit.El("a", "pill", kit.At{"id", "gateway", "href", "/settings", "title", g.BaseURL},
		kit.Box("span", dot),
		kit.Box("span", words, name),
		kit.Box("span", "sr-only", "Gateway settings"),
	)
}

// offer is what concerns the whole page: a newer build, a missing key.
func (b *Bar) offer() app.UI {
	switch d := b.p.session; {
	case d.Stale():
		return kit.El("div", "offer", kit.At{"id", "update", "role", "status"},
			kit.Box("span", "", "The server has been updated. This page is still the old one."),
			kit.El("button", "button", kit.At{"type", "button",
				"onclick", b.p.On("reload", func(ctx app.Context, _ app.Event) { ctx.Reload() })}, "Reload"),
		)
	case d.Greeted && !d.Hello.Gateway.Sandbox && !d.Hello.Gateway.HasKey && b.View == string(viewChat):
		return kit.Box("div", "offer",
			kit.Box("span", "", "This gateway wants a key before it answers."),
			kit.El("a", "button", kit.At{"href", "/settings"}, "Enter the key"),
		)
	case d.Greeted && d.Hello.Gateway.KeyRefused && b.View != string(viewSettings):
		return kit.El("div", "offer", kit.At{"id", "key-refused", "role", "status"},
			kit.Box("span", "", "The gateway refused the key. Nothing is answered until it takes one."),
			kit.El("a", "button", kit.At{"href", "/settings"}, "Enter another key"),
		)
	}
	return kit.El("div", "", kit.At{"hidden", true})
}

// deleteShown deletes the conversation that is shown; it can be undone.
func (p *page) deleteShown() {
	p.chat.List.Delete(p.chat.Current.ID)
	p.Context().Navigate("/")
}

func (p *page) beginRename() {
	p.renaming = true
	title := p.chat.Current.Summary.Title
	p.Context().Defer(func(app.Context) {
		if e := p.DOM.ByID("rename"); e.Truthy() {
			e.Set("value", title)
			e.Call("focus")
			e.Call("select")
		}
	})
}

// endRename takes the title, or leaves it as it was.
func (p *page) endRename(title string, take bool) {
	if !p.renaming {
		return
	}
	p.renaming = false
	title = strings.Join(strings.Fields(title), " ")
	if c := p.chat.Current; take && c != nil && title != "" && title != c.Summary.Title {
		p.chat.List.Rename(c.ID, title)
	}
	p.changed(chat.PartBar)
	p.focusComposer()
}
