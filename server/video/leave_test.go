package video_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	leaving "screentest/server/account"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Whoever leaves settles no doubt and enters no key: such tasks are given up, and
// what was reserved for them with them. One that is being made goes on, and
// nobody else's is touched.
func TestWhatNobodyAsksAboutIsGivenUp(t *testing.T) {
	b := &purse{left: 1e12}
	var refuse atomic.Bool
	w := newWorld(t, budget(b), front(func(next http.Handler) http.Handler {
		return drop("POST", gateway.Video.Path(), 1)(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refuse.Load() && r.Method == "GET" && strings.HasPrefix(r.URL.Path, gateway.Video.Path()+"/") {
				w.WriteHeader(http.StatusUnauthorized)
				return
			}
			next.ServeHTTP(w, r)
		}))
	}))
	unknown := w.create(body("lost on the way"))
	w.awaitState(unknown, wire.VideoUnknown)
	done := w.create(body("made"))
	w.awaitSaved(done)
	refuse.Store(true)
	paused := w.create(body("locked out"))
	w.await(paused, "paused", func(t wire.VideoTask) bool { return t.Pause == wire.PauseKey })

	if err := w.GiveUp(t.Context(), storetest.AddUser(t, w.db, "another")); err != nil || w.task(unknown).State != wire.VideoUnknown {
		t.Fatalf("somebody else's: %v", err)
	}
	if err := w.GiveUp(t.Context(), w.owner); err != nil {
		t.Fatal(err)
	}
	for id, state := range map[string]wire.VideoState{unknown: wire.VideoRefused, paused: wire.VideoLost, done: wire.VideoDone} {
		if now := w.task(id); now.State != state || state != wire.VideoDone && (now.Problem == nil || now.Problem.Code != "given_up") {
			t.Errorf("%s is %s, %+v", id, now.State, now.Problem)
		}
	}
	if n := b.reserved(); n != 0 {
		t.Errorf("%d nano-USD stay reserved", n)
	}
	if spent := w.spent(); spent != 2*180_000_000 {
		t.Errorf("the ledger says %d: what was charged stays so", spent)
	}
}

// A gateway that is silent for a moment loses nobody's clip: it is given up only
// once it should have ended long ago.
func TestASilentGatewayIsWaitedForBeforeAClipIsGivenUp(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	w := newWorld(t, polls(func(w http.ResponseWriter, _ *http.Request) bool {
		if broken.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
		return broken.Load()
	}))
	silent := func(id string) {
		t.Helper()
		w.await(id, "silent", func(t wire.VideoTask) bool { return t.Pause == wire.PauseSilent })
	}
	id := w.create(body("patience"))
	silent(id)
	if err := w.GiveUp(t.Context(), w.owner); err != nil || !w.task(id).State.Open() {
		t.Fatalf("%+v, %v", w.task(id), err)
	}
	broken.Store(false)
	if done := w.awaitSaved(id); done.Problem != nil {
		t.Errorf("%+v", done)
	}
	w.balanced()

	broken.Store(true)
	old := w.create(body("for ever"))
	silent(old)
	w.mu.Lock()
	w.offset = gateway.StaleAfter
	w.mu.Unlock()
	if err := w.GiveUp(t.Context(), w.owner); err != nil {
		t.Fatal(err)
	}
	if now := w.task(old); now.State != wire.VideoLost || now.Problem == nil || now.Problem.Code != "given_up" {
		t.Errorf("%s, %+v", now.State, now.Problem)
	}
}

// A file that is still to be copied when a clip is handed over is copied for its
// heir.
func TestCopiesGoOnForAnHeir(t *testing.T) {
	var closed atomic.Bool
	closed.Store(true)
	w := newWorld(t, limits(video.Limits{RetryCopy: 20 * time.Millisecond}), front(func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if closed.Load() && strings.HasPrefix(r.URL.Path, "/files/") {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			next.ServeHTTP(w, r)
		})
	}))
	id := w.create(body("handed over"))
	w.awaitState(id, wire.VideoDone)
	heir := storetest.AddUser(t, w.db, "heir")
	storetest.Must(t, w.db.Engine().Write(t.Context(), 0, func(tx *engine.Tx) error {
		_, err := tx.Exec("UPDATE users SET email = name || '@example.com', id = randomblob(16) WHERE n = ?", engine.ParseOwner(heir))
		return err
	}))
	v := leaving.Leaving{Person: w.owner, Heir: heir, Erase: true}
	off := w.db.Leavings()
	e, err := off.Begin(t.Context(), v, w.origin)
	storetest.Must(t, err)
	for more := true; more; {
		_, _, more, err = off.Step(t.Context(), v)
		storetest.Must(t, err)
	}
	if more, err := off.Finish(t.Context(), v, e); more || err != nil {
		t.Fatal(more, err)
	}
	storetest.Must(t, w.HandedOver(t.Context(), heir))
	closed.Store(false)
	w.until(func() bool {
		o, err := w.Open(t.Context(), heir, id)
		storetest.Must(t, err)
		return o.Task.Archived
	})
	if len(w.archived()) != 1 {
		t.Errorf("the archive has %q", w.archived())
	}
}
