package people_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"screentest/server/account"
	ears "screentest/server/heard"
	"screentest/server/people"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// replica is a house beside others on one database, of which it hears what they
// change.
type replica struct {
	*house
	ear *ears.Ear
	// deaf has what is told thrown away, as if the connection were cut without a word.
	deaf *deafness
}

type deafness struct {
	ears.Source
	mu sync.Mutex
	is bool
}

func (d *deafness) set(is bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.is = is
}

func (d *deafness) now() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.is
}

// Hear passes on what it hears, but while it is deaf.
func (d *deafness) Hear(ctx context.Context, channel string, every time.Duration, alive func(time.Time), fn func(string)) error {
	return d.Source.Hear(ctx, channel, every, func(at time.Time) {
		if !d.now() {
			alive(at)
		}
	}, func(told string) {
		if !d.now() {
			fn(told)
		}
	})
}

// replicas are n of a server with a first admin, Ann.
func replicas(t *testing.T, n int, change ...func(*people.Config)) []*replica {
	t.Helper()
	dbs, local := storetest.Replicas(t, n)
	hash := account.Hash("set-up")
	storetest.Must(t, dbs[0].MakeLink(t.Context(), "setup", "", "test", hash, time.Hour))
	ann, err := dbs[0].SetUp(t.Context(), hash, "Ann", "ann@example.com", "")
	storetest.Must(t, err)
	var all []*replica
	for _, db := range dbs {
		r := &replica{house: &house{t: t, db: db, ann: ann}, deaf: &deafness{Source: db.Engine().Postgres}}
		r.ear = ears.New(ears.Config{
			Source: r.deaf, Channel: "screentest",
			All: func(ctx context.Context) error { return r.Reread(ctx) },
			Some: func(ctx context.Context, told []string) error {
				_, err := r.Told(ctx, told)
				return err
			},
			AtOnce: func(told string) bool { return r.ToldAtOnce(told) },
			Check:  func(ctx context.Context) { _ = r.Reread(ctx) },
		})
		c := people.Config{
			Sessions: db, Owner: local, Addr: "127.0.0.1:8080", Team: true, Accounts: db, Keys: db, Settings: db, Fresh: r.ear.Fresh,
		}
		for _, f := range change {
			f(&c)
		}
		r.Directory, err = people.New(t.Context(), c)
		storetest.Must(t, err)
		r.Listen(&r.heard)
		r.ear.Start()
		t.Cleanup(func() { r.ear.Close(); r.Close() })
		all = append(all, r)
	}
	for _, r := range all {
		r.until("it hears", r.ear.Fresh)
	}
	return all
}

// until waits until something is so.
func (r *replica) until(what string, so func() bool) {
	r.t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("it never is so that %s", what)
		}
	}
}

// hasEnded says whether those who listen were told that a session ended.
func (r *replica) hasEnded(id string) func() bool {
	var ended []string
	return func() bool {
		now, _ := r.heard.takes()
		ended = append(ended, now...)
		return slices.Contains(ended, id)
	}
}

// Who signs in at one replica is signed in at the next request, wherever that goes,
// also before the other one was told of it; and nobody is after they sign out.
func TestASessionIsGoodAndEndsEverywhere(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	for i := range 20 {
		req, p := a.signedIn(a.ann)
		if got := b.asking(req); got.Owner != a.ann || got.Session != p.Session || got.Role() != wire.RoleAdmin {
			t.Fatalf("at the other one: %+v, want %+v", got, p)
		}
		ended := b.hasEnded(p.Session)
		var err error
		if i%2 == 0 {
			err = a.SignOut(httptest.NewRecorder(), req)
		} else {
			err = b.EndSession(t.Context(), people.Person{Owner: a.ann}, p.Session)
		}
		storetest.Must(t, err)
		b.until("listeners hear of the end", ended)
		for _, r := range all {
			r.until("the session is over", func() bool { return !r.asking(req).SignedIn() })
			if r.Current(p).SignedIn() {
				t.Error("a socket goes on")
			}
		}
	}
}

// Somebody who has just been made at one replica comes in at the other, and is known.
func TestSomebodyNewIsKnownEverywhere(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	b.deaf.set(true) // what is looked up says who they are
	bob := a.joined("bob@example.com", wire.RoleMember)
	req, _ := a.signedIn(bob)
	if p := b.asking(req); p.Owner != bob || p.Me == nil || p.Me.Name != "bob@example.com" {
		t.Errorf("%+v", p)
	}
	// And who signs in there at once, by another request.
	cleo := a.joined("cleo@example.com", wire.RoleMember)
	if _, p := b.signedIn(cleo); p.Owner != cleo {
		t.Errorf("%+v", p)
	}
	b.deaf.set(false)
}

