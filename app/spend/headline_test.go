package spend

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestTheDaysAreComparedWithThoseBefore(t *testing.T) {
	for _, c := range []struct {
		name, now, place string
		view             View
		from, to         string // to inclusive
		called           string
	}{
		{"a week", "2026-11-21 12:00:00", "UTC", View{Range: Week}, "2026-11-08", "2026-11-14", "the 7 days before"},
		{"thirty days, over a change of the clock", "2026-11-21 12:00:00", "Europe/Berlin", View{Range: Days30}, "2026-09-23", "2026-10-22", "the 30 days before"},
		{"the month so far", "2026-11-21 12:00:00", "UTC", View{Range: Month}, "2026-10-01", "2026-10-21", "October up to the 21st"},
		{"a longer month than the one before", "2026-03-31 12:00:00", "UTC", View{Range: Month}, "2026-02-01", "2026-02-28", "February up to the 28th"},
		{"the first day of a year", "2026-01-01 12:00:00", "UTC", View{Range: Month}, "2025-12-01", "2025-12-01", "the first of December"},
		{"days of one's own", "2026-11-21 12:00:00", "UTC", View{Range: Custom, From: Date{2026, 3, 1}, To: Date{2026, 3, 3}}, "2026-02-26", "2026-02-28", "the 3 days before"},
		{"one day", "2026-11-21 12:00:00", "UTC", View{Range: Custom, From: Date{2026, 3, 1}, To: Date{2026, 3, 1}}, "2026-02-28", "2026-02-28", "the day before"},
	} {
		clock := at(t, c.place, c.now)
		q := c.view.query(clock)
		if from, to := clock.DateOf(q.PriorFrom).String(), clock.DateOf(q.PriorTo).Plus(-1).String(); from != c.from || to != c.to {
			t.Errorf("%s: compared with %s to %s, want %s to %s", c.name, from, to, c.from, c.to)
		}
		if got := c.view.priorName(clock.Today()); got != c.called {
			t.Errorf("%s: called %q, want %q", c.name, got, c.called)
		}
	}
}

func TestAChangeIsSaid(t *testing.T) {
	const dollar = 1_000_000_000
	for _, c := range []struct {
		now, before int64
		want        string
	}{
		{0, 0, ""},
		{dollar, 0, "Nothing in x"},
		{dollar, -dollar, "Nothing in x"}, // more was returned than charged
		{-dollar, 0, ""},
		{dollar, dollar, "As much as in x"},
		{1_180_000_000, dollar, "18\u202f% more than in x ($1.00)"},
		{dollar / 2, dollar, "50\u202f% less than in x ($1.00)"},
		{0, dollar, "100\u202f% less than in x ($1.00)"},
		{-dollar, dollar, "100\u202f% less than in x ($1.00)"},
		{1_001_000_000, dollar, "Less than 1\u202f% more than in x ($1.00)"},
		{25 * dollar, 2 * dollar, "12 times as much as in x ($2.00)"},
	} {
		if got := change(c.now, c.before, "x"); got != c.want {
			t.Errorf("%d after %d: %q, want %q", c.now, c.before, got, c.want)
		}
	}
}

func TestTheMonthIsForecast(t *testing.T) {
	d, _, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Spend = &wire.Spend{Month: wire.Sum{NanoUSD: 20e9}, Week: wire.Sum{NanoUSD: 7e9}}
	if got := d.Headline().Forecast; !strings.Contains(got, "November comes to about $29.00") {
		t.Errorf("20 dollars so far and one a day for 9 more: %q", got)
	}
	d.Spend.Week = wire.Sum{}
	if got := d.Headline().Forecast; got != "" {
		t.Errorf("nothing is spent any more: %q", got)
	}
	d, _, _ = desk(t, at(t, "UTC", "2026-12-31 12:00:00"))
	d.Spend = &wire.Spend{Month: wire.Sum{NanoUSD: 20e9}, Week: wire.Sum{NanoUSD: 7e9}}
	if got := d.Headline().Forecast; got != "" {
		t.Errorf("on the month's last day: %q", got)
	}
}
