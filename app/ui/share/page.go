//go:build js && wasm

package share

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/figure"
	"screentest/app/share"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Page is the list of what is shared with the person, and by them.
type Page struct {
	app.Compo
	s   *Section
	Rev int
}

// OnUpdate implements app.Updater.
func (p *Page) OnUpdate(ctx app.Context) { p.s.drawn(ctx) }

// Render implements app.Composer.
func (p *Page) Render() (ui app.UI) {
	s, d := p.s, p.s.desk
	defer s.Drawing("what is shared", &ui)
	list := d.Listed()
	return kit.Box("div", "shared",
		kit.Box("div", "shared-inner",
			kit.Box("div", "line shared-head",
				p.tabs(),
				kit.Box("div", "push"),
				kit.Box("div", "field field-box", kit.Icon(kit.IconSearch, "icon small"),
					s.Field("shared-search", "", kit.At{"type", "search", "placeholder", "Title, name, kind", "aria-label", "Filter the list", "maxlength", 100}, d.Query, d.Search)),
			),
			kit.El("div", "shared-list", kit.At{"id", "shared-list", "role", "tabpanel", "aria-labelledby", tabID(d.ByMe())},
				s.trouble(),
				kit.Either(len(list) == 0, func() app.UI { return p.empty() }, func() app.UI { return p.table(list) })),
			kit.El("p", "faint", kit.At{"id", "shared-count", "role", "status"}, p.count(len(list))),
		),
	)
}

func tabID(byMe bool) string {
	if byMe {
		return "shared-by-me"
	}
	return "shared-with-me"
}

func (p *Page) tabs() app.UI {
	s, d := p.s, p.s.desk
	tab := func(byMe bool, name, path string, n int) kit.Choice {
		return kit.Choice{ID: tabID(byMe), Name: name, On: d.ByMe() == byMe,
			Do:   s.Do(name, func() { s.Context().Navigate(path) }),
			More: []any{kit.Box("span", "faint figure", figure.Count(int64(n)))}}
	}
	list := []kit.Choice{tab(false, "With me", share.Path, len(d.WithMe()))}
	if d.May() {
		list = append(list, tab(true, "By me", share.Path+"?by=me", len(d.Mine())))
	}
	return s.Tabs("Shared", "", "shared-list", list)
}

// count says how many there are, for those who can't see it too.
func (p *Page) count(n int) string {
	d := p.s.desk
	if d.Query == "" || !d.Came {
		return ""
	}
	all := len(d.WithMe())
	if d.ByMe() {
		all = len(d.Mine())
	}
	return figure.Count(int64(n)) + " of " + figure.Count(int64(all))
}

// trouble says why the list is not there, or not as it is now.
func (s *Section) trouble() app.UI {
	p := s.desk.Problem
	if p == nil {
		return kit.Nothing()
	}
	return kit.Notice(kit.Bad, "", kit.At{"role", "alert"},
		kit.Box("p", "", p.Message), kit.SayIf("p", "todo", p.Hint),
		kit.Button("", kit.At{"id", "shared-again"}, s.Do("again", s.desk.Fetch), "Try again"))
}

// empty stands where there is nothing in the list.
func (p *Page) empty() app.UI {
	d := p.s.desk
	say := func(words string, more ...any) app.UI {
		return kit.Empty("", kit.El("p", "", kit.At{"id", "shared-none"}, words), more)
	}
	switch {
	case !d.Came && d.Problem != nil:
		return kit.Nothing()
	case !d.Came:
		return say("Looking…")
	case d.Query != "":
		return say("Nothing matches.", kit.Button("", kit.At{"id", "shared-all"}, p.s.Do("all", func() {
			d.Search("")
			p.s.Put("shared-search", "")
			p.s.DOM.Focus("#shared-search")
		}), "Show all"))
	case d.ByMe():
		return say("You aren’t sharing anything. Open a conversation or clip, choose Share… and pick who can see it. You can stop sharing here.",
			kit.El("a", "button", kit.At{"href", "/"}, "To your conversations"))
	}
	return say("Nothing has been shared with you yet. Conversations and clips that others share appear here.")
}

