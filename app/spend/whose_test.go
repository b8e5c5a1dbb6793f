package spend

import (
	"net/url"
	"slices"
	"testing"

	"screentest/shared/wire"
)

func names(list []Whose) (all []string, on string) {
	for _, w := range list {
		all = append(all, w.Name)
		if w.On {
			on += w.Name
		}
	}
	return all, on
}

// Whose spend may be chosen depends on who looks.
func TestWhoseSpend(t *testing.T) {
	lead := &wire.Me{ID: "ann", Teams: []wire.MyTeam{{ID: "red", Name: "Red", Lead: true}, {ID: "all", Name: "Everyone"}}}
	for _, c := range []struct {
		name  string
		me    *wire.Me
		spend wire.Spend
		view  View
		want  []string
		on    string
	}{
		{"alone", nil, wire.Spend{MayEverybody: true, Alone: true}, View{}, nil, ""},
		{"a member", &wire.Me{ID: "ann", Teams: lead.Teams[1:]}, wire.Spend{}, View{}, nil, ""},
		{"a lead", lead, wire.Spend{}, View{}, []string{"Mine", "Red"}, "Mine"},
		{"a lead of their team", lead, wire.Spend{}, View{Of: wire.Of{Team: "red"}}, []string{"Mine", "Red"}, "Red"},
		{"a lead of somebody in it", lead, wire.Spend{}, View{Of: wire.Of{Team: "red", Person: "ben"}}, []string{"Mine", "Red"}, "Red"},
		{"an admin", lead, wire.Spend{MayEverybody: true}, View{}, []string{"Mine", "Everybody’s"}, "Mine"},
		{"an admin of a team", lead, wire.Spend{MayEverybody: true}, View{Of: wire.Of{Everybody: true, Team: "red"}}, []string{"Mine", "Everybody’s"}, "Everybody’s"},
	} {
		d := &Desk{Me: c.me, Spend: &c.spend, View: c.view}
		if got, on := names(d.Whose()); !slices.Equal(got, c.want) || on != c.on {
			t.Errorf("%s: %q with %q shown", c.name, got, on)
		}
	}
}

// A person's, a team's and a key's spend is everybody's narrowed, and what it is
// narrowed to can be taken away one by one.
func TestNarrowings(t *testing.T) {
	d := &Desk{Me: &wire.Me{ID: "ann", Role: wire.RoleAdmin}, Spend: &wire.Spend{
		MayEverybody: true, People: []wire.SpendGroup{{ID: "ben", Key: "Ben"}, {ID: "ann", Key: "Ann"}}, Teams: []wire.SpendGroup{{ID: "red", Key: "Red"}},
	}}
	d.View = ParseView(map[string][]string{"who": {"everybody"}, "person": {"ben"}, "team": {"red"}, "paid_by": {"Red …1234"}})
	u, err := url.Parse(d.View.Address())
	if err != nil {
		t.Fatal(err)
	}
	if again := ParseView(u.Query()); again != d.View {
		t.Errorf("the address leads to %+v", again)
	}
	if of := d.View.of(); of != (wire.Of{Person: "ben", Team: "red", PaidBy: "Red …1234"}) {
		t.Errorf("it asks for %+v", of)
	}
	var got []string
	for _, n := range d.Narrowings() {
		got = append(got, n.Name)
		if n.Without == d.View || !n.Without.Everybody {
			t.Errorf("without %s it shows %+v", n.Name, n.Without.Of)
		}
	}
	if !slices.Equal(got, []string{"Ben", "Red", "Red …1234"}) {
		t.Errorf("narrowed to %q", got)
	}
	d.View.Of = wire.Of{Everybody: true, PaidBy: "sandbox"}
	if of := d.View.of(); !of.Everybody {
		t.Errorf("a key of everybody's asks for %+v", of)
	}
	d.View.Of = wire.Of{Team: "red"} // chosen by who leads it
	if n := d.Narrowings(); len(n) != 0 {
		t.Errorf("a team of one's own is narrowed to %v", n)
	}
}

func TestSplitsAndRowsOfOthers(t *testing.T) {
	d := &Desk{Me: &wire.Me{ID: "ann"}, Spend: &wire.Spend{}, View: ParseView(nil)}
	if got := d.Splits(); !slices.Equal(got, []string{wire.SplitByKind, wire.SplitByModel}) {
		t.Errorf("of one person's own: %q", got)
	}
	two := make([]wire.SpendGroup, 2)
	d.Spend = &wire.Spend{People: two, Teams: two, PaidBy: two}
	if got := d.Splits(); len(got) != 5 || SplitName(got[4]) != "By key" || SplitName(got[2]) != "By person" {
		t.Errorf("of several: %q", got)
	}
	row := wire.LedgerRow{What: wire.WhatVideo, Subject: "clip", PersonID: "ben", Person: "Ben", PaidBy: "Red …1234"}
	if d.Own(row) || d.RowAddress(row) != "" || d.Payer(row) != "Ben · Red …1234" {
		t.Errorf("somebody else's leads to %q, paid by %q", d.RowAddress(row), d.Payer(row))
	}
	row.PersonID = "ann"
	if d.RowAddress(row) != "/video/clip" || d.Payer(row) != "Red …1234" {
		t.Errorf("one's own leads to %q, paid by %q", d.RowAddress(row), d.Payer(row))
	}
	for _, c := range []struct {
		of   wire.Of
		b    wire.BudgetState
		want bool
	}{
		{wire.Of{}, wire.BudgetState{Scope: wire.ScopePerson}, true},
		{wire.Of{}, wire.BudgetState{Scope: wire.ScopeTeam, Team: "red"}, false},
		{wire.Of{Team: "red"}, wire.BudgetState{Scope: wire.ScopeTeam, Team: "red"}, true},
		{wire.Of{Team: "red"}, wire.BudgetState{Scope: wire.ScopeLimit}, false},
		{wire.Of{Everybody: true}, wire.BudgetState{Scope: wire.ScopeEverybody}, true},
		{wire.Of{Everybody: true, Team: "red"}, wire.BudgetState{Scope: wire.ScopeEverybody}, false},
	} {
		if got := (View{Of: c.of}).Shows(c.b); got != c.want {
			t.Errorf("%+v shows %+v: %t", c.of, c.b, got)
		}
	}
}
