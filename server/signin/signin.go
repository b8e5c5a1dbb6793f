// Package signin is how people get in by what they know: an e-mail address and a
// password, with a code where they have a second factor, or a link that somebody
// gave them. Make a [Desk]; it says who it is, and whoever asks it makes the session.
//
// Whether there is an account can't be told from outside: a wrong address and a
// wrong password get the same answer after the same work, and are counted alike.
package signin

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"screentest/server/account"
	"screentest/server/password"
	"screentest/shared/wire"
)

// Accounts keeps passwords and links. Errors that a person may read are
// *wire.Problem; what is not there is an fs.ErrNotExist.
type Accounts interface {
	Login(ctx context.Context, email string) (owner, password string, active bool, err error)
	Password(ctx context.Context, owner string) (password string, err error)
	SetPassword(ctx context.Context, owner, was, password string) error

	MakeLink(ctx context.Context, kind, owner, by string, hash [sha256.Size]byte, lasts time.Duration) error
	Link(ctx context.Context, hash [sha256.Size]byte) (wire.Link, error)
	SetUp(ctx context.Context, hash [sha256.Size]byte, name, email, password string) (owner string, err error)
	Join(ctx context.Context, hash [sha256.Size]byte, name, email, password string) (owner, invite string, err error)
	Reset(ctx context.Context, hash [sha256.Size]byte, password string) (owner string, err error)
}

// Factors are the second factors of those who have one.
type Factors interface {
	// Needed says whether an owner has one.
	Needed(ctx context.Context, owner string) (bool, error)
	// Check says whether a code is right, which it is once.
	Check(ctx context.Context, owner, code string) (bool, error)
}

// Config is what a Desk works with. Accounts must be given.
type Config struct {
	Accounts Accounts
	// Factors are the second factors; nil: nobody has one.
	Factors Factors
	// Passwords says that people may have passwords.
	Passwords bool
	// Known says whether an owner has a session that was made from an address. nil:
	// no address is known.
	Known func(owner, address string) bool
	// Instance is its name, which is no password.
	Instance func() string
	// Tries counts the attempts of several processes; nil: there is this one.
	Tries Tries
	// Cost is that of a password's sum; zero: password.Usual.
	Cost   password.Cost
	Now    func() time.Time
	Logger *slog.Logger
}

// A Desk is where people get in.
type Desk struct {
	Config
	hasher *password.Hasher
	limits *limits
}

