package store_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
)

func TestSecondServerIsRefused(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	for range 2 {
		_, err := storetest.TryOpen(t, dir, store.Options{})
		if !errors.Is(err, folder.ErrInUse) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "-data") {
			t.Errorf("second server: %v", err)
		}
	}
	if _, err := db.EnsureLocalUser(ctx); err != nil {
		t.Errorf("the first server: %v", err)
	}
	storetest.Must(t, db.Close())
	storetest.Open(t, dir, store.Options{})
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	storetest.OnlySQLite(t)
	if runtime.GOOS == "windows" {
		return // Windows has no such modes
	}
	dir := filepath.Join(t.TempDir(), "a", "data")
	db := storetest.Open(t, dir, store.Options{})
	if _, err := db.EnsureLocalUser(context.Background()); err != nil {
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("folder: %v, %v", info.Mode().Perm(), err)
		}
		names, err := os.ReadDir(dir)
		storetest.Must(t, err)
		seen := ""
		for _, d := range names {
			info, err := d.Info()
			storetest.Must(t, err)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v", d.Name(), info.Mode().Perm())
			}
			seen += d.Name() + " "
		}
		for _, name := range []string{folder.DatabaseFile, folder.DatabaseFile + "-wal", folder.SealKeyFile} {
			if !strings.Contains(seen, name) {
				t.Errorf("no %s among %s", name, seen)
			}
		}
	}
	check()

	storetest.Must(t, db.Close())
	storetest.Must(t, os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, folder.DatabaseFile), 0o644), os.Chmod(filepath.Join(dir, folder.SealKeyFile), 0o640))
	var log bytes.Buffer
	db = storetest.Open(t, dir, store.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if _, err := db.EnsureLocalUser(context.Background()); err != nil {
		t.Fatal(err)
	}
	check()
	for _, name := range []string{"mode=0755", folder.DatabaseFile, folder.SealKeyFile} {
		if !strings.Contains(log.String(), name) {
			t.Errorf("%s was tightened without a word: %s", name, log.String())
		}
	}
}

// A folder with other things in it is not closed to others for our sake.
func TestForeignFolderKeepsItsMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // Windows has no such modes
	}
	dir := t.TempDir()
	storetest.Must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644), os.Chmod(dir, 0o755))
	var log bytes.Buffer
	storetest.Open(t, dir, store.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o755 || !strings.Contains(log.String(), "open to other users") {
		t.Errorf("mode %v, log %s", info.Mode().Perm(), log.String())
	}
}

func TestOpenRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	// sealed makes a folder that holds a session.
	sealed := func(t *testing.T, o store.Options) (dir string) {
		if dir = t.TempDir(); o.SealKey == "" {
			dir = storetest.Folder(t)
		}
		db, err := store.Open(ctx, dir, o)
		storetest.Must(t, err)
		owner, err := db.EnsureLocalUser(ctx)
		storetest.Must(t, err)
		storetest.Must(t, db.SaveSession(ctx, "id", owner, []byte("data"), time.Now().Add(time.Hour)), db.Close())
		return dir
	}
	file := func(dir, name string) string { return filepath.Join(dir, name) }
	keyA, keyB := seal.FormatKey(seal.NewKey()), seal.FormatKey(seal.NewKey())
	for name, c := range map[string]struct {
		prepare func(t *testing.T) (string, store.Options)
		want    []string
	}{
		"another key in the file": {func(t *testing.T) (string, store.Options) {
			dir := sealed(t, store.Options{})
			storetest.Must(t, os.WriteFile(file(dir, folder.SealKeyFile), []byte(keyA), 0o600))
			return dir, store.Options{}
		}, []string{folder.SealKeyFile, "not the sealing key", "nothing was changed"}},
		"the key file is gone": {func(t *testing.T) (string, store.Options) {
			dir := sealed(t, store.Options{})
			storetest.Must(t, os.Remove(file(dir, folder.SealKeyFile)))
			return dir, store.Options{}
		}, []string{folder.SealKeyFile, "missing", "SCREENTEST_SEAL_KEY"}},
		"another key in the environment": {func(t *testing.T) (string, store.Options) {
			return sealed(t, store.Options{SealKey: keyA}), store.Options{SealKey: keyB}
		}, []string{"SCREENTEST_SEAL_KEY", "not the sealing key"}},
		"no key": {func(t *testing.T) (string, store.Options) {
			return sealed(t, store.Options{SealKey: keyA}), store.Options{}
		}, []string{folder.SealKeyFile, "missing"}},
		"rubbish for a key": {func(t *testing.T) (string, store.Options) {
			return t.TempDir(), store.Options{SealKey: "letmein"}
		}, []string{"SCREENTEST_SEAL_KEY", "32 bytes"}},
		"the folder is a file": {func(t *testing.T) (string, store.Options) {
			path := file(t.TempDir(), "data")
			storetest.Must(t, os.WriteFile(path, nil, 0o600))
			return path, store.Options{}
		}, []string{"data"}},
		"no database": {func(t *testing.T) (string, store.Options) {
			dir := t.TempDir()
			storetest.Must(t, os.WriteFile(file(dir, folder.DatabaseFile), bytes.Repeat([]byte("no database "), 1000), 0o600))
			return dir, store.Options{}
		}, []string{folder.DatabaseFile, "damaged", "backup"}},
		"cut off": {func(t *testing.T) (string, store.Options) {
			dir := sealed(t, store.Options{})
			storetest.Must(t, os.Truncate(file(dir, folder.DatabaseFile), 5000))
			return dir, store.Options{}
		}, []string{folder.DatabaseFile, "damaged"}},
		"another program's": {func(t *testing.T) (string, store.Options) {
			dir := t.TempDir()
			pool, err := engine.OpenPool(file(dir, folder.DatabaseFile), engine.CommonSettings, 1)
			storetest.Must(t, err)
			_, err = pool.Exec("CREATE TABLE bookmarks (url TEXT)")
			storetest.Must(t, err, pool.Close())
			return dir, store.Options{}
		}, []string{"not one of Screentest's", "-data"}},
		"of a newer program": {func(t *testing.T) (string, store.Options) {
			dir := sealed(t, store.Options{})
			pool, err := engine.OpenPool(file(dir, folder.DatabaseFile), engine.CommonSettings, 1)
			storetest.Must(t, err)
			_, err = pool.Exec("PRAGMA user_version = 7000")
			storetest.Must(t, err, pool.Close())
			return dir, store.Options{}
		}, []string{"7000", "newer", "Nothing was changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, o := c.prepare(t)
			before, _ := os.ReadFile(file(dir, folder.DatabaseFile))
			db, err := store.Open(ctx, dir, o)
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			text := err.Error() + storetest.Problem(err).Hint
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("%q does not say %q", text, want)
				}
			}
			for _, key := range []string{keyA, keyB, "letmein"} {
				if strings.Contains(text, key) {
					t.Errorf("%q shows the key", text)
				}
			}
			if after, _ := os.ReadFile(file(dir, folder.DatabaseFile)); len(before) > 0 && !bytes.Equal(after, before) {
				t.Error("the database was changed")
			}
			// Nothing is held: with the reason gone, the folder opens.
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			storetest.Open(t, dir, store.Options{})
		})
	}
}

func TestSealKeyFromTheEnvironment(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	dir, key := t.TempDir(), seal.FormatKey(seal.NewKey())
	db, err := store.Open(ctx, dir, store.Options{SealKey: key})
	storetest.Must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err, db.SaveSession(ctx, "id", owner, []byte("data"), time.Now().Add(time.Hour)), db.Close())
	if _, err := os.Stat(filepath.Join(dir, folder.SealKeyFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key file was made beside the key in the environment: %v", err)
	}
	db = storetest.Open(t, dir, store.Options{SealKey: key + "\n"})
	if _, data, err := db.LoadSession(ctx, "id"); err != nil || string(data) != "data" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestClosedStore(t *testing.T) {
	ctx := context.Background()
	db, err := storetest.TryOpen(t, t.TempDir(), store.Options{})
	storetest.Must(t, err, db.Close())
	s := storetest.NewStart("", "x")
	for name, err := range map[string]error{
		"write":    db.SetSetting(ctx, "1", "a", "b"),
		"queue":    storetest.StartTurn(db, "1", s),
		"read":     storetest.Second(db.Run(ctx, "1", s.Run)),
		"snapshot": storetest.Second(db.OpenConversation(ctx, "1", storetest.PageOf(s))),
	} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
