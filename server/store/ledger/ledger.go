// Package ledger keeps what was spent: an append-only table of charges, returns
// and corrections, and its sums.
//
// [Books.Book] is the only way into it, and works in the transaction of what is
// paid for: a run's end or a clip's acceptance and its charge are stored together
// or not at all.
package ledger

import (
	"database/sql"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"screentest/server/seal"
	"screentest/server/store/chain"
	"screentest/server/store/engine"
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
	Team                      int64  // the row of the team that pays; 0: none
	PaidBy                    string // the label of the key; "" where there are no accounts
}

// Books are the ledger and its sums.
type Books struct {
	// Booked is told of each row once it is durable, and must return at once.
	// It is set before the first one. nil: nobody is told.
	Booked func(what string, nanoUSD int64)

	db      *engine.DB
	now     func() time.Time
	chain   *chain.Chain
	periods periods
	teams   sync.Map // of rows by id
}

// New is the ledger in db. box seals the head of its chain.
func New(db *engine.DB, box *seal.Box, now func() time.Time) *Books {
	return &Books{db: db, now: now, chain: chain.New(chain.Ledger, box)}
}

// Book appends e, and takes its row into the chain. With it the trigger ledger_hours (migration 4) adds it to the
// sums of its hour, and the sums that are kept here take it in once it is
// durable. booked is false, and nothing is changed, if the subject has
// had its charge or return already. Corrections are counted up instead.
func (b *Books) Book(w *engine.Tx, owner int64, e Entry) (booked bool, err error) {
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
	var conversation, team any // NULL
	if e.Conversation != nil {
		conversation = e.Conversation
	}
	if e.Team != 0 {
		team = e.Team
	}
	columns := []any{owner, e.Kind, e.What, e.Subject, seq, conversation, e.Model, e.CostNanoUSD, e.Basis, e.Source, e.InputTokens, e.OutputTokens, string(e.Prices), e.CreatedMS, estimated, team, e.PaidBy}
	n, err := w.Insert(`INSERT INTO ledger (owner, kind, what, subject, seq, conversation, model, cost_nano_usd, basis, source, input_tokens, output_tokens, prices, created_ms, estimated_nano_usd, team, paid_by)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (owner, subject, kind, seq) DO NOTHING`, columns...)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil // it is booked
	}
	if err != nil {
		return false, err
	}
	if err := b.chained(w, n, columns...); err != nil {
		return false, err
	}
	row := booking{n: n, createdMS: e.CreatedMS, group: group{e.What, e.Model, owner, e.Team, e.PaidBy}}
	row.figures.addRow(e.Kind, e.CostNanoUSD, estimated, e.InputTokens, e.OutputTokens)
	alone := !w.OnPostgres() // else other processes book too, and what they did is read: see catchUp
	w.AfterCommit(func() {
		if alone {
			b.periods.add(row)
		}
		if b.Booked != nil {
			b.Booked(e.What, e.CostNanoUSD)
		}
	})
	return true, nil
}
