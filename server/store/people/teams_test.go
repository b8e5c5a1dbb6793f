package people_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"reflect"
	"slices"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// join makes somebody who may sign in; id is what others see of them.
func join(t testing.TB, db *store.DB, name, role string) (owner, id string) {
	t.Helper()
	owner = storetest.AddUser(t, db, name)
	var b []byte
	storetest.Must(t, db.Engine().Write(context.Background(), 0, func(w *engine.Tx) error {
		if _, err := w.Exec("UPDATE users SET id = coalesce(id, randomblob(16)), email = name || '@example.com', role = ? WHERE n = ?", role, engine.ParseOwner(owner)); err != nil {
			return err
		}
		return w.Scan("SELECT id FROM users WHERE n = ?", []any{engine.ParseOwner(owner)}, &b)
	}))
	return owner, engine.FormatID(b)
}

// everyone is the team that is always there.
func everyone(t testing.TB, db *store.DB) wire.Team {
	t.Helper()
	all, err := db.Teams(context.Background())
	storetest.Must(t, err)
	if len(all) == 0 || !all[0].Everyone {
		t.Fatalf("the first of %+v is not everybody's", all)
	}
	return all[0]
}

func team(t testing.TB, db *store.DB, name string) (id string) {
	t.Helper()
	id, err := db.MakeTeam(context.Background(), wire.TeamChange{Name: &name})
	storetest.Must(t, err)
	return id
}

func names(teams []wire.Team) (all []string) {
	for _, t := range teams {
		all = append(all, t.Name)
	}
	return all
}

