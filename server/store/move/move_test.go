package move

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/schema"
	"screentest/server/store/storetest"
	"screentest/server/store/verify"
	"screentest/shared/wire"
)

var discard = slog.New(slog.DiscardHandler)

// Both engines have the same tables with the same columns and keys, whatever a
// migration adds, and each table can be written behind those it refers to.
func TestBothEnginesHaveTheSameTables(t *testing.T) {
	a, b := openFolder(t, t.TempDir(), false), openPostgres(t, newDatabase(t), t.TempDir(), false)
	defer a.close()
	defer b.close()
	for _, ends := range [][2]end{{a, b}, {b, a}} {
		list, err := plan(ends[0].DB.At(t.Context()), ends[1].DB.At(t.Context()))
		storetest.Must(t, err)
		if len(list) < 40 {
			t.Errorf("only %d tables", len(list))
		}
		seen := map[string]bool{}
		for _, table := range list {
			for _, r := range table.refers {
				if !seen[r] {
					t.Errorf("%s comes before %s, which it refers to", table.name, r)
				}
			}
			seen[table.name] = true
		}
	}
	for _, name := range running {
		var there [2]bool
		storetest.Must(t, a.DB.At(t.Context()).Scan("SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = ?)", []any{name}, &there[0]),
			b.DB.At(t.Context()).Scan("SELECT to_regclass(?) IS NOT NULL", []any{name}, &there[1]))
		if there != [2]bool{false, true} {
			t.Errorf("table %s is in the folder: %v, in the database: %v", name, there[0], there[1])
		}
	}
	tables, err := tablesOf(a.DB.At(t.Context()))
	storetest.Must(t, err)
	for _, name := range []string{"runs", "video_tasks", "leavings"} {
		if !slices.ContainsFunc(tables[name].columns, func(c column) bool { return c.name == "holder" }) {
			t.Errorf("%s has no holder", name)
		}
	}
	storetest.Must(t, a.DB.Write(t.Context(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("ALTER TABLE users ADD COLUMN more TEXT")
		return err
	}))
	more, err := tablesOf(a.DB.At(t.Context()))
	storetest.Must(t, err)
	if why := same(tables, more); !strings.Contains(why, "table users") {
		t.Errorf("another column: %q", why)
	}
	delete(more, "users")
	if why := same(tables, more); !strings.Contains(why, "users is only in one") {
		t.Errorf("a table less: %q", why)
	}
}

