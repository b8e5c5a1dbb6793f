package replicas_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/replicas"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// mine are the runs and clips that a replica holds, by their ids.
func mine(t *testing.T, db *store.DB) (runs, clips []string) {
	t.Helper()
	ctx := context.Background()
	storetest.Must(t,
		db.EachRunning(ctx, func(_ string, r wire.Run) error { runs = append(runs, r.ID); return nil }),
		db.Videos().EachOpen(ctx, func(_ string, _ int64, v wire.VideoTask) error { clips = append(clips, v.ID); return nil }))
	return runs, clips
}

func wantHeld(t *testing.T, db *store.DB, what string, runs, clips int) {
	t.Helper()
	if r, c := mine(t, db); len(r) != runs || len(c) != clips {
		t.Errorf("%s: it holds the runs %v and the clips %v, want %d and %d", what, r, c, runs, clips)
	}
}

// Whoever is found gone writes nothing any more, and what it held is of the one that
// found it.
func TestWhoIsGoneWritesNothing(t *testing.T) {
	ctx := context.Background()
	all, owner := storetest.Replicas(t, 3)
	a, b, c := all[0], all[1], all[2]
	s := storetest.NewStart("", "hello")
	storetest.Must(t, storetest.StartTurn(a, owner, s))
	storetest.Made(t, a.Videos(), owner, storetest.NewVideo("a lamp"))
	wantHeld(t, a, "who began", 1, 1)
	wantHeld(t, b, "another one", 0, 0)
	if n, err := b.Replicas().Holds(ctx, owner, s.Run); err != nil || n != a.Engine().Holder() {
		t.Errorf("the run is of %d, %v", n, err)
	}

	// Both find it gone at the same moment.
	var won [2]bool
	var both sync.WaitGroup
	for i, db := range []*store.DB{b, c} {
		both.Go(func() {
			var err error
			if won[i], err = db.Replicas().TakeOver(ctx, a.Engine().Holder()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if won[0] == won[1] {
		t.Fatalf("won: %v", won)
	}
	winner, other := b, c
	if won[1] {
		winner, other = c, b
	}
	wantHeld(t, winner, "who won", 1, 1)
	wantHeld(t, other, "who did not", 0, 0)

	// The late one: what it writes fails, whole and in a group, and nothing is changed.
	late := storetest.RunOf(s)
	late.State = wire.Done
	if err := a.FinishRun(ctx, owner, late, "late", []byte("late"), nil, nil); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("its end of the run: %v", err)
	}
	if err := storetest.AppendLog(a, owner, s.Run, 0, []byte("late"), nil); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("its log: %v", err)
	}
	if err := a.SetServerSetting(ctx, "x", "late"); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("its setting: %v", err)
	}
	if _, err := b.ServerSetting(ctx, "x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the setting is there: %v", err)
	}
	if r, err := b.Run(ctx, owner, s.Run); err != nil || r.State != wire.Running || r.Bytes != 0 {
		t.Errorf("the run is %+v, %v", r, err)
	}
	if _, err := a.Replicas().Beat(ctx); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("its beat: %v", err)
	}
	if there, err := b.Replicas().Beat(ctx); err != nil || len(there) != 2 {
		t.Errorf("there are %v, %v", there, err)
	}
	// Who won ends it.
	late.State = wire.Interrupted
	storetest.Must(t, winner.FinishRun(ctx, owner, late, "so far", nil, nil, nil))
}

func TestWhoLeavesHoldsNothing(t *testing.T) {
	ctx := context.Background()
	all, owner := storetest.Replicas(t, 2)
	a, b := all[0], all[1]
	storetest.Made(t, a.Videos(), owner, storetest.NewVideo("a lamp"))
	if some, err := b.Replicas().Adopt(ctx); err != nil || some {
		t.Errorf("there is something of nobody's: %v, %v", some, err)
	}
	storetest.Must(t, a.Replicas().Leave(ctx))
	there, err := b.Replicas().Beat(ctx)
	if err != nil || len(there) != 2 || !there[0].Leaving || there[1].Leaving {
		t.Errorf("there are %+v, %v", there, err)
	}
	storetest.Must(t, a.Replicas().Left(ctx))
	wantHeld(t, b, "before it looks", 0, 0)
	if some, err := b.Replicas().Adopt(ctx); err != nil || !some {
		t.Errorf("there is nothing of nobody's: %v, %v", some, err)
	}
	wantHeld(t, b, "the other one", 0, 1)
	if won, err := b.Replicas().TakeOver(ctx, a.Engine().Holder()); err != nil || won {
		t.Errorf("who has left is taken over: %v, %v", won, err)
	}
}

