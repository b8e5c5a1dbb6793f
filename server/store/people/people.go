// Package people keeps who there is: users, their settings and sessions, and the
// settings and secrets of the server itself.
package people

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"screentest/server/seal"
	"screentest/server/store/engine"
)

// A Register is who there is: people, their settings and sessions.
type Register struct {
	db  *engine.DB
	box *seal.Box
	now func() time.Time
}

// New is the register in db.
func New(db *engine.DB, box *seal.Box, now func() time.Time) *Register {
	return &Register{db, box, now}
}

// EnsureLocalUser returns the owner id of the one local user, who is there
// from the first call on: the person at the keyboard of a server that listens
// on loopback only. Where one account is left of a team's that is who it is, also
// if the first admin has gone.
func (r *Register) EnsureLocalUser(ctx context.Context) (owner string, err error) {
	var n int64
	if r.db.ReadOnly() != nil {
		err = r.db.At(ctx).Scan("SELECT coalesce((SELECT max(n) FROM users WHERE email IS NOT NULL HAVING count(*) = 1), (SELECT n FROM users WHERE local = 1))", nil, &n)
		return engine.FormatOwner(n), err
	}
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		if err := adoptLocal(t); err != nil {
			return err
		}
		if _, err := t.Exec("INSERT INTO users (id, name, local, created_ms) SELECT randomblob(16), 'local', 1, ? WHERE NOT EXISTS (SELECT 1 FROM users WHERE local = 1)", r.now().UnixMilli()); err != nil {
			return err
		}
		return t.Scan("SELECT n FROM users WHERE local = 1", nil, &n)
	})
	if err != nil {
		return "", err
	}
	return engine.FormatOwner(n), nil
}

// adoptLocal makes the only account the local user.
func adoptLocal(t *engine.Tx) error {
	accounts, err := engine.Column[int64](t, "SELECT u.n FROM users u WHERE u.email IS NOT NULL LIMIT 2")
	if err != nil || len(accounts) != 1 {
		return err
	}
	if _, err := t.Exec("UPDATE users SET local = 0 WHERE local = 1 AND n <> ?", accounts[0]); err != nil {
		return err
	}
	_, err = t.Exec("UPDATE users SET local = 1 WHERE n = ? AND local = 0", accounts[0])
	return err
}

// People is how many there are.
func (r *Register) People(ctx context.Context) (n int, err error) {
	err = r.db.At(ctx).Scan("SELECT count(*) FROM users", nil, &n)
	return n, err
}

// PersonID is an owner's id as people and programs see it.
func (r *Register) PersonID(ctx context.Context, owner string) (id string, err error) {
	var b []byte
	err = r.db.At(ctx).Scan("SELECT id FROM users WHERE n = ?", []any{engine.ParseOwner(owner)}, &b)
	if errors.Is(err, sql.ErrNoRows) {
		return "", engine.NotFound("user")
	}
	return engine.FormatID(b), err
}

// Bounds of a setting, in bytes.
const (
	maxSettingName  = 100
	maxSettingValue = 64 << 10
)

// Setting returns a value the owner saved. fs.ErrNotExist: there is none.
func (r *Register) Setting(ctx context.Context, owner, name string) (value string, err error) {
	err = r.db.At(ctx).Scan("SELECT value FROM settings WHERE owner = ? AND name = ?", []any{engine.ParseOwner(owner), name}, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", engine.NotFound("setting")
	}
	return value, err
}

// SetSetting saves a value of up to 64 KiB under a name of up to 100 bytes; ""
// forgets it.
func (r *Register) SetSetting(ctx context.Context, owner, name, value string) error {
	if name == "" || len(name) > maxSettingName {
		return engine.BadField("bad_setting", "name", "A setting's name has 1 to %d bytes.", maxSettingName)
	}
	if len(value) > maxSettingValue {
		return engine.BadField("bad_setting", "value", "A setting has at most %d bytes.", maxSettingValue)
	}
	who := engine.ParseOwner(owner)
	return r.db.Write(ctx, len(value), func(t *engine.Tx) error {
		if value == "" {
			_, err := t.Exec("DELETE FROM settings WHERE owner = ? AND name = ?", who, name)
			return err
		}
		if err := WantUser(t, who); err != nil {
			return err
		}
		_, err := t.Exec("INSERT INTO settings (owner, name, value) VALUES (?, ?, ?) ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value", who, name, value)
		return err
	})
}

// serverPrefix keeps the server's settings apart from the other facts in meta.
const serverPrefix = "setting:"

// ServerSetting returns a value that is of the whole server. fs.ErrNotExist:
// there is none.
func (r *Register) ServerSetting(ctx context.Context, name string) (value string, err error) {
	var b []byte
	err = r.db.At(ctx).Scan("SELECT value FROM meta WHERE name = ?", []any{serverPrefix + name}, &b)
	if errors.Is(err, sql.ErrNoRows) {
		return "", engine.NotFound("setting")
	}
	return string(b), err
}

// ReadServerSetting is ServerSetting in a transaction, "" if there is none.
func ReadServerSetting(t *engine.Tx, name string) (value string, err error) {
	var b []byte
	err = t.Scan("SELECT value FROM meta WHERE name = ?", []any{serverPrefix + name}, &b)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return string(b), err
}

// SetServerSetting saves a value that is of the whole server, with the bounds
// of SetSetting; "" forgets it.
func (r *Register) SetServerSetting(ctx context.Context, name, value string) error {
	if name == "" || len(name) > maxSettingName || len(value) > maxSettingValue {
		return engine.BadField("bad_setting", "name", "A setting's name has 1 to %d bytes, its value at most %d.", maxSettingName, maxSettingValue)
	}
	return r.db.Write(ctx, len(value), func(t *engine.Tx) error {
		if value == "" {
			_, err := t.Exec("DELETE FROM meta WHERE name = ?", serverPrefix+name)
			return err
		}
		_, err := t.Exec("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", serverPrefix+name, []byte(value))
		return err
	})
}

// WantUser fails with fs.ErrNotExist if there is no user n who is active: what
// somebody sent just before they were shut out comes to nothing.
func WantUser(q engine.Scanner, n int64) error {
	var there bool
	if err := q.Scan("SELECT EXISTS (SELECT 1 FROM users WHERE n = ? AND active = 1)", []any{n}, &there); err != nil {
		return err
	}
	if !there {
		return engine.NotFound("user")
	}
	return nil
}

// EachSetting calls fn with everybody's value of a setting.
func (r *Register) EachSetting(ctx context.Context, name string, fn func(owner, value string) error) error {
	type setting struct {
		owner int64
		value string
	}
	var all []setting
	err := r.db.At(ctx).Each("SELECT s.owner, s.value FROM users u CROSS JOIN settings s ON s.owner = u.n AND s.name = ?", []any{name}, func(rows *sql.Rows) error {
		var s setting
		err := rows.Scan(&s.owner, &s.value)
		all = append(all, s)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range all {
		if err := fn(engine.FormatOwner(s.owner), s.value); err != nil {
			return err
		}
	}
	return nil
}
