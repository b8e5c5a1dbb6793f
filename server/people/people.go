// Package people knows who is asking: the person and the browser's session that
// a request comes with. [With] puts it into a request's context and [Of] reads it
// there. A server without accounts has one local person, who everybody on this
// machine is, and keeps the gateway's key in their session; with [Config.Team]
// there are accounts, and who hasn't signed in is nobody.
//
// Accounts and sessions are held in memory, so that asking costs no query. Who
// changes an account in the store tells the Directory by [Directory.Changed]. Where
// other processes change what is stored, too, it is told of that ([Config.Fresh]).
package people

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"screentest/server/account"
	"screentest/shared/wire"
)

// Person is who is asking.
type Person struct {
	Owner string // of the rows that are read and written; "" for who is not signed in
	// Session is the browser's; "" before it has one. With accounts it is the id
	// that its owner sees, without them a sum of that which the cookie carries: never
	// that itself.
	Session string
	// Me is the account; nil where there are no accounts, and everybody is the
	// one local person. It is not to be changed.
	Me *wire.Me
	// Refused says why whom a proxy in front names isn't let in; nil: it names
	// nobody.
	Refused *wire.Problem
}

// SignedIn says whether it is somebody.
func (p Person) SignedIn() bool { return p.Owner != "" }

// Role is what the person may do on the instance. The local person runs it.
func (p Person) Role() string {
	switch {
	case p.Owner == "":
		return ""
	case p.Me == nil:
		return wire.RoleAdmin
	case p.Me.FactorNeeded && p.Me.Role == wire.RoleAdmin:
		return wire.RoleMember
	}
	return p.Me.Role
}

// MustAddFactor says whether it is only that which keeps an admin from being one.
func (p Person) MustAddFactor() bool { return p.Me != nil && p.Me.FactorNeeded }

// Leads says whether the person leads a team. A guest leads none, even one that
// they led before they were made a guest.
func (p Person) Leads(team string) bool {
	return p.Me != nil && p.Me.Role != wire.RoleGuest && p.Me.Leads(team)
}

type contextKey struct{}

// With returns ctx with who is asking.
func With(ctx context.Context, p Person) context.Context {
	return context.WithValue(ctx, contextKey{}, p)
}

type addressKey struct{}

// WithAddress returns ctx with the address that somebody asks from, for the
// audit.
func WithAddress(ctx context.Context, address string) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

// AddressOf returns the address that WithAddress put into ctx; "" if it did not.
func AddressOf(ctx context.Context) string {
	address, _ := ctx.Value(addressKey{}).(string)
	return address
}

// Of returns who is asking: nobody, who owns nothing, if With was not called.
func Of(ctx context.Context) Person {
	p, _ := ctx.Value(contextKey{}).(Person)
	return p
}

// Sessions keeps the sealed sessions of a server without accounts, and the
// secret that signs cookies. One that is not there is an fs.ErrNotExist.
type Sessions interface {
	SaveSession(ctx context.Context, id, owner string, data []byte, expires time.Time) error
	// MoveSession saves one in the place of another, which is there no more, and has
	// other processes know. data nil: it holds nothing.
	MoveSession(ctx context.Context, from, id, owner string, data []byte, expires time.Time) error
	// LoadSessionBy reads that of a [SessionSum].
	LoadSessionBy(ctx context.Context, sum string) (owner string, data []byte, err error)
	Secret(ctx context.Context, name string) (data []byte, err error)
	SetSecret(ctx context.Context, name string, data []byte) error
	// KeepSecret keeps a secret unless there is one, and gives the one that there is.
	KeepSecret(ctx context.Context, name string, data []byte) (kept []byte, err error)
	// KeyRefused notes, without waiting, that the key of a sum is refused by its
	// gateway, or taken; RefusedKeys are the sums of those that are, or one is.
	KeyRefused(sum [32]byte, refused bool, done func(error))
	RefusedKeys(ctx context.Context, one string) (sums [][32]byte, err error)
}

// Accounts keeps who can sign in, and who has.
type Accounts interface {
	// Accounts are all there are, those that were deactivated too.
	Accounts(ctx context.Context) ([]account.Account, error)
	// SignedIn are the sessions that have not expired.
	SignedIn(ctx context.Context) ([]account.Session, error)
	// SignedInBy is the one with a cookie of that sum, an fs.ErrNotExist if there is
	// none; SignedInAs are those of an owner, and SignedInWith those of ids.
	SignedInBy(ctx context.Context, hash [sha256.Size]byte) (account.Session, error)
	SignedInAs(ctx context.Context, owner string) ([]account.Session, error)
	SignedInWith(ctx context.Context, ids []string) ([]account.Session, error)
	SaveSignIn(ctx context.Context, s account.Session) error
	// SessionsSeen notes when sessions were last seen, by their ids.
	SessionsSeen(ctx context.Context, seen map[string]time.Time) error
	// EndSessions forgets sessions, by their ids.
	EndSessions(ctx context.Context, ids []string) error
}

