package store

import (
	"context"
	"database/sql"
	"time"
)

// wireStep is how many runs lose their wire events in one write: so few that
// nobody who sends meanwhile notices.
const wireStep = 50

// DropWire removes the logs and the sent bodies of the owner's runs that ended
// before before, and says of how many. Messages, tokens, times and the ledger
// stay as they are; of the run, what could only be read from its log is gone.
func (db *DB) DropWire(ctx context.Context, owner string, before time.Time) (runs int, err error) {
	who := parseOwner(owner)
	for last := int64(0); ; {
		var old []int64
		err := db.readers.at(ctx).each(`SELECT q.run FROM run_requests q CROSS JOIN runs r ON r.n = q.run
			WHERE q.run > ? AND q.owner = ? AND r.state <> 'running' AND r.started_ms + r.duration_ms < ? ORDER BY q.run LIMIT ?`,
			[]any{last, who, before.UnixMilli(), wireStep}, func(rows *sql.Rows) error {
				err := rows.Scan(&last)
				old = append(old, last)
				return err
			})
		if err != nil || len(old) == 0 {
			return runs, err
		}
		err = db.writer.write(ctx, 0, func(w *tx) error {
			for _, n := range old {
				for _, statement := range []string{
					"DELETE FROM run_log WHERE run = ?",
					"DELETE FROM run_requests WHERE run = ?",
					"UPDATE runs SET bytes = 0, reasoning_bytes = 0, sources = 0 WHERE n = ?",
				} {
					if _, err := w.exec(statement, n); err != nil {
						return err
					}
				}
			}
			return w.toScrub()
		})
		if err != nil {
			return runs, err
		}
		runs += len(old)
	}
}

// EachSetting calls fn with everybody's value of a setting.
func (db *DB) EachSetting(ctx context.Context, name string, fn func(owner, value string) error) error {
	type setting struct {
		owner int64
		value string
	}
	var all []setting
	err := db.readers.at(ctx).each("SELECT s.owner, s.value FROM users u CROSS JOIN settings s ON s.owner = u.n AND s.name = ?", []any{name}, func(rows *sql.Rows) error {
		var s setting
		err := rows.Scan(&s.owner, &s.value)
		all = append(all, s)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := fn(formatOwner(s.owner), s.value); err != nil {
			return err
		}
	}
	return nil
}
