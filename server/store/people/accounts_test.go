package people_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/people"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// firstAdmin sets an instance up.
func firstAdmin(t *testing.T, db *store.DB) (owner string) {
	t.Helper()
	hash := account.Hash("set-up")
	storetest.Must(t, db.MakeLink(t.Context(), people.LinkSetUp, "", "start", hash, time.Hour))
	owner, err := db.SetUp(t.Context(), hash, "Ann", "ann@example.com", "sum")
	storetest.Must(t, err)
	return owner
}

// invited makes an account by an invitation.
func invited(t *testing.T, db *store.DB, admin, email, role string) (owner string) {
	t.Helper()
	hash := account.Hash(email)
	invite(t, db, admin, email, role, 1, time.Hour)
	owner, _, err := db.Join(t.Context(), hash, "Bob", email, "sum")
	storetest.Must(t, err)
	return owner
}

func invite(t *testing.T, db *store.DB, admin, token, role string, uses int, lasts time.Duration) {
	t.Helper()
	hash, id := account.Hash(token), uuid.New()
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) error {
		_, err := w.Exec("INSERT INTO invites (id, hash, maker, role, created_ms, expires_ms, uses) VALUES (?, ?, ?, ?, ?, ?, ?)",
			id[:], hash[:], engine.ParseOwner(admin), role, time.Now().UnixMilli(), time.Now().Add(lasts).UnixMilli(), uses)
		return err
	}))
}

// Of twelve who claim the set-up at once one gets it.
func TestOneClaimsTheSetUp(t *testing.T) {
	db, local := storetest.OpenLocal(t)
	hash := account.Hash("token")
	storetest.Must(t, db.MakeLink(t.Context(), people.LinkSetUp, "", "start", hash, time.Hour))
	var mu sync.Mutex
	codes := map[string]int{}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			owner, err := db.SetUp(t.Context(), hash, "Ann", fmt.Sprintf("ann%d@example.com", i), "sum")
			mu.Lock()
			defer mu.Unlock()
			if err == nil && owner != local {
				t.Errorf("the local user is %s, the first admin %s", local, owner)
			}
			codes[storetest.Problem(err).Code]++
		})
	}
	all.Wait()
	if codes[""] != 1 || codes[wire.CodeLinkUsed] != 11 {
		t.Errorf("%v", codes)
	}
	accounts, err := db.Accounts(t.Context())
	storetest.Must(t, err)
	if len(accounts) != 1 || accounts[0].Owner != local || accounts[0].Me.Role != wire.RoleAdmin || !accounts[0].Active ||
		len(accounts[0].Me.Teams) != 1 || accounts[0].Me.Teams[0].Name != "Everyone" {
		t.Errorf("%+v", accounts)
	}
	if err := db.MakeLink(t.Context(), people.LinkSetUp, "", "start", account.Hash("again"), time.Hour); storetest.Problem(err).Code != wire.CodeLinkUsed {
		t.Errorf("another set-up: %v", err)
	}
}