func TestTeams(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	ann, annID := join(t, db, "ann", "member")
	_, bobID := join(t, db, "bob", "guest")
	red, blue := team(t, db, "red"), team(t, db, "Blue")
	if all, err := db.Teams(ctx); err != nil || !slices.Equal(names(all), []string{"Everyone", "Blue", "red"}) {
		t.Errorf("%q, %v; want everybody's first, then by name", names(all), err)
	}

	storetest.Must(t, db.PutInTeam(ctx, red, annID, false), db.PutInTeam(ctx, red, annID, true), db.PutInTeam(ctx, red, bobID, false))
	models, limits := []string{"openai/*"}, wire.Limits{DayNanoUSD: 5, Zone: "Europe/Berlin"}
	storetest.Must(t, db.ChangeTeam(ctx, red, wire.TeamChange{Models: &models}), db.ChangeTeam(ctx, red, wire.TeamChange{Limits: &limits}))
	got, err := db.Team(ctx, red)
	want := wire.Team{ID: red, Name: "red", Models: models, Limits: limits, People: []wire.TeamMate{{ID: annID, Name: "ann", Lead: true}, {ID: bobID, Name: "bob"}}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if of, err := db.TeamsOf(ctx, ann); err != nil || len(of) != 1 || !reflect.DeepEqual(of[0], want) {
		t.Errorf("Ann's teams are %+v, %v", of, err)
	}
	storetest.Must(t, db.TakeFromTeam(ctx, red, annID))
	if of, err := db.TeamsOf(ctx, ann); err != nil || len(of) != 0 {
		t.Errorf("out of it she is in %+v, %v", of, err)
	}

	storetest.Must(t, db.SetTeamKey(ctx, ann, blue, "sk-blue-0123456789", "6789", ""), db.PutInTeam(ctx, blue, annID, false), db.DeleteTeam(ctx, blue))
	if all, err := db.Teams(ctx); err != nil || !slices.Equal(names(all), []string{"Everyone", "red"}) {
		t.Errorf("after a deletion: %q, %v", names(all), err)
	}
	var there, people, keys int
	storetest.Must(t, db.Engine().At(ctx).Scan("SELECT count(*) FROM teams WHERE name = 'Blue' AND deleted_ms > 0", nil, &there),
		db.Engine().At(ctx).Scan("SELECT count(*) FROM team_people WHERE team NOT IN (SELECT n FROM teams WHERE deleted_ms = 0)", nil, &people),
		db.Engine().At(ctx).Scan("SELECT count(*) FROM gateway_keys", nil, &keys))
	if there != 1 || people != 0 || keys != 0 {
		t.Errorf("of a deleted team %d rows, %d people and %d keys are there; want its row alone", there, people, keys)
	}
	if team(t, db, "blue") == blue {
		t.Error("a new team of the name is the old one")
	}
}

// Who is made a guest leads nothing from then on, and does again once they are a
// member.
func TestAGuestLeadsNothing(t *testing.T) {
	ctx := t.Context()
	db, _ := storetest.OpenLocal(t)
	bob, bobID := join(t, db, "bob", "member")
	red := team(t, db, "red")
	storetest.Must(t, db.PutInTeam(ctx, red, bobID, true))
	for _, tt := range []struct {
		role  string
		leads bool
	}{{"guest", false}, {"member", true}} {
		storetest.Must(t, db.ChangePerson(ctx, bob, wire.PersonChange{Role: &tt.role}))
		all, err := db.Accounts(ctx)
		storetest.Must(t, err)
		for _, a := range all {
			if a.Owner == bob && a.Me.Leads(red) != tt.leads {
				t.Errorf("a %s: leads %v", tt.role, a.Me.Leads(red))
			}
		}
		of, err := db.Team(ctx, red)
		storetest.Must(t, err)
		if len(of.People) != 1 || of.People[0].Lead != tt.leads {
			t.Errorf("a %s is seen as %+v", tt.role, of.People)
		}
	}
}

// What isn't there, and what can't be, is said to be that.
func TestTeamsRefuse(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	_, ann := join(t, db, "ann", "member")
	_, guest := join(t, db, "guest", "guest")
	gone := storetest.AddUser(t, db, "no account")
	red, all := team(t, db, "red"), everyone(t, db).ID
	name := "RED"
	for what, tt := range map[string]struct {
		err  error
		code string
	}{
		"a name twice":                      {storetest.Second(db.MakeTeam(ctx, wire.TeamChange{Name: &name})), "conflict"},
		"a name of another's":               {db.ChangeTeam(ctx, all, wire.TeamChange{Name: &name}), "conflict"},
		"its own name in other letters":     {db.ChangeTeam(ctx, red, wire.TeamChange{Name: &name}), ""},
		"everybody's deleted":               {db.DeleteTeam(ctx, all), "conflict"},
		"out of everybody's":                {db.TakeFromTeam(ctx, all, ann), "conflict"},
		"out of a team one isn't in":        {db.TakeFromTeam(ctx, red, ann), "not_found"},
		"a guest leads":                     {db.PutInTeam(ctx, red, guest, true), "guest_leads"},
		"nobody is put in":                  {db.PutInTeam(ctx, red, storetest.NewID(), false), "not_found"},
		"an owner's number":                 {db.PutInTeam(ctx, red, gone, false), "not_found"},
		"no such team, put in":              {db.PutInTeam(ctx, storetest.NewID(), ann, false), "not_found"},
		"no such team, taken from":          {db.TakeFromTeam(ctx, storetest.NewID(), ann), "not_found"},
		"no such team, changed":             {db.ChangeTeam(ctx, "1", wire.TeamChange{Name: &name}), "not_found"},
		"no such team, deleted":             {db.DeleteTeam(ctx, ""), "not_found"},
		"no such team, read":                {storetest.Second(db.Team(ctx, "x")), "not_found"},
		"no such team, key":                 {db.SetTeamKey(ctx, "1", storetest.NewID(), "k", "", ""), "not_found"},
		"no such team, key deleted":         {db.DeleteTeamKey(ctx, storetest.NewID()), "not_found"},
		"an invitation to a team not there": {storetest.Second(db.MakeInvite(ctx, "1", "token", wire.Invite{Role: "member", Teams: []string{storetest.NewID()}, Uses: 1})), "not_found"},
		"no such invitation":                {db.RevokeInvite(ctx, storetest.NewID()), "not_found"},
	} {
		if got := storetest.Problem(tt.err).Code; got != tt.code {
			t.Errorf("%s: %v, want %q", what, tt.err, tt.code)
		}
		if tt.code == "not_found" && !errors.Is(tt.err, fs.ErrNotExist) {
			t.Errorf("%s: %v is no fs.ErrNotExist", what, tt.err)
		}
	}
	storetest.Must(t, db.DeleteTeam(ctx, red))
	if err := db.PutInTeam(ctx, red, ann, false); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("put into a deleted team: %v", err)
	}
}

