package people

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// Accounts are all that there are, with the teams that each is in: everybody's
// first, then by name.
func (r *Register) Accounts(ctx context.Context) (all []account.Account, err error) {
	at := map[string]int{}
	err = r.db.Snapshot(ctx, func(q engine.Reading) error {
		err := q.Each("SELECT u.n, u.id, u.name, u.email, u.role, u.active, u.totp IS NOT NULL OR EXISTS (SELECT 1 FROM passkeys k WHERE k.owner = u.n), u.oidc_issuer IS NOT NULL FROM users u WHERE u.email IS NOT NULL", nil, func(rows *sql.Rows) error {
			var n int64
			var id []byte
			a := account.Account{Me: wire.Me{Teams: []wire.MyTeam{}}}
			err := rows.Scan(&n, &id, &a.Me.Name, &a.Me.Email, &a.Me.Role, &a.Active, &a.Factor, &a.Vouched)
			a.Owner, a.Me.ID = engine.FormatOwner(n), engine.FormatID(id)
			at[a.Owner] = len(all)
			all = append(all, a)
			return err
		})
		if err != nil {
			return err
		}
		type of struct {
			everyone bool
			wire.MyTeam
		}
		teams := map[string][]of{}
		err = q.Each(`SELECT p.person, t.id, t.name, p.lead = 1 AND u.role <> 'guest', t.everyone FROM users u
			CROSS JOIN team_people p ON p.person = u.n CROSS JOIN teams t ON t.n = p.team AND t.deleted_ms = 0`, nil, func(rows *sql.Rows) error {
			var n int64
			var id []byte
			var t of
			err := rows.Scan(&n, &id, &t.Name, &t.Lead, &t.everyone)
			t.ID = engine.FormatID(id)
			teams[engine.FormatOwner(n)] = append(teams[engine.FormatOwner(n)], t)
			return err
		})
		for owner, list := range teams {
			i, is := at[owner]
			if !is {
				continue
			}
			slices.SortFunc(list, func(a, b of) int {
				if a.everyone != b.everyone {
					return cmp.Compare(number(b.everyone), number(a.everyone))
				}
				return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
			})
			for _, t := range list {
				all[i].Me.Teams = append(all[i].Me.Teams, t.MyTeam)
			}
		}
		return err
	})
	return all, err
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// AccountCount is how many accounts there are, those that were deactivated too.
func (r *Register) AccountCount(ctx context.Context) (n int, err error) {
	err = r.db.At(ctx).Scan("SELECT count(*) FROM users u WHERE u.email IS NOT NULL", nil, &n)
	return n, err
}

// Login is whose an address of mail is, and the password's sum in PHC form, ""
// if there is none. fs.ErrNotExist: nobody's.
func (r *Register) Login(ctx context.Context, email string) (owner, password string, active bool, err error) {
	var n int64
	err = r.db.At(ctx).Scan("SELECT n, password, active FROM users WHERE email = ?", []any{email}, &n, &password, &active)
	if errors.Is(err, sql.ErrNoRows) {
		return "", "", false, engine.NotFound("account")
	}
	return engine.FormatOwner(n), password, active, err
}

// Password is an owner's password's sum, "" if there is none.
func (r *Register) Password(ctx context.Context, owner string) (password string, err error) {
	err = r.db.At(ctx).Scan("SELECT password FROM users WHERE n = ?", []any{engine.ParseOwner(owner)}, &password)
	if errors.Is(err, sql.ErrNoRows) {
		return "", engine.NotFound("account")
	}
	return password, err
}

// SetPassword puts another password in the place of was, if that is still the one.
func (r *Register) SetPassword(ctx context.Context, owner, was, password string) error {
	who := engine.ParseOwner(owner)
	return r.db.Write(ctx, len(password), func(t *engine.Tx) error {
		res, err := t.Exec("UPDATE users SET password = ? WHERE n = ? AND password = ?", password, who, was)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, engine.Conflict("The password was changed meanwhile."))
		}
		return nil
	})
}

// addAccount makes an account, which is in everybody's team.
func (r *Register) addAccount(t *engine.Tx, name, email, role, password string) (n int64, err error) {
	if err := wantFree(t, email); err != nil {
		return 0, err
	}
	id := uuid.New()
	n, err = t.Insert("INSERT INTO users (id, name, email, role, password, created_ms) VALUES (?, ?, ?, ?, ?, ?)", id[:], name, email, role, password, r.now().UnixMilli())
	if err != nil {
		return 0, err
	}
	return n, joinEveryone(t, n, false)
}

// joinEveryone puts somebody into everybody's team.
func joinEveryone(t *engine.Tx, n int64, lead bool) error {
	_, err := t.Exec("INSERT INTO team_people (team, person, lead) SELECT n, ?, ? FROM teams WHERE everyone = 1 ON CONFLICT DO NOTHING", n, lead)
	return err
}

