package store

import (
	"encoding/json"
	"time"

	"screentest/shared/wire"
)

// An entry is a row of the ledger, which is append-only: a charge, its return,
// or a correction of either.
type entry struct {
	kind         string // "charge", "return", "correction"
	what         string // "text", "video"
	subject      []byte // id of the run or task it is about
	conversation []byte // nil: none
	model        string
	costNanoUSD  int64 // a return is negative
	basis        string
	source       string // "reported", "computed", "estimated"
	in, out      int64  // tokens
	prices       json.RawMessage
	createdMS    int64
}

// Books are the ledger and its sums.
type Books struct {
	db      *engine
	now     func() time.Time
	periods periods
}

func newBooks(db *engine, now func() time.Time) *Books { return &Books{db: db, now: now} }

// book appends e. With it the trigger ledger_hours (migration 4) adds it to the
// sums of its hour, and the sums that are kept here take it in once it is
// durable. booked is false, and nothing is changed, if the subject has
// had its charge or return already. Corrections are counted up instead.
func (b *Books) book(w *tx, owner int64, e entry) (booked bool, err error) {
	var seq int64
	if e.kind == "correction" {
		if err := w.scan("SELECT count(*) FROM ledger WHERE owner = ? AND subject = ? AND kind = 'correction'", []any{owner, e.subject}, &seq); err != nil {
			return false, err
		}
	}
	// What isn't an estimate itself settles those that its subject had.
	estimated := e.costNanoUSD
	if e.source != wire.SourceEstimated {
		estimated = 0
		if e.kind != wire.KindCharge {
			if err := w.scan("SELECT -coalesce(sum(estimated_nano_usd), 0) FROM ledger WHERE owner = ? AND subject = ?", []any{owner, e.subject}, &estimated); err != nil {
				return false, err
			}
		}
	}
	if len(e.prices) == 0 {
		e.prices = json.RawMessage("{}")
	}
	res, err := w.exec(`INSERT INTO ledger (owner, kind, what, subject, seq, conversation, model, cost_nano_usd, basis, source, input_tokens, output_tokens, prices, created_ms, estimated_nano_usd)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, subject, kind, seq) DO NOTHING`,
		owner, e.kind, e.what, e.subject, seq, e.conversation, e.model, e.costNanoUSD, e.basis, e.source, e.in, e.out, string(e.prices), e.createdMS, estimated)
	if err != nil {
		return false, err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return false, err
	}
	n, err := res.LastInsertId()
	if err != nil {
		return false, err
	}
	row := booking{n: n, owner: owner, createdMS: e.createdMS, group: group{e.what, e.model}}
	row.figures.addRow(e.kind, e.costNanoUSD, estimated, e.in, e.out)
	w.AfterCommit(func() { b.periods.add(row) })
	return true, nil
}
