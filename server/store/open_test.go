package store

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
	"testing/fstest"
	"time"

	"screentest/server/seal"
)

func TestSecondServerIsRefused(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := Open(ctx, dir, Options{})
	must(t, err)
	for range 2 {
		_, err := Open(ctx, dir, Options{})
		if !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), "-data") {
			t.Errorf("second server: %v", err)
		}
	}
	if _, err := db.EnsureLocalUser(ctx); err != nil {
		t.Errorf("the first server: %v", err)
	}
	must(t, db.Close())
	open(t, dir, Options{})
}

func TestFilesAreTheOwnersOnly(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // Windows has no such modes
	}
	dir := filepath.Join(t.TempDir(), "a", "data")
	db := open(t, dir, Options{})
	if _, err := db.EnsureLocalUser(context.Background()); err != nil {
		t.Fatal(err)
	}
	check := func() {
		t.Helper()
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("folder: %v, %v", info.Mode().Perm(), err)
		}
		names, err := os.ReadDir(dir)
		must(t, err)
		seen := ""
		for _, d := range names {
			info, err := d.Info()
			must(t, err)
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v", d.Name(), info.Mode().Perm())
			}
			seen += d.Name() + " "
		}
		for _, name := range []string{databaseFile, databaseFile + "-wal", sealKeyFile} {
			if !strings.Contains(seen, name) {
				t.Errorf("no %s among %s", name, seen)
			}
		}
	}
	check()

	must(t, db.Close())
	must(t, os.Chmod(dir, 0o755), os.Chmod(filepath.Join(dir, databaseFile), 0o644), os.Chmod(filepath.Join(dir, sealKeyFile), 0o640))
	var log bytes.Buffer
	db = open(t, dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if _, err := db.EnsureLocalUser(context.Background()); err != nil {
		t.Fatal(err)
	}
	check()
	for _, name := range []string{"mode=0755", databaseFile, sealKeyFile} {
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
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o644), os.Chmod(dir, 0o755))
	var log bytes.Buffer
	open(t, dir, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o755 || !strings.Contains(log.String(), "open to other users") {
		t.Errorf("mode %v, log %s", info.Mode().Perm(), log.String())
	}
}

