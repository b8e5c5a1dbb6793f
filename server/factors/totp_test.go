package factors_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// code is what the authenticator app shows at a time.
func code(t *testing.T, secret string, at time.Time) string {
	t.Helper()
	c, err := totp.GenerateCode(secret, at)
	storetest.Must(t, err)
	return c
}

// withApp gives Ann an authenticator app.
func (w *world) withApp() (secret string, codes []string) {
	w.t.Helper()
	begun, err := w.BeginTOTP(w.t.Context(), w.ann.Owner, "s", w.ann.Me.Email)
	storetest.Must(w.t, err)
	codes, err = w.FinishTOTP(w.t.Context(), w.ann.Owner, "s", code(w.t, begun.Secret, w.now))
	storetest.Must(w.t, err)
	return begun.Secret, codes
}

func TestAnAuthenticatorApp(t *testing.T) {
	w := newWorld(t)
	if w.needed() || w.check("123456") || w.check("") {
		t.Error("before there is one")
	}
	begun, err := w.BeginTOTP(w.t.Context(), w.ann.Owner, "s", w.ann.Me.Email)
	storetest.Must(t, err)
	if !strings.HasPrefix(begun.URL, "otpauth://totp/Screentest:ann@example.com?") || !strings.Contains(begun.URL, "secret="+begun.Secret) {
		t.Errorf("address %s", begun.URL)
	}
	if begun.QR.Size < 21+8 || !strings.HasPrefix(begun.QR.Path, "M4 4h7v1h-7z") { // the corner of every QR code
		t.Errorf("QR code of %d: %.40s", begun.QR.Size, begun.QR.Path)
	}
	if w.needed() {
		t.Error("it counts before it has shown a code")
	}
	if _, err := w.FinishTOTP(t.Context(), w.ann.Owner, "s", "000000"); codeOf(err) != "wrong_code" {
		t.Errorf("a wrong first code: %v", err)
	}
	if _, err := w.FinishTOTP(t.Context(), w.ann.Owner, "another session", code(t, begun.Secret, w.now)); codeOf(err) != "expired" {
		t.Errorf("in another session: %v", err)
	}
	right := code(t, begun.Secret, w.now)
	codes, err := w.FinishTOTP(t.Context(), w.ann.Owner, "s", right)
	if err != nil || len(codes) != wire.RecoveryCodes || !w.needed() {
		t.Fatalf("%d recovery codes, %v", len(codes), err)
	}
	w.isInNoFile(append(codes, begun.Secret, strings.ReplaceAll(codes[0], "-", ""))...)
	if _, err := w.FinishTOTP(t.Context(), w.ann.Owner, "s", right); codeOf(err) != "expired" {
		t.Errorf("finished twice: %v", err)
	}
	if w.check(right) {
		t.Error("the code that finished it is taken again")
	}
}

// Clocks differ by half a minute; what was taken, or is older than that, is not
// taken again.
func TestATimeStepIsTakenOnce(t *testing.T) {
	w := newWorld(t)
	secret, _ := w.withApp()
	at := func(steps int) string { return code(t, secret, w.now.Add(time.Duration(steps)*30*time.Second)) }
	w.now = w.now.Add(10 * time.Minute)
	for _, step := range []struct {
		what string
		code string
		want bool
	}{
		{"two steps ago", at(-2), false},
		{"two steps ahead", at(2), false},
		{"a step ago", at(-1), true},
		{"a step ago again", at(-1), false},
		{"now, written as apps show it", at(0)[:3] + " " + at(0)[3:], true},
		{"now again", at(0), false},
		{"a step ago, after now", at(-1), false},
		{"a step ahead", at(1), true},
		{"now, after a step ahead", at(0), false},
		{"nothing", "", false},
		{"five digits", "12345", false},
	} {
		if got := w.check(step.code); got != step.want {
			t.Errorf("%s: %v", step.what, got)
		}
	}
}

func TestACodeIsTakenOnceAtTheSameTime(t *testing.T) {
	w := newWorld(t)
	secret, codes := w.withApp()
	w.now = w.now.Add(time.Minute)
	for _, one := range []string{code(t, secret, w.now), codes[0]} {
		var taken atomic.Int32
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				if right, err := w.Check(t.Context(), w.ann.Owner, one); err != nil {
					t.Error(err)
				} else if right {
					taken.Add(1)
				}
			})
		}
		all.Wait()
		if taken.Load() != 1 {
			t.Errorf("%q was taken %d times", one, taken.Load())
		}
	}
}

func TestTheSecretIsForgottenAfterAWhile(t *testing.T) {
	w := newWorld(t)
	begun, err := w.BeginTOTP(w.t.Context(), w.ann.Owner, "s", w.ann.Me.Email)
	storetest.Must(t, err)
	w.now = w.now.Add(5 * time.Minute)
	if _, err := w.FinishTOTP(t.Context(), w.ann.Owner, "s", code(t, begun.Secret, w.now)); codeOf(err) != "expired" {
		t.Errorf("%v", err)
	}
}

func TestRecoveryCodes(t *testing.T) {
	w := newWorld(t)
	var used []string
	w.RecoveryUsed = func(_ context.Context, owner string) { used = append(used, owner) }
	if _, err := w.NewCodes(t.Context(), w.ann.Owner); codeOf(err) != "conflict" {
		t.Errorf("without a second factor: %v", err)
	}
	_, codes := w.withApp()
	if !w.check(codes[0]) || w.check(codes[0]) {
		t.Error("a code is used once")
	}
	if !w.check(" " + strings.ToLower(strings.ReplaceAll(codes[1], "-", " ")) + " ") {
		t.Error("as people type it")
	}
	if s, err := w.db.Security(t.Context(), w.ann.Owner); err != nil || s.RecoveryCodes != wire.RecoveryCodes-2 || !s.TOTP {
		t.Errorf("%+v, %v", s, err)
	}
	if !slices.Equal(used, []string{w.ann.Owner, w.ann.Owner}) {
		t.Errorf("told of codes that %q used", used)
	}
	bob := w.other()
	if right, err := w.Check(t.Context(), bob.Owner, codes[2]); right || err != nil {
		t.Errorf("at another's account: %v, %v", right, err)
	}
	fresh, err := w.NewCodes(t.Context(), w.ann.Owner)
	if err != nil || len(fresh) != wire.RecoveryCodes || w.check(codes[2]) || !w.check(fresh[0]) {
		t.Errorf("new ones: %d, %v", len(fresh), err)
	}
	storetest.Must(t, w.db.RemoveTOTP(t.Context(), w.ann.Owner))
	if w.needed() || w.check(fresh[1]) {
		t.Error("without a second factor there are none any more")
	}
}
