//go:build js && wasm

package ui

import (
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
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
	c := p.desk.Current
	known := b.View == string(viewChat) && c != nil && c.Phase == model.Ready
	title := "New conversation"
	switch {
	case b.View == string(viewSettings):
		title = "Settings"
	case b.View == string(viewSection):
		title = b.Section
	case b.View == string(viewNowhere):
		title = "Not found"
	case c != nil && c.Phase == model.Missing:
		title = "Not found"
	case c != nil && c.Summary.Title != "":
		title = c.Summary.Title
	case c != nil:
		title = "Conversation"
	}
	return app.Header().Body(
		app.Div().Class("bar").Body(
			app.Button().ID("menu").Class("icon-button menu").Type("button").
				Aria("label", "Conversations").Aria("expanded", p.drawer).
				OnClick(p.On("menu", func(app.Context, app.Event) { p.setDrawer(true) })).
				Body(kit.Icon(kit.IconMenu, "icon")),
			app.If(b.Renaming && known, func() app.UI {
				return app.Input().ID("rename").Class("field").Type("text").MaxLength(200).
					Aria("label", "Title of this conversation").Attr("autocomplete", "off").
					OnKeyDown(p.On("rename-key", func(_ app.Context, e app.Event) {
						switch key := e.Get("key").String(); {
						case kit.Composing(e.Value):
						case key == "Enter":
							e.PreventDefault()
							p.endRename(e.Get("target").Get("value").String(), true)
						case key == "Escape":
							e.PreventDefault()
							p.endRename("", false)
						}
					})).
					OnBlur(p.On("rename-blur", func(_ app.Context, e app.Event) {
						p.endRename(e.Get("target").Get("value").String(), true)
					}))
			}).Else(func() app.UI {
				return app.H1().ID("title").Class("bar-title").Title(title).Text(title)
			}),
			app.If(known && !b.Renaming, func() app.UI {
				return app.Button().Class("icon-button small wide-only").Type("button").
					Aria("label", "Rename this conversation").Title("Rename").
					OnClick(p.On("rename", func(app.Context, app.Event) { p.beginRename() })).
					Body(kit.Icon(kit.IconPencil, "icon"))
			}),
			app.If(known && !b.Renaming, func() app.UI {
				return app.Button().ID("delete").Class("icon-button small wide-only").Type("button").
					Aria("label", "Delete this conversation").Title("Delete").
					OnClick(p.On("delete", func(app.Context, app.Event) { p.deleteShown() })).
					Body(kit.Icon(kit.IconTrash, "icon"))
			}),
			app.If(known && !b.Renaming, func() app.UI { return b.more(c.Summary) }),
			app.Div().Class("push"),
			b.link(),
			app.If(known && c.Summary.CostNanoUSD > 0, func() app.UI {
				return app.Span().Class("pill wide-only").
					Title("This conversation so far: " + money.NanoUSD(c.Summary.CostNanoUSD).String()).Text(cost(c.Summary))
			}),
			b.gateway(),
			app.If(b.View == string(viewChat), func() app.UI {
				return app.Button().ID("inspector").Class("icon-button").Type("button").
					Aria("label", "Parameters, request and wire").Title("Parameters, request and wire (Ctrl I)").
					Aria("expanded", p.inspector.open).Aria("controls", "drawer").
					OnClick(p.On("inspector", func(app.Context, app.Event) { p.inspector.toggle() })).
					Body(kit.Icon(kit.IconInspect, "icon"))
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
		{"pin", iconPin, pinWord(s.Pinned), func() { p.desk.Pin(s.ID, !s.Pinned) }},
		{"more-rename", kit.IconPencil, "Rename", p.beginRename},
		{"export-markdown", iconExport, "Export as Markdown", func() { p.export(s.ID, ".md") }},
		{"export-json", iconExport, "Export as JSON", func() { p.export(s.ID, ".json") }},
		{"more-search", kit.IconSearch, "Search in it", p.searchHere},
		{"more-delete", kit.IconTrash, "Delete", p.deleteShown},
	}
	return app.Span().Class("more-box").Body(
		app.Button().ID("more-button").Class("icon-button small").Type("button").
			Aria("label", "More for this conversation").Title("More").Attr("popovertarget", "more").
			OnClick(p.On("more", func(ctx app.Context, _ app.Event) {
				ctx.PreventUpdate()
				at := p.DOM.ByID("more-button").Call("getBoundingClientRect")
				style := p.DOM.ByID("more").Get("style")
				style.Set("top", strconv.Itoa(at.Get("bottom").Int()+4)+"px")
				style.Set("left", strconv.Itoa(max(8, min(at.Get("left").Int(), js.Global().Get("innerWidth").Int()-240)))+"px")
			})).
			Body(kit.Icon(iconMore, "icon")),
		app.Div().ID("more").Class("more-menu").Attr("popover", "auto").Role("group").Aria("label", "More for this conversation").Body(
			app.Range(items).Slice(func(i int) app.UI {
				x := items[i]
				return app.Button().ID(x.id).Class("menu-item").Type("button").
					OnClick(p.On(x.name+s.ID, func(app.Context, app.Event) { p.DOM.ByID("more").Call("hidePopover"); x.do() })).
					Body(kit.Icon(x.icon, "icon small"), app.Text(x.name))
			}),
		),
	)
}

// link says what is wrong with the connection, and nothing when all is well.
func (b *Bar) link() app.UI {
	words, tone := "", ""
	switch b.p.desk.Link {
	case session.LinkLost:
		words, tone = "Reconnecting…", "dot live"
	case session.LinkNone:
		words, tone = "Offline", "dot bad"
	}
	return app.Span().ID("link").Class("link-state").Role("status").Body(
		app.If(words != "", func() app.UI { return app.Span().Class(tone) }),
		app.Span().Text(words),
	)
}

func (b *Bar) gateway() app.UI {
	if !b.p.desk.Greeted {
		return app.Span()
	}
	g := b.p.desk.Hello.Gateway
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
	if b.p.desk.Link != session.LinkOpen {
		dot = "dot" // nothing is known of it at the moment
	}
	return app.A().ID("gateway").Class("pill").Href("/settings").Title(g.BaseURL).Body(
		app.Span().Class(dot),
		app.Span().Class(words).Text(name),
		app.Span().Class("sr-only").Text("Gateway settings"),
	)
}

// offer is what concerns the whole page: a newer build, a missing key.
func (b *Bar) offer() app.UI {
	switch d := b.p.desk; {
	case d.Stale():
		return app.Div().ID("update").Class("offer").Role("status").Body(
			app.Span().Text("The server has been updated. This page is still the old one."),
			app.Button().Class("button").Type("button").Text("Reload").
				OnClick(b.p.On("reload", func(ctx app.Context, _ app.Event) { ctx.Reload() })),
		)
	case d.Greeted && !d.Hello.Gateway.Sandbox && !d.Hello.Gateway.HasKey && b.View == string(viewChat):
		return app.Div().Class("offer").Body(
			app.Span().Text("This gateway wants a key before it answers."),
			app.A().Class("button").Href("/settings").Text("Enter the key"),
		)
	case d.Greeted && d.Hello.Gateway.KeyRefused && b.View != string(viewSettings):
		return app.Div().ID("key-refused").Class("offer").Role("status").Body(
			app.Span().Text("The gateway refused the key. Nothing is answered until it takes one."),
			app.A().Class("button").Href("/settings").Text("Enter another key"),
		)
	}
	return app.Div().Hidden(true)
}

// deleteShown deletes the conversation that is shown; it can be undone.
func (p *page) deleteShown() {
	p.desk.Delete(p.desk.Current.ID)
	p.Context().Navigate("/")
}

func (p *page) beginRename() {
	p.renaming = true
	title := p.desk.Current.Summary.Title
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
	if c := p.desk.Current; take && c != nil && title != "" && title != c.Summary.Title {
		p.desk.Rename(c.ID, title)
	}
	p.changed(model.PartBar)
	p.focusComposer()
}
