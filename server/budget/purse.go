package budget

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"screentest/server/payer"
	"screentest/shared/wire"
)

// A purse is a day's and a month's limit, and whose they are: what a send is
// asked about, one after the other.
type purse struct {
	scope  string
	of     *account // that has reserved, and remembers warnings
	limits wire.Limits
	zone   *time.Location
	team   Team // where the scope is a team
	ask    []Person
	// warned is the setting that remembers what was warned of, in the name of
	// whom: a person, or the server for "".
	warned, holder string
	spent          func(ctx context.Context, from, to time.Time) (int64, error)
}

// claimed is whose claims count in a purse.
func (p purse) claimed() payer.Purse {
	switch p.scope {
	case wire.ScopeTeam:
		return payer.OfTeam
	case wire.ScopeEverybody:
		return payer.OfEverybody
	}
	return payer.OfPerson
}

// reservedOf is what is set aside of a purse.
func (k *Keeper) reservedOf(ctx context.Context, p purse) (int64, error) {
	if k.Shared == nil {
		return p.of.reserved, nil
	}
	switch p.claimed() {
	case payer.OfTeam:
		return k.Shared.AsideForTeam(ctx, p.team.ID)
	case payer.OfEverybody:
		return k.Shared.AsideForEverybody(ctx)
	}
	return k.Shared.AsideFor(ctx, p.holder)
}

// pursesOf are those that apply to what an owner sends and a team pays ("": none
// does).
func (k *Keeper) pursesOf(ctx context.Context, v *accounts, owner, team string) ([]purse, error) {
	teams, err := k.pays(ctx, team)
	if err != nil {
		return nil, err
	}
	return k.purses(ctx, v, owner, teams)
}

// purses are those that apply to what an owner sends and one of the teams pays.
func (k *Keeper) purses(ctx context.Context, v *accounts, owner string, teams []Team) ([]purse, error) {
	a, err := k.account(ctx, v, owner)
	if err != nil {
		return nil, err
	}
	mine := func(ctx context.Context, from, to time.Time) (int64, error) {
		return k.Store.Spent(ctx, owner, from, to)
	}
	all := []purse{{scope: wire.ScopePerson, of: a, limits: a.settings.limits(), zone: a.zone, warned: warnedName, holder: owner, spent: mine}}
	if k.Directory != nil {
		l, err := k.Directory.Limits(ctx, owner)
		if err != nil {
			return nil, fmt.Errorf("read a person's limits: %w", err)
		}
		all = append(all, purse{scope: wire.ScopeLimit, of: a, limits: l, zone: location(l.Zone), ask: k.Directory.Admins(),
			warned: warnedName, holder: owner, spent: mine})
	}
	for _, t := range teams {
		p, err := k.teamPurse(ctx, v, t)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	e := purse{scope: wire.ScopeEverybody, of: v.everybody, limits: v.everybody.settings.limits(), zone: v.everybody.zone,
		warned: warnedName, spent: k.Store.SpentByEverybody}
	if k.Directory != nil {
		e.ask = k.Directory.Admins()
	}
	return append(all, e), nil
}

// teamPurse is that of a team.
func (k *Keeper) teamPurse(ctx context.Context, v *accounts, t Team) (purse, error) {
	a, err := k.teamAccount(ctx, v, t.ID)
	if err != nil {
		return purse{}, err
	}
	p := purse{scope: wire.ScopeTeam, of: a, limits: t.Limits, zone: location(t.Limits.Zone), team: t, ask: t.Leads, warned: warnedOf(t.ID),
		spent: func(ctx context.Context, from, to time.Time) (int64, error) {
			return k.Store.SpentByTeam(ctx, t.ID, from, to)
		}}
	if len(p.ask) == 0 {
		p.ask = k.Directory.Admins()
	}
	return p, nil
}

// pays are the teams that pay for a send: one or none. One that was deleted
// meanwhile has no limits.
func (k *Keeper) pays(ctx context.Context, team string) ([]Team, error) {
	if team == "" || k.Directory == nil {
		return nil, nil
	}
	t, err := k.Directory.Team(ctx, team)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read a team's limits: %w", err)
	}
	return []Team{t}, nil
}

