// Package ledger keeps what was spent: an append-only table of charges, returns
// and corrections, and its sums.
//
// [Books.Book] is the only way into it, and works in the transaction of what is
// paid for: a run's end or a clip's acceptance and its charge are stored together
// or not at all.
package ledger

import (
	"encoding/json"
	"time"

	"screentest/server/store/sqlite"
	"screentest/shared/wire"
)

// An Entry is a row of the ledger, which is append-only: a charge, its return,
// or a correction of either.
type Entry struct {
	Kind                      string // wire.KindCharge and so on
	What                      string // wire.WhatText, wire.WhatVideo
	Subject                   []byte // id of the run or task it is about
	Conversation              []byte // nil: none
	Model                     string
	CostNanoUSD               int64 // a return is negative
	Basis                     string
	Source                    string // wire.SourceReported and so on
	InputTokens, OutputTokens int64  // tokens
	Prices                    json.RawMessage
	CreatedMS                 int64
}

// Books are the ledger and its sums.
type Books struct {
	db      *sqlite.DB
	now     func() time.Time
	periods periods
}

// New is the ledger in db.
func New(db *sqlite.DB, now func() time.Time) *Books { return &Books{db: db, now: now} }

// Book appends e. With it the trigger ledger_hours (migration 4) adds it to the
// sums of its hour, and the sums that are kept here take it in once it is
// durable. booked is false, and nothing is changed, if the subject has
// had its charge or return already. Corrections are counted up instead.
func (b *Books) Book(w *sqlite.Tx, owner int64, e Entry) (booked bool, err error) {
	var seq int64
	if e.Kind == wire.KindCorrection {
		if err := w.Scan("SELECT count(*) FROM ledger WHERE owner = ? AND subject = ? AND kind = 'correction'", []any{owner, e.Subject}, &seq); err != nil {
			return false, err
		}
	}
	// What isn't an estimate itself takes the place of those that its subject had.
	estimated := e.CostNanoUSD
	if e.Source != wire.SourceEstimated {
		estimated = 0
		if e.Kind != wire.KindCharge {
			if err := w.Scan("SELECT -coalesce(sum(estimated_nano_usd), 0) FROM ledger WHERE owner = ? AND subject = ?", []any{owner, e.Subject}, &estimated); err != nil {
				return false, err
			}
		}
	}
	if len(e.Prices) == 0 {
		e.Prices = json.RawMessage("{}")
	}
	res, err := w.Exec(`INSERT INTO ledger (owner, kind, what, subject, seq, conversation, model, cost_nano_usd, basis, source, input_tokens, output_tokens, prices, created_ms, estimated_nano_usd)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, subject, kind, seq) DO NOTHING`,
		owner, e.Kind, e.What, e.Subject, seq, e.Conversation, e.Model, e.CostNanoUSD, e.Basis, e.Source, e.InputTokens, e.OutputTokens, string(e.Prices), e.CreatedMS, estimated)
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
	row := booking{n: n, owner: owner, createdMS: e.CreatedMS, group: group{e.What, e.Model}}
	row.figures.addRow(e.Kind, e.CostNanoUSD, estimated, e.InputTokens, e.OutputTokens)
	w.AfterCommit(func() { b.periods.add(row) })
	return true, nil
}
