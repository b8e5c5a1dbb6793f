package people

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"time"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Kinds of links. An invitation is kept apart from the others: it may be used
// more than once.
const (
	LinkSetUp = "setup"
	LinkJoin  = "join"
	LinkReset = "reset"
)

var (
	errLinkUnknown = refused(wire.CodeLinkUnknown, "token", "There is no such link.", "See whether all of it was copied, or ask for a new one.")
	errLinkUsed    = refused(wire.CodeLinkUsed, "token", "This link was used.", "If it was you, sign in. Else ask for a new one.")
	errLinkOver    = refused(wire.CodeLinkUsed, "token", "This link has expired.", "Ask for a new one.")
	errSetUp       = refused(wire.CodeLinkUsed, "token", "This instance is set up.", "Sign in, or ask an admin for an invitation.")
)

// MakeLink keeps the hash of a link that leads to a first account (LinkSetUp,
// owner "") or to an owner's new password (LinkReset), for some time. by says
// who gave it out: the owner of an admin, or no owner at all. Links of the same
// kind, owner and giver that were not used are void.
func (r *Register) MakeLink(ctx context.Context, kind, owner, by string, hash [sha256.Size]byte, lasts time.Duration) error {
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		return putLink(t, r.now(), kind, engine.ParseOwner(owner), by, hash, lasts)
	})
}

func putLink(t *engine.Tx, now time.Time, kind string, who int64, by string, hash [sha256.Size]byte, lasts time.Duration) error {
	if kind == LinkSetUp {
		if err := wantNoAccount(t); err != nil {
			return err
		}
	} else if err := WantUser(t, who); err != nil {
		return err
	}
	if giver := engine.ParseOwner(by); giver > 0 {
		if err := wantGiver(t, giver); err != nil {
			return err
		}
	}
	if _, err := t.Exec("DELETE FROM links WHERE kind = ? AND owner IS NOT DISTINCT FROM ? AND by = ? AND used_ms = 0", kind, engine.OrNull(who), by); err != nil {
		return err
	}
	_, err := t.Exec("INSERT INTO links (hash, kind, owner, by, created_ms, expires_ms) VALUES (?, ?, ?, ?, ?, ?)",
		hash[:], kind, engine.OrNull(who), by, now.UnixMilli(), now.Add(lasts).UnixMilli())
	return err
}

// byCommand is who gives out the links that the command line asks for.
const byCommand = "command"

// PutLink is MakeLink for who has nothing but the folder: a link to the first
// account, where there is none, else to a new password of the account with an
// address of mail; of "" it is the only active admin's. whose is that address.
func PutLink(t *engine.Tx, now time.Time, email string, hash [sha256.Size]byte, lasts func(kind string) time.Duration) (kind, whose string, err error) {
	if err := wantNoAccount(t); err == nil {
		if email != "" {
			return "", "", refused(wire.CodeNotFound, "email", "There is no account yet.", "Leave -email out for a link to the first.")
		}
		return LinkSetUp, "", putLink(t, now, LinkSetUp, 0, byCommand, hash, lasts(LinkSetUp))
	} else if !errors.Is(err, errSetUp) {
		return "", "", err
	}
	var who []int64
	if email != "" {
		who, err = engine.Column[int64](t, "SELECT n FROM users WHERE email = ?", email)
	} else {
		who, err = engine.Column[int64](t, "SELECT u.n FROM users u WHERE u.role = 'admin' AND u.active = 1 AND u.email IS NOT NULL LIMIT 2")
	}
	switch {
	case err != nil:
		return "", "", err
	case len(who) == 0:
		return "", "", refused(wire.CodeNotFound, "email", "Nobody has an account with the e-mail address "+wire.Cut(email, wire.MaxEmail)+".", "See how it is written.")
	case len(who) > 1:
		return "", "", refused("invalid_request", "email", "There is more than one admin.", "Say with -email whose password is to be new.")
	}
	if err := t.Scan("SELECT email FROM users WHERE n = ?", []any{who[0]}, &whose); err != nil {
		return "", "", err
	}
	return LinkReset, whose, putLink(t, now, LinkReset, who[0], byCommand, hash, lasts(LinkReset))
}

func wantNoAccount(t engine.Scanner) error {
	var some bool
	if err := t.Scan("SELECT EXISTS (SELECT 1 FROM users u WHERE u.email IS NOT NULL)", nil, &some); err != nil || !some {
		return err
	}
	return errSetUp
}

// Link is what a link of any kind leads to. A problem says why it leads nowhere.
func (r *Register) Link(ctx context.Context, hash [sha256.Size]byte) (l wire.Link, err error) {
	err = r.db.Snapshot(ctx, func(q engine.Reading) error {
		kind, owner, err := r.openLink(q, hash)
		if err == nil {
			l.Kind = kind
			if kind == LinkSetUp {
				return wantNoAccount(q)
			}
			return q.Scan("SELECT name, email FROM users WHERE n = ?", []any{owner}, &l.Name, &l.Email)
		}
		if !errors.Is(err, errLinkUnknown) {
			return err
		}
		in, err := r.openInvite(q, hash)
		if err != nil {
			return err
		}
		l.Kind, l.Role = LinkJoin, in.role
		return q.Each("SELECT t.name FROM json_each(?) j CROSS JOIN teams t ON t.id = unhex(replace(j.value, '-', '')) AND t.deleted_ms = 0", []any{in.teams}, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			l.Teams = append(l.Teams, name)
			return err
		})
	})
	return l, err
}

