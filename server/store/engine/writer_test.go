package engine_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	driver "modernc.org/sqlite"
	"pgregory.net/rapid"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// countCommits counts the commits of the writing connection from here on, in which
// a unit that calls mark has a part. The driver of SQLite tells of each; PostgreSQL
// numbers its transactions.
func countCommits(t testing.TB, db *store.DB) (commits func() int64, mark func(*engine.Tx) error) {
	t.Helper()
	var n atomic.Int64
	if storetest.OnPostgres() {
		last := ""
		return n.Load, func(w *engine.Tx) error {
			var number string
			err := w.Scan("SELECT pg_current_xact_id()::text", nil, &number)
			if number != last {
				last = number
				n.Add(1)
			}
			return err
		}
	}
	storetest.Must(t, db.Engine().WriterConn().Raw(func(c any) error {
		c.(driver.HookRegisterer).RegisterCommitHook(func() int32 { n.Add(1); return 0 })
		return nil
	}))
	return n.Load, func(*engine.Tx) error { return nil }
}

// put is a unit that writes a setting, and then fails if fail is not nil.
func put(owner, name, value string, fail error) func(*engine.Tx) error {
	return func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO settings (owner, name, value) VALUES (?, ?, ?) ON CONFLICT (owner, name) DO UPDATE SET value = settings.value || excluded.value", engine.ParseOwner(owner), name, value)
		return errors.Join(err, fail)
	}
}

// settings are all settings, as "name=value".
func settings(t testing.TB, db *store.DB) (all []string) {
	t.Helper()
	storetest.Must(t, db.Engine().At(context.Background()).Each("SELECT name || '=' || value FROM settings ORDER BY name", nil, func(rows *sql.Rows) error {
		var s string
		err := rows.Scan(&s)
		all = append(all, s)
		return err
	}))
	return all
}

// What is queued while the disk is busy is committed together; a unit that
// fails leaves no trace and spoils none of the others.
func TestGroupCommit(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	release := storetest.Hold(t, db)
	commits, mark := countCommits(t, db) // the writer waits inside a unit
	refused := errors.New("refused")
	const n = 100
	errs := make([]error, n)
	var order []int
	var committed int64 // when the last was answered: later the writer sees to the search index
	var done sync.WaitGroup
	for i := range n {
		var fail error
		if i%7 == 3 {
			fail = refused
		}
		done.Add(1)
		db.Engine().Post(0, func(w *engine.Tx) error {
			return errors.Join(mark(w), put(owner, fmt.Sprintf("%03d", i), "v", fail)(w))
		}, func(err error) {
			errs[i], order, committed = err, append(order, i), commits()
			done.Done()
		})
	}
	release()
	done.Wait()
	var want []string
	for i, err := range errs {
		if i%7 == 3 {
			var commit *engine.CommitError
			if !errors.Is(err, refused) || errors.As(err, &commit) {
				t.Errorf("unit %d: %v, want its own error", i, err)
			}
			continue
		}
		if want = append(want, fmt.Sprintf("%03d=v", i)); err != nil {
			t.Errorf("unit %d: %v", i, err)
		}
	}
	if got := settings(t, db); !slices.Equal(got, want) {
		t.Errorf("stored %v, want %v", got, want)
	}
	if !slices.IsSorted(order) {
		t.Errorf("answered in the order %v", order)
	}
	if committed != 2 { // that of hold, and that of the group; or the one that failed, and the one that didn't
		t.Errorf("%d commits for %d units", committed, n)
	}
}

