package signin

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"screentest/shared/wire"
)

// How often may be guessed. Each limit lets some attempts through at once, and
// then one in a while.
//
// What is guessed at one account from many addresses is bounded, too, but not for
// addresses from which its owner has a session: nobody is locked out of their own
// office by others who guess. From a new address they have to wait meanwhile, or
// come in by a passkey, which can't be guessed.
var (
	ofAddress = limit{30, 4 * time.Second} // whatever the account
	ofPair    = limit{10, time.Minute}     // of one account from one address
	ofAccount = limit{60, time.Minute}     // from all addresses that are new to it: 1500 a day
	ofCodes   = limit{10, 5 * time.Minute} // of a second factor, likewise
	ofReturns = limit{60, time.Second}     // from the provider of single sign-on to an address, each of which asks it
)

type limit struct {
	burst int
	every time.Duration
}

// maxBuckets bounds what is remembered of each limit. Who would have one
// forgotten has to try that often, which the limits let them as seldom.
const maxBuckets = 50_000

// limits are the attempts that were made.
type limits struct {
	mu                                      sync.Mutex
	address, pair, accounts, codes, returns buckets
}

func newLimits() *limits {
	return &limits{address: newBuckets(ofAddress), pair: newBuckets(ofPair), accounts: newBuckets(ofAccount), codes: newBuckets(ofCodes), returns: newBuckets(ofReturns)}
}

// guess counts an attempt at a password, or says how long to wait. known says that
// the account's owner has been at the address.
func (l *limits) guess(email, from string, known bool, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	net := network(from)
	// What one limit holds up is not counted by the next: who is turned away at
	// their address uses nothing up of an account's.
	wait := l.address.take(net, now)
	if wait == 0 {
		wait = l.pair.take(email+" "+net, now)
	}
	if wait == 0 && !known {
		wait = l.accounts.take(email, now)
	}
	return tooMany(wait)
}

// code counts an attempt at a second factor.
func (l *limits) code(email string, known bool, now time.Time) error {
	if known {
		return nil // the password that comes with it is counted
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return tooMany(l.codes.take(email, now))
}

// from counts an attempt of another kind.
func (l *limits) from(from string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return tooMany(l.address.take(network(from), now))
}

// returned counts somebody who comes back from a provider.
func (l *limits) returned(from string, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return tooMany(l.returns.take(network(from), now))
}

// succeeded forgets what was tried at an account, and that this attempt was made
// from the address: an office of many people is one. What else was tried from
// there stays counted: who has an account of their own could guess at others.
func (l *limits) succeeded(email, from string, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.address.giveBack(network(from), now)
	l.pair.forget(email + " " + network(from))
	l.accounts.forget(email)
	l.codes.forget(email)
}

func tooMany(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	wait = wait.Truncate(time.Second) + time.Second
	return &wire.Problem{Code: wire.CodeTooMany, Message: "There were too many attempts to sign in.",
		Hint: fmt.Sprintf("Try again in %s. A passkey works meanwhile, and so does a browser that is signed in.", wait), RetryAfterMS: wait.Milliseconds()}
}

// network is what counts as one address: of IPv6 everybody has as many as they
// like.
func network(from string) string {
	a, err := netip.ParseAddr(from)
	if err != nil || a.Is4() {
		return from
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return from
	}
	return p.String()
}

// buckets are attempts by what they are counted for.
type buckets struct {
	limit
	of map[string]*bucket
}

type bucket struct {
	*rate.Limiter
	used time.Time
}

func newBuckets(l limit) buckets { return buckets{l, map[string]*bucket{}} }

// take counts an attempt, or says how long to wait for it.
func (b *buckets) take(key string, now time.Time) (wait time.Duration) {
	of := b.of[key]
	if of == nil {
		b.makeRoom(now)
		of = &bucket{Limiter: rate.NewLimiter(rate.Every(b.every), b.burst)}
		b.of[strings.Clone(key)] = of
	}
	of.used = now
	r := of.ReserveN(now, 1)
	if wait = r.DelayFrom(now); wait > 0 {
		r.CancelAt(now)
	}
	return wait
}

// giveBack takes back one attempt. (Of a Limiter, to take fewer than none is to
// give; it has no more than its burst at the next attempt.)
func (b *buckets) giveBack(key string, now time.Time) {
	if of := b.of[key]; of != nil {
		of.AllowN(now, -1)
	}
}

func (b *buckets) forget(key string) { delete(b.of, key) }

// makeRoom forgets what is full again, or else what was used least recently.
func (b *buckets) makeRoom(now time.Time) {
	if len(b.of) < maxBuckets {
		return
	}
	var keys []string
	for key, of := range b.of {
		if of.TokensAt(now) >= float64(b.burst) {
			delete(b.of, key)
		} else {
			keys = append(keys, key)
		}
	}
	if len(b.of) < maxBuckets*7/8 {
		return
	}
	slices.SortFunc(keys, func(x, y string) int { return cmp.Compare(b.of[x].used.UnixNano(), b.of[y].used.UnixNano()) })
	for _, key := range keys[:maxBuckets/8] {
		delete(b.of, key)
	}
}
