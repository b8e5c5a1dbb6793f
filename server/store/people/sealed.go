package people

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"

	"screentest/server/store/engine"
	"screentest/server/store/sealed"
)

// sealedSetting is what the seal of a setting is bound to, beside its owner.
const sealedSetting = "setting:"

// SealedSetting is Setting for a value that is kept sealed.
func (r *Register) SealedSetting(ctx context.Context, owner, name string) (value string, err error) {
	text, err := r.Setting(ctx, owner, name)
	if err != nil {
		return "", err
	}
	sealed, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return "", fmt.Errorf("read the setting %s: %w", name, err)
	}
	plain, err := r.box.Open(sealedSetting+name, rowOf(owner), sealed)
	if err != nil {
		return "", fmt.Errorf("read the setting %s: %w", name, err)
	}
	return string(plain), nil
}

// SetSealedSetting is SetSetting for a value that nobody reads in the data folder;
// "" forgets it.
func (r *Register) SetSealedSetting(ctx context.Context, owner, name, value string) error {
	if value != "" {
		value = base64.StdEncoding.EncodeToString(r.box.Seal(sealedSetting+name, rowOf(owner), []byte(value)))
	}
	return r.SetSetting(ctx, owner, name, value)
}

// Sealed are the columns that hold sealed values. A setting is one by what it looks
// like: the others are JSON, or names.
func Sealed() []sealed.Column {
	return []sealed.Column{
		{
			Name: "sessions", First: []any{[]byte{}},
			Rows:     "SELECT id_hash, sealed FROM sessions WHERE id_hash > ? ORDER BY id_hash LIMIT ?",
			SetWhere: "UPDATE sessions SET sealed = ? WHERE id_hash = ? AND sealed = ?",
			As: func(key, _ []any) (purpose, id string) {
				hash, _ := key[0].([]byte)
				return sessionPurpose, hex.EncodeToString(hash)
			},
		},
		{
			Name: "begun", First: []any{"", ""},
			Rows:     "SELECT kind, session, sealed FROM begun WHERE (kind, session) > (?, ?) ORDER BY kind, session LIMIT ?",
			SetWhere: "UPDATE begun SET sealed = ? WHERE kind = ? AND session = ? AND sealed = ?",
			As: func(key, _ []any) (purpose, id string) {
				kind, _ := key[0].(string)
				session, _ := key[1].(string)
				return begunPurpose, begunRow(kind, session)
			},
		},
		{
			Name: "secrets", First: []any{""},
			Rows:     "SELECT name, sealed FROM secrets WHERE name > ? ORDER BY name LIMIT ?",
			SetWhere: "UPDATE secrets SET sealed = ? WHERE name = ? AND sealed = ?",
			As: func(key, _ []any) (purpose, id string) {
				name, _ := key[0].(string)
				return sealSecret(name)
			},
		},
		{
			Name: "gateway_keys", First: []any{int64(0)},
			Rows:     "SELECT k.n, k.sealed, (SELECT id FROM teams WHERE n = k.team), k.person FROM gateway_keys k WHERE k.n > ? ORDER BY k.n LIMIT ?",
			SetWhere: "UPDATE gateway_keys SET sealed = ? WHERE n = ? AND sealed = ?",
			As: func(_, more []any) (purpose, id string) {
				if team, is := more[0].([]byte); is {
					return keyPurpose, teamKeyRow(team)
				}
				person, _ := more[1].(int64)
				return keyPurpose, personKeyRow(person)
			},
		},
		{
			Name: "users.totp", First: []any{int64(0)},
			Rows:     "SELECT n, totp FROM users WHERE n > ? AND totp IS NOT NULL ORDER BY n LIMIT ?",
			SetWhere: "UPDATE users SET totp = ? WHERE n = ? AND totp = ?",
			As: func(key, _ []any) (purpose, id string) {
				n, _ := key[0].(int64)
				return totpPurpose, strconv.FormatInt(n, 10)
			},
		},
		{
			Name: "settings", First: []any{int64(0), ""}, Text: true,
			Rows:     "SELECT owner, name, value FROM settings WHERE (owner, name) > (?, ?) ORDER BY owner, name LIMIT ?",
			SetWhere: "UPDATE settings SET value = ? WHERE owner = ? AND name = ? AND value = ?",
			As: func(key, _ []any) (purpose, id string) {
				owner, _ := key[0].(int64)
				name, _ := key[1].(string)
				return sealedSetting + name, strconv.FormatInt(owner, 10)
			},
		},
	}
}

func rowOf(owner string) string { return strconv.FormatInt(engine.ParseOwner(owner), 10) }
