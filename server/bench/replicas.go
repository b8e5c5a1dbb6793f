package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// The rows of the table, beside those of the relay's.
const (
	rowReplicaCPU   = "CPU-s per million chunks, Screentest"
	rowDatabaseCPU  = "CPU-s per million chunks, PostgreSQL"
	rowStreamCPU    = "processor a stream, Screentest, % of one"
	rowRuns         = "durable runs a second, 64 at once"
	rowTogether50   = "first bytes p50, 16 at once, ms"
	rowTogether99   = "first bytes p99, 16 at once, ms"
	rowBudget50     = "first bytes p50, 16 at once, with a budget, ms"
	rowBudget99     = "first bytes p99, 16 at once, with a budget, ms"
	rowSearch50     = "search p50, ms"
	rowSearch99     = "search p99, ms"
	rowPage50       = "page of conversations p50, ms"
	rowPage99       = "page of conversations p99, ms"
	rowTaken50      = "taken over by another replica p50, s"
	rowTakenMost    = "taken over by another replica, most, s"
	rowTakenBack50  = "taken over at its own address p50, s"
	rowTakenBackMax = "taken over at its own address, most, s"
)

const (
	replicasWithin = 4 * time.Minute
	replicasMost   = 3 // replicas of one instance

	replicaFirsts     = 100 // answers of a round, one after the other
	replicaFirstPause = 5 * time.Millisecond
	firstsWithin      = 30 * time.Second

	// durableAtOnce send short answers, one after the other each, for so long.
	durableAtOnce = 64
	durableFor    = 2500 * time.Millisecond
	// togetherAtOnce do the same where the latency is looked at.
	togetherAtOnce = 16
	togetherFor    = time.Second
)

var replicaPlan = plan{chunks: 100, rate: 50, ramp: time.Second}

// replicaWay is a way through an instance.
type replicaWay struct {
	way

	instance *instance
	database *postgres // nil: it is on SQLite
	history  []*wiretest.Client
}

// replicas measures one process on SQLite, and one, two and three replicas on one
// PostgreSQL, in turns, and how long it takes until a killed one's streams are taken
// over. What has been measured when the time is up is printed all the same.
func replicas(ctx context.Context, bin string, opt options) error {
	if _, err := postgresProgram("postgres"); err != nil {
		fmt.Fprintln(os.Stderr, "NOTICE:", err)
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, replicasWithin, fmt.Errorf("it took longer than %v", replicasWithin))
	defer cancel()
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ways, closeAll, err := openReplicas(ctx, bin, dir, opt)
	defer closeAll()
	if err != nil {
		return err
	}
	filled, err := measureReplicas(ctx, ways, opt)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = fmt.Errorf("%w: %w", cause, err)
	}
	printReplicas(ways, filled, opt)
	return err
}

// openReplicas starts the source, PostgreSQL, and all that is measured. closeAll ends
// what has been started, with an error too.
func openReplicas(ctx context.Context, bin, dir string, opt options) (ways []*replicaWay, closeAll func(), err error) {
	var closers []func()
	closeAll = func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}
	under := func(start func() error) error { return start() }
	if split, can := splitProcessors(); can && opt.pin {
		if err := pinThis(split.ours); err != nil {
			return nil, closeAll, err
		}
		under = func(start func() error) error { return pinned(split.tested, start) }
	}
	database, err := startPostgres(ctx, under, "of1", "of2", "of3")
	if err != nil {
		return nil, closeAll, err
	}
	closers = append(closers, database.stop)
	source, err := startSource(ctx)
	if err != nil {
		return nil, closeAll, err
	}
	closers = append(closers, func() { _ = source.Kill() })
	for n := range replicasMost + 1 {
		w := &replicaWay{database: database}
		url, processes := database.url(fmt.Sprintf("of%d", n)), n
		w.name = fmt.Sprintf("%d replicas", n)
		switch n {
		case 0:
			w.name, w.database, url, processes = "SQLite", nil, "", 1
		case 1:
			w.name = "1 replica"
		}
		if w.instance, err = openInstance(ctx, bin, filepath.Join(dir, fmt.Sprint(n)), source.URL, url, processes, under); err != nil {
			return nil, closeAll, fmt.Errorf("%s: %w", w.name, err)
		}
		closers = append(closers, w.instance.close)
		w.pids, w.open = w.instance.pids(), w.instance.open
		ways = append(ways, w)
	}
	last := ways[replicasMost]
	elsewhere := &replicaWay{instance: last.instance, database: database}
	elsewhere.name, elsewhere.pids, elsewhere.open = fmt.Sprintf("%d, read elsewhere", replicasMost), last.pids, last.instance.openElsewhere
	return append(ways, elsewhere), closeAll, nil
}

