package people

import (
	"context"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"

	"screentest/server/store/engine"
)

// begunPurpose binds what was begun; the row is its kind and session.
const begunPurpose = "begun"

func begunRow(kind, session string) string { return kind + " " + session }

// KeepBegun keeps, sealed, what an owner has begun in a session, in the place of what
// they had begun of its kind there before. now is of who asks, as expires is.
func (r *Register) KeepBegun(ctx context.Context, kind, session, owner string, data []byte, now, expires time.Time) error {
	who := engine.ParseOwner(owner)
	sealed := r.box.Seal(begunPurpose, begunRow(kind, session), data)
	return r.db.Write(ctx, len(sealed), func(t *engine.Tx) error {
		if err := WantUser(t, who); err != nil {
			return err
		}
		if _, err := t.Exec("DELETE FROM begun WHERE expires_ms <= ?", now.UnixMilli()); err != nil {
			return err
		}
		_, err := t.Exec(`INSERT INTO begun (kind, session, owner, sealed, expires_ms) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (kind, session) DO UPDATE SET owner = excluded.owner, sealed = excluded.sealed, expires_ms = excluded.expires_ms`,
			kind, session, who, sealed, expires.UnixMilli())
		return err
	})
}

// TakeBegun gives what KeepBegun kept, and forgets it: it is there for one. fs.ErrNotExist:
// there is none, any more.
func (r *Register) TakeBegun(ctx context.Context, kind, session, owner string, now time.Time) (data []byte, err error) {
	var sealed []byte
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		var who, expires int64
		err := t.Scan("SELECT owner, sealed, expires_ms FROM begun WHERE kind = ? AND session = ?", []any{kind, session}, &who, &sealed, &expires)
		if errors.Is(err, sql.ErrNoRows) {
			sealed = nil
			return nil
		}
		if err != nil {
			return err
		}
		if who != engine.ParseOwner(owner) || expires <= now.UnixMilli() {
			sealed = nil
		}
		_, err = t.Exec("DELETE FROM begun WHERE kind = ? AND session = ?", kind, session)
		return err
	})
	if err != nil {
		return nil, err
	}
	if sealed == nil {
		return nil, engine.NotFound("beginning")
	}
	return r.box.Open(begunPurpose, begunRow(kind, session), sealed)
}

// UseTicket notes that a ticket leads somewhere; false: it did before.
func (r *Register) UseTicket(ctx context.Context, id string, now, expires time.Time) (first bool, err error) {
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		if _, err := t.Exec("DELETE FROM used_tickets WHERE expires_ms <= ?", now.UnixMilli()); err != nil {
			return err
		}
		res, err := t.Exec("INSERT INTO used_tickets (id, expires_ms) VALUES (?, ?) ON CONFLICT (id) DO NOTHING", id, expires.UnixMilli())
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		first = n == 1
		return err
	})
	return first && err == nil, err
}

// FreeTicket takes a note of UseTicket back.
func (r *Register) FreeTicket(ctx context.Context, id string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		_, err := t.Exec("DELETE FROM used_tickets WHERE id = ?", id)
		return err
	})
}

// refusedFor is how long it is remembered that a key was refused, and by a gateway
// that is asked nothing with it meanwhile.
const refusedFor = 30 * 24 * time.Hour

// KeyRefused notes that the gateway of a key refuses it, or takes it; sum is the
// key's. It doesn't wait: done is told, as of any write that is posted.
func (r *Register) KeyRefused(sum [32]byte, refused bool, done func(error)) {
	now := r.now()
	r.db.Post(0, func(t *engine.Tx) error {
		if !refused {
			_, err := t.Exec("DELETE FROM refused_keys WHERE sum = ?", sum[:])
			return err
		}
		if _, err := t.Exec("DELETE FROM refused_keys WHERE at_ms < ?", now.Add(-refusedFor).UnixMilli()); err != nil {
			return err
		}
		_, err := t.Exec("INSERT INTO refused_keys (sum, at_ms) VALUES (?, ?) ON CONFLICT (sum) DO NOTHING", sum[:], now.UnixMilli())
		return err
	}, done)
}

// RefusedKeys are the sums of the keys that are refused: all, or of one of them that.
func (r *Register) RefusedKeys(ctx context.Context, one string) (sums [][32]byte, err error) {
	query, args := "SELECT sum FROM refused_keys", []any(nil)
	if one != "" {
		raw, err := hex.DecodeString(one)
		if err != nil {
			return nil, err
		}
		query, args = query+" WHERE sum = ?", []any{raw}
	}
	err = r.db.At(ctx).Each(query, args, func(rows *sql.Rows) error {
		var b []byte
		err := rows.Scan(&b)
		var sum [32]byte
		copy(sum[:], b)
		sums = append(sums, sum)
		return err
	})
	return sums, err
}
