package budget_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/server/budget"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const dollar = 1_000_000_000

// desk is a Keeper on a real store.
type desk struct {
	*budget.Keeper
	t     *testing.T
	db    *store.DB
	owner string

	mu   sync.Mutex
	now  time.Time
	told []string // owner, scope and period of each warning
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{t: t, now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d.db = db
	t.Cleanup(func() {
		d.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	if d.owner, err = db.EnsureLocalUser(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.open()
	return d
}

// open makes a Keeper anew, as after a start.
func (d *desk) open() {
	if d.Keeper != nil {
		d.Close()
	}
	d.Keeper = budget.New(budget.Config{
		Store: d.db, MayEverybody: func(owner string) bool { return owner == d.owner },
		Tell: func(owner string, s wire.BudgetState) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.told = append(d.told, strings.TrimSpace(owner+" "+s.Scope+" "+s.Period))
		},
		Now: func() time.Time {
			d.mu.Lock()
			defer d.mu.Unlock()
			return d.now
		},
	})
}

func (d *desk) set(s wire.BudgetSettings) wire.Budgets {
	d.t.Helper()
	b, err := d.SetBudgets(d.t.Context(), d.owner, s)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

func (d *desk) budgets() wire.Budgets {
	d.t.Helper()
	b, err := d.Budgets(d.t.Context(), d.owner)
	if err != nil {
		d.t.Fatal(err)
	}
	return b
}

// spend books a run that ended now.
func (d *desk) spend(nano int64) {
	d.t.Helper()
	r := wire.Run{ID: uuid.NewString(), State: wire.Done, Model: "m", StartedMS: d.now.UnixMilli(), CostNanoUSD: nano, CostSource: "reported"}
	if err := d.db.FinishRun(d.t.Context(), d.owner, r, "", nil, nil, nil); err != nil {
		d.t.Fatal(err)
	}
}

// A hundred sends at once through the runs, each of which reserves a tenth of
// the budget: ten reach the gateway, ninety are told why not, and what the ten
// really cost is what there is less of afterwards.
func TestAHundredSendsAgainstABudgetForTen(t *testing.T) {
	d := newDesk(t)
	model := gateway.Model{ID: "vendor/model-a", Endpoint: gateway.Chat, Price: gateway.Price{Known: true, Input: dollar, Output: dollar}}
	body := []byte(`{"model":"vendor/model-a","messages":[{"role":"user","content":"a question of eighty-one bytes"}]}`)
	bound := budget.InputBound(body)
	d.set(wire.BudgetSettings{DayNanoUSD: 10 * dollar, MaxOutput: 1_000_000 - bound}) // $1 each

	var called atomic.Int64
	open := make(chan struct{})
	var ended sync.WaitGroup
	var through atomic.Int64
	refusals := make(chan *wire.Problem, 100)
	m := run.New(run.Config{
		Store: d.db, Catalogue: gateway.SampleCatalogue, Now: d.Now,
		Gateway: func(context.Context, string, gateway.Endpoint, []byte) (*upstream.Reply, error) {
			called.Add(1)
			<-open
			return &upstream.Reply{Status: 200, ContentType: "application/json", Body: io.NopCloser(strings.NewReader(
				`{"model":"vendor/model-a","choices":[{"message":{"role":"assistant","content":"an answer"},"finish_reason":"stop"}],"usage":{"prompt_tokens":10,"completion_tokens":20,"total_tokens":30}}`))}, nil
		},
		Reserve: func(ctx context.Context, owner string, _ gateway.Model, b []byte) (func(), *wire.Problem) {
			return d.ReserveText(ctx, owner, model, budget.InputBound(b))
		},
		Changed: func(_ string, r wire.Run) {
			if r.State == wire.Running {
				return
			}
			if r.State == wire.Failed {
				refusals <- r.Problem
			} else {
				through.Add(1)
			}
			ended.Done()
		},
	})
	defer func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	start := func() error {
		_, err := m.Start(t.Context(), d.owner, "key", wire.Start{
			Run: uuid.NewString(), Conversation: uuid.NewString(), Answer: uuid.NewString(),
			User: wire.Message{ID: uuid.NewString(), Role: "user", Text: "a question"}, Endpoint: "chat", Body: body,
		})
		return err
	}
	ended.Add(100)
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			if err := start(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for range 90 {
		p := <-refusals
		if p.Code != wire.CodeBudgetReached {
			t.Errorf("refused with %v", p)
		}
		for _, want := range []string{"this day is $10.00", "$0.00 of it is spent", "up to $1.00", "Nothing was sent"} {
			if !strings.Contains(p.Message, want) {
				t.Errorf("%q does not say %q", p.Message, want)
			}
		}
		if !strings.Contains(p.Hint, "Raise the budget") || !strings.Contains(p.Hint, "11 March 2026 at 00:00 (UTC)") {
			t.Errorf("hint %q", p.Hint)
		}
	}
	if n := d.Reserved(d.owner); n != 10*dollar || d.ReservedByEverybody() != n {
		t.Errorf("%d reserved, %d by everybody", n, d.ReservedByEverybody())
	}
	if s := d.budgets().States; len(s) != 1 || !s[0].Reached || s[0].SpentNanoUSD != 0 || s[0].ReservedNanoUSD != 10*dollar {
		t.Errorf("states %+v", s)
	}
	close(open)
	ended.Wait()
	if called.Load() != 10 || through.Load() != 10 || len(refusals) != 0 {
		t.Errorf("the gateway was called %d times, %d were answered, %d more refused", called.Load(), through.Load(), len(refusals))
	}
	s := d.budgets().States
	if len(s) != 1 || s[0].Reached || s[0].SpentNanoUSD == 0 || s[0].SpentNanoUSD > dollar/100 || s[0].ReservedNanoUSD != 0 {
		t.Errorf("afterwards %+v", s)
	}
	ended.Add(1)
	if err := start(); err != nil {
		t.Errorf("with room again: %v", err)
	}
	ended.Wait()
}

func TestBudgetsEndAtTheirLimit(t *testing.T) {
	d := newDesk(t)
	for name, set := range map[string]wire.BudgetSettings{
		"a day":              {DayNanoUSD: 100},
		"a month":            {MonthNanoUSD: 100},
		"everybody's day":    {EverybodyDayNanoUSD: 100},
		"everybody's month":  {EverybodyMonthNanoUSD: 100},
		"the least of three": {DayNanoUSD: 100, MonthNanoUSD: 300, EverybodyMonthNanoUSD: 200},
	} {
		d.set(set)
		release, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 60)
		if p != nil {
			t.Fatalf("%s: %v", name, p)
		}
		if _, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 41); p == nil || !strings.Contains(p.Message, "$0.00000006 is reserved") || !strings.Contains(p.Message, "this clip costs") {
			t.Errorf("%s: one more than there is: %v", name, p)
		}
		rest, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 40)
		if p != nil {
			t.Errorf("%s: exactly what there is: %v", name, p)
			continue
		}
		if free, p := d.Reserve(t.Context(), d.owner, wire.WhatText, 0); p != nil {
			t.Errorf("%s: nothing always fits: %v", name, p)
		} else {
			free()
		}
		rest()
		release()
		release() // a second time does nothing
		if n := d.Reserved(d.owner); n != 0 {
			t.Errorf("%s: %d stays reserved", name, n)
		}
	}
	// What was held after a start counts although nobody was asked.
	d.set(wire.BudgetSettings{DayNanoUSD: 100})
	back := d.ReserveSent(d.owner, 500)
	if _, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 1); p == nil {
		t.Error("what may have been billed does not count")
	}
	back()
	// Without a budget anything goes, and is counted all the same.
	d.set(wire.BudgetSettings{})
	if _, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 1<<60); p != nil || d.Reserved(d.owner) != 1<<60 {
		t.Errorf("%v, %d", p, d.Reserved(d.owner))
	}
}