// Config is what a Directory works with. Sessions, Owner and Addr must be given,
// and Accounts, Keys and Settings with Team.
type Config struct {
	Sessions Sessions
	// Owner is the one local user, whom everybody on loopback is; with Team only
	// whose data the first account gets.
	Owner string
	// Addr is the address that the server listens on, host:port.
	Addr string
	// Secure says that browsers reach the server by https.
	Secure bool
	// Gateway is the one that sends go to at the moment. nil: one that was never
	// named, whose keys are entered.
	Gateway func() Gateway
	// KeyChanged is told that what is known of a key is another. It must not
	// wait. nil: nobody is told.
	KeyChanged func()

	// Team says that people sign in.
	Team     bool
	Accounts Accounts
	Keys     Keys
	Settings Settings
	// BehindProxy says that browsers come by way of a proxy on this machine or in
	// its network, which says in X-Forwarded-For whom it passes on.
	BehindProxy bool
	// Trusted is the proxy in front that says who is asking; nil: none. SignOns
	// makes accounts for those whom it may let in.
	Trusted *TrustedHeader
	SignOns SignOns
	// TrustFrom are further networks of such proxies.
	TrustFrom []netip.Prefix
	// Audit is told what somebody did. nil: nobody is.
	Audit func(ctx context.Context, e Event)

	// Fresh says that other processes change what is stored, too, and whether all
	// that they have changed until a moment ago was told to this Directory; while it
	// is false, whoever asks is looked up. nil: there are no others.
	Fresh func() bool

	Now    func() time.Time
	Logger *slog.Logger
}

// Directory knows people by their sessions. Make one with New, and Close it.
type Directory struct {
	Config
	sessions *sessionStore
	refused  refusedKeys
	team     *team // nil without accounts
	silent   sync.Once
	proxies  proxies
	policies atomic.Pointer[account.Policies]
	reading  sync.Mutex // of the policies, so that the last one read is the newest
}

// New returns a Directory. ctx bounds only the preparation.
func New(ctx context.Context, c Config) (*Directory, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Gateway == nil {
		c.Gateway = func() Gateway { return Gateway{} }
	}
	if c.KeyChanged == nil {
		c.KeyChanged = func() {}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	d := &Directory{Config: c}
	var err error
	if d.sessions, err = newSessionStore(ctx, c); err != nil {
		return nil, fmt.Errorf("prepare sessions: %w", err)
	}
	if c.Fresh != nil {
		if err := d.ReadRefused(ctx, ""); err != nil {
			return nil, fmt.Errorf("read which keys are refused: %w", err)
		}
	}
	if c.Team {
		if d.team, err = newTeam(ctx, c); err != nil {
			return nil, fmt.Errorf("read accounts: %w", err)
		}
		d.proxies.known(d.team)
		d.team.twoFactors = func() bool { return d.Policies().TwoFactors }
		p, err := readPolicies(ctx, c.Settings)
		if err != nil {
			return nil, err
		}
		d.policies.Store(p)
	}
	return d, nil
}

// Close stores when sessions were last seen.
func (d *Directory) Close() {
	if d.team != nil {
		d.team.close()
	}
}

// Asking returns who a request comes from. A cookie that is missing, forged or
// too old is a person without a session.
func (d *Directory) Asking(r *http.Request) (Person, error) {
	if d.team != nil {
		if p, named, err := d.byProxy(r); named || err != nil {
			return p, err
		}
		return d.team.asking(r.Context(), d.sessions.id(r))
	}
	session, err := d.sessions.Get(r, d.sessions.name)
	return Person{Owner: d.Owner, Session: SessionSum(session.ID)}, err
}

// Admit returns who a request comes from. Without accounts it gives a session to
// who has none.
func (d *Directory) Admit(w http.ResponseWriter, r *http.Request) (Person, error) {
	if d.team != nil {
		return d.Asking(r)
	}
	session, err := d.sessions.Get(r, d.sessions.name)
	if err == nil && session.IsNew {
		err = session.Save(r, w)
	}
	return Person{Owner: d.Owner, Session: SessionSum(session.ID)}, err
}

// Current is p as they are now: nobody, once their session has ended.
func (d *Directory) Current(p Person) Person {
	if d.team == nil {
		return p
	}
	return d.team.current(p.Session)
}

// An Event is something that somebody did, for the audit: ids and numbers, never
// a name, an address of mail, a key or a text.
type Event struct {
	Person  string // the owner who did it; "" for who asks, or nobody who has an account
	Action  string // such as "signin.ok"
	Object  string // the id of what it was done to; ""
	Detail  map[string]any
	Address string // that it was done from; "" for that of ctx
}

// Note has the audit told of an event, where there are accounts. Who did it, and
// from where, are those of the context where the event doesn't say.
func (d *Directory) Note(ctx context.Context, e Event) {
	if d.Audit == nil || d.team == nil {
		return
	}
	if e.Person == "" {
		e.Person = Of(ctx).Owner
	}
	if e.Address == "" {
		e.Address = AddressOf(ctx)
	}
	d.Audit(ctx, e)
}
