package spend

import (
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// berlin is a daily budget by the days of Berlin, 21 November 2026.
func berlin(t *testing.T, spent int64) wire.BudgetState {
	t.Helper()
	c := at(t, "Europe/Berlin", "2026-11-21 12:00:00")
	return wire.BudgetState{
		Scope: wire.ScopePerson, Period: wire.PeriodDay, LimitNanoUSD: 5_000_000_000, SpentNanoUSD: spent, Zone: "Europe/Berlin",
		FromMS: c.Midnight(Date{2026, 11, 21}), ToMS: c.Midnight(Date{2026, 11, 22}), Warn: spent >= 4_000_000_000,
	}
}

func TestABudgetSaysHowMuchIsUsedAndWhenItBeginsAnew(t *testing.T) {
	for _, c := range []struct {
		name, place     string
		spent, reserved int64
		want            string
	}{
		{"at home", "Europe/Berlin", 4_620_000_000, 0, "92\u202f% of your daily budget is used: $4.62 of $5.00. It resets on Sun 22 Nov at 00:00."},
		{"what is under way", "Europe/Berlin", 4_999_999_999, 100_000_000, "99\u202f% of your daily budget is used: $5.00 of $5.00, and $0.10 is reserved. It resets on Sun 22 Nov at 00:00."},
		{"spent", "Europe/Berlin", 5_180_000_000, 0, "Your daily budget is used up: $5.18 of $5.00. It resets on Sun 22 Nov at 00:00."},
		{"on a journey", "Asia/Tokyo", 4_000_000_000, 0, "80\u202f% of your daily budget is used: $4.00 of $5.00. It resets on Sun 22 Nov at 08:00, midnight in Europe/Berlin."},
	} {
		s := berlin(t, c.spent)
		s.ReservedNanoUSD = c.reserved
		if got := Words(s, at(t, c.place, "2026-11-21 12:00:00")); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if got := Mark(s); strings.HasPrefix(c.want, got) == (c.name == "spent") || c.name == "spent" && got != "used up" {
			t.Errorf("%s: the mark is %q", c.name, got)
		}
	}
}

func TestAZoneIsNamedOnlyWhereItCountsOtherHours(t *testing.T) {
	for _, c := range []struct {
		place, period string
		want          string
	}{
		{"Europe/Berlin", wire.PeriodDay, ""},
		{"Europe/Rome", wire.PeriodDay, ""}, // the same hours
		{"UTC", wire.PeriodDay, "Europe/Berlin"},
		{"Europe/Rome", wire.PeriodMonth, ""},
		{"America/New_York", wire.PeriodMonth, "Europe/Berlin"},
	} {
		home := at(t, "Europe/Berlin", "2026-12-21 12:00:00")
		s := wire.BudgetState{Period: c.period, Zone: "Europe/Berlin", FromMS: home.Midnight(Date{2026, 12, 21}), ToMS: home.Midnight(Date{2026, 12, 22})}
		if c.period == wire.PeriodMonth {
			s.FromMS, s.ToMS = home.Midnight(Date{2026, 12, 1}), home.Midnight(Date{2027, 1, 1})
		}
		d, _, _ := desk(t, at(t, c.place, "2026-12-21 12:00:00"))
		d.Spend = &wire.Spend{Budgets: []wire.BudgetState{s}}
		if got := OtherZone(s, d.Clock); got != c.want {
			t.Errorf("%s in %s: %q, want %q", c.period, c.place, got, c.want)
		}
		if got := d.ZoneOfDays(); (got == c.place) != (c.want != "") {
			t.Errorf("%s in %s: the page's own is named %q", c.period, c.place, got)
		}
	}
}

// A warning is told when it comes, stands on every page for as long as it is
// true, after a reload too, and ends with its day.
func TestAWarningLastsAsLongAsItIsTrue(t *testing.T) {
	d, s, l := desk(t, at(t, "Europe/Berlin", "2026-11-21 12:00:00"))
	d.News(session.Greeting{})
	month := wire.BudgetState{Period: wire.PeriodMonth, LimitNanoUSD: 100_000_000_000, SpentNanoUSD: 90_000_000_000, ToMS: berlin(t, 0).ToMS, Warn: true}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{month, berlin(t, 4_600_000_000)}})
	if list := d.Budgets.Warned(); len(list) != 2 || list[0].Period != wire.PeriodDay {
		t.Fatalf("after a reload: %+v", list)
	}
	if len(l.told) != 0 {
		t.Errorf("told again: %q", l.told)
	}
	// The day is over.
	asked := len(s.calls)
	l.waiting[len(l.waiting)-1]()
	if len(s.calls) != asked+1 {
		t.Fatal("the end of the day is not looked at")
	}
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{berlin(t, 0)}})
	if len(d.Budgets.Warned()) != 0 {
		t.Error("the warning outlives its day")
	}
	// The share is passed again.
	d.News(berlin(t, 4_000_000_000))
	if len(l.told) != 1 || !strings.Contains(l.told[0], "$4.00 of $5.00") {
		t.Errorf("told %q", l.told)
	}
	l.waiting[len(l.waiting)-1]()
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{berlin(t, 4_000_000_000)}})
	d.News(wire.Run{State: wire.Done})
	d.News(wire.Run{State: wire.Done})
	asked = len(s.calls)
	l.waiting[len(l.waiting)-1]()
	s.last(wire.OpBudgets).answer(t, wire.Budgets{States: []wire.BudgetState{berlin(t, 4_900_000_000)}})
	if list := d.Budgets.Warned(); len(s.calls) != asked+1 || len(list) != 1 || list[0].SpentNanoUSD != 4_900_000_000 {
		t.Errorf("%d calls, %+v", len(s.calls)-asked, list)
	}
}
