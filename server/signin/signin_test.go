package signin_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"screentest/server/account"
	"screentest/server/password"
	"screentest/server/signin"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

const right = "four words go together"

// cheap is for tests that don't measure.
var cheap = password.Cost{MemoryKiB: 64, Passes: 1, Lanes: 1}

// desk is one with a first admin, ann@example.com.
func desk(t *testing.T, c signin.Config) (d *signin.Desk, db *store.DB, ann string) {
	t.Helper()
	db, _ = storetest.OpenLocal(t)
	c.Accounts, c.Passwords = db, true
	if c.Cost == (password.Cost{}) {
		c.Cost = cheap
	}
	d = signin.New(c)
	token, err := d.SetUpLink(t.Context(), "start")
	storetest.Must(t, err)
	ann, err = d.SetUp(t.Context(), wire.Join{Token: token, Name: "Ann", Email: "Ann@Example.com", Password: right})
	storetest.Must(t, err)
	return d, db, ann
}

func code(err error) string { return storetest.Problem(err).Code }

func TestSignIn(t *testing.T) {
	d, db, ann := desk(t, signin.Config{})
	ctx := t.Context()
	in := func(email, pass string) (string, error) {
		return d.SignIn(ctx, wire.SignIn{Email: email, Password: pass}, "203.0.113.7")
	}
	if owner, err := in(" ANN@example.com", right); err != nil || owner != ann {
		t.Errorf("%q, %v", owner, err)
	}
	_, wrong := in("ann@example.com", right+"!")
	_, unknown := in("eve@example.com", right)
	if code(wrong) != wire.CodeWrong || storetest.Problem(wrong).Message != storetest.Problem(unknown).Message || storetest.Problem(wrong).Hint != storetest.Problem(unknown).Hint {
		t.Errorf("a wrong password: %v; nobody's address: %v", wrong, unknown)
	}

	for _, email := range []string{"", "ann", "ann@example.com\x00", strings.Repeat("a", 10_000), "\xff@example.com"} {
		if _, err := in(email, right); code(err) != wire.CodeWrong || storetest.Problem(err).Field != "" {
			t.Errorf("%.20q: %v", email, err)
		}
	}

	// Deactivated is said to who has the password, and to nobody else.
	token, err := d.ResetLink(ctx, ann, "test")
	storetest.Must(t, err)
	invited := join(t, d, db, ann, "bob@example.com")
	no := false
	storetest.Must(t, db.ChangePerson(ctx, invited, wire.PersonChange{Active: &no}))
	if _, err := in("bob@example.com", right); code(err) != wire.CodeDeactivated {
		t.Errorf("deactivated: %v", err)
	}
	if _, err := in("bob@example.com", "another password"); code(err) != wire.CodeWrong {
		t.Errorf("deactivated, with a wrong password: %v", err)
	}

	// A reset: the old password is none, the new one is.
	if _, err := d.Reset(ctx, wire.Join{Token: token, Password: "ann@example.com"}); storetest.Problem(err).Field != "password" {
		t.Errorf("one's own address as the password: %v", err)
	}
	if _, err := d.Reset(ctx, wire.Join{Token: token, Password: "another four words"}); err != nil {
		t.Fatal(err)
	}
	if _, err := in("ann@example.com", right); code(err) != wire.CodeWrong {
		t.Errorf("the old password: %v", err)
	}
	if _, err := in("ann@example.com", "another four words"); err != nil {
		t.Errorf("the new password: %v", err)
	}
	if _, err := d.Reset(ctx, wire.Join{Token: token, Password: right}); code(err) != wire.CodeLinkUsed {
		t.Errorf("the link again: %v", err)
	}
}

func join(t *testing.T, d *signin.Desk, db *store.DB, admin, email string) (owner string) {
	t.Helper()
	token, _ := signin.NewToken()
	_, err := db.MakeInvite(t.Context(), admin, token, wire.Invite{Role: wire.RoleMember, Uses: 1, ExpiresMS: time.Now().Add(time.Hour).UnixMilli()})
	storetest.Must(t, err)
	owner, _, err = d.Join(t.Context(), wire.Join{Token: token, Name: "Bob", Email: email, Password: right}, "")
	storetest.Must(t, err)
	return owner
}

