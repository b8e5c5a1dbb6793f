package people

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/shared/wire"
)

// errAlone says that there are no accounts to sign in to.
var errAlone = errors.New("this server has no accounts")

// maxSessions bounds the sessions of one person: the one that was seen least
// recently makes room for a new one.
const maxSessions = 100

// SignInAs signs an owner in, who has shown by how that it is them: the answer
// gets the cookie of a new session, and the one that the request came with ends.
// Whoever knew the cookie of before, or planted it, knows nothing.
func (d *Directory) SignInAs(w http.ResponseWriter, r *http.Request, owner, how string) (Person, error) {
	t := d.team
	if t == nil {
		return Person{}, errAlone
	}
	if !d.active(owner) && (d.Fresh == nil || t.changed(r.Context()) != nil || !d.active(owner)) {
		return Person{}, account.Deactivated()
	}
	now, secret := d.Now(), rand.Text() // 130 bits
	s := account.Session{
		ID: uuid.NewString(), Hash: account.Hash(secret), Owner: owner, How: how,
		Device: device(r.UserAgent()), Address: d.Address(r), Created: now, Seen: now, Expires: now.Add(signedInFor),
	}
	before, err := t.asking(r.Context(), d.sessions.id(r))
	if err != nil {
		return Person{}, err
	}
	if err := t.store.SaveSignIn(r.Context(), s); err != nil {
		return Person{}, fmt.Errorf("keep the session: %w", err)
	}
	if err := d.sessions.setCookie(w, secret); err != nil {
		return Person{}, err
	}
	t.mu.Lock()
	p := t.person(t.put(s))
	spare := t.spare(owner)
	t.mu.Unlock()
	if err := t.endWhere(r.Context(), func(s *session) bool {
		return s.ID == before.Session || slices.Contains(spare, s.ID)
	}); err != nil {
		t.log.Error("sessions that ended are still stored", "err", err)
	}
	if !p.SignedIn() { // deactivated meanwhile
		return p, account.Deactivated()
	}
	return p, nil
}

func (d *Directory) active(owner string) bool {
	a, err := d.Account(owner)
	return err == nil && a.Active
}

// spare are the ids of an owner's sessions beyond the bound. The lock is held.
func (t *team) spare(owner string) (ids []string) {
	of := t.of(owner)
	for _, s := range of[min(len(of), maxSessions):] {
		ids = append(ids, s.ID)
	}
	return ids
}

// of are an owner's sessions, the one seen last first. A lock is held.
func (t *team) of(owner string) (of []*session) {
	for _, s := range t.sessions {
		if s.Owner == owner {
			of = append(of, s)
		}
	}
	slices.SortFunc(of, func(a, b *session) int {
		return cmp.Or(cmp.Compare(b.seen.Load(), a.seen.Load()), cmp.Compare(a.ID, b.ID))
	})
	return of
}

// SignOut ends the session that a request comes with. Whom a proxy in front names
// it names again at the next request: signing out for good is done there.
func (d *Directory) SignOut(w http.ResponseWriter, r *http.Request) error {
	if d.team == nil {
		return errAlone
	}
	who, err := d.Asking(r)
	if err != nil {
		return err
	}
	if err := d.sessions.setCookie(w, ""); err != nil {
		return err
	}
	return d.team.endWhere(r.Context(), func(s *session) bool { return s.ID == who.Session })
}

// MySessions are a person's sessions, the one seen last first.
func (d *Directory) MySessions(who Person) []wire.Session {
	if d.team == nil {
		return nil
	}
	if err := d.team.refresh(context.Background(), who.Owner); err != nil {
		d.Logger.Error("what other replicas know of somebody's sessions is not read", "err", err)
	}
	d.team.mu.RLock()
	defer d.team.mu.RUnlock()
	list := []wire.Session{}
	for _, s := range d.team.of(who.Owner) {
		if d.team.over(s, d.team.accounts[s.Owner], d.Now()) {
			continue
		}
		list = append(list, wire.Session{
			ID: s.ID, Device: s.Device, Address: s.Address, How: s.How, SeenMS: s.seen.Load(),
			CreatedMS: s.Created.UnixMilli(), ExpiresMS: s.Expires.UnixMilli(), Current: s.ID == who.Session,
		})
	}
	return list
}

// EndSession ends a session of a person's own. fs.ErrNotExist: they have no such.
func (d *Directory) EndSession(ctx context.Context, who Person, id string) error {
	if d.team == nil {
		return errAlone
	}
	err := d.team.refresh(ctx, who.Owner)
	if err != nil {
		return err
	}
	there := false
	err = d.team.endWhere(ctx, func(s *session) bool {
		is := s.ID == id && s.Owner == who.Owner
		there = there || is
		return is
	})
	if !there {
		return errors.Join(err, fs.ErrNotExist)
	}
	return err
}

// EndOthers ends all sessions of a person but theirs of now.
func (d *Directory) EndOthers(ctx context.Context, who Person) error {
	if d.team == nil {
		return errAlone
	}
	if err := d.team.refresh(ctx, who.Owner); err != nil {
		return err
	}
	return d.team.endWhere(ctx, func(s *session) bool { return s.Owner == who.Owner && s.ID != who.Session })
}

// EndAll ends all sessions of an owner.
func (d *Directory) EndAll(ctx context.Context, owner string) error {
	return d.EndOthers(ctx, Person{Owner: owner})
}

// WasFrom says whether an owner has a session that was made from an address.
func (d *Directory) WasFrom(owner, address string) bool {
	if d.team == nil || address == "" {
		return false
	}
	d.team.mu.RLock()
	defer d.team.mu.RUnlock()
	for _, s := range d.team.sessions {
		if s.Owner == owner && s.Address == address {
			return true
		}
	}
	return false
}
