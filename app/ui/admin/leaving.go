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

// leaving is how a person goes: each way says what it does before it is gone.
func (s *Section) leaving(p wire.Person) app.UI {
	people := &s.desk.People
	l := &people.Leaving
	own := p.ID == s.session.Me().ID
	way := func(id, name, why string) app.UI {
		return kit.Button("", kit.At{"id", "leave-" + id, "aria-expanded", l.Way == id, "disabled", l.Busy || why != "", "title", why},
			s.Do("leave-"+id, func() {
				if l.Way == id {
					id = ""
				}
				people.Leave(id)
			}), name)
	}
	return kit.El("section", "", kit.At{"id", "person-leaving"},
		kit.Box("h2", "", "Leaving"),
		kit.Box("p", "soft", "Deactivate someone who leaves first. Their work can go to somebody else or be deleted; what they spent stays in the ledger."),
		kit.Box("div", "line",
			kit.Either(p.Active,
				func() app.UI { return way(admin.Deactivate, "Deactivate…", "") },
				func() app.UI {
					return kit.Button("", kit.At{"id", "leave-return", "disabled", l.Busy}, s.Do("leave-return", people.Return), "Reactivate")
				}),
			way(admin.HandOver, "Hand over…", notYet(p, own)),
			way(admin.Erase, "Erase…", kit.When(own, notOneself)),
		),
		kit.SayIf("p", "faint", notYet(p, own)),
		outcome("leave", l.Problem, l.Done),
		kit.If(l.Way != "", func() app.UI { return s.leave(p) }),
	)
}

const notOneself = "Only another admin can hand over or erase your account."

// notYet says why a person can't be handed over from; "" that they can.
func notYet(p wire.Person, own bool) string {
	switch {
	case own:
		return notOneself
	case p.Active:
		return "Deactivate the account first: someone active may still be making more."
	}
	return ""
}

// leave asks once more about the way that was chosen.
func (s *Section) leave(p wire.Person) app.UI {
	people := &s.desk.People
	l := &people.Leaving
	var body []any
	verb := ""
	switch l.Way {
	case admin.Deactivate:
		verb = "Deactivate " + p.Name
		body = []any{kit.Box("p", "", "Their sessions and keys end at once and they can’t sign in. Running clips are finished. Nothing is deleted; you can reactivate the account.")}
	case admin.HandOver:
		verb = "Hand over"
		body = []any{
			kit.Box("p", "", "Conversations, clips, uploads and library of "+p.Name+" go to another person. What was spent stays theirs. This can’t be undone."),
			s.heir(p, "Choose somebody"),
			s.namedToGo(p),
		}
	case admin.Erase:
		verb = "Erase " + p.Name
		body = []any{
			kit.Box("p", "", "The account is deleted for good, with its name and e-mail. The ledger stays, under a pseudonym. This can’t be undone."),
			s.heir(p, "Nobody: delete all of it"),
			s.counts(l.Counts),
			s.namedToGo(p),
		}
	}
	return s.form("leave-form", "notice leave", people.Go, body,
		kit.Box("div", "line",
			kit.Button("danger", kit.At{"id", "leave-go", "type", "submit", "disabled", !people.Ready()}, nil, verb),
			kit.Button("plain", kit.At{"id", "leave-cancel"}, s.Do("leave-cancel", func() {
				way := l.Way
				people.Leave("")
				s.DOM.Focus("#leave-" + way)
			}), "Cancel"),
		),
	)
}

// heir chooses who gets what a person has.
func (s *Section) heir(p wire.Person, nobody string) app.UI {
	people := &s.desk.People
	options := kit.Options("", nobody)
	for _, one := range people.List {
		if one.ID != p.ID && one.Active && one.Role != wire.RoleGuest {
			options = append(options, kit.Option{Value: one.ID, Name: one.Name + " (" + one.Email + ")"})
		}
	}
	return kit.Labelled("leave-to", "Who gets what they have", nil,
		s.Select("leave-to", "Who gets what they have", "field", nil, people.Leaving.To, options, people.Give))
}

// counts are what an erasure would take.
func (s *Section) counts(e *wire.Erasing) app.UI {
	if e == nil {
		return kit.El("p", "soft", kit.At{"role", "status"}, "Counting…")
	}
	goes := "Deleted: "
	if e.HandedOver {
		goes = "Handed over: "
	}
	anyway := ""
	if words := admin.AnywayWords(*e); e.HandedOver && len(words) > 0 {
		anyway = "Deleted: " + strings.Join(words, ", ") + ". "
	}
	return kit.El("p", "", kit.At{"id", "leave-counts", "role", "status"}, goes+strings.Join(admin.CountWords(*e), ", ")+". "+anyway+
		"Kept under a pseudonym: "+rowsOf(e.LedgerRows)+" of the ledger.")
}

// namedToGo has the person's name typed before what can't be taken back.
func (s *Section) namedToGo(p wire.Person) app.UI {
	return kit.Labelled("leave-name", "Type the name, "+p.Name, nil,
		s.Field("leave-name", "field", nil, s.desk.People.Leaving.Name, s.desk.People.TypeName))
}

func rowsOf(n int64) string { return figure.Plural(n, "entry", "entries") }
