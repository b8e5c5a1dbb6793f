package store

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"screentest/shared/wire"
)

// openVersion makes a database of that version in a new folder and has fill
// write to it.
func openVersion(t *testing.T, version int, fill func(exec func(query string, args ...any))) (dir string) {
	t.Helper()
	dir = t.TempDir()
	toVersion(t, dir, version, fill)
	return dir
}

// toVersion brings the database of a folder to that version and has fill write
// to it.
func toVersion(t *testing.T, dir string, version int, fill func(exec func(query string, args ...any))) {
	t.Helper()
	ctx := context.Background()
	ms, err := readMigrations(SchemaFiles)
	must(t, err)
	pool, err := openSQLite(databaseIn(dir), writerSettings, 1)
	must(t, err)
	conn, err := pool.Conn(ctx)
	must(t, err)
	keep := func(int) (func(), error) { return func() {}, nil }
	must(t, migrate(ctx, conn, ms[:version], keep, slog.New(slog.DiscardHandler)))
	fill(func(query string, args ...any) {
		t.Helper()
		_, err := conn.ExecContext(ctx, query, args...)
		must(t, err)
	})
	must(t, conn.Close(), pool.Close())
}

// wantWhole fails if the search index has words without a row, or the other way
// round.
func wantWhole(t testing.TB, db *DB) {
	t.Helper()
	var words, rows, both int
	must(t, db.Engine().At(context.Background()).scan(`SELECT (SELECT count(*) FROM search_docsize), (SELECT count(*) FROM search_rows),
		(SELECT count(*) FROM search_rows JOIN search_docsize ON id = n)`, nil, &words, &rows, &both))
	if words != rows || both != rows {
		t.Errorf("the index has words of %d rows, %d rows, and %d with both", words, rows, both)
	}
	must(t, db.Engine().Write(context.Background(), 0, func(w *tx) error {
		_, err := w.exec("INSERT INTO search (search) VALUES ('integrity-check')")
		return err
	}))
}

// Deleting a conversation once broke search for good: a new message was given
// the number of a deleted one, and the note about that one and its own were
// worked off together. A database that was left so finds again, and has none of
// the deleted words.
func TestBrokenSearchHeals(t *testing.T) {
	dir := openVersion(t, 5, func(exec func(string, ...any)) {
		exec("INSERT INTO users (n, name, local, created_ms) VALUES (1, 'me', 1, 0)")
		exec("INSERT INTO conversations (n, owner, id, title, created_ms, updated_ms) VALUES (1, 1, ?, 'title', 0, 0)", mustID(t))
		exec("INSERT INTO messages (n, owner, conversation, id, role, text, created_ms) VALUES (1, 1, 1, ?, 'user', 'zebra', 2000)", mustID(t))
		exec("INSERT INTO search_rows (n, owner, conversation, message) VALUES (?, 1, 1, 1)", rowOf(2000))
		for n, word := range []string{"zebra", "zebra quagga"} { // the second has no row
			exec("INSERT INTO search (rowid, meta, question) VALUES (?, ?, ?)", rowOf(2000)+int64(n), metaOwner(1)+" "+metaConversation(1)+" "+metaQuestion, word)
		}
		exec("INSERT INTO search_todo (owner, conversation, message) VALUES (1, 1, 1), (1, 7, 1)")
	})
	db := open(t, dir, Options{})
	if got := search(t, db, "1", wire.Search{Query: "zebra"}); !slices.Equal(got, []string{"question: [zebra]"}) {
		t.Errorf("found %q", got)
	}
	if got := search(t, db, "1", wire.Search{Query: "quagga"}); len(got) != 0 {
		t.Errorf("what was deleted is found: %q", got)
	}
	wantWhole(t, db)
}

