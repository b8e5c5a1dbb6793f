// Command bench prints what Screentest is measured by: the size of the page's
// program, how soon it answers over a slow line, the cost of the relay against
// reading the gateway directly and against nginx, and streaming in a real
// browser. `make bench` runs it; it is bounded in time, no part takes much over
// a minute.
//
// All figures of a table come from one run on one machine that the source, the
// relay and the reader share, so it is their ratios that say something.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"

	"screentest/server/e2e/rig"
)

func main() {
	only := flag.String("only", "sizes,start,relay,browser,lanes", "which `parts` to measure")
	against := flag.String("against", "", "another `screentest`, an older one say, whose page is started in turns with this one's")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, strings.Split(*only, ","), *against); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only []string, against string) error {
	bin, err := rig.Build(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %s/%s, %d processors\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	parts := []struct {
		name    string
		measure func(context.Context, string) error
	}{
		{"sizes", sizes},
		{"start", func(ctx context.Context, bin string) error { return starts(ctx, bin, against) }},
		{"relay", relay},
		{"browser", browser},
		{"lanes", comparison},
	}
	for _, p := range parts {
		if !slices.Contains(only, p.name) {
			continue
		}
		if err := p.measure(ctx, bin); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}
