// Command bench prints what Screentest is measured by: the size of the page's
// program, how soon it answers over a slow line, the cost of the relay against
// reading the gateway directly and against nginx, streaming in a real browser, and
// what replicas on PostgreSQL bear beside one process on SQLite. `make bench` runs it;
// it is bounded in time: no part takes much over a minute, but for replicas, which
// take less than four.
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
	"time"

	"screentest/server/e2e/rig"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == sourceCommand {
		fmt.Fprintln(os.Stderr, "source:", serveSource())
		os.Exit(1)
	}
	var opt options
	only := flag.String("only", "sizes,start,relay,browser,lanes,scroll,typing,replicas", "which `parts` to measure; day, a day of 50 people, and crowd, thousands of streams, are two more")
	flag.StringVar(&opt.against, "against", "", "another `screentest`, an older one say, that is measured in turns with this one: its start, and its relay")
	flag.BoolVar(&opt.pin, "pin", true, "give the relay under test processors of its own")
	flag.IntVar(&opt.rounds, "rounds", 3, "how often each way of the relay is measured")
	flag.StringVar(&opt.profile, "profile", "", "write profiles of the relay into this `folder`")
	flag.IntVar(&opt.streams, "streams", 100, "how many streams at once the part replicas reads")
	flag.DurationVar(&opt.day, "for", 2*time.Minute, "how long the `time` of the part day is")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, strings.Split(*only, ","), opt); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only []string, opt options) error {
	bin, err := rig.Build(ctx)
	if err != nil {
		return err
	}
	if opt.profile != "" {
		dir, err := os.MkdirTemp("", "screentest-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if bin, err = buildProfiled(ctx, dir); err != nil {
			return err
		}
	}
	fmt.Printf("%s, %s/%s, %d processors\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	parts := []struct {
		name    string
		measure func(context.Context, string) error
	}{
		{"sizes", sizes},
		{"start", func(ctx context.Context, bin string) error { return starts(ctx, bin, opt.against) }},
		{"relay", func(ctx context.Context, bin string) error { return relay(ctx, bin, opt) }},
		{"browser", browser},
		{"lanes", comparison},
		{"scroll", scroll},
		{"typing", typing},
		{"replicas", func(ctx context.Context, bin string) error { return replicas(ctx, bin, opt) }},
		{"crowd", crowd},
		{"day", func(ctx context.Context, bin string) error { return day(ctx, bin, opt.day) }},
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
