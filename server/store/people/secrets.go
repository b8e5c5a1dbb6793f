package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"screentest/server/store/engine"
)

// sealSecret is what a secret's seal is bound to: what it would be of a session
// of that id, for secrets were sessions before migration 8, and those still open.
func sealSecret(name string) (purpose, row string) {
	_, row = hashSession(name)
	return sessionPurpose, row
}

// Secret reads a secret of the server's. fs.ErrNotExist: there is none.
func (r *Register) Secret(ctx context.Context, name string) (data []byte, err error) {
	var sealed []byte
	err = r.db.At(ctx).Scan("SELECT sealed FROM secrets WHERE name = ?", []any{name}, &sealed)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, engine.NotFound("secret")
	}
	if err != nil {
		return nil, err
	}
	purpose, row := sealSecret(name)
	if data, err = r.box.Open(purpose, row, sealed); err != nil {
		return nil, fmt.Errorf("read the secret %s: %w", name, err)
	}
	return data, nil
}

// SetSecret saves a secret of the server's, sealed.
func (r *Register) SetSecret(ctx context.Context, name string, data []byte) error {
	purpose, row := sealSecret(name)
	sealed := r.box.Seal(purpose, row, data)
	return r.db.Write(ctx, len(sealed), func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO secrets (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET sealed = excluded.sealed", name, sealed)
		return err
	})
}

// KeepSecret is SetSecret unless there is one: kept is the one that there is. Of
// several who make it at once all get the same.
func (r *Register) KeepSecret(ctx context.Context, name string, data []byte) (kept []byte, err error) {
	purpose, row := sealSecret(name)
	sealed := r.box.Seal(purpose, row, data)
	err = r.db.Write(ctx, len(sealed), func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO secrets (name, sealed) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", name, sealed)
		return err
	})
	if err != nil {
		return nil, err
	}
	return r.Secret(ctx, name)
}
