package people

import (
	"context"
	"crypto/sha256"
	"io/fs"
	"log/slog"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"screentest/server/account"
	"screentest/shared/wire"
)

const (
	// signedInFor is how long a session lasts, however much it is used.
	signedInFor = 30 * 24 * time.Hour
	// adminIdle is how long an admin's may lie unused.
	adminIdle = 12 * time.Hour
	// storeSeenEvery is how often it is stored when a session was last seen.
	storeSeenEvery = time.Minute
	// endAgainAfter is the least wait before that is tried again which failed.
	endAgainAfter = time.Second
	// storeWithin bounds a write that nobody waits for.
	storeWithin = 10 * time.Second
)

// A Listener is told what changed of people. It must not wait, nor ask the
// Directory to change anything.
type Listener interface {
	// SessionsEnded names sessions that let nobody in any more.
	SessionsEnded(ids []string)
	// PeopleChanged names owners of whom something is another.
	PeopleChanged(owners []string)
}

// team is who there is and who has signed in.
type team struct {
	store  Accounts
	now    func() time.Time
	log    *slog.Logger
	reload sync.Mutex // one at a time, so that the last one has seen the last change
	quit   chan struct{}
	// twoFactors says whether admins must have two.
	twoFactors func() bool
	// fresh is as Config has it; nil: nobody else changes what is stored.
	fresh func() bool
	ended sync.WaitGroup
	once  sync.Once

	mu        sync.RWMutex
	accounts  map[string]*account.Account // by owner; each is replaced, never changed
	byEmail   map[string]*account.Account
	byCookie  map[[sha256.Size]byte]*session
	sessions  map[string]*session // by id
	listeners []Listener
	// With others: sessions that ended a moment ago, by id, so that what was read
	// before doesn't bring one back, and sums of cookies that no session has.
	gone    map[string]gone
	unknown map[[sha256.Size]byte]time.Time
}

// session is one that lets somebody in.
type session struct {
	account.Session
	seen   atomic.Int64 // Unix milliseconds
	stored int64        // what of it is; of the upkeep
}

func newTeam(ctx context.Context, c Config) (*team, error) {
	t := &team{
		store: c.Accounts, now: c.Now, log: c.Logger, quit: make(chan struct{}),
		byCookie: map[[sha256.Size]byte]*session{}, sessions: map[string]*session{},
		fresh: c.Fresh, gone: map[string]gone{}, unknown: map[[sha256.Size]byte]time.Time{},
	}
	if err := t.read(ctx); err != nil {
		return nil, err
	}
	all, err := c.Accounts.SignedIn(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		t.put(s)
	}
	t.ended.Go(t.upkeep)
	return t, nil
}

// put takes in a session. The lock is held, or nobody else knows t.
func (t *team) put(s account.Session) *session {
	kept := &session{Session: s, stored: s.Seen.UnixMilli()}
	kept.seen.Store(kept.stored)
	t.byCookie[s.Hash], t.sessions[s.ID] = kept, kept
	return kept
}