// wantFree fails if somebody has an address of mail.
func wantFree(t *engine.Tx, email string) error {
	var taken bool
	if err := t.Scan("SELECT EXISTS (SELECT 1 FROM users WHERE email = ?)", []any{email}, &taken); err != nil || !taken {
		return err
	}
	return &engine.Error{Err: fs.ErrExist, Problem: wire.Problem{Code: "conflict", Field: "email", Message: "An account can't be made with this e-mail address.",
		Hint: "If it is yours and you have an account already, sign in. Else take another address, or ask an admin."}}
}

// ChangePerson changes an account: what is nil stays. Who is deactivated is
// signed out, and their own key and the links to a new password are gone; what an
// admin gave out who is one no more is taken back. The last active admin stays one:
// last_admin.
func (r *Register) ChangePerson(ctx context.Context, owner string, c wire.PersonChange) error {
	who := engine.ParseOwner(owner)
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		var name, role, limits string
		var active bool
		err := t.Scan("SELECT name, role, active, limits FROM users WHERE n = ? AND email IS NOT NULL", []any{who}, &name, &role, &active, &limits)
		if errors.Is(err, sql.ErrNoRows) {
			return engine.NotFound("account")
		}
		if err != nil {
			return err
		}
		if (c.Role != nil && *c.Role != wire.RoleAdmin) || (c.Active != nil && !*c.Active) {
			if err := WantAnotherAdmin(t, who); err != nil {
				return err
			}
		}
		if c.Active != nil && *c.Active && !active {
			var leaving bool
			if err := t.Scan("SELECT EXISTS (SELECT 1 FROM leavings WHERE person = ?)", []any{who}, &leaving); err != nil {
				return err
			}
			if leaving {
				return engine.Conflict("This person is being handed over from, or erased. Wait until that is done.")
			}
		}
		deactivated := active && c.Active != nil && !*c.Active
		demoted := role == wire.RoleAdmin && c.Role != nil && *c.Role != wire.RoleAdmin
		set(&name, c.Name)
		set(&role, c.Role)
		set(&active, c.Active)
		if c.Limits != nil {
			raw, err := json.Marshal(*c.Limits)
			if err != nil {
				return err
			}
			limits = string(raw)
		}
		if _, err := t.Exec("UPDATE users SET name = ?, role = ?, own_role = CASE WHEN ? THEN NULL ELSE own_role END, active = ?, limits = ? WHERE n = ?", name, role, c.Role != nil, active, limits, who); err != nil {
			return err
		}
		switch at := r.now().UnixMilli(); {
		case deactivated:
			return shutOut(t, who, at)
		case demoted:
			return takeBack(t, who, at)
		}
		return nil
	})
}

func set[T any](to *T, from *T) {
	if from != nil {
		*to = *from
	}
}

// shutOut ends everything by which somebody is in, or could come in by a link, and
// takes back what they gave out. The time is Unix milliseconds.
func shutOut(t *engine.Tx, n, at int64) error {
	for _, query := range []string{
		"DELETE FROM sessions WHERE owner = ? AND signed_in = 1",
		"DELETE FROM links WHERE owner = ?",
		"DELETE FROM gateway_keys WHERE person = ?",
	} {
		if _, err := t.Exec(query, n); err != nil {
			return err
		}
	}
	return takeBack(t, n, at)
}

// takeBack revokes the open invitations of who was an admin, and voids the links to
// others' new passwords that they gave out: either would let them in again, as an
// admin even. The time is Unix milliseconds. (Leads give out neither.)
func takeBack(t *engine.Tx, n, at int64) error {
	if _, err := t.Exec("UPDATE invites SET revoked_ms = ?1 WHERE maker = ?2 AND revoked_ms = 0 AND used < uses AND expires_ms > ?1", at, n); err != nil {
		return err
	}
	_, err := t.Exec("DELETE FROM links WHERE by = ? AND used_ms = 0", engine.FormatOwner(n))
	return err
}

// wantGiver fails with fs.ErrNotExist unless n is an admin who is active: what they
// gave out just before they were none comes to nothing.
func wantGiver(t *engine.Tx, n int64) error {
	var may bool
	if err := t.Scan("SELECT EXISTS (SELECT 1 FROM users WHERE n = ? AND role = 'admin' AND active = 1)", []any{n}, &may); err != nil || may {
		return err
	}
	return engine.NotFound("admin")
}

// WantAnotherAdmin fails with last_admin if n is an active admin, and nobody else is.
func WantAnotherAdmin(t engine.Scanner, n int64) error {
	var last bool
	err := t.Scan(`SELECT EXISTS (SELECT 1 FROM users WHERE n = ? AND role = 'admin' AND active = 1 AND email IS NOT NULL)
		AND NOT EXISTS (SELECT 1 FROM users u WHERE u.role = 'admin' AND u.active = 1 AND u.email IS NOT NULL AND u.n <> ?)`, []any{n, n}, &last)
	if err != nil || !last {
		return err
	}
	return refused(wire.CodeLastAdmin, "", "This is the last admin who is active.", "Make somebody else an admin first.")
}

func refused(code, field, message, hint string) error {
	return &engine.Error{Problem: wire.Problem{Code: code, Field: field, Message: message, Hint: hint}}
}
