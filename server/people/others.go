package people

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"screentest/server/account"
)

// What a Directory does where other processes change what is stored, too: replicas of
// one server. Each holds all accounts and sessions in memory as a single one does,
// and is told by ids what another has changed ([Config.Fresh]).
//
// A session that was made elsewhere is looked up by its cookie, so that it is good
// for the very next request. One that was ended elsewhere lets nobody in from when
// that is told: within milliseconds. Where the telling breaks off without a word,
// Fresh is false soon after, and from then on each cookie is looked up, and
// [Directory.Reread] is called again and again for the sessions of open sockets.
// While the database itself can't be reached, requests fail, and sockets stay.

const (
	// seenLag is how much longer than the last use that is known an admin's session
	// lies unused before it is over: each stores what it has seen once a minute, of
	// what is a minute newer than before, and is as late in doing so.
	seenLag = 3 * storeSeenEvery
	// goneFor is how long it is remembered that a session has ended. Whatever was
	// read before takes less time than that.
	goneFor = 6 * storeWithin
	// unknownCookieFor is how long a cookie that no session has isn't looked up again.
	// No session ever gets a cookie that was given before: this only bounds how much
	// is remembered.
	unknownCookieFor = time.Minute
	// maxUnknownCookies bounds it, too. They are ours, or nobody would look.
	maxUnknownCookies = 10_000
)

// gone is a session that has ended.
type gone struct {
	at time.Time
	// stored says that it is gone from the store; else that is tried again.
	stored bool
}

// lookUp asks the store who has the session with a cookie of that sum.
func (t *team) lookUp(ctx context.Context, hash [sha256.Size]byte) (Person, error) {
	s, err := t.store.SignedInBy(ctx, hash)
	if errors.Is(err, fs.ErrNotExist) {
		t.mu.Lock()
		known := t.byCookie[hash]
		if len(t.unknown) >= maxUnknownCookies {
			clear(t.unknown)
		}
		t.unknown[hash] = t.now().Add(unknownCookieFor)
		t.mu.Unlock()
		if known != nil {
			t.endedElsewhere([]string{known.ID})
		}
		return Person{}, nil
	}
	if err != nil {
		return Person{}, fmt.Errorf("look a session up: %w", err)
	}
	if err := t.takeIn(ctx, []account.Session{s}); err != nil {
		return Person{}, err
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.used(t.byCookie[hash]), nil
}

// takeIn takes in sessions as they are stored. Where somebody has one who has no
// account that is known here to be active, accounts are read again.
func (t *team) takeIn(ctx context.Context, all []account.Session) error {
	strange := false
	t.mu.Lock()
	for _, s := range all {
		if _, is := t.gone[s.ID]; is {
			continue
		}
		if a := t.accounts[s.Owner]; a == nil || !a.Active {
			strange = true
		}
		kept := t.sessions[s.ID]
		if kept == nil {
			kept = t.put(s)
		}
		if at := s.Seen.UnixMilli(); at > kept.seen.Load() {
			kept.seen.Store(at)
			kept.stored = max(kept.stored, at)
		}
	}
	t.mu.Unlock()
	if strange {
		return t.changed(ctx)
	}
	return nil
}

// endedElsewhere is for sessions that are stored no more.
func (t *team) endedElsewhere(ids []string) {
	var ended []string
	now := t.now()
	t.mu.Lock()
	for _, id := range ids {
		t.gone[id] = gone{now, true}
		if s := t.sessions[id]; s != nil {
			ended = append(ended, id)
			t.drop(s)
		}
	}
	t.mu.Unlock()
	t.tellEnded(ended)
}

// refresh has the sessions of an owner, or all ("") be those that are stored. By
// itself a process knows them all.
func (t *team) refresh(ctx context.Context, owner string) error {
	if t.fresh == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeWithin)
	defer cancel()
	var before []string // those that are made meanwhile may be missing in what is read
	t.mu.RLock()
	for id, s := range t.sessions {
		if owner == "" || s.Owner == owner {
			before = append(before, id)
		}
	}
	t.mu.RUnlock()
	var all []account.Session
	var err error
	if owner == "" {
		all, err = t.store.SignedIn(ctx)
	} else {
		all, err = t.store.SignedInAs(ctx, owner)
	}
	if err != nil {
		return err
	}
	there := make(map[string]bool, len(all))
	for _, s := range all {
		there[s.ID] = true
	}
	t.endedElsewhere(slices.DeleteFunc(before, func(id string) bool { return there[id] }))
	return t.takeIn(ctx, all)
}

