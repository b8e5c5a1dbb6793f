package people_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// comes is somebody whom single sign-on vouches for.
func comes(subject, email string, groups ...string) account.SignOn {
	return account.SignOn{Issuer: "https://id.example", Subject: subject, Email: email, Verified: true, Name: "N " + subject, Groups: groups,
		Claims: []byte(`{"groups":[]}`), Domains: []string{"example.com"}}
}

// signedOn is the account of an owner as it is stored.
func signedOn(t *testing.T, db *store.DB, owner string) account.Account {
	t.Helper()
	all, err := db.Accounts(t.Context())
	storetest.Must(t, err)
	i := slices.IndexFunc(all, func(a account.Account) bool { return a.Owner == owner })
	if i < 0 {
		t.Fatalf("no account of %q", owner)
	}
	return all[i]
}

func makeTeam(t *testing.T, db *store.DB, name string) (id string) {
	t.Helper()
	id, err := db.MakeTeam(t.Context(), wire.TeamChange{Name: &name})
	storetest.Must(t, err)
	return id
}

func TestWhoMaySignOn(t *testing.T) {
	ctx := t.Context()
	groups := []wire.Group{{Group: "ops"}}
	for _, test := range []struct {
		name   string
		on     account.SignOn
		before func(t *testing.T, db *store.DB, ann string)
		code   string
		made   bool
	}{
		{name: "somebody new of an allowed domain", on: comes("s", "Zoe@Example.com"), made: true},
		{name: "somebody new of another domain", on: comes("s", "zoe@other.example"), code: wire.CodeDomainNotAllowed},
		{name: "a domain that ends alike", on: comes("s", "zoe@evilexample.com"), code: wire.CodeDomainNotAllowed},
		{name: "a domain below", on: comes("s", "zoe@sub.example.com"), code: wire.CodeDomainNotAllowed},
		{name: "somebody new of another domain, in a mapped group", on: comes("s", "zoe@other.example", "ops"), made: true},
		{name: "in a group that isn't mapped", on: comes("s", "zoe@other.example", "dev"), code: wire.CodeDomainNotAllowed},
		{name: "an address that isn't verified", on: func() account.SignOn { s := comes("s", "zoe@example.com"); s.Verified = false; return s }(), code: wire.CodeEmailUnverified},
		{name: "no address", on: comes("s", ""), code: wire.CodeEmailUnverified},
		{name: "two addresses", on: comes("s", "a@other.example, zoe@example.com"), code: wire.CodeEmailUnverified},
		{name: "the address of an account", on: comes("s", "ANN@example.com")},
		{name: "the address of an account that another subject has", on: comes("s", "ann@example.com"), code: wire.CodeAccountTaken,
			before: func(t *testing.T, db *store.DB, _ string) {
				_, err := db.SignOn(t.Context(), comes("first", "ann@example.com"), nil)
				storetest.Must(t, err)
			}},
		{name: "unverified, the address of an account", on: func() account.SignOn { s := comes("s", "ann@example.com"); s.Verified = false; return s }(), code: wire.CodeEmailUnverified},
		{name: "who was deactivated", on: comes("s", "bob@example.com"), code: wire.CodeDeactivated,
			before: func(t *testing.T, db *store.DB, ann string) {
				bob, off := invited(t, db, ann, "bob@example.com", wire.RoleMember), false
				storetest.Must(t, db.ChangePerson(t.Context(), bob, wire.PersonChange{Active: &off}))
			}},
		{name: "who was deactivated, by a known subject", on: comes("s", "bob@example.com"), code: wire.CodeDeactivated,
			before: func(t *testing.T, db *store.DB, ann string) {
				bob, off := invited(t, db, ann, "bob@example.com", wire.RoleMember), false
				_, err := db.SignOn(t.Context(), comes("s", "bob@example.com"), nil)
				storetest.Must(t, err, db.ChangePerson(t.Context(), bob, wire.PersonChange{Active: &off}))
			}},
		{name: "a proxy's, of an allowed domain", on: account.SignOn{Email: "zoe@example.com", Verified: true, Domains: []string{"example.com"}}, made: true},
		{name: "a proxy's, of another domain", on: account.SignOn{Email: "zoe@other.example", Verified: true, Domains: []string{"example.com"}, Groups: []string{"ops"}}, code: wire.CodeDomainNotAllowed},
		{name: "a proxy's, of an account", on: account.SignOn{Email: "ann@example.com", Verified: true}},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, _ := storetest.OpenLocal(t)
			ann := firstAdmin(t, db)
			if test.before != nil {
				test.before(t, db, ann)
			}
			done, err := db.SignOn(ctx, test.on, groups)
			switch {
			case test.code != "":
				if err == nil || storetest.Problem(err).Code != test.code {
					t.Errorf("%+v, %v; want %q", done, err, test.code)
				}
			case err != nil || done.Made != test.made:
				t.Errorf("%+v, %v", done, err)
			case test.made:
				a := signedOn(t, db, done.Owner)
				if a.Me.Role != wire.RoleMember || !a.Active || len(a.Me.Teams) != 1 || a.Me.Email != "zoe@example.com" && a.Me.Email != "zoe@other.example" || a.Me.Name == "" {
					t.Errorf("made %+v", a)
				}
				again, err := db.SignOn(ctx, test.on, groups)
				if err != nil || again.Made || again.Owner != done.Owner {
					t.Errorf("again: %+v, %v", again, err)
				}
			case done.Owner != ann:
				t.Errorf("%+v is not Ann", done)
			}
		})
	}
	t.Run("before anybody set the instance up", func(t *testing.T) {
		db, _ := storetest.OpenLocal(t)
		if _, err := db.SignOn(ctx, comes("s", "zoe@example.com"), nil); err == nil || storetest.Problem(err).Code != wire.CodeNotSetUp {
			t.Errorf("%v", err)
		}
	})
}

