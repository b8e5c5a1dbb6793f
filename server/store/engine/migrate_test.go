package engine_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/storetest"
)

func TestMigrate(t *testing.T) {
	ctx := context.Background()
	first := fstest.MapFS{"0001_a.sql": {Data: []byte("CREATE TABLE a (n INTEGER PRIMARY KEY, text TEXT); INSERT INTO a (text) VALUES ('old')")}}
	with := func(name, sql string) fstest.MapFS {
		return fstest.MapFS{"0001_a.sql": first["0001_a.sql"], name: {Data: []byte(sql)}}
	}
	path := filepath.Join(t.TempDir(), folder.DatabaseFile)
	var log bytes.Buffer
	var kept []string
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	run := func(files fstest.MapFS) (version int, err error) {
		now = now.Add(time.Second)
		pool, err := engine.OpenPool(path, engine.WriterSettings, 1)
		storetest.Must(t, err)
		defer pool.Close()
		conn, err := pool.Conn(ctx)
		storetest.Must(t, err)
		defer conn.Close()
		ms, err := engine.ReadMigrations(files)
		if err == nil {
			err = engine.Migrate(ctx, conn, ms, func(version int) (drop func(), err error) {
				copied, err := engine.KeepCopy(ctx, conn, path, version, now)
				kept = append(kept, copied)
				return func() { kept = kept[:len(kept)-1] }, err
			}, slog.New(slog.NewTextHandler(&log, nil)))
		}
		storetest.Must(t, conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version))
		var keys int
		if storetest.Must(t, conn.QueryRowContext(ctx, "PRAGMA foreign_keys").Scan(&keys)); err == nil && keys != 1 {
			t.Error("foreign keys are off after a migration")
		}
		return version, err
	}
	text := func(path string) (s string) {
		pool, err := engine.OpenPool(path, engine.CommonSettings, 1)
		storetest.Must(t, err)
		defer pool.Close()
		storetest.Must(t, pool.QueryRow("SELECT text FROM a").Scan(&s))
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
	// What a process that was killed has left of a copy, which is none.
	half := filepath.Join(filepath.Dir(path), engine.BackupsFolder, "screentest.db.v1-20260101T000000.000.part")
	storetest.Must(t, os.WriteFile(half, []byte("half"), 0o600), os.WriteFile(half+"-journal", []byte("half"), 0o600))
	if v, err := run(with("0002_b.sql", "UPDATE a SET text = 'new'")); err != nil || v != 2 || text(path) != "new" {
		t.Fatalf("second version: %d, %v, %q", v, err, text(path))
	}
	if len(kept) != 1 || filepath.Base(kept[0]) != "screentest.db.v1-20260102T030411.000" || text(kept[0]) != "old" {
		t.Errorf("kept %v", kept)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(half), "*.part*")); err != nil || len(left) > 0 {
		t.Errorf("left are %q, %v", left, err)
	}
	if info, _ := os.Stat(kept[0]); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v", info.Mode().Perm())
	}
	if !strings.Contains(log.String(), "0002_b.sql") {
		t.Errorf("no word of the migration: %s", log.String())
	}
	if v, err := run(first); err == nil || v != 2 || storetest.Problem(err).Code != "data_newer" {
		t.Errorf("an older program: version %d, %v", v, err)
	}
	for _, name := range []string{"0003_gap.sql", "b.sql", "0001_twice.sql"} {
		if _, err := run(with(name, "SELECT 1")); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
