package ledger_test

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"time"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// A late figure is a row of its own; with it the estimate is none any more.
func TestALateFigureCorrects(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	r := storetest.Ended(storetest.RunOf(s), 100)
	r.CostSource = wire.SourceEstimated
	storetest.Must(t, storetest.StartTurn(db, owner, s), db.FinishRun(ctx, owner, r, "", nil, nil, nil))
	q := wire.SpendQuery{Tomorrow: 1, Days: []int64{0, time.Now().AddDate(1, 0, 0).UnixMilli()}}
	want := func(sum wire.Sum) {
		t.Helper()
		page, err := db.Spend(ctx, owner, q)
		if err != nil || page.Range != sum {
			t.Errorf("%+v, %v; want %+v", page.Range, err, sum)
		}
		storetest.CheckHours(t, db)
	}
	want(wire.Sum{NanoUSD: 100, ChargedNanoUSD: 100, EstimatedNanoUSD: 100, Rows: 1})
	row, err := db.Correct(ctx, owner, wire.Correction{Subject: s.Run, CostNanoUSD: 70})
	if err != nil || row.CostNanoUSD != -30 || row.Kind != wire.KindCorrection || row.Source != wire.SourceReported || row.Conversation != s.Conversation ||
		row.Basis != "$0.00000007 by the gateway's own account, in place of $0.0000001" {
		t.Errorf("%+v, %v", row, err)
	}
	want(wire.Sum{NanoUSD: 70, ChargedNanoUSD: 100, CorrectedNanoUSD: -30, Rows: 2})
	for range 2 { // saying so again changes nothing
		if again, err := db.Correct(ctx, owner, wire.Correction{Subject: s.Run, CostNanoUSD: 70}); err != nil || again.N != row.N {
			t.Errorf("%+v, %v", again, err)
		}
	}
	want(wire.Sum{NanoUSD: 70, ChargedNanoUSD: 100, CorrectedNanoUSD: -30, Rows: 2})
	if _, err := db.Correct(ctx, owner, wire.Correction{Subject: s.Run, CostNanoUSD: 71}); err != nil {
		t.Error(err)
	}
	want(wire.Sum{NanoUSD: 71, ChargedNanoUSD: 100, CorrectedNanoUSD: -29, Rows: 3})

	// An estimate that was right is confirmed by a row of nothing.
	right := storetest.NewStart("", "x")
	r = storetest.Ended(storetest.RunOf(right), 5)
	r.CostSource = wire.SourceEstimated
	storetest.Must(t, storetest.StartTurn(db, owner, right), db.FinishRun(ctx, owner, r, "", nil, nil, nil))
	if row, err := db.Correct(ctx, owner, wire.Correction{Subject: right.Run, CostNanoUSD: 5}); err != nil || row.CostNanoUSD != 0 || row.Kind != wire.KindCorrection {
		t.Errorf("%+v, %v", row, err)
	}
	// A run that brought nothing and was billed all the same.
	empty := storetest.NewStart("", "x")
	r = storetest.Ended(storetest.RunOf(empty), 0)
	r.State, r.CostSource = wire.Failed, ""
	storetest.Must(t, storetest.StartTurn(db, owner, empty), db.FinishRun(ctx, owner, r, "", nil, nil, nil))
	if row, err := db.Correct(ctx, owner, wire.Correction{Subject: empty.Run, CostNanoUSD: 9}); err != nil || row.CostNanoUSD != 9 || row.Model != "m-1" {
		t.Errorf("%+v, %v", row, err)
	}
	want(wire.Sum{NanoUSD: 71 + 5 + 9, ChargedNanoUSD: 105, CorrectedNanoUSD: -20, Rows: 6})

	under := storetest.NewStart("", "under way")
	storetest.Must(t, storetest.StartTurn(db, owner, under))
	for name, c := range map[string]wire.Correction{"nobody's": {Subject: storetest.NewID()}, "no id": {Subject: "x"}, "under way": {Subject: under.Run}} {
		if _, err := db.Correct(ctx, owner, c); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := db.Correct(ctx, owner, wire.Correction{Subject: s.Run, CostNanoUSD: -1}); storetest.Problem(err).Code != "bad_cost" {
		t.Error(err)
	}
}