// read reads the accounts.
func (t *team) read(ctx context.Context) error {
	all, err := t.store.Accounts(ctx)
	if err != nil {
		return err
	}
	accounts, byEmail := make(map[string]*account.Account, len(all)), make(map[string]*account.Account, len(all))
	for _, a := range all {
		accounts[a.Owner], byEmail[a.Me.Email] = &a, &a
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.accounts, t.byEmail = accounts, byEmail
	return nil
}

// asking is who has the session of a cookie. With others it is looked up where it
// may be another than is known here: a session that isn't known, one that nobody
// seems to use any more, and any while it isn't certain that all changes were told.
func (t *team) asking(ctx context.Context, cookie string) (Person, error) {
	if cookie == "" {
		return Person{}, nil
	}
	hash := account.Hash(cookie)
	t.mu.RLock()
	p := t.used(t.byCookie[hash])
	nobodys := t.now().Before(t.unknown[hash])
	t.mu.RUnlock()
	if t.fresh == nil || nobodys || p.SignedIn() && t.fresh() {
		return p, nil
	}
	return t.lookUp(ctx, hash)
}

// used is who has a session, which they use now. A lock is held.
func (t *team) used(s *session) Person {
	p := t.person(s)
	if p.SignedIn() {
		s.seen.Store(t.now().UnixMilli())
	}
	return p
}

// current is who has the session of an id.
func (t *team) current(id string) Person {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.person(t.sessions[id])
}

// person is who has a session; nobody, if it has ended. A lock is held.
func (t *team) person(s *session) Person {
	if s == nil {
		return Person{}
	}
	a := t.accounts[s.Owner]
	if t.over(s, a, t.now()) {
		return Person{}
	}
	p := Person{Owner: s.Owner, Session: s.ID, Me: &a.Me}
	if a.Me.Role == wire.RoleAdmin && !a.Factor && s.How != account.ByOIDC && s.How != account.ByProxy && t.twoFactors() {
		// Others than single sign-on and the proxy have asked for nothing more.
		me := a.Me
		me.FactorNeeded = true
		p.Me = &me
	}
	return p
}

// ends is when a session is over, if nobody uses it any more.
func (t *team) ends(s *session, a *account.Account) time.Time {
	idle := time.UnixMilli(s.seen.Load()).Add(adminIdle)
	if t.fresh != nil {
		idle = idle.Add(seenLag)
	}
	if a.Me.Role == wire.RoleAdmin && idle.Before(s.Expires) {
		return idle
	}
	return s.Expires
}

// over says whether a session has ended: by its time, or with its account.
func (t *team) over(s *session, a *account.Account, now time.Time) bool {
	return a == nil || !a.Active || !now.Before(t.ends(s, a))
}

// upkeep ends the sessions whose time is over, and stores when they were seen.
func (t *team) upkeep() {
	var pause time.Duration
	for {
		next := time.NewTimer(max(pause, t.untilNextEnd()))
		select {
		case <-next.C:
		case <-t.quit:
			next.Stop()
			t.storeSeen(0)
			return
		}
		ctx, cancel := context.WithTimeout(context.Background(), storeWithin)
		pause = 0
		if err := t.endOver(ctx); err != nil {
			t.log.Error("sessions that ended are still stored", "err", err)
			pause = endAgainAfter
		}
		cancel()
		t.storeSeen(storeSeenEvery)
	}
}

// endOver ends the sessions whose time is over.
func (t *team) endOver(ctx context.Context) error {
	if t.fresh != nil {
		if err := t.endIdle(ctx); err != nil {
			return err
		}
	}
	return t.endWhere(ctx, func(*session) bool { return false })
}

// untilNextEnd is how long until a session is over, and a minute at most: then it
// is stored when they were seen. A session that begins meanwhile lasts longer than
// that, and whom a change makes an admin it looks at by itself.
func (t *team) untilNextEnd() time.Duration {
	now, wait := t.now(), storeSeenEvery
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.sessions {
		if a := t.accounts[s.Owner]; a != nil {
			wait = min(wait, t.ends(s, a).Sub(now))
		}
	}
	return max(wait, time.Millisecond)
}

// storeSeen stores when sessions were seen, of those of which that is longer ago
// than after what was stored.
func (t *team) storeSeen(after time.Duration) {
	seen := map[string]time.Time{}
	t.mu.RLock()
	for _, s := range t.sessions {
		if at := s.seen.Load(); at > s.stored && at-s.stored >= after.Milliseconds() {
			s.stored, seen[s.ID] = at, time.UnixMilli(at)
		}
	}
	t.mu.RUnlock()
	if len(seen) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeWithin)
	defer cancel()
	if err := t.store.SessionsSeen(ctx, seen); err != nil {
		t.log.Error("when sessions were seen is not stored", "err", err)
	}
}

// endWhere ends the sessions that which names, and those that are over. They let
// nobody in from here on, even where it can't be stored.
func (t *team) endWhere(ctx context.Context, which func(*session) bool) error {
	if t.fresh != nil {
		return t.endAmongOthers(ctx, which)
	}
	now := t.now()
	var ids []string
	t.mu.Lock()
	for id, s := range t.sessions {
		if t.over(s, t.accounts[s.Owner], now) || which(s) {
			ids = append(ids, id)
			t.drop(s)
		}
	}
	t.mu.Unlock()
	if len(ids) == 0 {
		return nil
	}
	t.tellEnded(ids)
	return t.store.EndSessions(ctx, ids)
}

