package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"screentest/server/wiretest"
)

// crowdPeople share the streams of a crowd: one person may have 512 at most.
const crowdPeople = 20

// crowds are more streams at once than one team has.
var crowds = []struct {
	streams int
	plan    plan
}{
	{1000, plan{chunks: 500, rate: 50, ramp: 4 * time.Second}},
	{5000, plan{chunks: 20, rate: 1, ramp: 10 * time.Second}},
}

// crowd reads thousands of streams through a team's server, on all processors,
// and fails where a chunk is lost.
func crowd(ctx context.Context, bin string) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	source, err := startSource(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = source.Kill() }()
	team, err := openTeam(ctx, bin, dir, source.URL, crowdPeople)
	if err != nil {
		return err
	}
	defer team.close()
	w := way{name: "screentest", pids: []int{team.server.PID()}, open: team.reader}

	fmt.Printf("\n## Crowds: source → screentest → this program, all on all processors\n")
	for _, c := range crowds {
		before, err := w.usage()
		if err != nil {
			return err
		}
		l, err := w.load(ctx, c.streams, c.plan)
		if err != nil {
			return err
		}
		fmt.Printf("%d streams at %d/s: %d chunks of %d came; late p50 %.1f ms, p99 %.1f ms; %.1f CPU-s per million; %.0f KiB a stream; processors busy %.0f %%\n",
			c.streams, c.plan.rate, l.chunks, l.chunks+l.lost, ms(quantile(l.late, 0.5)), ms(quantile(l.late, 0.99)),
			l.cpuSeconds/float64(l.chunks)*1e6, (l.flowKB-before.privateKB)/float64(c.streams), l.busy*100)
		if l.lost != 0 {
			return fmt.Errorf("%d chunks were lost", l.lost)
		}
	}
	return nil
}

// reader has as many tabs opened as that many streams take, the people in turns.
func (t *team) reader(ctx context.Context, streams int) (reader, func(), error) {
	r := &socketReader{model: firstChatModel()}
	for n := range (streams + lanes - 1) / lanes {
		p := t.people[n%len(t.people)]
		tab, err := wiretest.Dial(ctx, p.base, p.browser)
		if err != nil {
			r.Close()
			return nil, nil, err
		}
		r.tabs = append(r.tabs, tab)
	}
	return r, r.Close, nil
}
