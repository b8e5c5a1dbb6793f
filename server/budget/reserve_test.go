package budget_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// A hundred sends at once through the runs, each of which reserves a tenth of
// the budget: ten reach the gateway, ninety are told why not, and what the ten
// really cost is what there is less of afterwards.
func TestAHundredSendsAgainstABudgetForTen(t *testing.T) {
	w := newWorld(t)
	model := gateway.Model{ID: "vendor/model-a", Endpoint: gateway.Chat, Price: gateway.Price{Known: true, Input: dollar, Output: dollar}}
	body := []byte(`{"model":"vendor/model-a","messages":[{"role":"user","content":"a question of eighty-one bytes"}]}`)
	bound := int64(len(body)+2) / 3                                                   // of its tokens
	w.set(wire.BudgetSettings{DayNanoUSD: 10 * dollar, MaxOutput: 1_000_000 - bound}) // $1 each

	var called atomic.Int64
	open := make(chan struct{})
	var ended sync.WaitGroup
	var through atomic.Int64
	refusals := make(chan *wire.Problem, 100)
	m := run.New(run.Config{
		Store: w.db, Catalogue: gateway.SampleCatalogue, Now: w.Now,
		Gateway: func(context.Context, string, gateway.Endpoint, []byte) (*upstream.Reply, error) {
			called.Add(1)
			<-open
			return anAnswer(), nil
		},
		Reserve: func(ctx context.Context, by payer.Payer, _ gateway.Model, b []byte) (func(), *wire.Problem) {
			return w.ReserveText(ctx, by, model, b)
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
		_, err := m.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: "key"}, wire.Start{
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
	if n := w.Reserved(w.owner); n != 10*dollar || w.ReservedByEverybody() != n {
		t.Errorf("%d reserved, %d by everybody", n, w.ReservedByEverybody())
	}
	if s := w.budgets().States; len(s) != 1 || !s[0].Reached || s[0].SpentNanoUSD != 0 || s[0].ReservedNanoUSD != 10*dollar {
		t.Errorf("states %+v", s)
	}
	close(open)
	ended.Wait()
	if called.Load() != 10 || through.Load() != 10 || len(refusals) != 0 {
		t.Errorf("the gateway was called %d times, %d were answered, %d more refused", called.Load(), through.Load(), len(refusals))
	}
	s := w.budgets().States
	if len(s) != 1 || s[0].Reached || s[0].SpentNanoUSD == 0 || s[0].SpentNanoUSD > dollar/100 || s[0].ReservedNanoUSD != 0 {
		t.Errorf("afterwards %+v", s)
	}
	ended.Add(1)
	if err := start(); err != nil {
		t.Errorf("with room again: %v", err)
	}
	ended.Wait()
}

// Alone all budgets are one's own, everybody's too: what has no price is let
// through, also when they are passed.
func TestAloneAModelNeedsNoPrice(t *testing.T) {
	w := newWorld(t)
	w.set(wire.BudgetSettings{DayNanoUSD: 100, EverybodyMonthNanoUSD: 100})
	w.spend(200)
	if _, p := w.ReserveText(t.Context(), w.me(), gateway.Model{ID: "my-local-model", Endpoint: gateway.Chat}, []byte("{}")); p != nil {
		t.Error(p)
	}
}

func TestBudgetsEndAtTheirLimit(t *testing.T) {
	w := newWorld(t)
	for name, set := range map[string]wire.BudgetSettings{
		"a day":              {DayNanoUSD: 100},
		"a month":            {MonthNanoUSD: 100},
		"everybody's day":    {EverybodyDayNanoUSD: 100},
		"everybody's month":  {EverybodyMonthNanoUSD: 100},
		"the least of three": {DayNanoUSD: 100, MonthNanoUSD: 300, EverybodyMonthNanoUSD: 200},
	} {
		w.set(set)
		release, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 60)
		if p != nil {
			t.Fatalf("%s: %v", name, p)
		}
		if _, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 41); p == nil || !strings.Contains(p.Message, "$0.00000006 is reserved") || !strings.Contains(p.Message, "this clip costs") {
			t.Errorf("%s: one more than there is: %v", name, p)
		}
		rest, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 40)
		if p != nil {
			t.Errorf("%s: exactly what there is: %v", name, p)
			continue
		}
		if free, p := w.Reserve(t.Context(), w.me(), wire.WhatText, 0); p != nil {
			t.Errorf("%s: nothing always fits: %v", name, p)
		} else {
			free()
		}
		rest()
		release()
		release() // a second time does nothing
		if n := w.Reserved(w.owner); n != 0 {
			t.Errorf("%s: %d stays reserved", name, n)
		}
	}
	// What was held after a start counts although nobody was asked.
	w.set(wire.BudgetSettings{DayNanoUSD: 100})
	back := w.ReserveSent(w.me(), 500)
	if _, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 1); p == nil {
		t.Error("what may have been billed does not count")
	}
	back()
	// Without a budget anything goes, and is counted all the same.
	w.set(wire.BudgetSettings{})
	if _, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 1<<60); p != nil || w.Reserved(w.owner) != 1<<60 {
		t.Errorf("%v, %d", p, w.Reserved(w.owner))
	}
}

