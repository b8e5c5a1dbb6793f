//go:build js && wasm

package ui

import (
	"net/url"
	"strconv"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/chat"
	"screentest/app/ui/kit"
)

// Run shows the page. It does not return.
func Run() {
	shell := func() app.Composer { return &Shell{} }
	app.Route("/", shell)
	app.Route("/settings", shell)
	app.RouteWithRegexp("^/", shell)
	app.RunWhenOnBrowser()
}

// Shell is the whole page on every path: go-app keeps the one that is there
// when the path changes, and the socket with it.
type Shell struct {
	app.Compo
	p *page
}

// OnInit implements app.Initializer.
func (s *Shell) OnInit() {
	s.p = newPage()
	s.p.carry()
	s.p.applyTheme()
}

// OnMount implements app.Mounter.
func (s *Shell) OnMount(ctx app.Context) {
	defer s.p.Guard("the start")
	s.p.start(ctx)
	s.p.changed(chat.PartAll)
}

// OnNav implements app.Navigator: it follows the address, which is also how
// back and forward get here.
func (s *Shell) OnNav(ctx app.Context) {
	p := s.p
	defer p.Guard("the navigation")
	p.Bind(ctx)
	at := ctx.Page().URL()
	path := strings.TrimSuffix(at.Path, "/")
	id, isConversation := strings.CutPrefix(path, "/c/")
	p.renaming = false
	left, shown := p.view, p.section
	p.section = nil
	p.goal, p.goneTo = at.Query().Get("m"), ""
	switch {
	case path == "":
		p.view = viewChat
		p.chat.Show("")
	case isConversation && id != "" && !strings.Contains(id, "/"):
		p.view = viewChat
		if id, err := url.PathUnescape(id); err == nil && (p.chat.Current == nil || p.chat.Current.ID != id) {
			p.chat.Show(id)
		}
	case path == "/settings":
		p.view = viewSettings
	default:
		p.view = viewNowhere
		for _, s := range p.sections {
			if s.Go(at) {
				p.view, p.section = viewSection, s
				break
			}
		}
	}
	if typed := p.carried; typed != "" && p.view == viewChat {
		p.carried = "" // only now is it known which conversation it is for
		p.chat.Shown().SetDraft(chat.Carry(p.chat.Shown().Draft(), typed))
		if p.composer != nil {
			p.composer.load()
		}
	}
	if l, ok := shown.(kit.Leaver); ok && p.section != shown {
		l.Leave()
	}
	switch id := p.shownID(); {
	case id != p.threads.of:
		p.threads.begin(id)
		p.searchElsewhere()
	case left == viewChat && p.view != viewChat:
		p.threads.keep()
	case !p.linked && left != viewChat && p.view == viewChat && p.goal == p.sought:
		p.goal, p.goneTo = "", p.goal // back at the place that was kept
	}
	p.linked = false
	p.setDrawer(false)
	p.changed(chat.PartAll)
	if p.view == viewChat {
		leafing, seeking := p.leafing, p.goal != ""
		p.leafing = false
		ctx.Defer(func(app.Context) {
			switch {
			case leafing:
				p.DOM.Focus("#thread")
			case !seeking: // who looks for something reads on there
				p.focusComposer()
			}
		})
	}
}

// Render implements app.Composer.
func (s *Shell) Render() (ui app.UI) {
	p := s.p
	defer p.Drawing("the page", &ui)
	drawer := ""
	if p.drawer {
		drawer = "open"
	}
	section := ""
	if p.view == viewSection {
		section = p.section.Title()
	}
	conversation := p.shownID()
	return kit.El("div", "app", kit.At{"id", "app", "data-view", p.view, "data-drawer", drawer},
		kit.El("nav", "rail", kit.At{"aria-label", "Main"},
			kit.El("a", "mark", kit.At{"href", "/", "aria-label", "Screentest: new conversation"},
				kit.El("img", "", kit.At{"src", "/web/icon.svg", "alt", "Screentest"}),
			),
			kit.Box("div", "rail-items", p.railItems()),
		),
		&Side{p: p, Rev: p.rev.list, Conversation: conversation, View: string(p.view), Marks: p.marks()},
		kit.El("div", "scrim", kit.At{"onclick", p.Do("scrim", func() { p.setDrawer(false) })}),
		kit.El("main", "main", kit.At{"id", "main"},
			&Bar{p: p, Rev: p.rev.bar, View: string(p.view), Section: section, Renaming: p.renaming},
			p.content(conversation),
		),
		&Toast{p: p, Rev: p.rev.notice},
		kit.Box("div", "overlays", p.overlays()),
		&Picker{p: p, Rev: p.rev.lanes, Open: p.picker.open, Query: p.picker.query, Active: p.picker.active},
		&Tools{p: p, Rev: p.rev.lanes, Open: p.tools.open, Lane: p.tools.lane, At: p.tools.at},
		&Library{p: p, Rev: p.rev.library, Open: p.library.open, Kind: p.library.kind, Filling: p.library.filling, Problem: p.library.problem},
		&Palette{p: p, Rev: p.palette.rev},
		&Keys{p: p},
		p.importField(),
		kit.El("div", "sr-only", kit.At{"id", "say", "role", "status", "aria-live", "polite"}),
	)
}

