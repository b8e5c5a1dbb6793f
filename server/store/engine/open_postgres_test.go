package engine_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/pgtest"
	"screentest/server/store/engine"
	"screentest/server/store/schema"
	"screentest/server/store/storetest"
)

// none follows nothing.
type none struct{}

func (none) Behind() bool                              { return false }
func (none) CatchUp(*engine.Tx) (more bool, err error) { return false, nil }
func (none) Forget(*engine.Tx) (more bool, err error)  { return false, nil }

func openPostgres(ctx context.Context, url string, log *slog.Logger) (*engine.DB, error) {
	return engine.OpenPostgres(ctx, url, engine.Options{Migrations: schema.Postgres, Follower: none{}, Logger: log})
}

// doAt runs statements on the database at url.
func doAt(t *testing.T, url, statements string) {
	t.Helper()
	c, err := pgconn.Connect(t.Context(), url)
	storetest.Must(t, err)
	defer c.Close(context.Background())
	if _, err := c.Exec(t.Context(), statements).ReadAll(); err != nil {
		t.Fatalf("%s: %v", statements, err)
	}
}

// as is url for another role, with a password or "".
func as(url, role, password string) string {
	if password != "" {
		role += ":" + password
	}
	return strings.Replace(url, "//postgres@", "//"+role+"@", 1)
}

