package share

import (
	"context"
	"database/sql"
	"errors"

	"screentest/server/store/engine"
)

// Audience are the owners who see a share by name, and whose it is. None for one
// that isn't there.
func (s *Shares) Audience(ctx context.Context, id string) (owners []string, err error) {
	b, _ := engine.ParseID(id)
	err = s.db.Snapshot(ctx, func(q engine.Reading) error {
		var n, owner int64
		err := q.Scan("SELECT n, owner FROM shares WHERE id = ?", []any{b}, &n, &owner)
		if errors.Is(err, sql.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		owners = []string{engine.FormatOwner(owner)}
		return q.Each("SELECT person FROM sights WHERE share = ?", []any{n}, func(rows *sql.Rows) error {
			var person int64
			err := rows.Scan(&person)
			owners = append(owners, engine.FormatOwner(person))
			return err
		})
	})
	return owners, err
}

// Revoke takes back a share of an owner's. fs.ErrNotExist: they have no such.
func (s *Shares) Revoke(ctx context.Context, owner, id string) error {
	b, _ := engine.ParseID(id)
	return s.db.Write(ctx, 0, func(w *engine.Tx) error {
		var audience string
		err := w.Scan("DELETE FROM shares WHERE owner = ? AND id = ? RETURNING audience", []any{engine.ParseOwner(owner), b}, &audience)
		if errors.Is(err, sql.ErrNoRows) {
			return errNone
		}
		if err != nil {
			return err
		}
		return w.Scrub()
	})
}

// RevokeLinks takes back all links, and says whose they were, once for each.
func (s *Shares) RevokeLinks(ctx context.Context) (owners []string, err error) {
	err = s.db.Write(ctx, 0, func(w *engine.Tx) error {
		owners = nil
		of, err := engine.Column[int64](w, "SELECT owner FROM shares WHERE audience = 'link'")
		if err != nil || len(of) == 0 {
			return err
		}
		for _, n := range of {
			owners = append(owners, engine.FormatOwner(n))
		}
		if _, err := w.Exec("DELETE FROM shares WHERE audience = 'link'"); err != nil {
			return err
		}
		return w.Scrub()
	})
	return owners, err
}

// NextEnd is when the next share is over, in Unix milliseconds; 0: none ends by
// itself.
func (s *Shares) NextEnd(ctx context.Context) (at int64, err error) {
	err = s.db.At(ctx).Scan("SELECT coalesce(min(expires_ms), 0) FROM shares WHERE expires_ms > 0", nil, &at)
	return at, err
}

// Expire forgets what is over, and gives whose it was and who saw it by name.
func (s *Shares) Expire(ctx context.Context) (owners []string, err error) {
	now := s.now().UnixMilli()
	err = s.db.Write(ctx, 0, func(w *engine.Tx) error {
		owners = nil
		over, err := engine.Column[int64](w, "SELECT n FROM shares WHERE expires_ms > 0 AND expires_ms <= ?", now)
		for _, n := range over {
			var people []int64
			if err == nil {
				people, err = engine.Column[int64](w, "SELECT owner FROM shares WHERE n = ?1 UNION ALL SELECT person FROM sights WHERE share = ?1", n)
			}
			for _, p := range people {
				owners = append(owners, engine.FormatOwner(p))
			}
			if err == nil {
				_, err = w.Exec("DELETE FROM shares WHERE n = ?", n)
			}
		}
		if err != nil || len(over) == 0 {
			return err
		}
		return w.Scrub()
	})
	return owners, err
}
