package factors_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/factors"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestAPasskeyIsAWayIn(t *testing.T) {
	w := newWorld(t)
	raw, err := w.BeginPasskey(asked("localhost:8080"), w.ann, "s")
	storetest.Must(t, err)
	o := readOptions(t, raw)
	if o.RP.ID != "localhost" || o.AuthenticatorSelection.UserVerification != "required" || o.AuthenticatorSelection.ResidentKey != "required" || o.Timeout != 300_000 {
		t.Errorf("%s", raw)
	}
	key := w.authenticator()
	added, err := w.FinishPasskey(asked("localhost:8080"), w.ann, "s", " My key ", key.create(raw))
	if err != nil || added.Passkey.Name != "My key" || len(added.Codes) != wire.RecoveryCodes {
		t.Fatalf("%+v, %v", added, err)
	}
	if !w.needed() {
		t.Error("a password alone still lets them in")
	}
	second := w.authenticator()
	again, err := w.add(w.ann, second, "Another")
	if err != nil || again.Codes != nil {
		t.Errorf("the second: %+v, %v", again, err)
	}
	for _, k := range []*authenticator{key, second, key} {
		w.now = w.now.Add(time.Hour)
		if owner, cloned, err := w.finish(k.sign(w.begin())); err != nil || owner != w.ann.Owner || cloned {
			t.Errorf("%q, %v, %v", owner, cloned, err)
		}
	}
	if !w.check(added.Codes[0]) {
		t.Error("its recovery code doesn't stand in for it")
	}
	s, err := w.db.Security(t.Context(), w.ann.Owner)
	if err != nil || len(s.Passkeys) != 2 || s.Passkeys[0].Name != "My key" || s.Passkeys[0].UsedMS != w.now.UnixMilli() {
		t.Errorf("%+v, %v", s, err)
	}
	raw, err = w.BeginPasskey(asked("localhost:8080"), w.ann, "s")
	storetest.Must(t, err)
	if o := readOptions(t, raw); len(o.ExcludeCredentials) != 2 || o.User.ID != b64.EncodeToString(key.handle) {
		t.Errorf("an authenticator is asked twice: %s", raw)
	}
}

func TestPasskeysThatLetNobodyIn(t *testing.T) {
	for _, test := range []struct {
		name string
		sign func(w *world, key *authenticator) []byte
		code string
	}{
		{"of nobody", func(w *world, _ *authenticator) []byte {
			stranger := w.authenticator()
			raw, err := w.BeginPasskey(asked("localhost:8080"), w.ann, "x")
			storetest.Must(w.t, err)
			stranger.create(raw)
			return stranger.sign(w.begin())
		}, wire.CodeWrong},
		{"another key for the same passkey", func(w *world, key *authenticator) []byte {
			stranger := w.authenticator()
			raw, err := w.BeginPasskey(asked("localhost:8080"), w.ann, "x")
			storetest.Must(w.t, err)
			stranger.create(raw)
			stranger.id = key.id
			return stranger.sign(w.begin())
		}, wire.CodeWrong},
		{"another's user handle", func(w *world, key *authenticator) []byte {
			key.handle = make([]byte, 32)
			return key.sign(w.begin())
		}, wire.CodeWrong},
		{"who holds it wasn't verified", func(w *world, key *authenticator) []byte {
			key.unverified = true
			return key.sign(w.begin())
		}, wire.CodeWrong},
		{"on another site", func(w *world, key *authenticator) []byte {
			key.origin = "https://evil.example"
			return key.sign(w.begin())
		}, wire.CodeWrong},
		{"for another site", func(w *world, key *authenticator) []byte {
			key.rp = "evil.example"
			return key.sign(w.begin())
		}, wire.CodeWrong},
		{"another challenge", func(w *world, key *authenticator) []byte {
			signed := key.sign(w.begin())
			w.begin()
			return signed
		}, wire.CodeWrong},
		{"another browser", func(w *world, key *authenticator) []byte {
			signed := key.sign(w.begin())
			w.cookies = nil
			return signed
		}, "expired"},
		{"too late", func(w *world, key *authenticator) []byte {
			signed := key.sign(w.begin())
			w.now = w.now.Add(5 * time.Minute)
			return signed
		}, "expired"},
		{"used before", func(w *world, key *authenticator) []byte {
			signed := key.sign(w.begin())
			if _, _, err := w.finish(signed); err != nil {
				w.t.Fatal(err)
			}
			return signed
		}, "expired"},
		{"removed", func(w *world, key *authenticator) []byte {
			all, err := w.db.Passkeys(w.t.Context(), w.ann.Owner)
			storetest.Must(w.t, err, w.db.RemovePasskey(w.t.Context(), w.ann.Owner, all[0].ID, account.Ways{Password: true}))
			return key.sign(w.begin())
		}, wire.CodeWrong},
		{"nonsense", func(w *world, _ *authenticator) []byte { w.begin(); return []byte(`{"id":1}`) }, wire.CodeWrong},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t)
			key := w.authenticator()
			if _, err := w.add(w.ann, key, "key"); err != nil {
				t.Fatal(err)
			}
			if owner, _, err := w.finish(test.sign(w, key)); codeOf(err) != test.code || owner != "" {
				t.Errorf("%q, %v; want %q", owner, err, test.code)
			}
		})
	}
}