// There and back, all rows are as they were, each engine's triggers do their work
// again, numbers go on behind those that were given out, words are found, files are
// there, and the old place can only be read.
func TestThereAndBack(t *testing.T) {
	dir, files, url := world(t), t.TempDir(), newDatabase(t)
	want, wantFiles := rowsOfFolder(t, dir), filesOf(t, dir)
	for name, rows := range want {
		if len(rows) == 0 {
			t.Errorf("the world has no row of table %s", name)
		}
	}
	if len(wantFiles) != 3 {
		t.Fatalf("files: %q", wantFiles)
	}
	r, said, err := moved(t, openFolder(t, dir, true), openPostgres(t, url, files, false), nil)
	storetest.Must(t, err)
	if bad := r.differ(); bad != "" || len(r.Lines) < 45 || len(said) == 0 {
		t.Errorf("compared: %q, %+v, said %q", bad, r.Lines, said)
	}
	if !slices.ContainsFunc(said, func(s string) bool {
		return strings.HasPrefix(s, "Archived clips of "+dir+" that are in neither place: 1.")
	}) {
		t.Errorf("a clip that is lost isn't told of: %q", said)
	}
	wantSameRows(t, rowsOfPostgres(t, url), want)
	if got := filesOf(t, files); !slices.Equal(got, wantFiles) {
		t.Errorf("files: %q, want %q", got, wantFiles)
	}
	if names := allFiles(t, files); len(names) != 3 {
		t.Errorf("more than what is whole was copied: %q", names)
	}
	wantNewNumbers(t, url)
	lines, err := verify.VerifyPostgres(t.Context(), url, sealKey)
	if err != nil || len(lines.Wrong) > 0 || lines.Ledger.Rows == 0 || lines.Audit.Rows < 2 {
		t.Errorf("verify: %+v, %v", lines, err)
	}
	wantReadOnly(t, store.Options{SealKey: sealKey}, dir, "This folder was moved to ")
	if _, _, err := moved(t, openFolder(t, dir, true), openPostgres(t, newDatabase(t), files, false), nil); storetest.Problem(err).Code != "data_read_only" {
		t.Errorf("moved a second time: %v", err)
	}
	if _, _, err := moved(t, openFolder(t, world(t), true), openPostgres(t, url, files, false), nil); storetest.Problem(err).Code != "move_target_used" {
		t.Errorf("moved to where somebody is: %v", err)
	}
	wantSameRows(t, rowsOfPostgres(t, url), want)

	// Replicas that were ended without a word leave what is of no use in a folder.
	from := openPostgres(t, url, files, true)
	storetest.Must(t, from.DB.Write(t.Context(), 0, func(w *engine.Tx) error {
		for _, s := range []string{
			"INSERT INTO replicas (address, version, joined_ms) VALUES ('http://a', '1', 5)",
			"UPDATE runs SET holder = 1", "UPDATE video_tasks SET holder = 1", "UPDATE leavings SET holder = 1",
			"INSERT INTO reservations (owner, subject, team, nano_usd, holder, created_ms) VALUES (2, randomblob(16), 2, 5, 1, 5)",
			"INSERT INTO stagings (owner, holder) VALUES (2, 1)",
		} {
			if _, err := w.Exec(s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return nil
	}))
	home := t.TempDir()
	_, _, err = moved(t, from, openFolder(t, home, false), nil)
	storetest.Must(t, err)
	back := rowsOfFolder(t, home)
	wantSameRows(t, back, want)
	if got := filesOf(t, home); !slices.Equal(got, wantFiles) {
		t.Errorf("files: %q, want %q", got, wantFiles)
	}
	wantReadOnly(t, store.Options{Database: url, SealKey: sealKey}, t.TempDir(), "This database was moved to ")
	// What is over is not written once more for it, however much there is.
	var held, left int
	newest, err := engine.NewestPostgres(schema.Postgres)
	storetest.Must(t, err)
	storetest.Must(t, engine.LookPostgres(t.Context(), url, newest, func(q engine.Reading, _ int) error {
		return q.Scan("SELECT count(*) FILTER (WHERE holder <> 0), count(*) FILTER (WHERE holder = 1 AND state <> 'running') FROM runs", nil, &held, &left)
	}))
	if held == 0 || held != left {
		t.Errorf("of the answers of before %d have a holder, %d of them are over", held, left)
	}

	// A third time, to a database that is served from then on.
	again := newDatabase(t)
	_, _, err = moved(t, openFolder(t, home, true), openPostgres(t, again, files, false), nil)
	storetest.Must(t, err)
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: again, SealKey: sealKey})
	storetest.Must(t, err)
	defer func() { storetest.Must(t, db.Close()) }()
	wantAlive(t, db)
}

// wantNewNumbers wants each table that numbers its rows to go on behind them.
func wantNewNumbers(t *testing.T, url string) {
	t.Helper()
	newest, err := engine.NewestPostgres(schema.Postgres)
	storetest.Must(t, err)
	storetest.Must(t, engine.LookPostgres(t.Context(), url, newest, func(q engine.Reading, _ int) error {
		var names []string
		err := q.Each("SELECT table_name::text FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'n' AND is_identity = 'YES' AND NOT starts_with(table_name, 'search')", nil, func(rows *sql.Rows) error {
			var name string
			err := rows.Scan(&name)
			names = append(names, name)
			return err
		})
		if err != nil {
			return err
		}
		if len(names) < 10 {
			t.Errorf("tables that number their rows: %q", names)
		}
		for _, name := range names {
			var last, given int64
			err := q.Scan(`SELECT coalesce(max(n), 0), coalesce(pg_sequence_last_value(CAST(pg_get_serial_sequence(quote_ident(?), 'n') AS regclass)), 0) FROM "`+name+`"`, []any{name}, &last, &given)
			if err != nil {
				return err
			}
			if given < last {
				t.Errorf("table %s has a row %d, and the last number given out is %d", name, last, given)
			}
		}
		return nil
	}))
}

// A replica that came since it was looked for some writes nothing any more, and one that
// comes while all is moved is refused.
func TestWhoComesWhileItIsMoved(t *testing.T) {
	ctx, url, files := t.Context(), newDatabase(t), t.TempDir()
	open := func() *store.DB {
		db, err := store.Open(ctx, t.TempDir(), store.Options{Database: url, SealKey: sealKey})
		storetest.Must(t, err)
		t.Cleanup(func() { storetest.Must(t, db.Close()) })
		return db
	}
	early, late := open(), open()
	fillWorld(t, early)
	storetest.Must(t, storetest.Second(early.Replicas().Join(ctx, "http://early", "test")))
	tried := false
	_, _, err := moved(t, openPostgres(t, url, files, true), openFolder(t, t.TempDir(), false), func() error {
		if tried {
			return nil
		}
		tried = true
		if err := early.SetServerSetting(ctx, "x", "late"); !errors.Is(err, engine.ErrUnsettled) {
			t.Errorf("who came before writes: %v", err)
		}
		if _, err := late.Replicas().Join(ctx, "http://late", "test"); storetest.Problem(err).Code != "being_moved" {
			t.Errorf("who comes: %v", err)
		}
		return nil
	})
	storetest.Must(t, err)
	if !tried {
		t.Error("nobody came")
	}
}

