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
	"math"
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
	newest, err := engine.NewestMigration(schema.Files)
	if err != nil {
		return r, err
	}
	err = engine.Look(ctx, folder.DatabaseIn(dir), newest, func(q engine.Reading, version int) (err error) {
		if version < newest {
			return errOlder()
		}
		box, err := boxOf(dir, key)
		if err != nil {
			return err
		}
		r, err = Books(q, box)
		return err
	})
	return r, err
}

// VerifyPostgres does so with the database of PostgreSQL's at url, whose replicas
// may be running. It holds no key.
func VerifyPostgres(ctx context.Context, url, key string) (r Report, err error) {
	newest, err := engine.NewestPostgres(schema.Postgres)
	if err != nil {
		return r, err
	}
	if key == "" {
		return r, &engine.Error{Problem: wire.Problem{Code: "seal_key_missing", Message: "SCREENTEST_SEAL_KEY is missing, and what the last rows are is sealed with it.",
			Hint: "Give the key that the database was sealed with."}}
	}
	err = engine.LookPostgres(ctx, url, newest, func(q engine.Reading, version int) (err error) {
		if version < newest {
			return errOlder()
		}
		box, err := boxOf("", key)
		if err != nil {
			return err
		}
		r, err = Books(q, box)
		return err
	})
	return r, err
}

// Books looks through the books that q reads as of one moment. box is of the key
// that they were sealed with.
func Books(q engine.Reading, box *seal.Box) (r Report, err error) {
	chained, err := opens(q, box)
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
		end, wrong, err := chain.Check(q, c.table, box)
		if err != nil {
			return r, fmt.Errorf("read the %s: %w", c.table.Name, engine.Explain(err))
		}
		*c.end = end
		r.add(wrong)
	}
	for _, look := range []func(engine.Reading) (*chain.Wrong, error){r.began, r.sums} {
		wrong, err := look(q)
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

func errOlder() error {
	return &engine.Error{Problem: wire.Problem{Code: "data_older",
		Message: "The database is of an older Screentest, and its ledger is not chained yet.", Hint: "Serve the folder once with this one; it does so as it starts."}}
}

// boxOf opens what the heads are sealed with.
func boxOf(dir, text string) (box *seal.Box, err error) {
	if text != "" {
		if box, err = seal.Parse(text); err != nil {
			return nil, fmt.Errorf("SCREENTEST_SEAL_KEY: %w", err)
		}
		return box, nil
	}
	file := filepath.Join(dir, folder.SealKeyFile)
	box, err = seal.Load(file, slog.New(slog.DiscardHandler))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &engine.Error{Problem: wire.Problem{Code: "seal_key_missing", Message: file + " is missing, and what the last rows are is sealed with it.",
			Hint: "Put the file back, or give its key in SCREENTEST_SEAL_KEY."}}
	}
	return box, err
}

// opens looks that box is of the key that all was sealed with. chained: the ledger
// was.
func opens(q engine.Reading, box *seal.Box) (chained bool, err error) {
	var check []byte
	err = q.Scan("SELECT value FROM meta WHERE name = ?", []any{folder.SealCheck}, &check)
	if errors.Is(err, sql.ErrNoRows) {
		return false, &engine.Error{Problem: wire.Problem{Code: "seal_check_gone", Message: "The note of which key the data folder was sealed with is gone from its database.",
			Hint: "Something else has written into it: restore a backup."}}
	}
	if err != nil {
		return false, engine.Explain(err)
	}
	plain, err := box.Open(folder.SealCheck, "", check)
	if err != nil {
		return false, &engine.Error{Problem: wire.Problem{Code: "seal_key_other", Message: "The sealing key is not the one that this data folder was sealed with.",
			Hint: "Give the right one in SCREENTEST_SEAL_KEY, or put the file seal.key back."}, Err: err}
	}
	return string(plain) == folder.SealCheckChained, nil
}

