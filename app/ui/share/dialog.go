//go:build js && wasm

package share

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/share"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Dialog shares something, and says who sees it already.
type Dialog struct {
	app.Compo
	s   *Section
	Rev int
}

// open opens the dialog.
func (s *Section) open(kind, id, title string) {
	s.desk.Open(kind, id, title)
	if !s.DOM.Coarse() {
		s.goTo("#share-people-filter")
	}
}

// show has the browser show the dialog as soon as it is drawn.
func (s *Section) show() {
	if d := s.DOM.ByID("share"); s.desk.Dialog.Open && d.Truthy() && !d.Get("open").Bool() {
		s.Settle()
		d.Call("showModal")
	}
}

// close closes it, which gives the focus back.
func (s *Section) close() {
	s.desk.Dialog.Close() // first: else the next draw would show it again
	if d := s.DOM.ByID("share"); d.Truthy() && d.Get("open").Bool() {
		d.Call("close")
	}
}

// OnUpdate implements app.Updater.
func (x *Dialog) OnUpdate(ctx app.Context) {
	ctx.Defer(func(app.Context) {
		defer x.s.Guard("sharing")
		x.s.show()
	})
	x.s.drawn(ctx)
}

// Render implements app.Composer.
func (x *Dialog) Render() (ui app.UI) {
	s := x.s
	defer s.Drawing("sharing", &ui)
	g := &s.desk.Dialog
	if !g.Open {
		return s.Dialog("share", "Share", nil, s.close, s.close)
	}
	title := g.Title
	if title == "" {
		title = share.KindName(g.Kind)
	}
	return s.Dialog("share", "Share “"+title+"”",
		kit.At{"onclick", s.OnBackdrop("share", s.close), "onclose", s.Do("share closed", s.close)}, s.close, s.close,
		kit.El("div", "dialog-body share-body", nil,
			kit.Either(g.Made != nil, func() app.UI { return x.made(g.Made) }, func() app.UI {
				if !g.Came && g.Missing == nil { // the choices would move under the pointer
					return kit.Box("p", "faint", "Loading…")
				}
				return x.form(g)
			}),
			x.who(g),
		))
}

// form asks who shall see it, what of it, and for how long.
func (x *Dialog) form(g *share.Dialog) app.UI {
	s := x.s
	return kit.El("form", "share-form", kit.At{"id", "share-form", "novalidate", true, "onsubmit", s.On("share", func(_ app.Context, e app.Event) {
		e.PreventDefault()
		g.Send()
	})},
		x.audience(g),
		x.shows(g),
		x.ends(g),
		kit.Outcome("share-outcome", false, problem(g.Problem)),
		kit.Button("primary wide", kit.At{"id", "share-go", "type", "submit", "disabled", g.Busy || g.Missing != nil && !g.Came}, nil, verb(g)),
	)
}

func problem(p *wire.Problem) string {
	if p == nil {
		return ""
	}
	return p.Words()
}

// verb is what the button does.
func verb(g *share.Dialog) string {
	switch {
	case g.Busy:
		return "Sharing…"
	case g.Audience == wire.ShareByLink:
		return "Make a link"
	case g.Audience == wire.ShareWithPeople && len(g.Picked()) > 1:
		return "Share with " + figure.Plural(len(g.Picked()), "person", "people")
	case g.Audience == wire.ShareWithPeople && len(g.Picked()) == 1:
		return "Share with " + g.Picked()[0].Name
	case g.Audience == wire.ShareWithAll:
		return "Share with everyone here"
	}
	return "Share"
}

func (x *Dialog) audience(g *share.Dialog) app.UI {
	s := x.s
	var options []kit.Option
	for _, a := range g.Audiences() {
		options = append(options, kit.Option{Value: a, Name: share.AudienceName(a)})
	}
	return kit.Box("div", "share-part",
		kit.Box("span", "label", "Who sees it"),
		s.Radios("share-audience", "Who sees it", "wide", g.Audience, options, func(a string) {
			g.Change(func(g *share.Dialog) { g.Audience = a })
		}),
		kit.If(g.Missing != nil, func() app.UI { return kit.Outcome("share-missing", false, problem(g.Missing)) }),
		kit.If(g.Audience == wire.ShareWithPeople, func() app.UI { return x.people(g) }),
		kit.If(g.Audience == wire.ShareWithTeam, func() app.UI { return x.teams(g) }),
		kit.If(g.Audience == wire.ShareWithAll, func() app.UI {
			return kit.Box("p", "faint", "Everyone with an account here can see it, including people who join later.")
		}),
		kit.If(g.Audience == wire.ShareByLink, func() app.UI {
			return kit.Box("p", "faint", "Anyone with the link can see it, no account needed. The link is shown once.")
		}),
		kit.If(!g.Links(), func() app.UI {
			return kit.El("p", "faint", kit.At{"id", "share-no-links"}, "Public links are off. An admin can allow them.")
		}),
	)
}

