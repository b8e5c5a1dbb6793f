//go:build js && wasm

package ui

import (
	"net/url"
	"strings"
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/model"
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
	defer s.p.guard("the start")
	s.p.start(ctx)
	s.p.changed(model.PartAll)
}

// OnNav implements app.Navigator: it follows the address, which is also how
// back and forward get here.
func (s *Shell) OnNav(ctx app.Context) {
	p := s.p
	defer p.guard("the navigation")
	p.ctx = ctx
	path := strings.TrimSuffix(ctx.Page().URL().Path, "/")
	id, isConversation := strings.CutPrefix(path, "/c/")
	p.renaming = false
	p.thread.stuck = true
	switch {
	case path == "":
		p.view = viewChat
		p.desk.Show("")
	case isConversation && id != "" && !strings.Contains(id, "/"):
		p.view = viewChat
		if id, err := url.PathUnescape(id); err == nil && (p.desk.Current == nil || p.desk.Current.ID != id) {
			p.desk.Show(id)
		}
	case path == "/settings":
		p.view = viewSettings
	default:
		p.view = viewNowhere
	}
	p.setDrawer(false)
	p.changed(model.PartAll)
	if p.view == viewChat {
		ctx.Defer(func(app.Context) { p.focusComposer() })
	}
}

// Render implements app.Composer.
func (s *Shell) Render() (ui app.UI) {
	p := s.p
	defer p.drawing("the page", &ui)
	drawer := ""
	if p.drawer {
		drawer = "open"
	}
	conversation := ""
	if p.desk.Current != nil {
		conversation = p.desk.Current.ID
	}
	return app.Div().ID("app").Class("app").DataSet("view", p.view).DataSet("drawer", drawer).Body(
		app.Nav().Class("rail").Aria("label", "Main").Body(
			app.A().Class("mark").Href("/").Aria("label", "Screentest: new conversation").Body(
				app.Img().Src("/web/icon.svg").Alt("Screentest"),
			),
			railItem(p.chatPath(), iconChat, "Chat", p.view == viewChat),
			app.Div().Class("push"),
			railItem("/settings", iconSettings, "Settings", p.view == viewSettings),
		),
		&Side{p: p, Rev: p.rev.list, Conversation: conversation, View: string(p.view)},
		app.Div().Class("scrim").OnClick(p.on("scrim", func(app.Context, app.Event) { p.setDrawer(false) })),
		app.Main().ID("main").Class("main").Body(
			&Bar{p: p, Rev: p.rev.bar, View: string(p.view), Renaming: p.renaming},
			app.If(p.view == viewChat, func() app.UI {
				return app.Div().Class("desk").Body(
					app.Div().Class("lanes").Body(
						&Lane{p: p, Rev: p.rev.thread, Choice: p.rev.composer, Conversation: conversation},
					),
					&Composer{p: p, Rev: p.rev.composer, Conversation: conversation},
				)
			}).ElseIf(p.view == viewSettings, func() app.UI {
				return &Settings{p: p, Rev: p.rev.settings}
			}).Else(func() app.UI {
				return app.Div().Class("middle").Body(
					app.P().Text("There is nothing at this address."),
					app.A().Class("button primary").Href("/").Text("New conversation"),
				)
			}),
		),
		&Toast{p: p, Rev: p.rev.notice},
		&Picker{p: p, Rev: p.rev.composer, Open: p.picker.open, Query: p.picker.query, Active: p.picker.active},
		app.Div().ID("say").Class("sr-only").Role("status").Aria("live", "polite"),
	)
}

func railItem(href string, path iconPath, name string, current bool) app.UI {
	a := app.A().Class("rail-item").Href(href).Body(icon(path, "icon"), app.Span().Text(name))
	if current {
		a = a.Aria("current", "page")
	}
	return a
}

// carry keeps what was typed into the page's shell before the program came.
func (p *page) carry() {
	if e := p.dom.byID("composer"); e.Truthy() && e.Get("value").Type() == js.TypeString {
		p.carried = e.Get("value").String()
	}
}

// applyTheme sets the theme that the person chose.
func (p *page) applyTheme() {
	root := p.dom.doc.Get("documentElement")
	if t := p.desk.Theme(); t == "dark" || t == "light" {
		root.Get("dataset").Set("theme", t)
	} else {
		root.Call("removeAttribute", "data-theme")
	}
}

// chatPath is where Chat leads: back to the conversation from elsewhere, to a
// new one from a conversation.
func (p *page) chatPath() string {
	if c := p.desk.Current; c != nil && p.view != viewChat {
		return "/c/" + c.ID
	}
	return "/"
}
