package main

import (
	"context"
	"fmt"
	"testing"

	"screentest/server/payer"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// The same with five people, who send for two teams and with keys of their own:
// what our ledger has of each person, team and key is to the nano-dollar what the
// accounts have of those who sent it, and nothing of any stays reserved.
func TestTheLedgerEqualsTheAccountsOfFivePeople(t *testing.T) {
	t.Parallel()
	const red, blue, own = "sk-canary-red", "sk-canary-blue", "sk-canary-own"
	h := newHouse(t, red, blue, own)
	h.payers = nil
	labels := map[string]string{red: "Red …-red", blue: "Blue …blue", own: "personal …-own"}
	var people []string // ids
	owners := map[string]string{}
	for i := range 5 {
		owner, id := storetest.Join(t, h.db, fmt.Sprint("person", i), wire.RoleMember)
		people, owners[id] = append(people, id), owner
	}
	teams := map[string]string{
		red:  storetest.Team(t, h.db, "Red", wire.Limits{}, people[:3]...),
		blue: storetest.Team(t, h.db, "Blue", wire.Limits{}, people[2:]...),
	}
	for i, id := range people {
		for key, pays := range map[string]bool{red: i < 3, blue: i >= 2, own: i == 0} {
			if pays {
				h.payers = append(h.payers, payer.Payer{Owner: owners[id], Team: teams[key], Label: labels[key], Secret: key})
			}
		}
	}
	h.operateAll()
	defer h.stop()
	h.reconcile()

	// Who sent what the accounts have now: each run and task once.
	booked := h.booked()
	sum := func(is func(payer.Payer) bool) (nano int64) {
		for id, b := range booked {
			if is(h.by[id]) {
				nano += b.nano
			}
		}
		return nano
	}
	spent := func(of wire.Of) wire.Spend {
		q := wholeTime
		q.Of = of
		page, err := h.db.SpendOfEverybody(context.Background(), q)
		h.must(err)
		return page
	}
	all := spent(wire.Of{})
	var total int64
	for key, label := range labels {
		var account int64
		for _, nano := range h.account(key) {
			account += nano
		}
		total += account
		if got := groupOf(all.PaidBy, func(g wire.SpendGroup) bool { return g.Key == label }); got != account || account == 0 {
			t.Errorf("the key %s: our ledger has %d, the account %d", label, got, account)
		}
		if team := teams[key]; team != "" {
			if got := groupOf(all.Teams, func(g wire.SpendGroup) bool { return g.ID == team }); got != account {
				t.Errorf("the team %s: our ledger has %d, the account %d", label, got, account)
			}
			if n, err := h.budget.ReservedByTeam(t.Context(), team); err != nil || n != 0 {
				t.Errorf("%d is still reserved for the team %s", n, label)
			}
		}
	}
	if all.Range.NanoUSD != total || all.Range.EstimatedNanoUSD != 0 {
		t.Errorf("our ledger has %+v, the accounts %d", all.Range, total)
	}
	for _, id := range people {
		owner := owners[id]
		if got, want := groupOf(all.People, func(g wire.SpendGroup) bool { return g.ID == id }), sum(func(by payer.Payer) bool { return by.Owner == owner }); got != want || want == 0 {
			t.Errorf("%s: our ledger has %d, what they sent makes %d", owner, got, want)
		}
		for key, team := range teams {
			got := spent(wire.Of{Person: id, Team: team, PaidBy: labels[key]}).Range.NanoUSD
			if want := sum(func(by payer.Payer) bool { return by.Owner == owner && by.Team == team }); got != want {
				t.Errorf("%s for %s: our ledger has %d, what they sent makes %d", owner, labels[key], got, want)
			}
		}
		if n, err := h.budget.Reserved(t.Context(), owner); err != nil || n != 0 {
			t.Errorf("%d is still reserved for %s", n, owner)
		}
	}
	storetest.CheckHours(t, h.db)
}

// groupOf is what the first such group cost.
func groupOf(groups []wire.SpendGroup, is func(wire.SpendGroup) bool) int64 {
	for _, g := range groups {
		if is(g) {
			return g.Sum.NanoUSD
		}
	}
	return 0
}
