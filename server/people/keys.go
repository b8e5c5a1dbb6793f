package people

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"sync"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Gateway is the gateway that sends go to, as far as keys have to do with it.
type Gateway struct {
	Name string // its address, or "sandbox"
	// Origin is its scheme, host and port: a key is for one, and sent to no other.
	Origin string
	// Key is everybody's: the sandbox's, or gateway.NoKey; "" where keys are
	// entered.
	Key string
	// Fixed says that it was chosen when the server was started: what doesn't say
	// for which gateway it is, is for this one.
	Fixed bool
}

// keyless says whether the gateway asks for no key.
func (g Gateway) keyless() bool { return g.Key == gateway.NoKey }

// sandbox says whether its key is the sandbox's.
func (g Gateway) sandbox() bool { return g.Key != "" && !g.keyless() }

// Key returns the key of a person's session for the gateway, "" if it has none.
// With accounts it is Payer that knows keys.
func (d *Directory) Key(ctx context.Context, p Person) (string, error) {
	return d.keyFor(ctx, p, d.Gateway())
}

func (d *Directory) keyFor(ctx context.Context, p Person, g Gateway) (string, error) {
	if g.Key != "" {
		return g.Key, nil
	}
	return d.sessions.key(ctx, p, g)
}

// HeldFor is the key that somebody would send to a gateway with, charged to a
// team, if there are teams; "" if none is held that is for it.
func (d *Directory) HeldFor(ctx context.Context, p Person, g Gateway, team string) (string, error) {
	if p.Me == nil {
		return d.sessions.key(ctx, p, g)
	}
	_, keys, err := d.Keys.Charges(ctx, p.Owner, g.Origin)
	return keys[team], err
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
	now := d.Gateway()
	key, err := d.keyFor(ctx, p, now)
	g.HasKey, g.KeyLast4, g.KeyRefused = key != "", last4(key), d.isRefused(now.Name, key)
	return g, err
}

// SetKey changes the key of a request's session; "" forgets it. The session gets
// another id with it, in one step: what was known of the old one is worth nothing
// after. The key is for g alone.
func (d *Directory) SetKey(w http.ResponseWriter, r *http.Request, g Gateway, key string) (before, after Person, err error) {
	if err := g.wantsKeys(); err != nil {
		return before, after, err
	}
	session, err := d.sessions.Get(r, d.sessions.name)
	before = Person{Owner: d.Owner, Session: SessionSum(session.ID)}
	if err == nil {
		session.Values[keyValue], session.Values[originValue] = key, g.Origin
		session.ID, err = d.sessions.move(r.Context(), session.ID, values{key, g.Origin})
	}
	if err == nil {
		err = d.sessions.setCookie(w, session.ID)
	}
	return before, Person{Owner: d.Owner, Session: SessionSum(session.ID)}, err
}

// wantsKeys fails where the gateway has a key that is everybody's.
func (g Gateway) wantsKeys() error {
	switch {
	case g.keyless():
		return &wire.Problem{Code: "no_key_asked", Message: "This gateway asks for no key.",
			Hint: "If it does by now, connect it again with one: Settings, Gateway."}
	case g.sandbox():
		return &wire.Problem{Code: "sandbox_key", Message: "The sandbox has a key of its own.",
			Hint: "Connect a gateway of your own first: Settings, Gateway."}
	}
	return nil
}

// KeyJudged takes from a reply whether the gateway of that name refused a key or
// took it. It never waits.
func (d *Directory) KeyJudged(gateway, key string, refused bool) {
	sum := d.sumOf(gateway, key)
	if !d.refused.note(sum, refused) {
		return
	}
	d.KeyChanged()
	if d.Fresh == nil {
		return
	}
	d.Sessions.KeyRefused(sum, refused, func(err error) {
		if err != nil {
			d.Logger.Error("other replicas are not told whether a key is refused", "err", err)
		}
	})
}

// ReadRefused reads which keys are refused, which others have found: of all, or of
// the one with a sum in hexadecimal digits.
func (d *Directory) ReadRefused(ctx context.Context, one string) error {
	sums, err := d.Sessions.RefusedKeys(ctx, one)
	if err != nil {
		return err
	}
	if d.refused.read(sums, one) {
		d.KeyChanged()
	}
	return nil
}

// refusedKeys are the keys that their gateway has refused and not taken since, for
// as long as the server runs; by their sums, so that no key lies about.
type refusedKeys struct {
	mu   sync.Mutex
	keys map[[sha256.Size]byte]struct{}
}

// maxRefused bounds the keys that are remembered: each is one that a person
// entered.
const maxRefused = 1000

// read takes over which keys are refused: the one of a sum, or all if that is "". It
// says whether something is another.
func (r *refusedKeys) read(sums [][sha256.Size]byte, one string) (changed bool) {
	if raw, err := hex.DecodeString(one); err == nil && len(raw) == sha256.Size {
		return r.note([sha256.Size]byte(raw), len(sums) > 0)
	}
	now := map[[sha256.Size]byte]struct{}{}
	for _, sum := range sums[:min(len(sums), maxRefused)] {
		now[sum] = struct{}{}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	changed = !maps.Equal(r.keys, now)
	r.keys = now
	return changed
}

// note remembers what became of a key, and says whether that is new.
func (r *refusedKeys) note(sum [sha256.Size]byte, refused bool) (changed bool) {
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

// sumOf is a key's of a gateway. Where it is kept for others to read, nobody finds the
// key by it who doesn't know the secret that it is made with.
func (d *Directory) sumOf(gateway, key string) (sum [sha256.Size]byte) {
	mac := hmac.New(sha256.New, d.sessions.signing)
	fmt.Fprintf(mac, "refused key\n%s\n%s", gateway, key)
	copy(sum[:], mac.Sum(nil))
	return sum
}

func (d *Directory) isRefused(gateway, key string) bool { return d.refused.has(d.sumOf(gateway, key)) }

func (r *refusedKeys) has(sum [sha256.Size]byte) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, known := r.keys[sum]
	return known
}

// last4 is what may be seen of a key: its last four characters, if that is no
// great part of it.
func last4(key string) string {
	if len(key) < 12 || key == gateway.NoKey {
		return ""
	}
	return key[len(key)-4:]
}
