package people_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/storetest"
)

func TestSecrets(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	db := storetest.Open(t, dir, store.Options{})
	if _, err := db.Secret(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before there is one: %v", err)
	}
	storetest.Must(t, db.SetSecret(ctx, "a", []byte("first")), db.SetSecret(ctx, "a", []byte("canary of a")), db.SetSecret(ctx, "b", []byte("canary of b")))
	if got, err := db.Secret(ctx, "a"); err != nil || string(got) != "canary of a" {
		t.Errorf("a = %q, %v", got, err)
	}
	if _, _, err := db.LoadSession(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("as a session: %v", err)
	}
	if found := storetest.FilesWith(t, dir, "canary"); len(found) > 0 {
		t.Errorf("in the clear in %q", found)
	}
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'a') WHERE name = 'b'")
		return err
	}))
	if got, err := db.Secret(ctx, "b"); !errors.Is(err, seal.ErrOpen) || got != nil {
		t.Errorf("the one of another name opens: %q, %v", got, err)
	}
}

// What a database before migration 8 had as sessions of a hundred years is a
// secret, and still opens; a person's session stays one.
func TestTheMigrationMovesSecrets(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := t.Context()
	first := t.TempDir() // makes the sealing key
	db, err := store.Open(ctx, first, store.Options{})
	storetest.Must(t, err)
	var check []byte
	storetest.Must(t, db.Engine().At(ctx).Scan("SELECT value FROM meta WHERE name = 'seal_check'", nil, &check), db.Close())
	key := filepath.Join(first, "seal.key")
	box, err := seal.Load(key, slog.New(slog.DiscardHandler))
	storetest.Must(t, err)
	secrets := map[string]string{"cookie-signing-key": "signs cookies", "sandbox-home": `{"key":"k"}`}

	dir := storetest.OpenVersion(t, 7, func(exec func(string, ...any)) {
		exec("INSERT INTO users (n, name, local, created_ms) VALUES (1, 'local', 1, 0)")
		exec("INSERT INTO meta (name, value) VALUES ('seal_check', ?)", check)
		session := func(id, data string) {
			hash, row := people.HashSession(id)
			exec("INSERT INTO sessions (id_hash, owner, sealed, created_ms, expires_ms) VALUES (?, 1, ?, 0, ?)", hash, box.Seal("session", row, []byte(data)), time.Now().AddDate(100, 0, 0).UnixMilli())
		}
		session("a person's", "theirs")
		for name, data := range secrets {
			session(name, data)
		}
	})
	storetest.Must(t, os.Rename(key, filepath.Join(dir, "seal.key")))
	db = storetest.Open(t, dir, store.Options{})
	for name, want := range secrets {
		if got, err := db.Secret(ctx, name); err != nil || string(got) != want {
			t.Errorf("%s = %q, %v", name, got, err)
		}
		if _, _, err := db.LoadSession(ctx, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is a session still: %v", name, err)
		}
	}
	if owner, data, err := db.LoadSession(ctx, "a person's"); err != nil || owner != "1" || string(data) != "theirs" {
		t.Errorf("the person's session: %q %q, %v", owner, data, err)
	}
}
