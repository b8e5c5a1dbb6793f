package clustertest

import (
	"errors"
	"sync"
	"testing"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// A hundred send at the same moment on three replicas, where there is room for ten.
func TestALimitForTenLetsTenThrough(t *testing.T) {
	t.Parallel()
	c := New(t, 3)
	ann := c.SetUp()
	limit := "/api/teams/" + ann.everyone()
	// It lasts until all have been answered.
	const long = "[[repeat: 5000]] [[pace: 5]]"
	var tabs []*wiretest.Client
	for i := range 100 {
		tab, err := ann.At(c.Replicas[i%3]).Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer tab.Close()
		tabs = append(tabs, tab)
	}
	set := func(nano int64) {
		ann.Want(200, "PATCH", limit, map[string]any{"limits": wire.Limits{DayNanoUSD: nano}}, nil)
	}
	state := func() wire.BudgetState {
		var b wire.Budgets
		if err := tabs[0].Call(t.Context(), wire.OpBudgets, nil, &b); err != nil {
			t.Fatal(err)
		}
		for _, s := range b.States {
			if s.Scope == wire.ScopeTeam {
				return s
			}
		}
		t.Fatalf("no limit of the team in %+v", b)
		panic("unreachable")
	}
	set(wire.MaxBudgetNanoUSD)
	first := Turn(gateway.Chat, long)
	if err := tabs[0].Call(t.Context(), wire.OpStart, first, nil); err != nil {
		t.Fatal(err)
	}
	one := state().ReservedNanoUSD
	if one == 0 {
		t.Fatal("nothing is reserved for an answer under way")
	}
	set(11*one + one/2) // the first, and ten

	var mu sync.Mutex
	var all sync.WaitGroup
	through := []string{first.Run}
	at := make(chan struct{})
	for _, tab := range tabs {
		s := Turn(gateway.Chat, long)
		all.Go(func() {
			<-at
			err := tab.Call(t.Context(), wire.OpStart, s, nil)
			mu.Lock()
			defer mu.Unlock()
			var refused *wire.Problem
			switch {
			case err == nil:
				through = append(through, s.Run)
			case !errors.As(err, &refused) || !refused.ByBudget():
				t.Error(err)
			}
		})
	}
	close(at)
	all.Wait()
	if len(through) != 11 {
		t.Errorf("%d of a hundred were let through", len(through)-1)
	}
	if s := state(); s.ReservedNanoUSD != int64(len(through))*one {
		t.Errorf("%d are reserved for %d answers, each %d", s.ReservedNanoUSD, len(through), one)
	}
	sent := 0
	for _, a := range c.Gateway.Asked() {
		if a.Text() {
			sent++
		}
	}
	if sent != len(through) {
		t.Errorf("the gateway was asked %d times for %d", sent, len(through))
	}
	for _, run := range through {
		if err := tabs[1].Call(t.Context(), wire.OpStop, wire.Target{ID: run}, nil); err != nil {
			t.Errorf("stop: %v", err)
		}
	}
	for _, run := range through {
		if _, err := tabs[2].RunEnd(t.Context(), run); err != nil {
			t.Error(err)
		}
	}
	if s := state(); s.ReservedNanoUSD != 0 {
		t.Errorf("%d are still reserved", s.ReservedNanoUSD)
	}
}
