package storetest

import (
	"context"
	"slices"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/ledger"
	"screentest/shared/wire"
)

// Book appends an entry as a unit of its own.
func Book(db *store.DB, owner string, e ledger.Entry) (booked bool, err error) {
	err = db.Engine().Write(context.Background(), 0, func(w *engine.Tx) (err error) {
		booked, err = db.Book(w, engine.ParseOwner(owner), e)
		return err
	})
	return booked, err
}

func SomeEntry(kind string, subject []byte, cost int64) ledger.Entry {
	return ledger.Entry{Kind: kind, What: "video", Subject: subject, Model: "m", CostNanoUSD: cost, Basis: "6 s × $0.05", Source: "computed", CreatedMS: 1000}
}

func MustID(t *testing.T) []byte {
	b, ok := engine.ParseID(NewID())
	if !ok {
		t.Fatal("not an id")
	}
	return b
}

// LedgerRows are all rows of an owner, oldest first.
func LedgerRows(t testing.TB, db *store.DB, owner string) (all []wire.LedgerRow) {
	t.Helper()
	Must(t, db.EachLedger(context.Background(), owner, wire.LedgerQuery{}, func(r wire.LedgerRow) error {
		all = append(all, r)
		return nil
	}))
	slices.Reverse(all)
	return all
}

// CheckHours fails unless spend_hours is what the ledger's rows make.
func CheckHours(t testing.TB, db *store.DB) {
	t.Helper()
	var differ int
	Must(t, db.Engine().At(context.Background()).Scan(`WITH fresh AS (SELECT owner, created_ms / 3600000 AS hour, what, model, coalesce(team, 0), paid_by,
			sum(CASE kind WHEN 'charge' THEN cost_nano_usd ELSE 0 END), sum(CASE kind WHEN 'return' THEN cost_nano_usd ELSE 0 END),
			sum(CASE kind WHEN 'correction' THEN cost_nano_usd ELSE 0 END), sum(estimated_nano_usd), count(*), sum(input_tokens), sum(output_tokens)
			FROM ledger GROUP BY 1, 2, 3, 4, 5, 6)
		SELECT (SELECT count(*) FROM (SELECT * FROM fresh EXCEPT SELECT * FROM spend_hours) AS a) + (SELECT count(*) FROM (SELECT * FROM spend_hours EXCEPT SELECT * FROM fresh) AS b)`, nil, &differ))
	if differ != 0 {
		t.Errorf("%d hours are not what their rows make", differ)
	}
}
