package people_test

import (
	"strings"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/people"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Who made an account may only have typed the address of somebody who comes
// later: they keep no way into it. Who was signed in to it keeps theirs.
func TestALinkedAccountIsTheirsAlone(t *testing.T) {
	for _, signedIn := range []bool{false, true} {
		ctx := t.Context()
		db, _ := storetest.OpenLocal(t)
		ann := firstAdmin(t, db)
		bob := invited(t, db, ann, "bob@example.com", wire.RoleMember)
		_, _, err := db.AddPasskey(ctx, account.Passkey{Owner: bob, Name: "k", Credential: []byte("c"), Data: []byte("{}"), Created: time.Now()}, [][]byte{make([]byte, 32)})
		storetest.Must(t, err)
		_, err = db.SetTOTP(ctx, bob, []byte("secret"), 1, nil)
		storetest.Must(t, err)
		link := account.Hash("reset")
		storetest.Must(t,
			db.MakeLink(ctx, people.LinkReset, bob, ann, link, time.Hour), db.SetPersonalKey(ctx, bob, "sk-of-who-came-first", "irst", ""),
			db.SaveSignIn(ctx, account.Session{ID: storetest.NewID(), Hash: account.Hash("cookie"), Owner: bob, Created: time.Now(), Seen: time.Now(), Expires: time.Now().Add(time.Hour)}))
		on := comes("s", "bob@example.com")
		if signedIn {
			on.As = bob
		} else {
			on.As = ann
		}
		done, err := db.SignOn(ctx, on, nil)
		if err != nil || done.Owner != bob || !done.Linked || done.Dropped == signedIn {
			t.Errorf("%+v, %v", done, err)
		}
		s, err := db.Security(ctx, bob)
		if err != nil || s.Password != signedIn || s.TOTP != signedIn || (len(s.Passkeys) == 1) != signedIn || (s.RecoveryCodes == 1) != signedIn || !s.OIDC {
			t.Errorf("signed in %v: %+v, %v", signedIn, s, err)
		}
		_, noLink := db.Link(ctx, link)
		_, keys, noKeys := db.Charges(ctx, bob, "")
		in, none := db.SignedIn(ctx)
		storetest.Must(t, noKeys, none)
		if (noLink == nil) != signedIn || (len(keys) == 1) != signedIn || (len(in) == 1) != signedIn {
			t.Errorf("signed in %v: the link %v, %d keys, %d sessions", signedIn, noLink, len(keys), len(in))
		}
		if again, err := db.SignOn(ctx, comes("s", "bob@example.com"), nil); err != nil || again.Linked || again.Dropped {
			t.Errorf("the next time: %+v, %v", again, err)
		}
	}
}

// So it is with whom a proxy names first: what was there goes, and what they add
// themselves stays. Who is known by single sign-on, was made by the proxy or joined
// through it has added it themselves.
func TestAnAccountThatAProxyNamesIsTheirsAlone(t *testing.T) {
	proxy := account.SignOn{Email: "bob@example.com", Verified: true, Domains: []string{"example.com"}}
	for _, test := range []struct {
		name   string
		before func(db *store.DB, ann string) (bob string, err error)
		stays  bool
	}{
		{"whom somebody invited", func(db *store.DB, ann string) (string, error) {
			return invited(t, db, ann, "bob@example.com", wire.RoleMember), nil
		}, false},
		{"of single sign-on", func(db *store.DB, _ string) (string, error) {
			done, err := db.SignOn(t.Context(), comes("s", "bob@example.com"), nil)
			return done.Owner, err
		}, true},
		{"invited, then of single sign-on", func(db *store.DB, ann string) (string, error) {
			invited(t, db, ann, "bob@example.com", wire.RoleMember)
			done, err := db.SignOn(t.Context(), comes("s", "bob@example.com"), nil)
			return done.Owner, err
		}, true},
		{"made by the proxy", func(db *store.DB, _ string) (string, error) {
			done, err := db.SignOn(t.Context(), proxy, nil)
			return done.Owner, err
		}, true},
		{"invited, through the proxy", func(db *store.DB, ann string) (string, error) {
			joined := proxy
			joined.As = invited(t, db, ann, "bob@example.com", wire.RoleMember)
			done, err := db.SignOn(t.Context(), joined, nil)
			if done.Dropped {
				t.Error("what they had just chosen is gone")
			}
			return done.Owner, err
		}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			db, _ := storetest.OpenLocal(t)
			ann := firstAdmin(t, db)
			bob, err := test.before(db, ann)
			storetest.Must(t, err)
			chosen := func() {
				t.Helper()
				was, err := db.Password(ctx, bob)
				storetest.Must(t, err, db.SetPassword(ctx, bob, was, "typed"),
					db.SaveSignIn(ctx, account.Session{ID: storetest.NewID(), Hash: account.Hash("cookie" + was), Owner: bob, Created: time.Now(), Seen: time.Now(), Expires: time.Now().Add(time.Hour)}))
			}
			chosen()
			for i, stays := range []bool{test.stays, true} {
				done, err := db.SignOn(ctx, proxy, nil)
				sum, e := db.Password(ctx, bob)
				in, e2 := db.SignedIn(ctx)
				storetest.Must(t, e, e2)
				if err != nil || done.Owner != bob || done.Made || done.Linked == stays || done.Dropped == stays || (sum == "typed") != stays || (len(in) == 1) != stays {
					t.Errorf("time %d: %+v, %v; the password %q, %d sessions", i+1, done, err, sum, len(in))
				}
				if a := signedOn(t, db, bob); !a.Vouched {
					t.Errorf("%+v", a)
				}
				if !stays {
					chosen()
				}
			}
			// A proxy is no single sign-on, which has the account when it comes.
			s, err := db.Security(ctx, bob)
			if sso := strings.Contains(test.name, "single"); err != nil || s.OIDC != sso {
				t.Errorf("%+v, %v", s, err)
			}
			if done, err := db.SignOn(ctx, comes("s", "bob@example.com"), nil); err != nil || done.Owner != bob {
				t.Errorf("by single sign-on: %+v, %v", done, err)
			}
		})
	}
}
