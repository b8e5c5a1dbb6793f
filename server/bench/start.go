package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"screentest/server/e2e/rig"
)

// The slow line that the page's start is measured over: a phone's.
const (
	lineBits  = 1_600_000
	lineDelay = 150 * time.Millisecond
)

// startRounds is how often each program is started, in turns.
const startRounds = 5

// milestones notes when the page has come how far, each with a frame that shows it.
const milestones = `(() => {
	const at = window.benchStart = {};
	const look = () => {
		const field = document.querySelector("#composer");
		if (field?.checkVisibility()) {
			at.typed ??= performance.now();
			if (document.querySelector("#app")) at.drawn ??= performance.now();
		}
		if (at.drawn && document.querySelector("#gateway")) at.greeted ??= performance.now();
		at.read ??= performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
		if (!at.greeted || !at.read) requestAnimationFrame(look);
		else at.all = true;
	};
	requestAnimationFrame(look);
})()`

// milestone is how long after its address was asked for a page had come how far.
type milestone struct {
	Read    float64 `json:"read"`    // something of it is painted, in ms
	Typed   float64 `json:"typed"`   // there is a composer
	Drawn   float64 `json:"drawn"`   // the program has drawn its own
	Greeted float64 `json:"greeted"` // and the server has greeted it
}

// coming is how a page comes to somebody.
type coming struct {
	name string
	slow bool
	warm bool // they were there before
}

var ways = []coming{
	{"loopback, first visit", false, false},
	{"loopback, again", false, true},
	{"slow line, first visit", true, false},
	{"slow line, again", true, true},
}

// starts measures the time from an address to a page that can be read, typed in and
// that answers, for somebody who was never there and for somebody who was there
// before. With -against it does the same with another program, in turns.
func starts(ctx context.Context, bin, against string) error {
	names, programs := []string{"this program"}, []string{bin}
	if against != "" {
		names, programs = append(names, "-against"), append(programs, against)
	}
	b, err := rig.OpenMeasured()
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	seen := make([][][]milestone, len(programs)) // by program and way
	for i := range seen {
		seen[i] = make([][]milestone, len(ways))
	}
	for range startRounds {
		for i, program := range programs {
			if err := startOnce(ctx, b, program, seen[i]); err != nil {
				return fmt.Errorf("%s: %w", names[i], err)
			}
		}
	}
	fmt.Printf("\n## From an address to a page, in ms; the slow line has %.1f Mbit/s and %v; median of %d\n", lineBits/1e6, lineDelay, startRounds)
	fmt.Printf("%-14s %-24s %9s %9s %9s %9s\n", "", "", "readable", "typed in", "program", "greeted")
	for i, name := range names {
		for w, way := range ways {
			fmt.Printf("%-14s %-24s", name, way.name)
			for _, of := range []func(milestone) float64{
				func(m milestone) float64 { return m.Read }, func(m milestone) float64 { return m.Typed },
				func(m milestone) float64 { return m.Drawn }, func(m milestone) float64 { return m.Greeted },
			} {
				var all []time.Duration
				for _, m := range seen[i][w] {
					all = append(all, time.Duration(of(m)*float64(time.Millisecond)))
				}
				fmt.Printf(" %9d", quantile(all, 0.5).Milliseconds())
			}
			fmt.Println()
		}
	}
	return nil
}

// startOnce opens the program's page in each way, on either line in a new profile.
func startOnce(ctx context.Context, b *rig.Browser, bin string, seen [][]milestone) error {
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
	var profile *rig.Profile
	for w, way := range ways {
		if !way.warm {
			if profile, err = b.Profile(); err != nil {
				return err
			}
			defer profile.Close()
		}
		visits := 1
		if way.warm {
			// The browser keeps what it has compiled, and the service worker its
			// files, some time after the first visit.
			visits = 2
		}
		for visit := range visits {
			if way.warm {
				select {
				case <-time.After(2 * time.Second):
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			m, err := visitOnce(profile, server.URL, way.slow)
			if err != nil {
				return fmt.Errorf("%s: %w", way.name, err)
			}
			if visit == visits-1 {
				seen[w] = append(seen[w], m)
			}
		}
	}
	return nil
}

func visitOnce(profile *rig.Profile, base string, slow bool) (m milestone, err error) {
	tab, err := profile.Tab()
	if err != nil {
		return m, err
	}
	defer tab.Close()
	if slow {
		if err := tab.Line(lineBits, lineDelay); err != nil {
			return m, err
		}
	}
	if err := tab.Before(milestones); err != nil {
		return m, err
	}
	if err := tab.Open(base + "/"); err != nil {
		return m, err
	}
	if err := tab.Wait("window.benchStart.all"); err != nil {
		return m, err
	}
	return m, tab.Eval(&m, "window.benchStart")
}
