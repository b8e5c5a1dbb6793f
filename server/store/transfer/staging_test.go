package transfer_test

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
	"time"

	"screentest/server/store"
	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// importChildEnv names the data folder to a copy of the test program that
// imports into it until it is killed.
const importChildEnv = "SCREENTEST_STORE_TEST_IMPORT_CHILD"

// importFile is a file of so many conversations, each of so many questions and
// answers. Its ids are new.
func importFile(conversations, turns int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"format":%q,"version":%d,"conversations":[`, transfer.ExportFormat, transfer.ExportVersion)
	for c := range conversations {
		if c > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%q,"title":"imported","pinned":true,"created_ms":1,"updated_ms":1,"messages":[`, storetest.NewID())
		for t := range turns {
			if t > 0 {
				b.WriteByte(',')
			}
			q := storetest.NewID()
			fmt.Fprintf(&b, `{"id":%q,"role":"user","text":"question %d","created_ms":1},{"id":%q,"parent":%q,"role":"assistant","text":"answer","created_ms":1,
				"run":{"id":%q,"endpoint":"chat","model":"m-1","state":"done","started_ms":1}}`, q, t, storetest.NewID(), q, storetest.NewID())
		}
		b.WriteString("]}")
	}
	return b.String() + "]}"
}

// openTelling opens a store that calls what onCommit is given with each commit that
// somebody waits for, on the writer's goroutine and before they are answered.
func openTelling(t testing.TB) (db *store.DB, owner string, onCommit func(fn func())) {
	t.Helper()
	var told atomic.Pointer[func()]
	db = storetest.Open(t, storetest.Folder(t), store.Options{Committed: func(time.Duration) {
		if fn := told.Load(); fn != nil {
			(*fn)()
		}
	}})
	owner, err := db.EnsureLocalUser(context.Background())
	storetest.Must(t, err)
	return db, owner, func(fn func()) { told.Store(&fn) }
}

// stored counts the rows of what an import writes.
func stored(t testing.TB, db *store.DB) (conversations, messages, runs, staged int) {
	t.Helper()
	storetest.Must(t, db.Engine().At(context.Background()).Scan(`SELECT (SELECT count(*) FROM conversations), (SELECT count(*) FROM messages), (SELECT count(*) FROM runs),
		(SELECT count(*) FROM conversations WHERE owner < 0)`, nil, &conversations, &messages, &runs, &staged))
	return conversations, messages, runs, staged
}