// Who listens at an address of another one is in its place: that one is no more.
func TestTheSameAddressAgain(t *testing.T) {
	ctx := context.Background()
	all, owner := storetest.Replicas(t, 2)
	a, b := all[0], all[1]
	storetest.Must(t, storetest.StartTurn(a, owner, storetest.NewStart("", "hello")))
	b.Replicas().WatchFor(30 * time.Millisecond)
	n, err := b.Replicas().Join(ctx, "http://replica-1:8081", "test")
	if err != nil || n <= a.Engine().Holder() || n != b.Engine().Holder() {
		t.Errorf("it is %d, %v", n, err)
	}
	wantHeld(t, b, "who came", 1, 0)
	if err := a.SetServerSetting(ctx, "x", "late"); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("who was there writes: %v", err)
	}
}

// A server that is alone is started again after a kill: it waits for nobody to find
// out that the one before is gone.
func TestAloneAgain(t *testing.T) {
	ctx := context.Background()
	url := storetest.Database(t)
	a, b := storetest.OpenShared(t, url), storetest.OpenShared(t, url)
	storetest.Must(t, storetest.Second(a.Replicas().Join(ctx, "", "test")))
	b.Replicas().WatchFor(30 * time.Millisecond)
	owner, err := a.EnsureLocalUser(ctx)
	storetest.Must(t, err, storetest.StartTurn(a, owner, storetest.NewStart("", "hello")))
	storetest.Must(t, storetest.Second(b.Replicas().Join(ctx, "", "test")))
	wantHeld(t, b, "who came", 1, 0)
	if there, err := b.Replicas().Beat(ctx); err != nil || len(there) != 1 {
		t.Errorf("there are %+v, %v", there, err)
	}
	if err := a.SetServerSetting(ctx, "x", "late"); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("who was there writes: %v", err)
	}
	if all, err := a.Replicas().Beat(ctx); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("who was there is there: %+v, %v", all, err)
	}
}

// Who is there is left there: whoever can't be beside it is refused.
func TestWhoIsThereStaysThere(t *testing.T) {
	const elsewhere = "http://replica-9:8081"
	for _, tt := range []struct{ there, comes, refused string }{
		{"", "", "replica_alone"},
		{"", elsewhere, "replica_alone"},
		{elsewhere, "", "replica_alone"},
		{elsewhere, elsewhere, "replica_address"},
		{elsewhere, "http://replica-8:8081", ""},
	} {
		t.Run(tt.there+" and "+tt.comes, func(t *testing.T) {
			url := storetest.Database(t)
			a, b := storetest.OpenShared(t, url), storetest.OpenShared(t, url)
			storetest.Must(t, storetest.Second(a.Replicas().Join(t.Context(), tt.there, "test")))
			beating, end := context.WithCancel(t.Context())
			var beats sync.WaitGroup
			beats.Go(func() {
				for beating.Err() == nil {
					if _, err := a.Replicas().Beat(beating); err != nil && beating.Err() == nil {
						t.Errorf("who was there: %v", err)
						return
					}
				}
			})
			b.Replicas().WatchFor(time.Minute)
			_, err := b.Replicas().Join(t.Context(), tt.comes, "test")
			if p := storetest.Problem(err); p.Code != tt.refused || err != nil && !strings.Contains(p.Hint, "-replica") {
				t.Errorf("who comes: %v", err)
			}
			end()
			beats.Wait()
			storetest.Must(t, a.SetServerSetting(t.Context(), "x", "still there"))
		})
	}
}

// Two that come at the same moment find each other.
func TestOfTwoThatComeTogetherOneIsThere(t *testing.T) {
	url := storetest.Database(t)
	a, b, before := storetest.OpenShared(t, url), storetest.OpenShared(t, url), storetest.OpenShared(t, url)
	storetest.Must(t, storetest.Second(before.Replicas().Join(t.Context(), "", "test"))) // and was killed
	var errs [2]error
	var both sync.WaitGroup
	for i, db := range []*store.DB{a, b} {
		db.Replicas().WatchFor(30 * time.Millisecond)
		both.Go(func() { _, errs[i] = db.Replicas().Join(t.Context(), "", "test") })
	}
	both.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Errorf("they came with %v and %v", errs[0], errs[1])
	}
}

// A beat that the database doesn't answer is given up long before this process would be
// gone for it, and the next one has another connection.
func TestABeatIsNotWaitedForLong(t *testing.T) {
	all, _ := storetest.Replicas(t, 2)
	a, b := all[0].Replicas(), all[1]
	storetest.Must(t, storetest.Second(a.Beat(t.Context())))
	held, release, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- b.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
			// What the beat changes is changed by somebody who isn't through with it.
			if _, err := w.Exec("SET LOCAL idle_in_transaction_session_timeout = 0"); err != nil {
				return err
			}
			if err := w.Scan("UPDATE replicas SET leaving = 0 WHERE n = ? RETURNING n", []any{all[0].Engine().Holder()}, new(int64)); err != nil {
				return err
			}
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	if _, err := a.Beat(t.Context()); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a beat that has to wait: %v", err)
	}
	close(release)
	storetest.Must(t, <-done)
	if there, err := a.Beat(t.Context()); err != nil || len(there) != 2 {
		t.Errorf("the next one: %v, %v", there, err)
	}
}

