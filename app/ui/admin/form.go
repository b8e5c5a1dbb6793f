//go:build js && wasm

package admin

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/app/admin"
	"screentest/app/ui/kit"
	"screentest/shared/wire"
)

// field is a line of a form, with what is wrong with it. Its id begins with that
// of the form.
func (s *Section) field(f *admin.Form, form, field, name string, note any, set string, at ...any) app.UI {
	id := form + "-" + field
	return kit.Labelled(id, name, note,
		s.Field(id, "field", said(f, id, field, at), f.Value(field, set), func(text string) { s.typed(f, field, text, set) }),
		wrong(f, id, field))
}

// choice is field with a list to choose from.
func (s *Section) choice(f *admin.Form, form, field, name string, note any, set string, options []kit.Option) app.UI {
	id := form + "-" + field
	return kit.Labelled(id, name, note,
		s.Select(id, name, "field", said(f, id, field, nil), f.Value(field, set), options, func(value string) { s.typed(f, field, value, set) }),
		wrong(f, id, field))
}

// toggle is a switch of a form, with what it means.
func (s *Section) toggle(f *admin.Form, form, field, name, means string, set bool) app.UI {
	id := form + "-" + field
	return kit.Box("div", "labelled",
		kit.Box("label", "switch-line", kit.Box("span", "label", name),
			s.Switch(id, "switch", said(f, id, field, nil), f.On(field, set), func(on bool) { s.typed(f, field, admin.Bool(on), admin.Bool(set)) })),
		kit.Box("p", "faint", means),
		wrong(f, id, field))
}

func (s *Section) typed(f *admin.Form, field, text, set string) {
	f.Type(field, text, set)
	s.changed()
}

func said(f *admin.Form, id, field string, more []any) kit.At {
	at := kit.At(more)
	if f.Wrong[field] != "" {
		at = append(at, "aria-invalid", true, "aria-describedby", id+"-wrong")
	}
	return at
}

func wrong(f *admin.Form, id, field string) app.UI {
	return kit.El("p", "outcome bad", kit.At{"id", id + "-wrong", "hidden", f.Wrong[field] == ""}, f.Wrong[field])
}

// limits are the fields of what may be spent.
func (s *Section) limits(f *admin.Form, form string, set wire.Limits) []app.UI {
	texts := admin.LimitTexts(set, s.desk.Zone())
	return []app.UI{
		s.field(f, form, admin.Day, "A day", "$", texts[admin.Day], "inputmode", "decimal"),
		s.field(f, form, admin.Month, "A month", "$", texts[admin.Month], "inputmode", "decimal"),
		s.field(f, form, admin.Warn, "Warn at", "%", texts[admin.Warn], "inputmode", "numeric"),
		s.field(f, form, admin.Zone, "Budget time zone", "", texts[admin.Zone]),
	}
}

// form is a form that is sent as a whole; its id is also that of the handler.
func (s *Section) form(id, class string, send func(), kids ...any) app.UI {
	return kit.El("form", class, kit.At{"id", id, "onsubmit", s.On(id, func(_ app.Context, e app.Event) {
		e.PreventDefault()
		send()
	})}, kids...)
}

// saving ends a form: how it went, and its buttons.
func (s *Section) saving(f *admin.Form, form, save, saved string) []app.UI {
	words := ""
	if f.Saved {
		words = saved
	}
	return []app.UI{
		outcome(form, f.Problem, words),
		kit.Box("div", "line",
			kit.Button("primary", kit.At{"id", form + "-save", "type", "submit", "disabled", f.Saving}, nil, save),
			kit.Button("", kit.At{"id", form + "-undo", "hidden", !f.Touched()}, s.Do(form+"-undo", func() { f.Reset(); s.changed() }), "Undo changes"),
		),
	}
}

// outcome is how something went; nothing is said before.
func outcome(of string, p *wire.Problem, done string) app.UI {
	if p != nil {
		return kit.Outcome(of+"-outcome", false, p.Words())
	}
	return kit.Outcome(of+"-outcome", true, done)
}

// trouble says why a list isn't there, or isn't as it is now.
func trouble(p *wire.Problem) app.UI {
	if p == nil {
		return kit.Nothing()
	}
	return kit.Notice(kit.Bad, "", kit.At{"role", "alert"}, kit.Box("p", "", p.Message), kit.SayIf("p", "todo", p.Hint))
}

// waiting stands where a list has not come yet.
func waiting(p *wire.Problem) app.UI {
	if p != nil {
		return trouble(p)
	}
	return kit.El("p", "soft", kit.At{"role", "status"}, "Loading…")
}

// link shows a link once, to be copied.
func (s *Section) link(id, url, means string, hide func()) app.UI {
	return kit.Notice(kit.Info, "once", kit.At{"id", id, "role", "status"},
		kit.Box("p", "", means),
		kit.Box("div", "line",
			kit.Fixed("field mono", kit.At{"id", id + "-url", "type", "text", "aria-label", "The link"}, url),
			kit.Button("primary", kit.At{"id", id + "-copy"}, s.On(id+"-copy", func(_ app.Context, e app.Event) {
				s.CopyTo(url, s.DOM.ByID(id+"-copy"))
			}), "Copy the link"),
			kit.Button("", kit.At{"id", id + "-hide"}, s.Do(id+"-hide", hide), "Done"),
		),
		kit.Box("p", "soft", "It’s shown only once. Send it privately."),
	)
}

// roles are the roles to choose from.
func roles() []kit.Option {
	return kit.Options(wire.RoleMember, "Member", wire.RoleGuest, "Guest", wire.RoleAdmin, "Admin")
}

// back leads from one of a list to the list.
func back(page, name string) app.UI {
	return kit.El("a", "back", kit.At{"id", "back", "href", admin.Path(page)}, kit.Icon(kit.IconBack, "icon small"), name)
}

// head is a row of the heads of a table's columns; "" is one with buttons.
func head(names ...string) app.UI {
	return kit.Box("thead", "", kit.Box("tr", "", kit.Times(len(names), func(i int) app.UI {
		if names[i] == "" {
			return kit.Box("td", "")
		}
		return kit.El("th", "", kit.At{"scope", "col"}, names[i])
	})))
}
