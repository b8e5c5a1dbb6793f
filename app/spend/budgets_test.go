package spend

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestBudgetsAreCheckedBeforeTheyAreSent(t *testing.T) {
	d, s, _ := desk(t, at(t, "Europe/Berlin", "2026-11-21 12:00:00"))
	d.Budgets.Want()
	d.Budgets.Want()
	if len(s.calls) != 1 {
		t.Fatalf("asked %d times", len(s.calls))
	}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{})
	if f := d.Budgets.Shown(); f.Zone != "Europe/Berlin" || f.Warn != "80" || f.MaxOutput != "16384" || f.Day != "" {
		t.Errorf("an empty form shows %+v", f)
	}
	d.Budgets.Type(func(f *BudgetForm) { f.Day, f.Month, f.Warn, f.MaxOutput = "ten", "0", "101", "" })
	d.Budgets.Save()
	for _, field := range []string{FieldDay, FieldMonth, FieldWarn, FieldMaxOutput} {
		if d.Budgets.Wrong[field] == "" {
			t.Errorf("%s is not complained of", field)
		}
	}
	if len(s.calls) != 1 {
		t.Fatal("a wrong form was sent")
	}
	d.Budgets.Type(func(f *BudgetForm) { f.Day, f.Month, f.Warn, f.MaxOutput = "$2.50", " 40 ", "75", "9000" })
	if len(d.Budgets.Wrong) != 0 {
		t.Errorf("still wrong: %v", d.Budgets.Wrong)
	}
	d.Budgets.Save()
	d.Budgets.Save() // a double click
	set := s.last(wire.OpSetBudget)
	want := wire.BudgetSettings{DayNanoUSD: 2_500_000_000, MonthNanoUSD: 40_000_000_000, WarnPercent: 75, MaxOutput: 9000, Zone: "Europe/Berlin"}
	if got := set.args.(wire.BudgetSettings); got != want || len(s.calls) != 2 {
		t.Errorf("sent %+v in %d calls", got, len(s.calls))
	}
	set.done(nil, &wire.Problem{Message: "No such zone."})
	if f := d.Budgets.Shown(); f.Day != "$2.50" || d.Budgets.Saved {
		t.Errorf("what was typed is gone: %+v", f)
	}
	d.Budgets.Save()
	s.last(wire.OpSetBudget).answer(t, wire.Budgets{Settings: want, States: []wire.BudgetState{{}}})
	if f := d.Budgets.Shown(); f.Day != "2.5" || !d.Budgets.Saved || d.Budgets.Form != nil {
		t.Errorf("after saving the form shows %+v", f)
	}
}

func TestBudgetsOfEverybodyAreForSeveralPeople(t *testing.T) {
	for _, c := range []struct {
		name string
		now  *wire.Budgets
		want bool
	}{
		{"not known yet", nil, false},
		{"others, who may not", &wire.Budgets{}, false},
		{"others, and one may", &wire.Budgets{MayEverybody: true}, true},
		{"alone", &wire.Budgets{MayEverybody: true, Alone: true}, false},
		{"alone, and one was set before", &wire.Budgets{MayEverybody: true, Alone: true, Settings: wire.BudgetSettings{EverybodyDayNanoUSD: 1}}, true},
	} {
		if got := (&Budgets{Now: c.now}).ForEverybody(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// With accounts those of everybody are set with the instance, and saving one's
// own leaves them as they are by then.
func TestBudgetsOfEverybodyAreTheInstances(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.News(session.Greeting{Runs: true, Me: &wire.Me{ID: "p", Role: wire.RoleAdmin}})
	d.Budgets.Want()
	s.last(wire.OpBudgets).answer(t, wire.Budgets{MayEverybody: true, Settings: wire.BudgetSettings{EverybodyDayNanoUSD: 2, MaxOutput: 5}})
	if d.Budgets.ForEverybody() {
		t.Error("they are to be seen in two places")
	}
	d.Budgets.Type(func(f *BudgetForm) { f.Day = "1" })
	d.News(wire.Budgets{MayEverybody: true, Settings: wire.BudgetSettings{EverybodyDayNanoUSD: 3, MaxOutput: 5}})
	d.Budgets.Save()
	if got := s.last(wire.OpSetBudget).args.(wire.BudgetSettings); got.EverybodyDayNanoUSD != 3 || got.DayNanoUSD != 1e9 {
		t.Errorf("sent %+v", got)
	}
}

// Everybody's share and zone have fields of their own, and go to the server
// only from who sees them.
func TestEverybodysShareAndZoneAreInTheForm(t *testing.T) {
	d, s, _ := desk(t, at(t, "Europe/Berlin", "2026-11-21 12:00:00"))
	d.Budgets.Want()
	set := wire.BudgetSettings{DayNanoUSD: 1, EverybodyDayNanoUSD: 2, WarnPercent: 80, EverybodyWarnPercent: 60, EverybodyZone: "Asia/Tokyo", MaxOutput: 5}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{MayEverybody: true, Settings: set})
	if f := d.Budgets.Shown(); f.EverybodyWarn != "60" || f.EverybodyZone != "Asia/Tokyo" || f.Zone != "UTC" {
		t.Errorf("shown %+v", f)
	}
	d.Budgets.Type(func(f *BudgetForm) { f.EverybodyWarn = "0" })
	if d.Budgets.Save(); d.Budgets.Wrong[FieldEverybodyWarn] == "" {
		t.Error("a share of nothing is not complained of")
	}
	d.Budgets.Type(func(f *BudgetForm) { f.EverybodyWarn, f.EverybodyZone = "70", "" })
	d.Budgets.Save()
	if got := s.last(wire.OpSetBudget).args.(wire.BudgetSettings); got.EverybodyWarnPercent != 70 || got.EverybodyZone != "UTC" || got.WarnPercent != 80 {
		t.Errorf("sent %+v", got)
	}
	s.last(wire.OpSetBudget).answer(t, wire.Budgets{Settings: set})
	d.Budgets.Save()
	if got := s.last(wire.OpSetBudget).args.(wire.BudgetSettings); got.EverybodyWarnPercent != 0 || got.EverybodyZone != "" || got.EverybodyDayNanoUSD != 2 {
		t.Errorf("who does not see them sent %+v", got)
	}
}

// Nobody is told to ask themself for more.
func TestWhomToAsk(t *testing.T) {
	b, _, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	b.News(session.Greeting{Me: &wire.Me{ID: "ben", Name: "Ben"}})
	for _, c := range []struct {
		state wire.BudgetState
		want  string
	}{
		{wire.BudgetState{Scope: wire.ScopePerson}, ""},
		{wire.BudgetState{Scope: wire.ScopeLimit, Ask: []string{"Ann"}}, "Set by others: ask Ann for more."},
		{wire.BudgetState{Scope: wire.ScopeTeam, Ask: []string{"Ann", "Ben"}}, ""},
	} {
		if got := b.Asking(c.state); got != c.want {
			t.Errorf("%+v: %q, want %q", c.state, got, c.want)
		}
	}
}
