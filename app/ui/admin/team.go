//go:build js && wasm

package admin

import (
	"strings"

	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Team is the page of a team. That of Everyone, while there is no other, doesn't
// say that it is one.
type Team struct {
	app.Compo
	s   *Section
	ID  string
	Rev int
}

// CompoID implements app.DismountEnforcer: another team has other fields.
func (c *Team) CompoID() string { return c.ID }

// Render implements app.Composer.
func (c *Team) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the team", &ui)
	teams := &s.desk.Teams
	t := teams.Find(c.ID)
	if t == nil {
		return kit.Nothing()
	}
	single, admin := teams.Single(), s.session.Admin()
	may := teams.MayLead(*t)
	return kit.Box("div", "",
		kit.If(!single, func() app.UI { return s.teamHead(*t, admin) }),
		kit.If(may, func() app.UI { return s.teamKey(*t) }),
		kit.If(!single, func() app.UI { return s.teamPeople(*t, may) }),
		kit.If(admin, func() app.UI { return s.teamModels(*t) }),
		kit.If(admin, func() app.UI { return s.teamLimits(*t, single) }),
		kit.If(admin, func() app.UI { return s.teamApprove(*t) }),
		kit.If(admin && single, s.makeTeam),
		kit.If(admin && !t.Everyone, func() app.UI { return s.teamEnd(*t) }),
	)
}

// teamHead is the team's name, which an admin may change.
func (s *Section) teamHead(t wire.Team, mayRename bool) app.UI {
	f := &s.desk.Teams.Name
	return kit.El("section", "", kit.At{"id", "team"},
		back(admin.PageTeams, "Teams"),
		kit.Box("h2", "", t.Name),
		trouble(s.desk.Teams.Problem),
		kit.If(!mayRename, func() app.UI {
			return kit.Box("dl", "facts",
				kit.Box("dt", "", "Models"), kit.Box("dd", "", s.allowedWords(t.Models)),
				kit.Box("dt", "", "Limits"), kit.Box("dd", "", or(admin.LimitWords(t.Limits), "none")),
				kit.If(t.ApproveNanoUSD > 0, func() app.UI { return kit.Box("dt", "", "Approval") }),
				kit.If(t.ApproveNanoUSD > 0, func() app.UI {
					return kit.Box("dd", "", "of clips above "+figure.Dollars(t.ApproveNanoUSD))
				}))
		}),
		kit.If(mayRename, func() app.UI {
			return s.form("team-form", "form-grid", s.desk.Teams.Rename,
				s.field(f, "team", admin.FieldName, "Name", nil, t.Name, "maxlength", wire.MaxTeamName),
				s.saving(f, "team", "Rename", "Team renamed."))
		}),
	)
}

// teamKey is the key that a team's sends go with.
func (s *Section) teamKey(t wire.Team) app.UI {
	key := &s.desk.Teams.Key
	about := "Everyone’s requests use this key. It’s stored encrypted on this server and never shown again, except for its last four characters."
	if s.desk.Teams.Several() {
		about = "Requests charged to this team use this key. It’s stored encrypted on this server and never shown again, except for its last four characters."
	}
	if s.session.Hello.Gateway.Sandbox {
		return kit.El("section", "", kit.At{"id", "team-key"},
			kit.Box("h2", "", "Key"),
			kit.Box("p", "soft", "The gateway is the sandbox, which has its key already; there is nothing to enter."))
	}
	label, verb := "Gateway key", "Save key"
	if t.HasKey {
		label, verb = "New key, to replace the one that "+s.keyWords(t), "Replace key"
	}
	state := s.keyWords(t)
	if t.HasKey && t.KeySetMS != 0 {
		state += ", entered " + when(t.KeySetMS)
	}
	return kit.El("section", "", kit.At{"id", "team-key"},
		kit.Box("h2", "", "Key"),
		kit.Box("p", "soft", about),
		kit.Box("dl", "facts", kit.Box("dt", "", "Key"), kit.El("dd", "", kit.At{"id", "team-key-state"}, state)),
		s.form("team-key-form", "line key-form", s.sendKey,
			kit.El("label", "label", kit.At{"for", "team-key-field"}, label),
			kit.El("input", "field", kit.At{"id", "team-key-field", "type", "password", "autocomplete", "off", "spellcheck", "false",
				"placeholder", "sk-…", "disabled", key.Busy, "aria-invalid", key.Wrong != "", "aria-describedby", "team-key-outcome"}),
			kit.Button("primary", kit.At{"id", "team-key-save", "type", "submit", "disabled", key.Busy}, nil, verb),
			kit.Button("", kit.At{"id", "team-key-remove", "hidden", !t.HasKey || key.Removal, "disabled", key.Busy},
				s.Do("team-key-remove", func() { *key = admin.Key{Removal: true}; s.changed() }), "Remove key…"),
			kit.Outcome("team-key-outcome", key.Wrong == "", key.Wrong+key.Done),
		),
		kit.If(key.Removal, func() app.UI {
			return kit.Notice(kit.Warn, "", kit.At{"id", "team-key-removal"},
				kit.Box("p", "", "Without a key, nothing more can be charged here. Running clips are finished."),
				kit.Box("div", "line",
					kit.Button("danger", kit.At{"id", "team-key-remove-go"}, s.Do("team-key-remove-go", s.desk.Teams.RemoveKey), "Remove the key"),
					kit.Button("plain", kit.At{"id", "team-key-keep"}, s.Do("team-key-keep", func() { *key = admin.Key{}; s.changed() }), "Keep it")))
		}),
	)
}

