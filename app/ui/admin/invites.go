//go:build js && wasm

package admin

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/figure"
	"screentest/app/ui/kit"
)

// Invites are the invitations, and the form of a new one.
type Invites struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (c *Invites) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the invitations", &ui)
	v := &s.desk.Invites
	return kit.Box("div", "",
		kit.El("section", "", kit.At{"id", "invites"},
			kit.Box("h2", "", "People"),
			s.peopleHead(),
			trouble(v.Problem),
			s.inviting(),
		),
		kit.El("section", "", kit.At{"id", "invites-open"},
			kit.Box("h2", "", "Invitations"),
			outcome("revoke", v.Trouble, ""),
			kit.Either(len(v.List) == 0,
				func() app.UI { return kit.Box("p", "soft", kit.When(v.Came, "Nobody has been invited yet.")) },
				s.inviteTable),
		),
	)
}

// inviting is the link that was made, or the form of a new one: whole, so it waits
// for the teams that can be chosen in it.
func (s *Section) inviting() app.UI {
	switch teams := &s.desk.Teams; {
	case s.desk.Invites.Made != nil:
		return s.invited()
	case !teams.Came && teams.Problem == nil:
		return waiting(nil)
	}
	return s.inviteForm()
}

// inviteForm makes an invitation.
func (s *Section) inviteForm() app.UI {
	v := &s.desk.Invites
	f := &v.Form
	with := "the role"
	if s.desk.Teams.Several() {
		with = "the role and in the teams"
	}
	return s.form("invite-form", "form-grid", v.Make,
		kit.Box("p", "soft whole", "An invitation is a link. Whoever opens it makes an account, with "+with+" that you choose here. No mail is sent: you hand it over."),
		s.choice(f, "invite", admin.FieldRole, "Role", nil, admin.UsualInvite(admin.FieldRole), roles()),
		s.choice(f, "invite", admin.FieldHours, "It holds for", nil, admin.UsualInvite(admin.FieldHours), kit.Options("24", "a day", "168", "7 days", "720", "30 days", "2160", "90 days")),
		s.field(f, "invite", admin.FieldUses, "How many people may use it", nil, admin.UsualInvite(admin.FieldUses), "inputmode", "numeric"),
		kit.Box("p", "faint whole", admin.RoleWords(v.Value(admin.FieldRole))),
		kit.If(s.desk.Teams.Several(), func() app.UI {
			return s.teamChoice("invite-teams", "Teams, besides Everyone", v.Value(admin.FieldTeams), func(ids string) { s.typed(f, admin.FieldTeams, ids, "") })
		}),
		outcome("invite", f.Problem, ""),
		kit.Button("primary", kit.At{"id", "invite-make", "type", "submit", "disabled", f.Saving}, nil, "Make the link"),
	)
}

// teamChoice chooses some of the teams, but Everyone, in which everybody is.
func (s *Section) teamChoice(id, name, ids string, set func(ids string)) app.UI {
	var boxes []app.UI
	for _, t := range s.desk.Teams.List {
		if t.Everyone {
			continue
		}
		boxes = append(boxes, kit.Box("label", "check",
			s.Switch(id+"-"+t.ID, "", nil, admin.Has(ids, t.ID), func(on bool) { set(admin.With(ids, t.ID, on)) }), t.Name))
	}
	return kit.El("fieldset", "checks whole", kit.At{"id", id}, kit.Box("legend", "label", name), boxes)
}

// invited shows the link of the invitation that was just made.
func (s *Section) invited() app.UI {
	v := &s.desk.Invites
	uses := "One person may join"
	if v.Made.Uses > 1 {
		uses = figure.Count(int64(v.Made.Uses)) + " people may join"
	}
	return s.link("invite-link", v.Made.Link, "Invitation created. "+uses+" by this link; it "+v.State(*v.Made)+".", v.Hide)
}

func (s *Section) inviteTable() app.UI {
	v := &s.desk.Invites
	several := s.desk.Teams.Several()
	return kit.El("table", "figures rows", kit.At{"id", "invites-table"}, head("Role", "Used", "State", "By", ""),
		kit.Box("tbody", "", kit.Times(len(v.List), func(n int) app.UI {
			i := v.List[n]
			open := v.IsOpen(i)
			return kit.El("tr", "", kit.At{"data-active", open},
				kit.Box("td", "who", kit.Box("span", "", admin.RoleName(i.Role)),
					kit.If(several, func() app.UI { return kit.Box("span", "faint", s.desk.Teams.Names(i.Teams)) })),
				kit.Box("td", "figure", figure.Count(int64(i.Used))+" of "+figure.Count(int64(i.Uses))),
				kit.El("td", "soft", kit.At{"title", when(i.ExpiresMS)}, v.State(i)),
				kit.Box("td", "soft", i.By),
				kit.Box("td", "act", kit.If(open, func() app.UI {
					return kit.Button("small", kit.At{"id", "revoke-" + i.ID, "disabled", v.Revoking != "",
						"aria-label", "Revoke the invitation of " + when(i.CreatedMS)}, s.Do("revoke", func() { v.Revoke(i.ID) }), "Revoke")
				})),
			)
		})))
}
