package store

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"time"
)

// An engine is an open database file: one goroutine that writes, and
// connections that read.
type engine struct {
	pool    *sql.DB // of the writing connection
	writer  *writer
	readers *readers
}

// engineOptions of openEngine.
type engineOptions struct {
	Migrations fs.FS // files NNNN_what.sql
	Follower   follower
	Now        func() time.Time
	Logger     *slog.Logger
}

// openEngine migrates the database at path, after keeping a copy of an older
// one in the folder backups beside it, and starts the writer and the readers.
// The file is there, and may be empty.
func openEngine(ctx context.Context, path string, o engineOptions) (e *engine, err error) {
	ms, err := readMigrations(o.Migrations)
	if err != nil {
		return nil, err
	}
	if err := inspect(ctx, path, len(ms)); err != nil {
		return nil, err
	}
	e = &engine{}
	defer func() {
		if err != nil {
			e.Close()
		}
	}()
	if e.pool, err = openSQLite(path, writerSettings, 1); err != nil {
		return nil, err
	}
	conn, err := e.pool.Conn(ctx)
	if err != nil {
		return nil, explain(err)
	}
	keep := func(version int) (drop func(), err error) {
		copied, err := keepCopy(ctx, conn, path, version, o.Now())
		if err == nil {
			o.Logger.Info("kept a copy of the database before migrating it", "file", copied)
		}
		return func() { removeDatabase(copied) }, err
	}
	if err := migrate(ctx, conn, ms, keep, o.Logger); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := dropOldCopies(path); err != nil {
		o.Logger.Warn("old copies of the database were not removed", "err", err)
	}
	if e.readers, err = openReaders(ctx, path); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	e.writer = startWriter(conn, o.Follower, o.Logger)
	return e, nil
}

// Close finishes the writes that are queued and closes the database. Later
// calls give os.ErrClosed.
func (e *engine) Close() error {
	var errs []error
	if e.writer != nil {
		errs = append(errs, e.writer.close())
	}
	if e.readers != nil {
		errs = append(errs, e.readers.close())
	}
	if e.pool != nil {
		errs = append(errs, e.pool.Close()) // the last connection: it empties the write-ahead log
	}
	return errors.Join(errs...)
}

// Write queues fn and waits until it is durable or has failed. Its error is the
// truth, whatever becomes of ctx: nil, and all of fn is stored; anything else,
// and nothing of it is. So who has put something in place for a write, such as
// a file, takes it back where Write fails, and only there.
//
// For that, ctx ends only the wait for a place in the queue: one that is over
// beforehand writes nothing. Once queued, fn goes through to its end, and so
// does the wait. What fn sets must be read only where the error is nil: it may
// have been run in vain. size is how many bytes fn carries.
func (e *engine) Write(ctx context.Context, size int, fn func(*tx) error) error {
	return e.writer.write(ctx, size, fn)
}

// Post queues fn without waiting. done, which may be nil, is called once fn is
// durable or has failed.
func (e *engine) Post(size int, fn func(*tx) error, done func(error)) {
	e.writer.post(size, fn, done)
}

// At reads with the context ctx; each query sees the newest commit.
func (e *engine) At(ctx context.Context) reading { return reading{ctx: ctx, r: e.readers} }

// Snapshot calls fn with a reading whose queries all see the same commit. fn
// holds a connection: it must be short, and read with nothing else.
func (e *engine) Snapshot(ctx context.Context, fn func(reading) error) error {
	return e.readers.snapshot(ctx, fn)
}
