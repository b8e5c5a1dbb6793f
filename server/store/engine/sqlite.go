package engine

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"net/url"
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

// sqliteKind is a database file: one goroutine of one process writes to it.
type sqliteKind struct{}

func (sqliteKind) begin(p *prepared) error {
	_, err := p.exec(context.Background(), "BEGIN IMMEDIATE")
	return err
}

func (sqliteKind) commit(p *prepared) error {
	_, err := p.exec(context.Background(), "COMMIT")
	return err
}

func (sqliteKind) writing() context.Context { return context.Background() }

func (sqliteKind) flush(*prepared) error { return nil }

func (sqliteKind) takeBack(p *prepared, statement string) error {
	_, err := p.exec(context.Background(), statement)
	return err
}

func (sqliteKind) snapshot() string { return "BEGIN" }

// insertSQLite runs an INSERT and gives the number n of the new row.
func insertSQLite(p *prepared, query string, args []any) (n int64, err error) {
	res, err := p.exec(context.Background(), query, args...)
	if err != nil {
		return 0, err
	}
	if rows, err := res.RowsAffected(); err != nil || rows == 0 {
		return 0, cmp.Or(err, sql.ErrNoRows)
	}
	return res.LastInsertId()
}

func (sqliteKind) relax(p *prepared) error { return p.setting("PRAGMA synchronous = NORMAL") }

func (sqliteKind) durable(p *prepared) error { return p.setting("PRAGMA synchronous = FULL") }

func (sqliteKind) keepsDeleted() bool { return true }

// empty moves the write-ahead log into the database and cuts it to nothing. It does
// not wait for readers.
func (sqliteKind) empty(p *prepared) (done bool, err error) {
	if err := p.setting("PRAGMA busy_timeout = 0"); err != nil {
		return false, err
	}
	var busy, pages, moved int
	err = p.scan(context.Background(), "PRAGMA wal_checkpoint(TRUNCATE)", nil, &busy, &pages, &moved)
	return err == nil && busy == 0, errors.Join(p.setting("PRAGMA busy_timeout = 5000"))
}