// began looks that the audit begins with the chaining of the ledger, and that
// this happened once.
func (r *Report) began(q engine.Reading) (*chain.Wrong, error) {
	const first = "SELECT n, at_ms FROM audit WHERE action = 'ledger.chained' ORDER BY n DESC LIMIT 1"
	var n int64
	err := q.Scan(first, nil, &n, &r.BeganMS)
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
func (r *Report) sums(q engine.Reading) (*chain.Wrong, error) {
	if err := q.Scan("SELECT (SELECT count(*) FROM spend_hours), (SELECT coalesce(sum(cost_nano_usd), 0) FROM ledger)", nil, &r.Hours, &r.NanoUSD); err != nil {
		return nil, err
	}
	if q.OnPostgres() {
		return inSpans(q, summedRows)
	}
	return wrongSum(q, span{})
}

// summedRows is about how many rows of the ledger are summed up at a time where no answer
// may take long.
const summedRows = 200_000

// inSpans is wrongSum, some rows at a time.
func inSpans(q engine.Reading, rows int64) (*chain.Wrong, error) {
	for from := int64(math.MinInt64); ; {
		to, err := hourBehind(q, from, rows)
		if err != nil {
			return nil, err
		}
		if wrong, err := wrongSum(q, span{from, to}); err != nil || wrong != nil || to == math.MaxInt64 {
			return wrong, err
		}
		from = to
	}
}

const msAnHour = 3_600_000

// A span is some hours, from the first to before the last.
type span struct{ from, to int64 }

// ms is when it begins and ends, in Unix milliseconds.
func (s span) ms() (from, to int64) {
	from, to = s.from, s.to
	if from != math.MinInt64 {
		from *= msAnHour
	}
	if to != math.MaxInt64 {
		to *= msAnHour
	}
	return from, to
}

// hourBehind is the hour behind the next rows from one hour on, the largest number behind
// the last.
func hourBehind(q engine.Reading, from, rows int64) (to int64, err error) {
	ms, _ := span{from: from}.ms()
	err = q.Scan("SELECT created_ms / 3600000 + 1 FROM ledger WHERE created_ms >= ? ORDER BY created_ms LIMIT 1 OFFSET ?", []any{ms, rows - 1}, &to)
	if errors.Is(err, sql.ErrNoRows) {
		return math.MaxInt64, nil
	}
	return to, err
}

// wrongSum is the first of a span that is wrong; of an empty one of all hours.
func wrongSum(q engine.Reading, hours span) (*chain.Wrong, error) {
	const sums = `SELECT owner, created_ms / 3600000, what, model, coalesce(team, 0), paid_by,
		sum(CASE kind WHEN 'charge' THEN cost_nano_usd ELSE 0 END), sum(CASE kind WHEN 'return' THEN cost_nano_usd ELSE 0 END),
		sum(CASE kind WHEN 'correction' THEN cost_nano_usd ELSE 0 END), sum(estimated_nano_usd), count(*), sum(input_tokens), sum(output_tokens)
		FROM ledger`
	kept := `SELECT owner, hour, what, model, team, paid_by, charged, returned, corrected, estimated, rows, input_tokens, output_tokens FROM spend_hours`
	where := ""
	var args []any
	if hours != (span{}) {
		from, to := hours.ms()
		where, args = " WHERE created_ms >= ?1 AND created_ms < ?2", []any{from, to, hours.from, hours.to}
		kept += " WHERE hour >= ?3 AND hour < ?4"
	}
	var owner, hour, team int64
	var what, model, paidBy string
	err := q.Scan(`WITH fresh (owner, hour, what, model, team, paid_by, charged, returned, corrected, estimated, rows, input_tokens, output_tokens) AS (`+sums+where+` GROUP BY 1, 2, 3, 4, 5, 6)
		SELECT owner, hour, what, model, team, paid_by FROM (
			SELECT * FROM (SELECT * FROM fresh EXCEPT `+kept+`) AS a UNION ALL SELECT * FROM (`+kept+` EXCEPT SELECT * FROM fresh) AS b) AS wrong
		ORDER BY hour, owner, what, model, team, paid_by LIMIT 1`, args, &owner, &hour, &what, &model, &team, &paidBy)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &chain.Wrong{Table: "spend_hours", N: hour, What: fmt.Sprintf("is not the sum of the ledger's rows of that hour: person %d, %s, model %q, team %d, key %q", owner, what, model, team, paidBy)}, nil
}
