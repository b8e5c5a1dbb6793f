package bff

import (
	"context"
	"encoding/json"
	"net/http"

	"screentest/server/people"
	"screentest/shared/wire"
)

// What this package does of which the audit has a line. Signing in, people,
// teams and keys note theirs themselves.

// noted are the calls that have a line once they were done, each with its action.
var noted = map[wire.Op]string{
	wire.OpSetKeep: "instance.changed",
	wire.OpCorrect: "ledger.corrected",
}

// noteCall notes a call that was done.
func (s *Server) noteCall(ctx context.Context, c wire.Call) {
	action, is := noted[c.Op]
	if !is {
		return
	}
	e := people.Event{Action: action, Detail: map[string]any{"call": c.Op}}
	if c.Op == wire.OpCorrect {
		var about wire.Correction
		_ = json.Unmarshal(c.Args, &about) // it could be: the call was done
		e.Object = about.Subject
	}
	s.People.Note(ctx, e)
}

// noteBudgets notes which budgets are others than they were: a person's own, or
// those of everybody.
func (s *Server) noteBudgets(ctx context.Context, who people.Person, was, now wire.BudgetSettings) {
	note := func(object string, day, month int64) {
		s.People.Note(ctx, people.Event{Action: "limits.changed", Object: object, Detail: map[string]any{"day_nano_usd": day, "month_nano_usd": month}})
	}
	if ofEverybody(was) != ofEverybody(now) {
		note(wire.ScopeEverybody, now.EverybodyDayNanoUSD, now.EverybodyMonthNanoUSD)
	}
	if who.Me != nil && ofOneself(was) != ofOneself(now) {
		note(who.Me.ID, now.DayNanoUSD, now.MonthNanoUSD)
	}
}

// noteExport notes that something is being taken out: what it is, and the id of
// the conversation if it is one. It is noted as it begins, for most of a file
// that breaks off is out as well.
func (s *Server) noteExport(r *http.Request, what, id string) {
	if r.Method != http.MethodHead {
		s.People.Note(r.Context(), people.Event{Action: "export.made", Object: id, Detail: map[string]any{"what": what}})
	}
}
