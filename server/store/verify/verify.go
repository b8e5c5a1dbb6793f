// Package verify looks whether the books of a data folder are as they were
// written: the chains of the ledger and the audit, and the sums of the ledger.
package verify

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"screentest/server/seal"
	"screentest/server/store/chain"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/schema"
	"screentest/shared/wire"
)

// A Report says what was found.
type Report struct {
	Ledger, Audit chain.End
	BeganMS       int64         // since when the ledger is chained
	Hours         int64         // sums of an hour that were compared
	NanoUSD       int64         // of all of the ledger
	Wrong         []chain.Wrong // the first wrong row of each table
}

// Verify looks through the books of the folder dir, which a server may have
// open: they are seen as of one moment, and nothing is changed. key is the
// sealing key as in SCREENTEST_SEAL_KEY; "" is that of the folder.
func Verify(ctx context.Context, dir, key string) (r Report, err error) {
	path := folder.DatabaseIn(dir)
	pool, err := engine.OpenPool(path, engine.ReaderSettings, 1)
	if err != nil {
		return r, err
	}
	defer pool.Close()
	if err := wantNewest(ctx, pool); err != nil {
		return r, err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return r, engine.Explain(err)
	}
	defer tx.Rollback() // nothing was written
	box, chained, err := openBox(ctx, tx, dir, key)
	if err != nil {
		return r, err
	}
	if !chained {
		return r, errOlder()
	}
	for _, c := range []struct {
		table chain.Table
		end   *chain.End
	}{{chain.Ledger, &r.Ledger}, {chain.Audit, &r.Audit}} {
		end, wrong, err := chain.Check(ctx, tx, c.table, box)
		if err != nil {
			return r, fmt.Errorf("read the %s: %w", c.table.Name, engine.Explain(err))
		}
		*c.end = end
		r.add(wrong)
	}
	for _, look := range []func(context.Context, *sql.Tx) (*chain.Wrong, error){r.began, r.sums} {
		wrong, err := look(ctx, tx)
		if err != nil {
			return r, engine.Explain(err)
		}
		r.add(wrong)
	}
	return r, nil
}

func (r *Report) add(w *chain.Wrong) {
	if w != nil {
		r.Wrong = append(r.Wrong, *w)
	}
}

// wantNewest refuses a database of an older program.
func wantNewest(ctx context.Context, pool *sql.DB) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return engine.Explain(err)
	}
	defer conn.Close()
	newest, err := engine.NewestMigration(schema.Files)
	if err != nil {
		return err
	}
	version, err := engine.VersionOf(ctx, conn, newest)
	if err != nil {
		return err
	}
	if version < newest {
		return errOlder()
	}
	return nil
}

func errOlder() error {
	return &engine.Error{Problem: wire.Problem{Code: "data_older",
		Message: "The database is of an older Screentest, and its ledger is not chained yet.", Hint: "Serve the folder once with this one; it does so as it starts."}}
}

// openBox gives what the heads are sealed with. chained: the folder's ledger was.
func openBox(ctx context.Context, tx *sql.Tx, dir, text string) (box *seal.Box, chained bool, err error) {
	if text != "" {
		if box, err = seal.Parse(text); err != nil {
			return nil, false, fmt.Errorf("SCREENTEST_SEAL_KEY: %w", err)
		}
	} else {
		file := filepath.Join(dir, folder.SealKeyFile)
		box, err = seal.Load(file, slog.New(slog.DiscardHandler))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, false, &engine.Error{Problem: wire.Problem{Code: "seal_key_missing", Message: file + " is missing, and what the last rows are is sealed with it.",
				Hint: "Put the file back, or give its key in SCREENTEST_SEAL_KEY."}}
		}
		if err != nil {
			return nil, false, err
		}
	}
	var check []byte
	err = tx.QueryRowContext(ctx, "SELECT value FROM meta WHERE name = ?", folder.SealCheck).Scan(&check)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, &engine.Error{Problem: wire.Problem{Code: "seal_check_gone", Message: "The note of which key the data folder was sealed with is gone from its database.",
			Hint: "Something else has written into it: restore a backup."}}
	}
	if err != nil {
		return nil, false, engine.Explain(err)
	}
	plain, err := box.Open(folder.SealCheck, "", check)
	if err != nil {
		return nil, false, &engine.Error{Problem: wire.Problem{Code: "seal_key_other", Message: "The sealing key is not the one that this data folder was sealed with.",
			Hint: "Give the right one in SCREENTEST_SEAL_KEY, or put the file seal.key back."}, Err: err}
	}
	return box, string(plain) == folder.SealCheckChained, nil
}

// began looks that the audit begins with the chaining of the ledger, and that
// this happened once.
func (r *Report) began(ctx context.Context, tx *sql.Tx) (*chain.Wrong, error) {
	const first = "SELECT n, at_ms FROM audit WHERE action = 'ledger.chained' ORDER BY n DESC LIMIT 1"
	var n int64
	err := tx.QueryRowContext(ctx, first).Scan(&n, &r.BeganMS)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return &chain.Wrong{Table: chain.Audit.Name, N: 1, What: "is gone: it said when the ledger was chained"}, nil
	case err != nil:
		return nil, err
	case n > 1:
		return &chain.Wrong{Table: chain.Audit.Name, N: n, What: "says that the ledger was chained anew: its rows of before may be anything"}, nil
	}
	return nil, nil
}

// sums compares the sums by the hour with the rows that they are of.
func (r *Report) sums(ctx context.Context, tx *sql.Tx) (*chain.Wrong, error) {
	if err := tx.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM spend_hours), (SELECT coalesce(sum(cost_nano_usd), 0) FROM ledger)").Scan(&r.Hours, &r.NanoUSD); err != nil {
		return nil, err
	}
	const sumsOf = `SELECT owner, created_ms / 3600000, what, model, coalesce(team, 0), paid_by,
		sum(CASE kind WHEN 'charge' THEN cost_nano_usd ELSE 0 END), sum(CASE kind WHEN 'return' THEN cost_nano_usd ELSE 0 END),
		sum(CASE kind WHEN 'correction' THEN cost_nano_usd ELSE 0 END), sum(estimated_nano_usd), count(*), sum(input_tokens), sum(output_tokens)
		FROM ledger GROUP BY 1, 2, 3, 4, 5, 6`
	const kept = `SELECT owner, hour, what, model, team, paid_by, charged, returned, corrected, estimated, rows, input_tokens, output_tokens FROM spend_hours`
	var owner, hour, team int64
	var what, model, paidBy string
	err := tx.QueryRowContext(ctx, `WITH fresh (owner, hour, what, model, team, paid_by, charged, returned, corrected, estimated, rows, input_tokens, output_tokens) AS (`+sumsOf+`)
		SELECT owner, hour, what, model, team, paid_by FROM (
			SELECT * FROM (SELECT * FROM fresh EXCEPT `+kept+`) AS a UNION ALL SELECT * FROM (`+kept+` EXCEPT SELECT * FROM fresh) AS b) AS wrong
		ORDER BY hour, owner, what, model, team, paid_by LIMIT 1`).Scan(&owner, &hour, &what, &model, &team, &paidBy)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &chain.Wrong{Table: "spend_hours", N: hour, What: fmt.Sprintf("is not the sum of the ledger's rows of that hour: person %d, %s, model %q, team %d, key %q", owner, what, model, team, paidBy)}, nil
}
