package budget_test

import (
	"testing"

	"screentest/server/budget"
	"screentest/server/payer"
	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What a send waits for its budgets: alone, and with the limits of a person, a
// team of ten and everybody.
func BenchmarkReserve(b *testing.B) {
	db, local := storetest.OpenLocal(b)
	var ids []string
	var ann string
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		owner, id := storetest.Join(b, db, name, wire.RoleMember)
		ann, ids = owner, append(ids, id)
	}
	limits := wire.Limits{DayNanoUSD: 1 << 40, MonthNanoUSD: 1 << 40}
	red := storetest.Team(b, db, "red", limits, ids...)
	storetest.Must(b, db.ChangePerson(b.Context(), ann, wire.PersonChange{Limits: &limits}))
	for name, c := range map[string]struct {
		directory budget.Directory
		by        payer.Payer
	}{
		"alone":     {nil, payer.Payer{Owner: local}},
		"in a team": {directory{&world{db: db}}, payer.Payer{Owner: ann, Team: red}},
	} {
		b.Run(name, func(b *testing.B) {
			k := budget.New(budget.Config{Store: db, Directory: c.directory})
			defer k.Close()
			if _, err := k.SetBudgets(b.Context(), c.by.Owner, wire.BudgetSettings{DayNanoUSD: 1 << 40, MonthNanoUSD: 1 << 40}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				release, p := k.Reserve(b.Context(), c.by, wire.WhatText, "vendor/model-a", gateway.Quote{Cost: 1, Known: true})
				if p != nil {
					b.Fatal(p)
				}
				release()
			}
		})
	}
}
