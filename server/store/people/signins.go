package people

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/store/engine"
)

// SaveSignIn keeps a new session of somebody who has signed in. It holds nothing.
func (r *Register) SaveSignIn(ctx context.Context, s account.Session) error {
	id, err := engine.WantID("id", s.ID)
	if err != nil {
		return err
	}
	who := engine.ParseOwner(s.Owner)
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		if err := WantUser(t, who); err != nil {
			return err
		}
		_, err := t.Exec(`INSERT INTO sessions (id_hash, owner, sealed, created_ms, expires_ms, id, signed_in, how, device, address, seen_ms)
			VALUES (?, ?, x'', ?, ?, ?, 1, ?, ?, ?, ?)`,
			s.Hash[:], who, s.Created.UnixMilli(), s.Expires.UnixMilli(), id, s.How, s.Device, s.Address, s.Seen.UnixMilli())
		return err
	})
}

// signedIn selects the sessions of those who signed in that have not expired.
const signedIn = `SELECT s.id_hash, s.owner, s.created_ms, s.expires_ms, s.id, s.how, s.device, s.address, s.seen_ms
	FROM sessions s WHERE s.signed_in = 1 AND s.expires_ms > ?`

// SignedIn are the sessions of those who signed in that have not expired. Those
// of a server without accounts, which only hold a key, are not among them.
func (r *Register) SignedIn(ctx context.Context) ([]account.Session, error) {
	return r.sessions(ctx, signedIn)
}

// SignedInBy is the session with a cookie of that sum. fs.ErrNotExist: there is none.
func (r *Register) SignedInBy(ctx context.Context, hash [sha256.Size]byte) (s account.Session, err error) {
	all, err := r.sessions(ctx, signedIn+" AND s.id_hash = ?", hash[:])
	if err == nil && len(all) == 0 {
		err = engine.NotFound("session")
	}
	if err != nil {
		return s, err
	}
	return all[0], nil
}

// SignedInAs are the sessions of an owner's.
func (r *Register) SignedInAs(ctx context.Context, owner string) ([]account.Session, error) {
	return r.sessions(ctx, signedIn+" AND s.owner = ?", engine.ParseOwner(owner))
}

// SignedInWith are the sessions with those ids that there are.
func (r *Register) SignedInWith(ctx context.Context, ids []string) (all []account.Session, err error) {
	for _, id := range ids {
		raw, ok := engine.ParseID(id)
		if !ok {
			continue
		}
		one, err := r.sessions(ctx, signedIn+" AND s.id = ?", raw)
		if err != nil {
			return nil, err
		}
		all = append(all, one...)
	}
	return all, nil
}

func (r *Register) sessions(ctx context.Context, query string, args ...any) (all []account.Session, err error) {
	err = r.db.At(ctx).Each(query, append([]any{r.now().UnixMilli()}, args...), func(rows *sql.Rows) error {
		var s account.Session
		var owner, created, expires, seen int64
		var hash, id []byte
		err := rows.Scan(&hash, &owner, &created, &expires, &id, &s.How, &s.Device, &s.Address, &seen)
		s.Owner, s.ID = engine.FormatOwner(owner), engine.FormatID(id)
		copy(s.Hash[:], hash)
		s.Created, s.Expires, s.Seen = time.UnixMilli(created), time.UnixMilli(expires), time.UnixMilli(seen)
		all = append(all, s)
		return err
	})
	return all, err
}

// SessionsSeen notes when sessions were last seen, by their ids: the newest that
// anybody says.
func (r *Register) SessionsSeen(ctx context.Context, seen map[string]time.Time) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		for id, at := range seen {
			raw, err := uuid.Parse(id)
			if err != nil {
				return err
			}
			if _, err := t.Exec("UPDATE sessions SET seen_ms = max(seen_ms, ?) WHERE id = ?", at.UnixMilli(), raw[:]); err != nil {
				return err
			}
		}
		return nil
	})
}

// EndSessions forgets sessions, by their ids; one that is not there is no error.
func (r *Register) EndSessions(ctx context.Context, ids []string) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		for _, id := range ids {
			raw, err := uuid.Parse(id)
			if err != nil {
				return err
			}
			if _, err := t.Exec("DELETE FROM sessions WHERE id = ?", raw[:]); err != nil {
				return err
			}
		}
		return nil
	})
}
