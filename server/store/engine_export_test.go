package store

import (
	"context"
	"database/sql"
	"maps"
	"slices"
)

// WriterConn is the writing connection, while the writer is idle or held.
func (e *engine) WriterConn() *sql.Conn { return e.writer.tx.p.conn }

// Queued says how many units are queued, and whether the engine is closing.
func (e *engine) Queued() (units int, closing bool) {
	e.writer.mu.Lock()
	defer e.writer.mu.Unlock()
	return len(e.writer.queue), e.writer.closed
}

// Statements are all that were prepared so far.
func (e *engine) Statements(ctx context.Context) ([]string, error) {
	all := map[string]bool{}
	note := func(p *prepared) {
		for query := range p.stmts {
			all[query] = true
		}
	}
	err := e.Write(ctx, 0, func(w *tx) error { note(w.p); return nil })
	for range readerCount {
		p, back, borrowed := e.readers.borrow(ctx)
		if borrowed != nil {
			return nil, borrowed
		}
		defer back()
		note(p)
	}
	return slices.Sorted(maps.Keys(all)), err
}

// ExecReading runs a statement on a reading connection.
func (e *engine) ExecReading(ctx context.Context, query string) error {
	p, back, err := e.readers.borrow(ctx)
	if err != nil {
		return err
	}
	defer back()
	_, err = p.exec(ctx, query)
	return err
}