// Whatever is wrong with a database is said in a sentence, with what to do, and
// nothing is changed; a password is never in it.
func TestWhatIsWrongWithADatabaseIsSaid(t *testing.T) {
	const password = "hunter2canary"
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	storetest.Must(t, err)
	storetest.Must(t, closed.Close())
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	storetest.Must(t, err)
	defer mute.Close() // it takes connections and never says a word
	role := func(t *testing.T, url, name, rights string) {
		t.Helper()
		doAt(t, url, "DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '"+name+"') THEN CREATE ROLE "+name+" LOGIN PASSWORD '"+password+"'; END IF; END $$;"+rights)
	}
	for name, c := range map[string]struct {
		url  func(t *testing.T) string
		code string
		want string // in what is said
	}{
		"no address":                    {func(*testing.T) string { return "postgres://ann:" + password + "@127.0.0.1:port/x" }, "bad_database", "postgres://name:password@host"},
		"no address, by the other name": {func(*testing.T) string { return "postgresql://ann:" + password + "%zz@127.0.0.1/x" }, "bad_database", "can't be read"},
		"a password that breaks it":     {func(*testing.T) string { return "postgres://ann:" + password + "/@127.0.0.1/x" }, "bad_database", "can't be read"},
		"words in its place":            {func(*testing.T) string { return "password=" + password + " host" }, "bad_database", "can't be read"},
		"nobody listens": {func(*testing.T) string {
			return "postgres://ann:" + password + "@" + closed.Addr().String() + "/x?sslmode=disable"
		}, "database_gone", "can't be reached"},
		"nobody answers": {func(*testing.T) string {
			return "postgres://ann:" + password + "@" + mute.Addr().String() + "/x?sslmode=disable&connect_timeout=1"
		}, "database_gone", "can't be reached"},
		"no such database": {func(t *testing.T) string {
			return strings.Replace(as(pgtest.URL(t), "postgres", password), "/test", "/missing", 1)
		}, "database_missing", "createdb --encoding=UTF8"},
		"another password": {func(t *testing.T) string {
			url := pgtest.URL(t)
			role(t, url, pgtest.Guarded, "")
			return as(url, pgtest.Guarded, password+"3")
		}, "database_sign_in", "pg_hba.conf"},
		"no such role": {func(t *testing.T) string { return as(pgtest.URL(t), "nobody_at_all", password) }, "database_sign_in", "name or the password"},
		"no right to make tables": {func(t *testing.T) string {
			url := pgtest.URL(t)
			role(t, url, "reads", "")
			return as(url, "reads", password)
		}, "database_rights", "GRANT ALL ON SCHEMA public"},
		"no schema": {func(t *testing.T) string {
			url := pgtest.URL(t)
			role(t, url, "shut_out", "REVOKE ALL ON SCHEMA public FROM PUBLIC")
			return as(url, "shut_out", password)
		}, "database_rights", "no schema"},
		"no right to the tables": {func(t *testing.T) string {
			url := pgtest.URL(t)
			db, err := openPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
			storetest.Must(t, err, db.Close())
			role(t, url, "looks", "")
			return as(url, "looks", password)
		}, "database_rights", "owner of the database"},
		"another encoding": {func(t *testing.T) string {
			url := pgtest.URL(t)
			doAt(t, url, "CREATE DATABASE latin ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
			t.Cleanup(func() { // t.Context() is over by then
				c, err := pgconn.Connect(context.Background(), url)
				storetest.Must(t, err)
				storetest.Must(t, storetest.Second(c.Exec(context.Background(), "DROP DATABASE latin WITH (FORCE)").ReadAll()), c.Close(context.Background()))
			})
			at, behind, _ := strings.Cut(url, "/test")
			_, behind, _ = strings.Cut(behind, "?")
			return at + "/latin?" + behind
		}, "database_encoding", "LATIN1, and it must be UTF8"},
		"another program's": {func(t *testing.T) string {
			url := pgtest.URL(t)
			doAt(t, url, "CREATE TABLE bookmarks (url TEXT)")
			return url
		}, "data_foreign", "not Screentest's"},
		"of a newer program": {func(t *testing.T) string {
			url := pgtest.URL(t)
			db, err := openPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
			storetest.Must(t, err, db.Close())
			doAt(t, url, "UPDATE meta SET value = '7000' WHERE name = 'version'")
			return url
		}, "data_newer", "of version 7000"},
		"an old server": {func(t *testing.T) string {
			url := pgtest.URL(t)
			doAt(t, url, `CREATE SCHEMA old; CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql AS
				$$ SELECT CASE $1 WHEN 'server_version_num' THEN '140012' ELSE pg_catalog.current_setting($1) END $$`)
			return url + "&search_path=old,pg_catalog"
		}, "database_old", "version 14.12, and 15 is the oldest"},
		"a standby": {func(t *testing.T) string { return pgtest.Standby(t, pgtest.URL(t)) }, "database_read_only", "a standby that can only be read"},
	} {
		t.Run(name, func(t *testing.T) {
			url := c.url(t)
			db, err := openPostgres(t.Context(), url, slog.New(slog.DiscardHandler))
			if err == nil {
				t.Fatal("it was opened", db.Close())
			}
			p := storetest.Problem(err)
			if text := err.Error() + p.Hint; p.Code != c.code || p.Message == "" || p.Hint == "" || !strings.Contains(text, c.want) {
				t.Errorf("%q: %v; %s; want %q, %q", p.Code, err, p.Hint, c.code, c.want)
			}
			if text := fmt.Sprintf("%v %+v", err, p); strings.Contains(text, password) {
				t.Errorf("the password is in %q", text)
			}
		})
	}
}

// engines are the tables that the engine itself reads and writes.
const engines = `CREATE TABLE meta (name TEXT PRIMARY KEY, value BYTEA NOT NULL);
	CREATE TABLE commits (writer BIGINT PRIMARY KEY, mark BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL DEFAULT now());`

// Of replicas that start at the same moment one makes the tables, or brings them up to
// date, and all of them go on.
func TestReplicasMigrateOnce(t *testing.T) {
	url := pgtest.URL(t)
	files := fstest.MapFS{"0017_first.sql": {Data: []byte(engines + `
		CREATE TABLE users (n BIGINT PRIMARY KEY); INSERT INTO users VALUES (1)`)}}
	together := func(n int) (log string) {
		t.Helper()
		var text lockedBuilder
		var all sync.WaitGroup
		for range n {
			all.Go(func() {
				db, err := engine.OpenPostgres(context.Background(), url, engine.Options{Migrations: files, Follower: none{}, Logger: slog.New(slog.NewTextHandler(&text, nil))})
				if err == nil {
					err = db.Close()
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		return text.String()
	}
	if log := together(5); log != "" {
		t.Errorf("of a new database it is said that\n%s", log)
	}
	files["0018_more.sql"] = &fstest.MapFile{Data: []byte("INSERT INTO users SELECT max(n) + 1 FROM users")}
	files["0019_most.sql"] = &fstest.MapFile{Data: []byte("INSERT INTO users SELECT max(n) + 10 FROM users")}
	if log := together(5); strings.Count(log, "migrated the database") != 2 || strings.Count(log, "to=18") != 1 || strings.Count(log, "to=19") != 1 {
		t.Errorf("it is said that\n%s", log)
	}
	db, err := engine.OpenPostgres(t.Context(), url, engine.Options{Migrations: files, Follower: none{}, Logger: slog.New(slog.DiscardHandler)})
	storetest.Must(t, err)
	defer db.Close()
	var version string
	var rows, last int
	storetest.Must(t, db.At(t.Context()).Scan("SELECT convert_from(value, 'UTF8'), (SELECT count(*) FROM users), (SELECT max(n) FROM users) FROM meta WHERE name = 'version'", nil, &version, &rows, &last))
	if version != "19" || rows != 3 || last != 12 {
		t.Errorf("version %s, %d rows, the last is %d", version, rows, last)
	}
}

// A migration that fails leaves the last whole version, and is tried again.
func TestAFailedMigrationLeavesPostgresAsItWas(t *testing.T) {
	url := pgtest.URL(t)
	files := fstest.MapFS{"0017_first.sql": {Data: []byte(engines)}, "0018_bad.sql": {Data: []byte("CREATE TABLE half (n BIGINT); SELECT * FROM nowhere")}}
	open := func() (*engine.DB, error) {
		return engine.OpenPostgres(t.Context(), url, engine.Options{Migrations: files, Follower: none{}, Logger: slog.New(slog.DiscardHandler)})
	}
	for range 2 {
		if db, err := open(); err == nil || !strings.Contains(err.Error(), "0018_bad.sql") || !strings.Contains(err.Error(), "nowhere") {
			t.Fatal(err, db)
		}
	}
	files["0018_bad.sql"] = &fstest.MapFile{Data: []byte("CREATE TABLE half (n BIGINT)")}
	db, err := open()
	storetest.Must(t, err)
	defer db.Close()
	var version string
	if err := db.At(t.Context()).Scan("SELECT convert_from(value, 'UTF8') FROM meta WHERE name = 'version'", nil, &version); err != nil || version != "18" {
		t.Errorf("version %s, %v", version, err)
	}
}
