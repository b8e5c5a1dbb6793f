package share_test

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"testing"
	"time"

	"screentest/server/share"
	"screentest/server/sight"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// world is a Service over a store: ann shares, and bob and cleo are in a team with
// her.
type world struct {
	*share.Service
	db             *store.DB
	ann, bob, cleo string
	ids            map[string]string
	team, chat     string

	mu       sync.Mutex
	links    bool
	told     []string
	noted    []string
	notified []string
	ahead    time.Duration // of the clock
}

func newWorld(t *testing.T) *world {
	w := &world{ids: map[string]string{}, links: true}
	now := func() time.Time {
		w.mu.Lock()
		defer w.mu.Unlock()
		return time.Now().Add(w.ahead)
	}
	w.db = storetest.Open(t, storetest.Folder(t), store.Options{Now: now})
	for to, name := range map[*string]string{&w.ann: "Ann", &w.bob: "Bob", &w.cleo: "Cleo"} {
		var id string
		*to, id = storetest.Join(t, w.db, name, wire.RoleMember)
		w.ids[*to] = id
	}
	w.team = storetest.Team(t, w.db, "Red", wire.Limits{}, w.ids[w.ann], w.ids[w.bob], w.ids[w.cleo])
	s := storetest.NewStart("", "of Ann's")
	storetest.Must(t, storetest.StartTurn(w.db, w.ann, s))
	w.chat = s.Conversation
	add := func(to *[]string, of ...string) {
		w.mu.Lock()
		defer w.mu.Unlock()
		*to = append(*to, of...)
	}
	w.Service = share.New(share.Config{
		Store: w.db.Shares(), Links: func() bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.links
		},
		Tell:      func(owners []string) { add(&w.told, owners...) },
		Everybody: func() []string { return []string{"everybody"} },
		Snapshot:  w.db.Snapshot,
		CopyTo:    func(context.Context, string, sight.Sight, wire.CopyShare) (string, error) { return "copy", nil },
		Clip: func(ctx context.Context, owner, id string) (wire.VideoTask, error) {
			return w.db.Videos().Task(ctx, owner, id)
		},
		Note:   func(_ context.Context, action, object string, _ map[string]any) { add(&w.noted, action) },
		Notify: func(_ context.Context, owners []string, n wire.Notice) { add(&w.notified, owners...) },
		Now:    now,
	})
	t.Cleanup(w.Close)
	return w
}

func (w *world) shared(t *testing.T, audience string, to ...string) (id, token string) {
	t.Helper()
	id, token, err := w.Make(t.Context(), w.ann, "Ann", wire.NewShare{Kind: wire.ShareConversation, ID: w.chat, Audience: audience, To: to, Live: true, Hours: 1})
	storetest.Must(t, err)
	return id, token
}

// looks is a look that hasn't ended yet; over is closed when it has.
func (w *world) looks(share, asker string) (over chan struct{}) {
	over = make(chan struct{})
	w.Hold(share, asker, sync.OnceFunc(func() { close(over) }))
	return over
}

func ended(over chan struct{}, within time.Duration) bool {
	select {
	case <-over:
		return true
	case <-time.After(within):
		return false
	}
}