func TestDeactivatedPeopleAreNoMates(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	_, ann := join(t, db, "ann", "member")
	red := team(t, db, "red")
	storetest.Must(t, db.PutInTeam(ctx, red, ann, false), db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec("UPDATE users SET active = 0 WHERE name = 'ann'")
		return err
	}))
	if got, err := db.Team(ctx, red); err != nil || len(got.People) != 0 {
		t.Errorf("%+v, %v", got, err)
	}
	if err := db.PutInTeam(ctx, red, ann, true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("put in: %v", err)
	}
}

// An invitation by which somebody can still come can be revoked, however many were
// made after it.
func TestOpenInvitesAreAlwaysListed(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	ann, _ := join(t, db, "ann", "admin")
	hour := time.Now().Add(time.Hour).UnixMilli()
	ended, err := db.MakeInvite(ctx, ann, "ended", wire.Invite{Role: "admin", Uses: 1, ExpiresMS: 1})
	storetest.Must(t, err)
	open, err := db.MakeInvite(ctx, ann, "open", wire.Invite{Role: "admin", Uses: 1, ExpiresMS: hour})
	storetest.Must(t, err, db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
		_, err := w.Exec(`INSERT INTO invites (id, hash, maker, role, created_ms, expires_ms, uses)
			SELECT randomblob(16), randomblob(32), ?, 'guest', 1, 1, 1 FROM (WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 500) SELECT x FROM c) AS many`, engine.ParseOwner(ann))
		return err
	}))
	all, err := db.Invites(ctx)
	storetest.Must(t, err)
	has := func(id string) bool { return slices.ContainsFunc(all, func(i wire.Invite) bool { return i.ID == id }) }
	if len(all) != 501 || all[500].ID != open || has(ended) {
		t.Errorf("%d are listed, the open one %v, the one before that has ended %v", len(all), has(open), has(ended))
	}
}

func TestInvites(t *testing.T) {
	ctx := context.Background()
	db, _ := storetest.OpenLocal(t)
	ann, _ := join(t, db, "ann", "admin")
	red := team(t, db, "red")
	first, err := db.MakeInvite(ctx, ann, "canary-token", wire.Invite{Role: "member", Teams: []string{red}, Uses: 3, ExpiresMS: 1})
	storetest.Must(t, err)
	second, err := db.MakeInvite(ctx, ann, "another", wire.Invite{Role: "guest", Uses: 1, ExpiresMS: 2})
	storetest.Must(t, err, db.RevokeInvite(ctx, first), db.RevokeInvite(ctx, first))
	all, err := db.Invites(ctx)
	storetest.Must(t, err)
	for i := range all {
		if all[i].CreatedMS == 0 {
			t.Errorf("%+v was made at no time", all[i])
		}
		all[i].CreatedMS = 0
	}
	want := []wire.Invite{
		{ID: second, Role: "guest", Teams: []string{}, Uses: 1, By: "ann", ExpiresMS: 2},
		{ID: first, Role: "member", Teams: []string{red}, Uses: 3, By: "ann", ExpiresMS: 1, Revoked: true},
	}
	if !reflect.DeepEqual(all, want) {
		t.Errorf("%+v\nwant %+v", all, want)
	}
	var kept int
	storetest.Must(t, db.Engine().At(ctx).Each("SELECT 1 FROM invites WHERE hash = CAST('canary-token' AS BLOB)", nil, func(*sql.Rows) error { kept++; return nil }))
	if kept != 0 {
		t.Error("the token itself is stored")
	}
}
