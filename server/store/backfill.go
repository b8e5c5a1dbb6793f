package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"screentest/shared/wire"
)

// backfillStep is how many messages are read before they are indexed.
const backfillStep = 100

// backfillSearch puts what an older database holds into the search index, as
// part of the migration that makes it.
func backfillSearch(ctx context.Context, conn *sql.Conn) error {
	p := prepare(conn)
	defer p.closeStatements()
	w := &tx{p: p}
	if err := backfillTitles(ctx, w); err != nil {
		return fmt.Errorf("index titles: %w", err)
	}
	for last := int64(0); ; {
		next, err := backfillMessages(ctx, w, last)
		if err != nil {
			return fmt.Errorf("index messages: %w", err)
		}
		if next == last {
			return nil
		}
		last = next
	}
}

func backfillTitles(ctx context.Context, w *tx) error {
	type row struct {
		n, owner, created int64
		title             string
	}
	for last := int64(0); ; {
		var list []row
		err := w.each(ctx, "SELECT n, owner, created_ms, title FROM conversations WHERE n > ? ORDER BY n LIMIT ?", []any{last, backfillStep}, func(rows *sql.Rows) error {
			var r row
			err := rows.Scan(&r.n, &r.owner, &r.created, &r.title)
			list = append(list, r)
			return err
		})
		if err != nil || len(list) == 0 {
			return err
		}
		for _, r := range list {
			if err := w.indexTitle(r.owner, r.n, r.title, r.created); err != nil {
				return err
			}
			last = r.n
		}
	}
}

// backfillMessages indexes the messages after row last and returns the last of
// them. Answers that are still being written are indexed when they end.
func backfillMessages(ctx context.Context, w *tx, last int64) (int64, error) {
	type row struct {
		n, owner, conversation, run int64
		d                           doc
		skip                        bool
	}
	var list []row
	err := w.each(ctx, `SELECT m.n, m.owner, m.conversation, m.role, substr(m.text, 1, ?), coalesce(r.n, 0), coalesce(r.model, ''), coalesce(r.answered, ''), coalesce(r.state, ''), r.problem
		FROM messages m LEFT JOIN runs r ON r.n = (SELECT max(n) FROM runs WHERE message = m.n) WHERE m.n > ? ORDER BY m.n LIMIT ?`,
		[]any{maxIndexed, last, backfillStep}, func(rows *sql.Rows) error {
			var r row
			var m wire.Message
			var run wire.Run
			var problem []byte
			if err := rows.Scan(&r.n, &r.owner, &r.conversation, &m.Role, &m.Text, &r.run, &run.Model, &run.Answered, &run.State, &problem); err != nil {
				return err
			}
			if problem != nil {
				if err := json.Unmarshal(problem, &run.Problem); err != nil {
					return fmt.Errorf("the problem of message %d: %w", r.n, err)
				}
			}
			if m.Role == "assistant" {
				r.d, r.skip = answerDoc(run, m.Text), run.State == wire.Running || r.run == 0
			} else {
				r.d, r.run = sentDoc(m), 0
			}
			list = append(list, r)
			return nil
		})
	if err != nil {
		return 0, err
	}
	for _, r := range list {
		last = r.n
		if r.skip {
			continue
		}
		if err := w.indexMessage(r.owner, r.conversation, r.n, r.run, r.d); err != nil {
			return 0, err
		}
	}
	return last, nil
}
