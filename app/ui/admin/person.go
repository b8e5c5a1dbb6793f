//go:build js && wasm

package admin

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/figure"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// Person is the page of one of the people.
type Person struct {
	app.Compo
	s   *Section
	ID  string
	Rev int
}

// CompoID implements app.DismountEnforcer: another person has other fields.
func (c *Person) CompoID() string { return c.ID }

// Render implements app.Composer.
func (c *Person) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the person", &ui)
	people := &s.desk.People
	p := people.Find(c.ID)
	way := back(admin.PagePeople, "People")
	switch {
	case !people.Came:
		return kit.Box("div", "", way, waiting(people.Problem))
	case p == nil:
		if done := people.Leaving.Done; done != "" { // a moment ago
			return kit.Box("div", "", way, kit.Empty("", kit.El("p", "", kit.At{"role", "status"}, done)))
		}
		return kit.Box("div", "", way, kit.Empty("", kit.Box("p", "", "There’s nobody at this address. The account may have been erased.")))
	}
	return kit.Box("div", "",
		s.account(way, *p),
		s.signingIn(*p),
		s.leaving(*p),
	)
}

// account is what an admin may change of a person.
func (s *Section) account(way app.UI, p wire.Person) app.UI {
	people := &s.desk.People
	f := &people.Form
	return kit.El("section", "", kit.At{"id", "person"},
		way,
		kit.Box("h2", "", p.Name, kit.If(!p.Active, func() app.UI { return kit.Pill(nil, "deactivated") })),
		kit.Box("p", "soft", p.Email),
		trouble(people.Problem),
		s.form("person-form", "form-grid", people.Save,
			s.field(f, "person", admin.FieldName, "Name", nil, p.Name, "maxlength", wire.MaxPersonName),
			s.choice(f, "person", admin.FieldRole, "Role", nil, p.Role, roles()),
			kit.Box("p", "faint whole", admin.RoleWords(f.Value(admin.FieldRole, p.Role))),
			kit.Box("fieldset", "form-grid",
				kit.Box("legend", "", "Spending limits"),
				kit.Box("p", "faint whole", "Across all teams. Leave empty for no personal limit; those of teams and of everybody still apply."),
				s.limits(f, "person", p.Limits)),
			s.saving(f, "person", "Save", "Saved."),
		),
	)
}

// signingIn is how a person gets in, and how they are helped who can't.
func (s *Section) signingIn(p wire.Person) app.UI {
	people := &s.desk.People
	l := &people.Link
	var facts []app.UI
	fact := func(name string, words ...any) {
		facts = append(facts, kit.Box("dt", "", name), kit.Box("dd", "", words...))
	}
	fact("Password", has(p.Password))
	fact("Passkeys", has(p.Passkeys > 0, figure.Plural(p.Passkeys, "passkey", "passkeys")))
	fact("Authenticator app", has(p.TOTP))
	if p.OIDC {
		fact("Single sign-on", "yes")
	}
	fact("Last seen", admin.Ago(s.desk.Now(), p.SeenMS))
	if p.CreatedMS != 0 {
		fact("Here since", when(p.CreatedMS))
	}
	if teams := people.TeamNames(p); teams != "" {
		fact("Teams", teams)
	}
	return kit.El("section", "", kit.At{"id", "person-signin"},
		kit.Box("h2", "", "Signing in"),
		kit.Box("dl", "facts", facts),
		kit.Box("div", "line",
			kit.Button("", kit.At{"id", "reset", "disabled", l.Making || !p.Active}, s.Do("reset", people.Reset), "Create a reset link"),
			kit.El("a", "button", kit.At{"id", "person-audit", "href", admin.Filter{Person: p.ID}.Address()}, "What they did"),
		),
		kit.SayIf("p", "faint", kit.When(!p.Active, "Reactivate the account first.")),
		outcome("reset", l.Problem, ""),
		kit.If(l.URL != "", func() app.UI {
			return s.link("reset-link", l.URL, "Whoever opens this link sets a new password for "+p.Name+", which ends all their sessions.", func() {
				people.Link = admin.Link{}
				s.changed()
			})
		}),
	)
}

func has(it bool, words ...string) string {
	switch {
	case !it:
		return "none"
	case len(words) > 0:
		return words[0]
	}
	return "yes"
}