func TestSetPassword(t *testing.T) {
	d, db, ann := desk(t, signin.Config{})
	me := wire.Me{Name: "Ann", Email: "ann@example.com"}
	var stale error
	set := func(old, pass string) wire.Problem {
		return storetest.Problem(d.SetPassword(t.Context(), me, ann, old, pass, "203.0.113.7", func() error { return stale }))
	}
	if p := set("wrong", "another four words"); p.Code != wire.CodeWrong || p.Field != "old" || p.Status != 400 {
		t.Errorf("%+v", p)
	}
	if p := set(right, "short"); p.Field != "new" {
		t.Errorf("%+v", p)
	}
	// Who gives the old one need not have signed in just now; who has none must, and
	// what they give as the old one is nothing.
	stale = &wire.Problem{Code: wire.CodeProofNeeded}
	if p := set("", "another four words"); p.Code != wire.CodeWrong {
		t.Errorf("without the old one: %+v", p)
	}
	if p := set(right, "another four words"); p.Code != "" {
		t.Errorf("%+v", p)
	}
	sum, err := db.Password(t.Context(), ann)
	storetest.Must(t, err)
	storetest.Must(t, db.SetPassword(t.Context(), ann, sum, ""))
	for _, old := range []string{"", "x", right} {
		if p := set(old, right); p.Code != wire.CodeProofNeeded {
			t.Errorf("the first one a while after signing in, in the place of %q: %+v", old, p)
		}
	}
	// A first one that comes to be stored meanwhile stays.
	stale = nil
	err = d.SetPassword(t.Context(), me, ann, "", right, "203.0.113.7", func() error { return db.SetPassword(t.Context(), ann, "", "meanwhile") })
	if now, e := db.Password(t.Context(), ann); storetest.Problem(err).Code != "conflict" || e != nil || now != "meanwhile" {
		t.Errorf("%v, %q, %v", err, now, e)
	}
	storetest.Must(t, db.SetPassword(t.Context(), ann, "meanwhile", ""))
	if p := set("", right); p.Code != "" {
		t.Errorf("the first one: %+v", p)
	}
}

// A sum of when they cost less is made anew at the next sign-in.
func TestOldSumsAreMadeAnew(t *testing.T) {
	d, db, ann := desk(t, signin.Config{})
	before, err := db.Password(t.Context(), ann)
	storetest.Must(t, err)
	dearer := signin.New(signin.Config{Accounts: db, Passwords: true, Cost: password.Cost{MemoryKiB: 128, Passes: 1, Lanes: 1}})
	for _, d := range []*signin.Desk{d, dearer} {
		_, err = d.SignIn(t.Context(), wire.SignIn{Email: "ann@example.com", Password: right}, "")
		storetest.Must(t, err)
	}
	after, err := db.Password(t.Context(), ann)
	storetest.Must(t, err)
	if after == before || after[:len("$argon2id$v=19$m=128")] != "$argon2id$v=19$m=128" {
		t.Errorf("%q, %q", before, after)
	}
}

func TestWithoutPasswords(t *testing.T) {
	_, db, ann := desk(t, signin.Config{})
	d := signin.New(signin.Config{Accounts: db, Cost: cheap})
	if _, err := d.SignIn(t.Context(), wire.SignIn{Email: "ann@example.com", Password: right}, ""); code(err) != wire.CodeNotAllowed {
		t.Errorf("%v", err)
	}
	token, err := d.ResetLink(t.Context(), ann, "test")
	storetest.Must(t, err)
	if _, err := d.Reset(t.Context(), wire.Join{Token: token, Password: right}); code(err) != wire.CodeNotAllowed {
		t.Errorf("%v", err)
	}
	if owner, err := d.Reset(t.Context(), wire.Join{Token: token}); err != nil || owner != ann {
		t.Errorf("%q, %v", owner, err)
	}
}

// codes is a second factor of everybody's.
type codes struct{ used map[string]bool }

func (c codes) Needed(context.Context, string) (bool, error) { return true, nil }
func (c codes) Check(_ context.Context, _, code string) (bool, error) {
	ok := code == "123456" && !c.used[code]
	c.used[code] = true
	return ok, nil
}

