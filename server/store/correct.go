package store

import (
	"context"
	"database/sql"
	"errors"

	"screentest/shared/money"
	"screentest/shared/wire"
)

// Correct books the difference between what the ledger says of a subject and
// what it really cost, as the gateway's own account has it, and returns the
// newest row of the subject. A figure that is right already adds a row of 0
// only where there was an estimate, which is none from then on.
// fs.ErrNotExist: there is no such run or task of the owner.
func (b *Books) Correct(ctx context.Context, owner string, c wire.Correction) (row wire.LedgerRow, err error) {
	subject, ok := parseID(c.Subject)
	if !ok {
		return row, notFound("run or task")
	}
	if c.CostNanoUSD < 0 || c.CostNanoUSD > wire.MaxBudgetNanoUSD {
		return row, badField("bad_cost", "cost_nano_usd", "A cost is from $0 to %v.", money.NanoUSD(wire.MaxBudgetNanoUSD))
	}
	who := parseOwner(owner)
	err = b.db.Write(ctx, 0, func(w *tx) error {
		e := entry{kind: wire.KindCorrection, subject: subject, source: wire.SourceReported, createdMS: b.now().UnixMilli()}
		var sum, estimated int64
		err := w.scan(`SELECT what, model, conversation, (SELECT sum(cost_nano_usd) FROM ledger WHERE owner = ?1 AND subject = ?2),
			(SELECT sum(estimated_nano_usd) FROM ledger WHERE owner = ?1 AND subject = ?2)
			FROM ledger WHERE owner = ?1 AND subject = ?2 LIMIT 1`, []any{who, subject}, &e.what, &e.model, &e.conversation, &sum, &estimated)
		if errors.Is(err, sql.ErrNoRows) {
			// A run that brought nothing has no row, and may have been billed.
			e.what = wire.WhatText
			err = w.scan("SELECT r.model, c.id FROM runs r JOIN conversations c ON c.n = r.conversation WHERE r.owner = ? AND r.id = ? AND r.state <> 'running'",
				[]any{who, subject}, &e.model, &e.conversation)
			if errors.Is(err, sql.ErrNoRows) {
				return notFound("run or task")
			}
		}
		if err != nil {
			return err
		}
		e.costNanoUSD = c.CostNanoUSD - sum
		if e.costNanoUSD == 0 && estimated == 0 {
			return nil
		}
		e.basis = money.NanoUSD(c.CostNanoUSD).String() + " by the gateway's own account, in place of " + money.NanoUSD(sum).String()
		_, err = b.book(w, who, e)
		return err
	})
	if err != nil {
		return row, err
	}
	page, err := b.Ledger(ctx, owner, wire.LedgerQuery{Subject: c.Subject, Before: formatCursor(1<<63-1, 1<<63-1), Limit: 1})
	if err == nil && len(page.Rows) == 0 {
		return row, notFound("run or task") // it cost nothing, and should have
	}
	if err == nil {
		row = page.Rows[0]
	}
	return row, err
}
