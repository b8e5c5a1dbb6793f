package search_test

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/search"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Deleting a conversation once broke search for good: a new message was given
// the number of a deleted one, and the note about that one and its own were
// worked off together. A database that was left so finds again, and has none of
// the deleted words.
func TestBrokenSearchHeals(t *testing.T) {
	storetest.OnlySQLite(t)
	dir := storetest.OpenVersion(t, 5, func(exec func(string, ...any)) {
		exec("INSERT INTO users (n, name, local, created_ms) VALUES (1, 'me', 1, 0)")
		exec("INSERT INTO conversations (n, owner, id, title, created_ms, updated_ms) VALUES (1, 1, ?, 'title', 0, 0)", storetest.MustID(t))
		exec("INSERT INTO messages (n, owner, conversation, id, role, text, created_ms) VALUES (1, 1, 1, ?, 'user', 'zebra', 2000)", storetest.MustID(t))
		exec("INSERT INTO search_rows (n, owner, conversation, message) VALUES (?, 1, 1, 1)", search.RowOf(2000))
		for n, word := range []string{"zebra", "zebra quagga"} { // the second has no row
			exec("INSERT INTO search (rowid, meta, question) VALUES (?, ?, ?)", search.RowOf(2000)+int64(n), search.MetaOwner(1)+" "+search.MetaConversation(1)+" "+search.MetaQuestion, word)
		}
		exec("INSERT INTO search_todo (owner, conversation, message) VALUES (1, 1, 1), (1, 7, 1)")
	})
	db := storetest.Open(t, dir, store.Options{})
	if got := storetest.Search(t, db, "1", wire.Search{Query: "zebra"}); !slices.Equal(got, []string{"question: [zebra]"}) {
		t.Errorf("found %q", got)
	}
	if got := storetest.Search(t, db, "1", wire.Search{Query: "quagga"}); len(got) != 0 {
		t.Errorf("what was deleted is found: %q", got)
	}
	storetest.WantWhole(t, db)
}

// Two notes about one message are worked off as one, whatever else they say.
func TestTwoNotesAboutOneMessage(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	s, _ := storetest.Talk(t, db, owner, "", "zebra", storetest.Says("giraffe"))
	storetest.Must(t, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		var n, c int64
		if err := w.Scan("SELECT n, conversation FROM messages WHERE text = 'zebra'", nil, &n, &c); err != nil {
			return err
		}
		if err := db.Finder.Index.NoteMessage(w, 1, c+100, n); err != nil { // of one that had the number before
			return err
		}
		return db.Finder.Index.NoteConversations(w, 1, 1)
	}))
	got := storetest.Search(t, db, owner, wire.Search{Query: "zebra"})
	slices.Sort(got) // newest first, and both may be of the same millisecond
	if !slices.Equal(got, []string{"question: [zebra]", "title: [zebra]"}) {
		t.Errorf("found %q", got)
	}
	storetest.WantWhole(t, db)
	storetest.Must(t, db.DeleteConversation(context.Background(), owner, s.Conversation))
	if got := storetest.Search(t, db, owner, wire.Search{Query: "zebra"}); len(got) != 0 {
		t.Errorf("what was deleted is found: %q", got)
	}
	storetest.WantWhole(t, db)
}

// A row that is gone leaves its number to nobody.
func TestNumbersAreNeverGivenTwice(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	numbers := func() (list []int64) {
		storetest.Must(t, db.Engine().At(ctx).Each("SELECT n FROM conversations UNION ALL SELECT n FROM messages UNION ALL SELECT n FROM runs", nil, func(rows *sql.Rows) error {
			var n int64
			err := rows.Scan(&n)
			list = append(list, n)
			return err
		}))
		return list
	}
	last := int64(0)
	for range 3 {
		s, _ := storetest.Talk(t, db, owner, "", "q", storetest.Says("a"))
		list := numbers()
		if slices.Min(list) <= last {
			t.Errorf("numbers %v after %d", list, last)
		}
		last = slices.Min(list)
		storetest.Must(t, db.DeleteConversation(ctx, owner, s.Conversation))
	}
}