// The sums are the same however many rows are read at a time.
func TestSumsInSteps(t *testing.T) {
	e := openFolder(t, world(t), true)
	defer e.close()
	whole, err := sumsOf(e.DB.At(t.Context()), summedRows)
	storetest.Must(t, err)
	for _, atOnce := range []int64{1, 2, 3} {
		if got, err := sumsOf(e.DB.At(t.Context()), atOnce); err != nil || got != whole || strings.HasPrefix(got, "0 ") {
			t.Errorf("%d at a time: %q, %v; want %q", atOnce, got, err, whole)
		}
	}
}

// wantAlive looks that a store that was moved to does all a store does.
func wantAlive(t *testing.T, db *store.DB) {
	t.Helper()
	if n := storetest.AddUser(t, db, "new"); n != "78" {
		t.Errorf("a new person has the number %s, and 77 was given out before", n)
	}
	found, err := db.Search(t.Context(), "2", wire.Search{Query: "zebras"})
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("found %+v, %v", found, err)
	}
	found, err = db.Search(t.Context(), "2", wire.Search{Query: "giraffe"})
	if err != nil || len(found.Hits) != 1 {
		t.Errorf("clips: found %+v, %v", found, err)
	}
	wantIndexed(t, db)
	storetest.CheckHours(t, db)
	storetest.Must(t, storetest.Second(storetest.Book(db, "1", storetest.SomeEntry("charge", id16("new"), 5))))
	storetest.CheckHours(t, db)
	if _, err := db.Secret(t.Context(), "name"); err != nil {
		t.Errorf("a secret: %v", err)
	}
	storetest.Must(t, db.Engine().Snapshot(t.Context(), func(q engine.Reading) error {
		r, err := verify.Books(q, box(t))
		if len(r.Wrong) > 0 {
			t.Errorf("verify: %+v", r.Wrong)
		}
		return err
	}))
	for _, statement := range []string{"UPDATE ledger SET basis = 'x'", "DELETE FROM audit", "UPDATE ledger_chain SET hash = hash"} {
		if err := db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error { return storetest.Second(w.Exec(statement)) }); err == nil {
			t.Errorf("%s went through", statement)
		}
	}
}

// wantReadOnly looks that nothing is written to what was moved, and all is read.
func wantReadOnly(t *testing.T, o store.Options, dir, message string) {
	t.Helper()
	db, err := store.Open(t.Context(), dir, o)
	storetest.Must(t, err)
	defer func() { storetest.Must(t, db.Close()) }()
	owner, err := db.EnsureLocalUser(t.Context())
	if err != nil || owner != "1" {
		t.Errorf("the local user is %q, %v", owner, err)
	}
	p := storetest.Problem(db.SetSetting(t.Context(), owner, "a", "b"))
	if p.Code != "data_read_only" || !strings.HasPrefix(p.Message, message) || !strings.HasSuffix(p.Message, "; it can only be read.") {
		t.Errorf("a write: %+v", p)
	}
	p = storetest.Problem(storetest.StartTurn(db, owner, storetest.NewStart("", "x")))
	if p.Code != "data_read_only" {
		t.Errorf("a turn: %+v", p)
	}
	page, err := db.Conversations(t.Context(), owner, wire.Page{})
	if err != nil || len(page.Conversations) == 0 {
		t.Errorf("read: %+v, %v", page, err)
	}
	if err := db.Ping(t.Context()); err != nil {
		t.Errorf("ping: %v", err)
	}
}

func allFiles(t testing.TB, dir string) (names []string) {
	t.Helper()
	storetest.Must(t, filepath.WalkDir(dir, func(at string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, at)
		}
		return err
	}))
	return names
}

var errKilled = errors.New("killed")

