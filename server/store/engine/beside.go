package engine

import (
	"context"
	"errors"
	"fmt"

	"screentest/shared/wire"
)

// Beside carries out fn in one transaction on the database at path, which another
// process may have open and write to: whoever comes second waits. newest is the
// version that the database must have; it is left as it is.
func Beside(ctx context.Context, path string, newest int, fn func(*Tx) error) (err error) {
	pool, err := OpenPool(path, WriterSettings, 1)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return Explain(err)
	}
	p := prepare(pool, conn)
	defer func() { err = errors.Join(err, p.close()) }()
	version, err := VersionOf(ctx, conn, newest)
	if err != nil {
		return err
	}
	if version != newest {
		return &Error{Problem: wire.Problem{Code: "data_older",
			Message: fmt.Sprintf("The database is of version %d, and this Screentest works with version %d.", version, newest),
			Hint:    "Start the server once, which brings it up to date."}}
	}
	// None of these is under ctx: one that ended meanwhile would be said to have
	// failed though it has not.
	whole := context.WithoutCancel(ctx)
	if _, err := p.exec(whole, "BEGIN IMMEDIATE"); err != nil {
		return Explain(err)
	}
	tx := &Tx{kind: sqliteKind{}, p: p, scrub: new(bool)}
	if err = refusal(tx); err == nil {
		err = fn(tx)
	}
	if err != nil {
		_, back := p.exec(whole, "ROLLBACK")
		return errors.Join(Explain(err), back)
	}
	if _, err := p.exec(whole, "COMMIT"); err != nil {
		_, _ = p.exec(whole, "ROLLBACK") // SQLite may have done it by itself
		return Explain(err)
	}
	for _, fn := range tx.after {
		fn()
	}
	return nil
}