// Two notes about one message are worked off as one, whatever else they say.
func TestTwoNotesAboutOneMessage(t *testing.T) {
	db, owner := openLocal(t)
	s, _ := talk(t, db, owner, "", "zebra", says("giraffe"))
	must(t, db.Engine().Write(context.Background(), 0, func(w *tx) error {
		var n, c int64
		if err := w.scan("SELECT n, conversation FROM messages WHERE text = 'zebra'", nil, &n, &c); err != nil {
			return err
		}
		if err := db.Finder.index.noteMessage(w, 1, c+100, n); err != nil { // of one that had the number before
			return err
		}
		return db.Finder.index.noteConversations(w, 1, 1)
	}))
	got := search(t, db, owner, wire.Search{Query: "zebra"})
	slices.Sort(got) // newest first, and both may be of the same millisecond
	if !slices.Equal(got, []string{"question: [zebra]", "title: [zebra]"}) {
		t.Errorf("found %q", got)
	}
	wantWhole(t, db)
	must(t, db.DeleteConversation(context.Background(), owner, s.Conversation))
	if got := search(t, db, owner, wire.Search{Query: "zebra"}); len(got) != 0 {
		t.Errorf("what was deleted is found: %q", got)
	}
	wantWhole(t, db)
}

// A server that is stopped right after a deletion leaves it to the next one to
// have the words gone from the files.
func TestTheNextStartFinishesADeletion(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := Open(ctx, dir, Options{})
	must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	must(t, err)
	for i := range 70 {
		talk(t, db, owner, "", fmt.Sprintf("question %d zebrafish", i), says("zebra"))
	}
	s, _ := talk(t, db, owner, "", "zebracanary", says("zebra"))
	indexed(t, db)
	release := hold(t, db)
	deleted, closed := make(chan error, 1), make(chan error, 1)
	go func() { deleted <- db.DeleteConversation(ctx, owner, s.Conversation) }()
	await := func(what func() bool) {
		for !what() {
			runtime.Gosched()
		}
	}
	await(func() bool { units, _ := db.Engine().Queued(); return units == 1 })
	go func() { closed <- db.Close() }()
	await(func() bool { _, closing := db.Engine().Queued(); return closing })
	release()
	must(t, <-deleted, <-closed)

	db, err = Open(ctx, dir, Options{})
	must(t, err)
	for left := true; left; runtime.Gosched() {
		must(t, db.Engine().At(ctx).scan("SELECT EXISTS (SELECT 1 FROM meta WHERE name = ?)", []any{scrubName}, &left))
	}
	must(t, db.Close())
	file, err := os.ReadFile(filepath.Join(dir, databaseFile))
	must(t, err)
	if bytes.Contains(file, []byte("canary")) {
		t.Error("a deleted word is still in the database")
	}
}

// A row that is gone leaves its number to nobody.
func TestNumbersAreNeverGivenTwice(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	numbers := func() (list []int64) {
		must(t, db.Engine().At(ctx).each("SELECT n FROM conversations UNION ALL SELECT n FROM messages UNION ALL SELECT n FROM runs", nil, func(rows *sql.Rows) error {
			var n int64
			err := rows.Scan(&n)
			list = append(list, n)
			return err
		}))
		return list
	}
	last := int64(0)
	for range 3 {
		s, _ := talk(t, db, owner, "", "q", says("a"))
		list := numbers()
		if slices.Min(list) <= last {
			t.Errorf("numbers %v after %d", list, last)
		}
		last = slices.Min(list)
		must(t, db.DeleteConversation(ctx, owner, s.Conversation))
	}
}

