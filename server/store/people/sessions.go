package people

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"screentest/server/store/engine"
)

// sessionPurpose binds sealed sessions; the row is the hash of the id.
const sessionPurpose = "session"

// hashSession is how a session's id is stored. The id is random and long, so
// one round of SHA-256 is enough.
func hashSession(id string) (hash []byte, row string) {
	h := sha256.Sum256([]byte(id))
	return h[:], hex.EncodeToString(h[:])
}

// SaveSession writes a session, new or changed. data is sealed; id is stored
// only as a hash. A session does not change hands: fs.ErrExist if id is
// another owner's.
func (r *Register) SaveSession(ctx context.Context, id, owner string, data []byte, expires time.Time) error {
	return r.db.Write(ctx, len(data), r.saving(id, owner, data, expires))
}

func (r *Register) saving(id, owner string, data []byte, expires time.Time) func(*engine.Tx) error {
	hash, row := hashSession(id)
	sealed := r.box.Seal(sessionPurpose, row, data)
	who, now := engine.ParseOwner(owner), r.now().UnixMilli()
	return func(t *engine.Tx) error {
		if err := WantUser(t, who); err != nil {
			return err
		}
		res, err := t.Exec(`INSERT INTO sessions (id_hash, owner, sealed, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (id_hash) DO UPDATE SET sealed = excluded.sealed, expires_ms = excluded.expires_ms WHERE sessions.owner = excluded.owner`,
			hash, who, sealed, now, expires.UnixMilli())
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, engine.Conflict("This session belongs to somebody else."))
		}
		return nil
	}
}

// MoveSession saves a session as SaveSession does in the place of another, which is
// there no more, and tells other processes of both. data nil: it holds nothing.
func (r *Register) MoveSession(ctx context.Context, from, id, owner string, data []byte, expires time.Time) error {
	hash, was := hashSession(from)
	_, row := hashSession(id)
	saving := r.saving(id, owner, data, expires)
	return r.db.Write(ctx, len(data), func(t *engine.Tx) error {
		if _, err := t.Exec("DELETE FROM sessions WHERE id_hash = ?", hash); err != nil {
			return err
		}
		if data != nil {
			if err := saving(t); err != nil {
				return err
			}
		}
		if r.db.Postgres == nil {
			return nil
		}
		// Of a session that held nothing there is no row, and others have tabs of it.
		var told any
		return t.Scan("SELECT CAST(pg_notify('screentest', 'browser ' || ? || ' ' || ?) AS text)", []any{was, row}, &told)
	})
}

// LoadSession reads a session. fs.ErrNotExist: there is none, it expired, or it is
// of somebody who signed in, which holds nothing.
func (r *Register) LoadSession(ctx context.Context, id string) (owner string, data []byte, err error) {
	_, row := hashSession(id)
	return r.LoadSessionBy(ctx, row)
}

// LoadSessionBy reads the session of whose id sum is the SHA-256 in hexadecimal digits.
func (r *Register) LoadSessionBy(ctx context.Context, sum string) (owner string, data []byte, err error) {
	hash, err := hex.DecodeString(sum)
	if err != nil {
		return "", nil, engine.NotFound("session")
	}
	var who int64
	var sealed []byte
	err = r.db.At(ctx).Scan("SELECT owner, sealed FROM sessions WHERE id_hash = ? AND expires_ms > ? AND signed_in = 0", []any{hash, r.now().UnixMilli()}, &who, &sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil, engine.NotFound("session")
	}
	if err != nil {
		return "", nil, err
	}
	if data, err = r.box.Open(sessionPurpose, sum, sealed); err != nil {
		return "", nil, fmt.Errorf("load the session: %w", err)
	}
	return engine.FormatOwner(who), data, nil
}

// SweepSessions deletes the expired sessions and tells how many there were.
func (r *Register) SweepSessions(ctx context.Context) (int, error) {
	var swept int64
	now := r.now().UnixMilli()
	err := r.db.Write(ctx, 0, func(t *engine.Tx) error {
		res, err := t.Exec("DELETE FROM sessions WHERE expires_ms <= ?", now)
		if err != nil {
			return err
		}
		swept, err = res.RowsAffected()
		return err
	})
	if err != nil {
		return 0, err
	}
	return int(swept), nil
}
