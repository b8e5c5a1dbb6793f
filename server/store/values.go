package store

import (
	"context"
	"errors"
)

// asText makes a TEXT value of p, NULL if it is nil.
func asText(p []byte) any {
	if p == nil {
		return nil
	}
	return string(p)
}

// orNull is n as a value, NULL for 0.
func orNull(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// column reads the one column of a query.
func column[T any](t *tx, query string, args ...any) (list []T, err error) {
	s, err := t.p.stmt(context.Background(), query)
	if err != nil {
		return nil, err
	}
	rows, err := s.Query(args...)
	if err != nil {
		return nil, err
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