func TestLinks(t *testing.T) {
	now := time.Now()
	db := storetest.Open(t, storetest.Folder(t), store.Options{Now: func() time.Time { return now }})
	ctx := t.Context()
	link := func(kind, owner, by, token string) {
		storetest.Must(t, db.MakeLink(ctx, kind, owner, by, account.Hash(token), time.Hour))
	}
	leads := func(token string) (string, string) {
		l, err := db.Link(ctx, account.Hash(token))
		return l.Kind, storetest.Problem(err).Code
	}
	want := func(token, kind, code string) {
		t.Helper()
		if k, c := leads(token); k != kind || c != code {
			t.Errorf("%s: %q %q, want %q %q", token, k, c, kind, code)
		}
	}
	want("nothing", "", wire.CodeLinkUnknown)
	link(people.LinkSetUp, "", "start", "s1")
	link(people.LinkSetUp, "", "command", "c1")
	link(people.LinkSetUp, "", "start", "s2")
	want("s1", "", wire.CodeLinkUnknown)
	want("s2", "setup", "")
	want("c1", "setup", "")
	if _, err := db.Reset(ctx, account.Hash("c1"), "sum"); storetest.Problem(err).Code != wire.CodeLinkUnknown {
		t.Errorf("a set-up as a reset: %v", err)
	}
	now = now.Add(time.Hour)
	want("s2", "", wire.CodeLinkUsed)
	link(people.LinkSetUp, "", "start", "s3")
	owner, err := db.SetUp(ctx, account.Hash("s3"), "Ann", "ann@example.com", "sum")
	storetest.Must(t, err)
	want("s3", "", wire.CodeLinkUsed)

	link(people.LinkReset, owner, "admin", "r1")
	link(people.LinkReset, owner, "command", "r2")
	if _, err := db.SetUp(ctx, account.Hash("r1"), "Eve", "eve@example.com", "sum"); storetest.Problem(err).Code != wire.CodeLinkUnknown {
		t.Errorf("a reset as a set-up: %v", err)
	}
	l, err := db.Link(ctx, account.Hash("r1"))
	if err != nil || l.Kind != "reset" || l.Email != "ann@example.com" {
		t.Errorf("%+v, %v", l, err)
	}
	who, err := db.Reset(ctx, account.Hash("r1"), "other sum")
	if err != nil || who != owner {
		t.Errorf("%q, %v", who, err)
	}
	want("r1", "", wire.CodeLinkUsed)
	want("r2", "", wire.CodeLinkUnknown) // void with it
	if sum, err := db.Password(ctx, owner); err != nil || sum != "other sum" {
		t.Errorf("%q, %v", sum, err)
	}
}

func TestJoin(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ctx := t.Context()
	admin := firstAdmin(t, db)
	invite(t, db, admin, "three", wire.RoleGuest, 3, time.Hour)
	invite(t, db, admin, "old", wire.RoleAdmin, 1, -time.Hour)
	var mu sync.Mutex
	codes := map[string]int{}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			_, _, err := db.Join(ctx, account.Hash("three"), "Bob", fmt.Sprintf("bob%d@example.com", i), "sum")
			mu.Lock()
			defer mu.Unlock()
			codes[storetest.Problem(err).Code]++
		})
	}
	all.Wait()
	if codes[""] != 3 || codes[wire.CodeLinkUsed] != 5 {
		t.Errorf("%v", codes)
	}
	if n, err := db.AccountCount(ctx); err != nil || n != 4 {
		t.Errorf("%d accounts, %v", n, err)
	}
	for token, code := range map[string]string{"old": wire.CodeLinkUsed, "none": wire.CodeLinkUnknown} {
		if _, _, err := db.Join(ctx, account.Hash(token), "Eve", "eve@example.com", "sum"); storetest.Problem(err).Code != code {
			t.Errorf("%s: %v", token, err)
		}
	}
	// A taken address costs no use of the invitation.
	invite(t, db, admin, "one", wire.RoleMember, 1, time.Hour)
	if _, _, err := db.Join(ctx, account.Hash("one"), "Ann", "ann@example.com", "sum"); storetest.Problem(err).Field != "email" {
		t.Errorf("a taken address: %v", err)
	}
	owner, _, err := db.Join(ctx, account.Hash("one"), "Cid", "cid@example.com", "sum")
	storetest.Must(t, err)
	accounts, err := db.Accounts(ctx)
	storetest.Must(t, err)
	for _, a := range accounts {
		if a.Owner == owner && (a.Me.Role != wire.RoleMember || len(a.Me.Teams) != 1 || a.Me.Teams[0].Lead) {
			t.Errorf("%+v", a)
		}
	}
}

// However it is asked for, somebody active stays admin; also of two who do it to
// each other at once.
func TestTheLastAdminStays(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ctx := t.Context()
	ann := firstAdmin(t, db)
	no, member := false, wire.RoleMember
	for name, c := range map[string]wire.PersonChange{"demoted": {Role: &member}, "deactivated": {Active: &no}} {
		if err := db.ChangePerson(ctx, ann, c); storetest.Problem(err).Code != wire.CodeLastAdmin {
			t.Errorf("%s: %v", name, err)
		}
	}
	for round := range 20 {
		bob := invited(t, db, ann, fmt.Sprintf("bob%d@example.com", round), wire.RoleAdmin)
		var all sync.WaitGroup
		errs := make([]error, 2)
		for i, who := range []string{ann, bob} {
			all.Go(func() { errs[i] = db.ChangePerson(ctx, who, wire.PersonChange{Role: &member}) })
		}
		all.Wait()
		if (errs[0] == nil) == (errs[1] == nil) {
			t.Fatalf("%v, %v", errs[0], errs[1])
		}
		if errs[0] == nil {
			ann, bob = bob, ann
		}
		if err := db.ChangePerson(ctx, bob, wire.PersonChange{Active: &no}); err != nil {
			t.Fatal(err)
		}
	}
}

