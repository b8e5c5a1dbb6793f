package engine

import (
	"context"
	"database/sql"
	"maps"
	"slices"
)

// What the tests look at.
var (
	KeepCopy = keepCopy
	LockKey  = lockKey
)

const MaxQueued = maxQueued
const MaxQueuedBytes = maxQueuedBytes
const ReaderCount = readerCount
const ScrubName = scrubName

// WriterConn is the writing connection, while the writer is idle or held.
func (e *DB) WriterConn() *sql.Conn { return e.writer.tx.p.conn }

// Queued says how many units are queued, and whether the engine is closing.
func (e *DB) Queued() (units int, closing bool) {
	e.writer.mu.Lock()
	defer e.writer.mu.Unlock()
	return len(e.writer.queue), e.writer.closed
}

// Statements are all that were prepared so far.
func (e *DB) Statements(ctx context.Context) ([]string, error) {
	all := map[string]bool{}
	note := func(p *prepared) {
		for query := range p.stmts {
			all[query] = true
		}
	}
	err := e.Write(ctx, 0, func(w *Tx) error { note(w.p); return nil })
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
func (e *DB) ExecReading(ctx context.Context, query string) error {
	p, back, err := e.readers.borrow(ctx)
	if err != nil {
		return err
	}
	defer back()
	_, err = p.exec(ctx, query)
	return err
}
