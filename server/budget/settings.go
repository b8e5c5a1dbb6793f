package budget

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"screentest/shared/wire"
)

// maxMaxOutput bounds the output tokens that are reserved for a text run.
const maxMaxOutput = 1_000_000

// Budgets are the settings of an owner and how the budgets stand.
func (k *Keeper) Budgets(ctx context.Context, owner string) (wire.Budgets, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.budgets(ctx, owner)
}

func (k *Keeper) budgets(ctx context.Context, owner string) (b wire.Budgets, err error) {
	a, err := k.account(ctx, owner)
	if err != nil {
		return b, err
	}
	if b.States, err = k.states(ctx, owner, a); err != nil {
		return b, err
	}
	if b.States == nil {
		b.States = []wire.BudgetState{}
	}
	people, err := k.Store.People(ctx)
	if err != nil {
		return b, fmt.Errorf("count the people: %w", err)
	}
	b.MayEverybody, b.Alone = k.MayEverybody(owner), people < 2
	b.Settings = wire.BudgetSettings{
		DayNanoUSD: a.settings.Day, MonthNanoUSD: a.settings.Month,
		EverybodyDayNanoUSD: k.everybody.settings.Day, EverybodyMonthNanoUSD: k.everybody.settings.Month,
		WarnPercent: a.settings.WarnPercent, Zone: a.zone.String(), MaxOutput: a.settings.MaxOutput,
	}
	return b, nil
}

// SetBudgets changes the settings of an owner, and those of everybody if the
// owner may and they differ. An error that a person may read is a
// *wire.Problem.
func (k *Keeper) SetBudgets(ctx context.Context, owner string, s wire.BudgetSettings) (wire.Budgets, error) {
	if p := check(s); p != nil {
		return wire.Budgets{}, p
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	a, err := k.account(ctx, owner)
	if err != nil {
		return wire.Budgets{}, err
	}
	all := k.everybody.settings
	if all.Day != s.EverybodyDayNanoUSD || all.Month != s.EverybodyMonthNanoUSD {
		if !k.MayEverybody(owner) {
			return wire.Budgets{}, &wire.Problem{Code: "not_allowed", Field: "everybody_day_nano_usd",
				Message: "You may not change the budget of everybody.", Hint: "Ask who runs this server."}
		}
		all = settings{Day: s.EverybodyDayNanoUSD, Month: s.EverybodyMonthNanoUSD, WarnPercent: s.WarnPercent, Zone: s.Zone}
		if err := save(all, func(text string) error { return k.Store.SetServerSetting(ctx, settingsName, text) }); err != nil {
			return wire.Budgets{}, fmt.Errorf("keep everybody's budget: %w", err)
		}
		k.everybody.set(all)
	}
	mine := settings{Day: s.DayNanoUSD, Month: s.MonthNanoUSD, WarnPercent: s.WarnPercent, Zone: s.Zone, MaxOutput: s.MaxOutput}
	if err := save(mine, func(text string) error { return k.Store.SetSetting(ctx, owner, settingsName, text) }); err != nil {
		return wire.Budgets{}, fmt.Errorf("keep the budget: %w", err)
	}
	a.set(mine)
	return k.budgets(ctx, owner)
}

// set takes new settings over. What was warned of is forgotten: it was another
// budget.
func (a *account) set(s settings) {
	a.settings, a.zone, a.warned = s.withDefaults(), location(s.Zone), map[string]int64{}
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
	if s.WarnPercent < 0 || s.WarnPercent > 100 {
		return bad("warn_percent", "A warning comes at 1 to 100 percent of a budget.")
	}
	if s.MaxOutput < 0 || s.MaxOutput > maxMaxOutput {
		return bad("max_output", fmt.Sprintf("From 1 to %d tokens can be reserved for an answer.", maxMaxOutput))
	}
	if _, err := time.LoadLocation(s.Zone); err != nil || s.Zone == "Local" || len(s.Zone) > 64 {
		return bad("zone", "The time zone is not known. It is named like Europe/Berlin.")
	}
	return nil
}

// Booked has a look at the budgets of an owner after rows were added to the
// ledger, and tells once of each whose share was passed. It never waits for
// the disk to write.
func (k *Keeper) Booked(owner string) {
	ctx, cancel := context.WithTimeout(context.Background(), bookedTimeout)
	defer cancel()
	k.mu.Lock()
	defer k.mu.Unlock()
	a, err := k.account(ctx, owner)
	var states []wire.BudgetState
	if err == nil {
		states, err = k.states(ctx, owner, a)
	}
	if err != nil {
		k.Logger.Error("budgets not looked at", "err", err)
		return
	}
	for _, s := range states {
		of, to := a, owner
		if s.Scope == wire.ScopeEverybody {
			of, to = k.everybody, ""
		}
		if !s.Warn || of.warned[of.alarm(s)] == s.FromMS {
			continue
		}
		of.warned[of.alarm(s)] = s.FromMS
		k.Tell(to, s)
		k.remember(to, maps.Clone(of.warned))
	}
}

// bookedTimeout bounds the reading after a booking.
const bookedTimeout = 5 * time.Second

// remember stores what was warned of, so that it is not told again after a
// start.
func (k *Keeper) remember(owner string, warned map[string]int64) {
	k.background.Go(func() {
		ctx, cancel := context.WithTimeout(context.Background(), bookedTimeout)
		defer cancel()
		text, err := json.Marshal(warned)
		switch {
		case err != nil:
		case owner == "":
			err = k.Store.SetServerSetting(ctx, warnedName, string(text))
		default:
			err = k.Store.SetSetting(ctx, owner, warnedName, string(text))
		}
		if err != nil {
			k.Logger.Error("a warning was not remembered", "err", err)
		}
	})
}
