package people

import (
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/shared/wire"
)

// SignOns makes the accounts of those whom a trusted proxy names, and notes that it
// has vouched for those that there are.
type SignOns interface {
	SignOn(ctx context.Context, s account.SignOn, groups []wire.Group) (account.Signed, error)
}

// Guard removes the header from every request that doesn't come from a trusted
// proxy, before anybody reads it. A proxy that passes several on may have added
// its own to one that a browser sent: such a request is refused.
func (h *TrustedHeader) Guard(next http.Handler) http.Handler {
	if h == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		peer, err := netip.ParseAddrPort(r.RemoteAddr)
		if err != nil || !h.Trusts(peer.Addr()) {
			r.Header.Del(h.Name)
		}
		if values := r.Header.Values(h.Name); len(values) > 1 || strings.Contains(r.Header.Get(h.Name), ",") {
			http.Error(w, "The proxy in front sent the header "+h.Name+" more than once: have it replace what browsers send.", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// proxies are the sessions of those whom a trusted proxy names. Nothing of them is
// in a cookie: each request is of whom its own header names, and of nobody else,
// so that such a session lasts no longer than the proxy says it again. What is
// kept serves only to list them, and to close their sockets when they end.
type proxies struct {
	mu       sync.Mutex // one is made at a time
	sessions map[proxied]string
	unknown  map[string]unknown // who was named and has no account
}

type unknown struct {
	problem *wire.Problem
	until   time.Time // nothing more is done or said of them
}

type proxied struct{ owner, device string }

// unknownFor is how long nothing more is said of somebody without an account.
const unknownFor = time.Minute

// maxUnknown bounds those of whom it is remembered.
const maxUnknown = 1000

// Named is the address of mail of whom the proxy in front names; "": nobody.
func (d *Directory) Named(r *http.Request) string {
	if d.team == nil || d.Trusted == nil {
		return ""
	}
	email, err := account.Email(r.Header.Get(d.Trusted.Name))
	if err != nil {
		return ""
	}
	return email
}

// byProxy is whom the proxy in front names; named is false where it names nobody.
func (d *Directory) byProxy(r *http.Request) (p Person, named bool, err error) {
	if d.Trusted == nil || r.Header.Get(d.Trusted.Name) == "" {
		return Person{}, false, nil
	}
	email, bad := account.Email(r.Header.Get(d.Trusted.Name))
	if bad != nil {
		return Person{Refused: &wire.Problem{Code: wire.CodeEmailUnverified, Message: "The proxy in front doesn't say your e-mail address.",
			Hint: "Who runs it: the header " + d.Trusted.Name + " is to have nothing else."}}, true, nil
	}
	a := d.byEmail(email)
	if a == nil || a.Active && !a.Vouched {
		var refused *wire.Problem
		if a, refused, err = d.welcome(r, email); a == nil {
			return Person{Refused: refused}, true, err
		}
	}
	if !a.Active {
		return Person{Refused: account.Deactivated()}, true, nil
	}
	key := proxied{a.Owner, device(r.UserAgent())}
	d.proxies.mu.Lock()
	defer d.proxies.mu.Unlock()
	if p = d.team.usedBy(d.proxies.sessions[key]); p.SignedIn() {
		return p, true, nil
	}
	if err := d.team.refresh(r.Context(), a.Owner); err != nil {
		return Person{}, true, err
	}
	if id := d.team.proxied(key); id != "" { // that somebody else has made
		d.proxies.sessions[key] = id
		if p = d.team.usedBy(id); p.SignedIn() {
			return p, true, nil
		}
	}
	if p, err = d.signInByProxy(r, key); err != nil {
		return Person{}, true, err
	}
	d.Note(r.Context(), Event{Person: a.Owner, Action: "signin.ok", Detail: map[string]any{"how": account.ByProxy}, Address: d.Address(r)})
	return p, true, nil
}

// signInByProxy makes a session. The lock is held.
func (d *Directory) signInByProxy(r *http.Request, key proxied) (Person, error) {
	now := d.Now()
	s := account.Session{
		ID: uuid.NewString(), Hash: account.Hash(rand.Text()), // of a cookie that nobody has
		Owner: key.owner, How: account.ByProxy, Device: key.device, Address: d.Address(r), Created: now, Seen: now, Expires: now.Add(signedInFor),
	}
	if err := d.team.store.SaveSignIn(r.Context(), s); err != nil {
		return Person{}, err
	}
	d.team.mu.Lock()
	p := d.team.person(d.team.put(s))
	spare := d.team.spare(key.owner)
	if len(d.proxies.sessions) > 2*len(d.team.sessions) {
		maps.DeleteFunc(d.proxies.sessions, func(_ proxied, id string) bool { return d.team.sessions[id] == nil })
	}
	d.team.mu.Unlock()
	d.proxies.sessions[key] = s.ID
	if err := d.team.endWhere(r.Context(), func(s *session) bool { return slices.Contains(spare, s.ID) }); err != nil {
		d.Logger.Error("sessions that ended are still stored", "err", err)
	}
	return p, nil
}

// welcome makes the account of somebody new whose domain is allowed. Without one
// refused says why. Somebody whom the proxy names for the first time has the account
// that is there to themself: whoever made it may only have typed their address, so
// that its password, passkeys, codes and key are gone, and its sessions have ended.
func (d *Directory) welcome(r *http.Request, email string) (a *account.Account, refused *wire.Problem, err error) {
	d.proxies.mu.Lock()
	defer d.proxies.mu.Unlock()
	if a = d.byEmail(email); a != nil && (a.Vouched || !a.Active) { // meanwhile
		return a, nil, nil
	}
	now := d.Now()
	if known, is := d.proxies.unknown[email]; is && a == nil && now.Before(known.until) {
		return nil, known.problem, nil
	}
	signed, err := d.SignOns.SignOn(r.Context(), account.SignOn{Email: email, Verified: true, Domains: d.Trusted.AllowDomains}, nil)
	if errors.As(err, &refused) {
		if len(d.proxies.unknown) >= maxUnknown {
			clear(d.proxies.unknown)
		}
		d.proxies.unknown[email] = unknown{refused, now.Add(unknownFor)}
		d.Logger.Warn("whom the proxy in front names has no account", "err", err)
		return nil, refused, nil
	}
	if err != nil {
		return nil, nil, err
	}
	if signed.Dropped { // first, since the store has them no more
		err = d.EndAll(r.Context(), signed.Owner)
	}
	err = errors.Join(err, d.Changed(r.Context(), signed.Owner))
	e := Event{Person: signed.Owner, Action: "person.made", Detail: map[string]any{"how": account.ByProxy}, Address: d.Address(r)}
	if signed.Linked {
		e.Action, e.Detail = "proxy.linked", map[string]any{"other_ways_dropped": signed.Dropped}
		if a = d.byEmail(email); a != nil {
			e.Object = a.Me.ID
		}
	}
	if signed.Made || signed.Linked {
		d.Note(r.Context(), e)
	}
	if err != nil {
		return nil, nil, err
	}
	return d.byEmail(email), nil, nil
}

// Vouch notes that who has just made an account did so by way of the proxy, which
// names them by its address: their password is their own.
func (d *Directory) Vouch(r *http.Request, owner string) error {
	email := d.Named(r)
	if email == "" {
		return nil
	}
	_, err := d.SignOns.SignOn(r.Context(), account.SignOn{Email: email, Verified: true, As: owner}, nil)
	return err
}

// byEmail is the account of an address of mail; nil: nobody's.
func (d *Directory) byEmail(email string) *account.Account {
	d.team.mu.RLock()
	defer d.team.mu.RUnlock()
	return d.team.byEmail[email]
}

// usedBy is who has the session of an id, which they use now.
func (t *team) usedBy(id string) Person {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.used(t.sessions[id])
}

// proxied is the session of whom a proxy names; "" if there is none.
func (t *team) proxied(key proxied) (id string) {
	if t.fresh == nil {
		return ""
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	for _, s := range t.sessions {
		if s.How == account.ByProxy && s.Owner == key.owner && s.Device == key.device {
			return s.ID
		}
	}
	return ""
}

// known takes in the sessions that were stored before a restart.
func (p *proxies) known(t *team) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	p.sessions, p.unknown = map[proxied]string{}, map[string]unknown{}
	for id, s := range t.sessions {
		if s.How == account.ByProxy {
			p.sessions[proxied{s.Owner, s.Device}] = id
		}
	}
}
