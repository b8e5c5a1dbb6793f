package signin

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"time"

	"screentest/server/account"
	"screentest/server/password"
	"screentest/shared/wire"
)

// Kinds of links, as wire.Link has them.
const (
	setUp = "setup"
	join  = "join"
	reset = "reset"
)

// Lasts is how long a link of a kind leads somewhere.
func Lasts(kind string) time.Duration {
	if kind == setUp {
		return time.Hour
	}
	return 24 * time.Hour
}

// SetUpLink makes the token of a link to the first account. by says who gives it
// out; one of theirs that was not used is void.
func (d *Desk) SetUpLink(ctx context.Context, by string) (token string, err error) {
	token, hash := NewToken()
	return token, d.Accounts.MakeLink(ctx, setUp, "", by, hash, Lasts(setUp))
}

// ResetLink makes the token of a link to a new password of an owner's.
func (d *Desk) ResetLink(ctx context.Context, owner, by string) (token string, err error) {
	token, hash := NewToken()
	return token, d.Accounts.MakeLink(ctx, reset, owner, by, hash, Lasts(reset))
}

// Link says what a token leads to.
func (d *Desk) Link(ctx context.Context, token string) (wire.Link, error) {
	return d.Accounts.Link(ctx, account.Hash(token))
}

// leads fails unless a token leads to a link of a kind. It is asked before a
// password's sum is made: only who has a link may have that work done.
func (d *Desk) leads(ctx context.Context, token, kind string) error {
	l, err := d.Link(ctx, token)
	if err == nil && l.Kind != kind {
		return &wire.Problem{Code: wire.CodeLinkUnknown, Field: "token", Message: "This link leads elsewhere.", Hint: "Open it as it was given to you."}
	}
	return err
}

// sum is that of the password by which somebody will come in, "" if they will
// come in by other means.
func (d *Desk) sum(ctx context.Context, in wire.Join) (string, error) {
	switch {
	case in.Password == "" && (in.Passkey || !d.Passwords):
		return "", nil
	case !d.Passwords:
		return "", &wire.Problem{Code: wire.CodeNotAllowed, Field: "password", Message: errNoPassword.Message, Hint: "Leave the password out, and add a passkey."}
	}
	if p := password.Mistake(in.Password, in.Name, in.Email, d.Instance()); p != nil {
		return "", p
	}
	return d.hasher.Sum(ctx, in.Password)
}

// newAccount reads what an account is to be made of.
func (d *Desk) newAccount(ctx context.Context, in wire.Join, kind string) (name, email, sum string, err error) {
	if err = d.leads(ctx, in.Token, kind); err != nil {
		return
	}
	if name, err = account.Name(in.Name); err != nil {
		return
	}
	if email, err = account.Email(in.Email); err != nil {
		return
	}
	sum, err = d.sum(ctx, in)
	return
}

// SetUp makes the first account.
func (d *Desk) SetUp(ctx context.Context, in wire.Join) (owner string, err error) {
	name, email, sum, err := d.newAccount(ctx, in, setUp)
	if err != nil {
		return "", err
	}
	return d.Accounts.SetUp(ctx, account.Hash(in.Token), name, email, sum)
}

// Join makes an account by an invitation, and names that.
func (d *Desk) Join(ctx context.Context, in wire.Join, from string) (owner, invite string, err error) {
	name, email, sum, err := d.newAccount(ctx, in, join)
	if err != nil {
		return "", "", err
	}
	owner, invite, err = d.Accounts.Join(ctx, account.Hash(in.Token), name, email, sum)
	if errors.Is(err, fs.ErrExist) {
		// Who has an invitation could ask which addresses are taken.
		err = cmp.Or(d.limits.from(ctx, from, d.Now()), err)
	}
	return owner, invite, err
}

// Reset gives an owner a new password.
func (d *Desk) Reset(ctx context.Context, in wire.Join) (owner string, err error) {
	l, err := d.Link(ctx, in.Token)
	if err != nil {
		return "", err
	}
	if err := d.leads(ctx, in.Token, reset); err != nil {
		return "", err
	}
	in.Name, in.Email = l.Name, l.Email
	sum, err := d.sum(ctx, in)
	if err != nil {
		return "", err
	}
	return d.Accounts.Reset(ctx, account.Hash(in.Token), sum)
}
