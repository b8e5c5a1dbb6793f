package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"screentest/server/e2e/rig"
	"screentest/shared/gateway"
)

const (
	key = "bench"

	firstTokens  = 200                   // answers asked for one after the other
	firstPause   = 40 * time.Millisecond // before each: nobody asks at once again
	pacedStreams = 300
	pacedRate    = 50 // tokens a second of each stream
	pacedTokens  = 500
	flatStreams  = 64
	flatTokens   = 8000

	// partWithin bounds one measurement of one way.
	partWithin = 60 * time.Second
)

// way is one way from the gateway to a reader.
type way struct {
	name string
	pid  int // of the process under test; 0 for none
	open func(ctx context.Context, streams int) (reader, func(), error)

	first    []time.Duration // request to first bytes, one client
	late     time.Duration   // p99 of a chunk's lateness, paced
	pacedCPU float64         // seconds per million chunks
	flatCPU  float64
	flatRate float64 // chunks a second
	memory   float64 // resident KiB a stream, paced
	logged   float64 // KiB of each stream's bytes, which Screentest keeps
	busy     float64 // percent of all processors while paced
}

// relay measures the ways in turn and prints them side by side.
func relay(ctx context.Context, bin string) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, err := startSource(ctx, bin)
	if err != nil {
		return err
	}
	defer func() { _ = source.Kill() }()
	ways, closeAll, err := openWays(ctx, bin, dir, source)
	if err != nil {
		return err
	}
	defer closeAll()

	for _, part := range []func(context.Context, []*way) error{measureFirst, measurePaced, measureFlat} {
		if err := part(ctx, ways); err != nil {
			return err
		}
	}
	printRelay(ways)
	return nil
}

// startSource starts the gateway that everything reads: flat out, unless the
// prompt asks for a pace.
func startSource(ctx context.Context, bin string) (*rig.Program, error) {
	return rig.Start(ctx, bin, nil, "sandbox", "-addr", "127.0.0.1:0", "-key", key,
		"-tokens-per-second", "-1", "-balance", "1000000")
}

func openWays(ctx context.Context, bin, dir string, source *rig.Program) ([]*way, func(), error) {
	model := firstChatModel()
	ways := []*way{{
		name: "direct",
		open: func(context.Context, int) (reader, func(), error) {
			return newHTTPReader(source.URL, key, model), func() {}, nil
		},
	}}
	closers := []func(){}
	closeAll := func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}

	switch n, err := startNginx(ctx, dir, source.Host()); {
	case errors.Is(err, errNoNginx):
		fmt.Fprintln(os.Stderr, "NOTICE:", err)
	case err != nil:
		return nil, closeAll, err
	default:
		closers = append(closers, n.stop)
		ways = append(ways, &way{name: "nginx", pid: n.cmd.Process.Pid, open: func(context.Context, int) (reader, func(), error) {
			return newHTTPReader(n.url, key, model), func() {}, nil
		}})
	}

	server, err := rig.Start(ctx, bin, nil, "serve", "-addr", "127.0.0.1:0", "-data", dir+"/data", "-gateway", source.URL)
	if err != nil {
		closeAll()
		return nil, nil, err
	}
	closers = append(closers, func() { _ = server.Stop() })
	ways = append(ways, &way{name: "screentest", pid: server.PID(), open: func(ctx context.Context, streams int) (reader, func(), error) {
		r, err := newSocketReader(ctx, server.URL, key, model, streams)
		if err != nil {
			return nil, nil, err
		}
		return r, r.Close, nil
	}})
	return ways, closeAll, nil
}

func firstChatModel() string {
	for _, m := range gateway.SampleCatalogue().Models {
		if m.Endpoint == gateway.Chat {
			return m.ID
		}
	}
	return ""
}

