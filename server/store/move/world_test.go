package move

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"screentest/server/pgtest"
	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/audit"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/schema"
	"screentest/server/store/search"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// sealKey is the key of the tests' folders, as in SCREENTEST_SEAL_KEY.
const sealKey = "c2NyZWVudGVzdC1zY3JlZW50ZXN0LXNjcmVlbnRlc3Q="

// odd is a text with what PostgreSQL has to have escaped.
const odd = "odd \x00 \xff \xed\xa0\x80 \uF8E0 ü 🙂 end"

func box(t testing.TB) *seal.Box {
	t.Helper()
	key, err := seal.ParseKey(sealKey)
	storetest.Must(t, err)
	b, err := seal.New(key)
	storetest.Must(t, err)
	return b
}

// world is a data folder with rows of every kind, and files. It is closed.
func world(t testing.TB) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db, err := store.Open(t.Context(), dir, store.Options{SealKey: sealKey})
	storetest.Must(t, err)
	defer func() { storetest.Must(t, db.Close()) }()
	fillWorld(t, db)
	for _, f := range []struct{ name, text string }{{"a clip", "archive"}, {"a poster", "archive"}, {"an upload", "uploads"}} {
		sum := sha256.Sum256([]byte(f.name))
		name := hex.EncodeToString(sum[:])
		to := filepath.Join(dir, "archive", name[:2], name)
		if f.text == uploads {
			to = filepath.Join(dir, "uploads", "UPLOAD.png")
		}
		storetest.Must(t, os.MkdirAll(filepath.Dir(to), 0o700), os.WriteFile(to, []byte(f.name), 0o600))
	}
	storetest.Must(t, os.MkdirAll(filepath.Join(dir, "archive", "partial"), 0o700),
		os.WriteFile(filepath.Join(dir, "archive", "partial", "1-x-0"), []byte("half"), 0o600),
		os.WriteFile(filepath.Join(dir, "uploads", "upload-1.part"), []byte("half"), 0o600))
	return dir
}

