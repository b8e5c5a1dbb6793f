package bff_test

import (
	"fmt"
	"testing"

	"screentest/server/bff"
	"screentest/server/people"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Whose rows somebody may ask for: their own, those of what a team pays that they
// lead, and for an admin everybody's. What they may not is not found, whether it
// is there or not.
func TestWhoseRowsAreAskedFor(t *testing.T) {
	const mine, hers, red, blue = "mine", "hers", "red", "blue"
	me := func(role string, lead bool) people.Person {
		return people.Person{Owner: "7", Me: &wire.Me{ID: mine, Role: role, Teams: []wire.MyTeam{{ID: red, Lead: lead}}}}
	}
	who := map[string]people.Person{
		"alone": {Owner: "7"}, "a guest": me(wire.RoleGuest, false), "a guest who led": me(wire.RoleGuest, true), "a member": me(wire.RoleMember, false),
		"a lead": me(wire.RoleMember, true), "an admin": me(wire.RoleAdmin, false),
	}
	const own, others = "own", "others"
	for _, c := range []struct {
		of   wire.Of
		want map[string]string // what is asked for, or the code of the problem; "" for those who aren't there
		rest string
	}{
		{wire.Of{}, nil, own},
		{wire.Of{PaidBy: "red …1234"}, nil, own},
		{wire.Of{Everybody: true}, map[string]string{"alone": others, "an admin": others}, wire.CodeNotAllowed},
		{wire.Of{Person: mine}, map[string]string{"alone": wire.CodeNotFound}, own},
		{wire.Of{Person: hers}, map[string]string{"an admin": others}, wire.CodeNotFound},
		{wire.Of{Person: storetest.NewID()}, map[string]string{"an admin": others}, wire.CodeNotFound},
		{wire.Of{Team: red}, map[string]string{"alone": wire.CodeNotFound, "a lead": others, "an admin": others}, own},
		{wire.Of{Team: red, Person: hers}, map[string]string{"a lead": others, "an admin": others}, wire.CodeNotFound},
		{wire.Of{Team: red, Person: mine}, map[string]string{"alone": wire.CodeNotFound, "a lead": others, "an admin": others}, own},
		{wire.Of{Team: blue}, map[string]string{"alone": wire.CodeNotFound, "an admin": others}, own}, // what it paid for oneself, if it did
		{wire.Of{Team: blue, Person: hers}, map[string]string{"an admin": others}, wire.CodeNotFound},
		{wire.Of{Team: red, Everybody: true}, map[string]string{"alone": wire.CodeNotFound, "an admin": others}, wire.CodeNotAllowed},
	} {
		for name, p := range who {
			want, is := c.want[name]
			if !is {
				want = c.rest
			}
			q := c.of
			all, err := bff.Whose(p, &q)
			got := own
			if all {
				got = others
			}
			if err != nil {
				got = storetest.Problem(err).Code
			}
			if got != want {
				t.Errorf("%s, %+v: %s, want %s", name, c.of, got, want)
			}
		}
	}
	if _, err := bff.Whose(who["a member"], &wire.Of{Person: hers}); fmt.Sprint(storetest.Problem(err)) != fmt.Sprint(noSuchPerson(who["a member"])) {
		t.Errorf("somebody who is there is refused in other words: %v", err)
	}
}

// noSuchPerson is what is said of a person who isn't there.
func noSuchPerson(p people.Person) wire.Problem {
	_, err := bff.Whose(p, &wire.Of{Person: storetest.NewID()})
	return storetest.Problem(err)
}