func (p *Page) table(list []wire.Share) app.UI {
	who := "From"
	if p.s.desk.ByMe() {
		who = "Seen by"
	}
	heads := []string{"What", who, "Shows", "Since", "Ends", ""}
	return kit.El("table", "figures rows", kit.At{"id", "shared-table"},
		kit.Box("thead", "", kit.Box("tr", "", kit.Times(len(heads), func(i int) app.UI {
			if heads[i] == "" {
				return kit.Box("td", "")
			}
			return kit.El("th", "", kit.At{"scope", "col"}, heads[i])
		}))),
		kit.Box("tbody", "", kit.Times(len(list), func(i int) app.UI { return p.row(list[i]) })))
}

func (p *Page) row(x wire.Share) app.UI {
	s := p.s
	who := x.Owner
	if s.desk.ByMe() {
		who = share.Audience(x)
	}
	ends := share.Ending(x.ExpiresMS, kit.Wall)
	return kit.El("tr", "", kit.At{"data-share", x.ID},
		kit.Box("td", "who",
			kit.El("a", "written", kit.At{"href", share.Leads(x)}, share.Title(x)),
			kit.Box("span", "faint", share.KindName(x.Kind))),
		kit.Box("td", "names", kit.Box("span", "narrow-only soft", when(s.desk.ByMe(), "Seen by ", "From ")), who),
		kit.Box("td", "", share.Shows(x)),
		kit.Box("td", "when", kit.Box("span", "narrow-only soft", "since "), kit.Wall(x.CreatedMS).Format("2 Jan 2006")),
		kit.Box("td", "when", kit.If(ends != "", func() app.UI { return kit.Box("span", "narrow-only soft", "ends ") }), ends),
		kit.Box("td", "act", kit.If(x.Mine, func() app.UI { return s.stop(x) })),
	)
}

func when(first bool, one, other string) string {
	if first {
		return one
	}
	return other
}

// stop ends a share, after it has asked.
func (s *Section) stop(x wire.Share) app.UI {
	d := s.desk
	if d.Asked != x.ID {
		return kit.Button("small plain", kit.At{"id", "stop-" + x.ID, "title", "Stop sharing with " + share.Audience(x)},
			s.Do("stop "+x.ID, func() { d.Ask(x.ID); s.goTo("#end-" + x.ID) }), "Stop sharing…")
	}
	back := func() { d.Ask(""); s.goTo("#stop-" + x.ID) }
	words := "They lose access at once."
	if x.Audience == wire.ShareByLink {
		words += " The link can’t be restored."
	}
	return kit.El("div", "stop", kit.At{"role", "group", "aria-label", "Stop sharing?", "onkeydown", s.On("stop key "+x.ID, func(ctx app.Context, e app.Event) {
		ctx.PreventUpdate()
		if e.Get("key").String() == "Escape" {
			e.PreventDefault()
			e.Call("stopPropagation")
			back()
		}
	})},
		kit.Box("span", "soft", words),
		kit.Button("small danger", kit.At{"id", "end-" + x.ID, "disabled", d.Ending != ""},
			s.Do("end "+x.ID, func() { d.End(x.ID, s.ended) }), "Stop sharing"),
		kit.Button("small plain", kit.At{"id", "keep-" + x.ID}, s.Do("keep "+x.ID, back), "Keep"),
		kit.If(d.Trouble != nil, func() app.UI { return kit.Outcome("stop-outcome", false, d.Trouble.Words()) }),
	)
}

// ended gives the focus to what stands near a share that has gone.
func (s *Section) ended() {
	if s.desk.Dialog.Open {
		s.goTo("#share-who")
		return
	}
	s.goTo("#shared-search")
}
