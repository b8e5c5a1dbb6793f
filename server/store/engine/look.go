package engine

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/store/postgres"
	"screentest/shared/wire"
)

// Look calls fn with the database at path as of one moment, and the version that it
// is of: at most newest, 0 where there is nothing yet. Another process may have it
// open. Nothing is changed.
func Look(ctx context.Context, path string, newest int, fn func(q Reading, version int) error) (err error) {
	pool, err := OpenPool(path, ReaderSettings, 1)
	if err != nil {
		return err
	}
	conn, err := pool.Conn(ctx)
	if err != nil {
		return errors.Join(Explain(err), pool.Close())
	}
	version, err := VersionOf(ctx, conn, newest)
	if err = errors.Join(err, conn.Close()); err != nil {
		return errors.Join(err, pool.Close())
	}
	readers, err := openReaders(ctx, sqliteKind{}, pool, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, readers.close()) }()
	return readers.snapshot(ctx, func(q Reading) error { return fn(q, version) })
}

// LookPostgres does so with the database at url.
func LookPostgres(ctx context.Context, url string, newest int, fn func(q Reading, version int) error) (err error) {
	c, err := connector(url)
	if err != nil {
		return err
	}
	pool := c.Open(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return errors.Join(Explain(err), pool.Close())
	}
	version, err := postgresVersion(ctx, conn, newest)
	if err = errors.Join(err, conn.Close()); err != nil {
		return errors.Join(err, pool.Close())
	}
	readers, err := openReaders(ctx, newPostgresKind(), pool, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, readers.close()) }()
	return readers.snapshot(ctx, func(q Reading) error { return fn(q, version) })
}

// ExecLong runs a statement that takes longer than an answer may otherwise, such as
// one that makes an index.
func (t *Tx) ExecLong(ctx context.Context, statement string) error {
	if !t.OnPostgres() {
		_, err := t.Exec(statement)
		return err
	}
	return t.p.said(postgres.Raw(ctx, t.p.conn, func(pc *pgconn.PgConn) error {
		_, err := pc.Exec(ctx, "SET LOCAL statement_timeout = 0; "+statement).ReadAll()
		return err
	}))
}

// moveLock is the number of the lock that whoever moves a database of PostgreSQL's,
// from there or to there, holds meanwhile.
const moveLock = writeLock + 1

// HoldPostgres takes the database at url for a move, until release. One that another
// process has taken is refused.
func HoldPostgres(ctx context.Context, url string) (release func() error, err error) {
	c, err := connector(url)
	if err != nil {
		return nil, err
	}
	pool := c.Open(1)
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, errors.Join(Explain(err), pool.Close())
	}
	release = func() error { return errors.Join(conn.Close(), pool.Close()) }
	var held bool
	if err := conn.QueryRowContext(ctx, "SELECT pg_try_advisory_lock(?)", int64(moveLock)).Scan(&held); err != nil {
		return nil, errors.Join(Explain(err), release())
	}
	if !held {
		return nil, errors.Join(&Error{Problem: wire.Problem{Code: "move_running", Message: "Another screentest move works on " + c.Address() + ".",
			Hint: "Wait until it is done."}}, release())
	}
	return release, nil
}

// AddressOf is where the database at url is, without who asks and their password.
func AddressOf(url string) (string, error) {
	c, err := connector(url)
	if err != nil {
		return "", err
	}
	return c.Address(), nil
}
