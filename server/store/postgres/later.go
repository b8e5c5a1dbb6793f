package postgres

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"
)

// Most statements that write are followed by another one, and what each of them did
// is seldom asked for. Waiting for the answers to all of them is most of what a
// transaction takes, and of what it holds others up.

type laterKey struct{}

// Later is a context under which statements that give no rows are sent together with
// the next one whose answer is waited for. Their errors are that one's: it is for
// transactions, where nothing is carried out after one that failed.
func Later(ctx context.Context) context.Context { return context.WithValue(ctx, laterKey{}, true) }

func isLater(ctx context.Context) bool { return ctx.Value(laterKey{}) != nil }

// Bounds of what is kept before it is sent.
const (
	maxLater      = 256 // statements
	maxLaterBytes = 256 << 10
)

// Flush sends what is kept on a connection. It waits for the answers, and gives the
// first error among them.
func Flush(c *sql.Conn) error {
	return c.Raw(func(d any) error { return d.(*conn).flush(context.Background()) })
}

// Forget drops what is kept on a connection: its transaction is taken back.
func Forget(c *sql.Conn) error {
	return c.Raw(func(d any) error {
		d.(*conn).answered(errForgotten)
		return nil
	})
}

var errForgotten = errors.New("the statement was never sent: its transaction was taken back")

// A LateError is of a statement that was sent with a later one.
type LateError struct{ Err error }

func (e *LateError) Error() string { return e.Err.Error() }

func (e *LateError) Unwrap() error { return e.Err }

// asked is a statement with its values; and what became of it, for who asks.
type asked struct {
	c       *conn
	s       *stmt
	values  [][]byte
	formats []int16
	done    bool
	rows    int64
	err     error
}

// LastInsertId is for database/sql.
func (a *asked) LastInsertId() (int64, error) { return 0, errors.ErrUnsupported }

// RowsAffected has a sent, and waits for the answer.
func (a *asked) RowsAffected() (int64, error) {
	if !a.done {
		if err := a.c.flush(context.Background()); err != nil {
			return 0, err
		}
	}
	return a.rows, a.err
}

// keep keeps a for later.
func (c *conn) keep(a *asked) error {
	for i, v := range a.values {
		a.values[i] = bytes.Clone(v) // the caller may go on to write there
		c.bytes += len(v)
	}
	if c.later = append(c.later, a); len(c.later) < maxLater && c.bytes < maxLaterBytes {
		return nil
	}
	return c.flush(context.Background())
}

// flush sends what is kept.
func (c *conn) flush(ctx context.Context) error {
	if len(c.later) == 0 {
		return nil
	}
	_, err := c.send(ctx, nil)
	return err
}

// send sends what is kept and then last, nil for nothing, in one message. It gives
// the answer to last.
func (c *conn) send(ctx context.Context, last *asked) (*pgconn.Result, error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if len(c.later) == 0 {
		r := c.pc.ExecPrepared(ctx, last.s.name, last.values, last.formats, last.s.formats).Read()
		if r.Err != nil {
			return nil, c.said(r.Err)
		}
		return r, nil
	}
	var batch pgconn.Batch
	all := c.later
	if last != nil {
		all = append(slices.Clip(all), last)
	}
	for _, a := range all {
		batch.ExecPrepared(a.s.name, a.values, a.formats, a.s.formats)
	}
	results, err := c.pc.ExecBatch(ctx, &batch).ReadAll()
	if err != nil {
		if err = c.said(err); !c.pc.IsClosed() && len(results) < len(c.later) {
			err = &LateError{Err: err}
		}
		c.answered(err)
		return nil, err
	}
	for i, a := range c.later {
		a.rows = results[i].CommandTag.RowsAffected()
	}
	c.answered(nil)
	return results[len(results)-1], nil
}

// answered says of all that is kept that it was carried out, or why not.
func (c *conn) answered(err error) {
	for _, a := range c.later {
		a.done, a.err = true, err
	}
	c.later, c.bytes = nil, 0
}