// A move that is broken off after any batch goes on, and nothing is there twice.
func TestBrokenOff(t *testing.T) {
	dir, files, url := world(t), t.TempDir(), newDatabase(t)
	want := rowsOfFolder(t, dir)
	attempts, id := 0, ""
	for done := false; !done; attempts++ {
		batches := 0
		_, said, err := moved(t, openFolder(t, dir, true), openPostgres(t, url, files, false), func() error {
			if batches++; batches > 3 {
				return errKilled
			}
			return nil
		})
		if done = err == nil; !done && !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if attempts > 0 && !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "goes on") }) {
			t.Fatalf("attempt %d said %q", attempts, said)
		}
		if done {
			break
		}
		if _, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: sealKey}); storetest.Problem(err).Code != "half_moved" {
			t.Fatalf("half a move is served: %v", err)
		}
		if at := idOf(t, url); id != "" && at != id {
			t.Fatal("it began anew")
		} else {
			id = at
		}
	}
	if attempts < 10 {
		t.Errorf("broken off only %d times", attempts)
	}
	wantSameRows(t, rowsOfPostgres(t, url), want)
	if got := filesOf(t, files); !slices.Equal(got, filesOf(t, dir)) {
		t.Errorf("files: %q", got)
	}

	// And so on the way back.
	home := t.TempDir()
	for attempts = 0; ; attempts++ {
		batches := 0
		_, _, err := moved(t, openPostgres(t, url, files, true), openFolder(t, home, false), func() error {
			if batches++; batches > 5 {
				return errKilled
			}
			return nil
		})
		if err == nil {
			break
		}
		if !errors.Is(err, errKilled) {
			t.Fatal(err)
		}
		if _, err := store.Open(t.Context(), home, store.Options{SealKey: sealKey}); storetest.Problem(err).Code != "half_moved" {
			t.Fatalf("half a move is served: %v", err)
		}
	}
	if attempts < 5 {
		t.Errorf("broken off only %d times", attempts)
	}
	wantSameRows(t, rowsOfFolder(t, home), want)
}

// idOf is the id of the move that is under way to a database.
func idOf(t testing.TB, url string) (id string) {
	t.Helper()
	newest, err := engine.NewestPostgres(schema.Postgres)
	storetest.Must(t, err)
	storetest.Must(t, engine.LookPostgres(context.Background(), url, newest, func(q engine.Reading, _ int) error {
		s, _, err := stateOf(q)
		id = s.ID
		return err
	}))
	return id
}

// What was served since a move was broken off is moved as it is by then, and not as
// it was.
func TestServedInBetween(t *testing.T) {
	dir, files, url := world(t), t.TempDir(), newDatabase(t)
	to := openPostgres(t, url, files, false)
	stop := func() error {
		s, _, err := stateOf(to.DB.At(context.Background()))
		if err == nil && s.Stage == puttingWords {
			err = errKilled // while the index of words isn't there
		}
		return err
	}
	if _, _, err := moved(t, openFolder(t, dir, true), to, stop); !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), dir, store.Options{SealKey: sealKey})
	storetest.Must(t, err)
	storetest.Must(t, db.SetSetting(t.Context(), "1", "theme"+odd, "changed since"), db.SetSetting(t.Context(), "2", "theme"+odd, ""))
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error { // words that are still to come
		_, err := w.Exec("UPDATE video_tasks SET prompt = 'a lion', words = ''")
		return errors.Join(err, storetest.Second(w.Exec("INSERT INTO search_todo (owner, conversation, video) VALUES (2, 0, 1)")))
	}))
	storetest.Must(t, db.Close())
	_, said, err := moved(t, openFolder(t, dir, true), openPostgres(t, url, files, false), nil)
	storetest.Must(t, err)
	if !strings.Contains(strings.Join(said, " "), "anew") {
		t.Errorf("said %q", said)
	}
	wantSameRows(t, rowsOfPostgres(t, url), rowsOfFolder(t, dir))
	db, err = store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: sealKey})
	storetest.Must(t, err)
	defer func() { storetest.Must(t, db.Close()) }()
	wantIndexed(t, db)
}

// wantIndexed looks that words are found by an index.
func wantIndexed(t *testing.T, db *store.DB) {
	t.Helper()
	var indexes int
	storetest.Must(t, db.Engine().At(t.Context()).Scan("SELECT count(*) FROM pg_indexes WHERE schemaname = current_schema() AND indexname = 'search_words'", nil, &indexes))
	if indexes != 1 {
		t.Error("the index of words is gone")
	}
}

