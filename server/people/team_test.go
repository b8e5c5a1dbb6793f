package people_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// heard is a Listener that remembers.
type heard struct {
	mu      sync.Mutex
	ended   []string
	changed []string
}

func (h *heard) SessionsEnded(ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ended = append(h.ended, ids...)
}

func (h *heard) PeopleChanged(owners []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.changed = append(h.changed, owners...)
}

func (h *heard) takes() (ended, changed []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ended, changed = h.ended, h.changed
	h.ended, h.changed = nil, nil
	return ended, changed
}

// house is a Directory over a real store, with a first admin.
type house struct {
	*people.Directory
	t     testing.TB
	db    *store.DB
	ann   string
	heard heard
}

func newHouse(t testing.TB) *house {
	t.Helper()
	db, local := storetest.OpenLocal(t)
	hash := account.Hash("set-up")
	storetest.Must(t, db.MakeLink(t.Context(), "setup", "", "test", hash, time.Hour))
	ann, err := db.SetUp(t.Context(), hash, "Ann", "ann@example.com", "")
	storetest.Must(t, err)
	h := &house{t: t, db: db, ann: ann}
	h.open(local)
	return h
}

func (h *house) open(owner string) {
	h.t.Helper()
	d, err := people.New(h.t.Context(), people.Config{
		Sessions: h.db, Owner: owner, Addr: "127.0.0.1:8080", Team: true, Accounts: h.db, Keys: h.db, Settings: h.db,
	})
	storetest.Must(h.t, err)
	h.Directory = d
	d.Listen(&h.heard)
	h.t.Cleanup(d.Close)
}

// joined is somebody else, with a role.
func (h *house) joined(email, role string) (owner string) {
	h.t.Helper()
	_, err := h.db.MakeInvite(h.t.Context(), h.ann, email, wire.Invite{Role: role, Uses: 1, ExpiresMS: time.Now().Add(time.Hour).UnixMilli()})
	storetest.Must(h.t, err)
	owner, _, err = h.db.Join(h.t.Context(), account.Hash(email), email, email, "")
	storetest.Must(h.t, err, h.Changed(h.t.Context()))
	return owner
}

// signedIn is a request of a new session.
func (h *house) signedIn(owner string) (*http.Request, people.Person) {
	h.t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest("POST", "/api/signin", nil)
	p, err := h.SignInAs(w, r, owner, account.ByPassword)
	storetest.Must(h.t, err)
	r = httptest.NewRequest("GET", "/api/me", nil)
	r.AddCookie(w.Result().Cookies()[0])
	return r, p
}

func (h *house) asking(r *http.Request) people.Person {
	h.t.Helper()
	p, err := h.Asking(r)
	storetest.Must(h.t, err)
	return p
}

// A session lasts 30 days, however much it is used; an admin's ends after 12 hours
// unused. Who listens hears of it at once.
func TestSessionsEndByTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		bob := h.joined("bob@example.com", wire.RoleMember)
		anns, ann := h.signedIn(h.ann)
		bobs, b := h.signedIn(bob)
		if ann.Me.Role != wire.RoleAdmin || b.Me.Email != "bob@example.com" || h.asking(bobs).Session != b.Session {
			t.Fatalf("%+v, %+v", ann.Me, b.Me)
		}
		time.Sleep(11 * time.Hour)
		if !h.asking(anns).SignedIn() {
			t.Error("an admin is out after 11 hours")
		}
		time.Sleep(11 * time.Hour)
		h.Seen(ann) // by a call
		time.Sleep(11*time.Hour + 59*time.Minute)
		if !h.Current(ann).SignedIn() {
			t.Error("an admin is out, who was there 12 hours ago")
		}
		time.Sleep(time.Minute + time.Second)
		synctest.Wait()
		if ended, _ := h.heard.takes(); !slices.Equal(ended, []string{ann.Session}) || h.Current(ann).SignedIn() || h.asking(anns).SignedIn() {
			t.Errorf("after 12 hours unused %q ended", ended)
		}
		for range 28 {
			time.Sleep(24 * time.Hour)
			if !h.asking(bobs).SignedIn() {
				t.Fatal("a member is out before 30 days are over")
			}
		}
		time.Sleep(24 * time.Hour)
		if h.asking(bobs).SignedIn() {
			t.Error("a member is in after 30 days")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if all, err := h.db.SignedIn(t.Context()); err != nil || len(all) != 0 {
			t.Errorf("still stored: %+v, %v", all, err)
		}
	})
}