// New returns a Desk.
func New(c Config) *Desk {
	if c.Cost == (password.Cost{}) {
		c.Cost = password.Usual
	}
	if c.Known == nil {
		c.Known = func(string, string) bool { return false }
	}
	if c.Instance == nil {
		c.Instance = func() string { return "" }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tries == nil {
		c.Tries = &memory{}
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	return &Desk{Config: c, hasher: password.New(c.Cost, password.AtOnce), limits: &limits{c.Tries}}
}

var (
	errWrong      = &wire.Problem{Code: wire.CodeWrong, Message: "The e-mail address or the password is not right.", Hint: "If you can't recall it, ask an admin of this instance for a link to a new password."}
	errCodeNeeded = &wire.Problem{Code: wire.CodeCodeNeeded, Field: "code", Message: "This account has a second factor.", Hint: "Give the code that your app shows, or one of your recovery codes."}
	errCodeWrong  = &wire.Problem{Code: wire.CodeCodeNeeded, Field: "code", Message: "The code is not right.", Hint: "Wait for the next one, which the app shows within half a minute; each is taken once. A recovery code does as well."}
	errNoPassword = &wire.Problem{Code: wire.CodeNotAllowed, Message: "Nobody signs in by a password here.", Hint: "Use single sign-on or a passkey."}
)

// SignIn says who gives the right password, and the right code where they have a
// second factor. from is the address that they ask from. With an error owner is
// the account that was tried, for the audit alone; "" if there is none.
func (d *Desk) SignIn(ctx context.Context, in wire.SignIn, from string) (owner string, err error) {
	if !d.Passwords {
		return "", errNoPassword
	}
	email, err := account.Email(in.Email)
	if err != nil { // nobody's, as many that are well written
		email = wire.Cut(strings.ToLower(strings.TrimSpace(in.Email)), wire.MaxEmail)
	}
	owner, sum, active, err := d.Accounts.Login(ctx, email)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	known := d.Known(owner, from)
	if err := d.limits.guess(ctx, email, from, known, d.Now()); err != nil {
		return owner, err
	}
	right, old, err := d.hasher.Check(ctx, sum, in.Password)
	switch {
	case err != nil:
		return owner, err
	case !right:
		return owner, errWrong
	case !active:
		return owner, account.Deactivated()
	}
	// Looking at it may have waited for its turn: a password that was changed
	// meanwhile, and with it all sessions ended, makes none.
	if still, err := d.Accounts.Password(ctx, owner); err != nil {
		return owner, err
	} else if still != sum {
		return owner, errWrong
	}
	if err := d.second(ctx, owner, email, in.Code, known); err != nil {
		return owner, err
	}
	d.succeeded(ctx, email, from)
	if old {
		d.rehash(ctx, owner, sum, in.Password)
	}
	return owner, nil
}

// second wants the code of who has a second factor.
func (d *Desk) second(ctx context.Context, owner, email, code string, known bool) error {
	if d.Factors == nil {
		return nil
	}
	if needed, err := d.Factors.Needed(ctx, owner); err != nil || !needed {
		return err
	}
	if code == "" {
		return errCodeNeeded
	}
	if err := d.limits.code(ctx, email, known, d.Now()); err != nil {
		return err
	}
	right, err := d.Factors.Check(ctx, owner, code)
	if err == nil && !right {
		return errCodeWrong
	}
	return err
}

// succeeded counts nothing of what was tried before: if that can't be stored, they
// are in all the same.
func (d *Desk) succeeded(ctx context.Context, email, from string) {
	if err := d.limits.succeeded(ctx, email, from, d.Now()); err != nil {
		d.Logger.Error("the attempts of who has signed in stay counted", "err", err)
	}
}

// rehash has a password's sum cost what it does today.
func (d *Desk) rehash(ctx context.Context, owner, was, pass string) {
	sum, err := d.hasher.Sum(ctx, pass)
	if err == nil {
		err = d.Accounts.SetPassword(ctx, owner, was, sum)
	}
	if err != nil {
		d.Logger.Warn("a password's sum is still one of before", "err", err)
	}
}

// Confirm says whether a password is that of who is signed in already: before
// something that a stolen session must not do.
func (d *Desk) Confirm(ctx context.Context, owner, email, pass, from string) error {
	if err := d.limits.guess(ctx, email, from, d.Known(owner, from), d.Now()); err != nil {
		return err
	}
	sum, err := d.Accounts.Password(ctx, owner)
	if err != nil {
		return err
	}
	right, _, err := d.hasher.Check(ctx, sum, pass)
	if err == nil && !right {
		// Not 401, at which the page would ask to sign in.
		return &wire.Problem{Code: wire.CodeWrong, Status: 400, Field: "password", Message: "The password is not right."}
	}
	if err == nil {
		d.succeeded(ctx, email, from)
	}
	return err
}

// SetPassword gives who is signed in a new password. Who has one gives it as old;
// who has none yet, because they come in by other means, must have signed in just
// now: fresh says why not. Which of the two it is hangs on what is stored, never on
// what was asked; a password that is stored meanwhile is a conflict.
func (d *Desk) SetPassword(ctx context.Context, me wire.Me, owner, old, pass, from string, fresh func() error) error {
	if !d.Passwords {
		return errNoPassword
	}
	was, err := d.Accounts.Password(ctx, owner)
	if err != nil {
		return err
	}
	if was == "" {
		if err := fresh(); err != nil {
			return err
		}
	} else {
		err := d.Confirm(ctx, owner, me.Email, old, from)
		var p *wire.Problem
		if errors.As(err, &p) && p.Field == "password" {
			wrong := *p
			wrong.Field = "old"
			return &wrong
		}
		if err != nil {
			return err
		}
	}
	if p := password.Mistake(pass, me.Name, me.Email, d.Instance()); p != nil {
		p.Field = "new"
		return p
	}
	sum, err := d.hasher.Sum(ctx, pass)
	if err != nil {
		return err
	}
	return d.Accounts.SetPassword(ctx, owner, was, sum)
}

// NewToken is what a link carries, and its hash, which alone is kept.
func NewToken() (token string, hash [sha256.Size]byte) {
	token = rand.Text() // 130 bits
	return token, account.Hash(token)
}
