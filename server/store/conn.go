package store

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"modernc.org/sqlite"
)

// readerCount is the number of reading connections. Measured: more of them
// only raise the p99.
const readerCount = 2

// Settings of every connection. busy_timeout comes first, so that those after
// it wait as well. The schema is not trusted to call functions, and neither a
// double-quoted typo nor a write to SQLite's own tables goes through.
const (
	commonSettings = "_busy_timeout=5000&_defensive=1&_dqs=0&_error_rc=1" +
		"&_pragma=trusted_schema(0)&_pragma=foreign_keys(1)&_pragma=temp_store(2)&_pragma=cache_size(-8000)"
	// secure_delete overwrites what is deleted; recursive_triggers makes
	// INSERT OR REPLACE run the ledger's delete trigger too.
	writerSettings = commonSettings +
		"&_pragma=journal_mode(wal)&_pragma=synchronous(full)&_pragma=wal_autocheckpoint(10000)" +
		"&_pragma=secure_delete(1)&_pragma=recursive_triggers(1)"
	readerSettings = commonSettings + "&_query_only=1"
)

// openSQLite returns a pool of n connections to the database file at path.
func openSQLite(path, settings string, n int) (*sql.DB, error) {
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

// A scanner asks for one row: the writing transaction, or a reading.
type scanner interface {
	scan(query string, args []any, dest ...any) error
}

// readers are the reading connections, with statements that are prepared once.
// A reader sees what is committed, and neither waits for the writer nor is
// waited for.
type readers struct {
	pool *sql.DB

	mu     sync.Mutex
	stmts  map[string]*sql.Stmt
	closed bool
}

func newReaders(pool *sql.DB) *readers {
	return &readers{pool: pool, stmts: map[string]*sql.Stmt{}}
}

// stmt returns query prepared, or os.ErrClosed.
func (r *readers) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	r.mu.Lock()
	s, closed := r.stmts[query], r.closed
	r.mu.Unlock()
	if closed {
		return nil, os.ErrClosed
	}
	if s != nil {
		return s, nil
	}
	s, err := r.pool.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if first := r.stmts[query]; first != nil {
		s.Close()
		return first, nil
	}
	r.stmts[query] = s
	return s, nil
}

// at reads with the context ctx; each query sees the newest commit.
func (r *readers) at(ctx context.Context) reading { return reading{r: r, ctx: ctx} }

// snapshot calls fn with a reading whose queries all see the same commit. fn
// holds a connection: it must be short, and read with nothing else.
func (r *readers) snapshot(ctx context.Context, fn func(reading) error) error {
	r.mu.Lock()
	closed := r.closed
	r.mu.Unlock()
	if closed {
		return os.ErrClosed
	}
	t, err := r.pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return explain(err)
	}
	defer t.Rollback() // nothing was written
	return fn(reading{r, ctx, t})
}

// close waits for the readings under way.
func (r *readers) close() error {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	return r.pool.Close() // and the statements with it
}

// A reading is one call's use of the readers.
type reading struct {
	r   *readers
	ctx context.Context
	t   *sql.Tx // of a snapshot; else nil
}

func (q reading) stmt(query string) (*sql.Stmt, error) {
	s, err := q.r.stmt(q.ctx, query)
	if err == nil && q.t != nil {
		s = q.t.StmtContext(q.ctx, s)
	}
	return s, err
}

// scan reads the one row of query into dest. sql.ErrNoRows: there is none.
func (q reading) scan(query string, args []any, dest ...any) error {
	s, err := q.stmt(query)
	if err != nil {
		return explain(err)
	}
	return explain(s.QueryRowContext(q.ctx, args...).Scan(dest...))
}

// each calls fn for every row of query. Outside of a snapshot fn must not read
// more: the connection is held until the last row.
func (q reading) each(query string, args []any, fn func(*sql.Rows) error) error {
	s, err := q.stmt(query)
	if err != nil {
		return explain(err)
	}
	rows, err := s.QueryContext(q.ctx, args...)
	if err != nil {
		return explain(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return explain(rows.Err())
}