// Who looks is sent away within a second when they may look no more, and nobody
// else is.
func TestLookingEnds(t *testing.T) {
	active := func(w *world, owner string, is bool) error {
		return w.db.ChangePerson(context.Background(), owner, wire.PersonChange{Active: &is})
	}
	for name, c := range map[string]struct {
		end             func(ctx context.Context, w *world, byTeam, byLink string) error
		team, link, own bool // whose look of Bob's, of nobody's by the link, and of Ann's own ends
		cleo            bool // hers, who is in the team too
	}{
		"taken back": {end: func(ctx context.Context, w *world, byTeam, _ string) error { return w.Revoke(ctx, w.ann, byTeam) }, team: true, own: true, cleo: true},
		"left the team": {end: func(ctx context.Context, w *world, _, _ string) error {
			err := w.db.TakeFromTeam(ctx, w.team, w.ids[w.bob])
			w.PeopleChanged(nil)
			return err
		}, team: true},
		"the team deleted": {end: func(ctx context.Context, w *world, _, _ string) error {
			err := w.db.DeleteTeam(ctx, w.team)
			w.PeopleChanged(nil)
			return err
		}, team: true, cleo: true, own: true},
		"who looks is deactivated": {end: func(_ context.Context, w *world, _, _ string) error {
			err := active(w, w.bob, false)
			w.PeopleChanged(nil)
			return err
		}, team: true},
		"whose it is is deactivated": {end: func(_ context.Context, w *world, _, _ string) error {
			err := active(w, w.ann, false)
			w.PeopleChanged(nil)
			return err
		}, team: true, cleo: true, link: true, own: true},
		"links are switched off": {end: func(ctx context.Context, w *world, _, _ string) error { return w.LinksOff(ctx) }, link: true},
		"the conversation deleted": {end: func(ctx context.Context, w *world, _, _ string) error {
			gone := w.Ending(ctx, w.ann, wire.ShareConversation, w.chat)
			err := w.db.DeleteConversation(ctx, w.ann, w.chat)
			gone()
			return err
		}, team: true, cleo: true, link: true, own: true},
		"over": {end: func(_ context.Context, w *world, _, _ string) error {
			w.mu.Lock()
			w.ahead = time.Hour + time.Second
			w.mu.Unlock()
			w.Recheck(nil, false) // a clock that was set: the timer runs as long as it was to
			return nil
		}, team: true, cleo: true, link: true, own: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			byTeam, _ := w.shared(t, wire.ShareWithTeam, w.team)
			byLink, token := w.shared(t, wire.ShareByLink)
			if _, err := w.See(t.Context(), token, ""); err != nil {
				t.Fatal(err)
			}
			looks := map[string]struct {
				over chan struct{}
				ends bool
			}{
				"Bob's":       {w.looks(byTeam, w.bob), c.team},
				"Bob's other": {w.looks(byTeam, w.bob), c.team},
				"Cleo's":      {w.looks(byTeam, w.cleo), c.cleo},
				"Ann's own":   {w.looks(byTeam, w.ann), c.own},
				"the link's":  {w.looks(byLink, ""), c.link},
			}
			storetest.Must(t, c.end(t.Context(), w, byTeam, byLink))
			for whose, look := range looks {
				if look.ends && !ended(look.over, time.Second) {
					t.Errorf("%s look goes on", whose)
				}
			}
			for whose, look := range looks {
				if !look.ends && ended(look.over, 20*time.Millisecond) {
					t.Errorf("%s look ended", whose)
				}
			}
			if late := w.looks(byTeam, w.bob); ended(late, 20*time.Millisecond) != c.team {
				t.Errorf("who comes when it has ended looks on: %v", !c.team)
			}
			if _, err := w.See(t.Context(), token, ""); errors.Is(err, fs.ErrNotExist) != c.link {
				t.Errorf("by the link: %v", err)
			}
		})
	}
}

// The timer ends a look by itself, without anything that changes.
func TestAShareIsOverByItself(t *testing.T) {
	w := newWorld(t)
	w.mu.Lock()
	w.ahead = -time.Hour + 300*time.Millisecond // what is made now for an hour is over in a moment
	w.mu.Unlock()
	id, _ := w.shared(t, wire.ShareWithPeople, w.ids[w.bob])
	w.mu.Lock()
	w.ahead = 0
	w.mu.Unlock()
	w.Recheck(nil, false) // a clock that was set
	if over := w.looks(id, w.bob); !ended(over, 10*time.Second) {
		t.Error("it isn't over")
	}
	eventually(t, func() bool {
		return len(storetest.Got(w.db.Shares().Of(t.Context(), w.ann, wire.ShareConversation, w.chat))) == 0
	})
}

func TestWhoHasLookedAwayIsNotTold(t *testing.T) {
	w := newWorld(t)
	id, _ := w.shared(t, wire.ShareWithPeople, w.ids[w.bob])
	away := make(chan struct{})
	release := w.Hold(id, w.bob, func() { close(away) })
	release()
	release() // once more does nothing
	over := w.looks(id, w.bob)
	storetest.Must(t, w.Revoke(t.Context(), w.ann, id))
	if !ended(over, time.Second) {
		t.Error("who looks goes on")
	}
	if ended(away, 20*time.Millisecond) {
		t.Error("who looked away was told")
	}
}

func eventually(t *testing.T, so func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !so(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it isn't so after ten seconds")
		}
	}
}
