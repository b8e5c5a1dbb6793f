//go:build js && wasm

// Package shell is the page around its sections: the rail, the bar, the palette,
// the keys, the notices, and the connection to the server.
//
// [Run] is all that main needs. The Shell is one component on every path: it asks
// its sections (kit.Section: the chat, video, spend, the settings) whose address
// it is, draws that one, and hands all news of the server to all of them.
//
// Everything runs on go-app's UI goroutine: events of the socket, of timers and of
// the DOM get there by kit's Host.Post. A panic on it would end the program, so
// each way in is guarded (see kit/guard.go). Whatever changes says so by
// Host.Redraw.
package shell

import (
	"encoding/json"
	"strconv"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	entry "screentest/app/door"
	"screentest/app/ui/door"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Run shows the page. It does not return.
func Run() {
	shell := func() app.Composer { return &Shell{} }
	app.Route("/", shell)
	app.Route("/settings", shell)
	if kit.HasAccounts() {
		for _, path := range entry.Paths {
			app.Route(path, func() app.Composer { return &door.Entry{} })
		}
	}
	app.RouteWithRegexp("^/", shell)
	leaveToTheServer(wire.SharePath)
	app.RunWhenOnBrowser()
}

// leaveToTheServer has go-app leave this document for addresses below a path: the
// server writes those pages. It asks for such addresses by a name of its own.
func leaveToTheServer(path string) {
	const internal = "GOAPP_INTERNAL_URLS"
	at := js.Global().Get("location")
	host := "//" + at.Get("host").String() + path
	below, _ := json.Marshal([]string{at.Get("protocol").String() + host, host}) // of a link, of Navigate
	getenv := js.Global().Get("goappGetenv")
	js.Global().Set("goappGetenv", js.FuncOf(func(_ js.Value, args []js.Value) any {
		if args[0].String() == internal {
			return string(below)
		}
		return getenv.Invoke(args[0])
	}))
}

// Shell is the whole page on every path: go-app keeps the one that is there
// when the path changes, and the socket with it.
type Shell struct {
	app.Compo
	p *page
}

// OnInit implements app.Initializer.
func (s *Shell) OnInit() { s.p = newPage() }

// OnMount implements app.Mounter.
func (s *Shell) OnMount(ctx app.Context) {
	defer s.p.Guard("the start")
	s.p.start(ctx)
	s.p.changed()
}

// OnNav implements app.Navigator: it follows the address, which is also how
// back and forward get here.
func (s *Shell) OnNav(ctx app.Context) {
	p := s.p
	defer p.Guard("the navigation")
	p.Bind(ctx)
	at := ctx.Page().URL()
	left := p.section
	p.section = nil
	for _, s := range p.sections {
		if s.Go(at) {
			p.section = s
			break
		}
	}
	if l, ok := left.(kit.Leaver); ok && p.section != left {
		l.Leave()
	}
	p.showList(false)
	p.changed()
}

// Render implements app.Composer.
func (s *Shell) Render() (ui app.UI) {
	p := s.p
	defer p.Drawing("the page", &ui)
	return kit.El("div", "app", kit.At{"id", "app", "data-view", p.view(), "data-list", kit.When(p.listOpen, "open")},
		kit.El("nav", "rail", kit.At{"aria-label", "Main"},
			kit.El("a", "mark", kit.At{"href", "/", "aria-label", "Screentest: new conversation"},
				kit.El("img", "", kit.At{"src", "/web/icon.svg", "alt", "Screentest"}),
			),
			kit.Box("div", "rail-items", p.railItems()),
		),
		p.chat.Side(p.marks()),
		kit.El("div", "scrim", kit.At{"onclick", p.Do("scrim", func() { p.showList(false) })}),
		kit.El("main", "main", kit.At{"id", "main"}, p.bar(), p.content()),
		&Notices{p: p, Rev: p.Draws()},
		kit.Box("div", "overlays", p.overlays()),
		p.dialogs(),
		&Palette{p: p, Rev: p.palette.rev},
		&Keys{p: p},
		kit.El("div", "sr-only", kit.At{"id", "say", "role", "status", "aria-live", "polite"}),
	)
}

// view is what the style sheets know of the section that is shown: beside the
// chat stands its list.
func (p *page) view() string {
	switch p.section {
	case nil:
		return "nowhere"
	case p.chat:
		return "chat"
	case p.settings:
		return "settings"
	}
	return "section"
}

// content is what stands under the bar.
func (p *page) content() app.UI {
	if p.section != nil {
		return p.section.Render()
	}
	return kit.Empty("page",
		kit.Box("p", "", "There’s nothing at this address."),
		kit.El("a", "button primary", kit.At{"href", "/"}, "New conversation"),
	)
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

func (p *page) dialogs() (list []app.UI) {
	if p.account != nil {
		list = p.account.dialogs()
	}
	for _, s := range p.sections {
		if d, ok := s.(kit.Dialogued); ok {
			list = append(list, d.Dialogs()...)
		}
	}
	return list
}

// railItems lead to the parts of the program.
func (p *page) railItems() (items []app.UI) {
	for _, s := range p.sections {
		current := p.section == s
		if p.account != nil && s == p.settings { // the account is one of them, with a way of its own
			items = append(items, p.account.item())
			current = current && !p.account.shown()
		}
		items = append(items, railItem(s.Item(), current))
	}
	return items
}

// marks are what the items of the rail are marked with.
func (p *page) marks() (all string) {
	for _, s := range p.sections {
		i := s.Item()
		all += strconv.Itoa(i.Count) + " " + i.Mark + ","
	}
	return all
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
