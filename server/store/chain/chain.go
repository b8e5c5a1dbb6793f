// Package chain makes a change of what is append-only show. Each row of a table
// has a hash over the hash before it and the row itself, so that a row that is
// changed, taken out, put in or moved doesn't fit the rows behind it. The number
// and hash of the last row, the head, are kept sealed: without the sealing key
// nobody can take rows away at the end, or make the chain anew, unnoticed.
//
// The hash of row n is SHA-256(hash of the row before it || columns), that of
// the first row over SHA-256("screentest chain 1 " || table). The columns stand
// in the order of [Table.Columns], the row's number first. Each is one byte for
// its kind and its value: "i" and 8 bytes, big endian, for an integer; "t" (text)
// or "b" (bytes), 8 bytes of length, and so many bytes; "n" for NULL
// ([engine.AppendRow]). So no two rows have one encoding, and anybody can work the
// chain out with another program.
//
// What is added follows the sealed head and not what the last row is said to be,
// so that no later row makes good what was done to those before.
//
// What no chain can show is that a whole folder was set back to what it once
// was. Who wants to know that too keeps heads somewhere else.
package chain

import (
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"screentest/server/seal"
	"screentest/server/store/engine"
	"screentest/server/store/sealed"
)

// A Hash is that of a row and all before it.
type Hash [sha256.Size]byte

// A Table is a table with a chain. Its rows are numbered by n, and only added to.
type Table struct {
	Name string
	// Columns are those that the hash is over, n first. A column is never taken
	// from here or added: that would be another chain.
	Columns []string
	// Hashes is the table that has the hashes, in columns n and hash: it may be
	// the table itself.
	Hashes string
}

// The tables that have a chain.
var (
	Ledger = Table{Name: "ledger", Hashes: "ledger_chain", Columns: []string{
		"n", "owner", "kind", "what", "subject", "seq", "conversation", "model", "cost_nano_usd", "basis", "source",
		"input_tokens", "output_tokens", "prices", "created_ms", "estimated_nano_usd", "team", "paid_by"}}
	Audit = Table{Name: "audit", Hashes: "audit", Columns: []string{
		"n", "at_ms", "person", "action", "object", "detail", "address"}}
)

// before is what the first row's hash is over.
func (t Table) before() Hash { return sha256.Sum256([]byte("screentest chain 1 " + t.Name)) }

// next is the hash of a row, its columns as the driver gives them.
func next(before Hash, row []any) (h Hash, err error) {
	for i, v := range row {
		if _, is := v.(float64); is {
			return h, fmt.Errorf("column %d is of the type %T, which no chain has", i, v)
		}
	}
	b, err := engine.AppendRow(append(make([]byte, 0, 512), before[:]...), row)
	if err != nil {
		return h, err
	}
	return sha256.Sum256(b), nil
}

// A Chain is a table's chain as its writer sees it.
type Chain struct {
	table Table
	box   *seal.Box
	row   string // the query of a row's columns
	last  string // that of the last row's number
}

// New is the chain of a table; box seals its head.
func New(t Table, box *seal.Box) *Chain {
	return &Chain{table: t, box: box,
		row:  "SELECT " + strings.Join(t.Columns, ", ") + " FROM " + t.Name + " WHERE n = ?",
		last: "SELECT coalesce(max(n), 0) FROM " + t.Hashes}
}

// Head is the number and hash of the last row, as they were sealed: what is added
// follows those, whatever somebody has made of the rows meanwhile, so that it
// shows for good. 0 and what the first row follows where there is none. Where the
// seal is gone or broken, and rows are there, the hash is one that no row has.
func (c *Chain) Head(w *engine.Tx) (n int64, h Hash, err error) {
	if kept, ok := w.Kept(c).(head); ok {
		return kept.n, kept.h, nil
	}
	var last int64
	if err := w.Scan(c.last, nil, &last); err != nil {
		return 0, h, err
	}
	var sealed []byte
	err = w.Scan("SELECT value FROM meta WHERE name = ?", []any{c.table.meta()}, &sealed)
	switch {
	case errors.Is(err, sql.ErrNoRows) && last == 0:
		return 0, c.table.before(), nil
	case errors.Is(err, sql.ErrNoRows):
		return last, Hash{}, nil
	case err != nil:
		return 0, h, err
	}
	n, h, err = openHead(c.table, c.box, sealed)
	if errors.Is(err, seal.ErrOpen) {
		return last, Hash{}, c.wantOurs(w)
	}
	return max(n, last), h, err
}

// wantOurs is an error in a process whose sealing key others have replaced meanwhile: it
// doesn't know the last row, and would break the chain.
func (c *Chain) wantOurs(w *engine.Tx) error {
	var probe []byte
	err := w.Scan("SELECT value FROM meta WHERE name = ?", []any{seal.Probe}, &probe)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err == nil {
		_, err = c.box.Open(seal.Probe, "", probe)
	}
	if errors.Is(err, seal.ErrOpen) {
		return fmt.Errorf("the database is sealed with the key %s by now, which this process hasn't got. Start it again, and give it that one in SCREENTEST_SEAL_KEY: %w", seal.IDOf(probe), err)
	}
	return err
}

// After is the hash of a row whose columns are known, after the one with the
// hash before.
func (c *Chain) After(before Hash, row ...any) (Hash, error) { return next(before, row) }

// OfRow is the hash of the row n as it is stored, after the one with the hash
// before.
func (c *Chain) OfRow(q engine.Scanner, before Hash, n int64) (h Hash, err error) {
	row := make([]any, len(c.table.Columns))
	if err := q.Scan(c.row, []any{n}, pointers(row)...); err != nil {
		return h, err
	}
	return next(before, row)
}

func pointers(row []any) []any {
	to := make([]any, len(row))
	for i := range row {
		to[i] = &row[i]
	}
	return to
}

// sealPurpose binds the sealed heads; the row is the table's name.
const sealPurpose = "chain"

const metaPrefix = "chain:"

func (t Table) meta() string { return metaPrefix + t.Name }

// Sealed are the columns that hold sealed values.
func Sealed() []sealed.Column {
	return []sealed.Column{{
		Name: "heads of chains", First: []any{""},
		Rows:     "SELECT name, value FROM meta WHERE name > ? AND name IN ('chain:ledger', 'chain:audit') ORDER BY name LIMIT ?",
		SetWhere: "UPDATE meta SET value = ? WHERE name = ? AND value = ?",
		As: func(key, _ []any) (purpose, id string) {
			name, _ := key[0].(string)
			return sealPurpose, strings.TrimPrefix(name, metaPrefix)
		},
	}}
}

// A head is a chain's last row.
type head struct {
	n int64
	h Hash
}

// SetHead stores, sealed, which row is the last: once for all that is added in a
// transaction.
func (c *Chain) SetHead(w *engine.Tx, n int64, h Hash) {
	w.Keep(c, head{n, h}, func() error {
		plain := append(binary.BigEndian.AppendUint64(nil, uint64(n)), h[:]...)
		_, err := w.Exec("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
			c.table.meta(), c.box.Seal(sealPurpose, c.table.Name, plain))
		return err
	})
}

// openHead opens a sealed head.
func openHead(t Table, box *seal.Box, sealed []byte) (n int64, h Hash, err error) {
	plain, err := box.Open(sealPurpose, t.Name, sealed)
	if err == nil && len(plain) != 8+len(h) {
		err = fmt.Errorf("the head of the %s has %d bytes", t.Name, len(plain))
	}
	if err != nil {
		return 0, h, err
	}
	copy(h[:], plain[8:])
	return int64(binary.BigEndian.Uint64(plain)), h, nil
}
