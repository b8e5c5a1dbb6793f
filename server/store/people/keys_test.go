package people_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"screentest/server/seal"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

func TestCharges(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	db := storetest.Open(t, dir, store.Options{})
	ann, annID := join(t, db, "ann", "member")
	bob, bobID := join(t, db, "bob", "member")
	red, blue, all := team(t, db, "red"), team(t, db, "blue"), everyone(t, db).ID
	models := []string{"a/*"}
	storetest.Must(t,
		db.PutInTeam(ctx, all, annID, false), db.PutInTeam(ctx, all, bobID, false), db.PutInTeam(ctx, red, annID, false), db.PutInTeam(ctx, blue, bobID, false),
		db.SetTeamKey(ctx, ann, red, "sk-canary-first", "irst", ""), db.SetTeamKey(ctx, bob, red, "sk-canary-of-red", "-red", ""), db.SetTeamKey(ctx, bob, blue, "sk-canary-of-blue", "blue", ""),
		db.SetPersonalKey(ctx, ann, "sk-canary-first", "irst", ""), db.SetPersonalKey(ctx, ann, "sk-canary-of-ann", "-ann", ""),
		db.ChangeTeam(ctx, red, wire.TeamChange{Models: &models}), db.SetCharge(ctx, ann, red))
	got, keys, err := db.Charges(ctx, ann, "")
	want := []wire.Charge{
		{ID: all, Name: "Everyone", Models: []string{}},
		{ID: red, Name: "red", HasKey: true, KeyLast4: "-red", Models: models, Chosen: true},
		{ID: wire.ChargePersonal, HasKey: true, KeyLast4: "-ann"},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %v\nwant %+v", got, err, want)
	}
	if want := map[string]string{red: "sk-canary-of-red", wire.ChargePersonal: "sk-canary-of-ann"}; !reflect.DeepEqual(keys, want) {
		t.Errorf("keys %q, want %q", keys, want)
	}
	if got, keys, err := db.Charges(ctx, "99", ""); err != nil || len(got)+len(keys) > 0 {
		t.Errorf("nobody's: %+v %q, %v", got, keys, err)
	}
	if found := storetest.FilesWith(t, dir, "sk-canary"); len(found) > 0 {
		t.Errorf("in the clear in %q", found)
	}
	storetest.Must(t, db.DeletePersonalKey(ctx, ann), db.DeletePersonalKey(ctx, bob), db.DeleteTeamKey(ctx, red), db.DeleteTeamKey(ctx, red))
	if _, keys, err := db.Charges(ctx, ann, ""); err != nil || len(keys) > 0 {
		t.Errorf("forgotten: %q, %v", keys, err)
	}
}

// A sealed key that was moved to another team's row does not open there.
func TestAKeyIsBoundToItsTeam(t *testing.T) {
	ctx := t.Context()
	db, _ := storetest.OpenLocal(t)
	ann, annID := join(t, db, "ann", "member")
	red, blue := team(t, db, "red"), team(t, db, "blue")
	storetest.Must(t, db.PutInTeam(ctx, blue, annID, false), db.SetTeamKey(ctx, ann, red, "sk-of-red", "", ""), db.SetTeamKey(ctx, ann, blue, "sk-of-blue", "", ""),
		db.Engine().Write(ctx, 0, func(w *engine.Tx) error {
			_, err := w.Exec("UPDATE gateway_keys SET sealed = (SELECT k.sealed FROM gateway_keys k JOIN teams t ON t.n = k.team WHERE t.name = 'red')")
			return err
		}))
	if _, keys, err := db.Charges(context.Background(), ann, ""); !errors.Is(err, seal.ErrOpen) || keys[blue] != "" {
		t.Errorf("%q, %v", keys, err)
	}
}
