package chat

import (
	"context"
	"database/sql"
	"time"

	"screentest/server/store/engine"
)

// wireStep is how many runs lose their wire events in one write: so few that
// nobody who sends meanwhile notices.
const wireStep = 50

// DropWire removes the logs and the sent bodies of the owner's runs that ended
// before before, and says of how many. Messages, tokens, times and the ledger
// stay as they are; of the run, what could only be read from its log is gone.
func (c *Chat) DropWire(ctx context.Context, owner string, before time.Time) (runs int, err error) {
	who := engine.ParseOwner(owner)
	for last := int64(0); ; {
		var old []int64
		err := c.db.At(ctx).Each(`SELECT q.run FROM run_requests q CROSS JOIN runs r ON r.n = q.run
			WHERE q.run > ? AND q.owner = ? AND r.state <> 'running' AND r.started_ms + r.duration_ms < ? ORDER BY q.run LIMIT ?`,
			[]any{last, who, before.UnixMilli(), wireStep}, func(rows *sql.Rows) error {
				err := rows.Scan(&last)
				old = append(old, last)
				return err
			})
		if err != nil || len(old) == 0 {
			return runs, err
		}
		err = c.db.Write(ctx, 0, func(w *engine.Tx) error {
			for _, n := range old {
				for _, statement := range []string{
					"DELETE FROM run_log WHERE run = ?",
					"DELETE FROM run_requests WHERE run = ?",
					"UPDATE runs SET bytes = 0, reasoning_bytes = 0, sources = 0 WHERE n = ?",
				} {
					if _, err := w.Exec(statement, n); err != nil {
						return err
					}
				}
			}
			return w.Scrub()
		})
		if err != nil {
			return runs, err
		}
		runs += len(old)
	}
}
