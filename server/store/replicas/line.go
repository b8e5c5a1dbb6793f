package replicas

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"
)

// Bounds of a beat. Together they are less than the time after which one that doesn't
// beat is gone.
const (
	connectWithin = 5 * time.Second
	answerWithin  = 3 * time.Second
)

// A line asks one query on a connection of its own, and waits for no answer for long:
// where none comes in time the next one is asked on another connection.
type line struct {
	open  func() *sql.DB
	query string
	turn  chan struct{} // holds one: whoever has taken it has what follows

	ends   func() error // of the connection
	stmt   *sql.Stmt    // nil: there is none
	closed bool
}

func newLine(open func() *sql.DB, query string) *line {
	l := &line{open: open, query: query, turn: make(chan struct{}, 1)}
	l.turn <- struct{}{}
	return l
}

// ask calls fn for each row, on a goroutine that is waited for unless there is an error.
func (l *line) ask(ctx context.Context, args []any, fn func(*sql.Rows) error) error {
	select {
	case <-l.turn:
		defer func() { l.turn <- struct{}{} }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if l.closed {
		return os.ErrClosed
	}
	if l.stmt == nil {
		if err := l.connect(ctx); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	stmt, ends := l.stmt, l.ends
	answered := make(chan error, 1)
	go func() {
		err := each(stmt, args, fn)
		if err != nil {
			_ = ends() // it may be broken
		}
		answered <- err
	}()
	var err error
	select {
	case err = <-answered:
	case <-ctx.Done():
		err = fmt.Errorf("the database doesn't answer: %w", ctx.Err())
		go func() {
			if <-answered == nil {
				_ = ends() // too late
			}
		}()
	}
	if err != nil {
		l.stmt = nil
	}
	return err
}

func each(stmt *sql.Stmt, args []any, fn func(*sql.Rows) error) error {
	rows, err := stmt.Query(args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (l *line) connect(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, connectWithin)
	defer cancel()
	pool := l.open()
	conn, err := pool.Conn(ctx)
	if err != nil {
		return errors.Join(err, pool.Close())
	}
	stmt, err := conn.PrepareContext(ctx, l.query)
	if err != nil {
		return errors.Join(err, conn.Close(), pool.Close())
	}
	l.stmt, l.ends = stmt, func() error { return errors.Join(stmt.Close(), conn.Close(), pool.Close()) }
	return nil
}

// close waits for who asks.
func (l *line) close() error {
	<-l.turn
	defer func() { l.turn <- struct{}{} }()
	l.closed = true
	if l.stmt == nil {
		return nil
	}
	l.stmt = nil
	return l.ends()
}