// Without the settings nothing is sent: a budget that can't be read is not none.
func TestWhatCannotBeReadRefuses(t *testing.T) {
	w := newWorld(t)
	if err := w.db.SetSetting(t.Context(), w.owner, "budget", "{"); err != nil {
		t.Fatal(err)
	}
	if _, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 1); p == nil || p.Code != "storage_failed" {
		t.Errorf("%v", p)
	}
	text, err := json.Marshal(map[string]int64{"day_nano_usd": 5})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.db.SetSetting(t.Context(), w.owner, "budget", string(text)); err != nil {
		t.Fatal(err)
	}
	if _, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 5); p != nil {
		t.Errorf("once it can be read: %v", p)
	}
}

// A day and a month are those of the zone that was set.
func TestPeriodsAreThoseOfTheZone(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct{ zone, now, day, nextDay, month, nextMonth string }{
		{"", "2026-03-10T12:00:00Z", "2026-03-10T00:00:00Z", "2026-03-11T00:00:00Z", "2026-03-01T00:00:00Z", "2026-04-01T00:00:00Z"},
		{"Europe/Berlin", "2026-03-31T22:30:00Z", "2026-03-31T22:00:00Z", "2026-04-01T22:00:00Z", "2026-03-31T22:00:00Z", "2026-04-30T22:00:00Z"},
		{"Europe/Berlin", "2026-03-29T12:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-02-28T23:00:00Z", "2026-03-31T22:00:00Z"},    // the clocks go forward: 23 hours
		{"America/Santiago", "2026-09-06T03:30:00Z", "2026-09-05T04:00:00Z", "2026-09-06T04:00:00Z", "2026-09-01T04:00:00Z", "2026-10-01T03:00:00Z"}, // half an hour before the clocks go forward at midnight
		{"Asia/Kathmandu", "2026-03-10T18:20:00Z", "2026-03-10T18:15:00Z", "2026-03-11T18:15:00Z", "2026-02-28T18:15:00Z", "2026-03-31T18:15:00Z"},
	} {
		var err error
		if w.now, err = time.Parse(time.RFC3339, c.now); err != nil {
			t.Fatal(err)
		}
		b := w.set(wire.BudgetSettings{DayNanoUSD: 1, MonthNanoUSD: 2, Zone: c.zone})
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
	w := newWorld(t)
	w.set(wire.BudgetSettings{DayNanoUSD: 100})
	w.spend(100)
	if _, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 1); p == nil {
		t.Error("there is room in a budget that is spent")
	}
	w.now = w.now.AddDate(0, 0, 1)
	if _, p := w.Reserve(t.Context(), w.me(), wire.WhatVideo, 100); p != nil {
		t.Errorf("the day after: %v", p)
	}
}
