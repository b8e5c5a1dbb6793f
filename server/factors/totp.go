package factors

import (
	"context"
	"crypto/subtle"
	"fmt"
	"strings"

	"github.com/boombuler/barcode/qr"
	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
	"github.com/pquerna/otp/totp"

	"screentest/shared/wire"
)

// Codes are of six digits, of SHA-1 and steps of 30 seconds: what every
// authenticator app can do. A step before and after is taken too, for clocks that
// are not quite right.
const (
	period = 30 // seconds
	skew   = 1  // steps
)

var shape = hotp.ValidateOpts{Digits: otp.DigitsSix, Algorithm: otp.AlgorithmSHA1}

// BeginTOTP makes a secret for an authenticator app, which counts once FinishTOTP
// was given a code of it in the same session. email is the account's, as the app
// shows it.
func (f *Factors) BeginTOTP(ctx context.Context, owner, session, email string) (b wire.TOTPBegun, err error) {
	key, err := totp.Generate(totp.GenerateOpts{Issuer: f.Name(), AccountName: email})
	if err != nil {
		return b, fmt.Errorf("make a secret: %w", err)
	}
	if b.QR, err = draw(key.URL()); err != nil {
		return b, fmt.Errorf("draw the QR code: %w", err)
	}
	b.Secret, b.URL = key.Secret(), key.URL()
	return b, f.secrets.put(ctx, session, owner, []byte(b.Secret))
}

// FinishTOTP takes the first code of an authenticator app. It returns recovery
// codes if the owner had none.
func (f *Factors) FinishTOTP(ctx context.Context, owner, session, code string) (codes []string, err error) {
	secret, err := f.secrets.take(ctx, session, owner)
	if err != nil {
		return nil, err
	}
	step, right := f.stepOf(string(secret), code)
	if !right {
		// A mistype: the secret stays for another try, for as long as it would have.
		if err := f.secrets.put(ctx, session, owner, secret); err != nil {
			return nil, err
		}
		return nil, &wire.Problem{Code: "wrong_code", Field: "code", Message: "This is not the code that the app shows now.", Hint: "Wait for the next one; see that the clock of the phone is right."}
	}
	codes, hashes := newCodes(owner)
	fresh, err := f.Store.SetTOTP(ctx, owner, secret, step, hashes)
	if err != nil || !fresh {
		return nil, err
	}
	return codes, nil
}

// checkTOTP takes a code of an owner's authenticator app. Of a time step one is
// taken, and none of one before it after that.
func (f *Factors) checkTOTP(ctx context.Context, owner, code string) (bool, error) {
	secret, err := f.Store.TOTP(ctx, owner)
	if err != nil || secret == nil {
		return false, err
	}
	step, right := f.stepOf(string(secret), code)
	if !right {
		return false, nil
	}
	return f.Store.TakeStep(ctx, owner, step)
}

// stepOf is the newest time step of now that a code is of.
func (f *Factors) stepOf(secret, code string) (step int64, right bool) {
	code = strings.NewReplacer(" ", "", "-", "").Replace(code)
	if len(code) != shape.Digits.Length() {
		return 0, false
	}
	now := f.Now().Unix() / period
	for at := now - skew; at <= now+skew; at++ {
		want, err := hotp.GenerateCodeCustom(secret, uint64(at), shape)
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(code)) == 1 {
			step, right = at, true
		}
	}
	return step, right
}

// quiet is the margin that a QR code must have, in squares.
const quiet = 4

// draw makes a QR code of a text.
func draw(text string) (q wire.QR, err error) {
	code, err := qr.Encode(text, qr.M, qr.Auto)
	if err != nil {
		return q, err
	}
	n := code.Bounds().Dx()
	q.Size = n + 2*quiet
	var path strings.Builder
	dark := func(x, y int) bool {
		r, _, _, _ := code.At(x, y).RGBA()
		return r == 0
	}
	for y := range n {
		for x := 0; x < n; x++ {
			from := x
			for x < n && dark(x, y) {
				x++
			}
			if x > from {
				fmt.Fprintf(&path, "M%d %dh%dv1h-%dz", from+quiet, y+quiet, x-from, x-from)
			}
		}
	}
	q.Path = path.String()
	return q, nil
}