// All that is listed and ended of a person's sessions is so of those that were made
// elsewhere.
func TestSessionsOfElsewhereAreListedAndEnded(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	b.deaf.set(true)
	first, p := a.signedIn(a.ann)
	second, _ := a.signedIn(a.ann)
	if list := b.MySessions(p); len(list) != 2 {
		t.Errorf("listed: %+v", list)
	}
	storetest.Must(t, b.EndOthers(t.Context(), p))
	if !a.asking(first).SignedIn() {
		t.Error("their own has ended")
	}
	a.until("the other one has ended", func() bool { return !a.asking(second).SignedIn() })
}

// Who is deactivated at one is out at the other, and those who listen hear of it;
// who is made a guest is one there.
func TestAnAccountIsTheSameEverywhere(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	bob := a.joined("bob@example.com", wire.RoleMember)
	req, p := b.signedIn(bob)
	_, _ = b.heard.takes()
	guest, off := wire.RoleGuest, false
	storetest.Must(t, a.db.ChangePerson(t.Context(), bob, wire.PersonChange{Role: &guest}), a.Changed(t.Context()))
	b.until("the role is told", func() bool { return b.asking(req).Role() == wire.RoleGuest })
	greeted := func() bool {
		_, changed := b.heard.takes()
		return slices.Contains(changed, bob)
	}
	b.until("the tabs are greeted", greeted)
	// A factor that was added is what an admin may need.
	_, _, err := a.db.AddPasskey(t.Context(), account.Passkey{Owner: bob, Name: "k", Credential: []byte("c"), Data: []byte("{}"), Created: time.Now()}, nil)
	storetest.Must(t, err, a.Changed(t.Context(), bob))
	b.until("the tabs are greeted for a passkey", greeted)
	ended := b.hasEnded(p.Session)
	storetest.Must(t, a.db.ChangePerson(t.Context(), bob, wire.PersonChange{Active: &off}), a.Changed(t.Context()))
	b.until("listeners hear of the end", ended)
	if b.asking(req).SignedIn() {
		t.Error("they are still in")
	}
	if _, err := b.SignInAs(httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil), bob, account.ByPassword); err == nil {
		t.Error("they come in again")
	}
}

// Policies, a team's key and whether a gateway refuses a key are the same everywhere.
func TestSettingsAreTheSameEverywhere(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	storetest.Must(t, a.SetPolicies(t.Context(), account.Policies{Name: "Studio", PersonalKeys: true}))
	b.until("the policies are told", func() bool { return b.Policies().Name == "Studio" })
	_, _ = b.heard.takes()
	storetest.Must(t, a.db.SetPersonalKey(t.Context(), a.ann, "sk-of-ann", "", "https://gateway.example.com"))
	b.until("a key is told of", func() bool {
		_, changed := b.heard.takes()
		return slices.Contains(changed, a.ann)
	})
	// Set at both at once, they end as one of the two.
	var both sync.WaitGroup
	for i, r := range all {
		both.Go(func() {
			storetest.Must(t, r.SetPolicies(t.Context(), account.Policies{Name: []string{"One", "Two"}[i]}))
		})
	}
	both.Wait()
	a.until("both have the same policies", func() bool { return a.Policies().Name == b.Policies().Name && a.Policies().Name != "Studio" })
}

// A key that its gateway refused at one replica is shown as refused at the other, also
// after a restart, until one of them hears that it was taken.
func TestARefusedKeyIsEverywhere(t *testing.T) {
	gateway := people.Gateway{Name: "g", Origin: "https://g.example.com", Key: ""}
	all := replicas(t, 2, func(c *people.Config) { c.Gateway = func() people.Gateway { return gateway } })
	a, b := all[0], all[1]
	storetest.Must(t, a.SetPolicies(t.Context(), account.Policies{PersonalKeys: true}),
		a.db.SetPersonalKey(t.Context(), a.ann, "sk-of-ann", "", gateway.Origin))
	_, ann := b.signedIn(a.ann)
	refused := func(r *replica) bool {
		charges, err := r.Charges(t.Context(), ann)
		storetest.Must(t, err)
		return slices.ContainsFunc(charges, func(c wire.Charge) bool { return c.KeyRefused })
	}
	b.until("the personal key may be used", func() bool { return b.Policies().PersonalKeys })
	for range 3 {
		a.KeyJudged("g", "sk-of-ann", true)
		b.until("it is refused", func() bool { return refused(b) })
		b.KeyJudged("g", "sk-of-ann", false)
		a.until("it is taken again", func() bool { return !refused(a) })
	}
}