func TestSecondFactor(t *testing.T) {
	d, _, _ := desk(t, signin.Config{Factors: codes{map[string]bool{}}})
	try := func(pass, given string) (string, string) {
		_, err := d.SignIn(t.Context(), wire.SignIn{Email: "ann@example.com", Password: pass, Code: given}, "203.0.113.7")
		return code(err), storetest.Problem(err).Message
	}
	if c, _ := try("wrong password", "123456"); c != wire.CodeWrong {
		t.Errorf("a right code with a wrong password: %s", c)
	}
	c, needed := try(right, "")
	if c != wire.CodeCodeNeeded {
		t.Errorf("no code: %s", c)
	}
	if c, message := try(right, "000000"); c != wire.CodeCodeNeeded || message == needed {
		t.Errorf("a wrong code: %s, %s", c, message)
	}
	if c, _ := try(right, "123456"); c != "" {
		t.Errorf("the right code: %s", c)
	}
	if c, _ := try(right, "123456"); c != wire.CodeCodeNeeded {
		t.Errorf("again: %s", c)
	}
}

// Who guesses is held up by address and by account. What is tried from elsewhere
// doesn't lock out who has a session in their own place.
func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, _, _ := desk(t, signin.Config{Known: func(owner, address string) bool { return owner != "" && address == "198.51.100.1" }})
		try := func(email, from string) string {
			_, err := d.SignIn(t.Context(), wire.SignIn{Email: email, Password: "not the password"}, from)
			if p := storetest.Problem(err); p.Code == wire.CodeTooMany && (p.RetryAfterMS < 1000 || p.Hint == "") {
				t.Errorf("%+v", p)
			}
			return code(err)
		}
		in := func(from string) string {
			_, err := d.SignIn(t.Context(), wire.SignIn{Email: "ann@example.com", Password: right}, from)
			return code(err)
		}
		count := func(n int, f func(i int) string) (held int) {
			for i := range n {
				if f(i) == wire.CodeTooMany {
					held++
				}
			}
			return held
		}
		// One account from one address, known or unknown alike.
		for _, email := range []string{"ann@example.com", "nobody@example.com"} {
			if held := count(15, func(int) string { return try(email, "203.0.113.7") }); held != 5 {
				t.Errorf("%s: %d of 15 were held up", email, held)
			}
		}
		if got := in("203.0.113.7"); got != wire.CodeTooMany {
			t.Errorf("the right password, too early: %q", got)
		}
		time.Sleep(time.Minute)
		if got := in("203.0.113.7"); got != "" {
			t.Errorf("a minute later: %q", got)
		}
		if held := count(10, func(int) string { return try("ann@example.com", "203.0.113.7") }); held != 0 {
			t.Errorf("a success didn't clear the account: %d", held)
		}

		// Many accounts from one address; a network of IPv6 is one.
		if held := count(40, func(i int) string {
			return try(fmt.Sprintf("a%d@example.com", i), fmt.Sprintf("2001:db8::%x", i+1))
		}); held != 10 {
			t.Errorf("%d of 40 were held up", held)
		}
		if got := try("b@example.com", "2001:db8:0:1::1"); got != wire.CodeWrong {
			t.Errorf("the network beside it: %q", got)
		}

		// An office of many signs in at once. That doesn't let who guesses there guess
		// more often.
		if held := count(60, func(int) string { return in("198.51.100.1") }); held != 0 {
			t.Errorf("%d of 60 sign-ins were held up", held)
		}
		if held := count(60, func(i int) string {
			in("198.51.100.1")
			return try(fmt.Sprintf("b%d@example.com", i), "198.51.100.1")
		}); held != 30 {
			t.Errorf("%d of 60 guesses between sign-ins were held up", held)
		}
		time.Sleep(time.Hour)

		// One account from many addresses: its owner is not locked out where they
		// are, and later nowhere.
		if held := count(200, func(i int) string { return try("ann@example.com", fmt.Sprintf("192.0.2.%d", i)) }); held < 140 {
			t.Errorf("%d of 200 were held up", held)
		}
		if got := in("192.0.2.250"); got != wire.CodeTooMany {
			t.Errorf("a new address, while others guess: %q", got)
		}
		if got := in("198.51.100.1"); got != "" {
			t.Errorf("their own place, while others guess: %q", got)
		}
		if got := in("192.0.2.251"); got != "" {
			t.Errorf("a new address, afterwards: %q", got)
		}
	})
}