// measureFirst asks for short answers, one at a time, the ways in turn, so that
// what disturbs the machine disturbs all of them.
func measureFirst(ctx context.Context, ways []*way) error {
	readers := make([]reader, len(ways))
	for i, w := range ways {
		r, closeReader, err := w.open(ctx, 1)
		if err != nil {
			return err
		}
		defer closeReader()
		readers[i] = r
	}
	const warmUp = 10
	for n := range warmUp + firstTokens {
		for i, w := range ways {
			time.Sleep(firstPause)
			var first time.Time
			start := time.Now()
			err := readers[i].Stream(ctx, fmt.Sprintf("[[repeat: 20]] first token %d", n), func([]byte) {
				if first.IsZero() {
					first = time.Now()
				}
			})
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			if n >= warmUp {
				w.first = append(w.first, first.Sub(start))
			}
		}
	}
	return nil
}

// measurePaced reads many streams at a human pace.
func measurePaced(ctx context.Context, ways []*way) error {
	prompt := fmt.Sprintf("[[pace: %d]] [[repeat: %d]]", pacedRate, pacedTokens)
	for _, w := range ways {
		load, err := w.load(ctx, pacedStreams, prompt)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		w.late = quantile(load.lateness(), 0.99)
		w.pacedCPU = load.cpuSeconds / float64(load.chunks()) * 1e6
		w.memory = load.peakKB / pacedStreams
		w.logged = float64(load.bytes) / pacedStreams / 1024
		w.busy = load.busy * 100
	}
	return nil
}

// measureFlat reads streams that come as fast as they are taken.
func measureFlat(ctx context.Context, ways []*way) error {
	prompt := fmt.Sprintf("[[repeat: %d]]", flatTokens)
	for _, w := range ways {
		load, err := w.load(ctx, flatStreams, prompt)
		if err != nil {
			return fmt.Errorf("%s: %w", w.name, err)
		}
		w.flatCPU = load.cpuSeconds / float64(load.chunks()) * 1e6
		w.flatRate = float64(load.chunks()) / load.seconds
	}
	return nil
}

// load is what came of reading many streams at once.
type load struct {
	arrivals   [][]time.Duration // of each stream's chunks, since the start
	seconds    float64
	cpuSeconds float64 // of the process under test
	peakKB     float64 // of it, above what it had before
	bytes      int64   // read, of all streams
	busy       float64 // share of all processors, by whomever
}

// load reads that many streams at once, to their ends.
func (w *way) load(ctx context.Context, streams int, prompt string) (*load, error) {
	ctx, cancel := context.WithTimeout(ctx, partWithin)
	defer cancel()
	before, err := w.usage()
	if err != nil {
		return nil, err
	}
	r, closeReader, err := w.open(ctx, streams)
	if err != nil {
		return nil, err
	}
	defer closeReader()

	l := &load{arrivals: make([][]time.Duration, streams)}
	var read atomic.Int64
	machine, err := machineTime()
	if err != nil {
		return nil, err
	}
	start := time.Now()
	watched := make(chan float64, 1)
	stop := make(chan struct{})
	go func() { watched <- w.watch(stop) }()
	group, groupCtx := errgroup.WithContext(ctx)
	for i := range streams {
		group.Go(func() error {
			var ends events
			return r.Stream(groupCtx, fmt.Sprintf("%s stream %d", prompt, i), func(p []byte) {
				now := time.Since(start)
				read.Add(int64(len(p)))
				for range ends.count(p) {
					l.arrivals[i] = append(l.arrivals[i], now)
				}
			})
		})
	}
	err = group.Wait()
	l.seconds = time.Since(start).Seconds()
	close(stop)
	peak := <-watched
	if err != nil {
		return nil, err
	}
	after, err := w.usage()
	if err != nil {
		return nil, err
	}
	l.cpuSeconds = after.cpuSeconds - before.cpuSeconds
	l.peakKB = peak - before.residentKB
	l.bytes = read.Load()
	l.busy, err = machine.busySince()
	return l, err
}

func (w *way) usage() (usage, error) {
	if w.pid == 0 {
		return usage{}, nil
	}
	return family(w.pid)
}

// watch returns the most memory seen until stop is closed.
func (w *way) watch(stop <-chan struct{}) float64 {
	var peak float64
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	for {
		if u, err := w.usage(); err == nil {
			peak = max(peak, u.residentKB)
		}
		select {
		case <-stop:
			return peak
		case <-tick.C:
		}
	}
}