// A sign-out ends sockets elsewhere within a second, also where what is told gets
// lost without a word; and a request is refused as soon.
func TestNothingIsMissedWhereTheTellingIsCut(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	bob := a.joined("bob@example.com", wire.RoleMember)
	req, p := b.signedIn(bob)
	_, kept := b.signedIn(a.ann)
	ended := b.hasEnded(p.Session)

	b.deaf.set(true)
	storetest.Must(t, a.SignOut(httptest.NewRecorder(), req))
	began := time.Now()
	b.until("listeners hear of the end", ended)
	if took := time.Since(began); took > ears.TrustFor+5*time.Second { // what a slow machine adds
		t.Errorf("after %v", took)
	}
	if b.asking(req).SignedIn() || !b.Current(kept).SignedIn() {
		t.Error("somebody else's has ended, or theirs hasn't")
	}
	// What else is changed meanwhile is found, too.
	storetest.Must(t, a.SetPolicies(t.Context(), account.Policies{Name: "Studio"}))
	b.until("the policies are read again", func() bool { return b.Policies().Name == "Studio" })
	b.deaf.set(false)
	b.until("it hears again", b.ear.Fresh)
}

// While a replica isn't sure, each request is looked up: a session that has ended is
// not let in by what is remembered.
func TestWhoAsksIsLookedUpWhileNothingIsSure(t *testing.T) {
	dbs, local := storetest.Replicas(t, 1)
	h := &house{t: t, db: dbs[0]}
	hash := account.Hash("set-up")
	storetest.Must(t, h.db.MakeLink(t.Context(), "setup", "", "test", hash, time.Hour))
	var err error
	h.ann, err = h.db.SetUp(t.Context(), hash, "Ann", "ann@example.com", "")
	storetest.Must(t, err)
	h.Directory, err = people.New(t.Context(), people.Config{
		Sessions: h.db, Owner: local, Addr: "127.0.0.1:8080", Team: true, Accounts: h.db, Keys: h.db, Settings: h.db, Fresh: func() bool { return false },
	})
	storetest.Must(t, err)
	t.Cleanup(h.Close)
	h.Listen(&h.heard)
	req, p := h.signedIn(h.ann)
	if !h.asking(req).SignedIn() {
		t.Fatal("nobody is in")
	}
	storetest.Must(t, h.db.EndSessions(t.Context(), []string{p.Session})) // as another one does
	if h.asking(req).SignedIn() {
		t.Error("still in")
	}
	if ended, _ := h.heard.takes(); !slices.Equal(ended, []string{p.Session}) {
		t.Errorf("told of the end of %q", ended)
	}
}

// A connection that ends, again and again, is made again, and all that was changed in
// between is known then.
func TestAConnectionThatEndsIsMadeAgain(t *testing.T) {
	all := replicas(t, 2)
	a, b := all[0], all[1]
	for i := range 3 {
		req, p := b.signedIn(a.ann)
		ended := b.hasEnded(p.Session)
		kill(t, a.db)
		storetest.Must(t, a.SignOut(httptest.NewRecorder(), req))
		name := string(rune('A' + i))
		storetest.Must(t, a.SetPolicies(t.Context(), account.Policies{Name: name}))
		bob := a.joined(name+"@example.com", wire.RoleMember)
		b.until("listeners hear of the end", ended)
		b.until("the policies are told", func() bool { return b.Policies().Name == name })
		b.until("a new account is told", func() bool { _, err := b.Account(bob); return err == nil })
		b.until("it hears again", b.ear.Fresh)
	}
}

// kill ends all connections that listen.
func kill(t *testing.T, db *store.DB) {
	t.Helper()
	var n int
	storetest.Must(t, db.Engine().At(t.Context()).Scan("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() AND query IN ('LISTEN screentest', 'SELECT 1') AND pid <> pg_backend_pid()", nil, &n))
	if n == 0 {
		t.Fatal("no connection listened")
	}
}

