package engine

import (
	"context"
	"errors"
)

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
