package signin

import (
	"context"

	"screentest/shared/wire"
)

// Prove takes the password of who is signed in, or a code of theirs, before
// something that a stolen session must not do. It is counted as signing in is.
func (d *Desk) Prove(ctx context.Context, owner, email, from string, p wire.Proof) error {
	if p.Code == "" {
		return d.Confirm(ctx, owner, email, p.Password, from)
	}
	known := d.Known(owner, from)
	if err := d.limits.guess(ctx, email, from, known, d.Now()); err != nil {
		return err
	}
	if err := d.limits.code(ctx, email, known, d.Now()); err != nil {
		return err
	}
	right := false
	if d.Factors != nil {
		var err error
		if right, err = d.Factors.Check(ctx, owner, p.Code); err != nil {
			return err
		}
	}
	if !right {
		// Not 401, at which the page would ask to sign in.
		return &wire.Problem{Code: wire.CodeWrong, Status: 400, Field: "code", Message: "The code is not right.", Hint: "Each is taken once: wait for the next one."}
	}
	d.succeeded(ctx, email, from)
	return nil
}

// Failed counts an attempt to come in by other means that came to nothing. An
// error says that there were too many from the address to be told of each.
func (d *Desk) Failed(ctx context.Context, from string) error {
	return d.limits.from(ctx, from, d.Now())
}

// Returned counts somebody who comes back from the provider of single sign-on,
// which is asked about them then. An error says that there were too many from the
// address: a stranger must not use up what the provider takes from all of us. It is
// apart from what is guessed, which stops nobody from coming in this way.
func (d *Desk) Returned(ctx context.Context, from string) error {
	return d.limits.returned(ctx, from, d.Now())
}