// drop forgets a session. The lock is held.
func (t *team) drop(s *session) {
	delete(t.sessions, s.ID)
	delete(t.byCookie, s.Hash)
}

// tellEnded tells those who listen of sessions that ended.
func (t *team) tellEnded(ids []string) {
	if len(ids) == 0 {
		return
	}
	t.mu.RLock()
	listeners := slices.Clone(t.listeners)
	t.mu.RUnlock()
	for _, l := range listeners {
		l.SessionsEnded(ids)
	}
}

func (t *team) close() {
	t.once.Do(func() { close(t.quit) })
	t.ended.Wait()
}

// Seen notes that somebody has just used their session by other means than a
// request: by a call.
func (d *Directory) Seen(p Person) {
	if d.team == nil {
		return
	}
	d.team.mu.RLock()
	defer d.team.mu.RUnlock()
	if s := d.team.sessions[p.Session]; s != nil {
		s.seen.Store(d.Now().UnixMilli())
	}
}

// Listen has l told what changes of people from now on.
func (d *Directory) Listen(l Listener) {
	if d.team == nil {
		return
	}
	d.team.mu.Lock()
	defer d.team.mu.Unlock()
	d.team.listeners = append(d.team.listeners, l)
}

// Changed has accounts and teams read again after they were changed in the store:
// it is so for every request from here on, and the sessions of who was deactivated
// have ended. Tabs of those owners who are named, and of those whose account is
// another, are greeted anew.
func (d *Directory) Changed(ctx context.Context, owners ...string) error {
	if d.team == nil {
		return nil
	}
	return d.team.changed(ctx, owners...)
}

func (t *team) changed(ctx context.Context, owners ...string) error {
	t.reload.Lock()
	defer t.reload.Unlock()
	t.mu.RLock()
	before := t.accounts
	t.mu.RUnlock()
	// What is stored is not taken back by who has stopped waiting for an answer.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeWithin)
	defer cancel()
	if err := t.read(ctx); err != nil {
		return err
	}
	t.mu.RLock()
	for owner, a := range t.accounts {
		if was := before[owner]; was != nil && (was.Factor != a.Factor || !reflect.DeepEqual(was.Me, a.Me)) && !slices.Contains(owners, owner) {
			owners = append(owners, owner)
		}
	}
	listeners := slices.Clone(t.listeners)
	t.mu.RUnlock()
	err := t.endWhere(ctx, func(*session) bool { return false })
	if len(owners) > 0 {
		for _, l := range listeners {
			l.PeopleChanged(owners)
		}
	}
	return err
}

// Account is an owner's account.
func (d *Directory) Account(owner string) (account.Account, error) {
	if d.team != nil {
		d.team.mu.RLock()
		defer d.team.mu.RUnlock()
		if a := d.team.accounts[owner]; a != nil {
			return *a, nil
		}
	}
	return account.Account{}, fs.ErrNotExist
}

// ByID is the account of an id as people see it.
func (d *Directory) ByID(id string) (account.Account, error) {
	for _, a := range d.All() {
		if a.Me.ID == id {
			return a, nil
		}
	}
	return account.Account{}, fs.ErrNotExist
}

// All are the accounts, those that were deactivated too, by name.
func (d *Directory) All() []account.Account {
	if d.team == nil {
		return nil
	}
	d.team.mu.RLock()
	all := make([]account.Account, 0, len(d.team.accounts))
	for _, a := range d.team.accounts {
		all = append(all, *a)
	}
	d.team.mu.RUnlock()
	slices.SortFunc(all, func(a, b account.Account) int {
		if c := strings.Compare(strings.ToLower(a.Me.Name), strings.ToLower(b.Me.Name)); c != 0 {
			return c
		}
		return strings.Compare(a.Me.ID, b.Me.ID)
	})
	return all
}