// measureReplicas measures everything, and returns how many conversations search and
// pages had before them.
func measureReplicas(ctx context.Context, all []*replicaWay, opt options) (filled int, err error) {
	instances := all[:replicasMost+1] // each once
	sqlite, most := all[0], all[replicasMost]
	budget := func() error {
		for _, w := range instances {
			admin := w.instance.team.people[0]
			limits := map[string]any{"limits": wire.Limits{DayNanoUSD: wire.MaxBudgetNanoUSD}}
			if err := admin.ask(ctx, http.MethodPatch, "/api/teams/"+admin.team, limits, nil); err != nil {
				return fmt.Errorf("a budget: %w", err)
			}
		}
		return nil
	}
	history := func() (err error) {
		if filled, err = fill(ctx, []*instance{sqlite.instance, most.instance}); err != nil {
			return err
		}
		for _, w := range []*replicaWay{sqlite, most} {
			for _, r := range w.instance.replicas {
				tab, err := wiretest.Dial(ctx, r.URL, w.instance.team.people[0].browser)
				if err != nil {
					return err
				}
				w.history = append(w.history, tab)
			}
		}
		return nil
	}
	defer func() {
		for _, w := range all {
			for _, tab := range w.history {
				tab.Close()
			}
		}
	}()
	turns := func(within time.Duration, ways []*replicaWay, measure func(*replicaWay) error) func() error {
		return func() error {
			return inTurns(opt.rounds, within, func() error {
				for _, w := range ways {
					if err := measure(w); err != nil {
						return fmt.Errorf("%s: %w", w.name, err)
					}
				}
				return nil
			})
		}
	}
	for _, do := range []func() error{
		func() error {
			return inTurns(opt.rounds, firstsWithin, func() error {
				var ways []*way
				for _, w := range all {
					ways = append(ways, &w.way)
				}
				return measureFirst(ctx, ways, replicaFirsts, replicaFirstPause, firstsWithin)
			})
		},
		turns(55*time.Second, all, func(w *replicaWay) error { return w.paced(ctx, opt.streams) }),
		turns(35*time.Second, instances, func(w *replicaWay) error {
			s, err := w.send(ctx, durableAtOnce, durableFor)
			w.note(rowRuns, s.perSecond)
			return err
		}),
		turns(12*time.Second, instances, func(w *replicaWay) error { return w.together(ctx, rowTogether50, rowTogether99) }),
		budget,
		turns(12*time.Second, instances, func(w *replicaWay) error { return w.together(ctx, rowBudget50, rowBudget99) }),
		history,
		func() error {
			return inTurns(opt.rounds, 15*time.Second, func() error { return measureHistory(ctx, []*replicaWay{sqlite, most}) })
		},
		func() error { return most.killed(ctx, false, rowTaken50, rowTakenMost) },
		func() error { return most.killed(ctx, true, rowTakenBack50, rowTakenBackMax) },
	} {
		if err := do(); err != nil {
			return filled, err
		}
	}
	return filled, nil
}

// inTurns measures a round after the other, as many as that and at least one, but
// begins none that would end later than within after the first one's begin, if it takes
// as long as the one before.
func inTurns(rounds int, within time.Duration, round func() error) error {
	begin := time.Now()
	for n := range rounds {
		this := time.Now()
		if n > 0 && this.Sub(begin)*time.Duration(n+1) > within*time.Duration(n) {
			return nil
		}
		if err := round(); err != nil {
			return err
		}
	}
	return nil
}

// paced reads many streams at a human pace.
func (w *replicaWay) paced(ctx context.Context, streams int) error {
	database := way{}
	if w.database != nil {
		database.pids = []int{w.database.cmd.Process.Pid}
	}
	before, err := database.usage()
	if err != nil {
		return err
	}
	l, err := w.load(ctx, streams, replicaPlan)
	if err != nil {
		return err
	}
	after, err := database.usage()
	if err != nil {
		return err
	}
	if l.lost != 0 {
		return fmt.Errorf("%d chunks of %d were lost", l.lost, l.lost+l.chunks)
	}
	w.note(rowLate50, ms(quantile(l.late, 0.50)))
	w.note(rowLate99, ms(quantile(l.late, 0.99)))
	w.note(rowReplicaCPU, l.cpuSeconds/float64(l.chunks)*1e6)
	if w.database != nil {
		w.note(rowDatabaseCPU, (after.cpuSeconds-before.cpuSeconds)/float64(l.chunks)*1e6)
	}
	w.note(rowStreamCPU, replicaPlan.share(l.cpuSeconds, streams)*100)
	w.note(rowBusy, l.busy*100)
	return nil
}