// A change in the store holds for every request after Changed, and who is shut out
// has no session.
func TestChangesHoldAtOnce(t *testing.T) {
	h := newHouse(t)
	bob := h.joined("bob@example.com", wire.RoleAdmin)
	bobs, b := h.signedIn(bob)
	h.heard.takes()
	guest, no := wire.RoleGuest, false
	storetest.Must(t, h.db.ChangePerson(t.Context(), bob, wire.PersonChange{Role: &guest}), h.Changed(t.Context()))
	if role := h.Current(b).Role(); role != wire.RoleGuest || h.asking(bobs).Role() != role {
		t.Errorf("a role that was taken away is %q", role)
	}
	if _, changed := h.heard.takes(); !slices.Equal(changed, []string{bob}) {
		t.Errorf("%q changed", changed)
	}
	storetest.Must(t, h.db.ChangePerson(t.Context(), bob, wire.PersonChange{Active: &no}), h.Changed(t.Context()))
	if ended, _ := h.heard.takes(); !slices.Equal(ended, []string{b.Session}) || h.Current(b).SignedIn() || h.asking(bobs).SignedIn() {
		t.Errorf("%q ended", ended)
	}
	if _, err := h.SignInAs(httptest.NewRecorder(), bobs, bob, account.ByPasskey); storetest.Problem(err).Code != wire.CodeDeactivated {
		t.Errorf("by other means: %v", err)
	}
}

// Sessions outlive a restart; when they were seen is stored once a minute at most.
func TestSessionsAreKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		anns, ann := h.signedIn(h.ann)
		stored := func() time.Time {
			all, err := h.db.SignedIn(t.Context())
			storetest.Must(t, err)
			return all[0].Seen
		}
		first := stored()
		time.Sleep(30 * time.Second)
		h.asking(anns)
		time.Sleep(40 * time.Second)
		if !stored().Equal(first) {
			t.Error("stored after half a minute")
		}
		h.asking(anns)
		time.Sleep(time.Minute)
		if !stored().After(first.Add(time.Minute)) {
			t.Error("not stored after a minute")
		}
		h.asking(anns)
		last := time.Now()
		h.Close()
		if got := stored(); got.UnixMilli() != last.UnixMilli() {
			t.Errorf("%v is stored at the end, not %v", got, last)
		}
		h.open(h.ann)
		if p := h.asking(anns); p.Session != ann.Session || p.Owner != h.ann {
			t.Errorf("after a restart: %+v", p)
		}
	})
}

// The sessions of one person are bounded: the one that was used least recently
// makes room.
func TestSessionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		oldest, _ := h.signedIn(h.ann)
		time.Sleep(time.Second)
		second, who := h.signedIn(h.ann)
		time.Sleep(time.Second)
		for range 98 {
			h.signedIn(h.ann)
		}
		if !h.asking(oldest).SignedIn() {
			t.Error("the first of a hundred is out")
		}
		time.Sleep(time.Second)
		h.signedIn(h.ann)
		if n := len(h.MySessions(people.Person{Owner: h.ann})); n != 100 || h.asking(second).SignedIn() || !h.asking(oldest).SignedIn() {
			t.Errorf("%d sessions; the one used least recently: %+v", n, h.Current(who))
		}
	})
}

// Signing in, asking and ending at once: whoever is in at the end has a session
// that is listed, and nobody else does.
func TestSessionsAtOnce(t *testing.T) {
	h := newHouse(t)
	bob := h.joined("bob@example.com", wire.RoleMember)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 10 {
				r, p := h.signedIn([]string{h.ann, bob}[i%2])
				if i%4 < 2 {
					storetest.Must(t, h.EndSession(t.Context(), p, p.Session))
					if h.asking(r).SignedIn() {
						t.Error("in after its end")
					}
				} else if !h.asking(r).SignedIn() {
					t.Error("not in after a sign-in")
				}
			}
		})
		all.Go(func() { storetest.Must(t, h.Changed(t.Context())) })
	}
	all.Wait()
	stored, err := h.db.SignedIn(t.Context())
	storetest.Must(t, err)
	if in := len(h.MySessions(people.Person{Owner: h.ann})) + len(h.MySessions(people.Person{Owner: bob})); in != 40 || len(stored) != 40 {
		t.Errorf("%d are in and %d are stored, want 40", in, len(stored))
	}
}

// BenchmarkAsking is the cost of asking who it is, among 200 people with five
// sessions each: of a request, with its cookie, and of a call of a socket. No
// query could be made with its context.
func BenchmarkAsking(b *testing.B) {
	h := newHouse(b)
	for i := range 199 {
		owner := h.joined(fmt.Sprintf("p%d@example.com", i), wire.RoleMember)
		for range 5 {
			now := time.Now()
			storetest.Must(b, h.db.SaveSignIn(b.Context(), account.Session{ID: uuid.NewString(), Hash: account.Hash(uuid.NewString()), Owner: owner, Created: now, Seen: now, Expires: now.Add(time.Hour)}))
		}
	}
	h.Close()
	h.open(h.ann)
	r, p := h.signedIn(h.ann)
	h.Close()
	ctx, end := context.WithCancel(b.Context())
	end() // nothing is read with it
	r = r.WithContext(ctx)
	b.Run("request", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if who, err := h.Asking(r); err != nil || !who.SignedIn() {
				b.Fatal(who, err)
			}
		}
	})
	b.Run("call", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if who := h.Current(p); !who.SignedIn() {
				b.Fatal(who)
			}
		}
	})
}