func (l *load) chunks() int {
	n := 0
	for _, a := range l.arrivals {
		n += len(a)
	}
	return n
}

// lateness returns how long after its time each chunk came. A stream's
// timetable is the earliest that its own chunks allow: chunk i is due at
// t + i/rate for the greatest t that no chunk beats. The first two and last
// five events of a stream are left out, which are not paced.
func (l *load) lateness() []time.Duration {
	const head, tail = 2, 5
	step := time.Second / pacedRate
	var out []time.Duration
	for _, a := range l.arrivals {
		if len(a) < head+tail+1 {
			continue
		}
		a = a[head : len(a)-tail]
		t := time.Duration(math.MaxInt64)
		for i, at := range a {
			t = min(t, at-time.Duration(i)*step)
		}
		for i, at := range a {
			out = append(out, at-time.Duration(i)*step-t)
		}
	}
	return out
}

// events counts the ends of events in a stream that comes in pieces.
type events struct{ newline bool }

func (e *events) count(p []byte) int {
	n := 0
	for _, b := range p {
		if b == '\n' && e.newline {
			n++
		}
		e.newline = b == '\n' && !e.newline
	}
	return n
}

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	d = slices.Sorted(slices.Values(d))
	return d[min(len(d)-1, int(math.Ceil(q*float64(len(d))))-1)]
}

func printRelay(ways []*way) {
	fmt.Printf("\n## Relay: %s\n", "sandbox → way → this program, all on these processors; nginx keeps no log and stores nothing")
	names := make([]string, len(ways))
	for i, w := range ways {
		names[i] = fmt.Sprintf("%12s", w.name)
	}
	fmt.Printf("%-46s %s  %s\n", "", strings.Join(names, " "), "screentest / nginx")
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	row := func(title, format string, get func(*way) float64) {
		byName := map[string]float64{}
		cells := make([]string, len(ways))
		for i, w := range ways {
			v := get(w)
			byName[w.name] = v
			cells[i] = fmt.Sprintf("%12s", "–")
			if !math.IsNaN(v) {
				cells[i] = fmt.Sprintf("%12s", fmt.Sprintf(format, v))
			}
		}
		ratio := "–"
		if n := byName["nginx"]; n > 0 {
			ratio = fmt.Sprintf("%.2f", byName["screentest"]/n)
		}
		fmt.Printf("%-46s %s  %s\n", title, strings.Join(cells, " "), ratio)
	}
	tested := func(get func(*way) float64) func(*way) float64 {
		return func(w *way) float64 {
			if w.pid == 0 {
				return math.NaN()
			}
			return get(w)
		}
	}
	row("first bytes p50, ms", "%.2f", func(w *way) float64 { return ms(quantile(w.first, 0.50)) })
	row("first bytes p99, ms", "%.2f", func(w *way) float64 { return ms(quantile(w.first, 0.99)) })
	row(fmt.Sprintf("chunk late p99, %d streams × %d/s, ms", pacedStreams, pacedRate), "%.1f", func(w *way) float64 { return ms(w.late) })
	row("CPU-s per million chunks, so paced", "%.1f", tested(func(w *way) float64 { return w.pacedCPU }))
	row(fmt.Sprintf("CPU-s per million chunks, %d flat out", flatStreams), "%.2f", tested(func(w *way) float64 { return w.flatCPU }))
	row("chunks a second, flat out", "%.0f", func(w *way) float64 { return w.flatRate })
	row("KiB a stream, paced", "%.0f", tested(func(w *way) float64 { return w.memory }))
	row("  of which the stream's own bytes, kept", "%.0f", func(w *way) float64 {
		if w.name != "screentest" {
			return math.NaN()
		}
		return w.logged
	})
	row("processors busy while paced, %", "%.0f", func(w *way) float64 { return w.busy })
	fmt.Println("aims: chunk p99 no worse than nginx's; flat out under 1.0 CPU-s per million; at most 30 KiB a stream")
}
