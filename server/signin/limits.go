package signin

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	"screentest/server/account"
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

// Tries counts attempts for several processes, by the names of limits.
type Tries interface {
	// TakeTries counts an attempt at each limit, one after the other, until one of them
	// says how long to wait for it.
	TakeTries(ctx context.Context, tries []account.Try, now time.Time) (wait time.Duration, err error)
	// GiveBackTries takes an attempt back at some limits, and forgets all at others.
	GiveBackTries(ctx context.Context, back []account.Try, forget []string, now time.Time) error
}

// limits are the attempts that were made.
type limits struct{ tries Tries }

func (l limit) of(kind, whose string) account.Try {
	return account.Try{Name: kind + " " + whose, Burst: l.burst, Every: l.every}
}

// The limits of each kind.
func addressTry(from string) account.Try     { return ofAddress.of("address", network(from)) }
func pairTry(email, from string) account.Try { return ofPair.of("pair", email+" "+network(from)) }
func accountTry(email string) account.Try    { return ofAccount.of("account", email) }
func codeTry(email string) account.Try       { return ofCodes.of("code", email) }
func returnTry(from string) account.Try      { return ofReturns.of("return", network(from)) }

// guess counts an attempt at a password, or says how long to wait. known says that
// the account's owner has been at the address.
func (l *limits) guess(ctx context.Context, email, from string, known bool, now time.Time) error {
	// What one limit holds up is not counted by the next: who is turned away at
	// their address uses nothing up of an account's.
	tries := []account.Try{addressTry(from), pairTry(email, from)}
	if !known {
		tries = append(tries, accountTry(email))
	}
	return l.take(ctx, now, tries...)
}

// code counts an attempt at a second factor.
func (l *limits) code(ctx context.Context, email string, known bool, now time.Time) error {
	if known {
		return nil // the password that comes with it is counted
	}
	return l.take(ctx, now, codeTry(email))
}

// from counts an attempt of another kind.
func (l *limits) from(ctx context.Context, from string, now time.Time) error {
	return l.take(ctx, now, addressTry(from))
}

// returned counts somebody who comes back from a provider.
func (l *limits) returned(ctx context.Context, from string, now time.Time) error {
	return l.take(ctx, now, returnTry(from))
}

func (l *limits) take(ctx context.Context, now time.Time, tries ...account.Try) error {
	wait, err := l.tries.TakeTries(ctx, tries, now)
	if err != nil {
		return fmt.Errorf("count an attempt to sign in: %w", err)
	}
	return tooMany(wait)
}

// succeeded forgets what was tried at an account, and that this attempt was made
// from the address: an office of many people is one. What else was tried from
// there stays counted: who has an account of their own could guess at others.
func (l *limits) succeeded(ctx context.Context, email, from string, now time.Time) error {
	return l.tries.GiveBackTries(ctx, []account.Try{addressTry(from)}, []string{pairTry(email, from).Name, accountTry(email).Name, codeTry(email).Name}, now)
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
