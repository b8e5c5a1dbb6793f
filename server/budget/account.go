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
	warnedName   = "budget_warned" // a team's has its id behind it
)

// account is a person, a team, or everybody.
type account struct {
	reserved int64

	read     bool     // what follows was read from the store
	settings settings // of a person and of everybody: a team's are the directory's
	zone     *time.Location
	warned   map[string]int64 // by alarm: the beginning of the period last warned of, Unix milliseconds
}

// settings are what is stored of a person's budgets, or of everybody's.
type settings struct {
	Day         int64  `json:"day_nano_usd,omitempty"`
	Month       int64  `json:"month_nano_usd,omitempty"`
	WarnPercent int    `json:"warn_percent,omitempty"`
	Zone        string `json:"zone,omitempty"`
	MaxOutput   int64  `json:"max_output,omitempty"` // of a person only, as the next
	NoPrice     bool   `json:"refuse_unpriced,omitempty"`
}

// person is the account of an owner, perhaps not read yet. The lock is held.
func (k *Keeper) person(owner string) *account { return in(k.people, owner) }

// team is the account of a team, perhaps not read yet. The lock is held.
func (k *Keeper) team(id string) *account { return in(k.teams, id) }

func in(accounts map[string]*account, id string) *account {
	a := accounts[id]
	if a == nil {
		a = &account{}
		accounts[id] = a
	}
	return a
}

// account reads the settings of an owner, and of everybody, on first use. The
// lock is held.
func (k *Keeper) account(ctx context.Context, owner string) (*account, error) {
	if err := k.load(k.everybody, settingsName, warnedName, func(name string) (string, error) { return k.Store.ServerSetting(ctx, name) }); err != nil {
		return nil, fmt.Errorf("read everybody's budget: %w", err)
	}
	a := k.person(owner)
	if err := k.load(a, settingsName, warnedName, func(name string) (string, error) { return k.Store.Setting(ctx, owner, name) }); err != nil {
		return nil, fmt.Errorf("read the budget: %w", err)
	}
	return a, nil
}

// teamAccount reads what a team was warned of on first use. The lock is held.
func (k *Keeper) teamAccount(ctx context.Context, id string) (*account, error) {
	a := k.team(id)
	if err := k.load(a, "", warnedOf(id), func(name string) (string, error) { return k.Store.ServerSetting(ctx, name) }); err != nil {
		return nil, fmt.Errorf("read what a team was warned of: %w", err)
	}
	return a, nil
}

func warnedOf(team string) string { return warnedName + " " + team }

// load reads an account by the names of its settings and of what it was warned
// of; a name that is "" is not read.
func (k *Keeper) load(a *account, settingsName, warnedName string, get func(name string) (string, error)) error {
	if a.read {
		return nil
	}
	var s settings
	warned := map[string]int64{}
	for name, to := range map[string]any{settingsName: &s, warnedName: &warned} {
		if name == "" {
			continue
		}
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

// at says when an instant is, in a zone.
func at(zone string, ms int64) string {
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