// sendKey sends what is in the field, and empties it once that is taken.
func (s *Section) sendKey() {
	field := s.DOM.ByID("team-key-field")
	key := field.Get("value").String()
	if key == "" {
		field.Call("focus")
	}
	s.desk.Teams.SetKey(key, func() { s.Put("team-key-field", "") })
}

// teamModels are the models that a team may use.
func (s *Section) teamModels(t wire.Team) app.UI {
	f := &s.desk.Teams.Models
	set := join(t.Models)
	text := f.Value(admin.FieldModels, set)
	patterns, together := admin.Counted(text, s.session.AllModels())
	means := "All models are allowed, including future ones."
	if len(patterns) > 0 {
		means = figure.Plural(together, "model", "models") + " of the catalogue’s " + figure.Count(int64(len(s.session.AllModels()))) + " may be used."
	}
	return kit.El("section", "", kit.At{"id", "team-models"},
		kit.Box("h2", "", "Models"),
		kit.Box("p", "soft", "Patterns of model ids, one on each line; an asterisk stands for any characters, as in ", kit.Box("code", "", "vendor/*"), ". Without any, all are allowed."),
		s.form("models-form", "form-grid", s.desk.Teams.SaveModels,
			kit.Box("div", "labelled whole",
				kit.El("label", "label", kit.At{"for", "models-models"}, "Allowed models"),
				s.Area("models-models", "field code", said(f, "models-models", admin.FieldModels, []any{"rows", max(3, min(10, strings.Count(text, "\n")+2)), "spellcheck", "false"}), text,
					func(text string) { s.typed(f, admin.FieldModels, text, set) }),
				wrong(f, "models-models", admin.FieldModels)),
			kit.El("p", "whole", kit.At{"id", "models-together", "role", "status"}, means),
			kit.El("ul", "whole patterns", kit.At{"hidden", len(patterns) == 0}, kit.Times(len(patterns), func(i int) app.UI {
				p := patterns[i]
				return kit.El("li", "", kit.At{"data-tone", kit.When(p.Models == 0, kit.Warn)}, kit.Box("code", "", p.Text), " "+or(kit.When(p.Models > 0, figure.Plural(p.Models, "model", "models")), "no model of the catalogue"))
			})),
			s.saving(f, "models", "Save models", "Saved. It applies from now on."),
		),
	)
}

func join(patterns []string) string { return strings.Join(patterns, "\n") }

// teamLimits are what a team may spend.
func (s *Section) teamLimits(t wire.Team, single bool) app.UI {
	f := &s.desk.Teams.Limits
	about := "What everyone together may spend on this key. Requests over a limit are blocked, with whom to ask."
	if !single {
		about = "What this team may spend. Requests over a limit are blocked, with whom to ask."
	}
	return kit.El("section", "", kit.At{"id", "team-limits"},
		kit.Box("h2", "", "Limits"),
		kit.Box("p", "soft", about+" Leave a field empty for no limit."),
		s.form("limits-form", "form-grid", s.desk.Teams.SaveLimits,
			s.limits(f, "limits", t.Limits),
			s.saving(f, "limits", "Save limits", "Limits saved.")),
	)
}

// teamApprove is the price above which a clip waits for a lead.
func (s *Section) teamApprove(t wire.Team) app.UI {
	f := &s.desk.Teams.Approve
	return kit.El("section", "", kit.At{"id", "team-approve"},
		kit.Box("h2", "", "Approval"),
		kit.Box("p", "soft", "More expensive clips wait until a lead or an admin approves them. Nothing is sent or charged before. Leads and admins need no approval. Leave empty for none."),
		s.form("approve-form", "form-grid", s.desk.Teams.SaveApprove,
			s.field(f, "approve", admin.FieldApprove, "Ask above", "$", admin.ApproveText(t), "inputmode", "decimal"),
			s.saving(f, "approve", "Save amount", "Amount saved.")),
	)
}

// teamEnd deletes a team.
func (s *Section) teamEnd(t wire.Team) app.UI {
	teams := &s.desk.Teams
	f := &teams.Deleting
	return kit.El("section", "", kit.At{"id", "team-end"},
		kit.Box("h2", "", "Delete"),
		kit.Box("p", "soft", "The people stay, and so does what they spent, under the team’s name. Its key is deleted."),
		kit.Either(!teams.Asked,
			func() app.UI {
				return kit.Button("", kit.At{"id", "team-delete"}, s.Do("team-delete", func() { teams.Asked = true; s.changed() }), "Delete the team…")
			},
			func() app.UI {
				return s.form("delete-form", "notice leave", func() { teams.Delete(func() { s.Context().Navigate(admin.Path(admin.PageTeams)) }) },
					s.field(f, "delete", admin.FieldName, "Type the name, "+t.Name, nil, ""),
					kit.Box("div", "line",
						kit.Button("danger", kit.At{"id", "delete-go", "type", "submit", "disabled", !teams.Named() || f.Saving}, nil, "Delete "+t.Name),
						kit.Button("plain", kit.At{"id", "delete-cancel"}, s.Do("delete-cancel", func() { teams.Asked = false; f.Reset(); s.changed() }), "Cancel")),
					outcome("delete", f.Problem, ""),
				)
			}),
	)
}
