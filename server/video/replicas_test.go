package video_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/server/store/storetest"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// A replica that is found gone in the middle of a creation, and lives on: the clip is
// unknown to who takes over, and reserved; the answer, which comes to the one that is
// gone, changes nothing; and it is sent once.
func TestAReplicaGoneInMidCreate(t *testing.T) {
	held := newGate()
	// The gateway has made it, and its answer is on the way.
	rs := newReplicas(t, 2, rig{speed: 1500, front: func(i int, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r)
			if i == 0 && r.Method == http.MethodPost {
				held.pass(r)
			}
		})
	}})
	a, b := rs.all[0], rs.all[1]
	id := a.create(body("in between"))
	<-held.reached
	// While it is sent there, nothing makes it unknown.
	rs.takeUp(0)
	if got := a.task(id); got.State != wire.VideoCreating {
		t.Fatalf("sent right now: %+v", got)
	}
	price := a.task(id).PriceNanoUSD
	rs.takes(1, 0)
	unknown := b.awaitState(id, wire.VideoUnknown)
	if !unknown.Reserved || unknown.Charged || rs.aside() != price {
		t.Errorf("G35: %+v, %d set aside", unknown, rs.aside())
	}
	close(held.open) // the answer comes, too late
	closing, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := a.Close(closing); err != nil {
		t.Error(err)
	}
	if got := b.task(id); got.State != wire.VideoUnknown || got.Remote != "" {
		t.Errorf("after the answer %+v", got)
	}
	if strings.Contains(a.logs.text(), "level=ERROR") {
		t.Error("the one that is gone complains")
	}
	// What became of it a person finds out, and says so to who has taken over.
	var remote string
	for _, e := range b.account().Entries {
		if e.Kind == wire.KindCharge {
			remote = e.Subject
		}
	}
	if _, err := b.Settle(t.Context(), b.owner, key, wire.VideoSettle{ID: id, Outcome: wire.WentThrough, Remote: remote}); err != nil {
		t.Fatal(err)
	}
	b.awaitSaved(id)
	if n := rs.creations(); n != 1 || rs.aside() != 0 {
		t.Errorf("sent %d times, %d set aside in the end", n, rs.aside())
	}
	b.balanced()
}

// A replica that dies while it polls: another one polls on, and charge and return are
// booked once.
func TestAReplicaKilledInMidPoll(t *testing.T) {
	rs := newReplicas(t, 2, rig{speed: 300})
	a, b := rs.all[0], rs.all[1]
	good, bad := a.create(body("goes on")), a.create(body("[[fail: in the end]]"))
	a.awaitState(good, wire.VideoQueued)
	a.awaitState(bad, wire.VideoQueued)
	if err := a.db.Close(); err != nil { // nothing that it does is stored from here on
		t.Fatal(err)
	}
	rs.takes(1, 0)
	b.awaitSaved(good)
	if failed := b.awaitState(bad, wire.VideoFailed); !failed.Returned {
		t.Errorf("F112: %+v", failed)
	}
	var kinds []string
	for _, r := range storetest.LedgerRows(t, b.db, b.owner) {
		kinds = append(kinds, r.Kind)
	}
	if slices.Sort(kinds); !slices.Equal(kinds, []string{"charge", "charge", "return"}) {
		t.Errorf("booked %q", kinds)
	}
	if rs.creations() != 2 || rs.aside() != 0 {
		t.Errorf("sent %d times, %d set aside", rs.creations(), rs.aside())
	}
	b.balanced()
}

// A replica that dies while it copies a file: another one copies it, from its
// beginning, and the one that is gone makes nothing of what it has.
func TestAReplicaGoneInMidArchive(t *testing.T) {
	held := newGate()
	rs := newReplicas(t, 2, rig{speed: 1500, front: func(i int, next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasPrefix(r.URL.Path, "/files/") {
				held.pass(r)
			}
			next.ServeHTTP(w, r)
		})
	}})
	a, b := rs.all[0], rs.all[1]
	id := a.create(body("copied twice"))
	<-held.reached
	rs.takes(1, 0)
	saved := b.awaitSaved(id)
	close(held.open)
	closing, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := a.Close(closing); err != nil {
		t.Error(err)
	}
	if got := b.task(id); got.Version != saved.Version || !got.Archived {
		t.Errorf("after the late copy %+v, was %+v", got, saved)
	}
	if files := b.archived(); len(files) != 1 || files[0] != saved.Outputs[0].SHA256 {
		t.Errorf("archived %q, want %s", files, saved.Outputs[0].SHA256)
	}
}

