package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"screentest/server/e2e/rig"
)

// typing measures what a key costs that is pressed in the form of a clip: the time
// of the page's main thread from the press to the picture that shows it.
func typing(ctx context.Context, bin string) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	server, err := rig.Start(ctx, bin, nil, "serve", "-addr", "127.0.0.1:0", "-data", dir)
	if err != nil {
		return err
	}
	defer func() { _ = server.Stop() }()
	b, err := rig.OpenMeasured()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	profile, err := b.Profile()
	if err != nil {
		return err
	}
	tab, err := profile.Tab()
	if err != nil {
		return err
	}
	for _, do := range []func() error{
		tab.Quiet,
		func() error { return tab.Open(server.URL + "/video") },
		func() error {
			return tab.Wait(`!document.getElementById("app-wasm-loader") && !!document.querySelector("#f-prompt")`)
		},
		func() error { return tab.Click("#f-prompt") },
		func() error { return tab.Type(strings.Repeat("warm ", 10)) },
	} {
		if err := do(); err != nil {
			return err
		}
	}
	const keys = 60
	var costs []time.Duration
	for range keys {
		before, err := tab.Worked()
		if err != nil {
			return err
		}
		if err := tab.Type("a"); err != nil {
			return err
		}
		time.Sleep(60 * time.Millisecond) // it is drawn with the next frame
		after, err := tab.Worked()
		if err != nil {
			return err
		}
		costs = append(costs, after-before)
	}
	slices.Sort(costs)
	fmt.Printf("\n## A key in the form of a clip, in Chromium\n")
	fmt.Printf("%-46s %12.1f  aim under 8\n", "main thread for a key, ms, median", float64(costs[keys/2].Microseconds())/1000)
	fmt.Printf("%-46s %12.1f\n", "p90, ms", float64(quantile(costs, 0.9).Microseconds())/1000)
	return nil
}
