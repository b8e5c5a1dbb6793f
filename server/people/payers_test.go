package people_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/payer"
	"screentest/server/people"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// team is an instance with accounts: ann is an admin, bob and cid are members.
type team struct {
	*people.Directory
	db            *store.DB
	ann, bob, cid people.Person
	everyone, red string
	greeted       *greetings
	events        []people.Event
}

// greetings is told who changes.
type greetings struct {
	mu     sync.Mutex
	owners []string
}

func (g *greetings) SessionsEnded([]string) {}

func (g *greetings) PeopleChanged(owners []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.owners = append(g.owners, owners...)
}

func (g *greetings) take() (owners []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	owners, g.owners = g.owners, nil
	slices.Sort(owners)
	return slices.Compact(owners)
}

func newTeam(t *testing.T, sandboxKey string) *team {
	t.Helper()
	ctx := context.Background()
	db, local := storetest.OpenLocal(t)
	w := &team{db: db, greeted: &greetings{}}
	var err error
	w.Directory, err = people.New(ctx, people.Config{
		Sessions: db, Owner: local, Addr: "127.0.0.1:80", Gateway: func() people.Gateway { return people.Gateway{Key: sandboxKey} }, Team: true, Accounts: db, Keys: db, Settings: db,
		Audit: func(_ context.Context, e people.Event) { w.events = append(w.events, e) },
	})
	storetest.Must(t, err)
	t.Cleanup(w.Close)
	storetest.Must(t, db.MakeLink(ctx, "setup", "", "test", account.Hash("setup"), time.Hour))
	ann, err := db.SetUp(ctx, account.Hash("setup"), "Ann", "ann@example.com", "")
	storetest.Must(t, err, storetest.Second(db.MakeInvite(ctx, ann, "join", wire.Invite{Role: "member", Uses: 2, ExpiresMS: time.Now().Add(time.Hour).UnixMilli()})))
	bob, _, err := db.Join(ctx, account.Hash("join"), "Bob", "bob@example.com", "")
	storetest.Must(t, err)
	cid, _, err := db.Join(ctx, account.Hash("join"), "Cid", "cid@example.com", "")
	storetest.Must(t, err)
	name := "Red"
	w.red, err = db.MakeTeam(ctx, wire.TeamChange{Name: &name})
	storetest.Must(t, err)
	all, err := db.Teams(ctx)
	storetest.Must(t, err)
	w.everyone = all[0].ID
	storetest.Must(t, w.Changed(ctx))
	for owner, to := range map[string]*people.Person{ann: &w.ann, bob: &w.bob, cid: &w.cid} {
		*to = w.person(t, owner)
	}
	w.Listen(w.greeted)
	return w
}

// person is an owner as they are now.
func (w *team) person(t *testing.T, owner string) people.Person {
	t.Helper()
	a, err := w.Account(owner)
	storetest.Must(t, err)
	return people.Person{Owner: owner, Me: &a.Me}
}

func as(p people.Person) context.Context { return people.With(context.Background(), p) }

func TestPayer(t *testing.T) {
	ctx := context.Background()
	w := newTeam(t, "")
	models := []string{"a/*"}
	storetest.Must(t, w.db.PutInTeam(ctx, w.red, w.bob.Me.ID, true), w.Changed(ctx), w.SetPolicies(ctx, account.Policies{PersonalKeys: true}),
		w.db.ChangeTeam(ctx, w.red, wire.TeamChange{Models: &models}))
	pays := func(who people.Person, charge string, want payer.Payer) {
		t.Helper()
		if got, err := w.Payer(ctx, who, charge); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("charge %q: %+v, %v\nwant %+v", charge, got, err, want)
		}
	}
	refuses := func(who people.Person, charge, code, hint string) {
		t.Helper()
		got, err := w.Payer(ctx, who, charge)
		var p *wire.Problem
		if !errors.As(err, &p) || p.Code != code || p.Field != "charge" || !strings.Contains(p.Hint, hint) || got.Secret != "" {
			t.Errorf("charge %q: %+v, %v; want %s with %q", charge, got, err, code, hint)
		}
	}
	everyone := payer.Payer{Owner: w.bob.Owner, Team: w.everyone, Label: "Everyone …7890", Secret: "sk-everyone-1234567890", Models: []string{},
		Name: "the team Everyone", Ask: "Ask Ann"}
	red := payer.Payer{Owner: w.bob.Owner, Team: w.red, Label: "Red", Secret: "sk-red", Models: models, Name: "the team Red", Ask: "Ask Bob"}
	own := payer.Payer{Owner: w.bob.Owner, Label: "personal …-bob", Secret: "sk-canary-key-of-bob", Name: "your own key", Ask: "Ask Ann"}

	refuses(w.bob, "", "key_missing", "Ann") // who leads Everyone
	refuses(w.bob, w.red, "key_missing", "Bob")
	refuses(w.bob, wire.ChargePersonal, "key_missing", "settings")
	refuses(w.cid, w.red, wire.CodeNotFound, "Choose")
	refuses(w.cid, storetest.NewID(), wire.CodeNotFound, "Choose")

	storetest.Must(t, w.SetPersonalKey(as(w.bob), w.Gateway(), w.bob, own.Secret))
	pays(w.bob, wire.ChargePersonal, own)
	storetest.Must(t, w.SetTeamKey(as(w.ann), w.Gateway(), w.red, red.Secret), w.SetTeamKey(as(w.ann), w.Gateway(), w.everyone, everyone.Secret))
	pays(w.bob, "", own) // what he charged last
	pays(w.bob, w.red, red)
	pays(w.bob, "", red)
	pays(w.cid, "", payer.Payer{Owner: w.cid.Owner, Team: w.everyone, Label: everyone.Label, Secret: everyone.Secret, Models: []string{}, Name: everyone.Name, Ask: everyone.Ask})
	refuses(w.cid, w.red, wire.CodeNotFound, "Choose")
	refuses(w.cid, wire.ChargePersonal, "key_missing", "settings")

	// What was charged last and has no key any more is not paid by another unasked.
	storetest.Must(t, w.SetTeamKey(as(w.ann), w.Gateway(), w.red, ""))
	refuses(w.bob, "", "key_missing", "Bob")
	pays(w.bob, w.everyone, everyone)

	storetest.Must(t, w.SetPolicies(ctx, account.Policies{}))
	refuses(w.bob, wire.ChargePersonal, wire.CodeNotAllowed, "team")
	if err := w.SetPersonalKey(as(w.cid), w.Gateway(), w.cid, "sk-of-cid"); storetest.Problem(err).Code != wire.CodeNotAllowed {
		t.Errorf("a personal key where there are none: %v", err)
	}
	storetest.Must(t, w.SetPersonalKey(as(w.bob), w.Gateway(), w.bob, "")) // to take it away is allowed

	storetest.Must(t, w.db.PutInTeam(ctx, w.red, w.cid.Me.ID, false), w.db.TakeFromTeam(ctx, w.red, w.bob.Me.ID), w.Changed(ctx))
	refuses(w.bob, w.red, wire.CodeNotFound, "Choose")
}