// Who is deactivated has no session, no key of their own and no link left.
func TestDeactivatedIsOut(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ctx := t.Context()
	ann := firstAdmin(t, db)
	bob := invited(t, db, ann, "bob@example.com", wire.RoleMember)
	now := time.Now()
	for _, who := range []string{ann, bob} {
		storetest.Must(t, db.SaveSignIn(ctx, account.Session{ID: uuid.NewString(), Hash: account.Hash(who), Owner: who, Created: now, Seen: now, Expires: now.Add(time.Hour)}))
	}
	storetest.Must(t, db.MakeLink(ctx, people.LinkReset, bob, "admin", account.Hash("reset"), time.Hour))
	no, name := false, "Robert"
	storetest.Must(t, db.ChangePerson(ctx, bob, wire.PersonChange{Active: &no, Name: &name}))
	if all, err := db.SignedIn(ctx); err != nil || len(all) != 1 || all[0].Owner != ann {
		t.Errorf("%+v, %v", all, err)
	}
	if _, err := db.Reset(ctx, account.Hash("reset"), "sum"); storetest.Problem(err).Code != wire.CodeLinkUnknown {
		t.Errorf("%v", err)
	}
	if _, _, active, err := db.Login(ctx, "bob@example.com"); err != nil || active {
		t.Errorf("active %v, %v", active, err)
	}
	if err := db.ChangePerson(ctx, "99", wire.PersonChange{Active: &no}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nobody: %v", err)
	}
}

// What an admin gave out goes with them, however they cease to be one: what lets
// people in is given out by admins alone.
func TestWhatAnAdminGaveOutGoesWithThem(t *testing.T) {
	no, member, name := false, wire.RoleMember, "Robert"
	groups := []wire.Group{{Group: "staff", Role: wire.RoleMember}, {Group: "ops", Role: wire.RoleAdmin}}
	changed := func(c wire.PersonChange) func(*store.DB, string, string) error {
		return func(db *store.DB, _, bob string) error { return db.ChangePerson(t.Context(), bob, c) }
	}
	mapped := func(signedIn bool, group string) func(*store.DB, string, string) error {
		return func(db *store.DB, _, bob string) error {
			on := comes("s", "bob@example.com", group)
			if signedIn {
				on.As = bob
			}
			return storetest.Second(db.SignOn(t.Context(), on, groups))
		}
	}
	leaves := func(v account.Leaving) func(*store.DB, string, string) error {
		return func(db *store.DB, ann, bob string) error {
			v.Person, v.By = bob, ann
			e, err := db.Leavings().Begin(t.Context(), v, "")
			return errors.Join(err, storetest.Second(db.Leavings().Finish(t.Context(), v, e)))
		}
	}
	for _, test := range []struct {
		name  string
		do    func(db *store.DB, ann, bob string) error
		stays bool
	}{
		{"renamed", changed(wire.PersonChange{Name: &name}), true},
		{"of a group of admins", mapped(true, "ops"), true},
		{"deactivated", changed(wire.PersonChange{Active: &no}), false},
		{"made a member", changed(wire.PersonChange{Role: &member}), false},
		{"made a member and deactivated", changed(wire.PersonChange{Role: &member, Active: &no}), false},
		{"made a member by a group", mapped(true, "staff"), false},
		{"somebody else's account all along", mapped(false, "ops"), false},
		{"erased", leaves(account.Leaving{Erase: true}), false},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			db, _ := storetest.OpenLocal(t)
			ann := firstAdmin(t, db)
			bob := invited(t, db, ann, "bob@example.com", wire.RoleAdmin)
			for _, by := range []string{ann, bob} {
				invite(t, db, by, "open of "+by, wire.RoleAdmin, 2, time.Hour)
				invite(t, db, by, "over of "+by, wire.RoleAdmin, 1, -time.Hour)
				storetest.Must(t, db.MakeLink(ctx, people.LinkReset, ann, by, account.Hash("reset by "+by), time.Hour))
			}
			storetest.Must(t, test.do(db, ann, bob))
			works := func(token string) bool {
				_, err := db.Link(ctx, account.Hash(token))
				return err == nil
			}
			if works("open of "+bob) != test.stays || works("reset by "+bob) != test.stays {
				t.Errorf("the invitation leads in: %v, the link: %v", works("open of "+bob), works("reset by "+bob))
			}
			if !works("open of "+ann) || !works("reset by "+ann) {
				t.Error("another admin's are taken back")
			}
			all, err := db.Invites(ctx)
			storetest.Must(t, err)
			revoked := 0
			for _, i := range all {
				if i.Revoked {
					revoked++
				}
			}
			if (revoked == 0) != test.stays || revoked > 1 {
				t.Errorf("%d of %+v are shown as revoked", revoked, all)
			}
			// What was sent just before is too late.
			_, made := db.MakeInvite(ctx, bob, "late", wire.Invite{Role: wire.RoleAdmin, Uses: 1})
			linked := db.MakeLink(ctx, people.LinkReset, ann, bob, account.Hash("late"), time.Hour)
			isAdmin := test.stays || test.name == "somebody else's account all along"
			if (made == nil) != isAdmin || (linked == nil) != isAdmin {
				t.Errorf("afterwards: %v, %v", made, linked)
			}
		})
	}
}

