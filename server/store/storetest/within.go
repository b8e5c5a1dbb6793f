package storetest

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/postgres"
)

// FilesWith are the files of the folder dir that needle is in, by name; on
// PostgreSQL also the tables of its database.
func FilesWith(t testing.TB, dir, needle string) (found []string) {
	t.Helper()
	files := 0
	Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files++
		p, err := os.ReadFile(path)
		if bytes.Contains(p, []byte(needle)) {
			found = append(found, filepath.Base(path))
		}
		return err
	}))
	if OnPostgres() {
		return append(found, tablesWith(t, URLOf(t, dir), needle)...)
	}
	if files < 3 {
		t.Fatalf("only %d files in the data folder", files)
	}
	return found
}

// tablesWith are the tables that have needle in a row, as text or as bytes.
func tablesWith(t testing.TB, url, needle string) (found []string) {
	t.Helper()
	ctx := context.Background()
	c, err := pgconn.Connect(ctx, url)
	Must(t, err)
	defer c.Close(ctx)
	column := func(query string, values ...string) (all []string) {
		t.Helper()
		var args [][]byte
		for _, v := range values {
			args = append(args, []byte(v))
		}
		r := c.ExecParams(ctx, query, args, nil, nil, nil).Read()
		Must(t, r.Err)
		for _, row := range r.Rows {
			all = append(all, string(row[0]))
		}
		return all
	}
	tables := column("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
	if len(tables) < 3 {
		t.Fatalf("only %d tables in the database", len(tables))
	}
	for _, name := range tables {
		found = append(found, column("SELECT '"+name+"' FROM "+name+" AS r WHERE position($1 IN r::text) + position($2 IN r::text) > 0 LIMIT 1",
			needle, hex.EncodeToString([]byte(needle)))...)
	}
	return found
}

// Pool is a connection that reads the database of the folder dir, which a store may have
// open; the caller closes it. Statements are the engine's.
func Pool(t testing.TB, dir string) *sql.DB {
	t.Helper()
	if OnPostgres() {
		c, err := postgres.NewConnector(URLOf(t, dir))
		Must(t, err)
		return c.Open(1)
	}
	pool, err := engine.OpenPool(folder.DatabaseIn(dir), engine.ReaderSettings, 1)
	Must(t, err)
	return pool
}

// FillDatabase has PostgreSQL refuse each write to the database of the folder dir as
// if its disk were full, until room is called. Who writes meanwhile has locks on several
// tables, so one is locked at a time here, and none to fill the disk or to make room.
func FillDatabase(t testing.TB, dir string) (room func()) {
	t.Helper()
	ctx := context.Background()
	c, err := pgconn.Connect(ctx, URLOf(t, dir))
	Must(t, err)
	do := func(statement string) {
		t.Helper()
		_, err := c.Exec(ctx, statement).ReadAll()
		Must(t, err)
	}
	writesMeet := func(body string) {
		t.Helper()
		do("CREATE OR REPLACE FUNCTION before_write() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN " + body + " END $f$")
	}
	writesMeet("RETURN NULL;")
	do(`DO $do$ DECLARE one text; BEGIN
		FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() LOOP
			EXECUTE format('CREATE OR REPLACE TRIGGER before_write BEFORE INSERT OR UPDATE OR DELETE ON %I FOR EACH STATEMENT EXECUTE FUNCTION before_write()', one);
			COMMIT;
		END LOOP;
	END $do$`)
	writesMeet("RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full';")
	return sync.OnceFunc(func() {
		writesMeet("RETURN NULL;")
		Must(t, c.Close(ctx))
	})
}