// fillWorld stores something of every kind.
func fillWorld(t testing.TB, db *store.DB) {
	t.Helper()
	ctx := context.Background()
	local, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	anna, annaID := storetest.Join(t, db, "anna", "admin")
	ben, benID := storetest.Join(t, db, "ben", "member")
	team := storetest.Team(t, db, "red", wire.Limits{}, annaID, benID)
	for i, owner := range []string{local, anna, ben} {
		s := storetest.NewStart("", odd)
		storetest.Must(t, storetest.StartTurn(db, owner, s), storetest.AppendLog(db, owner, s.Run, 0, []byte("data: "+odd), nil),
			db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), int64(700+i)), odd+" answered", []byte("data: "+odd), nil, nil))
		storetest.Talk(t, db, owner, s.Conversation, fmt.Sprint("about zebras ", i), storetest.Says("they have stripes"))
		storetest.Must(t, storetest.Second(db.SetLanes(ctx, owner, storetest.SomeLanes(s))),
			storetest.Second(db.PutLibrary(ctx, owner, wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "entry", Text: "ü 🙂"})),
			db.SetSetting(ctx, owner, "theme"+odd, odd), db.SaveSession(ctx, "session "+owner, owner, []byte("data"), time.Now().Add(time.Hour)))
		running := storetest.NewStart("", "left in the middle")
		storetest.Must(t, storetest.StartTurn(db, owner, running))
	}
	storetest.Voted(t, db, anna, team, 0, []string{"accuracy"}, "m-1", "m-2")
	storetest.Must(t, db.SetServerSetting(ctx, "address", "http://x"), db.SetSecret(ctx, "name", []byte("secret")),
		db.SetTeamKey(ctx, anna, team, "sk-team", "https://g", "https://g"), db.SetPersonalKey(ctx, ben, "sk-ben", "https://g", "https://g"),
		db.SetPrice(ctx, "https://g", "m-1", "{}"))
	db.Audit().Note(audit.Entry{Person: anna, Action: "limits.changed", Object: "x", Detail: map[string]any{"day": 1}, Address: "127.0.0.1"})
	// The rest as its rows are, of which a number is given out and taken back.
	err = db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		for _, s := range []string{
			"INSERT INTO users (n, name, created_ms) VALUES (77, 'gone', 1)", "DELETE FROM users WHERE n = 77",
			"INSERT INTO passkeys (owner, id, credential, data, name, created_ms) VALUES (2, randomblob(16), x'00ff', '{}', 'key', 1)",
			"INSERT INTO recovery_codes (owner, hash) VALUES (2, randomblob(32))",
			"INSERT INTO links (hash, kind, owner, by, created_ms, expires_ms) VALUES (randomblob(32), 'reset', 2, 'shell', 1, 2)",
			"INSERT INTO invites (id, hash, maker, role, created_ms, expires_ms, uses) VALUES (randomblob(16), randomblob(32), 2, 'member', 1, 2, 3)",
			"INSERT INTO leavings (person, heir, erase, by, address, begun_ms) VALUES (3, 2, 1, 2, '127.0.0.1', 5)",
			"INSERT INTO uploads (owner, id, type, name, bytes, width, height, seconds, created_ms) VALUES (2, 'UPLOAD', 'image/png', 'a.png', 9, 3, 4, 1.25, 5)",
			"INSERT INTO listings (gateway, body, listed_ms) VALUES ('https://g', x'00', 1)",
			"INSERT INTO images (sha256, type, bytes, width, height, data) SELECT randomblob(32), 'image/png', 5000000, 1, 1, randomblob(5000000) FROM users",
			"INSERT INTO message_images (message, place, image) SELECT min(n), 0, 1 FROM messages",
			"INSERT INTO image_drafts (owner, image, created_ms) VALUES (2, 2, 1)",
			"INSERT INTO notices (id, person, kind, by, path, text, at_ms) VALUES (randomblob(16), 2, 'share', 3, '/', 'x', 1)",
			"INSERT INTO team_library (team, id, rev) VALUES (2, randomblob(16), 1)",
			"INSERT INTO team_library_versions (entry, rev, kind, name, person, at_ms) VALUES (1, 1, 'prompt', 'x', 2, 1)",
			"INSERT INTO approvals (id, asker, clip, team, request, body, task, asked_ms) VALUES (randomblob(16), 3, randomblob(16), 2, '{}', '{}', '{}', 1)",
			"INSERT INTO video_keys (owner, sealed) VALUES (2, x'01')",
			`INSERT INTO video_tasks (owner, id, key, model, mode, prompt, words, state, created_ms, usual_least, usual_most, seconds, price, basis, sample, prices)
				VALUES (2, randomblob(16), 1, 'm', 'text-to-video', 'a giraffe', '', 'done', 5, 1, 2, 6, 100, 'x', 1, '{}')`,
			"INSERT INTO video_requests (task, owner, body) VALUES (1, 2, '{}')",
			"INSERT INTO video_outputs (owner, task, idx, url, archive, sha256, poster, seconds) VALUES (2, 1, 0, 'http://x', 'saved', unhex('" + shaOf("a clip") + "'), unhex('" + shaOf("a poster") + "'), 0.1)",
			"INSERT INTO video_outputs (owner, task, idx, url, archive, sha256) VALUES (2, 1, 1, 'http://y', 'saved', unhex('" + shaOf("lost") + "'))",
			"INSERT INTO shares (id, owner, conversation, audience, hash, live, wire, title, created_ms, snapshot) SELECT randomblob(16), owner, n, 'link', randomblob(32), 0, 0, 'x', 1, x'0102' FROM conversations WHERE n = 1",
			"INSERT INTO shares (id, owner, task, audience, live, wire, created_ms) VALUES (randomblob(16), 2, 1, 'people', 1, 0, 2)", // makes a review
			"INSERT INTO share_people (share, person) VALUES (2, 3)",
			"INSERT INTO comments (id, review, version, author, text, at_ms, created_ms) VALUES (randomblob(16), 1, 1, 3, 'good', 0, 1)",
			"INSERT INTO comments (id, review, version, answers, author, text, at_ms, created_ms) VALUES (randomblob(16), 1, 1, 1, 2, 'yes', 0, 1)",
			"INSERT INTO review_steps (review, version, state, person, at_ms) VALUES (1, 1, 'in_review', 2, 1)",
			"UPDATE reviews SET versions = 5", // higher than its rows say
		} {
			if _, err := w.Exec(s); err != nil {
				return fmt.Errorf("%s: %w", s, err)
			}
		}
		return db.Finder.Index.NoteVideo(w, 2, 1)
	})
	storetest.Must(t, err)
	storetest.Must(t, storetest.Second(storetest.Book(db, local, storetest.SomeEntry("return", id16("r"), -5))), storetest.Second(storetest.Book(db, local, storetest.SomeEntry("correction", id16("c"), 11))))
	storetest.Indexed(t, db)
}

func id16(s string) []byte { h := sha256.Sum256([]byte(s)); return h[:16] }

func shaOf(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }

// An end as a test opens it.
type end struct {
	End
	close func()
}

// fromFolder opens a data folder to be moved, or moved to where it is none yet.
func openFolder(t testing.TB, dir string, source bool) end {
	t.Helper()
	e := end{End: End{What: "folder", Name: dir, Files: InFolder(dir), Index: search.NewIndex()}}
	if source {
		db, err := store.Open(context.Background(), dir, store.Options{SealKey: sealKey, Moving: true})
		storetest.Must(t, err)
		e.DB, e.Index, e.close = db.Engine(), db.Finder.Index, func() { storetest.Must(t, db.Close()) }
		return e
	}
	path := folder.DatabaseIn(dir)
	storetest.Must(t, folder.MakePrivate(path, discard))
	var err error
	e.DB, err = engine.Open(context.Background(), path, engine.Options{Migrations: schema.Files, Follower: e.Index, Now: time.Now, Logger: discard})
	storetest.Must(t, err)
	e.close = func() { storetest.Must(t, e.DB.Close()) }
	return e
}