// openLink finds a set-up or a reset that can be used.
func (r *Register) openLink(q engine.Scanner, hash [sha256.Size]byte) (kind string, owner int64, err error) {
	var expires, used int64
	err = q.Scan("SELECT kind, coalesce(owner, 0), expires_ms, used_ms FROM links WHERE hash = ?", []any{hash[:]}, &kind, &owner, &expires, &used)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return "", 0, errLinkUnknown
	case err != nil:
		return "", 0, err
	case used > 0:
		return "", 0, errLinkUsed
	case expires <= r.now().UnixMilli():
		return "", 0, errLinkOver
	}
	return kind, owner, nil
}

// use marks a link as used.
func (r *Register) use(t *engine.Tx, hash [sha256.Size]byte) error {
	_, err := t.Exec("UPDATE links SET used_ms = ? WHERE hash = ?", r.now().UnixMilli(), hash[:])
	return err
}

// SetUp claims the first account: the local user becomes the first admin, and
// all that was theirs is. Of those who claim it at once one gets it.
func (r *Register) SetUp(ctx context.Context, hash [sha256.Size]byte, name, email, password string) (owner string, err error) {
	var n int64
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		kind, _, err := r.openLink(t, hash)
		if err != nil {
			return err
		}
		if kind != LinkSetUp {
			return errLinkUnknown
		}
		if err := wantNoAccount(t); err != nil {
			return err
		}
		if err := r.use(t, hash); err != nil {
			return err
		}
		if err := t.Scan("SELECT n FROM users WHERE local = 1", nil, &n); err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE users SET name = ?, email = ?, role = 'admin', active = 1, password = ? WHERE n = ?", name, email, password, n); err != nil {
			return err
		}
		return joinEveryone(t, n, true)
	})
	return engine.FormatOwner(n), err
}

// Reset claims a new password. It begins anew: second factors and passkeys are
// gone, since who has lost the one has often lost the other, or somebody else has
// it; all sessions have ended.
func (r *Register) Reset(ctx context.Context, hash [sha256.Size]byte, password string) (owner string, err error) {
	var n int64
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		kind, who, err := r.openLink(t, hash)
		if err != nil {
			return err
		}
		if kind != LinkReset {
			return errLinkUnknown
		}
		if err := r.use(t, hash); err != nil {
			return err
		}
		n = who
		for _, query := range []string{
			"DELETE FROM sessions WHERE owner = ? AND signed_in = 1",
			"DELETE FROM links WHERE owner = ? AND used_ms = 0",
			"DELETE FROM passkeys WHERE owner = ?",
			"DELETE FROM recovery_codes WHERE owner = ?",
		} {
			if _, err := t.Exec(query, who); err != nil {
				return err
			}
		}
		_, err = t.Exec("UPDATE users SET password = ?, totp = NULL, totp_step = 0 WHERE n = ?", password, who)
		return err
	})
	return engine.FormatOwner(n), err
}

// invite is an invitation that can be used.
type invite struct {
	n     int64
	id    []byte
	role  string
	teams string // a list of ids, as JSON
}

func (r *Register) openInvite(q engine.Scanner, hash [sha256.Size]byte) (in invite, err error) {
	var expires, revoked, uses, used int64
	err = q.Scan("SELECT n, id, role, teams, expires_ms, revoked_ms, uses, used FROM invites WHERE hash = ?", []any{hash[:]},
		&in.n, &in.id, &in.role, &in.teams, &expires, &revoked, &uses, &used)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return in, errLinkUnknown
	case err != nil:
		return in, err
	case used >= uses:
		return in, errLinkUsed
	case revoked > 0 || expires <= r.now().UnixMilli():
		return in, errLinkOver
	}
	return in, nil
}

// Join claims an account by an invitation, which has one use less then.
func (r *Register) Join(ctx context.Context, hash [sha256.Size]byte, name, email, password string) (owner, invited string, err error) {
	var n int64
	var in invite
	err = r.db.Write(ctx, 0, func(t *engine.Tx) (err error) {
		if in, err = r.openInvite(t, hash); err != nil {
			return err
		}
		if n, err = r.addAccount(t, name, email, in.role, password); err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE invites SET used = used + 1 WHERE n = ?", in.n); err != nil {
			return err
		}
		var teams []string
		if err := json.Unmarshal([]byte(in.teams), &teams); err != nil {
			return err
		}
		for _, id := range teams {
			raw, ok := engine.ParseID(id)
			if !ok {
				continue
			}
			// A team that was deleted meanwhile is left out.
			if _, err := t.Exec("INSERT INTO team_people (team, person) SELECT n, ? FROM teams WHERE id = ? AND deleted_ms = 0 ON CONFLICT DO NOTHING", n, raw); err != nil {
				return err
			}
		}
		return nil
	})
	return engine.FormatOwner(n), engine.FormatID(in.id), err
}