// endAmongOthers is endWhere with others. What ends by its time is over for all of
// them; that an account isn't known to be active may be old news, so that its
// sessions let nobody in, and stay stored.
func (t *team) endAmongOthers(ctx context.Context, which func(*session) bool) error {
	now := t.now()
	var ended, forget []string
	t.mu.Lock()
	for id, s := range t.sessions {
		a := t.accounts[s.Owner]
		switch {
		case which(s) || !now.Before(s.Expires):
			t.gone[id] = gone{at: now}
		case a != nil && !a.Active:
		default:
			continue
		}
		ended = append(ended, id)
		t.drop(s)
	}
	for id, g := range t.gone {
		switch {
		case !g.stored:
			forget = append(forget, id) // that of before, too, where it failed
		case now.Sub(g.at) > goneFor:
			delete(t.gone, id)
		}
	}
	for hash, until := range t.unknown {
		if !now.Before(until) {
			delete(t.unknown, hash)
		}
	}
	t.mu.Unlock()
	t.tellEnded(ended)
	if len(forget) == 0 {
		return nil
	}
	if err := t.store.EndSessions(ctx, forget); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range forget {
		t.gone[id] = gone{now, true}
	}
	return nil
}

// endIdle ends the sessions of admins that nobody has used for long, anywhere: when
// each was last seen is read first.
func (t *team) endIdle(ctx context.Context) error {
	idle := func() (ids []string) {
		t.mu.RLock()
		defer t.mu.RUnlock()
		for id, s := range t.sessions {
			if a := t.accounts[s.Owner]; a != nil && a.Active && t.over(s, a, t.now()) {
				ids = append(ids, id)
			}
		}
		return ids
	}
	ids := idle()
	if len(ids) == 0 {
		return nil
	}
	all, err := t.store.SignedInWith(ctx, ids)
	if err != nil {
		return err
	}
	if err := t.takeIn(ctx, all); err != nil {
		return err
	}
	ids = idle()
	return t.endWhere(ctx, func(s *session) bool { return slices.Contains(ids, s.ID) })
}

// ToldAtOnce takes what waits for no reading: that a session has ended. It says whether
// it is that.
func (d *Directory) ToldAtOnce(told string) bool {
	id, is := strings.CutPrefix(told, "ended ")
	if is && d.team != nil {
		d.team.endedElsewhere([]string{id})
	}
	return is
}

// Told reads again what other processes have changed: each is a word, and an id, as the
// database tells them. What isn't of people is given back.
func (d *Directory) Told(ctx context.Context, told []string) (rest []string, err error) {
	var errs []error
	var sessions, owners []string
	accounts := false
	for _, t := range told {
		switch what, id, _ := strings.Cut(t, " "); {
		case what == "accounts":
			accounts = true
		case what == "team": // which may be new, or have others in it
			accounts = true
			owners = append(owners, d.In(id)...)
		case what == "person":
			owners = append(owners, id)
		case what == "session":
			sessions = append(sessions, id)
		case what == "refused":
			errs = append(errs, d.ReadRefused(ctx, id))
		case t == "setting "+policiesSetting:
			errs = append(errs, d.ReadPolicies(ctx))
		default:
			rest = append(rest, t)
		}
	}
	switch {
	case d.team == nil:
		return rest, errors.Join(errs...)
	case accounts:
		errs = append(errs, d.team.changed(ctx, owners...))
	case len(owners) > 0:
		d.tell(owners)
	}
	if len(sessions) > 0 {
		made, err := d.team.store.SignedInWith(ctx, sessions)
		if err == nil {
			err = d.team.takeIn(ctx, made)
		}
		errs = append(errs, err)
	}
	return rest, errors.Join(errs...)
}

// Reread reads everything again, as after a time in which nothing was told. What
// is another is told to those who listen.
func (d *Directory) Reread(ctx context.Context) error {
	errs := []error{d.ReadRefused(ctx, ""), d.Changed(ctx)}
	if d.team != nil {
		errs = append(errs, d.team.refresh(ctx, ""), d.ReadPolicies(ctx))
	}
	return errors.Join(errs...)
}