// A known subject has its account, whatever address comes with it.
func TestASubjectKeepsItsAccount(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann := firstAdmin(t, db)
	first, err := db.SignOn(t.Context(), comes("s", "zoe@example.com"), nil)
	storetest.Must(t, err)
	again := comes("s", "ann@example.com")
	again.Verified = false
	if done, err := db.SignOn(t.Context(), again, nil); err != nil || done.Owner != first.Owner || done.Owner == ann {
		t.Errorf("%+v, %v", done, err)
	}
	other := comes("s", "zoe@example.com")
	other.Issuer = "https://other.example"
	if done, err := db.SignOn(t.Context(), other, nil); err == nil {
		t.Errorf("another issuer's subject of the same name: %+v", done)
	}
}

// What a group gave, it takes away; what people gave, stays.
func TestGroupsAreAppliedAtEverySignOn(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann := firstAdmin(t, db)
	film, ads, own := makeTeam(t, db, "Film"), makeTeam(t, db, "Ads"), makeTeam(t, db, "Own")
	groups := []wire.Group{
		{Group: "admins", Role: wire.RoleAdmin}, {Group: "staff", Role: wire.RoleMember}, {Group: "visitors", Role: wire.RoleGuest},
		{Group: "film", Teams: []string{film}}, {Group: "film-leads", Teams: []string{film, ads}, Lead: true},
		{Group: "gone", Teams: []string{"018f3f70-0000-7000-8000-000000000000"}},
	}
	bob := invited(t, db, ann, "bob@example.com", wire.RoleGuest)
	bobID := signedOn(t, db, bob).Me.ID
	storetest.Must(t, db.PutInTeam(t.Context(), own, bobID, false))
	type state struct {
		role  string
		teams map[string]bool
	}
	for i, step := range []struct {
		groups []string
		by     func() // hand, before
		want   state
		mapped bool
	}{
		{want: state{wire.RoleGuest, map[string]bool{own: false}}},
		{groups: []string{"unknown", "gone"}, want: state{wire.RoleGuest, map[string]bool{own: false}}},
		{groups: []string{"admins", "staff", "film"}, mapped: true, want: state{wire.RoleAdmin, map[string]bool{own: false, film: false}}},
		{groups: []string{"admins", "film"}, want: state{wire.RoleAdmin, map[string]bool{own: false, film: false}}},
		{groups: []string{"staff", "film-leads"}, mapped: true, want: state{wire.RoleMember, map[string]bool{own: false, film: true, ads: true}}},
		{groups: []string{"staff", "film"}, mapped: true, want: state{wire.RoleMember, map[string]bool{own: false, film: false}}},
		{groups: []string{"visitors", "film-leads"}, mapped: true, want: state{wire.RoleGuest, map[string]bool{own: false, film: false, ads: false}}},
		{mapped: true, want: state{wire.RoleGuest, map[string]bool{own: false}}},
		{groups: []string{"staff"}, mapped: true, want: state{wire.RoleMember, map[string]bool{own: false}}},
		// By hand an admin, and the lead of a team that a group doesn't speak of.
		{by: func() {
			role := wire.RoleAdmin
			storetest.Must(t, db.ChangePerson(t.Context(), bob, wire.PersonChange{Role: &role}), db.PutInTeam(t.Context(), own, bobID, true), db.PutInTeam(t.Context(), film, bobID, true))
		}, want: state{wire.RoleAdmin, map[string]bool{own: true, film: true}}},
		{groups: []string{"film", "film-leads"}, mapped: true, want: state{wire.RoleAdmin, map[string]bool{own: true, film: true, ads: true}}},
		{mapped: true, want: state{wire.RoleAdmin, map[string]bool{own: true, film: true}}},
		{groups: []string{"staff"}, mapped: true, want: state{wire.RoleMember, map[string]bool{own: true, film: true}}},
		{mapped: true, want: state{wire.RoleAdmin, map[string]bool{own: true, film: true}}},
	} {
		if step.by != nil {
			step.by()
		}
		done, err := db.SignOn(t.Context(), comes("s", "bob@example.com", step.groups...), groups)
		storetest.Must(t, err)
		got := state{signedOn(t, db, bob).Me.Role, map[string]bool{}}
		for _, team := range signedOn(t, db, bob).Me.Teams {
			if team.Name != "Everyone" {
				got.teams[team.ID] = team.Lead
			}
		}
		if !reflect.DeepEqual(got, step.want) || done.Mapped() != step.mapped {
			t.Errorf("%d %q: %+v, want %+v; %+v", i, step.groups, got, step.want, done)
		}
	}
}