func TestPasskeysThatAreNotTaken(t *testing.T) {
	for _, test := range []struct {
		name string
		add  func(w *world) error
		code string
	}{
		{"without a name", func(w *world) error { _, err := w.add(w.ann, w.authenticator(), " "); return err }, "bad_name"},
		{"a long name", func(w *world) error {
			_, err := w.add(w.ann, w.authenticator(), strings.Repeat("n", wire.MaxPasskeyName+1))
			return err
		}, "bad_name"},
		{"who makes it wasn't verified", func(w *world) error {
			key := w.authenticator()
			key.unverified = true
			_, err := w.add(w.ann, key, "key")
			return err
		}, "bad_passkey"},
		{"on another site", func(w *world) error {
			key := w.authenticator()
			key.origin = "https://evil.example"
			_, err := w.add(w.ann, key, "key")
			return err
		}, "bad_passkey"},
		{"in another's session", func(w *world) error {
			raw, err := w.BeginPasskey(asked("localhost:8080"), w.ann, "s")
			storetest.Must(w.t, err)
			_, err = w.FinishPasskey(asked("localhost:8080"), w.other(), "s", "key", w.authenticator().create(raw))
			return err
		}, "expired"},
		{"finished twice", func(w *world) error {
			raw, err := w.BeginPasskey(asked("localhost:8080"), w.ann, "s")
			storetest.Must(w.t, err)
			made := w.authenticator().create(raw)
			if _, err := w.FinishPasskey(asked("localhost:8080"), w.ann, "s", "key", made); err != nil {
				return err
			}
			_, err = w.FinishPasskey(asked("localhost:8080"), w.ann, "s", "key", made)
			return err
		}, "expired"},
		{"too late", func(w *world) error {
			raw, err := w.BeginPasskey(asked("localhost:8080"), w.ann, "s")
			storetest.Must(w.t, err)
			w.now = w.now.Add(5 * time.Minute)
			_, err = w.FinishPasskey(asked("localhost:8080"), w.ann, "s", "key", w.authenticator().create(raw))
			return err
		}, "expired"},
		{"one too many", func(w *world) error {
			for range wire.MaxPasskeys {
				if _, err := w.add(w.ann, w.authenticator(), "key"); err != nil {
					return err
				}
			}
			_, err := w.add(w.ann, w.authenticator(), "key")
			return err
		}, "too_many_passkeys"},
		{"an address that is no name", func(w *world) error {
			_, err := w.instance("http://127.0.0.1:8080").BeginPasskey(asked("localhost:8080"), w.ann, "s")
			return err
		}, "no_passkeys"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if err := test.add(newWorld(t)); codeOf(err) != test.code {
				t.Errorf("%v, want %q", err, test.code)
			}
		})
	}
}

