package budget_test

import (
	"strings"
	"testing"

	"screentest/server/payer"
	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// A model without a price would pass every limit of others for ever: it is never
// booked. So it is refused where one holds, reached or not, with whose it is and
// what to do. One's own budget lets it through.
func TestLimitsOfOthersRefuseWhatHasNoPrice(t *testing.T) {
	w := newTeamWorld(t)
	ann, annID := storetest.Join(t, w.db, "ann", wire.RoleMember)
	red := storetest.Team(t, w.db, "red", wire.Limits{}, annID)
	unknown := gateway.Quote{Basis: "no price is known for vendor/new"}
	own := func(n int64) {
		if _, err := w.SetBudgets(t.Context(), ann, wire.BudgetSettings{DayNanoUSD: n}); err != nil {
			t.Fatal(err)
		}
	}
	limit := func(n int64) { w.limit(ann, wire.Limits{MonthNanoUSD: n}) }
	team := func(n int64) {
		if err := w.db.ChangeTeam(t.Context(), red, wire.TeamChange{Limits: &wire.Limits{DayNanoUSD: n}}); err != nil {
			t.Fatal(err)
		}
	}
	everybody := func(n int64) { w.set(wire.BudgetSettings{EverybodyDayNanoUSD: n}) }
	const choose = "Choose a model that has a price"
	const ask = ". Or: Ask Ann to give this one a price in the catalogue."
	for _, c := range []struct {
		name       string
		set        []func(nano int64)
		by         payer.Payer
		says, hint string // "": it is let through
	}{
		{"none", nil, payer.Payer{Owner: ann, Team: red}, "", ""},
		{"her own", []func(int64){own}, payer.Payer{Owner: ann, Team: red}, "", ""},
		{"an admin's", []func(int64){own, limit}, payer.Payer{Owner: ann, Team: red}, "Your limit for this month, which an admin has set, is $2.00", choose + ask},
		{"the team's", []func(int64){own, team}, payer.Payer{Owner: ann, Team: red}, "The limit of red for this day is $2.00", choose + ask},
		{"everybody's", []func(int64){everybody}, payer.Payer{Owner: ann, Team: red}, "The budget of everybody for this day is $2.00", choose + ask},
		{"the team's and everybody's", []func(int64){team, everybody}, payer.Payer{Owner: ann, Team: red}, "The budget of everybody", choose + ask},
		{"her own key, an admin's", []func(int64){limit}, payer.Payer{Owner: ann}, "Your limit for this month", choose + ask},
		{"her own key, everybody's", []func(int64){everybody}, payer.Payer{Owner: ann}, "The budget of everybody", choose + ask},
		{"her own key, the team's", []func(int64){team}, payer.Payer{Owner: ann}, "", ""},
		{"who runs the server", []func(int64){team}, payer.Payer{Owner: w.owner, Team: red}, "The limit of red", choose + ". Or: Give this one a price in the catalogue that the server is started with."},
	} {
		for _, spent := range []int64{0, 3 * dollar} { // not reached, and passed
			for _, set := range c.set {
				set(2 * dollar)
			}
			if spent > 0 {
				w.spendBy(c.by.Owner, c.by.Team, spent)
			}
			release, p := w.Keeper.Reserve(t.Context(), c.by, wire.WhatVideo, "vendor/new", unknown)
			switch {
			case p == nil && c.says == "":
				release()
			case p == nil || c.says == "":
				t.Errorf("%s: %+v", c.name, p)
			case p.Code != wire.CodePriceUnknown || p.Field != "model" || !p.ByBudget() || !strings.Contains(p.Message, c.says) ||
				!strings.Contains(p.Message, "no price is known for the model vendor/new: what this clip costs would not count") || p.Hint != c.hint:
				t.Errorf("%s: %+v", c.name, p)
			}
			// What is known to cost nothing passes none.
			if _, p := w.Reserve(t.Context(), c.by, wire.WhatVideo, 0); p != nil {
				t.Errorf("%s: for nothing: %v", c.name, p)
			}
			for _, set := range c.set {
				set(0)
			}
		}
	}
	// Who is in several teams may charge another, and is told so.
	team(dollar)
	storetest.Team(t, w.db, "blue", wire.Limits{}, annID)
	_, p := w.ReserveText(t.Context(), payer.Payer{Owner: ann, Team: red}, gateway.Model{ID: "vendor/new", Endpoint: gateway.Chat}, []byte("{}"))
	if p == nil || !strings.Contains(p.Message, "The limit of the team red for this day is $1.00") || !strings.Contains(p.Message, "this answer") || p.Hint != choose+", or charge another team"+ask {
		t.Errorf("%+v", p)
	}
	if n := w.ReservedByEverybody(); n != 0 {
		t.Errorf("%d stays reserved", n)
	}
}

// One's own budget refuses what has no price where one chose that, and says how to
// change it; without a budget nothing is refused.
func TestOnesOwnBudgetRefusesWhatHasNoPrice(t *testing.T) {
	w := newWorld(t)
	unknown := gateway.Quote{Basis: "no price is known for vendor/new"}
	for _, c := range []struct {
		name    string
		set     wire.BudgetSettings
		refused bool
	}{
		{"let through", wire.BudgetSettings{DayNanoUSD: 1e9}, false},
		{"refused", wire.BudgetSettings{DayNanoUSD: 1e9, RefuseUnpriced: true}, true},
		{"no budget", wire.BudgetSettings{RefuseUnpriced: true}, false},
	} {
		now, err := w.SetBudgets(t.Context(), w.owner, c.set)
		if err != nil || now.Settings.RefuseUnpriced != c.set.RefuseUnpriced {
			t.Fatalf("%s: %+v, %v", c.name, now.Settings, err)
		}
		for _, s := range now.States {
			if s.NoPrice != c.refused {
				t.Errorf("%s: the page is told %v", c.name, s.NoPrice)
			}
		}
		release, p := w.Keeper.Reserve(t.Context(), w.me(), wire.WhatText, "vendor/new", unknown)
		if (p != nil) != c.refused {
			t.Fatalf("%s: %v", c.name, p)
		}
		if p == nil {
			release()
			continue
		}
		if p.Code != wire.CodePriceUnknown || !strings.Contains(p.Hint, "in the settings, under Budgets") {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
	// What costs nothing has a price.
	if _, err := w.SetBudgets(t.Context(), w.owner, wire.BudgetSettings{DayNanoUSD: 1e9, RefuseUnpriced: true}); err != nil {
		t.Fatal(err)
	}
	if _, p := w.Keeper.Reserve(t.Context(), w.me(), wire.WhatText, "vendor/free", gateway.Quote{Known: true}); p != nil {
		t.Error(p)
	}
}