// people are chosen from a list that is narrowed by typing.
func (x *Dialog) people(g *share.Dialog) app.UI {
	s := x.s
	found, more := g.Found()
	words := ""
	switch {
	case g.Alone():
		words = "Nobody else has an account here yet."
	case len(found) == 0 && g.Came:
		words = "No one matches."
	case more > 0:
		words = figure.Plural(more, "more person", "more people") + ": type a name."
	case g.Filter != "":
		words = figure.Plural(len(found), "person fits", "people fit") + "."
	}
	picked := g.Picked()
	return kit.Box("div", "share-people",
		kit.Box("div", "field field-box",
			kit.Icon(kit.IconSearch, "icon small"),
			s.Field("share-people-filter", "", kit.At{"placeholder", "Type a name", "aria-label", "Find people", "maxlength", 100,
				"aria-invalid", kit.When(g.Wrong[share.FieldTo] != "", "true"), "aria-describedby", "share-to-wrong",
				"onkeydown", s.On("share-people-key", func(ctx app.Context, e app.Event) {
					ctx.PreventUpdate()
					if kit.Composing(e.Value) || e.Get("key").String() != "Enter" || e.Get("ctrlKey").Bool() || e.Get("metaKey").Bool() {
						return
					}
					e.PreventDefault()
					if g.PickFirst() {
						s.Put("share-people-filter", "")
					}
				})}, g.Filter, func(text string) { g.Filter = text; s.changed() })),
		kit.El("div", "line share-picked", kit.At{"id", "share-picked", "role", "group", "aria-label", "Chosen", "hidden", len(picked) == 0},
			kit.Times(len(picked), func(i int) app.UI {
				m := picked[i]
				return kit.Chip(kit.At{"id", "share-drop-" + m.ID, "aria-label", "Leave out " + m.Name, "title", "Leave out"},
					s.Do("drop "+m.ID, func() { g.Pick(m.ID, false); s.goTo("#share-people-filter") }), m.Name, kit.Icon(kit.IconClose, "icon small"))
			})),
		kit.El("div", "share-mates", kit.At{"id", "share-mates", "role", "group", "aria-label", "People", "hidden", len(found) == 0},
			kit.Times(len(found), func(i int) app.UI {
				m := found[i]
				return kit.El("label", "check", nil,
					s.Switch("share-to-"+m.ID, "", nil, g.Has(m.ID), func(on bool) { g.Pick(m.ID, on) }),
					kit.Box("span", "cut", m.Name))
			})),
		kit.El("p", "faint", kit.At{"id", "share-found", "role", "status"}, words),
		wrong(g, share.FieldTo),
	)
}

func wrong(g *share.Dialog, field string) app.UI {
	return kit.El("p", "outcome bad", kit.At{"id", "share-" + field + "-wrong", "hidden", g.Wrong[field] == ""}, g.Wrong[field])
}

func (x *Dialog) teams(g *share.Dialog) app.UI {
	var options []kit.Option
	for _, t := range g.Teams() {
		options = append(options, kit.Option{Value: t.ID, Name: t.Name})
	}
	return kit.Box("div", "share-people",
		x.s.Select("share-team", "Team", "field", nil, g.Team, options, func(id string) { g.Change(func(g *share.Dialog) { g.Team = id }) }),
		kit.Box("p", "faint", "Everyone in the team can see it, including people who join later. People who leave can’t."),
		wrong(g, share.FieldTo))
}

