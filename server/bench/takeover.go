package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

const (
	takenStreams = 20
	// takenWithin bounds the time until all of them are taken over.
	takenWithin = 40 * time.Second
)

// takenPlan goes on for longer than anybody waits.
var takenPlan = plan{chunks: 6000, rate: 50}

// taken kills the first replica while it holds streams that are read at the second,
// and returns for each how long it took from then until a tab there knew that it is
// interrupted. With back the replica is started anew at once, at the same address, and
// takes over what it held; without, another one does when it has missed it for as long
// as it takes.
func (i *instance) taken(ctx context.Context, back bool) (told []time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, takenWithin)
	defer cancel()
	holder, other := i.replicas[0], i.replicas[1]
	var starts []wire.Start
	var tabs []*wiretest.Client
	defer func() {
		for _, t := range tabs {
			t.Close()
		}
	}()
	dial := func(r *replica, p *person) (*wiretest.Client, error) {
		tab, err := wiretest.Dial(ctx, r.URL, p.browser)
		if err == nil {
			tabs = append(tabs, tab)
		}
		return tab, err
	}
	watching := map[string]*wiretest.Client{} // by run
	for _, p := range i.team.people {
		own, err := dial(holder, p)
		if err != nil {
			return nil, err
		}
		elsewhere, err := dial(other, p)
		if err != nil {
			return nil, err
		}
		for range (takenStreams + len(i.team.people) - 1) / len(i.team.people) {
			if len(starts) == takenStreams {
				break
			}
			start, err := startOf(uuid.NewString(), "", firstChatModel(), takenPlan.prompt())
			if err != nil {
				return nil, err
			}
			if err := own.Call(ctx, wire.OpStart, start, nil); err != nil {
				return nil, err
			}
			starts = append(starts, start)
			watching[start.Run] = elsewhere
		}
	}
	var underWay, reading sync.WaitGroup
	reads, leave := context.WithCancel(ctx)
	defer reading.Wait()
	defer leave()
	for _, s := range starts {
		underWay.Add(1)
		first := sync.OnceFunc(underWay.Done)
		reading.Go(func() {
			defer first() // an end counts as well: what it comes to is seen below
			_ = watching[s.Run].Follow(reads, s.Run, func(wire.LogFrame, []byte) { first() })
		})
	}
	underWay.Wait()

	killed := time.Now()
	if err := holder.Kill(); err != nil {
		return nil, err
	}
	var group errgroup.Group
	told = make([]time.Duration, len(starts))
	for n, s := range starts {
		group.Go(func() error {
			state, err := endOf(ctx, watching[s.Run], s)
			told[n] = time.Since(killed)
			if err == nil && state != wire.Interrupted {
				err = fmt.Errorf("it is %s", state)
			}
			if err != nil {
				return fmt.Errorf("a run whose replica was killed: %w", err)
			}
			return nil
		})
	}
	if back {
		group.Go(func() error { return holder.again(ctx) })
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, i.log())
	}
	if !back {
		return told, holder.again(ctx)
	}
	return told, nil
}

// endOf waits as a page does until a tab knows how a run has ended: it is told, or it
// is told that it may have missed something, and looks.
func endOf(ctx context.Context, tab *wiretest.Client, s wire.Start) (wire.RunState, error) {
	for looked := 0; ; looked++ {
		var run wire.Run
		misses := 0
		push, err := tab.Push(ctx, func(p wire.Push) bool {
			switch p.Event {
			case wire.EventMissed:
				misses++
				return misses > looked
			case wire.EventRun:
				return json.Unmarshal(p.Data, &run) == nil && run.ID == s.Run && run.State != wire.Running
			}
			return false
		})
		if err != nil || push.Event == wire.EventRun {
			return run.State, err
		}
		var o wire.Opened
		if err := tab.Call(ctx, wire.OpOpen, wire.Page{Conversation: s.Conversation}, &o); err != nil {
			return "", err
		}
		for _, m := range o.Messages {
			if m.ID == s.Answer && m.Run != nil && m.Run.State != wire.Running {
				return m.Run.State, nil
			}
		}
	}
}
