package move

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"screentest/server/store/engine"
)

// Bounds of what is read and written at a time.
const (
	batchRows  = 1000
	batchBytes = 4 << 20
)

// ownMeta are the rows of meta that say something of the one database alone.
var ownMeta = []string{"version", "scrub", engine.MovedName, engine.MovingOutName, engine.MovingInName}

// where is which rows of a table are moved.
func (t *table) where() string {
	if t.name == "meta" {
		return "name NOT IN ('" + strings.Join(ownMeta, "', '") + "')"
	}
	return "1 = 1"
}

// A cursor goes through the rows of a table in the order of the primary key.
type cursor struct {
	t     *table
	after []any // the key of the last row; nil at the beginning
}

// next reads the next rows, at most so many that they fit a batch, and one at least.
// None: that was all.
func (c *cursor) next(q engine.Reading) (batch [][]any, err error) {
	n, err := c.fit(q)
	if err != nil || n == 0 {
		return nil, err
	}
	columns := c.t.stored()
	where, args := c.behind()
	query := "SELECT " + listed(namesOf(columns)) + ` FROM "` + c.t.name + `" WHERE ` + where + " ORDER BY " + listed(c.t.key) + " LIMIT ?"
	err = q.Each(query, append(args, n), func(rows *sql.Rows) error {
		row := make([]any, len(columns))
		to := make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		batch = append(batch, row)
		err := rows.Scan(to...)
		for i, v := range row {
			if b, is := v.([]byte); is && b == nil {
				row[i] = []byte{} // no bytes, which a driver would take for NULL
			}
		}
		return err
	})
	if err != nil || len(batch) == 0 {
		return nil, err
	}
	c.after = nil
	for _, name := range c.t.key {
		i := slices.IndexFunc(columns, func(col column) bool { return col.name == name })
		c.after = append(c.after, batch[len(batch)-1][i])
	}
	return batch, nil
}

func (c *cursor) behind() (where string, args []any) {
	where = c.t.where()
	if c.after == nil {
		return where, nil
	}
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(c.after)), ", ")
	return where + " AND (" + listed(c.t.key) + ") > (" + marks + ")", slices.Clone(c.after)
}

// fit is how many of the next rows a batch has room for. It asks for their lengths
// alone: a row may have a picture of many megabytes.
func (c *cursor) fit(q engine.Reading) (n int64, err error) {
	var lengths []string
	for _, col := range c.t.stored() {
		if col.kind == "text" || col.kind == "bytes" {
			lengths = append(lengths, `coalesce(octet_length("`+col.name+`"), 0)`)
		}
	}
	if len(lengths) == 0 {
		return batchRows, nil
	}
	where, args := c.behind()
	query := "SELECT count(*), coalesce(sum(CASE WHEN total <= ? THEN 1 ELSE 0 END), 0) FROM (SELECT sum(" + strings.Join(lengths, " + ") + ") OVER (ORDER BY " + listed(c.t.key) +
		` ROWS UNBOUNDED PRECEDING) AS total FROM (SELECT * FROM "` + c.t.name + `" WHERE ` + where + " ORDER BY " + listed(c.t.key) + " LIMIT ?) AS next) AS sizes"
	var all int64
	if err := q.Scan(query, append(append([]any{batchBytes}, args...), batchRows), &all, &n); err != nil {
		return 0, err
	}
	if all > 0 && n == 0 {
		n = 1
	}
	return n, nil
}

// A key is a cursor's place as it is noted: each value with its kind.
type key []any

// MarshalJSON writes numbers as they are and texts, which may be no UTF-8, as bytes.
func (k key) MarshalJSON() ([]byte, error) {
	out := []map[string]any{}
	for _, v := range k {
		switch v := v.(type) {
		case int64:
			out = append(out, map[string]any{"int": v})
		case string:
			out = append(out, map[string]any{"text": []byte(v)})
		case []byte:
			out = append(out, map[string]any{"bytes": v})
		default:
			return nil, fmt.Errorf("a %T in a key", v)
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON reads it.
func (k *key) UnmarshalJSON(b []byte) error {
	var in []struct {
		Int   *int64
		Text  *[]byte
		Bytes *[]byte
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&in); err != nil {
		return err
	}
	*k = nil
	for _, v := range in {
		switch {
		case v.Int != nil:
			*k = append(*k, *v.Int)
		case v.Text != nil:
			*k = append(*k, string(*v.Text))
		case v.Bytes != nil:
			*k = append(*k, *v.Bytes)
		}
	}
	return nil
}

// insert writes rows, many with one statement where there are many.
func insert(w *engine.Tx, t *table, rows [][]any) error {
	columns := t.stored()
	one := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(columns)), ", ") + ")"
	into := `INSERT INTO "` + t.name + `" (` + listed(namesOf(columns)) + ") VALUES "
	const together = 32
	for len(rows) > 0 {
		n := 1
		if len(rows) >= together {
			n = together
		}
		args := make([]any, 0, n*len(columns))
		for _, row := range rows[:n] {
			args = append(args, row...)
		}
		if _, err := w.Exec(into+strings.TrimSuffix(strings.Repeat(one+", ", n), ", "), args...); err != nil {
			return fmt.Errorf("write to table %s: %w", t.name, err)
		}
		rows = rows[n:]
	}
	return nil
}

// A digest says whether two tables have the same rows, in whatever order they are
// read: it is the sum of their hashes, each over all values.
type digest struct {
	Rows int64
	Sum  [4]uint64
}

func (d *digest) add(row []any) error {
	b, err := engine.AppendRow(make([]byte, 0, 512), row)
	if err != nil {
		return err
	}
	h := sha256.Sum256(b)
	d.Rows++
	for i := range d.Sum {
		d.Sum[i] += binary.BigEndian.Uint64(h[8*i:])
	}
	return nil
}

// digestOf reads all rows of a table.
func digestOf(q engine.Reading, t *table) (d digest, err error) {
	for c := (&cursor{t: t}); ; {
		batch, err := c.next(q)
		if err != nil || len(batch) == 0 {
			return d, err
		}
		for _, row := range batch {
			if err := d.add(row); err != nil {
				return d, fmt.Errorf("table %s: %w", t.name, err)
			}
		}
	}
}