// Broken off between the two notes at the end, neither can be written to, and the
// next call sets the second.
func TestBrokenOffAtTheVeryEnd(t *testing.T) {
	dir, files, url := world(t), t.TempDir(), newDatabase(t)
	want := rowsOfFolder(t, dir)
	from, to := openFolder(t, dir, true), openPostgres(t, url, files, false)
	closed := false
	toClose := to.close
	to.close = func() {
		if !closed {
			toClose()
		}
	}
	m := &Move{From: from.End, To: to.End, Box: box(t), Say: func(string, ...any) {}, Now: func() time.Time {
		closed = true // asked for when the source is closed
		toClose()
		return time.UnixMilli(1_780_000_000_000)
	}}
	if _, err := m.Run(t.Context()); !errors.Is(err, os.ErrClosed) {
		t.Fatal(err)
	}
	from.close()
	to.close()
	wantReadOnly(t, store.Options{SealKey: sealKey}, dir, "This folder was moved to ")
	if _, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: sealKey}); storetest.Problem(err).Code != "half_moved" {
		t.Fatalf("half a move is served: %v", err)
	}
	m = nil
	from, to = openFolder(t, dir, true), openPostgres(t, url, files, false)
	m = &Move{From: from.End, To: to.End, Box: box(t), Say: func(string, ...any) {}, Now: time.Now}
	if _, err := m.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	from.close()
	to.close()
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: sealKey})
	storetest.Must(t, err)
	storetest.Must(t, db.Close())
	wantSameRows(t, rowsOfPostgres(t, url), want)
}

// What isn't as it was is found, whoever changed it: a row, a sum, a log, a file.
func TestWhatDiffersIsFound(t *testing.T) {
	for name, c := range map[string]struct {
		statement, want string
	}{
		"a text":             {"UPDATE messages SET text = text || 'x' WHERE n = 1", "table messages"},
		"a number":           {"UPDATE uploads SET seconds = seconds + 0.000001", "table uploads"},
		"a row that is gone": {"DELETE FROM notices", "table notices"},
		"a sum":              {"UPDATE spend_hours SET charged = charged + 1", "screentest verify"},
		"a log":              {"UPDATE run_log SET data = data || x'00', coding = 0", "logs of answers"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, files, url := world(t), t.TempDir(), newDatabase(t)
			to := openPostgres(t, url, files, false)
			_, said, err := moved(t, openFolder(t, dir, true), to, func() error {
				s, _, err := stateOf(to.DB.At(context.Background()))
				if err != nil || s.Stage != copyingFiles {
					return err
				}
				return to.DB.Write(context.Background(), 0, func(w *engine.Tx) error { return storetest.Second(w.Exec(c.statement)) })
			})
			if p := storetest.Problem(err); p.Code != "move_differs" || !strings.Contains(p.Message, c.want) {
				t.Fatalf("%v, said %q", err, said)
			}
			db, err := store.Open(t.Context(), dir, store.Options{SealKey: sealKey})
			storetest.Must(t, err)
			storetest.Must(t, db.SetSetting(t.Context(), "1", "still", "written"), db.Close())
			_, _, err = moved(t, openFolder(t, dir, true), openPostgres(t, url, files, false), nil)
			storetest.Must(t, err)
			wantSameRows(t, rowsOfPostgres(t, url), rowsOfFolder(t, dir))
		})
	}
}

// A clip whose bytes aren't its own isn't moved, and a copy that was made wrong is
// found.
func TestDamagedFiles(t *testing.T) {
	dir, files, url := world(t), t.TempDir(), newDatabase(t)
	clip := shaOf("a clip")
	here := filepath.Join(dir, "archive", clip[:2], clip)
	storetest.Must(t, os.WriteFile(here, []byte("a clap"), 0o600))
	if _, _, err := moved(t, openFolder(t, dir, true), openPostgres(t, url, files, false), nil); storetest.Problem(err).Code != "move_damaged" {
		t.Fatalf("a damaged clip: %v", err)
	}
	there := filepath.Join(files, "uploads", "UPLOAD.png")
	storetest.Must(t, os.WriteFile(here, []byte("a clip"), 0o600), os.MkdirAll(filepath.Dir(there), 0o700), os.WriteFile(there, []byte("an uplaod"), 0o600))
	if _, _, err := moved(t, openFolder(t, dir, true), openPostgres(t, url, files, false), nil); storetest.Problem(err).Code != "move_file_differs" {
		t.Fatalf("another file in its place: %v", err)
	}
	storetest.Must(t, os.Remove(there))
	_, _, err := moved(t, openFolder(t, dir, true), openPostgres(t, url, files, false), nil)
	storetest.Must(t, err)
	if got := filesOf(t, files); !slices.Equal(got, filesOf(t, dir)) {
		t.Errorf("files: %q", got)
	}
}
