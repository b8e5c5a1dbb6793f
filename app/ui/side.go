//go:build js && wasm

package ui

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/model"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Side is the list of conversations; on a phone, the drawer.
type Side struct {
	app.Compo
	p            *page
	Rev          int
	Conversation string // that is shown
	View         string
	Marks        string // of the rail's items, which stand here on a phone
}

// Render implements app.Composer.
func (s *Side) Render() (ui app.UI) {
	p := s.p
	defer p.Drawing("the list", &ui)
	groups := p.desk.Groups()
	return app.Aside().Class("side").Aria("label", "Conversations").Body(
		app.Div().Class("side-head").Body(
			s.searchBox(),
			app.A().ID("new-conversation").Class("button wide").Href("/").
				OnClick(p.On("new", func(app.Context, app.Event) { p.setDrawer(false); p.focusComposer() })).
				Body(kit.Icon(kit.IconPlus, "icon small"), app.Text("New conversation")),
		),
		app.If(p.finder.On(), func() app.UI {
			return app.Div().Class("side-list found").Body(s.hits())
		}).Else(func() app.UI { return app.Div().Class("side-list").Body(s.conversations(groups)...) }),
		app.Div().Class("side-foot").Body(
			p.railItems()...,
		),
	)
}

func (s *Side) conversations(groups []model.Group) []app.UI {
	p := s.p
	return []app.UI{
		app.If(p.desk.ListReady && len(groups) == 0, func() app.UI {
			return app.P().Class("side-empty").Text("What you ask will be listed here, and kept.")
		}),
		app.Range(groups).Slice(func(i int) app.UI {
			return app.Section().Class("group").Body(
				app.H2().Text(groups[i].Name),
				app.Range(groups[i].Rows).Slice(func(j int) app.UI { return s.row(groups[i].Rows[j]) }),
			)
		}),
		app.If(p.desk.ListMore, func() app.UI {
			return app.Button().Class("button wide").Type("button").Text("Show older").
				OnClick(p.On("older", func(app.Context, app.Event) { p.desk.FetchMore() }))
		}),
	}
}

func (s *Side) row(c wire.Summary) app.UI {
	p := s.p
	title := titleOf(c.Title)
	current := c.ID == s.Conversation && s.View == string(viewChat)
	link := app.A().Class("conversation").Href("/c/" + c.ID).Title(title)
	if current {
		link = link.Aria("current", "page")
	}
	return app.Div().Class("row").DataSet("current", current).Body(
		link.Body(
			app.Span().Class("row-title").Text(title),
			app.Span().Class("row-sub").Body(
				app.Span().Class("row-models").Text(s.p.desk.ListedModels(c)),
				app.If(c.Running > 0, func() app.UI {
					return app.Span().Class("row-live").Body(app.Span().Class("dot live"), app.Text("live"))
				}).ElseIf(c.CostNanoUSD > 0, func() app.UI {
					return app.Span().Class("figure").Text(cost(c))
				}),
			),
		),
		app.Span().Class("row-actions").DataSet("pinned", c.Pinned).Body(
			app.Button().Class("icon-button small").Type("button").Title(pinWord(c.Pinned)).
				Aria("label", pinWord(c.Pinned)+" “"+title+"”").
				OnClick(p.On(pinWord(c.Pinned)+c.ID, func(app.Context, app.Event) { p.desk.Pin(c.ID, !c.Pinned) })).
				Body(kit.Icon(iconPin, "icon small")),
		),
	)
}

func pinWord(pinned bool) string {
	if pinned {
		return "Unpin"
	}
	return "Pin"
}

// cost is what a conversation cost so far, marked when part of it is estimated.
func cost(c wire.Summary) string {
	if c.Estimated {
		return "≈ " + figure.Dollars(c.CostNanoUSD)
	}
	return figure.Dollars(c.CostNanoUSD)
}
