package budget

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"screentest/shared/wire"
)

// Booked has a look at the budgets of an owner, and of the team that paid ("":
// none did), after rows were added to the ledger, and tells once of each whose
// share was passed. It never waits for the disk to write.
func (k *Keeper) Booked(owner, team string) {
	ctx, cancel := context.WithTimeout(context.Background(), bookedTimeout)
	defer cancel()
	v, done := k.accounts()
	defer done()
	purses, err := k.pursesOf(ctx, v, owner, team)
	var all []standing
	if err == nil {
		all, err = k.standings(ctx, purses)
	}
	if err != nil {
		k.Logger.Error("budgets not looked at", "err", err)
		return
	}
	for _, s := range all {
		if !s.Warn || !k.first(ctx, s) {
			continue
		}
		if s.Scope == wire.ScopeTeam {
			for _, p := range s.purse.ask {
				k.Tell(p.Owner, s.BudgetState)
			}
		} else {
			k.Tell(s.purse.holder, s.BudgetState)
		}
	}
}

// first says whether nobody was warned yet that a budget stands so, and notes that
// somebody is.
func (k *Keeper) first(ctx context.Context, s standing) bool {
	if k.Shared != nil {
		first, err := k.Shared.FirstWarning(ctx, s.purse.holder, s.purse.warned, s.alarm(), s.FromMS)
		if err != nil {
			k.Logger.Error("nobody is warned of a budget", "err", err)
		}
		return first
	}
	of := s.purse.of
	if of.warned[s.alarm()] == s.FromMS {
		return false
	}
	of.warned[s.alarm()] = s.FromMS
	k.remember(s.purse.holder, s.purse.warned, maps.Clone(of.warned))
	return true
}

// bookedTimeout bounds the reading after a booking.
const bookedTimeout = 5 * time.Second

// remember stores what was warned of, so that it is not told again after a
// start: as a setting of an owner, or of the server for "".
func (k *Keeper) remember(owner, name string, warned map[string]int64) {
	k.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), bookedTimeout)
		defer cancel()
		text, err := json.Marshal(warned)
		switch {
		case err != nil:
		case owner == "":
			err = k.Store.SetServerSetting(ctx, name, string(text))
		default:
			err = k.Store.SetSetting(ctx, owner, name, string(text))
		}
		if err != nil {
			k.Logger.Error("a warning was not remembered", "err", err)
		}
	})
}
