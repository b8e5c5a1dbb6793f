package storetest

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/folder"
	"screentest/server/store/schema"
	"screentest/shared/wire"
)

// Talk stores a question and its answer, at a time in Unix seconds.
func Talk(t testing.TB, db *store.DB, owner, conversation, question string, end func(*wire.Run) (answer string)) (wire.Start, wire.Run) {
	t.Helper()
	s := NewStart(conversation, question)
	if conversation != "" {
		o, err := db.Outline(context.Background(), owner, conversation)
		if Must(t, err); o.Len() > 0 {
			s.User.Parent = o.ID(o.Len() - 1)
		}
	}
	r := Ended(RunOf(s), 1000)
	answer := end(&r)
	started := r
	Must(t, Wait(func(done func(error)) { db.StartTurn(owner, s, started, question, "", done) }))
	Must(t, db.FinishRun(context.Background(), owner, r, answer, nil, nil, nil))
	return s, r
}

func Says(text string) func(*wire.Run) string { return func(*wire.Run) string { return text } }

// Indexed waits until the search index has all that is stored.
func Indexed(t testing.TB, db *store.DB) {
	t.Helper()
	for db.Finder.Index.Behind() {
		Must(t, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error { return Second(db.Finder.Index.CatchUp(w)) }))
	}
}

// Search gives the hits as "kind: snippet" with the marks in brackets.
func Search(t testing.TB, db *store.DB, owner string, q wire.Search) (found []string) {
	t.Helper()
	Indexed(t, db)
	page, err := db.Search(context.Background(), owner, q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	for _, h := range page.Hits {
		text, at := "", 0
		for i := 0; i+1 < len(h.Marks); i += 2 {
			text += h.Snippet[at:h.Marks[i]] + "[" + h.Snippet[h.Marks[i]:h.Marks[i+1]] + "]"
			at = h.Marks[i+1]
		}
		found = append(found, h.Kind+": "+text+h.Snippet[at:])
	}
	return found
}

// OpenVersion makes a database of that version in a new folder and has fill
// write to it.
func OpenVersion(t *testing.T, version int, fill func(exec func(query string, args ...any))) (dir string) {
	t.Helper()
	dir = t.TempDir()
	ToVersion(t, dir, version, fill)
	return dir
}

// ToVersion brings the database of a folder to that version and has fill write
// to it.
func ToVersion(t *testing.T, dir string, version int, fill func(exec func(query string, args ...any))) {
	t.Helper()
	ctx := context.Background()
	ms, err := engine.ReadMigrations(schema.Files)
	Must(t, err)
	pool, err := engine.OpenPool(folder.DatabaseIn(dir), engine.WriterSettings, 1)
	Must(t, err)
	conn, err := pool.Conn(ctx)
	Must(t, err)
	keep := func(int) (func(), error) { return func() {}, nil }
	Must(t, engine.Migrate(ctx, conn, ms[:version], keep, slog.New(slog.DiscardHandler)))
	fill(func(query string, args ...any) {
		t.Helper()
		_, err := conn.ExecContext(ctx, query, args...)
		Must(t, err)
	})
	Must(t, conn.Close(), pool.Close())
}

// WantWhole fails if the search index has words without a row, or the other way
// round.
func WantWhole(t testing.TB, db *store.DB) {
	t.Helper()
	var words, rows, both int
	if OnPostgres() {
		Must(t, db.Engine().At(context.Background()).Scan("SELECT (SELECT count(DISTINCT n) FROM search), (SELECT count(*) FROM search_rows)", nil, &words, &rows))
		if words != rows {
			t.Errorf("the index has words of %d rows, and there are %d rows", words, rows)
		}
		return
	}
	Must(t, db.Engine().At(context.Background()).Scan(`SELECT (SELECT count(*) FROM search_docsize), (SELECT count(*) FROM search_rows),
		(SELECT count(*) FROM search_rows JOIN search_docsize ON id = n)`, nil, &words, &rows, &both))
	if words != rows || both != rows {
		t.Errorf("the index has words of %d rows, %d rows, and %d with both", words, rows, both)
	}
	Must(t, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO search (search) VALUES ('integrity-check')")
		return err
	}))
}

// FillTalk stores n turns in conversations of 20, and gives the words by how
// common they are, and one that is in a message of a thousand.
func FillTalk(b *testing.B, db *store.DB, owner string, n int) (common []string, rare string) {
	b.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		w := make([]byte, 4+random.IntN(8))
		for j := range w {
			w[j] = byte('a' + random.IntN(26))
		}
		words[i] = string(w)
	}
	zipf := rand.NewZipf(random, 1.1, 5, uint64(len(words)-1))
	text := func(n int) string {
		var s strings.Builder
		for range n {
			s.WriteString(words[zipf.Uint64()] + " ")
		}
		return s.String()
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	conversation := ""
	who := engine.ParseOwner(owner)
	start := time.Now()
	for i := 0; i < n; i += 500 {
		var starts []wire.Start
		for k := i; k < i+500; k++ {
			if k%20 == 0 {
				conversation = ""
			}
			s := NewStart(conversation, text(20))
			conversation = s.Conversation
			if k%1000 == 7 {
				s.User.Text += "xylophone"
			}
			r := RunOf(s)
			r.StartedMS, r.Model = begin+int64(k)*60_000, fmt.Sprintf("m-%d", k%7)
			db.StartTurn(owner, s, r, "Conversation", "", nil)
			starts = append(starts, s)
		}
		Must(b, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
			for _, s := range starts {
				answer := text(150)
				id, _ := engine.ParseID(s.Run)
				var run, message, in int64
				if err := w.Scan("SELECT n, message, conversation FROM runs WHERE owner = ? AND id = ?", []any{who, id}, &run, &message, &in); err != nil {
					return err
				}
				if _, err := w.Exec("UPDATE runs SET state = 'done' WHERE n = ?", run); err != nil {
					return err
				}
				if _, err := w.Exec("UPDATE messages SET text = ? WHERE n = ?", answer, message); err != nil {
					return err
				}
				if err := db.Finder.Index.NoteMessage(w, who, in, message); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	Indexed(b, db)
	if OnPostgres() { // as it does by itself within a minute
		Must(b, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error { return w.ExecLong(context.Background(), "ANALYZE") }))
	}
	b.Logf("stored %d turns in %v", n, time.Since(start))
	return words, "xylophone"
}