func (s settings) limits() wire.Limits {
	return wire.Limits{DayNanoUSD: s.Day, MonthNanoUSD: s.Month, WarnPercent: s.WarnPercent}
}

// A standing is a budget as it stands, and whose purse it is.
type standing struct {
	wire.BudgetState
	purse purse
}

// bounds are the budgets of purses that are set, for the periods that now is in;
// what is spent and reserved of them is not looked up yet.
func (k *Keeper) bounds(purses []purse) (all []standing) {
	now, set := k.Now(), 0
	for i := range purses {
		if purses[i].limits.DayNanoUSD > 0 {
			set++
		}
		if purses[i].limits.MonthNanoUSD > 0 {
			set++
		}
	}
	all = make([]standing, 0, set)
	for _, b := range purses {
		for _, p := range []struct {
			name  string
			limit int64
		}{{wire.PeriodDay, b.limits.DayNanoUSD}, {wire.PeriodMonth, b.limits.MonthNanoUSD}} {
			if p.limit == 0 {
				continue
			}
			from, to := period(p.name, now.In(b.zone))
			all = append(all, standing{purse: b, BudgetState: wire.BudgetState{
				Scope: b.scope, Period: p.name, LimitNanoUSD: p.limit,
				FromMS: from.UnixMilli(), ToMS: to.UnixMilli(), Zone: b.zone.String(),
				Team: b.team.ID, Name: b.team.Name, Ask: names(b.ask),
				NoPrice: b.refusesUnpriced(k.Directory != nil),
			}})
		}
	}
	return all
}

// standings are the budgets of purses that are set, as they stand.
func (k *Keeper) standings(ctx context.Context, purses []purse) (all []standing, err error) {
	all = k.bounds(purses)
	for i := range all {
		s := &all[i]
		// What is booked between the two may count twice, but never not at all.
		if s.ReservedNanoUSD, err = k.reservedOf(ctx, s.purse); err != nil {
			return nil, fmt.Errorf("sum up what is reserved: %w", err)
		}
		if s.SpentNanoUSD, err = s.purse.spent(ctx, time.UnixMilli(s.FromMS), time.UnixMilli(s.ToMS)); err != nil {
			return nil, fmt.Errorf("sum up the %s: %w", s.Period, err)
		}
		s.Warn = passed(s.SpentNanoUSD, s.LimitNanoUSD, s.purse.percent())
		s.Reached = s.SpentNanoUSD+s.ReservedNanoUSD >= s.LimitNanoUSD
	}
	return all, nil
}

// refusesUnpriced says whether a model without a price is refused: by what others
// set, where there are others, and by one's own budget as one chose.
func (p purse) refusesUnpriced(others bool) bool {
	if p.scope == wire.ScopePerson {
		return p.of.settings.NoPrice
	}
	return others
}

// states are standings as the page has them.
func states(all []standing) []wire.BudgetState {
	list := make([]wire.BudgetState, len(all))
	for i, s := range all {
		list[i] = s.BudgetState
	}
	return list
}

// percent is the share of a purse's limits that is warned of.
func (p purse) percent() int {
	if p.limits.WarnPercent == 0 {
		return wire.DefaultWarnPercent
	}
	return p.limits.WarnPercent
}

// alarm names what is warned of once a period: of a budget that is changed it
// is another one, also after a start.
func (s standing) alarm() string {
	name := fmt.Sprintf("%s %d %d", s.Period, s.LimitNanoUSD, s.purse.percent())
	if s.Scope == wire.ScopeLimit { // remembered beside the person's own
		name = s.Scope + " " + name
	}
	return name
}

// passed says whether spent is percent of limit or more. Limits are bounded,
// so that nothing overflows.
func passed(spent, limit int64, percent int) bool {
	return spent >= limit/100*int64(percent)+limit%100*int64(percent)/100
}
