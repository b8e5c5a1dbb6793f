package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Readers see the last commit while a transaction is open, and a reader that
// is slow holds up no write.
func TestReadersAndWriterDoNotWait(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, owner, s))

	release := storetest.Hold(t, db)
	if _, err := db.OpenConversation(ctx, owner, storetest.PageOf(s)); err != nil {
		t.Error(err)
	}
	if _, err := db.Conversations(ctx, owner, wire.Page{}); err != nil {
		t.Error(err)
	}
	if _, _, err := db.CheckStart(ctx, owner, s); err != nil {
		t.Error(err)
	}
	release()

	storetest.Must(t, db.Engine().Snapshot(ctx, func(q engine.Reading) error {
		var before, after int
		storetest.Must(t, q.Scan("SELECT count(*) FROM settings", nil, &before))
		storetest.Must(t, db.SetSetting(ctx, owner, "while", "a reader reads"))
		storetest.Must(t, db.DeleteConversation(ctx, owner, s.Conversation))
		storetest.Must(t, q.Scan("SELECT count(*) FROM settings", nil, &after))
		if before != after {
			t.Errorf("a snapshot changed: %d settings, then %d", before, after)
		}
		return nil
	}))

	var stop atomic.Bool
	var reading sync.WaitGroup
	for range 4 {
		reading.Go(func() {
			for !stop.Load() {
				if _, err := db.Conversations(ctx, owner, wire.Page{}); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var writing sync.WaitGroup
	for range 4 {
		writing.Go(func() {
			for range 15 {
				s := storetest.NewStart("", "busy")
				if err := errors.Join(storetest.StartTurn(db, owner, s), db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), "t", []byte("log"), nil, nil)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	writing.Wait()
	stop.Store(true)
	reading.Wait()
}

// As many snapshots at once as there are connections, each with a statement
// that is new: none waits for a connection of another's. (They once did, for
// preparing it, and stood still for good.)
func TestSnapshotsNeedNoSecondConnection(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	var inside, done sync.WaitGroup
	inside.Add(engine.ReaderCount)
	for i := range engine.ReaderCount {
		done.Go(func() {
			err := db.Engine().Snapshot(context.Background(), func(q engine.Reading) error {
				inside.Done()
				inside.Wait()
				var n int
				return q.Scan(fmt.Sprintf("SELECT %d + count(*) FROM users", i), nil, &n)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	inside.Wait()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for range 10 {
		// Who has given up does not wait for a connection either.
		if _, err := db.Conversations(ctx, "1", wire.Page{}); !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
	}
	done.Wait()
}

// endsAt is a context that ends the so-and-so-many-th time that somebody asks
// when it does: at a moment of choice in the middle of a call.
type endsAt struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

func newEndsAt(n int64) *endsAt {
	c := &endsAt{}
	c.Context, c.end = context.WithCancel(context.Background())
	c.left.Store(n)
	return c
}

func (c *endsAt) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		c.end()
		for range 50 {
			runtime.Gosched() // who watches for the end is to see it before this call goes on
		}
	}
	return c.Context.Done()
}

// Somebody who gives up a reading at any moment of it leaves no transaction
// open: whoever reads next sees what is stored, and the write-ahead log can be
// emptied.
func TestGivenUpSnapshotsLeaveNothingOpen(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s := storetest.NewStart("", "x")
	storetest.Must(t, storetest.StartTurn(db, owner, s))
	for round := range 40 {
		for n := range int64(24) {
			c := newEndsAt(n + 1)
			err := db.Engine().Snapshot(c, func(q engine.Reading) error {
				var n int
				return q.Scan("SELECT count(*) FROM settings", nil, &n)
			})
			c.end()
			if err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("round %d, ended at %d: %v", round, n, err)
			}
		}
		want := fmt.Sprint(round)
		storetest.Must(t, db.SetSetting(ctx, owner, "newest", want))
		for range 2 * engine.ReaderCount { // they take turns
			if got, err := db.Setting(ctx, owner, "newest"); err != nil || got != want {
				t.Fatalf("round %d: a reader sees %q, %v", round, got, err)
			}
			if _, err := db.OpenConversation(ctx, owner, storetest.PageOf(s)); err != nil {
				t.Fatalf("round %d: %v", round, err)
			}
		}
	}
	var busy int
	storetest.Indexed(t, db) // then the writer is idle
	if storetest.OnPostgres() {
		storetest.Must(t, db.Engine().At(ctx).Scan("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND state LIKE 'idle in transaction%'", nil, &busy))
		if busy != 0 {
			t.Errorf("%d transactions are open", busy)
		}
		return
	}
	storetest.Must(t, db.Engine().WriterConn().QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, new(int), new(int)))
	if info, err := os.Stat(storetest.DatabaseOf(t, db) + "-wal"); busy != 0 || err != nil || info.Size() != 0 {
		t.Errorf("the write-ahead log was not emptied: busy %d, %v", busy, err)
	}
}
