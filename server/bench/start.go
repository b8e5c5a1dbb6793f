package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"screentest/server/e2e/rig"
)

// The line that the page's start is measured over: a slow phone's.
const (
	lineBits  = 1_600_000
	lineDelay = 150 * time.Millisecond
)

// startRounds is how often each program is started, in turns.
const startRounds = 3

// ready notes when the program has taken the place of the page's shell.
const ready = `(() => {
	const look = () => {
		if (document.querySelector("#composer") && !document.querySelector("#app-wasm-loader")) window.benchReady = performance.now();
		else requestAnimationFrame(look);
	};
	look();
})()`

// starts measures the time from an address to a page that answers, for somebody
// who was never there and for somebody who was there before. With -against it
// does the same with another program, in turns.
func starts(ctx context.Context, bin, against string) error {
	names, programs := []string{"this program"}, []string{bin}
	if against != "" {
		names, programs = append(names, "-against"), append(programs, against)
	}
	b, err := rig.OpenBrowser()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	cold, warm := make([][]time.Duration, len(programs)), make([][]time.Duration, len(programs))
	for range startRounds {
		for i, program := range programs {
			first, again, err := startOnce(ctx, b, program)
			if err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
			cold[i], warm[i] = append(cold[i], first), append(warm[i], again)
		}
	}
	fmt.Printf("\n## From an address to a page that answers, over %.1f Mbit/s and %v; median of %d\n", lineBits/1e6, lineDelay, startRounds)
	for i, name := range names {
		fmt.Printf("%-14s first visit %6.2f s   again %6.2f s\n", name, quantile(cold[i], 0.5).Seconds(), quantile(warm[i], 0.5).Seconds())
	}
	return nil
}

// startOnce opens the program's page in a new profile, twice.
func startOnce(ctx context.Context, b *rig.Browser, bin string) (cold, warm time.Duration, err error) {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(dir)
	server, err := rig.Start(ctx, bin, nil, "serve", "-addr", "127.0.0.1:0", "-data", dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = server.Stop() }()
	profile, err := b.Profile()
	if err != nil {
		return 0, 0, err
	}
	defer profile.Close()
	if cold, err = visit(profile, server.URL); err != nil {
		return 0, 0, err
	}
	// The browser keeps what it has compiled, and go-app's service worker its
	// files, some time after the first visit.
	for range 2 {
		select {
		case <-time.After(3 * time.Second):
		case <-ctx.Done():
			return 0, 0, ctx.Err()
		}
		if warm, err = visit(profile, server.URL); err != nil {
			return 0, 0, err
		}
	}
	return cold, warm, nil
}

func visit(profile *rig.Profile, base string) (time.Duration, error) {
	tab, err := profile.Tab()
	if err != nil {
		return 0, err
	}
	defer tab.Close()
	if err := tab.Line(lineBits, lineDelay); err != nil {
		return 0, err
	}
	if err := tab.Before(ready); err != nil {
		return 0, err
	}
	if err := tab.Open(base + "/"); err != nil {
		return 0, err
	}
	if err := tab.Wait("window.benchReady"); err != nil {
		return 0, err
	}
	var ms float64
	if err := tab.Eval(&ms, "window.benchReady"); err != nil {
		return 0, err
	}
	return time.Duration(ms * float64(time.Millisecond)), nil
}
