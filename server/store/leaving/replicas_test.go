package leaving_test

import (
	"testing"

	"screentest/server/account"
	"screentest/server/store/leaving"
	"screentest/server/store/storetest"
)

// A leaving goes on at the replica that began it, or at who took over from that one;
// and done at two of them it is done once.
func TestOneReplicaSeesOff(t *testing.T) {
	ctx := t.Context()
	dbs, _ := storetest.Replicas(t, 2)
	a, b := dbs[0].Leavings(), dbs[1].Leavings()
	boss, ann, bob := join(t, dbs[0], "boss", "admin"), join(t, dbs[0], "ann", "member"), join(t, dbs[0], "bob", "member")
	of := func(person string) account.Leaving { return account.Leaving{Person: person, Erase: true, By: boss} }
	for _, person := range []string{ann, bob} {
		storetest.Must(t, storetest.Second(a.Begin(ctx, of(person), origin)))
	}
	mine, err := a.Unfinished(ctx)
	storetest.Must(t, err)
	others, err := b.Unfinished(ctx)
	storetest.Must(t, err)
	if len(mine) != 2 || len(others) != 0 {
		t.Errorf("%d go on where they began, %d elsewhere", len(mine), len(others))
	}
	lines := func() (n int) {
		t.Helper()
		storetest.Must(t, dbs[1].Engine().At(ctx).Scan("SELECT count(*) FROM audit WHERE action = 'person.erased'", nil, &n))
		return n
	}
	// Asked for at both, one of them finishes it.
	e, err := b.Begin(ctx, of(ann), origin)
	storetest.Must(t, err)
	for _, l := range []*leaving.Leavings{b, a} {
		if more, err := l.Finish(ctx, of(ann), e); err != nil || more || lines() != 1 {
			t.Errorf("finished: %v, %v, %d lines in the audit", more, err, lines())
		}
	}
	if won, err := dbs[1].Replicas().TakeOver(ctx, dbs[0].Engine().Holder()); err != nil || !won {
		t.Fatal(won, err)
	}
	others, err = b.Unfinished(ctx)
	storetest.Must(t, err)
	if len(others) != 1 || others[0].Person != bob {
		t.Errorf("who took over goes on with %+v", others)
	}
}