// A day and a month are those of the zone that was set.
func TestPeriodsAreThoseOfTheZone(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct{ zone, now, day, nextDay, month, nextMonth string }{
		{"", "2026-03-10T12:00:00Z", "2026-03-10T00:00:00Z", "2026-03-11T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"},
		{"Europe/Berlin", "2026-03-31T22:30:00Z", "2026-03-31T22:00:00Z", "2026-04-01T22:00:00Z", "2026-03-31T22:00:00Z", "2026-04-30T22:00:00Z"},
		{"Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},    // the clocks go forward: 23 hours
		{"America/Santiago", "2026-09-06T03:30:00Z", "2026-09-05T04:00:00Z", "2026-09-06T04:00:00Z", "2026-09-01T04:00:00Z", "2026-10-01T03:00:00Z"}, // half an hour before the clocks go forward at midnight
		{"Asia/Kathmandu", "2026-03-10T18:20:00Z", "2026-03-10T18:15:00Z", "2026-03-11T18:15:00Z", "2026-02-28T18:15:00Z", "2026-03-31T18:15:00Z"},
	} {
		var err error
		if d.now, err = time.Parse(time.RFC3339, c.now); err != nil {
			t.Fatal(err)
		}
		b := d.set(wire.BudgetSettings{DayNanoUSD: 1, MonthNanoUSD: 2, Zone: c.zone})
		for i, want := range []string{c.day, c.nextDay, c.month, c.nextMonth} {
			ms := []int64{b.States[0].FromMS, b.States[0].ToMS, b.States[1].FromMS, b.States[1].ToMS}[i]
			if got := time.UnixMilli(ms).UTC().Format(time.RFC3339); got != want {
				t.Errorf("%s in %q: boundary %d is %s, want %s", c.now, c.zone, i, got, want)
			}
		}
	}
}

// The next day is another budget.
func TestABudgetBeginsAnew(t *testing.T) {
	d := newDesk(t)
	d.set(wire.BudgetSettings{DayNanoUSD: 100})
	d.spend(100)
	if _, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 1); p == nil {
		t.Error("there is room in a budget that is spent")
	}
	d.now = d.now.AddDate(0, 0, 1)
	if _, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 100); p != nil {
		t.Errorf("the day after: %v", p)
	}
}

