package people

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// totpPurpose binds sealed secrets of authenticator apps; the row is the owner.
const totpPurpose = "totp"

// Security is how an owner gets in.
func (r *Register) Security(ctx context.Context, owner string) (s wire.Security, err error) {
	who := engine.ParseOwner(owner)
	s.Passkeys = []wire.Passkey{}
	all, err := r.Passkeys(ctx, owner)
	if err != nil {
		return s, err
	}
	for _, p := range all {
		row := wire.Passkey{ID: p.ID, Name: p.Name, CreatedMS: p.Created.UnixMilli()}
		if !p.Used.IsZero() {
			row.UsedMS = p.Used.UnixMilli()
		}
		s.Passkeys = append(s.Passkeys, row)
	}
	err = r.db.At(ctx).Scan(`SELECT password <> '', totp IS NOT NULL, oidc_subject IS NOT NULL, (SELECT count(*) FROM recovery_codes WHERE owner = n AND used_ms = 0) FROM users WHERE n = ?`,
		[]any{who}, &s.Password, &s.TOTP, &s.OIDC, &s.RecoveryCodes)
	if errors.Is(err, sql.ErrNoRows) {
		err = engine.NotFound("person")
	}
	return s, err
}

// SecondFactor says whether an owner has one: an authenticator app or a passkey.
func (r *Register) SecondFactor(ctx context.Context, owner string) (has bool, err error) {
	err = r.db.At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM users WHERE n = ?1 AND totp IS NOT NULL) OR EXISTS (SELECT 1 FROM passkeys WHERE owner = ?1)", []any{engine.ParseOwner(owner)}, &has)
	return has, err
}

// TOTP is the secret of an owner's authenticator app; nil: they have none.
func (r *Register) TOTP(ctx context.Context, owner string) (secret []byte, err error) {
	who := engine.ParseOwner(owner)
	var sealed []byte
	err = r.db.At(ctx).Scan("SELECT totp FROM users WHERE n = ?", []any{who}, &sealed)
	if errors.Is(err, sql.ErrNoRows) || err == nil && sealed == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if secret, err = r.box.Open(totpPurpose, strconv.FormatInt(who, 10), sealed); err != nil {
		return nil, fmt.Errorf("read the secret of an authenticator app: %w", err)
	}
	return secret, nil
}

// SetTOTP gives an owner an authenticator app, of whose codes that of step was
// just taken. codes become their recovery codes if they have none; fresh says
// that they did.
func (r *Register) SetTOTP(ctx context.Context, owner string, secret []byte, step int64, codes [][]byte) (fresh bool, err error) {
	who := engine.ParseOwner(owner)
	sealed := r.box.Seal(totpPurpose, strconv.FormatInt(who, 10), secret)
	err = r.db.Write(ctx, len(sealed), func(t *engine.Tx) error {
		if err := WantUser(t, who); err != nil {
			return err
		}
		if _, err := t.Exec("UPDATE users SET totp = ?, totp_step = ? WHERE n = ?", sealed, step, who); err != nil {
			return err
		}
		fresh, err = firstCodes(t, who, codes)
		return err
	})
	return fresh, err
}

// TakeStep takes a time step of an owner's authenticator app: false if it, or a
// later one, was taken before.
func (r *Register) TakeStep(ctx context.Context, owner string, step int64) (taken bool, err error) {
	return r.changesOne(ctx, "UPDATE users SET totp_step = ?1 WHERE n = ?2 AND totp IS NOT NULL AND totp_step < ?1", step, engine.ParseOwner(owner))
}

// RemoveTOTP takes an owner's authenticator app away.
func (r *Register) RemoveTOTP(ctx context.Context, owner string) error {
	who := engine.ParseOwner(owner)
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		if _, err := t.Exec("UPDATE users SET totp = NULL WHERE n = ?", who); err != nil { // the step stays: none is taken twice
			return err
		}
		return errors.Join(dropSpareCodes(t, who), t.Scrub())
	})
}

// SetRecoveryCodes replaces an owner's recovery codes, by their hashes. Nobody has
// any without a second factor.
func (r *Register) SetRecoveryCodes(ctx context.Context, owner string, codes [][]byte) error {
	who := engine.ParseOwner(owner)
	return r.db.Write(ctx, 0, func(t *engine.Tx) error {
		if _, err := t.Exec("DELETE FROM recovery_codes WHERE owner = ?", who); err != nil {
			return err
		}
		if _, err := firstCodes(t, who, codes); err != nil {
			return err
		}
		if err := dropSpareCodes(t, who); err != nil {
			return err
		}
		var kept bool
		if err := t.Scan("SELECT EXISTS (SELECT 1 FROM recovery_codes WHERE owner = ?)", []any{who}, &kept); err != nil || kept {
			return err
		}
		return engine.Conflict("Recovery codes stand in for a second factor, and there is none.")
	})
}

// UseRecoveryCode uses an owner's recovery code up: false if there is none of that
// hash, or it was used.
func (r *Register) UseRecoveryCode(ctx context.Context, owner string, hash []byte) (used bool, err error) {
	return r.changesOne(ctx, "UPDATE recovery_codes SET used_ms = ? WHERE owner = ? AND hash = ? AND used_ms = 0", r.now().UnixMilli(), engine.ParseOwner(owner), hash)
}

// changesOne says whether a statement changed a row.
func (r *Register) changesOne(ctx context.Context, statement string, args ...any) (changed bool, err error) {
	err = r.db.Write(ctx, 0, func(t *engine.Tx) error {
		res, err := t.Exec(statement, args...)
		if err != nil {
			return err
		}
		n, err := res.RowsAffected()
		changed = n == 1
		return err
	})
	return changed && err == nil, err
}

// firstCodes makes codes the recovery codes of who has none that is unused.
func firstCodes(t *engine.Tx, who int64, codes [][]byte) (fresh bool, err error) {
	var left bool
	if err := t.Scan("SELECT EXISTS (SELECT 1 FROM recovery_codes WHERE owner = ? AND used_ms = 0)", []any{who}, &left); err != nil || left {
		return false, err
	}
	if _, err := t.Exec("DELETE FROM recovery_codes WHERE owner = ?", who); err != nil {
		return false, err
	}
	for _, hash := range codes {
		if _, err := t.Exec("INSERT INTO recovery_codes (owner, hash) VALUES (?, ?)", who, hash); err != nil {
			return false, err
		}
	}
	return true, nil
}

// dropSpareCodes deletes the recovery codes of who has no second factor any more.
func dropSpareCodes(t *engine.Tx, who int64) error {
	_, err := t.Exec("DELETE FROM recovery_codes WHERE owner = ?1 AND NOT EXISTS (SELECT 1 FROM users WHERE n = ?1 AND totp IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM passkeys WHERE owner = ?1)", who)
	return err
}

// dropWays takes away every way in that an account has but single sign-on and a
// proxy: links to a new password, sessions and what it gave out too. With them goes
// the account's own key, which is of whoever came by those ways: they may read at the
// gateway what it is used for. The time is Unix milliseconds.
func dropWays(t *engine.Tx, who, at int64) error {
	if _, err := t.Exec("UPDATE users SET password = '', totp = NULL WHERE n = ?", who); err != nil {
		return err
	}
	for _, table := range []string{"passkeys", "recovery_codes"} {
		if _, err := t.Exec("DELETE FROM "+table+" WHERE owner = ?", who); err != nil {
			return err
		}
	}
	return errors.Join(shutOut(t, who, at), t.Scrub())
}
