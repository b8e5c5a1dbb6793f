package clustertest

import (
	"context"
	"regexp"
	"sync"
	"testing"
	"time"

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

	var all sync.WaitGroup
	at := make(chan struct{})
	ends := make(chan wire.Run, len(tabs))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, tab := range tabs {
		s := Turn(gateway.Chat, long)
		all.Go(func() {
			<-at
			if err := tab.Call(ctx, wire.OpStart, s, nil); err != nil {
				t.Error(err)
				return
			}
			if r, err := tab.RunEnd(ctx, s.Run); err == nil {
				ends <- r
			}
		})
	}
	close(at)
	refused := 0
	for sent := 0; sent+refused < len(tabs)+1 && ctx.Err() == nil; {
		select {
		case r := <-ends:
			if r.State != wire.Failed || r.Problem == nil || !r.Problem.ByBudget() {
				t.Errorf("%s: %v", r.State, r.Problem)
			}
			refused++
		case <-time.After(100 * time.Millisecond):
		}
		sent = len(c.texts())
	}
	cancel()
	all.Wait()
	through := c.texts()
	if len(through) != 11 || refused != 90 {
		t.Errorf("%d of a hundred were let through, %d were refused", len(through)-1, refused)
	}
	if s := state(); s.ReservedNanoUSD != int64(len(through))*one {
		t.Errorf("%d are reserved for %d answers, each %d", s.ReservedNanoUSD, len(through), one)
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

var runInPrompt = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}`)

// texts are the runs that the gateway was asked for.
func (c *Cluster) texts() (runs []string) {
	for _, a := range c.Gateway.Asked() {
		if a.Text() {
			runs = append(runs, runInPrompt.FindString(a.Body))
		}
	}
	return runs
}