// What people do on one replica to a clip that another one holds.
func TestActsOnWhatAnotherReplicaHolds(t *testing.T) {
	t.Run("check now", func(t *testing.T) {
		rs := newReplicas(t, 2, rig{speed: 1, limits: video.Limits{Pace: 0.001}}) // by itself it is asked about after hours
		a, b := rs.all[0], rs.all[1]
		id := a.create(body("slow"))
		remote := a.awaitState(id, wire.VideoQueued).Remote
		rs.polled()
		if err := b.Check(t.Context(), b.owner, key, id); err != nil {
			t.Fatal(err)
		}
		b.until(func() bool {
			rs.mu.Lock()
			defer rs.mu.Unlock()
			return rs.polls[0][remote] == 1
		})
		if n := rs.polled()[1][remote]; n != 0 {
			t.Errorf("who doesn't hold it asked %d times", n)
		}
		// How far it is is known there, too.
		b.until(func() bool {
			if err := b.Check(t.Context(), b.owner, key, id); err != nil {
				t.Fatal(err)
			}
			return b.task(id).CheckedMS > 0
		})
	})

	t.Run("settle", func(t *testing.T) {
		rs := newReplicas(t, 2, rig{speed: 1500, front: func(_ int, next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && r.URL.Path == gateway.Video.Path() {
					panic(http.ErrAbortHandler) // nothing comes of any creation
				}
				next.ServeHTTP(w, r)
			})
		}})
		a, b := rs.all[0], rs.all[1]
		var ids []string
		for range 2 {
			ids = append(ids, a.create(body("lost")))
			a.awaitState(ids[len(ids)-1], wire.VideoUnknown)
		}
		if _, err := b.Settle(t.Context(), b.owner, key, wire.VideoSettle{ID: ids[0], Outcome: wire.DidNot}); err != nil {
			t.Fatal(err)
		}
		if got := a.task(ids[0]); got.State != wire.VideoRefused {
			t.Errorf("elsewhere it is %+v", got)
		}
		if want := a.task(ids[1]).PriceNanoUSD; rs.aside() != want {
			t.Errorf("%d set aside, want %d", rs.aside(), want)
		}
		var out struct {
			ID string `json:"id"`
		}
		b.ask("POST", gateway.Video.Path(), string(body("it went through")), &out)
		made := out.ID
		rs.polled()
		if _, err := b.Settle(t.Context(), b.owner, key, wire.VideoSettle{ID: ids[1], Outcome: wire.WentThrough, Remote: made}); err != nil {
			t.Fatal(err)
		}
		b.awaitSaved(ids[1])
		if asked := rs.polled(); asked[0][made] != 0 || asked[1][made] == 0 {
			t.Errorf("who settles it asks about it: %v", asked)
		}
		if rs.aside() != 0 {
			t.Errorf("%d set aside in the end", rs.aside())
		}
	})

	t.Run("another key", func(t *testing.T) {
		const wrong = "sk-canary-revoked"
		l := &locks{good: map[string]bool{wrong: true, canary: true}, asked: map[string]string{}}
		rs := newReplicas(t, 2, rig{speed: 100, front: func(_ int, next http.Handler) http.Handler { return l.front(next) }})
		a, b := rs.all[0], rs.all[1]
		id := uuid.NewString()
		by := payer.Payer{Owner: a.owner, Secret: wrong}
		if _, err := a.Create(t.Context(), by, wire.VideoCreate{ID: id, Body: body("locked out")}); err != nil {
			t.Fatal(err)
		}
		a.awaitState(id, wire.VideoQueued)
		l.set(func() { l.good[wrong] = false })
		a.await(id, "paused", func(t wire.VideoTask) bool { return t.Pause == wire.PauseKey })
		by.Secret = canary
		if err := b.KeyEntered(t.Context(), by); err != nil {
			t.Fatal(err)
		}
		if err := a.Rekeyed(t.Context(), a.owner); err != nil { // as the database tells
			t.Fatal(err)
		}
		a.awaitSaved(id)
	})

	t.Run("a copy that was given up", func(t *testing.T) {
		var room atomic.Bool
		rs := newReplicas(t, 2, rig{speed: 1500, free: func(string) int64 {
			if room.Load() {
				return 1 << 40
			}
			return 0
		}})
		a, b := rs.all[0], rs.all[1]
		id := a.create(body("no room there"))
		a.await(id, "without room", func(t wire.VideoTask) bool {
			return len(t.Outputs) > 0 && t.Outputs[0].Archive == wire.ArchiveFull
		})
		room.Store(true)
		if err := b.Check(t.Context(), b.owner, key, id); err != nil {
			t.Fatal(err)
		}
		a.awaitSaved(id)
		if n := len(b.archived()); n != 0 {
			t.Errorf("%d files where it isn't held", n)
		}
	})

	t.Run("deleted and had back", func(t *testing.T) {
		rs := newReplicas(t, 2, rig{speed: 1})
		a, b := rs.all[0], rs.all[1]
		id := a.create(body("here and there"))
		a.awaitState(id, wire.VideoQueued)
		yes := true
		if got, err := b.Edit(t.Context(), b.owner, wire.VideoEdit{ID: id, Favourite: &yes}); err != nil || !got.Favourite {
			t.Fatal(got, err)
		}
		if err := b.Delete(t.Context(), b.owner, id); err != nil {
			t.Fatal(err)
		}
		if !a.task(id).Deleted || !a.task(id).Favourite {
			t.Errorf("elsewhere it is %+v", a.task(id))
		}
		if err := b.Purge(t.Context(), b.owner, id); problemOf(t, err).Code != "conflict" {
			t.Errorf("purged while it is made: %v", err)
		}
		if _, err := b.Undelete(t.Context(), b.owner, id); err != nil || a.task(id).Deleted {
			t.Errorf("had back: %+v, %v", a.task(id), err)
		}
	})

	t.Run("of one that is gone", func(t *testing.T) {
		rs := newReplicas(t, 2, rig{speed: 1500})
		a, b := rs.all[0], rs.all[1]
		id := a.create(body("an orphan"))
		a.awaitSaved(id)
		rs.takes(1, 0) // nothing was left to do with it
		if err := b.Check(t.Context(), b.owner, key, id); err != nil {
			t.Error(err)
		}
	})
}

