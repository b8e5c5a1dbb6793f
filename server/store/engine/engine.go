// Package engine is what the store stands on: a database, one goroutine that writes
// to it, and a few connections that read. The database is a file of SQLite's, which
// is one process's, or PostgreSQL, which several may write to in turn; what is
// above tells no difference but where it asks for one ([DB.Postgres]). The engine
// knows no table but meta.
//
// What is to happen after a write it is told by who writes: call me when this is
// durable ([Tx.AfterCommit]), have what I delete gone from the files ([Tx.Scrub]);
// and a [Follower] catches up when there is a moment.
//
// The writer commits whatever is queued together, so the wait for the disk
// (synchronous FULL) is shared, and neither side waits for the other. What is
// written is a unit: a function of a [Tx] that is stored whole or not at all.
package engine

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"time"

	"screentest/server/store/postgres"
)

// A DB is an open database. Its methods may be called from any goroutine.
type DB struct {
	// Postgres opens more connections to the database; nil where it is a file.
	Postgres *postgres.Connector

	kind    kind
	pool    *sql.DB // of the writing connection
	writer  *writer
	readers *readers
	locks   *Locks // nil: a file
}

// Options of Open.
type Options struct {
	Migrations fs.FS // files NNNN_what.sql
	Follower   Follower
	Now        func() time.Time // names the copies of older databases
	// Committed is told how long a group of writes took, with the wait for the
	// disk. It must return at once. nil: nobody is.
	Committed func(took time.Duration)
	Logger    *slog.Logger
}

// Open brings the database at path up to date, after keeping a copy of an older
// one in the folder backups beside it, and starts the writer and the readers.
// The file must be there, and may be empty.
func Open(ctx context.Context, path string, o Options) (e *DB, err error) {
	ms, err := ReadMigrations(o.Migrations)
	if err != nil {
		return nil, err
	}
	if err := Inspect(ctx, path, len(ms)); err != nil {
		return nil, err
	}
	e = &DB{kind: sqliteKind{}}
	made := e // which is nil with an error
	defer func() {
		if err != nil {
			made.Close()
		}
	}()
	if e.pool, err = OpenPool(path, WriterSettings, 1); err != nil {
		return nil, err
	}
	conn, err := e.pool.Conn(ctx)
	if err != nil {
		return nil, Explain(err)
	}
	copyFirst := func(version int) (drop func(), err error) {
		copied, err := keepCopy(ctx, conn, path, version, o.Now())
		if err == nil {
			o.Logger.Info("kept a copy of the database before migrating it", "file", copied)
		}
		return func() { RemoveDatabase(copied) }, err
	}
	if err := Migrate(ctx, conn, ms, copyFirst, o.Logger); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := dropOldCopies(path); err != nil {
		o.Logger.Warn("old copies of the database were not removed", "err", err)
	}
	readers, err := OpenPool(path, ReaderSettings, readerCount)
	if err == nil {
		e.readers, err = openReaders(ctx, e.kind, readers, readerCount)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if o.Committed == nil {
		o.Committed = func(time.Duration) {}
	}
	e.writer, err = startWriter(e.kind, e.pool, conn, o)
	return e, err
}

// Close finishes the writes that are queued and closes the database. Later
// calls give os.ErrClosed.
func (e *DB) Close() error {
	var errs []error
	if e.writer != nil {
		errs = append(errs, e.writer.close())
	}
	if e.readers != nil {
		errs = append(errs, e.readers.close())
	}
	if e.locks != nil {
		errs = append(errs, e.locks.pool.Close())
	}
	if e.pool != nil {
		errs = append(errs, e.pool.Close()) // the last connection: it empties the write-ahead log
	}
	return errors.Join(errs...)
}

// Write queues fn and waits until it is durable or has failed. No error means
// that all of fn is stored, an error that nothing of it is, whatever becomes of
// ctx; but for [ErrUnknown], which says neither. So whoever has put something in
// place for a write, such as a file, takes it back when Write fails otherwise, and
// only then. size is how many bytes fn carries.
//
// ctx ends only the wait for a place in the queue: one that is over beforehand
// writes nothing, and once queued fn is carried out. Read what fn sets only where
// there is no error: it may have been run in vain.
func (e *DB) Write(ctx context.Context, size int, fn func(*Tx) error) error {
	return e.writer.write(ctx, size, fn)
}

// Waiting is how many writes are queued.
func (e *DB) Waiting() int {
	e.writer.mu.Lock()
	defer e.writer.mu.Unlock()
	return len(e.writer.queue)
}

// Post queues fn without waiting. done, which may be nil, is called once fn is
// durable or has failed.
func (e *DB) Post(size int, fn func(*Tx) error, done func(error)) {
	e.writer.post(size, fn, done)
}

// At reads with the context ctx; each query sees the newest commit.
func (e *DB) At(ctx context.Context) Reading { return Reading{ctx: ctx, r: e.readers} }

// Snapshot calls fn with a reading whose queries all see the same commit. fn
// holds a connection: it must be short, and read with nothing else.
func (e *DB) Snapshot(ctx context.Context, fn func(Reading) error) error {
	return e.readers.snapshot(ctx, fn)
}