// A warning comes once for a budget and its period, also over a start.
func TestAWarningIsToldOnce(t *testing.T) {
	d := newDesk(t)
	d.set(wire.BudgetSettings{DayNanoUSD: 100, EverybodyMonthNanoUSD: 1000, WarnPercent: 50, EverybodyWarnPercent: 50})
	want := func(warnings ...string) {
		t.Helper()
		d.mu.Lock()
		defer d.mu.Unlock()
		if got := strings.Join(d.told, ", "); got != strings.Join(warnings, ", ") {
			t.Errorf("told %q, want %q", got, warnings)
		}
	}
	person := d.owner + " person day"
	d.spend(49)
	d.Booked(d.owner)
	want()
	release, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 50)
	if p != nil {
		t.Fatal(p)
	}
	want() // what is reserved may come back
	d.spend(1)
	release()
	want(person)
	d.spend(40)
	d.Booked(d.owner)
	want(person)
	d.open()
	d.Booked(d.owner)
	want(person)
	d.now = d.now.AddDate(0, 0, 1)
	d.Booked(d.owner)
	want(person)
	d.spend(60)
	d.Booked(d.owner)
	want(person, person)
	d.spend(400)
	d.Booked(d.owner)
	want(person, person, "everybody month")
	// A budget that was changed is another one, also after a start.
	d.set(wire.BudgetSettings{DayNanoUSD: 10_000, EverybodyMonthNanoUSD: 1000, WarnPercent: 50, EverybodyWarnPercent: 50})
	d.open()
	d.spend(5000)
	d.Booked(d.owner)
	want(person, person, "everybody month", person)
}

