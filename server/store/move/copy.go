package move

import (
	"context"
	"fmt"

	"screentest/server/store/engine"
)

// clear empties the target of what its schema brings along and what a move that is
// not gone on with has left.
func (m *Move) clear(ctx context.Context) error {
	return m.To.DB.Write(ctx, 0, func(w *engine.Tx) error {
		err := withoutTriggers(w, m.plan, func() error {
			if w.OnPostgres() {
				names := append([]string{"search", "search_rows", "search_todo"}, running...)
				for _, t := range m.plan {
					if t.name != "meta" {
						names = append(names, t.name)
					}
				}
				_, err := w.Exec("TRUNCATE " + listed(names))
				return err
			}
			for _, name := range []string{"search_rows", "search_todo"} {
				if _, err := w.Exec("DELETE FROM " + name); err != nil {
					return err
				}
			}
			for i := len(m.plan) - 1; i >= 0; i-- {
				if t := m.plan[i]; t.name != "meta" {
					if _, err := w.Exec(`DELETE FROM "` + t.name + `"`); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		if _, err := w.Exec("DELETE FROM meta WHERE " + (&table{name: "meta"}).where()); err != nil {
			return err
		}
		return m.noteIn(w)
	})
}

// copyRows copies the tables.
func (m *Move) copyRows(ctx context.Context) error {
	from := m.From.DB.At(ctx)
	begun := m.state.Table == ""
	for _, t := range m.plan {
		if begun = begun || t.name == m.state.Table; !begun {
			continue // copied before
		}
		c := &cursor{t: t}
		if t.name == m.state.Table {
			c.after = m.state.After
		}
		for said := c.after == nil; ; {
			batch, err := c.next(from)
			if err != nil {
				return fmt.Errorf("read table %s: %w", t.name, err)
			}
			if len(batch) == 0 {
				break
			}
			if said {
				m.Say("Copying %s.", t.name)
				said = false
			}
			m.state.Table, m.state.After = t.name, c.after
			err = m.To.DB.Write(ctx, batchBytes, func(w *engine.Tx) error {
				if err := withoutTriggers(w, []*table{t}, func() error { return insert(w, t, batch) }); err != nil {
					return err
				}
				return m.noteIn(w)
			})
			if err == nil && m.written != nil {
				err = m.written()
			}
			if err != nil {
				return err
			}
		}
	}
	return m.number(ctx)
}

// withoutTriggers calls fn while writing to tables does nothing else: what triggers
// once did is in the rows that are copied.
func withoutTriggers(w *engine.Tx, tables []*table, fn func() error) error {
	var undo []string
	for _, t := range tables {
		if w.OnPostgres() {
			has, err := engine.Column[int64](w, "SELECT count(*) FROM pg_trigger WHERE tgrelid = CAST(quote_ident(CAST(? AS text)) AS regclass) AND NOT tgisinternal", t.name)
			if err != nil {
				return err
			}
			if has[0] > 0 {
				if _, err := w.Exec(`ALTER TABLE "` + t.name + `" DISABLE TRIGGER USER`); err != nil {
					return err
				}
				undo = append(undo, `ALTER TABLE "`+t.name+`" ENABLE TRIGGER USER`)
			}
			continue
		}
		made, err := engine.Column[string](w, "SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY rowid", t.name)
		if err != nil {
			return err
		}
		names, err := engine.Column[string](w, "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ? ORDER BY rowid", t.name)
		if err != nil {
			return err
		}
		for _, name := range names {
			if _, err := w.Exec(`DROP TRIGGER "` + name + `"`); err != nil {
				return err
			}
		}
		undo = append(undo, made...)
	}
	if err := fn(); err != nil {
		return err // and the transaction goes
	}
	for _, statement := range undo {
		if _, err := w.Exec(statement); err != nil {
			return err
		}
	}
	return nil
}

// number has rows that are new get numbers that none has, nor, where the place moved
// from sees to that, any that is gone had. Which tables have their rows numbered is the
// new place's: PostgreSQL has more of them.
func (m *Move) number(ctx context.Context) error {
	there, err := tablesOf(m.To.DB.At(ctx))
	if err != nil {
		return err
	}
	for _, t := range m.plan {
		if !there[t.name].numbers {
			continue
		}
		last, err := lastNumber(m.From.DB.At(ctx), t.name)
		if err != nil {
			return err
		}
		err = m.To.DB.Write(ctx, 0, func(w *engine.Tx) error {
			var here int64
			if err := w.Scan(`SELECT coalesce(max(n), 0) FROM "`+t.name+`"`, nil, &here); err != nil {
				return err
			}
			return setLast(w, t.name, max(last, here))
		})
		if err != nil {
			return fmt.Errorf("number the rows of table %s: %w", t.name, err)
		}
	}
	return nil
}

const sequenceOf = "CAST(pg_get_serial_sequence(quote_ident(CAST(?1 AS text)), 'n') AS regclass)"

// lastNumber is the last that was given out.
func lastNumber(q engine.Reading, name string) (n int64, err error) {
	query := "SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = ?1), 0)"
	if q.OnPostgres() {
		query = "SELECT coalesce(pg_sequence_last_value(" + sequenceOf + "), 0)"
	}
	return n, q.Scan(query, []any{name}, &n)
}

func setLast(w *engine.Tx, name string, n int64) error {
	if w.OnPostgres() {
		var set int64
		return w.Scan("SELECT setval("+sequenceOf+", greatest(?2, 1), ?2 > 0)", []any{name, n}, &set)
	}
	if _, err := w.Exec("DELETE FROM sqlite_sequence WHERE name = ?", name); err != nil {
		return err
	}
	_, err := w.Exec("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", name, n)
	return err
}
