package ledger

import (
	"context"
	"database/sql"
	"errors"
	"strconv"

	"screentest/server/store/engine"
)

// chained takes a row into the ledger's chain, in the transaction that books it. Its
// columns are as they are read again, the row's number first.
func (b *Books) chained(w *engine.Tx, n int64, row ...any) error {
	_, before, err := b.chain.Head(w)
	if err != nil {
		return err
	}
	h, err := b.chain.After(before, append([]any{n}, row...)...)
	if err != nil {
		return err
	}
	if _, err := w.Exec("INSERT INTO ledger_chain (n, hash) VALUES (?, ?)", n, h[:]); err != nil {
		return err
	}
	b.chain.SetHead(w, n, h)
	return nil
}

// unchainedName is the fact in meta that the ledger is to be chained, up to the
// row whose number is its value: 0 in a new folder. Migration 11 writes it, and
// nothing else does: a row that somebody puts in later is never taken in.
const unchainedName = "ledger_unchained"

// chainStep is how many rows of before are taken into the chain at a time.
const chainStep = 2000

// TakeIn takes the rows from before there was a chain into it. What a process
// that is killed has done stays done. note is called once in a folder's life, in
// the transaction that takes in the last of them, with how many there were. It is
// for the start, before anything is booked.
func (b *Books) TakeIn(ctx context.Context, note func(w *engine.Tx, rows int64) error) error {
	var value []byte
	err := b.db.At(ctx).Scan("SELECT value FROM meta WHERE name = ?", []any{unchainedName}, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	upTo, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil {
		return err
	}
	for more := true; more; {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := b.db.Write(ctx, 0, func(w *engine.Tx) error {
			last, h, err := b.chain.Head(w)
			if err != nil {
				return err
			}
			list, err := engine.Column[int64](w, "SELECT n FROM ledger WHERE n > ? AND n <= ? ORDER BY n LIMIT ?", last, upTo, chainStep)
			if err != nil {
				return err
			}
			for _, n := range list {
				if h, err = b.chain.OfRow(w, h, n); err != nil {
					return err
				}
				if _, err := w.Exec("INSERT INTO ledger_chain (n, hash) VALUES (?, ?)", n, h[:]); err != nil {
					return err
				}
				last = n
			}
			if more = len(list) == chainStep; last > 0 {
				b.chain.SetHead(w, last, h)
			}
			if more {
				return nil
			}
			res, err := w.Exec("DELETE FROM meta WHERE name = ?", unchainedName)
			if err != nil {
				return err
			}
			if first, err := res.RowsAffected(); err != nil || first == 0 {
				return err // another process that was started at the same time has done it
			}
			var rows int64
			if err := w.Scan("SELECT count(*) FROM ledger_chain", nil, &rows); err != nil {
				return err
			}
			return note(w, rows)
		})
		if err != nil {
			return err
		}
	}
	return nil
}
