package store

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"

	"screentest/shared/wire"
)

// importChildEnv names the data folder to a copy of the test program that
// imports into it until it is killed.
const importChildEnv = "SCREENTEST_STORE_TEST_IMPORT_CHILD"

// importFile is a file of so many conversations, each of so many questions and
// answers. Its ids are new.
func importFile(conversations, turns int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"format":%q,"version":%d,"conversations":[`, exportFormat, exportVersion)
	for c := range conversations {
		if c > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%q,"title":"imported","pinned":true,"created_ms":1,"updated_ms":1,"messages":[`, newID())
		for t := range turns {
			if t > 0 {
				b.WriteByte(',')
			}
			q := newID()
			fmt.Fprintf(&b, `{"id":%q,"role":"user","text":"question %d","created_ms":1},{"id":%q,"parent":%q,"role":"assistant","text":"answer","created_ms":1,
				"run":{"id":%q,"endpoint":"chat","model":"m-1","state":"done","started_ms":1}}`, q, t, newID(), q, newID())
		}
		b.WriteString("]}")
	}
	return b.String() + "]}"
}

// onCommit has fn called with each commit of the writer's, on its goroutine.
func onCommit(t testing.TB, db *DB, fn func()) {
	t.Helper()
	var on atomic.Bool // not at the commit of this very write
	must(t, db.Engine().Write(context.Background(), 0, func(w *tx) error {
		return w.Raw(func(c any) error {
			c.(sqlite.HookRegisterer).RegisterCommitHook(func() int32 {
				if on.Load() {
					fn()
				}
				return 0
			})
			return nil
		})
	}))
	on.Store(true)
}

// stored counts the rows of what an import writes.
func stored(t testing.TB, db *DB) (conversations, messages, runs, staged int) {
	t.Helper()
	must(t, db.Engine().At(context.Background()).scan(`SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM messages), (SELECT count(*) FROM runs),
		(SELECT count(*) FROM conversations WHERE owner < 0)`, nil, &conversations, &messages, &runs, &staged))
	return conversations, messages, runs, staged
}

// What others write while a large file is imported is stored before the file
// is, and of the file nothing is to be seen by then.
func TestOthersWriteDuringAnImport(t *testing.T) {
	ctx := context.Background()
	db, owner := openLocal(t)
	indexed(t, db)
	var between, commits atomic.Int64
	onCommit(t, db, func() {
		if commits.Add(1)%3 != 0 {
			return
		}
		db.Engine().Post(0, func(w *tx) error {
			var seen int
			if err := w.scan("SELECT count(*) FROM conversations WHERE owner = ?", []any{parseOwner(owner)}, &seen); err != nil {
				return err
			}
			if seen == 0 {
				between.Add(1)
			} else if seen != 3 {
				t.Errorf("%d of 3 conversations are to be seen", seen)
			}
			return nil
		}, nil)
	})
	done, err := db.Import(ctx, owner, strings.NewReader(importFile(3, 2*stagedStep)))
	must(t, err, db.Engine().Write(ctx, 0, func(*tx) error { return nil }))
	if done.Messages != 3*4*stagedStep || between.Load() < 3 {
		t.Errorf("%+v, and %d writes in between", done, between.Load())
	}
	if got := search(t, db, owner, wire.Search{Query: "question 7"}); len(got) == 0 {
		t.Error("what was imported is not found")
	}
	wantWhole(t, db)
}

