//go:build js && wasm

package admin

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// teamPeople are the people of a team. Everybody is in Everyone: there only who
// leads can be said.
func (s *Section) teamPeople(t wire.Team, may bool) app.UI {
	teams := &s.desk.Teams
	list := admin.Mates(t)
	about := "Leads may add and remove people and set the key."
	if t.Everyone {
		about = "Everyone with an account is in it. Leads may set its key."
	}
	return kit.El("section", "", kit.At{"id", "team-people"},
		kit.Box("h2", "", "People"),
		kit.Box("p", "soft", about),
		kit.If(may && !t.Everyone, func() app.UI { return s.addMate(t) }),
		outcome("mates", teams.Trouble, ""),
		kit.Either(len(list) == 0,
			func() app.UI { return kit.Box("p", "soft", "This team is empty.") },
			func() app.UI { return s.mates(t, list, may) }),
	)
}

func (s *Section) mates(t wire.Team, list []wire.TeamMate, may bool) app.UI {
	teams := &s.desk.Teams
	return kit.El("table", "figures rows", kit.At{"id", "mates"}, head("Name", "Lead", ""),
		kit.Box("tbody", "", kit.Times(len(list), func(i int) app.UI {
			m := list[i]
			return kit.Box("tr", "",
				kit.Box("td", "who",
					kit.Either(s.session.Admin(),
						func() app.UI { return kit.El("a", "", kit.At{"href", personPath(m.ID)}, m.Name) },
						func() app.UI { return kit.Box("span", "", m.Name) }),
					kit.If(m.Mapped, func() app.UI {
						return kit.El("span", "pill", kit.At{"title", "From a single sign-on group; it’s set again at the next sign-in"}, "by a group")
					})),
				kit.El("td", "lead", nil, kit.Box("span", "narrow-only soft", "Lead"), s.Switch("lead-"+m.ID, "switch", kit.At{"aria-label", m.Name + " leads", "disabled", !may || teams.Moving != ""}, m.Lead,
					func(on bool) { teams.Put(m.ID, on) })),
				kit.Box("td", "act", kit.If(may && !t.Everyone, func() app.UI {
					return kit.IconButton("small", "Remove "+m.Name, kit.IconClose, kit.At{"id", "remove-" + m.ID, "disabled", teams.Moving != ""},
						s.Do("remove", func() { teams.Remove(m.ID) }))
				})),
			)
		})))
}

// addMate finds somebody by name and puts them into the team.
func (s *Section) addMate(t wire.Team) app.UI {
	teams := &s.desk.Teams
	found := teams.Candidates()
	words := ""
	switch {
	case teams.Adding == "":
	case len(found) == 0:
		words = "No one else matches."
	default:
		words = figure.Plural(len(found), "person fits", "people fit") + "."
	}
	return kit.Box("div", "labelled",
		kit.El("label", "label", kit.At{"for", "add-mate"}, "Add somebody"),
		kit.Box("div", "field field-box search", kit.Icon(kit.IconSearch, "icon"),
			s.Field("add-mate", "", kit.At{"placeholder", "Name or e-mail", "maxlength", 100}, teams.Adding, teams.Offer)),
		kit.El("div", "line", kit.At{"id", "candidates", "role", "group", "aria-label", "Who fits", "hidden", len(found) == 0}, kit.Times(len(found), func(i int) app.UI {
			c := found[i]
			return kit.Chip(kit.At{"id", "add-" + c.ID, "title", c.Email, "disabled", teams.Moving != ""}, s.Do("add", func() {
				teams.Put(c.ID, false)
				s.Put("add-mate", "")
				s.DOM.Focus("#add-mate")
			}), kit.Icon(kit.IconPlus, "icon small"), c.Name)
		})),
		kit.El("p", "faint", kit.At{"id", "add-found", "role", "status"}, words),
	)
}
