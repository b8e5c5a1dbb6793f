// Package factors has the ways in besides a password: passkeys, which are a whole
// way in by themselves, time-based codes of an authenticator app, and recovery
// codes, which stand in for a lost one.
//
// Whoever has added a passkey or an authenticator app isn't let in by a password
// alone any more ([Factors.Needed]): a code is asked for ([Factors.Check]), or they
// use a passkey. A passkey always asks its authenticator to verify the person, so
// that it is two factors itself.
package factors

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/go-webauthn/webauthn/webauthn"

	"screentest/server/account"
	"screentest/server/ticket"
	"screentest/shared/wire"
)

// Store keeps factors. One that isn't there is an fs.ErrNotExist.
type Store interface {
	Passkeys(ctx context.Context, owner string) ([]account.Passkey, error)
	PasskeyOf(ctx context.Context, credential []byte) (account.Passkey, error)
	AddPasskey(ctx context.Context, p account.Passkey, codes [][]byte) (id string, fresh bool, err error)
	PasskeyUsed(ctx context.Context, owner, id string, data []byte) error
	SecondFactor(ctx context.Context, owner string) (bool, error)
	TOTP(ctx context.Context, owner string) (secret []byte, err error)
	SetTOTP(ctx context.Context, owner string, secret []byte, step int64, codes [][]byte) (fresh bool, err error)
	TakeStep(ctx context.Context, owner string, step int64) (bool, error)
	SetRecoveryCodes(ctx context.Context, owner string, codes [][]byte) error
	UseRecoveryCode(ctx context.Context, owner string, hash []byte) (bool, error)
}

// beginFor is how long somebody may take with an authenticator.
const beginFor = 5 * time.Minute

// Config is what Factors works with.
type Config struct {
	Store Store
	// Name is that of the instance, as authenticators show it.
	Name func() string
	// Origin is that of our page, to whose host passkeys belong; "": they belong to
	// the name that the page was asked by. An IP address can have none.
	Origin string
	// CookieName is that of a passkey sign-in under way, which holds over https
	// only if Secure.
	CookieName string
	Secure     bool
	// RecoveryUsed is told that an owner used a recovery code up. nil: nobody is.
	RecoveryUsed func(ctx context.Context, owner string)
	// Shared and Begun are sign-ins under way, and what people who are signed in have
	// begun, of several processes; nil: there is this one.
	Shared *ticket.Shared
	Begun  Begun
	Now    func() time.Time
}

// Begun keeps what people who are signed in have begun, by its kind and the session
// they began it in: the newest of each.
type Begun interface {
	KeepBegun(ctx context.Context, kind, session, owner string, data []byte, now, expires time.Time) error
	// TakeBegun gives it, and forgets it. fs.ErrNotExist: there is none, any more.
	TakeBegun(ctx context.Context, kind, session, owner string, now time.Time) ([]byte, error)
}

// Factors are the second factors of everybody, and passkeys. Make them with New.
type Factors struct {
	Config
	signIns *ticket.Tickets[webauthn.SessionData]
	added   pending[webauthn.SessionData] // registrations under way
	secrets pending[[]byte]               // authenticator apps that haven't shown a code
}

// New returns Factors.
func New(c Config) *Factors {
	if c.Now == nil {
		c.Now = time.Now
	}
	f := &Factors{Config: c,
		added:   pending[webauthn.SessionData]{kind: "passkey", now: c.Now, begun: c.Begun},
		secrets: pending[[]byte]{kind: "totp", now: c.Now, begun: c.Begun},
	}
	f.signIns = ticket.New[webauthn.SessionData](ticket.Config{Name: c.CookieName, Secure: c.Secure, SameSite: http.SameSiteStrictMode, Lasts: beginFor, Now: c.Now, Shared: c.Shared})
	return f
}

// Passkeys says whether people can use passkeys here.
func (f *Factors) Passkeys() bool {
	_, err := f.party(&http.Request{Host: "localhost"})
	return err == nil
}

// Needed says whether an owner's password alone doesn't let them in.
func (f *Factors) Needed(ctx context.Context, owner string) (bool, error) {
	return f.Store.SecondFactor(ctx, owner)
}

// Check takes a code of an owner's authenticator app, or a recovery code; each is
// taken once. How often somebody may try is for the caller to say.
func (f *Factors) Check(ctx context.Context, owner, code string) (bool, error) {
	if taken, err := f.checkTOTP(ctx, owner, code); taken || err != nil {
		return taken, err
	}
	return f.checkRecovery(ctx, owner, code)
}

// maxPending bounds what is under way for people who are signed in.
const maxPending = 10_000

// pending is what people who are signed in have begun, by the session they began
// it in: the newest of each.
type pending[T any] struct {
	kind  string
	now   func() time.Time
	begun Begun // nil: it is kept here
	mu    sync.Mutex
	of    map[string]begun[T]
}

type begun[T any] struct {
	is      T
	owner   string
	expires time.Time
}

// errNotBegun is for who takes too long, or finishes twice.
var errNotBegun = &wire.Problem{Code: "expired", Message: "This took too long, or was finished before.", Hint: "Begin again."}

func (p *pending[T]) put(ctx context.Context, session, owner string, is T) error {
	if p.begun != nil {
		data, err := json.Marshal(is)
		if err == nil {
			err = p.begun.KeepBegun(ctx, p.kind, session, owner, data, p.now(), p.now().Add(beginFor))
		}
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if len(p.of) >= maxPending {
		for key, b := range p.of {
			if !now.Before(b.expires) {
				delete(p.of, key)
			}
		}
		if len(p.of) >= maxPending {
			return errors.New("too much is under way")
		}
	}
	if p.of == nil {
		p.of = map[string]begun[T]{}
	}
	p.of[session] = begun[T]{is, owner, now.Add(beginFor)}
	return nil
}

// take returns what a session has begun, and forgets it.
func (p *pending[T]) take(ctx context.Context, session, owner string) (is T, err error) {
	if p.begun != nil {
		data, err := p.begun.TakeBegun(ctx, p.kind, session, owner, p.now())
		if errors.Is(err, fs.ErrNotExist) {
			return is, errNotBegun
		}
		if err == nil {
			err = json.Unmarshal(data, &is)
		}
		return is, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b, there := p.of[session]
	delete(p.of, session)
	if !there || b.owner != owner || !p.now().Before(b.expires) {
		return is, errNotBegun
	}
	return b.is, nil
}
