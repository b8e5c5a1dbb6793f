package people

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// maxInvites is how many invitations are listed besides those that are open.
const maxInvites = 500

// MakeInvite stores an invitation by owner, whose link carries the token; of that
// only the hash is kept. It takes Role, Teams, Uses and ExpiresMS of i. A team
// that isn't there is an fs.ErrNotExist, and so is an owner who is no admin.
func (r *Register) MakeInvite(ctx context.Context, owner, token string, i wire.Invite) (id string, err error) {
	hash := sha256.Sum256([]byte(token))
	teams, err := json.Marshal(append([]string{}, i.Teams...))
	if err != nil {
		return "", err
	}
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		for _, team := range i.Teams {
			if _, _, err := wantTeam(t, team); err != nil {
				return err
			}
		}
		maker := engine.ParseOwner(owner)
		if err := wantGiver(t, maker); err != nil {
			return err
		}
		n, err := t.Insert("INSERT INTO invites (id, hash, maker, role, teams, created_ms, expires_ms, uses) VALUES (randomblob(16), ?, ?, ?, ?, ?, ?, ?)",
			hash[:], maker, i.Role, string(teams), r.now().UnixMilli(), i.ExpiresMS, i.Uses)
		if err != nil {
			return err
		}
		var b []byte
		err = t.Scan("SELECT id FROM invites WHERE n = ?", []any{n}, &b)
		id = engine.FormatID(b)
		return err
	})
	return id, err
}

// Invites are the invitations that were made, newest first: all that are open, so
// that each can be revoked, and of the last 500 the others too.
func (r *Register) Invites(ctx context.Context) ([]wire.Invite, error) {
	all := []wire.Invite{}
	err := r.db.At(ctx).Each(`SELECT i.id, i.role, i.teams, i.uses, i.used, u.name, i.created_ms, i.expires_ms, i.revoked_ms > 0
		FROM invites i CROSS JOIN users u ON u.n = i.maker
		WHERE i.revoked_ms = 0 AND i.used < i.uses AND i.expires_ms > ? OR i.n > coalesce((SELECT n FROM invites ORDER BY n DESC LIMIT 1 OFFSET ?), 0)
		ORDER BY i.n DESC`, []any{r.now().UnixMilli(), maxInvites}, func(rows *sql.Rows) error {
		var id []byte
		var teams string
		var i wire.Invite
		if err := rows.Scan(&id, &i.Role, &teams, &i.Uses, &i.Used, &i.By, &i.CreatedMS, &i.ExpiresMS, &i.Revoked); err != nil {
			return err
		}
		i.ID = engine.FormatID(id)
		err := json.Unmarshal([]byte(teams), &i.Teams)
		all = append(all, i)
		return err
	})
	return all, err
}

// RevokeInvite ends an invitation; one that has ended stays so.
func (r *Register) RevokeInvite(ctx context.Context, id string) error {
	b, _ := engine.ParseID(id)
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		var n int64
		err := t.Scan("SELECT n FROM invites WHERE id = ?", []any{b}, &n)
		if errors.Is(err, sql.ErrNoRows) {
			return engine.NotFound("invitation")
		}
		if err != nil {
			return err
		}
		_, err = t.Exec("UPDATE invites SET revoked_ms = ? WHERE n = ? AND revoked_ms = 0", r.now().UnixMilli(), n)
		return err
	})
}
