package budget_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"screentest/server/store"
	"screentest/shared/wire"
)

func TestSettings(t *testing.T) {
	w := newWorld(t)
	b := w.budgets()
	if b.Settings != (wire.BudgetSettings{WarnPercent: wire.DefaultWarnPercent, EverybodyWarnPercent: wire.DefaultWarnPercent, MaxOutput: wire.DefaultMaxOutput}) || len(b.States) != 0 || !b.MayEverybody {
		t.Errorf("at first %+v", b)
	}
	want := wire.BudgetSettings{DayNanoUSD: 5 * dollar, MonthNanoUSD: 50 * dollar, EverybodyDayNanoUSD: 7 * dollar, EverybodyMonthNanoUSD: 70 * dollar,
		WarnPercent: 90, Zone: "Asia/Kolkata", EverybodyWarnPercent: 70, EverybodyZone: "Europe/Berlin", MaxOutput: 4000}
	if b = w.set(want); b.Settings != want || len(b.States) != 4 {
		t.Errorf("set %+v", b)
	}
	w.open()
	if b = w.budgets(); b.Settings != want {
		t.Errorf("after a start %+v", b.Settings)
	}
	for field, s := range map[string]wire.BudgetSettings{
		"day_nano_usd":             {DayNanoUSD: -1},
		"month_nano_usd":           {MonthNanoUSD: wire.MaxBudgetNanoUSD + 1},
		"everybody_day_nano_usd":   {EverybodyDayNanoUSD: -1},
		"everybody_month_nano_usd": {EverybodyMonthNanoUSD: -1},
		"warn_percent":             {WarnPercent: 101},
		"everybody_warn_percent":   {EverybodyWarnPercent: 101},
		"zone":                     {Zone: "Mars/Olympus"},
		"everybody_zone":           {EverybodyZone: "Local"},
		"max_output":               {MaxOutput: 1_000_001},
	} {
		_, err := w.SetBudgets(t.Context(), w.owner, s)
		if p, is := err.(*wire.Problem); !is || p.Code != "invalid_budget" || p.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	// Who may not change everybody's budget may still change their own.
	w.MayEverybody = func(string) bool { return false }
	mine := want
	mine.DayNanoUSD = 1
	if b = w.set(mine); b.Settings != mine || b.MayEverybody {
		t.Errorf("one's own: %+v", b)
	}
	for field, change := range map[string]func(*wire.BudgetSettings){
		"everybody_day_nano_usd": func(s *wire.BudgetSettings) { s.EverybodyDayNanoUSD = 1 },
		"everybody_warn_percent": func(s *wire.BudgetSettings) { s.EverybodyWarnPercent = 1 },
		"everybody_zone":         func(s *wire.BudgetSettings) { s.EverybodyZone = "UTC" },
	} {
		s := mine
		change(&s)
		_, err := w.SetBudgets(t.Context(), w.owner, s)
		if p, is := err.(*wire.Problem); !is || p.Code != "not_allowed" || p.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	mine.EverybodyDayNanoUSD = 1
	if _, err := w.SetBudgets(t.Context(), w.owner, mine); fmt.Sprint(err) == "" || err.(*wire.Problem).Code != "not_allowed" {
		t.Errorf("everybody's: %v", err)
	}
	if b = w.budgets(); b.Settings.EverybodyDayNanoUSD != 7*dollar {
		t.Errorf("changed all the same: %+v", b.Settings)
	}
}

// A warning comes once for a budget and its period, also over a start.
func TestAWarningIsToldOnce(t *testing.T) {
	w := newWorld(t)
	w.set(wire.BudgetSettings{DayNanoUSD: 100, EverybodyMonthNanoUSD: 1000, WarnPercent: 50, EverybodyWarnPercent: 50})
	want := func(warnings ...string) {
		t.Helper()
		w.mu.Lock()
		defer w.mu.Unlock()
		if got := strings.Join(w.told, ", "); got != strings.Join(warnings, ", ") {
			t.Errorf("told %q, want %q", got, warnings)
		}
	}
	person := w.owner + " person day"
	w.spend(49)
	w.Booked(w.owner, "")
	want()
	release, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 50)
	if p != nil {
		t.Fatal(p)
	}
	want() // what is reserved may come back
	w.spend(1)
	release()
	want(person)
	w.spend(40)
	w.Booked(w.owner, "")
	want(person)
	w.open()
	w.Booked(w.owner, "")
	want(person)
	w.now = w.now.AddDate(0, 0, 1)
	w.Booked(w.owner, "")
	want(person)
	w.spend(60)
	w.Booked(w.owner, "")
	want(person, person)
	w.spend(400)
	w.Booked(w.owner, "")
	want(person, person, "everybody month")
	// A budget that was changed is another one, also after a start.
	w.set(wire.BudgetSettings{DayNanoUSD: 10_000, EverybodyMonthNanoUSD: 1000, WarnPercent: 50, EverybodyWarnPercent: 50})
	w.open()
	w.spend(5000)
	w.Booked(w.owner, "")
	want(person, person, "everybody month", person)
}

// Everybody's share to warn at and their zone are saved though no amount
// changes, and a client that doesn't name them leaves them.
func TestEverybodysShareAndZoneChangeByThemselves(t *testing.T) {
	w := newWorld(t)
	s := wire.BudgetSettings{EverybodyDayNanoUSD: 100, WarnPercent: 80, MaxOutput: 1}
	w.set(s)
	w.spend(60)
	s.EverybodyWarnPercent, s.EverybodyZone = 50, "Asia/Tokyo"
	b := w.set(s)
	if b.Settings.EverybodyWarnPercent != 50 || b.Settings.EverybodyZone != "Asia/Tokyo" || b.Settings.WarnPercent != 80 || b.Settings.Zone != "" {
		t.Errorf("saved %+v", b.Settings)
	}
	w.open()
	if st := w.budgets().States; len(st) != 1 || !st[0].Warn || st[0].Zone != "Asia/Tokyo" || st[0].FromMS != time.Date(2026, 3, 9, 15, 0, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("after a start %+v", st)
	}
	b = w.set(wire.BudgetSettings{EverybodyDayNanoUSD: 200, WarnPercent: 90, Zone: "Europe/Berlin"})
	if b.Settings.EverybodyWarnPercent != 50 || b.Settings.EverybodyZone != "Asia/Tokyo" || b.Settings.Zone != "Europe/Berlin" {
		t.Errorf("not named: %+v", b.Settings)
	}
}

// stuckDisk is a store whose next write of a setting waits.
type stuckDisk struct {
	*store.DB
	writing, goOn chan struct{}
}

func (s stuckDisk) SetSetting(ctx context.Context, owner, name, value string) error {
	close(s.writing)
	<-s.goOn
	return s.DB.SetSetting(ctx, owner, name, value)
}

func TestASendIsAdmittedWhileSettingsWaitForTheDisk(t *testing.T) {
	w := newWorld(t)
	disk := stuckDisk{w.db, make(chan struct{}), make(chan struct{})}
	w.Store = disk
	saved := make(chan error)
	go func() {
		_, err := w.SetBudgets(context.Background(), w.owner, wire.BudgetSettings{DayNanoUSD: 5})
		saved <- err
	}()
	<-disk.writing
	admitted := make(chan *wire.Problem)
	go func() {
		release, p := w.Reserve(context.Background(), w.me(), wire.WhatText, 10) // more than there will be
		if p == nil {
			release()
			w.Booked(w.owner, "")
		}
		admitted <- p
	}()
	select {
	case p := <-admitted:
		if p != nil {
			t.Errorf("refused by a budget that is not saved: %v", p)
		}
		close(disk.goOn)
	case <-time.After(time.Minute):
		t.Error("the send waits for the disk")
		close(disk.goOn)
		<-admitted
	}
	if err := <-saved; err != nil {
		t.Fatal(err)
	}
	if _, p := w.Reserve(t.Context(), w.me(), wire.WhatText, 10); p == nil {
		t.Error("saved, but not kept")
	}
}
