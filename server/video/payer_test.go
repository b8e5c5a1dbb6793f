package video_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// locks are a gateway with several keys, all for one account.
type locks struct {
	mu    sync.Mutex
	good  map[string]bool
	asked map[string]string // the key that each task was last asked about with
	busy  bool              // no task is told about
}

func (l *locks) front(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		l.mu.Lock()
		good, busy := l.good[key], l.busy
		_, id, poll := strings.Cut(r.URL.Path, "/task_")
		if poll && good {
			l.asked["task_"+id] = key
		}
		l.mu.Unlock()
		switch {
		case key != "" && !good:
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte(`{"error":{"message":"invalid key","code":"invalid_api_key"}}`))
			return
		case poll && good && busy:
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		case good:
			r.Header.Set("Authorization", "Bearer "+canary)
		}
		next.ServeHTTP(w, r)
	})
}

func (l *locks) set(fn func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fn()
}

func (l *locks) key(remote string) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked[remote]
}

// A team's key that is changed is that of all its people's open clips from then
// on, and of nothing else: also where the gateway has refused the old one, which
// says whom to ask, and after a start.
func TestATeamsKeyIsChanged(t *testing.T) {
	const old, better, own = "sk-canary-team-old", "sk-canary-team-new", "sk-canary-own"
	l := &locks{good: map[string]bool{old: true, own: true}, asked: map[string]string{}, busy: true}
	w := newWorld(t, front(l.front))
	ann, annID := storetest.Join(t, w.db, "ann", wire.RoleMember)
	bob, bobID := storetest.Join(t, w.db, "bob", wire.RoleMember)
	red := storetest.Team(t, w.db, "red", wire.Limits{}, annID, bobID)
	blue := storetest.Team(t, w.db, "blue", wire.Limits{}, annID)
	type clip struct{ owner, id string }
	send := func(by payer.Payer) clip {
		t.Helper()
		c := clip{by.Owner, uuid.NewString()}
		if _, err := w.Create(t.Context(), by, wire.VideoCreate{ID: c.id, Body: body("a clip")}); err != nil {
			t.Fatal(err)
		}
		w.awaitState(c.id, wire.VideoQueued)
		return c
	}
	remote := func(c clip) string {
		t.Helper()
		task, err := w.db.Videos().Task(t.Context(), c.owner, c.id)
		if err != nil {
			t.Fatal(err)
		}
		return task.Remote
	}
	team := []clip{send(payer.Payer{Owner: ann, Team: red, Label: "red", Secret: old}), send(payer.Payer{Owner: bob, Team: red, Label: "red", Secret: old})}
	others := []clip{send(payer.Payer{Owner: ann, Label: "personal", Secret: own}), send(payer.Payer{Owner: ann, Team: blue, Label: "blue", Secret: own})}

	// The old one is good still.
	l.set(func() { l.good[better] = true })
	if err := w.KeyChanged(t.Context(), payer.Payer{Team: red, Secret: better}); err != nil {
		t.Fatal(err)
	}
	w.until(func() bool { return l.key(remote(team[0])) == better && l.key(remote(team[1])) == better })
	l.set(func() { l.good[old] = false; clear(l.asked) })
	w.until(func() bool { return l.key(remote(others[0])) == own && l.key(remote(others[1])) == own })

	// After a start it is so still.
	w.stop()
	l.set(func() { clear(l.asked) })
	w.start()
	w.until(func() bool { return l.key(remote(team[0])) == better && l.key(remote(team[1])) == better })

	// It is refused, and says whom to ask; the others go on.
	l.set(func() { l.good[better] = false })
	for _, c := range team {
		paused := w.await(c.id, "paused", func(t wire.VideoTask) bool { return t.Pause == wire.PauseKey })
		if p := paused.PollProblem; p == nil || p.Code != "key_refused" || !strings.Contains(p.Hint, "Ask Lea") {
			t.Errorf("%+v", paused.PollProblem)
		}
	}
	l.set(func() { l.good[old], l.busy = true, false })
	for _, c := range others {
		w.awaitState(c.id, wire.VideoDone)
	}
	if err := w.KeyChanged(t.Context(), payer.Payer{Team: red, Secret: old}); err != nil {
		t.Fatal(err)
	}
	for _, c := range team {
		w.awaitState(c.id, wire.VideoDone)
	}
	// Each is paid by whom it was sent for.
	for _, of := range []struct {
		team string
		want int64
	}{{red, 2}, {blue, 1}} {
		page, err := w.db.LedgerOfEverybody(t.Context(), ann, wire.LedgerQuery{Of: wire.Of{Team: of.team}})
		if err != nil || page.Total.Rows != of.want {
			t.Errorf("%+v, %v; want %d rows", page, err, of.want)
		}
	}
}

// A model that the payer may not use is refused before anything is stored.
func TestAModelThatThePayerMayNotUse(t *testing.T) {
	w := newWorld(t)
	id := uuid.NewString()
	by := payer.Payer{Owner: w.owner, Secret: canary, Models: []string{"vendor/*"}, Name: "the team red", Ask: "Ask Lea"}
	_, err := w.Create(t.Context(), by, wire.VideoCreate{ID: id, Body: gateway.VideoRequest{Model: "beta-video-480p", Prompt: "x", Seconds: "6"}.Body()})
	p := problemOf(t, err)
	if p.Code != wire.CodeModelNotAllowed || p.Field != "model" || !strings.Contains(p.Message, "the team red") || !strings.Contains(p.Hint, "Ask Lea.") {
		t.Errorf("%+v", p)
	}
	if task, err := w.db.Videos().Task(t.Context(), w.owner, id); err == nil {
		t.Errorf("stored: %+v", task)
	}
}
