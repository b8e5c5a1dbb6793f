package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"screentest/shared/wire"
)

// maxMaxOutput bounds the output tokens that are reserved for a text run.
const maxMaxOutput = 1_000_000

// Budgets are the settings of an owner and how the budgets stand.
func (k *Keeper) Budgets(ctx context.Context, owner string) (wire.Budgets, error) {
	v, done := k.accounts()
	defer done()
	return k.budgets(ctx, v, owner)
}

func (k *Keeper) budgets(ctx context.Context, v *accounts, owner string) (b wire.Budgets, err error) {
	a, err := k.account(ctx, v, owner)
	if err != nil {
		return b, err
	}
	var teams []Team
	if k.Directory != nil {
		if teams, err = k.Directory.TeamsOf(ctx, owner); err != nil {
			return b, fmt.Errorf("read the teams of a person: %w", err)
		}
	}
	purses, err := k.purses(ctx, v, owner, teams)
	if err != nil {
		return b, err
	}
	all, err := k.standings(ctx, purses)
	if err != nil {
		return b, err
	}
	b.States = states(all)
	people, err := k.Store.People(ctx)
	if err != nil {
		return b, fmt.Errorf("count the people: %w", err)
	}
	b.MayEverybody, b.Alone = k.MayEverybody(owner), people < 2
	b.Settings = wire.BudgetSettings{
		DayNanoUSD: a.settings.Day, MonthNanoUSD: a.settings.Month,
		EverybodyDayNanoUSD: v.everybody.settings.Day, EverybodyMonthNanoUSD: v.everybody.settings.Month,
		EverybodyWarnPercent: v.everybody.settings.WarnPercent, EverybodyZone: v.everybody.named(),
		WarnPercent: a.settings.WarnPercent, Zone: a.named(), MaxOutput: a.settings.MaxOutput,
		RefuseUnpriced: a.settings.NoPrice,
	}
	return b, nil
}

// TeamBudgets are how the budgets of a team stand. Whether somebody may see them
// is for the caller to know.
func (k *Keeper) TeamBudgets(ctx context.Context, team string) ([]wire.BudgetState, error) {
	v, done := k.accounts()
	defer done()
	teams, err := k.pays(ctx, team)
	if err != nil {
		return nil, err
	}
	var purses []purse
	for _, t := range teams {
		p, err := k.teamPurse(ctx, v, t)
		if err != nil {
			return nil, err
		}
		purses = append(purses, p)
	}
	all, err := k.standings(ctx, purses)
	return states(all), err
}

// SetBudgets changes the settings of an owner, and those of everybody if the
// owner may and they differ. An error that a person may read is a
// *wire.Problem. While it writes to the disk, sends are admitted by the
// settings of before.
func (k *Keeper) SetBudgets(ctx context.Context, owner string, s wire.BudgetSettings) (wire.Budgets, error) {
	if p := check(s); p != nil {
		return wire.Budgets{}, p
	}
	k.saving.Lock()
	defer k.saving.Unlock()
	v, done := k.accounts()
	a, err := k.account(ctx, v, owner)
	was := v.everybody.settings
	done()
	if err != nil {
		return wire.Budgets{}, err
	}
	if all, field := everybodys(was, s); field != "" {
		if !k.MayEverybody(owner) {
			return wire.Budgets{}, &wire.Problem{Code: "not_allowed", Field: field,
				Message: "You may not change the budget of everybody.", Hint: "Ask who runs this server."}
		}
		if err := save(all, func(text string) error { return k.Store.SetServerSetting(ctx, settingsName, text) }); err != nil {
			return wire.Budgets{}, fmt.Errorf("keep everybody's budget: %w", err)
		}
		k.set(v.everybody, all)
	}
	mine := settings{Day: s.DayNanoUSD, Month: s.MonthNanoUSD, WarnPercent: s.WarnPercent, Zone: s.Zone, MaxOutput: s.MaxOutput, NoPrice: s.RefuseUnpriced}
	if err := save(mine, func(text string) error { return k.Store.SetSetting(ctx, owner, settingsName, text) }); err != nil {
		return wire.Budgets{}, fmt.Errorf("keep the budget: %w", err)
	}
	k.set(a, mine)
	return k.Budgets(ctx, owner)
}

// everybodys are the settings of everybody as s wants them, and the first field
// in which they differ from those that were; "" if in none.
func everybodys(was settings, s wire.BudgetSettings) (all settings, field string) {
	all = was
	all.Day, all.Month = s.EverybodyDayNanoUSD, s.EverybodyMonthNanoUSD
	if s.EverybodyWarnPercent != 0 {
		all.WarnPercent = s.EverybodyWarnPercent
	}
	if s.EverybodyZone != "" {
		all.Zone = s.EverybodyZone
	}
	switch {
	case all.Day != was.Day:
		field = "everybody_day_nano_usd"
	case all.Month != was.Month:
		field = "everybody_month_nano_usd"
	case all.WarnPercent != was.WarnPercent:
		field = "everybody_warn_percent"
	case location(all.Zone).String() != location(was.Zone).String():
		field = "everybody_zone"
	}
	return all, field
}

// set takes new settings over. What was warned of stays known: a budget that
// was changed has another name there, see alarm.
func (k *Keeper) set(a *account, s settings) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a.settings, a.zone = s.withDefaults(), location(s.Zone)
}

func save(s settings, put func(text string) error) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return put(string(text))
}

func check(s wire.BudgetSettings) *wire.Problem {
	bad := func(field, message string) *wire.Problem {
		return &wire.Problem{Code: "invalid_budget", Field: field, Message: message}
	}
	for field, n := range map[string]int64{
		"day_nano_usd": s.DayNanoUSD, "month_nano_usd": s.MonthNanoUSD,
		"everybody_day_nano_usd": s.EverybodyDayNanoUSD, "everybody_month_nano_usd": s.EverybodyMonthNanoUSD,
	} {
		if n < 0 || n > wire.MaxBudgetNanoUSD {
			return bad(field, "A budget is from $0, which is none, to "+usd(wire.MaxBudgetNanoUSD)+".")
		}
	}
	for field, n := range map[string]int{"warn_percent": s.WarnPercent, "everybody_warn_percent": s.EverybodyWarnPercent} {
		if n < 0 || n > 100 {
			return bad(field, "A warning comes at 1 to 100 percent of a budget.")
		}
	}
	if s.MaxOutput < 0 || s.MaxOutput > maxMaxOutput {
		return bad("max_output", fmt.Sprintf("From 1 to %d tokens can be reserved for an answer.", maxMaxOutput))
	}
	for field, zone := range map[string]string{"zone": s.Zone, "everybody_zone": s.EverybodyZone} {
		if _, err := time.LoadLocation(zone); err != nil || zone == "Local" || len(zone) > 64 {
			return bad(field, "The time zone is not known. It is named like Europe/Berlin.")
		}
	}
	return nil
}