// Without a public address a passkey belongs to the name that the page was asked
// by, and to no other.
func TestAPasskeyOfTheNameThatWasAskedBy(t *testing.T) {
	w := newWorld(t)
	w.Factors = factors.New(factors.Config{Store: w.db, Name: func() string { return "Screentest" }, CookieName: "passkey", Secure: true, Now: func() time.Time { return w.now }})
	here, there := asked("a.example:8443"), asked("b.example:8443")
	key := &authenticator{t: t, origin: "https://a.example:8443", rp: "a.example"}
	raw, err := w.BeginPasskey(here, w.ann, "s")
	storetest.Must(t, err)
	if o := readOptions(t, raw); o.RP.ID != "a.example" {
		t.Errorf("%s", raw)
	}
	made := key.create(raw)
	if _, err := w.FinishPasskey(there, w.ann, "s", "key", made); codeOf(err) != "bad_passkey" {
		t.Errorf("finished by another name: %v", err)
	}
	raw, err = w.BeginPasskey(here, w.ann, "s")
	storetest.Must(t, err)
	if _, err := w.FinishPasskey(here, w.ann, "s", "key", key.create(raw)); err != nil {
		t.Fatal(err)
	}
	for r, want := range map[*http.Request]string{here: "", there: wire.CodeWrong, asked("192.0.2.1:8443"): "no_passkeys"} {
		rec := httptest.NewRecorder()
		raw, err := w.BeginSignIn(rec, r)
		if want == "no_passkeys" {
			if codeOf(err) != want {
				t.Errorf("%s: %v", r.Host, err)
			}
			continue
		}
		storetest.Must(t, err)
		for _, c := range rec.Result().Cookies() {
			r.AddCookie(c)
		}
		if _, _, _, err := w.FinishSignIn(httptest.NewRecorder(), r, key.sign(raw)); codeOf(err) != want {
			t.Errorf("%s: %v, want %q", r.Host, err, want)
		}
	}
}

// A counter that goes back is said, each time; who holds the key is let in.
func TestACounterThatGoesBack(t *testing.T) {
	w := newWorld(t)
	key := w.authenticator()
	if _, err := w.add(w.ann, key, "key"); err != nil {
		t.Fatal(err)
	}
	key.counter = 9
	for i, want := range []bool{false, true, false} {
		if i == 1 {
			key.counter = 4
		}
		if i == 2 {
			key.counter = 20
		}
		if owner, cloned, err := w.finish(key.sign(w.begin())); err != nil || owner != w.ann.Owner || cloned != want {
			t.Errorf("%d: %q, %v, %v", i, owner, cloned, err)
		}
	}
}

func TestTheLastWayInStays(t *testing.T) {
	ctx := t.Context()
	w := newWorld(t)
	for range 2 {
		if _, err := w.add(w.ann, w.authenticator(), "key"); err != nil {
			t.Fatal(err)
		}
	}
	all, err := w.db.Passkeys(ctx, w.ann.Owner)
	storetest.Must(t, err)
	bob := w.other()
	if err := w.db.RemovePasskey(ctx, bob.Owner, all[0].ID, account.Ways{Password: true}); codeOf(err) != "not_found" {
		t.Errorf("another's: %v", err)
	}
	only := account.Ways{} // the instance takes no password
	storetest.Must(t, w.db.RemovePasskey(ctx, w.ann.Owner, all[0].ID, only))
	if err := w.db.RemovePasskey(ctx, w.ann.Owner, all[1].ID, only); codeOf(err) != wire.CodeLastWayIn {
		t.Errorf("the last one: %v", err)
	}
	if err := w.db.RemovePasskey(ctx, w.ann.Owner, all[1].ID, account.Ways{OIDC: true}); codeOf(err) != wire.CodeLastWayIn {
		t.Errorf("with single sign-on that they don't have: %v", err)
	}
	storetest.Must(t, w.db.RemovePasskey(ctx, w.ann.Owner, all[1].ID, account.Ways{Password: true}))
	if s, err := w.db.Security(ctx, w.ann.Owner); err != nil || len(s.Passkeys) > 0 || s.RecoveryCodes > 0 || w.needed() {
		t.Errorf("%+v, %v", s, err)
	}
}
