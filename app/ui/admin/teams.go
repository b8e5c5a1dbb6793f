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

// Teams is the page of the teams: their list, or one of them. Until there is a
// second it is that of what all share, and speaks of no teams.
type Teams struct {
	app.Compo
	s   *Section
	Rev int
}

// OnUpdate implements app.Updater.
func (c *Teams) OnUpdate(ctx app.Context) { c.s.drawn(ctx) }

// Render implements app.Composer.
func (c *Teams) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the teams", &ui)
	teams := &s.desk.Teams
	one := teams.Shown()
	switch {
	case !teams.Came:
		return kit.Box("section", "", kit.Box("h2", "", "Teams"), waiting(teams.Problem))
	case one != nil:
		return &Team{s: s, ID: one.ID, Rev: c.Rev}
	case teams.At != "":
		return kit.Box("div", "", back(admin.PageTeams, "Teams"), kit.Empty("", kit.Box("p", "", "There’s no such team.")))
	}
	return kit.Box("div", "", s.teamList(), kit.If(s.session.Admin(), s.makeTeam))
}

func teamPath(id string) string { return admin.Path(admin.PageTeams) + "?team=" + url.QueryEscape(id) }

func (s *Section) teamList() app.UI {
	teams := &s.desk.Teams
	list := teams.Led()
	return kit.El("section", "", kit.At{"id", "teams"},
		kit.Box("h2", "", "Teams"),
		kit.Box("p", "soft", "Each team has its own key, models and limits. Each request is charged to one of the person’s teams."),
		trouble(teams.Problem),
		kit.El("table", "figures rows", kit.At{"id", "teams-table"}, head("Name", "People", "Key", "Limits"),
			kit.Box("tbody", "", kit.Times(len(list), func(i int) app.UI {
				t := list[i]
				return kit.Box("tr", "",
					kit.Box("td", "who", kit.El("a", "", kit.At{"href", teamPath(t.ID)}, t.Name),
						kit.If(len(t.Models) > 0, func() app.UI { return kit.Box("span", "faint", s.allowedWords(t.Models)) })),
					kit.Box("td", "figure", figure.Plural(len(t.People), "person", "people")),
					kit.Box("td", "soft", s.keyWords(t)),
					kit.Box("td", "soft", or(admin.LimitWords(t.Limits), "no limits")),
				)
			}))),
	)
}

func (s *Section) keyWords(t wire.Team) string {
	switch {
	case s.session.Hello.Gateway.Sandbox:
		return "the sandbox’s"
	case !t.HasKey:
		return "no key"
	case t.KeyLast4 == "":
		return "held"
	}
	return "ends in " + t.KeyLast4
}

func or(words, otherwise string) string {
	if words == "" {
		return otherwise
	}
	return words
}

// allowedWords say how many models some patterns allow.
func (s *Section) allowedWords(patterns []string) string {
	if len(patterns) == 0 {
		return "all models"
	}
	_, together := admin.Counted(join(patterns), s.session.AllModels())
	return figure.Plural(together, "model", "models") + " by " + figure.Plural(len(patterns), "pattern", "patterns")
}

// makeTeam makes a team.
func (s *Section) makeTeam() app.UI {
	teams := &s.desk.Teams
	f := &teams.New
	done := ""
	if f.Saved {
		done = "The team " + teams.Made + " is made."
	}
	return kit.El("section", "", kit.At{"id", "team-new"},
		kit.Box("h2", "", "Make a team"),
		kit.Box("p", "soft", "For people with their own key, models or limits. Everyone stays in Everyone, too."),
		s.form("make-form", "line end", teams.Make,
			s.field(f, "make", admin.FieldName, "Name", nil, "", "maxlength", wire.MaxTeamName),
			kit.Button("primary", kit.At{"id", "make-save", "type", "submit", "disabled", f.Saving}, nil, "Make the team"),
		),
		outcome("make", f.Problem, done),
	)
}