func TestSettings(t *testing.T) {
	d := newDesk(t)
	b := d.budgets()
	if b.Settings != (wire.BudgetSettings{WarnPercent: wire.DefaultWarnPercent, EverybodyWarnPercent: wire.DefaultWarnPercent, MaxOutput: wire.DefaultMaxOutput}) || len(b.States) != 0 || !b.MayEverybody {
		t.Errorf("at first %+v", b)
	}
	want := wire.BudgetSettings{DayNanoUSD: 5 * dollar, MonthNanoUSD: 50 * dollar, EverybodyDayNanoUSD: 7 * dollar, EverybodyMonthNanoUSD: 70 * dollar,
		WarnPercent: 90, Zone: "Asia/Kolkata", EverybodyWarnPercent: 70, EverybodyZone: "Europe/Berlin", MaxOutput: 4000}
	if b = d.set(want); b.Settings != want || len(b.States) != 4 {
		t.Errorf("set %+v", b)
	}
	d.open()
	if b = d.budgets(); b.Settings != want {
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
		_, err := d.SetBudgets(t.Context(), d.owner, s)
		if p, is := err.(*wire.Problem); !is || p.Code != "invalid_budget" || p.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	// Who may not change everybody's budget may still change their own.
	d.MayEverybody = func(string) bool { return false }
	mine := want
	mine.DayNanoUSD = 1
	if b = d.set(mine); b.Settings != mine || b.MayEverybody {
		t.Errorf("one's own: %+v", b)
	}
	for field, change := range map[string]func(*wire.BudgetSettings){
		"everybody_day_nano_usd": func(s *wire.BudgetSettings) { s.EverybodyDayNanoUSD = 1 },
		"everybody_warn_percent": func(s *wire.BudgetSettings) { s.EverybodyWarnPercent = 1 },
		"everybody_zone":         func(s *wire.BudgetSettings) { s.EverybodyZone = "UTC" },
	} {
		s := mine
		change(&s)
		_, err := d.SetBudgets(t.Context(), d.owner, s)
		if p, is := err.(*wire.Problem); !is || p.Code != "not_allowed" || p.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	mine.EverybodyDayNanoUSD = 1
	if _, err := d.SetBudgets(t.Context(), d.owner, mine); fmt.Sprint(err) == "" || err.(*wire.Problem).Code != "not_allowed" {
		t.Errorf("everybody's: %v", err)
	}
	if b = d.budgets(); b.Settings.EverybodyDayNanoUSD != 7*dollar {
		t.Errorf("changed all the same: %+v", b.Settings)
	}
}

// Everybody's share to warn at and their zone are saved though no amount
// changes, and a client that doesn't name them leaves them.
func TestEverybodysShareAndZoneChangeByThemselves(t *testing.T) {
	d := newDesk(t)
	s := wire.BudgetSettings{EverybodyDayNanoUSD: 100, WarnPercent: 80, MaxOutput: 1}
	d.set(s)
	d.spend(60)
	s.EverybodyWarnPercent, s.EverybodyZone = 50, "Asia/Tokyo"
	b := d.set(s)
	if b.Settings.EverybodyWarnPercent != 50 || b.Settings.EverybodyZone != "Asia/Tokyo" || b.Settings.WarnPercent != 80 || b.Settings.Zone != "" {
		t.Errorf("saved %+v", b.Settings)
	}
	d.open()
	if st := d.budgets().States; len(st) != 1 || !st[0].Warn || st[0].Zone != "Asia/Tokyo" || st[0].FromMS != time.Date(2026, 3, 9, 15, 0, 0, 0, time.UTC).UnixMilli() {
		t.Errorf("after a start %+v", st)
	}
	b = d.set(wire.BudgetSettings{EverybodyDayNanoUSD: 200, WarnPercent: 90, Zone: "Europe/Berlin"})
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
	d := newDesk(t)
	disk := stuckDisk{d.db, make(chan struct{}), make(chan struct{})}
	d.Store = disk
	saved := make(chan error)
	go func() {
		_, err := d.SetBudgets(context.Background(), d.owner, wire.BudgetSettings{DayNanoUSD: 5})
		saved <- err
	}()
	<-disk.writing
	admitted := make(chan *wire.Problem)
	go func() {
		release, p := d.Reserve(context.Background(), d.owner, wire.WhatText, 10) // more than there will be
		if p == nil {
			release()
			d.Booked(d.owner)
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
	if _, p := d.Reserve(t.Context(), d.owner, wire.WhatText, 10); p == nil {
		t.Error("saved, but not kept")
	}
}

// Without the settings nothing is sent: a budget that can't be read is not none.
func TestWhatCannotBeReadRefuses(t *testing.T) {
	d := newDesk(t)
	if err := d.db.SetSetting(t.Context(), d.owner, "budget", "{"); err != nil {
		t.Fatal(err)
	}
	if _, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 1); p == nil || p.Code != "storage_failed" {
		t.Errorf("%v", p)
	}
	text, err := json.Marshal(map[string]int64{"day_nano_usd": 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.db.SetSetting(t.Context(), d.owner, "budget", string(text)); err != nil {
		t.Fatal(err)
	}
	if _, p := d.Reserve(t.Context(), d.owner, wire.WhatVideo, 5); p != nil {
		t.Errorf("once it can be read: %v", p)
	}
}
