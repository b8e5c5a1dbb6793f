package engine

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// AppendRow appends the values of a row, as the driver gives them, so that no two rows
// are written alike. Each is one byte for its kind and its value: "i" and 8 bytes, big
// endian, for an integer; "f" and 8 bytes, IEEE 754, for a number with a fraction; "t"
// (text) or "b" (bytes), 8 bytes of length, and so many bytes; "n" for NULL.
func AppendRow(b []byte, row []any) ([]byte, error) {
	long := func(kind byte, p string) {
		b = append(b, kind)
		b = binary.BigEndian.AppendUint64(b, uint64(len(p)))
		b = append(b, p...)
	}
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			b = append(b, 'n')
		case int64:
			b = binary.BigEndian.AppendUint64(append(b, 'i'), uint64(v))
		case float64:
			b = binary.BigEndian.AppendUint64(append(b, 'f'), math.Float64bits(v))
		case string:
			long('t', v)
		case []byte:
			long('b', string(v))
		default:
			return nil, fmt.Errorf("column %d is of the type %T", i, v)
		}
	}
	return b, nil
}

// AsText makes a TEXT value of p, NULL if it is nil.
func AsText(p []byte) any {
	if p == nil {
		return nil
	}
	return string(p)
}

// OrNull is n as a value, NULL for 0.
func OrNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// Column reads the one column of a query.
func Column[T any](t *Tx, query string, args ...any) (list []T, err error) {
	s, err := t.p.stmt(context.Background(), query)
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return nil, t.p.said(err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one T
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, rows.Err()
}
