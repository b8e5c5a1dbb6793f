package people

import (
	"context"
	"fmt"
	"slices"

	"screentest/server/payer"
	"screentest/shared/wire"
)

// PayerOf is what a send of an owner's is charged to who does not ask for it at the
// moment: a team that they are in. That it can't be, by now, is a *wire.Problem for
// who does ask. Nothing is remembered as what they charged last.
func (d *Directory) PayerOf(ctx context.Context, owner, team string) (payer.Payer, error) {
	a, err := d.Account(owner)
	gone := func(why string) error {
		return &wire.Problem{Code: "asker_gone", Message: a.Me.Name + " " + why + ": nothing is sent in their name.", Hint: "Refuse it."}
	}
	switch {
	case err != nil:
		return payer.Payer{}, fmt.Errorf("who asked: %w", err)
	case !a.Active:
		return payer.Payer{}, gone("is not active any more")
	case a.Me.Role == wire.RoleGuest:
		return payer.Payer{}, gone("is a guest now")
	case !slices.ContainsFunc(a.Me.Teams, func(t wire.MyTeam) bool { return t.ID == team }):
		return payer.Payer{}, gone("is not in the team any more")
	}
	return d.payer(ctx, Person{Owner: owner, Me: &a.Me}, team, false)
}

// Leaders are the owners who lead a team, by their word or as admins; first are
// those of them who are to be asked: its leads, or, if it has none, the admins.
func (d *Directory) Leaders(team string) (all, first []string) {
	var leads, admins []string
	for _, a := range d.All() {
		switch {
		case !a.Active || a.Me.Role == wire.RoleGuest:
		case slices.ContainsFunc(a.Me.Teams, func(t wire.MyTeam) bool { return t.ID == team && t.Lead }):
			leads = append(leads, a.Owner)
		case a.Me.Role == wire.RoleAdmin:
			admins = append(admins, a.Owner)
		}
	}
	all = slices.Concat(leads, admins)
	if len(leads) == 0 {
		return all, admins
	}
	return all, leads
}
