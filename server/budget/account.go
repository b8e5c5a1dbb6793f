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
	reserved int64 // by this process; of a Keeper that is the only one

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

// accounts are what is known of the budgets. A Keeper that is the only one keeps
// them; one of several replicas reads them anew for each call.
type accounts struct {
	people    map[string]*account // by owner
	teams     map[string]*account // by id
	everybody *account
}

func newAccounts() *accounts {
	return &accounts{people: map[string]*account{}, teams: map[string]*account{}, everybody: &account{}}
}

// accounts are those to work with until done is called: nobody else has them
// meanwhile.
func (k *Keeper) accounts() (v *accounts, done func()) {
	if k.Shared != nil {
		return newAccounts(), func() {}
	}
	k.mu.Lock()
	return k.kept, k.unlock
}

// person is the account of an owner, perhaps not read yet.
func (v *accounts) person(owner string) *account { return in(v.people, owner) }

// team is the account of a team, perhaps not read yet.
func (v *accounts) team(id string) *account { return in(v.teams, id) }

func in(accounts map[string]*account, id string) *account {
	a := accounts[id]
	if a == nil {
		a = &account{}
		accounts[id] = a
	}
	return a
}

// account reads the settings of an owner, and of everybody, on first use.
func (k *Keeper) account(ctx context.Context, v *accounts, owner string) (*account, error) {
	if err := k.load(v.everybody, settingsName, warnedName, func(name string) (string, error) { return k.Store.ServerSetting(ctx, name) }); err != nil {
		return nil, fmt.Errorf("read everybody's budget: %w", err)
	}
	a := v.person(owner)
	if err := k.load(a, settingsName, warnedName, func(name string) (string, error) { return k.Store.Setting(ctx, owner, name) }); err != nil {
		return nil, fmt.Errorf("read the budget: %w", err)
	}
	return a, nil
}

// teamAccount reads what a team was warned of on first use.
func (k *Keeper) teamAccount(ctx context.Context, v *accounts, id string) (*account, error) {
	a := v.team(id)
	if err := k.load(a, "", warnedOf(id), func(name string) (string, error) { return k.Store.ServerSetting(ctx, name) }); err != nil {
		return nil, fmt.Errorf("read what a team was warned of: %w", err)
	}
	return a, nil
}

func warnedOf(team string) string { return warnedName + " " + team }

// load reads an account by the names of its settings and of what it was warned
// of; a name that is "" is not read. What was warned of is the database's to say where
// there are several replicas.
func (k *Keeper) load(a *account, settingsName, warnedName string, get func(name string) (string, error)) error {
	if a.read {
		return nil
	}
	var s settings
	warned := map[string]int64{}
	for name, to := range map[string]any{settingsName: &s, warnedName: &warned} {
		if name == "" || k.Shared != nil && name == warnedName {
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