// That there is an account can't be told by the time that a wrong password takes:
// whether it has one, has none, was deactivated, or isn't there. The kinds are
// tried in turn, and what each takes at least is compared: what a busy machine adds
// is left out. It is tried until they are alike, which they never become if one of
// them is spared the work.
func TestTimeTellsNothing(t *testing.T) {
	tries := time.Now()
	d, db, ann := desk(t, signin.Config{
		Cost: password.Cost{MemoryKiB: 4 << 10, Passes: 2, Lanes: 1},
		Now:  func() time.Time { return tries },
	})
	ctx, no := t.Context(), false
	storetest.Must(t, db.ChangePerson(ctx, join(t, d, db, ann, "off@example.com"), wire.PersonChange{Active: &no}))
	none := join(t, d, db, ann, "none@example.com")
	sum, err := db.Password(ctx, none)
	storetest.Must(t, err)
	storetest.Must(t, db.SetPassword(ctx, none, sum, ""))
	kinds := []string{"ann@example.com", "off@example.com", "none@example.com", "nobody%d@example.com"}
	least := make([]float64, len(kinds))
	const enough, most = 10, 400
	for round := range most {
		tries = tries.Add(time.Hour) // so that no limit is met
		for n, email := range kinds {
			if n == 3 {
				email = fmt.Sprintf(email, round)
			}
			began := time.Now()
			_, err := d.SignIn(ctx, wire.SignIn{Email: email, Password: "not the password"}, "192.0.2.1")
			took := time.Since(began).Seconds()
			if code(err) != wire.CodeWrong {
				t.Fatalf("%s: %v", email, err)
			}
			if round == 0 || took < least[n] {
				least[n] = took
			}
		}
		if apart := slices.Max(least) / slices.Min(least); round >= enough && apart < 1.33 {
			t.Logf("after %d rounds the longest takes %.2f times as long as the shortest", round+1, apart)
			return
		}
	}
	for n, kind := range kinds {
		t.Errorf("%s takes %.2f times as long as nobody", kind, least[n]/least[3])
	}
}

func TestLinksWantWhatTheySay(t *testing.T) {
	d, db, ann := desk(t, signin.Config{})
	ctx := t.Context()
	reset, err := d.ResetLink(ctx, ann, "test")
	storetest.Must(t, err)
	invite, hash := signin.NewToken()
	if hash != account.Hash(invite) {
		t.Error("a token's hash is another")
	}
	_, err = db.MakeInvite(ctx, ann, invite, wire.Invite{Role: wire.RoleGuest, Uses: 1, ExpiresMS: time.Now().Add(time.Hour).UnixMilli()})
	storetest.Must(t, err)
	whole := wire.Join{Token: invite, Name: "Bob", Email: "bob@example.com", Password: right}
	for name, c := range map[string]struct {
		change func(*wire.Join)
		code   string
		field  string
	}{
		"no token":         {func(j *wire.Join) { j.Token = "" }, wire.CodeLinkUnknown, "token"},
		"another's token":  {func(j *wire.Join) { j.Token = reset }, wire.CodeLinkUnknown, "token"},
		"no name":          {func(j *wire.Join) { j.Name = " " }, "invalid_request", "name"},
		"no address":       {func(j *wire.Join) { j.Email = "bob" }, "invalid_request", "email"},
		"a taken address":  {func(j *wire.Join) { j.Email = "ANN@example.com" }, "conflict", "email"},
		"no password":      {func(j *wire.Join) { j.Password = "" }, "bad_password", "password"},
		"a short password": {func(j *wire.Join) { j.Password = "123456789" }, "bad_password", "password"},
	} {
		in := whole
		c.change(&in)
		if _, _, err := d.Join(ctx, in, "203.0.113.7"); code(err) != c.code || storetest.Problem(err).Field != c.field || storetest.Problem(err).Hint == "" {
			t.Errorf("%s: %+v", name, storetest.Problem(err))
		}
	}
	whole.Password, whole.Passkey = "", true
	owner, _, err := d.Join(ctx, whole, "203.0.113.7")
	if err != nil {
		t.Fatal(err)
	}
	if sum, err := db.Password(ctx, owner); sum != "" || err != nil {
		t.Errorf("who comes in by a passkey has the password %q, %v", sum, err)
	}
	if _, err := d.SignIn(ctx, wire.SignIn{Email: "bob@example.com"}, ""); code(err) != wire.CodeWrong {
		t.Errorf("no password at all: %v", err)
	}
}