// However writing, importing, deleting and indexing follow one another, a search
// finds what looking through everything would find.
func TestSearchFindsWhatIsThere(t *testing.T) {
	ctx := context.Background()
	words := []string{"ant", "bee", "cat", "dog"}
	db, _ := storetest.OpenLocal(t)
	rapid.Check(t, func(rt *rapid.T) {
		owner := storetest.AddUser(t, db, storetest.NewID())
		var talks []wire.Start // of the conversations that are there
		want := map[string][]string{}
		word := func() string { return rapid.SampledFrom(words).Draw(rt, "word") }
		pick := func() int { return rapid.IntRange(0, len(talks)-1).Draw(rt, "which") }
		write := func(to string) {
			a, b := word(), word()
			s, _ := storetest.Talk(t, db, owner, to, a, storetest.Says(b))
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
				for _, hit := range storetest.Search(t, db, owner, wire.Search{Query: w + " ", Limit: wire.MaxHits}) {
					kind, _, _ := strings.Cut(hit, ":")
					got = append(got, kind+" "+w)
				}
				slices.Sort(expected)
				if slices.Sort(got); !slices.Equal(got, expected) {
					rt.Fatalf("%s: found %v, want %v", w, got, expected)
				}
			}
			storetest.WantWhole(t, db)
		}
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			switch op := rapid.SampledFrom([]string{"new", "new", "more", "delete", "delete", "import", "rename", "index", "check"}).Draw(rt, "op"); {
			case op == "new":
				write("")
			case op == "index":
				storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error { _, err := db.Finder.Index.CatchUp(w); return err }))
			case op == "check":
				check()
			case len(talks) == 0:
			case op == "more":
				write(talks[pick()].Conversation)
			case op == "delete":
				i := pick()
				storetest.Must(t, db.DeleteConversation(ctx, owner, talks[i].Conversation))
				delete(want, talks[i].Conversation)
				talks = slices.Delete(talks, i, i+1)
			case op == "rename":
				c, w := talks[pick()].Conversation, word()
				storetest.Must(t, storetest.Second(db.RenameConversation(ctx, owner, wire.Rename{ID: c, Title: w})))
				want[c][0] = "title " + w
			case op == "import": // a copy of one
				i := pick()
				var file strings.Builder
				storetest.Must(t, db.Export(ctx, owner, talks[i].Conversation, &file))
				done, err := db.Import(ctx, owner, strings.NewReader(file.String()))
				storetest.Must(t, err)
				talks = append(talks, wire.Start{Conversation: done.Open})
				want[done.Open] = slices.Clone(want[talks[i].Conversation])
			}
		}
		check()
	})
}

// A disk that takes nothing more keeps nobody from finding what is there.
func TestSearchOnAFullDisk(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	storetest.Talk(t, db, owner, "", "zebra", storetest.Says("an old answer"))
	storetest.Indexed(t, db)
	// The words of a text need more room than is left for it.
	release := storetest.Hold(t, db)
	text := ""
	for i := range 5000 {
		text += fmt.Sprintf("word%d ", i*17)
	}
	s := storetest.NewStart("", text)
	stored := make(chan error, 1)
	db.StartTurn(owner, s, storetest.RunOf(s), "new", "", func(err error) { stored <- err })
	var pages int
	limit := make(chan error, 1)
	db.Engine().Post(0, func(w *engine.Tx) error {
		if err := w.Scan("PRAGMA page_count", nil, &pages); err != nil {
			return err
		}
		return w.Scan(fmt.Sprintf("PRAGMA max_page_count = %d", pages+2), nil, new(int))
	}, func(err error) { limit <- err })
	release()
	storetest.Must(t, <-stored, <-limit)

	page, err := db.Search(ctx, owner, wire.Search{Query: "zebra"})
	if err != nil || len(page.Hits) != 2 || !page.Behind {
		t.Fatalf("on a full disk: %+v, %v", page, err)
	}
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error { return w.Scan("PRAGMA max_page_count = 1073741823", nil, new(int)) }))
	storetest.Indexed(t, db)
	page, err = db.Search(ctx, owner, wire.Search{Query: "word17"})
	if err != nil || len(page.Hits) != 1 || page.Behind {
		t.Errorf("when there is room again: %+v, %v", page, err)
	}
}
