package ledger

import (
	"context"
	"database/sql"
	"errors"

	"screentest/server/store/engine"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// Correct books the difference between what the ledger says of a subject and
// what it really cost, as the gateway's own account has it, and returns the
// newest row of the subject. A figure that is right already adds a row of 0
// only where there was an estimate, which is none from then on. What somebody
// else paid for is refused, paid_elsewhere: all of it would be booked again.
// fs.ErrNotExist: there is no such run or task of the owner.
func (b *Books) Correct(ctx context.Context, owner string, c wire.Correction) (row wire.LedgerRow, err error) {
	subject, ok := engine.ParseID(c.Subject)
	if !ok {
		return row, engine.NotFound("run or task")
	}
	if c.CostNanoUSD < 0 || c.CostNanoUSD > wire.MaxBudgetNanoUSD {
		return row, engine.BadField("bad_cost", "cost_nano_usd", "A cost is from $0 to %v.", money.NanoUSD(wire.MaxBudgetNanoUSD))
	}
	who := engine.ParseOwner(owner)
	err = b.db.Write(ctx, 0, func(w *engine.Tx) error {
		e := Entry{Kind: wire.KindCorrection, Subject: subject, Source: wire.SourceReported, CreatedMS: b.now().UnixMilli()}
		var sum, estimated int64
		err := w.Scan(`SELECT what, model, conversation, coalesce(team, 0), paid_by, (SELECT sum(cost_nano_usd) FROM ledger WHERE owner = ?1 AND subject = ?2),
			(SELECT sum(estimated_nano_usd) FROM ledger WHERE owner = ?1 AND subject = ?2)
			FROM ledger WHERE owner = ?1 AND subject = ?2 LIMIT 1`, []any{who, subject}, &e.What, &e.Model, &e.Conversation, &e.Team, &e.PaidBy, &sum, &estimated)
		if errors.Is(err, sql.ErrNoRows) {
			// A run that brought nothing has no row, and may have been billed.
			e.What = wire.WhatText
			var told bool
			err = w.Scan("SELECT r.model, c.id, coalesce(r.team, 0), r.paid_by, r.told_source IS NOT NULL FROM runs r JOIN conversations c ON c.n = r.conversation WHERE r.owner = ? AND r.id = ? AND r.state <> 'running'",
				[]any{who, subject}, &e.Model, &e.Conversation, &e.Team, &e.PaidBy, &told)
			if errors.Is(err, sql.ErrNoRows) {
				return engine.NotFound("run or task")
			}
			if told {
				return &engine.Error{Problem: wire.Problem{Code: "paid_elsewhere", Field: "subject", Message: "What this answer cost is not in this ledger: it was handed over or imported.",
					Hint: "Correct it in the ledger of who paid for it."}}
			}
		}
		if err != nil {
			return err
		}
		e.CostNanoUSD = c.CostNanoUSD - sum
		if e.CostNanoUSD == 0 && estimated == 0 {
			return nil
		}
		e.Basis = money.NanoUSD(c.CostNanoUSD).String() + " by the gateway's own account, in place of " + money.NanoUSD(sum).String()
		_, err = b.Book(w, who, e)
		return err
	})
	if err != nil {
		return row, err
	}
	page, err := b.Ledger(ctx, owner, wire.LedgerQuery{Subject: c.Subject, Before: engine.FormatCursor(1<<63-1, 1<<63-1), Limit: 1})
	if err == nil && len(page.Rows) == 0 {
		return row, engine.NotFound("run or task") // it cost nothing, and should have
	}
	if err == nil {
		row = page.Rows[0]
	}
	return row, err
}
