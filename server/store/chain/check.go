package chain

import (
	"database/sql"
	"errors"
	"fmt"
	"math"
	"strings"

	"screentest/server/seal"
	"screentest/server/store/engine"
)

// A Wrong is the first row of a table that is not as it was written.
type Wrong struct {
	Table string
	N     int64
	What  string // is wrong with it, as a sentence without its subject
}

// An End is a chain's last row.
type End struct {
	Rows, N int64
	Hash    Hash
}

// Check goes through a whole table in q, which sees one moment of it. wrong is
// nil where all rows are as they were written.
func Check(q engine.Reading, t Table, box *seal.Box) (end End, wrong *Wrong, err error) {
	end.Hash = t.before()
	wrongAt := func(n int64, format string, args ...any) {
		if wrong == nil || n < wrong.N {
			wrong = &Wrong{t.Name, n, fmt.Sprintf(format, args...)}
		}
	}
	if err := eachRow(q, t, func(row []any, stored []byte) (more bool, err error) {
		n, _ := row[0].(int64)
		if stored == nil {
			wrongAt(n, "is in no chain: it was put in by something else than Screentest")
			return false, nil
		}
		h, err := next(end.Hash, row)
		if err != nil {
			return false, err
		}
		if string(stored) != string(h[:]) {
			wrongAt(n, "doesn't follow the row before it%s: it was changed, or rows were taken out or put in between", rowNumber(end.N))
			return false, nil
		}
		end.Rows, end.N, end.Hash = end.Rows+1, n, h
		return true, nil
	}); err != nil {
		return end, nil, err
	}
	if t.Hashes != t.Name {
		var n sql.NullInt64
		if err := q.Scan("SELECT min(n) FROM "+t.Hashes+" h WHERE NOT EXISTS (SELECT 1 FROM "+t.Name+" t WHERE t.n = h.n)", nil, &n); err != nil {
			return end, nil, err
		}
		if n.Valid {
			wrongAt(n.Int64, "is gone, and the chain has it")
		}
	}
	if wrong != nil {
		return end, wrong, nil
	}
	var sealed []byte
	err = q.Scan("SELECT value FROM meta WHERE name = ?", []any{t.meta()}, &sealed)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		if end.Rows > 0 {
			wrongAt(end.N, "is the last, and the sealed note of which row is the last is gone")
		}
		return end, wrong, nil
	case err != nil:
		return end, nil, err
	}
	n, h, err := openHead(t, box, sealed)
	switch {
	case errors.Is(err, seal.ErrOpen):
		wrongAt(end.N, "is the last, and the note of which row is the last was sealed by somebody else")
	case err != nil:
		return end, nil, err
	case n > end.N:
		wrongAt(end.N+1, "is gone, with all behind it up to row %d", n)
	case n < end.N:
		wrongAt(n+1, "was put in without the sealing key")
	case h != end.Hash:
		wrongAt(n, "is the last and has another hash than was sealed: the chain was made anew without the sealing key")
	}
	return end, wrong, nil
}

func rowNumber(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d", n)
}

// rowsAtOnce is how many rows are asked for at a time: an engine that isn't in this
// process hands over all that it is asked for.
const rowsAtOnce = 2000

// eachRow calls fn with the columns of every row and its hash, nil for none, in
// their order, until it says that that is enough.
func eachRow(q engine.Reading, t Table, fn func(row []any, stored []byte) (more bool, err error)) error {
	columns := "t." + strings.Join(t.Columns, ", t.")
	query := "SELECT t.hash, " + columns + " FROM " + t.Name + " t WHERE t.n > ? ORDER BY t.n LIMIT ?"
	if t.Hashes != t.Name {
		query = "SELECT h.hash, " + columns + " FROM " + t.Name + " t LEFT JOIN " + t.Hashes + " h ON h.n = t.n WHERE t.n > ? ORDER BY t.n LIMIT ?"
	}
	row := make([]any, len(t.Columns))
	var stored []byte
	to := append([]any{&stored}, pointers(row)...)
	for last, more := int64(math.MinInt64), true; more; {
		rows := 0
		err := q.Each(query, []any{last, rowsAtOnce}, func(r *sql.Rows) (err error) {
			if !more {
				return nil
			}
			rows++
			if err := r.Scan(to...); err != nil {
				return err
			}
			last, _ = row[0].(int64)
			more, err = fn(row, stored)
			return err
		})
		if err != nil {
			return err
		}
		more = more && rows == rowsAtOnce
	}
	return nil
}