// However writing, importing, deleting and indexing follow one another, a search
// finds what looking through everything would find.
func TestSearchFindsWhatIsThere(t *testing.T) {
	ctx := context.Background()
	words := []string{"ant", "bee", "cat", "dog"}
	db, _ := openLocal(t)
	rapid.Check(t, func(rt *rapid.T) {
		owner := addUser(t, db, newID())
		var talks []wire.Start // of the conversations that are there
		want := map[string][]string{}
		word := func() string { return rapid.SampledFrom(words).Draw(rt, "word") }
		pick := func() int { return rapid.IntRange(0, len(talks)-1).Draw(rt, "which") }
		write := func(to string) {
			a, b := word(), word()
			s, _ := talk(t, db, owner, to, a, says(b))
			if to == "" {
				talks = append(talks, s)
				want[s.Conversation] = []string{"title " + a}
			}
			want[s.Conversation] = append(want[s.Conversation], "question "+a, "answer "+b)
		}
		check := func() {
			for _, w := range words {
				var expected []string
				for _, docs := range want {
					for _, d := range docs {
						if strings.HasSuffix(d, w) {
							expected = append(expected, d)
						}
					}
				}
				var got []string
				for _, hit := range search(t, db, owner, wire.Search{Query: w + " ", Limit: wire.MaxHits}) {
					kind, _, _ := strings.Cut(hit, ":")
					got = append(got, kind+" "+w)
				}
				slices.Sort(expected)
				if slices.Sort(got); !slices.Equal(got, expected) {
					rt.Fatalf("%s: found %v, want %v", w, got, expected)
				}
			}
			wantWhole(t, db)
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch op := rapid.SampledFrom([]string{"new", "new", "more", "delete", "delete", "import", "rename", "index", "check"}).Draw(rt, "op"); {
			case op == "new":
				write("")
			case op == "index":
				must(t, db.Engine().Write(ctx, 0, func(w *tx) error { _, err := db.Finder.index.CatchUp(w); return err }))
			case op == "check":
				check()
			case len(talks) == 0:
			case op == "more":
				write(talks[pick()].Conversation)
			case op == "delete":
				i := pick()
				must(t, db.DeleteConversation(ctx, owner, talks[i].Conversation))
				delete(want, talks[i].Conversation)
				talks = slices.Delete(talks, i, i+1)
			case op == "rename":
				c, w := talks[pick()].Conversation, word()
				must(t, second(db.RenameConversation(ctx, owner, wire.Rename{ID: c, Title: w})))
				want[c][0] = "title " + w
			case op == "import": // a copy of one
				i := pick()
				var file strings.Builder
				must(t, db.Export(ctx, owner, talks[i].Conversation, &file))
				done, err := db.Import(ctx, owner, strings.NewReader(file.String()))
				must(t, err)
				talks = append(talks, wire.Start{Conversation: done.Open})
				want[done.Open] = slices.Clone(want[talks[i].Conversation])
			}
		}
		check()
	})
}

// A disk that takes nothing more keeps nobody from finding what is there.
func TestSearchOnAFullDisk(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	talk(t, db, owner, "", "zebra", says("an old answer"))
	indexed(t, db)
	// The words of a text need more room than is left for it.
	release := hold(t, db)
	text := ""
	for i := range 5000 {
		text += fmt.Sprintf("word%d ", i*17)
	}
	s := newStart("", text)
	stored := make(chan error, 1)
	db.StartTurn(owner, s, runOf(s), "new", "", func(err error) { stored <- err })
	var pages int
	limit := make(chan error, 1)
	db.Engine().Post(0, func(w *tx) error {
		if err := w.scan("PRAGMA page_count", nil, &pages); err != nil {
			return err
		}
		return w.scan(fmt.Sprintf("PRAGMA max_page_count = %d", pages+2), nil, new(int))
	}, func(err error) { limit <- err })
	release()
	must(t, <-stored, <-limit)

	page, err := db.Search(ctx, owner, wire.Search{Query: "zebra"})
	if err != nil || len(page.Hits) != 2 || !page.Behind {
		t.Fatalf("on a full disk: %+v, %v", page, err)
	}
	must(t, db.Engine().Write(ctx, 0, func(w *tx) error { return w.scan("PRAGMA max_page_count = 1073741823", nil, new(int)) }))
	indexed(t, db)
	page, err = db.Search(ctx, owner, wire.Search{Query: "word17"})
	if err != nil || len(page.Hits) != 1 || page.Behind {
		t.Errorf("when there is room again: %+v, %v", page, err)
	}
}