// A lead whom people made stays, though a group had put them into the team; whom
// people only made none leaves it with the group.
func TestALeadWhomPeopleMadeOutlastsTheGroup(t *testing.T) {
	const in, leads = "film", "film-leads"
	type state struct{ in, lead, mapped bool }
	for _, test := range []struct {
		name  string
		first string // the group that puts them in
		hand  []bool // what people say of their leading, after that
		group string // of the sign-in after that; "": none
		want  state
		out   state // once they are in no group
	}{
		{"a mapped member is made a lead", in, []bool{true}, in, state{true, true, false}, state{true, true, false}},
		{"and is in no group at once", in, []bool{true}, "", state{true, true, false}, state{true, true, false}},
		{"a mapped lead is made one", leads, []bool{true}, leads, state{true, true, false}, state{true, true, false}},
		{"and is but a member by the group", leads, []bool{true}, in, state{true, true, false}, state{true, true, false}},
		{"a mapped lead is made none, of whom the group says no more", leads, []bool{false}, in, state{true, false, true}, state{}},
		{"a mapped lead is made none, but the group says it again", leads, []bool{false}, leads, state{true, true, true}, state{}},
		{"a mapped member is made none", in, []bool{false}, in, state{true, false, true}, state{}},
		{"a lead, and then none", in, []bool{true, false}, in, state{true, false, false}, state{true, false, false}},
		{"none, and then a lead", leads, []bool{false, true}, in, state{true, true, false}, state{true, true, false}},
	} {
		t.Run(test.name, func(t *testing.T) {
			db, _ := storetest.OpenLocal(t)
			ann := firstAdmin(t, db)
			film := makeTeam(t, db, "Film")
			groups := []wire.Group{{Group: in, Teams: []string{film}}, {Group: leads, Teams: []string{film}, Lead: true}}
			bob := invited(t, db, ann, "bob@example.com", wire.RoleMember)
			signsOn := func(group string) (got state) {
				t.Helper()
				storetest.Must(t, storetest.Second(db.SignOn(t.Context(), comes("s", "bob@example.com", group), groups)))
				of, err := db.Team(t.Context(), film)
				storetest.Must(t, err)
				for _, p := range of.People {
					got = state{true, p.Lead, p.Mapped}
				}
				return got
			}
			if got := signsOn(test.first); got != (state{true, test.first == leads, true}) {
				t.Fatalf("by the group: %+v", got)
			}
			for _, lead := range test.hand {
				storetest.Must(t, db.PutInTeam(t.Context(), film, signedOn(t, db, bob).Me.ID, lead))
			}
			if got := signsOn(test.group); got != test.want {
				t.Errorf("%+v, want %+v", got, test.want)
			}
			if got := signsOn(""); got != test.out {
				t.Errorf("in no group: %+v, want %+v", got, test.out)
			}
		})
	}
}