// Of an admin's session it counts when it was last used anywhere.
func TestAnAdminsSessionIsIdleWhereItIsNowhereUsed(t *testing.T) {
	now := time.Now()
	var mu sync.Mutex
	clock := func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		return now
	}
	all := replicas(t, 2, func(c *people.Config) { c.Now = clock })
	a, b := all[0], all[1]
	req, p := a.signedIn(a.ann)
	if !b.asking(req).SignedIn() {
		t.Fatal("not signed in")
	}
	mu.Lock()
	now = now.Add(12*time.Hour + 10*time.Minute)
	mu.Unlock()
	// Somebody used it at the other one, which has stored so.
	storetest.Must(t, a.db.SessionsSeen(t.Context(), map[string]time.Time{p.Session: clock().Add(-time.Minute)}))
	if !b.asking(req).SignedIn() {
		t.Error("it has ended, and was used elsewhere")
	}
	// An older word of it takes nothing back.
	storetest.Must(t, a.db.SessionsSeen(t.Context(), map[string]time.Time{p.Session: clock().Add(-20 * time.Hour)}))
	list, err := b.db.SignedInAs(t.Context(), a.ann)
	storetest.Must(t, err)
	if len(list) != 1 || list[0].Seen.Before(clock().Add(-2*time.Minute)) {
		t.Errorf("%+v", list)
	}
	mu.Lock()
	now = now.Add(12*time.Hour + 10*time.Minute)
	mu.Unlock()
	if b.asking(req).SignedIn() {
		t.Error("nobody used it, and it goes on")
	}
}

// A session that couldn't be deleted lets nobody in at the one that was asked to end
// it, and is deleted later.
func TestASessionThatStaysStoredLetsNobodyIn(t *testing.T) {
	dbs, local := storetest.Replicas(t, 1)
	db := dbs[0]
	hash := account.Hash("set-up")
	storetest.Must(t, db.MakeLink(t.Context(), "setup", "", "test", hash, time.Hour))
	ann, err := db.SetUp(t.Context(), hash, "Ann", "ann@example.com", "")
	storetest.Must(t, err)
	d, err := people.New(t.Context(), people.Config{
		Sessions: db, Owner: local, Addr: "127.0.0.1:8080", Team: true, Accounts: db, Keys: db, Settings: db, Fresh: func() bool { return true },
	})
	storetest.Must(t, err)
	t.Cleanup(d.Close)
	h := &house{t: t, db: db, ann: ann, Directory: d}
	req, p := h.signedIn(ann)
	given, giveUp := context.WithCancel(t.Context())
	giveUp()
	if err := d.SignOut(httptest.NewRecorder(), req.WithContext(given)); err == nil {
		t.Fatal("it was stored in no time")
	}
	if h.asking(req).SignedIn() {
		t.Error("it lets them in")
	}
	_, _ = h.signedIn(ann) // with what ends now goes what was left
	storetest.Must(t, d.EndOthers(t.Context(), people.Person{Owner: ann}))
	all, err := db.SignedInWith(t.Context(), []string{p.Session})
	if err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// Whom a proxy in front names has one session in all, whichever replica they ask.
func TestWhomAProxyNamesHasOneSession(t *testing.T) {
	trusted := &people.TrustedHeader{Name: "X-Forwarded-Email", AllowDomains: []string{"example.com"}}
	all := replicas(t, 2, func(c *people.Config) {
		c.Trusted, c.SignOns = trusted, c.Accounts.(*store.DB)
	})
	named := func() *http.Request {
		r := httptest.NewRequest("GET", "/api/me", nil)
		r.Header.Set("X-Forwarded-Email", "dan@example.com")
		return r
	}
	first := all[0].asking(named())
	second := all[1].asking(named())
	if !first.SignedIn() || first.Session != second.Session {
		t.Errorf("%+v, then %+v", first, second)
	}
	storetest.Must(t, all[1].EndAll(t.Context(), first.Owner))
	if third := all[1].asking(named()); third.Session == first.Session || !third.SignedIn() {
		t.Errorf("after all have ended: %+v", third)
	}
}

// Of two who start at once on a new database both sign cookies with the same key.
func TestCookiesOfAnyReplicaAreGood(t *testing.T) {
	dbs, local := storetest.Replicas(t, 3)
	made := make([]*people.Directory, len(dbs))
	var at sync.WaitGroup
	for i, db := range dbs {
		at.Go(func() {
			var err error
			made[i], err = people.New(context.Background(), people.Config{Sessions: db, Owner: local, Addr: "127.0.0.1:8080"})
			if err != nil {
				t.Error(err)
			}
		})
	}
	at.Wait()
	w := httptest.NewRecorder()
	p, err := made[0].Admit(w, httptest.NewRequest("GET", "/", nil))
	storetest.Must(t, err)
	for _, d := range made {
		r := httptest.NewRequest("GET", "/", nil)
		r.AddCookie(w.Result().Cookies()[0])
		if got, err := d.Asking(r); err != nil || got.Session != p.Session || p.Session == "" {
			t.Errorf("%+v, %v; want %+v", got, err, p)
		}
	}
}
