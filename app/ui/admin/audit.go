//go:build js && wasm

package admin

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/ui/kit"
)

// Audit is the page of what was done on the instance.
type Audit struct {
	app.Compo
	s   *Section
	Rev int
}

// Render implements app.Composer.
func (c *Audit) Render() (ui app.UI) {
	s := c.s
	defer s.Drawing("the audit", &ui)
	a := &s.desk.Audit
	return kit.El("section", "", kit.At{"id", "audit"},
		kit.Box("h2", "", "Audit"),
		kit.Box("p", "soft", "Changes to people, teams, keys and limits, newest first. Entries are only ever added, each sealed with those before; ",
			kit.Box("code", "", "screentest verify"), " checks them. Conversations are never in it."),
		s.auditFilters(),
		trouble(a.Problem),
		kit.Either(len(a.Rows) > 0, s.auditTable, func() app.UI { return s.auditEmpty(a) }),
		kit.If(a.More, func() app.UI {
			return kit.Button("wide", kit.At{"id", "audit-more", "disabled", a.Fetching}, s.Do("audit-more", a.Older), "Show older entries")
		}),
	)
}

func (s *Section) auditEmpty(a *admin.Audit) app.UI {
	switch {
	case !a.Came:
		return waiting(nil)
	case a.Filter != (admin.Filter{}):
		return kit.Empty("", kit.Box("p", "", "No line fits."), kit.El("a", "button", kit.At{"href", admin.Path(admin.PageAudit)}, "Show all"))
	}
	return kit.Empty("", kit.Box("p", "", "Nothing yet."))
}

// auditFilters narrow the lines. What is chosen stands in the address.
func (s *Section) auditFilters() app.UI {
	a := &s.desk.Audit
	to := func(change func(*admin.Filter)) {
		f := a.Filter
		change(&f)
		s.Context().Navigate(f.Address())
	}
	actions := kit.Options("", "Everything")
	for _, one := range admin.Actions() {
		actions = append(actions, kit.Option{Value: one.ID, Name: one.Name})
	}
	people := kit.Options("", "Everybody")
	for _, one := range s.desk.People.List {
		people = append(people, kit.Option{Value: one.ID, Name: one.Name})
	}
	return kit.Box("div", "line",
		s.Select("audit-action", "What was done", "field fits", nil, a.Filter.Action, actions, func(v string) { to(func(f *admin.Filter) { f.Action = v }) }),
		s.Select("audit-person", "Who did it", "field fits", nil, a.Filter.Person, people, func(v string) { to(func(f *admin.Filter) { f.Person = v }) }),
		s.auditDay("audit-from", "From", a.Filter.From, func(v string) { to(func(f *admin.Filter) { f.From = v }) }),
		s.auditDay("audit-to", "To", a.Filter.To, func(v string) { to(func(f *admin.Filter) { f.To = v }) }),
		kit.Box("div", "push"),
		kit.El("a", "button", kit.At{"id", "audit-download", "href", a.Download(), "download", "audit.jsonl", "title", "Every matching entry, as JSON lines"},
			kit.Icon(kit.IconExport, "icon small"), "Download"),
	)
}

func (s *Section) auditDay(id, name, day string, set func(string)) app.UI {
	return kit.El("label", "line soft", kit.At{"for", id}, kit.Box("span", "", name),
		s.Field(id, "field fits", kit.At{"type", "date"}, day, set))
}

func (s *Section) auditTable() app.UI {
	a := &s.desk.Audit
	return kit.El("table", "figures rows", kit.At{"id", "audit-table"}, head("When", "What", "From"),
		kit.Box("tbody", "", kit.Times(len(a.Rows), func(i int) app.UI {
			r := a.Rows[i]
			return kit.El("tr", "", kit.At{"data-action", r.Action},
				kit.El("td", "soft figure when", kit.At{"title", r.Action}, when(r.AtMS)),
				kit.Box("td", "who", kit.Box("span", "", kit.Box("strong", "", a.Who(r)), " "+a.What(r)),
					kit.SayIf("span", "faint", a.Detail(r))),
				kit.Box("td", "soft mono address", r.Address),
			)
		})))
}