// shows is what of it is shown.
func (x *Dialog) shows(g *share.Dialog) app.UI {
	s := x.s
	value := "now"
	if g.Live {
		value = "live"
	}
	return kit.Box("div", "share-part",
		kit.Box("span", "label", "What they see"),
		s.Radios("share-live", "What they see", "wide", value, kit.Options("live", "As it becomes", "now", "As it is now"), func(v string) {
			g.Change(func(g *share.Dialog) { g.Live = v == "live" })
		}),
		kit.El("p", "faint", kit.At{"id", "share-lives"}, share.Lives(g.Kind, g.Live)),
		kit.Box("label", "switch-line", kit.Box("span", "label", "With the wire"),
			s.Switch("share-wire", "switch", kit.At{"aria-describedby", "share-wires"}, g.Wire, func(on bool) { g.Change(func(g *share.Dialog) { g.Wire = on }) })),
		kit.El("p", "faint", kit.At{"id", "share-wires"}, share.Wires(g.Kind, g.Wire)),
	)
}

// ends is how long it is shown.
func (x *Dialog) ends(g *share.Dialog) app.UI {
	s := x.s
	at := ""
	if ms := g.EndsMS(); ms != 0 {
		at = "Until " + share.Ending(ms, kit.Wall) + "."
	}
	return kit.Box("div", "share-part",
		kit.Labelled("share-ends", "Ends", nil, s.Select("share-ends", "Ends", "field", nil, g.Ends, kit.Options(
			share.EndsNever, "Until I stop sharing", share.EndsDay, "In a day", share.EndsWeek, "In 7 days", share.EndsMonth, "In 30 days", share.EndsOn, "On a day…",
		), func(v string) { g.Change(func(g *share.Dialog) { g.Ends = v }) })),
		kit.If(g.Ends == share.EndsOn, func() app.UI {
			return kit.Labelled("share-date", "The last day", nil, s.Field("share-date", "field", kit.At{"type", "date",
				"aria-invalid", kit.When(g.Wrong[share.FieldDate] != "", "true"), "aria-describedby", "share-date-wrong"},
				g.Date, func(text string) { g.Change(func(g *share.Dialog) { g.Date = text }) }))
		}),
		wrong(g, share.FieldDate),
		kit.SayIf("p", "faint", at),
	)
}

// made is the link of what was shared a moment ago.
func (x *Dialog) made(m *share.Made) app.UI {
	s := x.s
	words, foot := "Shared. They’ll find it under Shared. This link works for them only:", ""
	if m.Audience == wire.ShareByLink {
		words = "Anyone with this link can see it:"
		foot = "It’s shown only once. Share again for another."
	}
	return kit.Notice(kit.Good, "once", kit.At{"id", "share-made", "role", "status"},
		kit.Box("p", "", words),
		kit.Box("div", "line",
			kit.Fixed("field mono", kit.At{"id", "share-link", "type", "text", "aria-label", "The link"}, m.Link),
			kit.Button("primary", kit.At{"id", "share-copy"}, s.Do("share-copy", func() { s.CopyTo(m.Link, s.DOM.ByID("share-copy")) }), "Copy the link"),
			kit.Button("", kit.At{"id", "share-again"}, s.Do("share-again", func() {
				s.desk.Dialog.Change(func(g *share.Dialog) { g.Made = nil })
				s.goTo("#share-audience-" + s.desk.Dialog.Audience)
			}), "Share again"),
		),
		kit.SayIf("p", "soft", foot),
	)
}

// who is who sees it already.
func (x *Dialog) who(g *share.Dialog) app.UI {
	s := x.s
	list := g.Shares()
	return kit.Box("section", "share-who",
		kit.El("h3", "", kit.At{"id", "share-who", "tabindex", -1}, "Who can see this"),
		s.trouble(),
		kit.If(len(list) == 0, func() app.UI { return kit.El("p", "soft", kit.At{"id", "share-nobody"}, "Only you.") }),
		kit.El("ul", "share-list", kit.At{"id", "share-list", "hidden", len(list) == 0}, kit.Times(len(list), func(i int) app.UI {
			one := list[i]
			about := share.Shows(one)
			if ends := share.Ending(one.ExpiresMS, kit.Wall); ends != "" {
				about += " · until " + ends
			}
			copyID := "share-copy-" + one.ID
			return kit.El("li", "", kit.At{"data-share", one.ID},
				kit.Box("span", "share-names", share.Audience(one)),
				kit.Box("span", "faint", about),
				kit.Box("span", "line share-act",
					kit.If(one.Link != "", func() app.UI {
						return kit.Button("small plain", kit.At{"id", copyID}, s.Do(copyID, func() { s.CopyTo(one.Link, s.DOM.ByID(copyID)) }), "Copy link")
					}),
					s.stop(one)),
			)
		})),
	)
}