// A lead of everybody's team can come from a group, though its people can't.
func TestAGroupLeadsEverybodysTeam(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann := firstAdmin(t, db)
	bob := invited(t, db, ann, "bob@example.com", wire.RoleMember)
	everyone := signedOn(t, db, bob).Me.Teams[0].ID
	groups := []wire.Group{{Group: "leads", Teams: []string{everyone}, Lead: true}}
	for _, lead := range []bool{true, false, true, false} {
		on := comes("s", "bob@example.com")
		if lead {
			on.Groups = []string{"leads"}
		}
		if _, err := db.SignOn(t.Context(), on, groups); err != nil {
			t.Fatal(err)
		}
		if teams := signedOn(t, db, bob).Me.Teams; len(teams) != 1 || teams[0].Lead != lead {
			t.Errorf("%+v, want lead %v", teams, lead)
		}
	}
}

// The last active admin stays one, whatever their groups; with another, not.
func TestGroupsLeaveTheLastAdmin(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann := firstAdmin(t, db)
	groups := []wire.Group{{Group: "staff", Role: wire.RoleMember}}
	done, err := db.SignOn(t.Context(), comes("s", "ann@example.com", "staff"), groups)
	if err != nil || !done.LastAdmin || !done.Mapped() || signedOn(t, db, ann).Me.Role != wire.RoleAdmin {
		t.Errorf("%+v, %v", done, err)
	}
	invited(t, db, ann, "bob@example.com", wire.RoleAdmin)
	done, err = db.SignOn(t.Context(), comes("s", "ann@example.com", "staff"), groups)
	if err != nil || done.LastAdmin || done.Role != wire.RoleMember || done.RoleWas != wire.RoleAdmin || signedOn(t, db, ann).Me.Role != wire.RoleMember {
		t.Errorf("%+v, %v", done, err)
	}
}

// A deleted team gets nobody, and the claims of the last are shown first.
func TestClaims(t *testing.T) {
	now := time.Now()
	db := storetest.Open(t, storetest.Folder(t), store.Options{Now: func() time.Time { return now }})
	_, err := db.EnsureLocalUser(t.Context())
	storetest.Must(t, err)
	firstAdmin(t, db)
	film := makeTeam(t, db, "Film")
	storetest.Must(t, db.DeleteTeam(t.Context(), film))
	for _, subject := range []string{"zoe", "yan"} {
		now = now.Add(time.Minute)
		on := comes(subject, subject+"@example.com", "film")
		on.Claims = []byte(`{"sub":"` + subject + `"}`)
		done, err := db.SignOn(t.Context(), on, []wire.Group{{Group: "film", Teams: []string{film}}})
		if err != nil || len(done.TeamsIn) > 0 {
			t.Errorf("%+v, %v", done, err)
		}
	}
	all, err := db.Claims(t.Context())
	if err != nil || len(all) != 2 || all[0].Person != "N yan" || string(all[0].Claims) != `{"sub":"yan"}` || all[0].AtMS != now.UnixMilli() {
		t.Errorf("%+v, %v", all, err)
	}
}
