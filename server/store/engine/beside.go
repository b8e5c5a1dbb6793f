package engine

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"screentest/shared/wire"
)

// Beside carries out fn in one transaction on the database at path, which another
// process may have open and write to: whoever comes second waits. newest is the
// version that the database must have; it is left as it is.
func Beside(ctx context.Context, path string, newest int, fn func(*Tx) error) error {
	pool, err := OpenPool(path, WriterSettings, 1)
	if err != nil {
		return err
	}
	return beside(ctx, sqliteKind{}, pool, newest, VersionOf, fn)
}

// BesidePostgres is Beside on the database of PostgreSQL's at url.
func BesidePostgres(ctx context.Context, url string, newest int, fn func(*Tx) error) error {
	c, err := connector(url)
	if err != nil {
		return err
	}
	return beside(ctx, newPostgresKind(), c.Open(1), newest, postgresVersion, fn)
}

// beside takes over pool.
func beside(ctx context.Context, k kind, pool *sql.DB, newest int, versionOf func(context.Context, *sql.Conn, int) (int, error), fn func(*Tx) error) (err error) {
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return Explain(err)
	}
	p := prepare(pool, conn)
	defer func() { err = errors.Join(err, p.close()) }()
	version, err := versionOf(ctx, conn, newest)
	if err != nil {
		return err
	}
	if version != newest {
		return &Error{Problem: wire.Problem{Code: "data_older",
			Message: fmt.Sprintf("The database is of version %d, and this Screentest works with version %d.", version, newest),
			Hint:    "Start the server once, which brings it up to date."}}
	}
	if err := k.begin(p); err != nil {
		return Explain(err)
	}
	tx := newTx(k, p)
	if err = refusal(tx); err == nil {
		err = fn(tx)
	}
	if err == nil {
		err = tx.storeKept()
	}
	if err != nil {
		return errors.Join(Explain(err), k.takeBack(p, "ROLLBACK"))
	}
	if err := k.commit(p); err != nil {
		_ = k.takeBack(p, "ROLLBACK") // the engine may have done it by itself
		return Explain(err)
	}
	for _, fn := range tx.after {
		fn()
	}
	return nil
}