// Who comes to what is moved, or half moved, is refused.
func TestWhatIsMovedIsNotJoined(t *testing.T) {
	ctx := t.Context()
	url := storetest.Database(t)
	a, b := storetest.OpenShared(t, url), storetest.OpenShared(t, url)
	for _, name := range []string{engine.MovingOutName, engine.MovingInName, engine.MovedName} {
		exec := func(query string, args ...any) {
			t.Helper()
			storetest.Must(t, a.Engine().Write(ctx, 0, func(w *engine.Tx) error { return storetest.Second(w.Exec(query, args...)) }))
		}
		exec("INSERT INTO meta (name, value) VALUES (?, ?)", name, []byte("{}"))
		if _, err := b.Replicas().Join(ctx, "http://replica-2:8081", "test"); storetest.Problem(err).Code != "being_moved" {
			t.Errorf("%s: who comes: %v", name, err)
		}
		exec("DELETE FROM meta WHERE name = ?", name)
	}
	storetest.Must(t, storetest.Second(b.Replicas().Join(ctx, "http://replica-2:8081", "test")))
}

// All that are there can be let go: they write nothing more, and what they held is
// nobody's.
func TestAllAreLetGo(t *testing.T) {
	ctx := t.Context()
	url := storetest.Database(t)
	a, b, mover := storetest.OpenShared(t, url), storetest.OpenShared(t, url), storetest.OpenShared(t, url)
	owner, err := a.EnsureLocalUser(ctx)
	storetest.Must(t, err,
		storetest.Second(a.Replicas().Join(ctx, "http://replica-1:8081", "test")), storetest.StartTurn(a, owner, storetest.NewStart("", "hello")),
		storetest.Second(b.Replicas().Join(ctx, "http://replica-2:8081", "test")), storetest.StartTurn(b, owner, storetest.NewStart("", "hello")))
	storetest.Must(t, mover.Engine().Write(ctx, 0, replicas.LetAllGo))
	wantHeld(t, mover, "nobody", 2, 0)
	for _, db := range []*store.DB{a, b} {
		if err := db.SetServerSetting(ctx, "x", "late"); !errors.Is(err, engine.ErrUnsettled) {
			t.Errorf("who was there writes: %v", err)
		}
		if _, err := db.Replicas().Beat(ctx); !errors.Is(err, engine.ErrUnsettled) {
			t.Errorf("its beat: %v", err)
		}
	}
}

// What was set aside by one that left is somebody's again.
func TestWhatIsSetAsideIsAdopted(t *testing.T) {
	ctx := t.Context()
	all, owner := storetest.Replicas(t, 2)
	a, b := all[0], all[1]
	storetest.Must(t, storetest.Second(a.SetAside(ctx, payer.Claim{Owner: owner, For: uuid.NewString(), NanoUSD: 5})), a.Replicas().Left(ctx))
	if some, err := b.Replicas().Adopt(ctx); err != nil || !some {
		t.Errorf("there is nothing of nobody's: %v, %v", some, err)
	}
	storetest.Must(t, b.PutBackLeft(ctx, func(string, string) bool { return false }))
	if aside, err := b.AsideForEverybody(ctx); err != nil || aside != 0 {
		t.Errorf("%d is set aside, %v", aside, err)
	}
}

// Who may write is looked for in the transaction, so a group that was begun before
// somebody was found gone can't end after it.
func TestAWriteUnderWayEndsBeforeATakeOver(t *testing.T) {
	ctx := context.Background()
	all, _ := storetest.Replicas(t, 2)
	a, b := all[0], all[1]
	inside, goOn, done := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- a.Engine().Write(ctx, 0, func(w *engine.Tx) error {
			if _, err := w.Exec("INSERT INTO meta (name, value) VALUES ('early', x'') ON CONFLICT DO NOTHING"); err != nil {
				return err
			}
			close(inside)
			<-goOn
			return nil
		})
	}()
	<-inside
	taken := make(chan bool)
	go func() {
		won, err := b.Replicas().TakeOver(ctx, a.Engine().Holder())
		if err != nil {
			t.Error(err)
		}
		taken <- won
	}()
	select {
	case <-taken:
		t.Error("it was taken over in the middle of its write")
	default:
	}
	close(goOn)
	if err := <-done; err != nil {
		t.Errorf("the write that was begun before: %v", err)
	}
	if !<-taken {
		t.Error("it was not taken over")
	}
	if err := a.SetServerSetting(ctx, "x", "late"); err == nil || !strings.Contains(err.Error(), "taken over") {
		t.Errorf("the next one: %v", err)
	}
}