// Random units leave the same rows and the same answers whether they are
// committed together or one by one.
func TestGroupCommitEqualsSequential(t *testing.T) {
	ctx := context.Background()
	grouped, a := storetest.OpenLocal(t)
	single, b := storetest.OpenLocal(t)
	refused := errors.New("refused")
	late := []string{"PRAGMA defer_foreign_keys = 1", "INSERT INTO settings (owner, name, value) VALUES (12345, 'of nobody', '')"}
	if storetest.OnPostgres() {
		late = []string{"INSERT INTO late VALUES (1), (1)"}
		for _, db := range []*store.DB{grouped, single} {
			storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
				_, err := w.Exec("CREATE TABLE late (n BIGINT UNIQUE DEFERRABLE INITIALLY DEFERRED)")
				return err
			}))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		type op struct {
			Name, Value string
			Kind        int
		}
		ops := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) op {
			return op{rapid.SampledFrom([]string{"x", "y", "z"}).Draw(rt, "name"), rapid.StringMatching("[a-z]").Draw(rt, "value"), rapid.IntRange(0, 4).Draw(rt, "kind")}
		}), 1, 30).Draw(rt, "ops")
		unit := func(owner string, o op) func(*engine.Tx) error {
			switch o.Kind {
			case 0: // its own error, after a write
				return put(owner, o.Name, o.Value, refused)
			case 1: // an error of SQL's, after a write
				return func(w *engine.Tx) error {
					if err := put(owner, o.Name, o.Value, nil)(w); err != nil {
						return err
					}
					_, err := w.Exec("INSERT INTO users (n, name, created_ms) VALUES (1, 'twice', 0)")
					return err
				}
			case 2: // fails only when it is committed
				return func(w *engine.Tx) error {
					if err := put(owner, o.Name, o.Value, nil)(w); err != nil {
						return err
					}
					for _, statement := range late {
						if _, err := w.Exec(statement); err != nil {
							return err
						}
					}
					return nil
				}
			}
			return put(owner, o.Name, o.Value, nil)
		}
		together, alone := make([]error, len(ops)), make([]error, len(ops))
		release := storetest.Hold(t, grouped)
		var done sync.WaitGroup
		for i, o := range ops {
			done.Add(1)
			grouped.Engine().Post(0, unit(a, o), func(err error) { together[i] = err; done.Done() })
		}
		release()
		done.Wait()
		for i, o := range ops {
			alone[i] = single.Engine().Write(ctx, 0, unit(b, o))
		}
		for i := range ops {
			var commit *engine.CommitError
			if (together[i] == nil) != (alone[i] == nil) || (ops[i].Kind < 3) != (together[i] != nil) || errors.As(together[i], &commit) != (ops[i].Kind == 2) {
				rt.Fatalf("unit %d of %+v: %v together, %v alone", i, ops, together[i], alone[i])
			}
		}
		if g, s := settings(t, grouped), settings(t, single); !slices.Equal(g, s) {
			rt.Fatalf("%+v:\ntogether %v\nalone    %v", ops, g, s)
		}
	})
}

// A write says what happened, whatever becomes of who asked for it: one that is
// given up beforehand is not made, and one that is given up while it waits for
// its turn is made, and says so. Who keeps a file beside the row can go by that.
func TestWriteTellsWhetherItWasMade(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	ctx, cancel := context.WithCancel(context.Background())
	release := storetest.Hold(t, db)
	answer := make(chan error, 1)
	go func() { answer <- db.Engine().Write(ctx, 0, put(owner, "while it waits", "v", nil)) }()
	for queued := 0; queued == 0; runtime.Gosched() {
		queued, _ = db.Engine().Queued()
	}
	cancel()
	for range 100 {
		runtime.Gosched() // who does not see it through has time to go
	}
	release()
	if err := <-answer; err != nil {
		t.Errorf("given up while it waits: %v", err)
	}
	for range 100 {
		if err := db.Engine().Write(ctx, 0, put(owner, "beforehand", "v", nil)); !errors.Is(err, context.Canceled) {
			t.Fatalf("given up beforehand: %v", err)
		}
	}
	if got := settings(t, db); !slices.Equal(got, []string{"while it waits=v"}) {
		t.Errorf("stored %v", got)
	}
}