func TestOpenRefused(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	// sealed makes a folder that holds a session.
	sealed := func(t *testing.T, o Options) (dir string) {
		dir = t.TempDir()
		db, err := Open(ctx, dir, o)
		must(t, err)
		owner, err := db.EnsureLocalUser(ctx)
		must(t, err)
		must(t, db.SaveSession(ctx, "id", owner, []byte("data"), time.Now().Add(time.Hour)), db.Close())
		return dir
	}
	file := func(dir, name string) string { return filepath.Join(dir, name) }
	keyA, keyB := seal.FormatKey(seal.NewKey()), seal.FormatKey(seal.NewKey())
	for name, c := range map[string]struct {
		prepare func(t *testing.T) (string, Options)
		want    []string
	}{
		"another key in the file": {func(t *testing.T) (string, Options) {
			dir := sealed(t, Options{})
			must(t, os.WriteFile(file(dir, sealKeyFile), []byte(keyA), 0o600))
			return dir, Options{}
		}, []string{sealKeyFile, "not the sealing key", "nothing was changed"}},
		"the key file is gone": {func(t *testing.T) (string, Options) {
			dir := sealed(t, Options{})
			must(t, os.Remove(file(dir, sealKeyFile)))
			return dir, Options{}
		}, []string{sealKeyFile, "missing", "SCREENTEST_SEAL_KEY"}},
		"another key in the environment": {func(t *testing.T) (string, Options) {
			return sealed(t, Options{SealKey: keyA}), Options{SealKey: keyB}
		}, []string{"SCREENTEST_SEAL_KEY", "not the sealing key"}},
		"no key": {func(t *testing.T) (string, Options) {
			return sealed(t, Options{SealKey: keyA}), Options{}
		}, []string{sealKeyFile, "missing"}},
		"rubbish for a key": {func(t *testing.T) (string, Options) {
			return t.TempDir(), Options{SealKey: "letmein"}
		}, []string{"SCREENTEST_SEAL_KEY", "32 bytes"}},
		"the folder is a file": {func(t *testing.T) (string, Options) {
			path := file(t.TempDir(), "data")
			must(t, os.WriteFile(path, nil, 0o600))
			return path, Options{}
		}, []string{"data"}},
		"no database": {func(t *testing.T) (string, Options) {
			dir := t.TempDir()
			must(t, os.WriteFile(file(dir, databaseFile), bytes.Repeat([]byte("no database "), 1000), 0o600))
			return dir, Options{}
		}, []string{databaseFile, "damaged", "backup"}},
		"cut off": {func(t *testing.T) (string, Options) {
			dir := sealed(t, Options{})
			must(t, os.Truncate(file(dir, databaseFile), 5000))
			return dir, Options{}
		}, []string{databaseFile, "damaged"}},
		"another program's": {func(t *testing.T) (string, Options) {
			dir := t.TempDir()
			pool, err := openSQLite(file(dir, databaseFile), commonSettings, 1)
			must(t, err)
			_, err = pool.Exec("CREATE TABLE bookmarks (url TEXT)")
			must(t, err, pool.Close())
			return dir, Options{}
		}, []string{"not one of Screentest's", "-data"}},
		"of a newer program": {func(t *testing.T) (string, Options) {
			dir := sealed(t, Options{})
			pool, err := openSQLite(file(dir, databaseFile), commonSettings, 1)
			must(t, err)
			_, err = pool.Exec("PRAGMA user_version = 7000")
			must(t, err, pool.Close())
			return dir, Options{}
		}, []string{"7000", "newer", "Nothing was changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, o := c.prepare(t)
			before, _ := os.ReadFile(file(dir, databaseFile))
			db, err := Open(ctx, dir, o)
			if err == nil {
				db.Close()
				t.Fatal("opened")
			}
			text := err.Error() + problem(err).Hint
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
			if after, _ := os.ReadFile(file(dir, databaseFile)); len(before) > 0 && !bytes.Equal(after, before) {
				t.Error("the database was changed")
			}
			// Nothing is held: with the reason gone, the folder opens.
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			open(t, dir, Options{})
		})
	}
}

