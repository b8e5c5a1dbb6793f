package main

import (
	"context"
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
// and returns for each how long it took from then until a tab there was told that it
// is interrupted. With back the replica is started anew at once, at the same address,
// and takes over what it held; without, another one does when it has missed it for as
// long as it takes.
func (i *instance) taken(ctx context.Context, back bool) (told []time.Duration, err error) {
	ctx, cancel := context.WithTimeout(ctx, takenWithin)
	defer cancel()
	holder, other := i.replicas[0], i.replicas[1]
	var runs []string
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
	watching := map[string]*wiretest.Client{}
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
			if len(runs) == takenStreams {
				break
			}
			start, err := startOf(uuid.NewString(), "", firstChatModel(), takenPlan.prompt())
			if err != nil {
				return nil, err
			}
			if err := own.Call(ctx, wire.OpStart, start, nil); err != nil {
				return nil, err
			}
			runs = append(runs, start.Run)
			watching[start.Run] = elsewhere
		}
	}
	var underWay, reading sync.WaitGroup
	reads, leave := context.WithCancel(ctx)
	defer reading.Wait()
	defer leave()
	for _, run := range runs {
		underWay.Add(1)
		first := sync.OnceFunc(underWay.Done)
		reading.Go(func() {
			defer first() // an end counts as well: what it comes to is told by RunEnd
			_ = watching[run].Follow(reads, run, func(wire.LogFrame, []byte) { first() })
		})
	}
	underWay.Wait()

	killed := time.Now()
	if err := holder.Kill(); err != nil {
		return nil, err
	}
	var group errgroup.Group
	told = make([]time.Duration, len(runs))
	for n, run := range runs {
		group.Go(func() error {
			r, err := watching[run].RunEnd(ctx, run)
			told[n] = time.Since(killed)
			if err == nil && r.State != wire.Interrupted {
				err = fmt.Errorf("it is %s", r.State)
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
