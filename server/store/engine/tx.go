package engine

import (
	"context"
	"database/sql"
)

// A Tx is the writing transaction as a unit sees it.
type Tx struct {
	kind  kind
	ctx   context.Context // of statements that give no rows
	p     *prepared
	after []func() // of the units so far
	kept  map[any]kept
	scrub bool // something was deleted that is still in the files
}

func newTx(k kind, p *prepared) *Tx {
	return &Tx{kind: k, ctx: k.writing(), p: p, kept: map[any]kept{}}
}

// A kept is a value of [Tx.Keep].
type kept struct {
	value any
	store func() error
}

// Keep has a value at hand for the units that are committed with this one: what
// each of them would read, change and store again is stored once, by store, before
// the commit. A unit that fails leaves nothing of it.
func (t *Tx) Keep(key, value any, store func() error) { t.kept[key] = kept{value, store} }

// Kept is the value that was kept last under key in this transaction; nil where
// none was.
func (t *Tx) Kept(key any) any { return t.kept[key].value }

func (t *Tx) storeKept() error {
	for _, k := range t.kept {
		if err := k.store(); err != nil {
			return err
		}
	}
	clear(t.kept)
	return nil
}

// AfterCommit has fn called on the writing goroutine once the unit is durable,
// in the order of the calls, before the unit is answered. A unit that fails
// calls nothing.
func (t *Tx) AfterCommit(fn func()) { t.after = append(t.after, fn) }

// Scrub has what the unit deletes gone from the files soon: from what follows,
// and from the write-ahead log.
func (t *Tx) Scrub() error {
	if !t.kind.keepsDeleted() {
		return nil
	}
	t.scrub = true
	_, err := t.Exec("INSERT INTO meta (name, value) VALUES (?, x'') ON CONFLICT DO NOTHING", scrubName)
	return err
}

// OnPostgres tells which of the two engines is written to.
func (t *Tx) OnPostgres() bool { return onPostgres(t.kind) }

// Holder is [DB.Holder].
func (t *Tx) Holder() int64 { return holder(t.kind) }

// Exec runs a statement that gives no rows. PostgreSQL is sent it with the next one
// that something is to be known of, at the latest with the commit, and what is wrong
// with it is said then.
func (t *Tx) Exec(query string, args ...any) (sql.Result, error) {
	return t.p.exec(t.ctx, query, args...)
}

// Scan reads the one row of query into dest. sql.ErrNoRows: there is none.
func (t *Tx) Scan(query string, args []any, dest ...any) error {
	return t.p.scan(context.Background(), query, args, dest...)
}

// Each calls fn for every row of query; fn must not use t.
func (t *Tx) Each(ctx context.Context, query string, args []any, fn func(*sql.Rows) error) error {
	return t.p.each(ctx, query, args, fn)
}

// Insert runs an INSERT and returns the number n of the new row. sql.ErrNoRows: it
// conflicts with one that is there.
func (t *Tx) Insert(query string, args ...any) (n int64, err error) {
	if t.OnPostgres() { // and not by the kind: its values would go to the heap
		return insertPostgres(t.p, query, args)
	}
	return insertSQLite(t.p, query, args)
}