// What others write while a large file is imported is stored before the file
// is, and of the file nothing is to be seen by then.
func TestOthersWriteDuringAnImport(t *testing.T) {
	ctx := context.Background()
	db, owner, onCommit := openTelling(t)
	storetest.Indexed(t, db)
	var between, commits atomic.Int64
	onCommit(func() {
		if commits.Add(1)%3 != 0 {
			return
		}
		db.Engine().Post(0, func(w *engine.Tx) error {
			var seen int
			if err := w.Scan("SELECT count(*) FROM conversations WHERE owner = ?", []any{engine.ParseOwner(owner)}, &seen); err != nil {
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
	done, err := db.Import(ctx, owner, strings.NewReader(importFile(3, 2*chat.StagedStep)))
	storetest.Must(t, err, db.Engine().Write(ctx, 0, func(*engine.Tx) error { return nil }))
	if done.Messages != 3*4*chat.StagedStep || between.Load() < 3 {
		t.Errorf("%+v, and %d writes in between", done, between.Load())
	}
	if got := storetest.Search(t, db, owner, wire.Search{Query: "question 7"}); len(got) == 0 {
		t.Error("what was imported is not found")
	}
	storetest.WantWhole(t, db)
}

// An import that is given up at any of its steps leaves nothing, and can be made
// again under the ids of the file.
func TestAnImportIsAllOrNothing(t *testing.T) {
	db, owner, onCommit := openTelling(t)
	storetest.Talk(t, db, owner, "", "of before", storetest.Says("x"))
	storetest.Indexed(t, db)
	file := importFile(4, chat.StagedStep/2)
	var left atomic.Int64 // commits until it is given up
	var giveUp atomic.Pointer[context.CancelFunc]
	onCommit(func() {
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
			if done.Conversations != 4 || done.Messages != 4*chat.StagedStep || done.Renewed != 0 || last < 4 {
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
		if got := storetest.Search(t, db, owner, wire.Search{Query: "imported"}); len(got) != 0 {
			t.Errorf("what was given up is found: %q", got)
		}
	}
	page, err := db.Conversations(context.Background(), owner, wire.Page{})
	storetest.Must(t, err)
	if len(page.Conversations) != 5 || len(page.Pinned) != 4 {
		t.Errorf("%d conversations, %d pinned", len(page.Conversations), len(page.Pinned))
	}
	storetest.CheckIntegrity(t, db)
}

// Of more pinned conversations than there may be the first of the list are pinned.
func TestImportPinsNoMoreThanThereMayBe(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	s, _ := storetest.Talk(t, db, owner, "", "q", storetest.Says("a"))
	storetest.Must(t, storetest.Second(db.PinConversation(context.Background(), owner, wire.Pin{ID: s.Conversation, Pinned: true})))
	storetest.Must(t, storetest.Second(db.Import(context.Background(), owner, strings.NewReader(importFile(wire.MaxPinned+5, 1)))))
	var pinned, last int
	storetest.Must(t, db.Engine().At(context.Background()).Scan("SELECT count(*), coalesce(max(n), 0) FROM conversations WHERE pinned = 1", nil, &pinned, &last))
	if pinned != wire.MaxPinned || last != wire.MaxPinned+6 {
		t.Errorf("%d pinned, the last is row %d", pinned, last)
	}
}

// A server with nothing to do keeps none of the memory that a large import took.
func TestAnImportLeavesNoMemoryBehind(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	path := filepath.Join(t.TempDir(), "file")
	storetest.Must(t, os.WriteFile(path, []byte(strings.ReplaceAll(importFile(4, 1000), `"answer"`, `"`+strings.Repeat("answer ", 1500)+`"`)), 0o600))
	debug.FreeOSMemory() // that of making it
	file, err := os.Open(path)
	storetest.Must(t, err)
	defer file.Close()
	storetest.Must(t, storetest.Second(db.Import(context.Background(), owner, file)))
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
	db, err := store.Open(context.Background(), dir, storetest.ChildOptions())
	if err == nil {
		fmt.Println("open")
		_, err = db.Import(context.Background(), "1", strings.NewReader(importFile(6, 5*chat.StagedStep)))
	}
	fmt.Fprintln(os.Stderr, "ended:", err)
	os.Exit(1)
}

// A kill at any moment of an import leaves all of it or nothing: what was staged
// is gone when the folder is open again.
func TestKillDuringAnImport(t *testing.T) {
	storetest.OnlySQLite(t)
	t.Parallel()
	ctx := context.Background()
	dir := storetest.Folder(t)
	step := 1
	if storetest.Race {
		step = 3
	}
	killed := 0 // while something was staged
	for kill := 0; kill < 8; kill += step {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(append(os.Environ(), importChildEnv+"="+dir), storetest.Environ(t, dir)...)
		in, err := cmd.StdinPipe()
		storetest.Must(t, err)
		out, err := cmd.StdoutPipe()
		storetest.Must(t, err, cmd.Start())
		storetest.Must(t, storetest.Second(io.ReadFull(out, make([]byte, len("open\n")))))
		awaitStaged(t, dir, kill*chat.StagedStep)
		storetest.Must(t, cmd.Process.Kill())
		_ = cmd.Wait() // it was killed
		in.Close()

		if readStaged(t, dir) > 0 {
			killed++
		}
		db, err := storetest.TryOpen(t, dir, store.Options{})
		storetest.Must(t, err)
		c, m, r, staged := stored(t, db)
		if staged != 0 || c%6 != 0 || m != c*10*chat.StagedStep || 2*r != m {
			t.Errorf("kill %d: %d conversations, %d messages, %d runs, %d staged", kill, c, m, r, staged)
		}
		storetest.CheckIntegrity(t, db)
		for page, err := db.Conversations(ctx, "1", wire.Page{}); len(page.Conversations) > 0; page, err = db.Conversations(ctx, "1", wire.Page{}) {
			storetest.Must(t, err, db.DeleteConversation(ctx, "1", page.Conversations[0].ID)) // the file would grow
		}
		storetest.Must(t, db.Close())
	}
	if killed == 0 {
		t.Error("no kill came while something was staged")
	}
}

// awaitStaged waits until so many messages are stored, or an import is whole.
func awaitStaged(t *testing.T, dir string, messages int) {
	t.Helper()
	pool := storetest.Pool(t, dir)
	defer pool.Close()
	for have, whole := -1, 0; have < messages && whole == 0; time.Sleep(time.Millisecond) {
		storetest.Must(t, pool.QueryRow("SELECT (SELECT count(*) FROM messages), (SELECT count(*) FROM conversations WHERE owner > 0)").Scan(&have, &whole))
	}
}

// readStaged counts what a killed import has left.
func readStaged(t *testing.T, dir string) (n int) {
	t.Helper()
	pool := storetest.Pool(t, dir)
	defer pool.Close()
	storetest.Must(t, pool.QueryRow("SELECT count(*) FROM conversations WHERE owner < 0").Scan(&n))
	return n
}