// With the sandbox inside its key is everybody's, and charged to a team all the
// same.
func TestTheSandboxPaysForTeams(t *testing.T) {
	w := newTeam(t, "sandbox-0123456789")
	got, err := w.Payer(context.Background(), w.bob, "")
	want := payer.Payer{Owner: w.bob.Owner, Team: w.everyone, Label: "sandbox", Secret: "sandbox-0123456789", Models: []string{},
		Name: "the team Everyone", Ask: "Ask Ann"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	if err := w.SetTeamKey(as(w.ann), w.Gateway(), w.everyone, "sk"); storetest.Problem(err).Code != "sandbox_key" {
		t.Errorf("another key: %v", err)
	}
}

// What a person sees of keys is their last four characters, and who is concerned
// is greeted.
func TestKeysAreSeenByTheirEnds(t *testing.T) {
	ctx := context.Background()
	w := newTeam(t, "")
	storetest.Must(t, w.db.PutInTeam(ctx, w.red, w.bob.Me.ID, false), w.Changed(ctx))
	if got := w.greeted.take(); !slices.Equal(got, []string{w.bob.Owner}) {
		t.Errorf("of a new team %q were greeted", got)
	}
	w.bob = w.person(t, w.bob.Owner)
	storetest.Must(t, w.SetTeamKey(as(w.ann), w.Gateway(), w.red, "sk-canary-Zq8w3xNfT0"))
	if got := w.greeted.take(); !slices.Equal(got, []string{w.bob.Owner}) {
		t.Errorf("of a team's key %q were greeted", got)
	}
	w.KeyJudged("", "sk-canary-Zq8w3xNfT0", true)
	charges, err := w.Charges(ctx, w.bob)
	want := []wire.Charge{{ID: w.everyone, Name: "Everyone", Models: []string{}}, {ID: w.red, Name: "Red", Models: []string{}, HasKey: true, KeyLast4: "NfT0", KeyRefused: true}}
	if err != nil || !reflect.DeepEqual(charges, want) {
		t.Errorf("%+v, %v", charges, err)
	}
	g, err := w.KeyState(ctx, w.bob, wire.Gateway{})
	if err != nil || !g.HasKey || g.KeyLast4 != "NfT0" || !g.KeyRefused {
		t.Errorf("%+v, %v", g, err)
	}
	if g, err := w.KeyState(ctx, w.cid, wire.Gateway{}); err != nil || g.HasKey {
		t.Errorf("who has none: %+v, %v", g, err)
	}
	e := w.events[len(w.events)-1]
	if e.Action != "key.set" || e.Person != w.ann.Owner || e.Object != w.red || len(e.Detail) > 0 {
		t.Errorf("the audit was told %+v", e)
	}
}

func TestPoliciesOutliveARestart(t *testing.T) {
	ctx := context.Background()
	w := newTeam(t, "")
	want := account.Policies{Name: "Lab", PersonalKeys: true, TwoFactors: true, Groups: []wire.Group{{Group: "staff", Role: "member", Teams: []string{w.red}}}}
	storetest.Must(t, w.SetPolicies(ctx, want))
	if got := w.greeted.take(); len(got) != 3 {
		t.Errorf("%q were greeted, want all", got)
	}
	again, err := people.New(ctx, people.Config{Sessions: w.db, Addr: "127.0.0.1:80", Team: true, Accounts: w.db, Keys: w.db, Settings: w.db})
	storetest.Must(t, err)
	defer again.Close()
	if got := again.Policies(); !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}

func TestWhomToAsk(t *testing.T) {
	ctx := context.Background()
	w := newTeam(t, "")
	if got := w.WhomToAsk(w.red); got != "Ann" {
		t.Errorf("of a team without leads %q", got)
	}
	storetest.Must(t, w.db.PutInTeam(ctx, w.red, w.cid.Me.ID, true), w.db.PutInTeam(ctx, w.red, w.bob.Me.ID, true), w.Changed(ctx))
	if got := w.WhomToAsk(w.red); got != "Bob, Cid" {
		t.Errorf("of a team with leads %q", got)
	}
	if got := w.WhomToAsk(""); got != "Ann" {
		t.Errorf("of no team %q", got)
	}
}