func TestSignIns(t *testing.T) {
	ctx := context.Background()
	now := time.UnixMilli(1_800_000_000_000)
	db := storetest.Open(t, storetest.Folder(t), store.Options{Now: func() time.Time { return now }})
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	// A session of before accounts is none of those who signed in.
	storetest.Must(t, db.SaveSession(ctx, "alone", owner, []byte(`{"key":"k"}`), now.Add(time.Hour)))
	a := account.Session{ID: uuid.NewString(), Hash: account.Hash("a"), Owner: owner, How: account.ByPassword, Device: "Firefox on Linux", Address: "203.0.113.7",
		Created: now, Seen: now, Expires: now.Add(time.Hour)}
	b := a
	b.ID, b.Hash = uuid.NewString(), account.Hash("b")
	storetest.Must(t, db.SaveSignIn(ctx, a), db.SaveSignIn(ctx, b))
	if _, _, err := db.LoadSession(ctx, "a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("one who signed in, as one that holds a key: %v", err)
	}
	a.Seen = now.Add(time.Minute)
	storetest.Must(t, db.SessionsSeen(ctx, map[string]time.Time{a.ID: a.Seen}), db.EndSessions(ctx, []string{b.ID, uuid.NewString()}))
	if all, err := db.SignedIn(ctx); err != nil || len(all) != 1 || all[0] != a {
		t.Errorf("%+v, %v; want %+v", all, err, a)
	}
	now = now.Add(time.Hour)
	if all, err := db.SignedIn(ctx); err != nil || len(all) != 0 {
		t.Errorf("expired: %+v, %v", all, err)
	}
}

// The only account that is left is the local user of who goes on alone.
func TestTheLocalUserIsWhoIsLeft(t *testing.T) {
	db, local := storetest.OpenLocal(t)
	ctx := t.Context()
	ann := firstAdmin(t, db)
	bob := invited(t, db, ann, "bob@example.com", wire.RoleAdmin)
	if owner, err := db.EnsureLocalUser(ctx); err != nil || owner != local {
		t.Errorf("with two accounts: %s, %v", owner, err)
	}
	storetest.Must(t, db.Engine().Write(ctx, 0, func(w *engine.Tx) error { // as erasing does
		_, err := w.Exec("UPDATE users SET email = NULL, active = 0, erased_ms = 1 WHERE n = ?", engine.ParseOwner(ann))
		return err
	}))
	for range 2 {
		if owner, err := db.EnsureLocalUser(ctx); err != nil || owner != bob {
			t.Errorf("with one: %s, %v; want %s", owner, err, bob)
		}
	}
}