// An import that is given up at any of its steps leaves nothing, and can be made
// again under the ids of the file.
func TestAnImportIsAllOrNothing(t *testing.T) {
	db, owner := openLocal(t)
	talk(t, db, owner, "", "of before", says("x"))
	indexed(t, db)
	file := importFile(4, stagedStep/2)
	var left atomic.Int64 // commits until it is given up
	var giveUp atomic.Pointer[context.CancelFunc]
	onCommit(t, db, func() {
		if left.Add(-1) == 0 {
			(*giveUp.Load())()
		}
	})
	for last := 1; ; last++ {
		ctx, stop := context.WithCancel(context.Background())
		giveUp.Store(&stop)
		left.Store(int64(last))
		done, err := db.Import(ctx, owner, strings.NewReader(file))
		stop()
		if err == nil {
			if done.Conversations != 4 || done.Messages != 4*stagedStep || done.Renewed != 0 || last < 4 {
				t.Errorf("given up %d times, and then: %+v", last-1, done)
			}
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if c, m, r, _ := stored(t, db); c != 1 || m != 2 || r != 1 {
			t.Fatalf("given up after step %d: %d conversations, %d messages and %d runs are left", last, c, m, r)
		}
		if last > 100 {
			t.Fatal("it comes to no end")
		}
		if got := search(t, db, owner, wire.Search{Query: "imported"}); len(got) != 0 {
			t.Errorf("what was given up is found: %q", got)
		}
	}
	page, err := db.Conversations(context.Background(), owner, wire.Page{})
	must(t, err)
	if len(page.Conversations) != 5 || len(page.Pinned) != 4 {
		t.Errorf("%d conversations, %d pinned", len(page.Conversations), len(page.Pinned))
	}
	checkIntegrity(t, db)
}

// Of more pinned conversations than there may be the first of the list are pinned.
func TestImportPinsNoMoreThanThereMayBe(t *testing.T) {
	db, owner := openLocal(t)
	s, _ := talk(t, db, owner, "", "q", says("a"))
	must(t, second(db.PinConversation(context.Background(), owner, wire.Pin{ID: s.Conversation, Pinned: true})))
	must(t, second(db.Import(context.Background(), owner, strings.NewReader(importFile(wire.MaxPinned+5, 1)))))
	var pinned, last int
	must(t, db.Engine().At(context.Background()).scan("SELECT count(*), coalesce(max(n), 0) FROM conversations WHERE pinned = 1", nil, &pinned, &last))
	if pinned != wire.MaxPinned || last != wire.MaxPinned+6 {
		t.Errorf("%d pinned, the last is row %d", pinned, last)
	}
}

// A server with nothing to do keeps none of the memory that a large import took.
func TestAnImportLeavesNoMemoryBehind(t *testing.T) {
	db, owner := openLocal(t)
	path := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(path, []byte(strings.ReplaceAll(importFile(4, 1000), `"answer"`, `"`+strings.Repeat("answer ", 1500)+`"`)), 0o600))
	debug.FreeOSMemory() // that of making it
	file, err := os.Open(path)
	must(t, err)
	defer file.Close()
	must(t, second(db.Import(context.Background(), owner, file)))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if kept := (m.HeapSys - m.HeapReleased) >> 20; kept > 32 {
		t.Errorf("%d MiB are kept after a file of 44", kept)
	}
}

// importUntilKilled is the other program.
func importUntilKilled(dir string) {
	go func() { // not to be left behind when the test ends in another way
		io.Copy(io.Discard, os.Stdin)
		os.Exit(1)
	}()
	db, err := Open(context.Background(), dir, Options{})
	if err == nil {
		fmt.Println("open")
		_, err = db.Import(context.Background(), "1", strings.NewReader(importFile(6, 5*stagedStep)))
	}
	fmt.Fprintln(os.Stderr, "ended:", err)
	os.Exit(1)
}

// A kill at any moment of an import leaves all of it or nothing: what was staged
// is gone when the folder is open again.
func TestKillDuringAnImport(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	db, err := Open(ctx, dir, Options{})
	must(t, err)
	must(t, second(db.EnsureLocalUser(ctx)), db.Close())
	killed := 0 // while something was staged
	for kill := range 8 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), importChildEnv+"="+dir)
		in, err := cmd.StdinPipe()
		must(t, err)
		out, err := cmd.StdoutPipe()
		must(t, err, cmd.Start())
		must(t, second(io.ReadFull(out, make([]byte, len("open\n")))))
		awaitStaged(t, dir, kill*stagedStep)
		must(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
		in.Close()

		if readStaged(t, dir) > 0 {
			killed++
		}
		db, err := Open(ctx, dir, Options{})
		must(t, err)
		c, m, r, staged := stored(t, db)
		if staged != 0 || c%6 != 0 || m != c*10*stagedStep || 2*r != m {
			t.Errorf("kill %d: %d conversations, %d messages, %d runs, %d staged", kill, c, m, r, staged)
		}
		checkIntegrity(t, db)
		for page, err := db.Conversations(ctx, "1", wire.Page{}); len(page.Conversations) > 0; page, err = db.Conversations(ctx, "1", wire.Page{}) {
			must(t, err, db.DeleteConversation(ctx, "1", page.Conversations[0].ID)) // the file would grow
		}
		must(t, db.Close())
	}
	if killed == 0 {
		t.Error("no kill came while something was staged")
	}
}

// awaitStaged waits until so many messages are stored, or an import is whole.
func awaitStaged(t *testing.T, dir string, messages int) {
	t.Helper()
	pool, err := openSQLite(filepath.Join(dir, databaseFile), readerSettings, 1)
	must(t, err)
	defer pool.Close()
	for have, whole := -1, 0; have < messages && whole == 0; {
		must(t, pool.QueryRow("SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM conversations WHERE owner > 0)").Scan(&have, &whole))
	}
}

// readStaged counts what a killed import has left.
func readStaged(t *testing.T, dir string) (n int) {
	t.Helper()
	pool, err := openSQLite(filepath.Join(dir, databaseFile), readerSettings, 1)
	must(t, err)
	defer pool.Close()
	must(t, pool.QueryRow("SELECT count(*) FROM conversations WHERE owner < 0").Scan(&n))
	return n
}
