package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// load is what came of reading many streams at once.
type load struct {
	late       []time.Duration // of each chunk, since it was sent
	chunks     int
	lost       int // chunks that were sent and never came
	seconds    float64
	cpuSeconds float64 // of the processes under test
	flowKB     float64 // private memory of them, at most, while all streams were under way
	peakKB     float64 // at most at any time
	bytes      int64   // read, of all streams
	busy       float64 // share of all processors, by whomever
}

// load reads that many streams of the plan at once, to their ends.
func (w *way) load(ctx context.Context, streams int, plan plan) (*load, error) {
	ctx, cancel := context.WithTimeout(ctx, partWithin)
	defer cancel()
	r, closeReader, err := w.open(ctx, streams)
	if err != nil {
		return nil, err
	}
	defer closeReader()
	before, err := w.usage()
	if err != nil {
		return nil, err
	}
	machine, err := machineTime()
	if err != nil {
		return nil, err
	}

	l := &load{}
	late := make([][]time.Duration, streams)
	var events, read atomic.Int64
	start := time.Now()
	var under atomic.Int64
	watched := make(chan struct{})
	stop := make(chan struct{})
	go func() {
		defer close(watched)
		l.flowKB, l.peakKB = w.watch(stop, func() bool { return under.Load() == int64(streams) })
	}()
	group, groupCtx := errgroup.WithContext(ctx)
	for i := range streams {
		late[i] = make([]time.Duration, 0, plan.chunks)
		group.Go(func() error {
			select {
			case <-time.After(time.Duration(i) * plan.ramp / time.Duration(streams)):
			case <-groupCtx.Done():
				return nil
			}
			under.Add(1)
			var f frames
			err := r.Stream(groupCtx, plan.prompt(), func(p []byte) {
				now := time.Now()
				read.Add(int64(len(p)))
				events.Add(int64(f.each(p, func(sent time.Time) { late[i] = append(late[i], now.Sub(sent)) })))
			})
			if err == nil {
				under.Add(-1)
			}
			return err
		})
	}
	err = group.Wait()
	l.seconds, l.bytes, l.chunks = time.Since(start).Seconds(), read.Load(), int(events.Load())
	close(stop)
	<-watched
	if err != nil {
		return nil, fmt.Errorf("%w, with %d of %d streams under way and %d of %d chunks read", err,
			under.Load(), streams, l.chunks, streams*(plan.chunks+endEvents))
	}
	after, err := w.usage()
	if err != nil {
		return nil, err
	}
	l.cpuSeconds = after.cpuSeconds - before.cpuSeconds
	if l.busy, err = machine.busySince(); err != nil {
		return nil, err
	}
	l.lost = streams*(plan.chunks+endEvents) - l.chunks
	for _, d := range late {
		l.late = append(l.late, d[min(1, len(d)):]...) // the first has waited for its answer to begin
	}
	return l, nil
}

func (w *way) usage() (sum usage, err error) {
	for _, pid := range w.pids {
		u, err := family(pid)
		if err != nil {
			return usage{}, err
		}
		sum.cpuSeconds += u.cpuSeconds
		sum.privateKB += u.privateKB
	}
	return sum, nil
}

// watch returns the most memory seen until stop is closed, and the most of it while
// flows said so.
func (w *way) watch(stop <-chan struct{}, flows func() bool) (flow, peak float64) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if u, err := w.usage(); err == nil {
			peak = max(peak, u.privateKB)
			if flows() {
				flow = max(flow, u.privateKB)
			}
		}
		select {
		case <-stop:
			return flow, peak
		case <-tick.C:
		}
	}
}

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	return d[min(len(d)-1, int(math.Ceil(q*float64(len(d))))-1)]
}
