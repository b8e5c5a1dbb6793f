package move

import (
	"context"

	"screentest/server/store/engine"
)

// noteWords has everything that can be found noted for the index.
func (m *Move) noteWords(ctx context.Context) error {
	return m.To.DB.Write(ctx, 0, func(w *engine.Tx) error {
		if err := m.dropIndexes(w); err != nil {
			return err
		}
		if w.OnPostgres() {
			// What is asked for each conversation would be planned as for an empty table.
			if err := w.ExecLong(ctx, "ANALYZE"); err != nil {
				return err
			}
		}
		for _, statement := range []string{
			"DELETE FROM search_todo",
			"INSERT INTO search_todo (owner, conversation, messages_from) SELECT owner, n, 0 FROM conversations WHERE owner > 0 ORDER BY n",
			"INSERT INTO search_todo (owner, conversation, video) SELECT owner, 0, n FROM video_tasks WHERE owner > 0 ORDER BY n",
		} {
			if err := w.ExecLong(ctx, statement); err != nil {
				return err
			}
		}
		return m.noteIn(w)
	})
}

// dropIndexes drops the indexes of words, and notes how they are made again.
func (m *Move) dropIndexes(w *engine.Tx) error {
	if !w.OnPostgres() {
		return nil
	}
	const where = " FROM pg_indexes WHERE schemaname = current_schema() AND tablename = 'search' AND indexdef ILIKE '% USING gin %' ORDER BY indexname"
	names, err := engine.Column[string](w, "SELECT indexname::text"+where)
	if err != nil || len(names) == 0 {
		return err // or dropped before
	}
	if m.state.Later, err = engine.Column[string](w, "SELECT indexdef"+where); err != nil {
		return err
	}
	for _, name := range names {
		if _, err := w.Exec(`DROP INDEX "` + name + `"`); err != nil {
			return err
		}
	}
	return nil
}

// putWords puts it in, and makes the indexes.
func (m *Move) putWords(ctx context.Context) error {
	m.Say("Making the search index.")
	if err := m.catchUp(ctx, m.To); err != nil {
		return err
	}
	later := m.state.Later
	return m.To.DB.Write(ctx, 0, func(w *engine.Tx) error {
		for _, statement := range later {
			if err := w.ExecLong(ctx, statement); err != nil {
				return err
			}
		}
		if w.OnPostgres() {
			if err := w.ExecLong(ctx, "ANALYZE"); err != nil { // the first queries are planned by it
				return err
			}
		}
		m.state.Later = nil
		return m.noteIn(w)
	})
}

// catchUp has the search index of an end follow. Clips have their words in their own
// rows, too.
func (m *Move) catchUp(ctx context.Context, e End) (err error) {
	for more := true; more && err == nil; {
		err = e.DB.Write(ctx, 0, func(w *engine.Tx) (err error) {
			if w.OnPostgres() {
				// The tables of the index were empty when what is asked of them was planned.
				if _, err := w.Exec("SET LOCAL enable_seqscan = off"); err != nil {
					return err
				}
			}
			more, err = e.Index.CatchUp(w)
			return err
		})
		if err == nil && m.written != nil {
			err = m.written()
		}
	}
	return err
}
