// Package sealed seals values anew that were sealed with a key which is being replaced,
// so that the key can be dropped. Each room of the store says which columns of it hold
// sealed values ([Column]); [Anew] goes through them.
//
// It takes a few rows at a time, and changes a value only where it is still the one that
// was read: it may run beside all else that writes, and in several processes at once.
package sealed

import (
	"context"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"screentest/server/seal"
	"screentest/server/store/engine"
)

const (
	// step is how many rows are read, and at most written, at a time.
	step = 100
	// pause is how long it rests after a step that wrote.
	pause = 20 * time.Millisecond
)

// A Column holds sealed values.
type Column struct {
	Name string // for errors
	// First comes before the key of every row; a key has as many columns.
	First []any
	// Rows is a query of rows after a key, in the order of the keys and at most so many:
	// the key, the value, and what else As needs. SetWhere writes a value to the row with
	// a key, if its value is a given one.
	Rows, SetWhere string
	// As is what the value of a row is sealed as. key and more are as the driver gives
	// them.
	As func(key, more []any) (purpose, id string)
	// Text says that the value is text in base64, among which there may be others.
	Text bool
}

// A Report says what became of the values.
type Report struct {
	Values int            // that there are
	Anew   int            // that were sealed with the first key now
	Lost   map[string]int // that no key opens, by the id of the one they were sealed with; "" is not known
}

// Anew seals with the first key of box what another one of its keys has sealed. With a
// single key it only looks which values don't open.
func Anew(ctx context.Context, db *engine.DB, box *seal.Box, columns []Column) (r Report, err error) {
	r.Lost = map[string]int{}
	for _, c := range columns {
		after := c.First
		for after != nil {
			if after, err = c.step(ctx, db, box, &r, after); err != nil {
				return r, fmt.Errorf("seal %s anew: %w", c.Name, err)
			}
		}
	}
	return r, nil
}

// value is one that is to be replaced.
type value struct {
	key      []any
	was, now any
}

// step goes through the rows after a key, and gives the last one's; nil: those were all.
func (c Column) step(ctx context.Context, db *engine.DB, box *seal.Box, r *Report, after []any) (last []any, err error) {
	var values []value
	rows, bytes, several := 0, 0, len(box.IDs()) > 1
	if err := db.At(ctx).Each(c.Rows, append(after[:len(after):len(after)], step), func(each *sql.Rows) error {
		row, err := scanned(each)
		if err != nil {
			return err
		}
		rows++
		n := len(c.First)
		last = row[:n:n]
		sealed, is := c.decoded(row[n])
		if !is {
			return nil
		}
		r.Values++
		if box.Newest(sealed) {
			return nil
		}
		purpose, id := c.As(last, row[n+1:])
		plain, err := box.Open(purpose, id, sealed)
		switch {
		case errors.Is(err, seal.ErrOpen):
			r.Lost[seal.IDOf(sealed)]++
		case err != nil:
			return err
		case several:
			v := value{last, row[n], c.encoded(box.Seal(purpose, id, plain))}
			values, bytes = append(values, v), bytes+len(sealed)
		}
		return nil
	}); err != nil {
		return nil, err
	}
	if err := c.write(ctx, db, r, values, bytes); err != nil {
		return nil, err
	}
	if rows < step {
		return nil, nil
	}
	return last, nil
}

func (c Column) write(ctx context.Context, db *engine.DB, r *Report, values []value, bytes int) error {
	if len(values) == 0 {
		return nil
	}
	var anew int64
	if err := db.Write(ctx, bytes, func(t *engine.Tx) error {
		anew = 0
		for _, v := range values {
			args := append(append([]any{v.now}, v.key...), v.was)
			done, err := t.Exec(c.SetWhere, args...)
			if err != nil {
				return err
			}
			n, err := done.RowsAffected()
			if err != nil {
				return err
			}
			anew += n
		}
		return nil
	}); err != nil {
		return err
	}
	r.Anew += int(anew)
	select {
	case <-time.After(pause):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// scanned is a row as the driver gives it.
func scanned(rows *sql.Rows) ([]any, error) {
	names, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	row, to := make([]any, len(names)), make([]any, len(names))
	for i := range row {
		to[i] = &row[i]
	}
	return row, rows.Scan(to...)
}

// decoded is a sealed value as it is stored; is says that it is one.
func (c Column) decoded(stored any) (sealed []byte, is bool) {
	if !c.Text {
		sealed, is = stored.([]byte)
		return sealed, is && len(sealed) > 0
	}
	text, is := stored.(string)
	if !is {
		return nil, false
	}
	sealed, err := base64.StdEncoding.DecodeString(text)
	return sealed, err == nil && seal.Is(sealed)
}

func (c Column) encoded(sealed []byte) any {
	if c.Text {
		return base64.StdEncoding.EncodeToString(sealed)
	}
	return sealed
}
