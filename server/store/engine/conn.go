package engine

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"time"
)

// A Scanner asks for one row: the writing transaction, or a reading.
type Scanner interface {
	Scan(query string, args []any, dest ...any) error
}

// A prepared is one connection with the statements that were prepared on it,
// once each. It is for one goroutine at a time.
type prepared struct {
	pool  *sql.DB // gives another one in the place of one that broke off
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	lost  bool // the connection broke off
}

func prepare(pool *sql.DB, conn *sql.Conn) *prepared {
	return &prepared{pool: pool, conn: conn, stmts: map[string]*sql.Stmt{}}
}

// renew takes another connection, where the one before broke off.
func (p *prepared) renew(ctx context.Context) error {
	if !p.lost {
		return nil
	}
	for _, s := range p.stmts {
		_ = s.Close() // gone with the connection
	}
	clear(p.stmts)
	_ = p.conn.Close()
	conn, err := p.pool.Conn(ctx)
	if err != nil {
		return err
	}
	p.conn, p.lost = conn, false
	return nil
}

// said notes whether err is the end of the connection.
func (p *prepared) said(err error) error {
	if err != nil && isLost(err) {
		p.lost = true
	}
	return err
}

func (p *prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := p.stmts[query]; s != nil {
		return s, nil
	}
	s, err := p.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, p.said(err)
	}
	p.stmts[query] = s
	return s, nil
}

func (p *prepared) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	res, err := s.ExecContext(ctx, args...)
	return res, p.said(err)
}

// scan reads the one row of query into dest. sql.ErrNoRows: there is none.
func (p *prepared) scan(ctx context.Context, query string, args []any, dest ...any) error {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return err
	}
	return p.said(s.QueryRowContext(ctx, args...).Scan(dest...))
}

// close closes the statements, too: they are not closed with a connection that
// is held, and an open one would keep SQLite from moving the write-ahead log
// into the database.
func (p *prepared) close() error {
	var errs []error
	for _, s := range p.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, p.conn.Close())...)
}

// each calls fn for every row of query; fn must not use the connection.
func (p *prepared) each(ctx context.Context, query string, args []any, fn func(*sql.Rows) error) error {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return err
	}
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return p.said(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// readers are the reading connections. A reader sees what is committed, and
// neither waits for the writer nor is waited for.
type readers struct {
	kind   kind
	pool   *sql.DB
	idle   chan *prepared
	closed chan struct{}
}

// openReaders takes n connections of pool, and pool itself.
func openReaders(ctx context.Context, k kind, pool *sql.DB, n int) (*readers, error) {
	r := &readers{kind: k, pool: pool, idle: make(chan *prepared, n), closed: make(chan struct{})}
	for range n {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return nil, errors.Join(Explain(err), pool.Close())
		}
		r.idle <- prepare(pool, conn)
	}
	return r, nil
}

// borrow waits for a connection. Give it back.
func (r *readers) borrow(ctx context.Context) (p *prepared, back func(), err error) {
	select {
	case <-r.closed:
		return nil, nil, os.ErrClosed
	default:
	}
	select {
	case p := <-r.idle:
		back := func() { r.idle <- p }
		if err := p.renew(ctx); err != nil {
			back()
			return nil, nil, Explain(err)
		}
		return p, back, nil
	case <-r.closed:
		return nil, nil, os.ErrClosed
	case <-ctx.Done():
		return nil, nil, Explain(ctx.Err())
	}
}

// beginWithin bounds the wait for a database that is asked nothing yet.
const beginWithin = 5 * time.Second

// snapshot is [DB.Snapshot].
func (r *readers) snapshot(ctx context.Context, fn func(Reading) error) error {
	p, back, err := r.borrow(ctx)
	if err != nil {
		return err
	}
	defer back()
	// Neither is under ctx: if that ends while BEGIN runs, it is said to have
	// failed though it has not. The transaction would stay open, and whoever
	// has the connection next would read what was, or fail.
	whole := context.WithoutCancel(ctx)
	if onPostgres(r.kind) { // where one that ends costs the connection
		var cancel context.CancelFunc
		whole, cancel = context.WithTimeout(whole, beginWithin)
		defer cancel()
	}
	err = again(whole, p, func() error {
		_, err := p.exec(whole, r.kind.snapshot())
		return err
	})
	if err != nil {
		return Explain(err)
	}
	defer p.exec(context.WithoutCancel(ctx), "ROLLBACK") // nothing was written
	return fn(Reading{ctx: ctx, r: r, held: p})
}

// close waits for the readings under way and refuses new ones.
func (r *readers) close() error {
	close(r.closed)
	var errs []error
	for range cap(r.idle) {
		errs = append(errs, (<-r.idle).close())
	}
	return errors.Join(append(errs, r.pool.Close())...)
}

// again does what fn does, once more on another connection where the one that it
// had turns out to have broken off while nobody used it. That ends before the
// first row: the answer to a query is whole or an error.
func again(ctx context.Context, p *prepared, fn func() error) error {
	err := fn()
	if err == nil || !p.lost {
		return err
	}
	if p.renew(ctx) != nil {
		return err
	}
	return fn()
}

// A Reading is one call's use of the readers.
type Reading struct {
	ctx  context.Context
	r    *readers
	held *prepared // of a snapshot; else nil, and r gives one for each query
}

// OnPostgres tells which of the two engines is asked, for what they have no words
// in common for.
func (q Reading) OnPostgres() bool { return onPostgres(q.r.kind) }

func (q Reading) conn() (p *prepared, back func(), err error) {
	if q.held != nil {
		return q.held, func() {}, nil
	}
	return q.r.borrow(q.ctx)
}

// Scan reads the one row of query into dest. sql.ErrNoRows: there is none.
func (q Reading) Scan(query string, args []any, dest ...any) error {
	p, back, err := q.conn()
	if err != nil {
		return err
	}
	defer back()
	if q.held != nil {
		return Explain(p.scan(q.ctx, query, args, dest...))
	}
	return Explain(again(q.ctx, p, func() error { return p.scan(q.ctx, query, args, dest...) }))
}

// Each calls fn for every row of query. Outside of a snapshot fn must not read
// more: the connection is held until the last row.
func (q Reading) Each(query string, args []any, fn func(*sql.Rows) error) error {
	p, back, err := q.conn()
	if err != nil {
		return err
	}
	defer back()
	var own error
	each := func() error {
		return p.each(q.ctx, query, args, func(rows *sql.Rows) error {
			own = fn(rows)
			return own
		})
	}
	if q.held != nil {
		err = each()
	} else {
		err = again(q.ctx, p, each)
	}
	if own != nil {
		return own
	}
	return Explain(err)
}
