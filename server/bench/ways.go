package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"screentest/server/e2e/rig"
)

// way is one way from the source to a reader.
type way struct {
	name string
	pids []int // of the processes under test
	open func(ctx context.Context, streams int) (reader, func(), error)

	idleKB  float64              // private memory before the first stream
	figures map[string][]float64 // by the row's title, one a round
}

func (w *way) note(title string, figure float64) {
	if w.figures == nil {
		w.figures = map[string][]float64{}
	}
	w.figures[title] = append(w.figures[title], figure)
}

// processors says who works where: the source and this reader share the first,
// the way under test has the others to itself. With one there is no choice.
type processorSplit struct{ ours, tested []int }

func splitProcessors() (processorSplit, bool) {
	var all []int
	for i := range runtime.NumCPU() {
		all = append(all, i)
	}
	if len(all) < 2 {
		return processorSplit{all, all}, false
	}
	half := len(all) / 2
	return processorSplit{all[:half], all[half:]}, true
}

// openWays starts the source and the ways from it. close ends them.
func openWays(ctx context.Context, bin, dir string, opt options) (ways []*way, closeAll func(), err error) {
	var closers []func()
	closeAll = func() {
		for _, c := range slices.Backward(closers) {
			c()
		}
	}
	defer func() {
		if err != nil {
			closeAll()
		}
	}()
	under := func(start func() error) error { return start() }
	if split, can := splitProcessors(); can && opt.pin {
		if err := pinThis(split.ours); err != nil {
			return nil, nil, err
		}
		under = func(start func() error) error { return pinned(split.tested, start) }
	}

	source, err := startSource(ctx)
	if err != nil {
		return nil, nil, err
	}
	closers = append(closers, func() { _ = source.Kill() })
	model := firstChatModel()
	over := func(url string) func(context.Context, int) (reader, func(), error) {
		return func(context.Context, int) (reader, func(), error) {
			return newHTTPReader(url, key, model), func() {}, nil
		}
	}
	ways = append(ways, &way{name: "direct", open: over(source.URL)})

	var n *nginx
	switch err := under(func() (err error) { n, err = startNginx(ctx, dir, source.Host()); return err }); {
	case errors.Is(err, errNoNginx):
		fmt.Fprintln(os.Stderr, "NOTICE:", err)
	case err != nil:
		return nil, nil, err
	default:
		closers = append(closers, n.stop)
		ways = append(ways, &way{name: "nginx", pids: []int{n.cmd.Process.Pid}, open: over(n.url)})
	}

	programs := []struct{ name, bin, data string }{{"screentest", bin, "data"}}
	if opt.against != "" {
		programs = append(programs, struct{ name, bin, data string }{"-against", opt.against, "against"})
	}
	for _, p := range programs {
		var server *rig.Program
		err = under(func() (err error) {
			server, err = rig.Start(ctx, p.bin, opt.profileEnv(dir), "serve", "-addr", "127.0.0.1:0", "-data", filepath.Join(dir, p.data), "-gateway", source.URL)
			return err
		})
		if err != nil {
			return nil, nil, err
		}
		closers = append(closers, func() { _ = server.Stop() })
		ways = append(ways, &way{name: p.name, pids: []int{server.PID()}, open: func(ctx context.Context, streams int) (reader, func(), error) {
			r, err := newSocketReader(ctx, server.URL, key, model, streams)
			if err != nil {
				return nil, nil, err
			}
			return r, r.Close, nil
		}})
	}
	return ways, closeAll, nil
}
