//go:build js && wasm

package admin

import (
	"net/url"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// People is the page of those who have an account: their list, one of them, or
// the invitations.
type People struct {
	app.Compo
	s   *Section
	Rev int
}

// OnUpdate implements app.Updater.
func (c *People) OnUpdate(ctx app.Context) { c.s.drawn(ctx) }

// Render implements app.Composer.
func (c *People) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the people", &ui)
	switch people := &s.desk.People; {
	case people.At != "":
		return &Person{s: s, ID: people.At, Rev: c.Rev}
	case s.desk.Invites.Shown:
		return &Invites{s: s, Rev: c.Rev}
	}
	return s.peopleList()
}

// peopleHead is what stands above the list and the invitations.
func (s *Section) peopleHead() app.UI {
	invites := s.desk.Invites.Shown
	open := len(s.desk.Invites.Open())
	return kit.Box("div", "line",
		kit.Segments("Shown", "", []kit.Choice{
			{ID: "people-all", Name: "People", To: admin.Path(admin.PagePeople), On: !invites},
			{ID: "people-invites", Name: "Invitations", To: invitesPath, On: invites, More: []any{
				kit.If(open > 0, func() app.UI { return kit.Box("span", "faint", open) })}},
		}),
		kit.Box("div", "push"),
		kit.If(!invites, func() app.UI {
			return kit.El("a", "button primary", kit.At{"id", "invite", "href", invitesPath}, "Invite people")
		}),
	)
}

const invitesPath = "/settings/people?invitations"

func personPath(id string) string {
	return admin.Path(admin.PagePeople) + "?person=" + url.QueryEscape(id)
}

func (s *Section) peopleList() app.UI {
	people := &s.desk.People
	if !people.Came {
		return kit.Box("section", "", kit.Box("h2", "", "People"), waiting(people.Problem))
	}
	found := people.Found()
	shown := found[:min(people.Most, len(found))]
	return kit.El("section", "", kit.At{"id", "people"},
		kit.Box("h2", "", "People"),
		s.peopleHead(),
		trouble(people.Problem),
		kit.Either(people.Alone(), s.invitesFirst, func() app.UI { return s.peopleSearch(found) }),
		kit.If(len(shown) > 0, func() app.UI { return s.peopleTable(shown) }),
		kit.If(len(shown) < len(found), func() app.UI {
			return kit.Button("wide", kit.At{"id", "people-more"}, s.Do("people-more", people.More), "Show more")
		}),
	)
}

// invitesFirst stands where nobody else is there yet.
func (s *Section) invitesFirst() app.UI {
	return kit.Empty("",
		kit.Box("p", "", "You’re the only one here. An invitation is a link: whoever opens it creates their own account."),
		kit.El("a", "button", kit.At{"id", "invite-first", "href", invitesPath}, "Invite someone"),
	)
}

func (s *Section) peopleSearch(found []wire.Person) app.UI {
	people := &s.desk.People
	words := figure.Plural(len(found), "person", "people")
	if people.Query != "" {
		words += " of " + figure.Count(int64(len(people.List)))
	}
	return kit.Box("div", "line",
		kit.Box("div", "field field-box search",
			kit.Icon(kit.IconSearch, "icon"),
			s.Field("people-search", "", kit.At{"type", "search", "aria-label", "Search people", "placeholder", "Name, e-mail, role or team", "maxlength", 100}, people.Query, people.Search)),
		kit.El("span", "soft figure", kit.At{"id", "people-found", "role", "status"}, words),
	)
}

func (s *Section) peopleTable(list []wire.Person) app.UI {
	several, me, now := s.desk.Teams.Several(), s.session.Me().ID, s.desk.Now()
	columns := []string{"Name", "Role", "Last seen"}
	if several {
		columns = []string{"Name", "Role", "Teams", "Last seen"}
	}
	return kit.El("table", "figures rows", kit.At{"id", "people-table"}, head(columns...),
		kit.Box("tbody", "", kit.Times(len(list), func(i int) app.UI {
			p := list[i]
			return kit.El("tr", "", kit.At{"data-active", p.Active},
				kit.Box("td", "who",
					kit.El("a", "", kit.At{"href", personPath(p.ID)}, p.Name),
					kit.If(p.ID == me, func() app.UI { return kit.Pill(nil, "you") }),
					kit.If(!p.Active, func() app.UI { return kit.Pill(nil, "deactivated") }),
					kit.Box("span", "faint", p.Email)),
				kit.Box("td", "", admin.RoleName(p.Role)),
				kit.If(several, func() app.UI { return kit.Box("td", "soft", s.desk.People.TeamNames(p)) }),
				kit.El("td", "soft figure", kit.At{"title", kit.When(p.SeenMS != 0, when(p.SeenMS))}, admin.Ago(now, p.SeenMS)),
			)
		})))
}