func TestSealKeyFromTheEnvironment(t *testing.T) {
	ctx := context.Background()
	dir, key := t.TempDir(), seal.FormatKey(seal.NewKey())
	db, err := Open(ctx, dir, Options{SealKey: key})
	must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	must(t, err, db.SaveSession(ctx, "id", owner, []byte("data"), time.Now().Add(time.Hour)), db.Close())
	if _, err := os.Stat(filepath.Join(dir, sealKeyFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a key file was made beside the key in the environment: %v", err)
	}
	db = open(t, dir, Options{SealKey: key + "\n"})
	if _, data, err := db.LoadSession(ctx, "id"); err != nil || string(data) != "data" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestClosedStore(t *testing.T) {
	ctx := context.Background()
	db, err := Open(ctx, t.TempDir(), Options{})
	must(t, err, db.Close())
	s := newStart("", "x")
	for name, err := range map[string]error{
		"write":    db.SetSetting(ctx, "1", "a", "b"),
		"queue":    startTurn(db, "1", s),
		"read":     second(db.Run(ctx, "1", s.Run)),
		"snapshot": second(db.OpenConversation(ctx, "1", pageOf(s))),
	} {
		if !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettings(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	must(t, db.SetSetting(ctx, owner, "theme", "dark"), db.SetSetting(ctx, owner, "theme", "light"), db.SetSetting(ctx, owner, "lanes", "2"))
	if v, err := db.Setting(ctx, owner, "theme"); err != nil || v != "light" {
		t.Errorf("%q, %v", v, err)
	}
	must(t, db.SetSetting(ctx, owner, "theme", ""), db.SetSetting(ctx, owner, "theme", ""))
	if _, err := db.Setting(ctx, owner, "theme"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("forgotten: %v", err)
	}
	for name, err := range map[string]error{
		"no name":    db.SetSetting(ctx, owner, "", "x"),
		"long name":  db.SetSetting(ctx, owner, strings.Repeat("n", 101), "x"),
		"long value": db.SetSetting(ctx, owner, "n", strings.Repeat("v", 64<<10+1)),
	} {
		if problem(err).Code != "bad_setting" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestMigrate(t *testing.T) {
	ctx := context.Background()
	first := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (n INTEGER PRIMARY KEY, text TEXT); INSERT INTO a (text) VALUES ('old')")}}
	with := func(name, sql string) fstest.MapFS {
		return fstest.MapFS{"0001_a.sql": first["0001_a.sql"], name: {Data: []byte(sql)}}
	}
	path := filepath.Join(t.TempDir(), databaseFile)
	var log bytes.Buffer
	var kept []string
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(files fstest.MapFS) (version int, err error) {
		now = now.Add(time.Second)
		pool, err := openSQLite(path, writerSettings, 1)
		must(t, err)
		defer pool.Close()
		conn, err := pool.Conn(ctx)
		must(t, err)
		defer conn.Close()
		ms, err := readMigrations(files)
		if err == nil {
			err = migrate(ctx, conn, ms, func(version int) (drop func(), err error) {
				copied, err := keepCopy(ctx, conn, path, version, now)
				kept = append(kept, copied)
				return func() { kept = kept[:len(kept)-1] }, err
			}, slog.New(slog.NewTextHandler(&log, nil)))
		}
		must(t, conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version))
		var keys int
		if must(t, conn.QueryRowContext(ctx, "PRAGMA foreign_keys").Scan(&keys)); err == nil && keys != 1 {
			t.Error("foreign keys are off after a migration")
		}
		return version, err
	}
	text := func(path string) (s string) {
		pool, err := openSQLite(path, commonSettings, 1)
		must(t, err)
		defer pool.Close()
		must(t, pool.QueryRow("SELECT text FROM a").Scan(&s))
		return s
	}

	if v, err := run(first); err != nil || v != 1 || kept != nil {
		t.Fatalf("a new database: version %d, %v, kept %v", v, err, kept)
	}
	if v, err := run(first); err != nil || v != 1 || kept != nil {
		t.Fatalf("nothing to do: version %d, %v, kept %v", v, err, kept)
	}
	for name, sql := range map[string]string{
		"wrong SQL half way":   "UPDATE a SET text = 'half'; CREATE TABLE a (n INTEGER)",
		"a key to nowhere":     "UPDATE a SET text = 'half'; CREATE TABLE b (a INTEGER REFERENCES a (n)) ; INSERT INTO b VALUES (99)",
		"a double-quoted typo": `UPDATE a SET text = 'half'; INSERT INTO a (text) VALUES ("x")`,
	} {
		if v, err := run(with("0002_b.sql", sql)); err == nil || v != 1 || text(path) != "old" || len(kept) != 0 {
			t.Errorf("%s: version %d, %v, text %q, kept %v", name, v, err, text(path), kept)
		}
	}
	if v, err := run(with("0002_b.sql", "UPDATE a SET text = 'new'")); err != nil || v != 2 || text(path) != "new" {
		t.Fatalf("second version: %d, %v, %q", v, err, text(path))
	}
	if len(kept) != 1 || filepath.Base(kept[0]) != "screentest.db.v1-20260102T030411.000" || text(kept[0]) != "old" {
		t.Errorf("kept %v", kept)
	}
	if info, _ := os.Stat(kept[0]); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v", info.Mode().Perm())
	}
	if !strings.Contains(log.String(), "0002_b.sql") {
		t.Errorf("no word of the migration: %s", log.String())
	}
	if v, err := run(first); err == nil || v != 2 || problem(err).Code != "data_newer" {
		t.Errorf("an older program: version %d, %v", v, err)
	}
	for _, name := range []string{"0003_gap.sql", "b.sql", "0001_twice.sql"} {
		if _, err := run(with(name, "SELECT 1")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
