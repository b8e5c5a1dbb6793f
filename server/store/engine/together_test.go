package engine_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/store/engine"
	"screentest/server/store/schema"
	"screentest/server/store/storetest"
)

// What units keep at hand for each other is stored once for all of them, and where
// one fails, each stores what is true without it.
func TestKeptIsStoredOnce(t *testing.T) {
	refused := errors.New("refused")
	for _, fails := range []int{-1, 3} {
		db, owner := storetest.OpenLocal(t)
		var stores, reads int
		count := func(fail error) func(*engine.Tx) error {
			return func(w *engine.Tx) error {
				n, ok := w.Kept("sum").(int)
				if !ok {
					reads++
					var text string
					if err := w.Scan("SELECT coalesce((SELECT value FROM settings WHERE name = 'sum'), '0')", nil, &text); err != nil {
						return err
					}
					fmt.Sscan(text, &n)
				}
				n++
				w.Keep("sum", n, func() error {
					stores++
					_, err := w.Exec("INSERT INTO settings (owner, name, value) VALUES (?, 'sum', ?) ON CONFLICT (owner, name) DO UPDATE SET value = excluded.value", engine.ParseOwner(owner), fmt.Sprint(n))
					return err
				})
				return fail
			}
		}
		release := storetest.Hold(t, db)
		const units = 10
		var done sync.WaitGroup
		for i := range units {
			var fail error
			if i == fails {
				fail = refused
			}
			done.Add(1)
			db.Engine().Post(0, count(fail), func(err error) {
				if !errors.Is(err, fail) {
					t.Errorf("unit %d: %v, want %v", i, err, fail)
				}
				done.Done()
			})
		}
		release()
		done.Wait()
		want := "sum=10"
		if fails >= 0 {
			want = "sum=9"
		} else if stores != 1 || reads != 1 {
			t.Errorf("read %d times and stored %d times for %d units", reads, stores, units)
		}
		if got := settings(t, db); !slices.Equal(got, []string{want}) {
			t.Errorf("unit %d fails: stored %v, want %s", fails, got, want)
		}
	}
}

// asksHow is a follower that notes whether its commits wait for the disk.
type asksHow struct {
	behind atomic.Bool
	how    chan int
}

func (f *asksHow) Behind() bool { return f.behind.Load() }

func (f *asksHow) CatchUp(w *engine.Tx) (more bool, err error) {
	f.behind.Store(false)
	n, err := synchronous(w)
	f.how <- n
	return false, err
}

func (*asksHow) Forget(*engine.Tx) (more bool, err error) { return false, nil }

var asked atomic.Int64

// synchronous is the setting now. A PRAGMA tells what was when it was prepared, so
// each is another text.
func synchronous(w *engine.Tx) (n int, err error) {
	err = w.Scan(fmt.Sprintf("PRAGMA synchronous -- %d", asked.Add(1)), nil, &n)
	return n, err
}

// Every write that somebody is told of waits for the disk, also after the follower
// has caught up with the one before, which does not wait: it can be done anew.
func TestWritesWaitForTheDiskAndWhatFollowsDoesNot(t *testing.T) {
	const normal, full = 1, 2
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), "test.db")
	storetest.Must(t, os.WriteFile(path, nil, 0o600))
	follower := &asksHow{how: make(chan int, 10)}
	db, err := engine.Open(ctx, path, engine.Options{Migrations: schema.Files, Follower: follower, Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	storetest.Must(t, err)
	for range 3 {
		storetest.Must(t, db.Write(ctx, 0, func(w *engine.Tx) error {
			if n, err := synchronous(w); err != nil || n != full {
				t.Errorf("a write has synchronous = %d, %v; want %d", n, err, full)
			}
			follower.behind.Store(true)
			return nil
		}))
		if n := <-follower.how; n != normal {
			t.Errorf("what follows has synchronous = %d, want %d", n, normal)
		}
	}
	storetest.Must(t, db.Close())
}
