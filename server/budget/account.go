package budget

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"screentest/shared/wire"
)

// Where settings are kept: of a person, and of the server.
const (
	settingsName = "budget"
	warnedName   = "budget_warned"
)

// account is a person, or everybody.
type account struct {
	reserved int64

	read     bool // what follows was read from the store
	settings settings
	zone     *time.Location
	warned   map[string]int64 // by alarm: the beginning of the period last warned of, Unix milliseconds
}

// settings are what is stored of a person's budgets, or of everybody's.
type settings struct {
	Day         int64  `json:"day_nano_usd,omitempty"`
	Month       int64  `json:"month_nano_usd,omitempty"`
	WarnPercent int    `json:"warn_percent,omitempty"`
	Zone        string `json:"zone,omitempty"`
	MaxOutput   int64  `json:"max_output,omitempty"` // of a person only
}

// person is the account of an owner, perhaps not read yet. The lock is held.
func (k *Keeper) person(owner string) *account {
	a := k.people[owner]
	if a == nil {
		a = &account{}
		k.people[owner] = a
	}
	return a
}

// account reads the settings of an owner, and of everybody, on first use. The
// lock is held.
func (k *Keeper) account(ctx context.Context, owner string) (*account, error) {
	if err := k.load(k.everybody, func(name string) (string, error) { return k.Store.ServerSetting(ctx, name) }); err != nil {
		return nil, fmt.Errorf("read everybody's budget: %w", err)
	}
	a := k.person(owner)
	if err := k.load(a, func(name string) (string, error) { return k.Store.Setting(ctx, owner, name) }); err != nil {
		return nil, fmt.Errorf("read the budget: %w", err)
	}
	return a, nil
}

func (k *Keeper) load(a *account, get func(name string) (string, error)) error {
	if a.read {
		return nil
	}
	var s settings
	warned := map[string]int64{}
	for name, to := range map[string]any{settingsName: &s, warnedName: &warned} {
		text, err := get(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(text), to); err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
	}
	a.settings, a.zone, a.warned, a.read = s.withDefaults(), location(s.Zone), warned, true
	return nil
}

func (s settings) withDefaults() settings {
	if s.WarnPercent == 0 {
		s.WarnPercent = wire.DefaultWarnPercent
	}
	if s.MaxOutput == 0 {
		s.MaxOutput = wire.DefaultMaxOutput
	}
	return s
}

// location is a zone by its IANA name; UTC for one that is not known (any more).
func location(zone string) *time.Location {
	l, err := time.LoadLocation(zone)
	if err != nil {
		return time.UTC
	}
	return l
}

// named is the zone that was set, "" if none was.
func (a *account) named() string {
	if a.settings.Zone == "" {
		return ""
	}
	return a.zone.String()
}

// in says when an instant is, in a zone.
func in(zone string, ms int64) string {
	l := location(zone)
	return time.UnixMilli(ms).In(l).Format("2 January 2006 at 15:04") + " (" + l.String() + ")"
}

// period is the day or month that now is in.
func period(name string, now time.Time) (from, to time.Time) {
	y, m, d := now.Date()
	if name == wire.PeriodMonth {
		return dayStart(y, m, 1, now.Location()), dayStart(y, m+1, 1, now.Location())
	}
	return dayStart(y, m, d, now.Location()), dayStart(y, m, d+1, now.Location())
}

// states are the budgets that apply to an owner, as they stand. The lock is
// held, and both accounts have been read.
func (k *Keeper) states(ctx context.Context, owner string, a *account) (all []wire.BudgetState, err error) {
	now := k.Now()
	for _, b := range []struct {
		scope string
		a     *account
		spent func(from, to time.Time) (int64, error)
	}{
		{wire.ScopePerson, a, func(from, to time.Time) (int64, error) { return k.Store.Spent(ctx, owner, from, to) }},
		{wire.ScopeEverybody, k.everybody, func(from, to time.Time) (int64, error) { return k.Store.SpentByEverybody(ctx, from, to) }},
	} {
		for _, p := range []struct {
			name  string
			limit int64
		}{{wire.PeriodDay, b.a.settings.Day}, {wire.PeriodMonth, b.a.settings.Month}} {
			if p.limit == 0 {
				continue
			}
			from, to := period(p.name, now.In(b.a.zone))
			spent, err := b.spent(from, to)
			if err != nil {
				return nil, fmt.Errorf("sum up the %s: %w", p.name, err)
			}
			all = append(all, wire.BudgetState{
				Scope: b.scope, Period: p.name, LimitNanoUSD: p.limit, SpentNanoUSD: spent, ReservedNanoUSD: b.a.reserved,
				FromMS: from.UnixMilli(), ToMS: to.UnixMilli(), Zone: b.a.zone.String(),
				Warn:    passed(spent, p.limit, b.a.settings.WarnPercent),
				Reached: spent+b.a.reserved >= p.limit,
			})
		}
	}
	return all, nil
}

// alarm names what is warned of once a period: of a budget that is changed it
// is another one, also after a start.
func (a *account) alarm(s wire.BudgetState) string {
	return fmt.Sprintf("%s %d %d", s.Period, s.LimitNanoUSD, a.settings.WarnPercent)
}

// passed says whether spent is percent of limit or more. Limits are bounded,
// so that nothing overflows.
func passed(spent, limit int64, percent int) bool {
	return spent >= limit/100*int64(percent)+limit%100*int64(percent)/100
}