// Of two hundred open clips each is asked about by exactly one of three replicas: while
// all are there, after one has left, and after another one has died.
func TestEachClipIsPolledByOneReplica(t *testing.T) {
	const clips = 200
	rs := newReplicas(t, 3, rig{speed: 0.05}) // they don't end
	var remotes []string
	for i := range clips {
		w := rs.all[i%3]
		id := w.create(body(fmt.Sprint("clip ", i)))
		remotes = append(remotes, w.awaitState(id, wire.VideoQueued).Remote)
	}
	by := func(when string, want ...int) {
		t.Helper()
		rs.polled()
		count := map[string][]int{}
		rs.all[0].until(func() bool {
			for i, asked := range rs.polled() {
				for id := range asked {
					if !slices.Contains(count[id], i) {
						count[id] = append(count[id], i)
					}
				}
			}
			return len(count) == clips
		})
		// Once more: whoever else asks would have by now.
		for range 2 {
			seen := map[string]bool{}
			rs.all[0].until(func() bool {
				for i, asked := range rs.polled() {
					for id := range asked {
						seen[id] = true
						if !slices.Contains(count[id], i) {
							count[id] = append(count[id], i)
						}
					}
				}
				return len(seen) == clips
			})
		}
		who := map[int]int{}
		for _, id := range remotes {
			if len(count[id]) != 1 {
				t.Errorf("%s: %s is asked about by %v", when, id, count[id])
				continue
			}
			who[count[id][0]]++
		}
		if got := slices.Sorted(maps.Keys(who)); !slices.Equal(got, want) {
			t.Errorf("%s: asked by %v, want %v", when, who, want)
		}
	}
	by("all three", 0, 1, 2)

	// One leaves: what it holds is nobody's, and the next that looks takes it.
	leaver := rs.all[0]
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := leaver.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if err := leaver.db.Replicas().Left(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := 1; i < 3; i++ {
		some, err := rs.all[i].db.Replicas().Adopt(t.Context())
		if err != nil || some != (i == 1) {
			t.Fatal(i, some, err)
		}
		if some {
			rs.takeUp(i)
		}
	}
	by("one has left", 1, 2)

	if err := rs.all[1].db.Close(); err != nil {
		t.Fatal(err)
	}
	rs.takes(2, 1)
	if err := rs.all[1].Close(ctx); err != nil { // a process that is dead asks nobody
		t.Fatal(err)
	}
	by("one has died", 2)
	if n := rs.creations(); n != clips {
		t.Errorf("%d creations", n)
	}
}
