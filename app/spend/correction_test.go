package spend

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestACostIsPutRight(t *testing.T) {
	d, s, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
	row := wire.LedgerRow{N: 7, Kind: wire.KindCharge, Subject: "run-1", CostNanoUSD: 165_000}
	for kind, want := range map[string]bool{wire.KindCharge: true, wire.KindReturn: false, wire.KindCorrection: false} {
		if Correctable(wire.LedgerRow{Kind: kind}) != want {
			t.Errorf("a %s can be put right: want %v", kind, want)
		}
	}
	d.Correction.Open(row)
	for _, text := range []string{"", "x", "-1", "1000001"} {
		d.Correction.Type(text)
		if d.Correction.Save(); d.Correction.Wrong == "" || len(s.calls) != 0 {
			t.Errorf("%q: %q, %d calls", text, d.Correction.Wrong, len(s.calls))
		}
	}
	d.Correction.Type(" $0.0002 ")
	if d.Correction.Wrong != "" {
		t.Errorf("still wrong: %s", d.Correction.Wrong)
	}
	d.Correction.Save()
	d.Correction.Save() // a double click
	if got := s.last(wire.OpCorrect).args.(wire.Correction); got != (wire.Correction{Subject: "run-1", CostNanoUSD: 200_000}) || len(s.calls) != 1 {
		t.Fatalf("sent %+v in %d calls", got, len(s.calls))
	}
	s.last(wire.OpCorrect).done(nil, &wire.Problem{Message: "The disk is full."})
	if d.Correction.Row != 7 || d.Correction.Text != " $0.0002 " || d.Correction.Problem == nil || d.Correction.Saving {
		t.Errorf("after a failure: %+v", d.Correction)
	}
	d.Correction.Save()
	var told int64
	d.Correction.Booked = func(row int64) { told = row }
	s.last(wire.OpCorrect).answer(t, wire.LedgerRow{N: 8, Kind: wire.KindCorrection})
	if d.Correction.Row != 0 {
		t.Error("the form is still there")
	}
	s.last(wire.OpSpend) // the figures are asked for anew, and the rows
	if told != 0 {
		t.Error("told before the rows are there")
	}
	s.last(wire.OpLedger).answer(t, wire.LedgerPage{Rows: []wire.LedgerRow{{N: 8}, row}})
	if told != 7 || d.Correction.Booked == nil {
		t.Errorf("told of row %d", told)
	}
}

// A figure is corrected by who runs the server, of their own rows.
func TestWhoCorrects(t *testing.T) {
	mine, other := wire.LedgerRow{Kind: wire.KindCharge, PersonID: "ann"}, wire.LedgerRow{Kind: wire.KindCharge, PersonID: "ben"}
	for _, c := range []struct {
		name  string
		hello session.Greeting
		want  [2]bool // mine, another's
	}{
		{"somebody alone", session.Greeting{Runs: true}, [2]bool{true, true}},
		{"an admin", session.Greeting{Runs: true, Me: &wire.Me{ID: "ann"}}, [2]bool{true, false}},
		{"a member", session.Greeting{Me: &wire.Me{ID: "ann"}}, [2]bool{false, false}},
	} {
		b, _, _ := desk(t, at(t, "UTC", "2026-11-21 12:00:00"))
		b.News(c.hello)
		if got := [2]bool{b.Corrects(mine), b.Corrects(other)}; got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