// share is how much of a processor each of so many streams had while it went on.
func (p plan) share(cpuSeconds float64, streams int) float64 {
	return cpuSeconds / (float64(streams) * float64(p.chunks) / float64(p.rate))
}

// sent is what came of sending short answers.
type sent struct {
	perSecond float64 // that ended well
	first     []time.Duration
}

// send has so many send for that long, each the next one when the one before has
// ended.
func (w *replicaWay) send(ctx context.Context, atOnce int, lasts time.Duration) (s sent, err error) {
	ctx, cancel := context.WithTimeout(ctx, partWithin)
	defer cancel()
	r, closeReader, err := w.open(ctx, atOnce)
	if err != nil {
		return s, err
	}
	defer closeReader()
	var ended atomic.Int64
	first := make([][]time.Duration, atOnce)
	begin := time.Now()
	group, groupCtx := errgroup.WithContext(ctx)
	for n := range atOnce {
		group.Go(func() error {
			for time.Since(begin) < lasts {
				var came time.Time
				start := time.Now()
				err := r.Stream(groupCtx, shortPlan.prompt(), func([]byte) {
					if came.IsZero() {
						came = time.Now()
					}
				})
				if err != nil {
					return err
				}
				ended.Add(1)
				first[n] = append(first[n], came.Sub(start))
			}
			return nil
		})
	}
	err = group.Wait()
	return sent{float64(ended.Load()) / time.Since(begin).Seconds(), slices.Concat(first...)}, err
}

func (w *replicaWay) together(ctx context.Context, row50, row99 string) error {
	s, err := w.send(ctx, togetherAtOnce, togetherFor)
	if err != nil {
		return err
	}
	w.note(row50, ms(quantile(s.first, 0.50)))
	w.note(row99, ms(quantile(s.first, 0.99)))
	return nil
}

func (w *replicaWay) killed(ctx context.Context, back bool, row50, rowMost string) error {
	told, err := w.instance.taken(ctx, back)
	if err != nil {
		return err
	}
	w.note(row50, quantile(told, 0.50).Seconds())
	w.note(rowMost, slices.Max(told).Seconds())
	return nil
}

func printReplicas(ways []*replicaWay, filled int, opt options) {
	fmt.Printf("\n## Replicas on one PostgreSQL, which commits to the disk, beside one process on SQLite\n\n")
	fmt.Printf("%d streams of %d/s paced, %d chunks each, begun in %v; %d people; median of up to %d rounds in turns (least–most); %s.\n",
		opt.streams, replicaPlan.rate, replicaPlan.chunks, replicaPlan.ramp, replicaPeople, opt.rounds, opt.where())
	fmt.Printf("Streams go to all replicas in turn, and are read at their holder but in the last column. Search and pages are those of a person with %d conversations and %d messages.\n", filled, filled*historyMessages)
	fmt.Printf("Taken over: the time from the end (kill -9) of a replica that held %d streams until a tab at another one knew that they are interrupted; at its own address: it is started anew at once.\n\n", takenStreams)
	for _, line := range replicaTable(ways) {
		fmt.Println(line)
	}
}

// replicaTable is the table in Markdown. A row that nothing was noted for is left out.
func replicaTable(ways []*replicaWay) []string {
	head := []string{""}
	for _, w := range ways {
		head = append(head, w.name)
	}
	table := [][]string{head}
	for _, row := range []struct{ title, format string }{
		{rowFirst50, "%.2f"}, {rowFirst99, "%.2f"}, {rowLate50, "%.2f"}, {rowLate99, "%.2f"},
		{rowReplicaCPU, "%.1f"}, {rowDatabaseCPU, "%.1f"}, {rowStreamCPU, "%.3f"}, {rowBusy, "%.0f"},
		{rowRuns, "%.0f"}, {rowTogether50, "%.1f"}, {rowTogether99, "%.1f"}, {rowBudget50, "%.1f"}, {rowBudget99, "%.1f"},
		{rowSearch50, "%.2f"}, {rowSearch99, "%.2f"}, {rowPage50, "%.2f"}, {rowPage99, "%.2f"},
		{rowTaken50, "%.1f"}, {rowTakenMost, "%.1f"}, {rowTakenBack50, "%.1f"}, {rowTakenBackMax, "%.1f"},
	} {
		cells, any := []string{row.title}, false
		for _, w := range ways {
			cell, _ := spread(row.format, w.figures[row.title])
			cells = append(cells, cell)
			any = any || len(w.figures[row.title]) > 0
		}
		if any {
			table = append(table, cells)
		}
	}
	return markdownTable(table)
}
