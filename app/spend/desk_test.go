package spend

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestAnAnswerToAnOlderQuestionIsDropped(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Go(View{Range: Week})
	older := s.last(wire.OpSpend)
	d.Go(View{Range: Month})
	s.last(wire.OpSpend).answer(t, wire.Spend{ReservedNanoUSD: 2})
	older.answer(t, wire.Spend{ReservedNanoUSD: 1})
	if d.Spend.ReservedNanoUSD != 2 {
		t.Errorf("the page shows %+v", d.Spend)
	}
}

func TestLedgerPagesFollowEachOther(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Go(View{Range: Week, Day: Date{2026, 11, 20}, Model: "m"})
	first := s.last(wire.OpLedger)
	if q := first.args.(wire.LedgerQuery); q.From != 1795132800000 || q.To-q.From != 86_400_000 || q.Model != "m" {
		t.Errorf("asked for %+v", q)
	}
	first.answer(t, wire.LedgerPage{Rows: []wire.LedgerRow{{N: 2}}, Before: "2", Total: &wire.Sum{Rows: 2}})
	d.FetchMore()
	d.FetchMore() // a double click
	second := s.last(wire.OpLedger)
	if n := len(s.calls); n != 3 || second.args.(wire.LedgerQuery).Before != "2" {
		t.Fatalf("%d calls, the last %+v", n, second.args)
	}
	second.answer(t, wire.LedgerPage{Rows: []wire.LedgerRow{{N: 1}}})
	if len(d.Rows) != 2 || d.Rows[1].N != 1 || d.More || d.Total.Rows != 2 {
		t.Errorf("rows %+v, more %v, total %+v", d.Rows, d.More, d.Total)
	}
}

func TestTheShownPageFollowsWhatIsSpent(t *testing.T) {
	d, s, l := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	ended := wire.Run{ID: "r", State: wire.Done}
	d.News(ended)
	if len(l.waiting) != 0 {
		t.Error("a page that is not shown is kept up to date")
	}
	d.Go(View{Range: Week})
	before := len(s.calls)
	d.News(ended)
	d.News(ended)
	if len(l.waiting) != 1 {
		t.Fatalf("%d renewals are planned, want one for both", len(l.waiting))
	}
	l.waiting[0]()
	if len(s.calls) != before+2 {
		t.Errorf("%d calls for a renewal", len(s.calls)-before)
	}
}

func TestRowsLeadToWhatTheyPaidFor(t *testing.T) {
	for _, c := range []struct {
		row            wire.LedgerRow
		name, kind, to string
	}{
		{wire.LedgerRow{Kind: wire.KindCharge, What: wire.WhatText, Model: "m", Conversation: "c", Message: "a", Title: "Boats"}, "Boats", "m", "/c/c?m=a"},
		{wire.LedgerRow{Kind: wire.KindCharge, What: wire.WhatText, Model: "m", Subject: "r"}, "Text", "m", ""},
		{wire.LedgerRow{Kind: wire.KindReturn, What: wire.WhatVideo, Model: "m", Subject: "t"}, "Video", "Return · m", "/video/t"},
		{wire.LedgerRow{Kind: wire.KindCorrection, What: wire.WhatText, Model: "m", Conversation: "c"}, "Text", "Correction · m", "/c/c"},
	} {
		if name, kind := RowName(c.row), RowKind(c.row); name != c.name || kind != c.kind {
			t.Errorf("%+v is called %q, %q", c.row, name, kind)
		}
		if got := (&Desk{}).RowAddress(c.row); got != c.to {
			t.Errorf("%+v leads to %q", c.row, got)
		}
	}
}

// What another tab sets is seen here, and takes away nothing that is typed.
func TestSettingsOfAnotherTabAreTaken(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	d.Budgets.Want()
	s.last(wire.OpBudgets).answer(t, wire.Budgets{})
	d.Retention.Want()
	s.last(wire.OpKeep).answer(t, wire.Retention{})
	d.Budgets.Type(func(f *BudgetForm) { f.Day = "2" })
	for _, news := range []session.News{
		wire.Budgets{Settings: wire.BudgetSettings{MonthNanoUSD: 5_000_000_000}, States: []wire.BudgetState{{}}},
		wire.Retention{WireDays: 30},
	} {
		d.News(news)
	}
	if f := d.Budgets.Shown(); f.Day != "2" || d.Budgets.Now.Settings.MonthNanoUSD != 5_000_000_000 || len(d.Budgets.Now.States) != 1 {
		t.Errorf("shown are %+v of %+v", f, d.Budgets.Now)
	}
	if w, _ := d.Retention.Shown(); w != "30" {
		t.Errorf("wire events are kept %q days", w)
	}
}
