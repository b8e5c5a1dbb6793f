package store

import (
	"context"
	"os"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/folder"
)

// Ping says whether the database can be read, and whether writes are carried
// out: one of nothing, in its turn behind those that wait. When ctx is done
// before that it is an error.
func (db *DB) Ping(ctx context.Context) error {
	var one int
	if err := db.engine.At(ctx).Scan("SELECT 1", nil, &one); err != nil {
		return err
	}
	if db.engine.ReadOnly() != nil {
		return nil // nothing is ever written
	}
	written := make(chan error, 1)
	db.engine.Post(0, func(*engine.Tx) error { return nil }, func(err error) { written <- err })
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ReadOnly is nil, or why nothing may be written: all was moved elsewhere.
func (db *DB) ReadOnly() error { return db.engine.ReadOnly() }

// ProbeSealKey says whether the sealing key opens what this folder was sealed
// with.
func (db *DB) ProbeSealKey(ctx context.Context) error {
	var check []byte
	if err := db.engine.At(ctx).Scan("SELECT value FROM meta WHERE name = ?", []any{folder.SealCheck}, &check); err != nil {
		return err
	}
	_, err := db.box.Open(folder.SealCheck, "", check)
	return err
}

// Waiting is how many writes are queued.
func (db *DB) Waiting() int { return db.engine.Waiting() }

// Bytes is the size of the database with its write-ahead log; 0 where PostgreSQL
// doesn't say at once.
func (db *DB) Bytes() (n int64) {
	if db.engine.Postgres != nil {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if err := db.engine.At(ctx).Scan("SELECT pg_database_size(current_database())", nil, &n); err != nil {
			return 0
		}
		return n
	}
	for _, end := range []string{"", "-wal"} {
		if info, err := os.Stat(folder.DatabaseIn(db.dir) + end); err == nil { // the log may not be there
			n += info.Size()
		}
	}
	return n
}
