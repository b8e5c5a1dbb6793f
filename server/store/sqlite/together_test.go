package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"screentest/server/store/sqlite"
	"screentest/server/store/storetest"
)

// What units keep at hand for each other is stored once for all of them, and where
// one fails, each stores what is true without it.
func TestKeptIsStoredOnce(t *testing.T) {
	refused := errors.New("refused")
	for _, fails := range []int{-1, 3} {
		db, owner := storetest.OpenLocal(t)
		var stores, reads int
		count := func(fail error) func(*sqlite.Tx) error {
			return func(w *sqlite.Tx) error {
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
					_, err := w.Exec("INSERT INTO settings (owner, name, value) VALUES (?, 'sum', ?) ON CONFLICT DO UPDATE SET value = excluded.value", sqlite.ParseOwner(owner), fmt.Sprint(n))
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

// Every commit that somebody is told of waits for the disk, and what follows it,
// which can be done anew, does not.
func TestOnlyWhatFollowsDoesNotWaitForTheDisk(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	ctx := context.Background()
	var asked int
	// A PRAGMA tells what was when it was prepared: each is another text.
	synchronous := func(w *sqlite.Tx) (n int, err error) {
		asked++
		err = w.Scan(fmt.Sprintf("PRAGMA synchronous -- %d", asked), nil, &n)
		return n, err
	}
	for range 3 {
		storetest.Must(t, storetest.StartTurn(db, owner, storetest.NewStart("", "a harbour")))
		storetest.Indexed(t, db)
		storetest.Must(t, db.Engine().Write(ctx, 0, func(w *sqlite.Tx) error {
			if n, err := synchronous(w); err != nil || n != 2 {
				t.Errorf("a write is committed with synchronous = %d, %v; want 2, which is FULL", n, err)
			}
			return nil
		}))
	}
}
