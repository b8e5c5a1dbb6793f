package people

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

const selectPasskeys = "SELECT id, owner, name, credential, data, created_ms, used_ms FROM passkeys"

// Passkeys are an owner's, the oldest first.
func (r *Register) Passkeys(ctx context.Context, owner string) (all []account.Passkey, err error) {
	err = r.db.At(ctx).Each(selectPasskeys+" WHERE owner = ? ORDER BY n", []any{engine.ParseOwner(owner)}, func(rows *sql.Rows) error {
		p, err := scanPasskey(rows.Scan)
		all = append(all, p)
		return err
	})
	return all, err
}

// PasskeyOf is the passkey that an authenticator calls credential. fs.ErrNotExist:
// nobody here has it.
func (r *Register) PasskeyOf(ctx context.Context, credential []byte) (p account.Passkey, err error) {
	p, err = scanPasskey(func(dest ...any) error {
		return r.db.At(ctx).Scan(selectPasskeys+" WHERE credential = ?", []any{credential}, dest...)
	})
	if errors.Is(err, sql.ErrNoRows) {
		err = errNoPasskey
	}
	return p, err
}

var errNoPasskey = engine.NotFound("passkey")

func scanPasskey(scan func(dest ...any) error) (p account.Passkey, err error) {
	var id []byte
	var owner, created, used int64
	err = scan(&id, &owner, &p.Name, &p.Credential, &p.Data, &created, &used)
	p.ID, p.Owner, p.Created = engine.FormatID(id), engine.FormatOwner(owner), time.UnixMilli(created)
	if used > 0 {
		p.Used = time.UnixMilli(used)
	}
	return p, err
}

// AddPasskey adds one to its owner's and gives its id. codes become their recovery
// codes if they have none; fresh says that they did.
func (r *Register) AddPasskey(ctx context.Context, p account.Passkey, codes [][]byte) (id string, fresh bool, err error) {
	who, made := engine.ParseOwner(p.Owner), uuid.New()
	err = r.db.Write(ctx, len(p.Data), func(t *engine.Tx) error {
		if err := WantUser(t, who); err != nil {
			return err
		}
		var n int
		var taken bool
		if err := t.Scan("SELECT count(*), (SELECT EXISTS (SELECT 1 FROM passkeys WHERE credential = ?)) FROM passkeys WHERE owner = ?", []any{p.Credential, who}, &n, &taken); err != nil {
			return err
		}
		if taken {
			return engine.Conflict("This passkey is in use here already.")
		}
		if n >= wire.MaxPasskeys {
			return &engine.Error{Problem: wire.Problem{Code: "too_many_passkeys", Message: "There are 20 passkeys, which is the most one may have.", Hint: "Remove one that you don't use."}}
		}
		if _, err := t.Exec("INSERT INTO passkeys (owner, id, credential, data, name, created_ms) VALUES (?, ?, ?, ?, ?, ?)", who, made[:], p.Credential, string(p.Data), p.Name, p.Created.UnixMilli()); err != nil {
			return err
		}
		fresh, err = firstCodes(t, who, codes)
		return err
	})
	return made.String(), fresh, err
}

// PasskeyUsed notes that somebody signed in by a passkey, with its counter of now.
func (r *Register) PasskeyUsed(ctx context.Context, owner, id string, data []byte) error {
	b, _ := engine.ParseID(id)
	return r.db.Write(ctx, len(data), func(t *engine.Tx) error {
		_, err := t.Exec("UPDATE passkeys SET data = ?, used_ms = ? WHERE owner = ? AND id = ?", string(data), r.now().UnixMilli(), engine.ParseOwner(owner), b)
		return err
	})
}

// RemovePasskey removes one of an owner's, but not their last way in where ways
// is what the instance offers besides. fs.ErrNotExist: they have no such.
func (r *Register) RemovePasskey(ctx context.Context, owner, id string, ways account.Ways) error {
	who := engine.ParseOwner(owner)
	b, _ := engine.ParseID(id)
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		res, err := t.Exec("DELETE FROM passkeys WHERE owner = ? AND id = ?", who, b)
		if err != nil {
			return err
		}
		if gone, err := res.RowsAffected(); err != nil || gone == 0 {
			return errors.Join(err, errNoPasskey)
		}
		var another bool
		if err := t.Scan(`SELECT EXISTS (SELECT 1 FROM passkeys WHERE owner = u.n) OR ? AND u.password <> '' OR ? AND u.oidc_subject IS NOT NULL FROM users u WHERE u.n = ?`,
			[]any{ways.Password, ways.OIDC, who}, &another); err != nil {
			return err
		}
		if !another {
			return &engine.Error{Problem: wire.Problem{Code: wire.CodeLastWayIn, Message: "This passkey is the only way into the account.", Hint: "Add another passkey or a password first."}}
		}
		return dropSpareCodes(t, who)
	})
}