// shownID is the conversation that is shown, or would be by Chat; "" is one that
// has yet to be begun.
func (p *page) shownID() string {
	if p.chat.Current == nil {
		return ""
	}
	return p.chat.Current.ID
}

// overlays are what the sections show over every page.
func (p *page) overlays() (list []app.UI) {
	for _, s := range p.sections {
		if o, ok := s.(kit.Overlaid); ok {
			list = append(list, o.Overlay())
		}
	}
	return list
}

// railItems lead to the parts of the program.
func (p *page) railItems() []app.UI {
	items := []app.UI{railItem(kit.Item{Path: p.chatPath(), Name: "Chat", Icon: kit.IconChat}, p.view == viewChat)}
	for _, s := range p.sections {
		items = append(items, railItem(s.Item(), p.section == s))
	}
	return append(items, railItem(kit.Item{Path: "/settings", Name: "Settings", Icon: kit.IconSettings}, p.view == viewSettings))
}

// marks are what the items of the rail are marked with.
func (p *page) marks() (all string) {
	for _, s := range p.sections {
		i := s.Item()
		all += strconv.Itoa(i.Count) + " " + i.Mark + ","
	}
	return all
}

// content is what stands under the bar.
func (p *page) content(conversation string) app.UI {
	switch p.view {
	case viewChat:
		return kit.Box("div", "work",
			kit.Box("div", "desk",
				p.lanes(conversation),
				&Composer{p: p, Rev: p.rev.composer, Conversation: conversation, Budget: p.Budget},
			),
			p.drawerUI(),
		)
	case viewSettings:
		return &Settings{p: p, Rev: p.rev.settings, Sections: p.rev.sections}
	case viewSection:
		return p.section.Render()
	}
	return kit.Box("div", "middle",
		kit.Box("p", "", "There is nothing at this address."),
		kit.El("a", "button primary", kit.At{"href", "/"}, "New conversation"),
	)
}

func railItem(i kit.Item, current bool) app.UI {
	return kit.El("a", "rail-item", kit.At{"href", i.Path, "aria-current", kit.When(current, "page")},
		kit.Icon(i.Icon, "icon"),
		kit.Box("span", "", i.Name),
		kit.If(i.Mark != "", func() app.UI {
			return kit.El("span", "rail-mark", kit.At{"title", i.Why}, i.Mark)
		}),
		kit.If(i.Mark == "" && i.Count > 0, func() app.UI { return kit.Box("span", "rail-count", i.Count) }),
	)
}

// carry keeps what was typed into the page's shell before the program came.
func (p *page) carry() {
	if e := p.DOM.ByID("composer"); e.Truthy() && e.Get("value").Type() == js.TypeString {
		p.carried = e.Get("value").String()
	}
}

// themeName holds, in the browser's store, "dark" or "light"; without it the
// system decides.
const themeName = "screentest.theme"

// theme is "dark", "light" or, for the system's, "".
func (p *page) theme() string { return p.storage.Get(themeName) }

// setTheme stores the person's choice; "" leaves it to the system.
func (p *page) setTheme(theme string) {
	if theme == "" {
		p.storage.Remove(themeName)
	} else {
		p.storage.Set(themeName, theme)
	}
	p.applyTheme()
	p.rev.settings++
	p.Redraw()
}

// applyTheme sets the theme that the person chose.
func (p *page) applyTheme() {
	root := p.DOM.Doc.Get("documentElement")
	if t := p.theme(); t == "dark" || t == "light" {
		root.Get("dataset").Set("theme", t)
	} else {
		root.Call("removeAttribute", "data-theme")
	}
}

// chatPath is where Chat leads: back to the conversation from elsewhere, to a
// new one from a conversation.
func (p *page) chatPath() string {
	if c := p.chat.Current; c != nil && p.view != viewChat {
		return "/c/" + c.ID
	}
	return "/"
}
