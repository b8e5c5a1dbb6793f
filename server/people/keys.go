package people

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"

	"screentest/shared/wire"
)

// Key returns the key of a person's session, "" if it has none. With accounts it
// is Payer that knows keys.
func (d *Directory) Key(ctx context.Context, p Person) (string, error) {
	if d.SandboxKey != "" {
		return d.SandboxKey, nil
	}
	return d.sessions.key(ctx, p)
}

// KeyState puts into g what may be seen of a person's key: with accounts, of that
// which their next send is charged to.
func (d *Directory) KeyState(ctx context.Context, p Person, g wire.Gateway) (wire.Gateway, error) {
	if p.Me != nil {
		charges, err := d.Charges(ctx, p)
		if err != nil {
			return g, err
		}
		if c, err := d.choose(charges, ""); err == nil {
			g.HasKey, g.KeyLast4, g.KeyRefused = c.HasKey, c.KeyLast4, c.KeyRefused
		}
		return g, nil
	}
	key, err := d.Key(ctx, p)
	g.HasKey, g.KeyLast4, g.KeyRefused = key != "", last4(key), d.refused.has(key)
	return g, err
}

// SetKey changes the key of a request's session; "" forgets it. The session gets
// another id with it: what was known of the old one is worth nothing after.
func (d *Directory) SetKey(w http.ResponseWriter, r *http.Request, key string) (before, after Person, err error) {
	if err := d.wantKeys(); err != nil {
		return before, after, err
	}
	session, err := d.sessions.Get(r, d.sessions.name)
	before = Person{Owner: d.Owner, Session: session.ID}
	if err == nil && session.ID != "" {
		err = d.Sessions.DeleteSession(r.Context(), session.ID)
	}
	if err == nil {
		session.ID, session.Values[keyValue] = "", key
		err = session.Save(r, w)
	}
	return before, Person{Owner: d.Owner, Session: session.ID}, err
}

// wantKeys fails with the sandbox, whose key is everybody's.
func (d *Directory) wantKeys() error {
	if d.SandboxKey == "" {
		return nil
	}
	return &wire.Problem{Code: "sandbox_key", Message: "The sandbox has a key of its own.",
		Hint: "Start the server with -gateway to use another gateway."}
}

// KeyJudged takes from a reply whether the gateway refused a key or took it. It
// never waits.
func (d *Directory) KeyJudged(key string, refused bool) {
	if d.refused.note(key, refused) {
		d.KeyChanged()
	}
}

// refusedKeys are the keys that the gateway has refused and not taken since, for
// as long as the server runs; by their sums, so that no key lies about.
type refusedKeys struct {
	mu   sync.Mutex
	keys map[[sha256.Size]byte]struct{}
}

// maxRefused bounds the keys that are remembered: each is one that a person
// entered.
const maxRefused = 1000

// note remembers what became of a key, and says whether that is new.
func (r *refusedKeys) note(key string, refused bool) (changed bool) {
	sum := sha256.Sum256([]byte(key))
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.keys[sum]; known == refused {
		return false
	}
	if !refused {
		delete(r.keys, sum)
		return true
	}
	if r.keys == nil || len(r.keys) >= maxRefused {
		r.keys = map[[sha256.Size]byte]struct{}{}
	}
	r.keys[sum] = struct{}{}
	return true
}

func (r *refusedKeys) has(key string) bool {
	sum := sha256.Sum256([]byte(key))
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.keys[sum]
	return known
}

// last4 is what may be seen of a key: its last four characters, if that is no
// great part of it.
func last4(key string) string {
	if len(key) < 12 {
		return ""
	}
	return key[len(key)-4:]
}
