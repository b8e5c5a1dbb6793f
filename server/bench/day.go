package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"screentest/server/e2e/rig"
)

const (
	dayPeople = 50
	dayPause  = 3 * time.Second // between two things that a person does, on average
	// daySamples is how often memory is looked at, but at most once a minute.
	daySamples = 30
	// dayBackups is how many are made beside it.
	dayBackups = 8
)

// day is a day's use of a team: so many people who talk, film, search, look
// through their lists and take their files away for that long, and backups beside
// them. It prints how long each thing took and how much memory the server has, and
// fails where anything was refused or went wrong.
func day(ctx context.Context, bin string, lasts time.Duration) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gateway, err := rig.Start(ctx, bin, nil, "sandbox", "-addr", "127.0.0.1:0", "-key", key,
		"-speed", "20", "-tokens-per-second", "100", "-balance", "1000000")
	if err != nil {
		return err
	}
	defer func() { _ = gateway.Kill() }()
	team, err := openTeam(ctx, bin, dir, gateway.URL, dayPeople)
	if err != nil {
		return err
	}
	defer team.close()

	fmt.Printf("\n## A day of %d people, in %v: each does something every %v or so\n", dayPeople, lasts, dayPause)
	took := newDurations()
	ctx, cancel := context.WithTimeout(ctx, lasts)
	defer cancel()
	var group errgroup.Group
	for i := range team.people {
		group.Go(func() error { return team.people[i].spend(ctx, took) })
	}
	group.Go(func() error { return backups(ctx, bin, team.data, dir, lasts/dayBackups, took) })
	memory := watchMemory(ctx, team.server.PID(), min(time.Minute, lasts/daySamples), took)
	err = group.Wait()
	took.print()
	printSlope(memory)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, team.server.Log())
	}
	if n := took.failures(); n > 0 {
		return fmt.Errorf("%d things went wrong", n)
	}
	return nil
}

// backups makes a backup each time that long has passed.
func backups(ctx context.Context, bin, data, dir string, every time.Duration, took *durations) error {
	for n := 0; pause(ctx, every); n++ {
		file := filepath.Join(dir, fmt.Sprintf("backup-%d", n))
		_ = took.time("a backup beside it all", func() error {
			// It ends by itself: one that is cut off says nothing.
			out, err := exec.Command(bin, "backup", "-data", data, file).CombinedOutput()
			if err != nil {
				return fmt.Errorf("%w: %s", err, out)
			}
			return nil
		})
		if err := os.Remove(file); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// pause waits, and is false when the day is over.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// A resident is how much memory a process had.
type resident struct {
	at time.Duration
	mb float64
}

// watchMemory prints how much memory a process has, again and again, until the
// day is over.
func watchMemory(ctx context.Context, pid int, every time.Duration, took *durations) (all []resident) {
	begin := time.Now()
	for pause(ctx, every) {
		u, err := process(pid)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			return all
		}
		r := resident{time.Since(begin), u.privateKB / 1024}
		all = append(all, r)
		fmt.Printf("%8v  %6.1f MB resident  %7.1f CPU-s  %7d things done\n", r.at.Round(time.Second), r.mb, u.cpuSeconds, took.count())
	}
	return all
}

// slope is how much memory grows, in MB an hour: the line through all that was
// seen after the first third, in which caches fill.
func slope(all []resident) float64 {
	all = all[len(all)/3:]
	var x, y, xx, xy float64
	for _, r := range all {
		h := r.at.Hours()
		x, y, xx, xy = x+h, y+r.mb, xx+h*h, xy+h*r.mb
	}
	n := float64(len(all))
	if d := n*xx - x*x; d > 0 {
		return (n*xy - x*y) / d
	}
	return 0
}

func printSlope(all []resident) {
	if len(all) < 3 {
		return
	}
	late := all[len(all)/3:]
	by := func(a, b resident) int { return int(a.mb*10) - int(b.mb*10) }
	fmt.Printf("after the first third: %.1f to %.1f MB, %+.1f MB an hour\n", slices.MinFunc(late, by).mb, slices.MaxFunc(late, by).mb, slope(all))
}

// durations are how long things took, by what they are.
type durations struct {
	mu     sync.Mutex
	of     map[string][]time.Duration
	failed map[string]int
}

func newDurations() *durations {
	return &durations{of: map[string][]time.Duration{}, failed: map[string]int{}}
}

// time does something and notes how long it took. What goes wrong is said at once,
// but for what the day's end cuts off.
func (d *durations) time(what string, do func() error) error {
	begin := time.Now()
	err := do()
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
	case err != nil:
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.failed[what]++; d.failed[what] <= 3 {
			fmt.Fprintf(os.Stderr, "bench: %s: %v\n", what, err)
		}
	default:
		d.note(what, time.Since(begin))
	}
	return err
}

// note notes how long something took.
func (d *durations) note(what string, took time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.of[what] = append(d.of[what], took)
}

func (d *durations) count() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, of := range d.of {
		n += len(of)
	}
	return n
}

func (d *durations) failures() (n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.failed {
		n += f
	}
	return n
}

func (d *durations) print() {
	fmt.Printf("%-34s %8s %9s %9s %9s %7s\n", "ms", "times", "p50", "p99", "most", "errors")
	ms := func(t time.Duration) float64 { return float64(t.Microseconds()) / 1000 }
	for _, what := range slices.Sorted(maps.Keys(d.of)) {
		of := d.of[what]
		fmt.Printf("%-34s %8d %9.2f %9.2f %9.2f %7d\n", what, len(of), ms(quantile(of, 0.5)), ms(quantile(of, 0.99)), ms(slices.Max(of)), d.failed[what])
	}
	for what, n := range d.failed {
		if len(d.of[what]) == 0 {
			fmt.Printf("%-34s %8d %39d\n", what, 0, n)
		}
	}
}
