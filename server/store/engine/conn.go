package engine

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"modernc.org/sqlite"
)

// readerCount is the number of reading connections. Measured: more of them
// only raise the p99.
const readerCount = 2

// Settings of every connection. busy_timeout comes first, so that those after
// it wait as well. The schema is not trusted to call functions, and neither a
// double-quoted typo nor a write to SQLite's own tables goes through.
const (
	CommonSettings = "_busy_timeout=5000&_defensive=1&_dqs=0&_error_rc=1" +
		"&_pragma=trusted_schema(0)&_pragma=foreign_keys(1)&_pragma=temp_store(2)&_pragma=cache_size(-8000)"
	// secure_delete overwrites what is deleted; recursive_triggers makes
	// INSERT OR REPLACE run the ledger's delete trigger too.
	WriterSettings = CommonSettings +
		"&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=wal_autocheckpoint(10000)" +
		"&_pragma=secure_delete(1)&_pragma=recursive_triggers(1)"
	ReaderSettings = CommonSettings + "&_query_only=1"
)

// OpenPool returns a pool of n connections to the database file at path.
func OpenPool(path, settings string, n int) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // a Windows drive
	}
	c, err := sqlite.NewConnector((&url.URL{Scheme: "file", Path: abs, RawQuery: settings}).String())
	if err != nil {
		return nil, err
	}
	pool := sql.OpenDB(c)
	pool.SetMaxOpenConns(n)
	pool.SetMaxIdleConns(n)
	return pool, nil
}

// A Scanner asks for one row: the writing transaction, or a reading.
type Scanner interface {
	Scan(query string, args []any, dest ...any) error
}

// A prepared is one connection with the statements that were prepared on it,
// once each. It is for one goroutine at a time.
type prepared struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func prepare(conn *sql.Conn) *prepared {
	return &prepared{conn: conn, stmts: map[string]*sql.Stmt{}}
}

func (p *prepared) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if s := p.stmts[query]; s != nil {
		return s, nil
	}
	s, err := p.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	p.stmts[query] = s
	return s, nil
}

func (p *prepared) exec(ctx context.Context, query string, args ...any) (sql.Result, error) {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return nil, err
	}
	return s.ExecContext(ctx, args...)
}

// scan reads the one row of query into dest. sql.ErrNoRows: there is none.
func (p *prepared) scan(ctx context.Context, query string, args []any, dest ...any) error {
	s, err := p.stmt(ctx, query)
	if err != nil {
		return err
	}
	return s.QueryRowContext(ctx, args...).Scan(dest...)
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

// readers are the reading connections. A reader sees what is committed, and
// neither waits for the writer nor is waited for.
type readers struct {
	pool   *sql.DB
	idle   chan *prepared
	closed chan struct{}
}

func openReaders(ctx context.Context, path string) (*readers, error) {
	pool, err := OpenPool(path, ReaderSettings, readerCount)
	if err != nil {
		return nil, err
	}
	r := &readers{pool: pool, idle: make(chan *prepared, readerCount), closed: make(chan struct{})}
	for range readerCount {
		conn, err := pool.Conn(ctx)
		if err != nil {
			return nil, errors.Join(Explain(err), pool.Close())
		}
		r.idle <- prepare(conn)
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
		return p, func() { r.idle <- p }, nil
	case <-r.closed:
		return nil, nil, os.ErrClosed
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

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
	if _, err := p.exec(whole, "BEGIN"); err != nil {
		return Explain(err)
	}
	defer p.exec(whole, "ROLLBACK") // nothing was written
	return fn(Reading{ctx: ctx, held: p})
}

// close waits for the readings under way and refuses new ones.
func (r *readers) close() error {
	close(r.closed)
	var errs []error
	for range readerCount {
		errs = append(errs, (<-r.idle).close())
	}
	return errors.Join(append(errs, r.pool.Close())...)
}

// A Reading is one call's use of the readers.
type Reading struct {
	ctx  context.Context
	r    *readers
	held *prepared // of a snapshot; else nil, and r gives one for each query
}

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
	return Explain(p.scan(q.ctx, query, args, dest...))
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
	err = p.each(q.ctx, query, args, func(rows *sql.Rows) error {
		own = fn(rows)
		return own
	})
	if own != nil {
		return own
	}
	return Explain(err)
}