// openPostgres does so with a database.
func openPostgres(t testing.TB, url, files string, source bool) end {
	t.Helper()
	name, err := engine.AddressOf(url)
	storetest.Must(t, err)
	e := end{End: End{What: "database", Name: name, Files: InFolder(files), Index: search.NewIndex()}}
	if source {
		db, err := store.Open(context.Background(), t.TempDir(), store.Options{Database: url, SealKey: sealKey, Moving: true})
		storetest.Must(t, err)
		e.DB, e.Index, e.close = db.Engine(), db.Finder.Index, func() { storetest.Must(t, db.Close()) }
		return e
	}
	e.DB, err = engine.OpenPostgres(context.Background(), url, engine.Options{Migrations: schema.Postgres, Follower: e.Index, Now: time.Now, Logger: discard})
	storetest.Must(t, err)
	e.close = func() { storetest.Must(t, e.DB.Close()) }
	return e
}

// moved moves from one end to another and closes both.
func moved(t testing.TB, from, to end, written func() error) (r Report, said []string, err error) {
	t.Helper()
	defer from.close()
	defer to.close()
	version, err := engine.NewestPostgres(schema.Postgres)
	storetest.Must(t, err)
	m := &Move{From: from.End, To: to.End, Box: box(t), Version: version, Now: time.Now, written: written,
		Say: func(format string, args ...any) {
			said = append(said, fmt.Sprintf(format, args...))
			t.Logf(time.Now().Format("05.000 ")+format, args...)
		}}
	r, err = m.Run(context.Background())
	return r, said, err
}

// rowsOf are all rows of each table that is moved, as texts.
func rowsOf(t testing.TB, look func(fn func(engine.Reading) error) error) (all map[string][]string) {
	t.Helper()
	all = map[string][]string{}
	storetest.Must(t, look(func(q engine.Reading) error {
		tables, err := tablesOf(q)
		if err != nil {
			return err
		}
		for name, table := range tables {
			all[name] = []string{}
			err := q.Each("SELECT "+listed(namesOf(table.columns))+` FROM "`+name+`" WHERE `+table.where(), nil, func(rows *sql.Rows) error {
				row, to := make([]any, len(table.columns)), make([]any, len(table.columns))
				for i := range row {
					to[i] = &row[i]
				}
				err := rows.Scan(to...)
				text := ""
				for i, v := range row {
					if b, is := v.([]byte); is {
						text += fmt.Sprintf("%s: %d bytes %x\n", table.columns[i].name, len(b), sha256.Sum256(b))
					} else {
						text += fmt.Sprintf("%s: %#v\n", table.columns[i].name, v)
					}
				}
				all[name] = append(all[name], text)
				return err
			})
			if err != nil {
				return err
			}
			slices.Sort(all[name])
		}
		return nil
	}))
	return all
}

func rowsOfFolder(t testing.TB, dir string) map[string][]string {
	t.Helper()
	newest, err := engine.NewestMigration(schema.Files)
	storetest.Must(t, err)
	return rowsOf(t, func(fn func(engine.Reading) error) error {
		return engine.Look(context.Background(), folder.DatabaseIn(dir), newest, func(q engine.Reading, _ int) error { return fn(q) })
	})
}

func rowsOfPostgres(t testing.TB, url string) map[string][]string {
	t.Helper()
	newest, err := engine.NewestPostgres(schema.Postgres)
	storetest.Must(t, err)
	return rowsOf(t, func(fn func(engine.Reading) error) error {
		return engine.LookPostgres(context.Background(), url, newest, func(q engine.Reading, _ int) error { return fn(q) })
	})
}

// wantSameRows compares them.
func wantSameRows(t testing.TB, got, want map[string][]string) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !slices.Equal(got[name], want[name]) {
			t.Errorf("table %s has %d rows that aren't the %d it had", name, len(got[name]), len(want[name]))
			for i := range min(len(got[name]), len(want[name])) {
				if got[name][i] != want[name][i] {
					t.Logf("%.500s\nwant\n%.500s", got[name][i], want[name][i])
					break
				}
			}
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d tables, want %d", len(got), len(want))
	}
}

// filesOf are the files of a folder that are moved.
func filesOf(t testing.TB, dir string) (all []string) {
	t.Helper()
	list, err := InFolder(dir).list(context.Background(), true)
	storetest.Must(t, err)
	for _, f := range list {
		sum, err := read(context.Background(), InFolder(dir).of(f.place), f.name, discarded{})
		storetest.Must(t, err)
		all = append(all, fmt.Sprint(f, " ", f.bytes, " ", hex.EncodeToString(sum)))
	}
	return all
}

type discarded struct{}

func (discarded) Write(p []byte) (int, error) { return len(p), nil }

func newDatabase(t testing.TB) string { return pgtest.URL(t) }