// The queue is bounded: who does not wait is told, who waits gets a place or
// gives up with its context.
func TestQueueIsBounded(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	release := storetest.Hold(t, db)
	defer release()
	var stored, refused atomic.Int64
	var done sync.WaitGroup
	post := func(size int) {
		done.Add(1)
		db.Engine().Post(size, put(owner, "n", "x", nil), func(err error) {
			switch {
			case err == nil:
				stored.Add(1)
			case errors.Is(err, engine.ErrOverloaded):
				refused.Add(1)
			default:
				t.Error(err)
			}
			done.Done()
		})
	}
	for range engine.MaxQueued + 10 {
		post(0)
	}
	gaveUp, cancel := context.WithCancel(ctx)
	cancel()
	if err := db.Engine().Write(gaveUp, 0, put(owner, "n", "y", nil)); !errors.Is(err, context.Canceled) {
		t.Errorf("a wait that was given up: %v", err)
	}
	done.Go(func() {
		if err := db.Engine().Write(ctx, 0, put(owner, "last", "z", nil)); err != nil {
			t.Error(err)
		}
	})
	release()
	done.Wait()
	if stored.Load() != engine.MaxQueued || refused.Load() != 10 {
		t.Errorf("%d stored, %d refused; want %d and 10", stored.Load(), refused.Load(), engine.MaxQueued)
	}

	release = storetest.Hold(t, db)
	stored.Store(0)
	refused.Store(0)
	post(2 * engine.MaxQueuedBytes) // alone it may pass the bound
	post(1)
	release()
	done.Wait()
	if stored.Load() != 1 || refused.Load() != 1 {
		t.Errorf("by size: %d stored, %d refused", stored.Load(), refused.Load())
	}
	want := []string{"last=z", "n=" + strings.Repeat("x", engine.MaxQueued+1)}
	if got := settings(t, db); !slices.Equal(got, want) {
		t.Errorf("%d settings", len(got))
	}
}

// Close stores what is queued, and answers what comes later.
func TestCloseFinishesTheQueue(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	var starts []wire.Start
	var stored, closed atomic.Int64
	var done sync.WaitGroup
	for range 200 {
		s := storetest.NewStart("", "x")
		starts = append(starts, s)
		done.Add(1)
		db.StartTurn(owner, s, storetest.RunOf(s), "t", "", func(err error) {
			if err == nil {
				stored.Add(1)
			} else if errors.Is(err, os.ErrClosed) {
				closed.Add(1)
			}
			done.Done()
		})
		if len(starts) == 150 {
			storetest.Must(t, db.Close())
		}
	}
	done.Wait()
	if stored.Load() != 150 || closed.Load() != 50 {
		t.Errorf("%d stored, %d told that it is closed; want 150 and 50", stored.Load(), closed.Load())
	}
	db = storetest.Open(t, dir, store.Options{})
	for _, s := range starts[:150] {
		if _, err := db.Run(ctx, owner, s.Run); err != nil {
			t.Fatal(err)
		}
	}
}

// An error that takes the whole transaction with it, as SQLite does for some
// of a disk's, costs only the unit that met it.
func TestLostTransactionSpoilsNobody(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	release := storetest.Hold(t, db)
	lost := errors.New("lost")
	answers := make(chan error, 3)
	for name, fn := range map[string]func(*engine.Tx) error{
		"a": put(owner, "a", "v", nil),
		"b": func(w *engine.Tx) error {
			_, err := w.Exec("ROLLBACK")
			return errors.Join(err, lost)
		},
		"c": put(owner, "c", "v", nil),
	} {
		db.Engine().Post(0, fn, func(err error) {
			if errors.Is(err, lost) != (name == "b") {
				t.Errorf("%s: %v", name, err)
			}
			answers <- err
		})
	}
	release()
	for range 3 {
		<-answers
	}
	if got := settings(t, db); !slices.Equal(got, []string{"a=v", "c=v"}) {
		t.Errorf("stored %v", got)
	}
}

// A write that nobody waits for and that fails is at least in the log, with
// both what a person reads and the cause.
func TestUnansweredFailureIsLogged(t *testing.T) {
	var log lockedBuilder
	db := storetest.Open(t, t.TempDir(), store.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	db.RunReplied("1", storetest.NewID(), 200, "", "", nil)
	if _, err := db.EnsureLocalUser(context.Background()); err != nil { // comes after it
		t.Fatal(err)
	}
	if got := log.String(); !strings.Contains(got, "There is no such run") || !strings.Contains(got, "file does not exist") {
		t.Errorf("log: %q", got)
	}
}

// A lockedBuilder takes what several goroutines log.
type lockedBuilder struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuilder) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuilder) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
