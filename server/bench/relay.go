package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"screentest/shared/gateway"
)

const (
	key = "bench"

	firstTokens = 200                   // answers asked for one after the other
	firstPause  = 40 * time.Millisecond // before each: nobody asks at once again

	pacedStreams = 300
	flatStreams  = 64

	// partWithin bounds one measurement of one way.
	partWithin = 2 * time.Minute
)

var (
	shortPlan = plan{chunks: 4, rate: 200}
	pacedPlan = plan{chunks: 400, rate: 50, ramp: 4 * time.Second}
	flatPlan  = plan{chunks: 4000}
)

// The rows of the table.
const (
	rowFirst50  = "first bytes p50, ms"
	rowFirst99  = "first bytes p99, ms"
	rowLate50   = "chunk late p50, paced, ms"
	rowLate99   = "chunk late p99, paced, ms"
	rowPacedCPU = "CPU-s per million chunks, paced"
	rowMemory   = "KiB a stream while all are under way"
	rowPeak     = "  and at most, their ends among it"
	rowUnstored = "  of which bytes that wait for the disk"
	rowBusy     = "processors busy, paced, %"
	rowFlatCPU  = "CPU-s per million chunks, flat out"
	rowFlatRate = "chunks a second, flat out"
)

// relay measures the ways in turns and prints them side by side.
func relay(ctx context.Context, bin string, opt options) error {
	dir, err := os.MkdirTemp("", "screentest-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	ways, closeAll, err := openWays(ctx, bin, dir, opt)
	if err != nil {
		return err
	}
	defer closeAll()

	if err := measureFirst(ctx, ways, firstTokens, firstPause, partWithin); err != nil {
		return err
	}
	for _, w := range ways {
		u, err := w.usage()
		if err != nil {
			return err
		}
		w.idleKB = u.privateKB
	}
	for _, part := range []struct {
		name    string
		measure func(context.Context, *way) error
	}{{"paced", measurePaced}, {"flat", measureFlat}} {
		for round := range opt.rounds {
			for _, w := range ways {
				stop := opt.profiled(ctx, dir, fmt.Sprintf("%s-%s-%d", w.name, part.name, round+1), w)
				err := part.measure(ctx, w)
				if err := stop(); err != nil {
					return fmt.Errorf("profile: %w", err)
				}
				if err != nil {
					return fmt.Errorf("%s: %w", w.name, err)
				}
			}
		}
	}
	printRelay(ways, opt)
	return nil
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
// what disturbs the machine disturbs all of them: so many times, or fewer if they
// take longer than within.
func measureFirst(ctx context.Context, ways []*way, times int, pause, within time.Duration) error {
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
	took := make([][]time.Duration, len(ways))
	begin := time.Now()
	for n := range warmUp + times {
		if n > warmUp && time.Since(begin) > within {
			break
		}
		for i, w := range ways {
			time.Sleep(pause)
			var first time.Time
			start := time.Now()
			err := readers[i].Stream(ctx, shortPlan.prompt(), func([]byte) {
				if first.IsZero() {
					first = time.Now()
				}
			})
			if err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
			if n >= warmUp {
				took[i] = append(took[i], first.Sub(start))
			}
		}
	}
	for i, w := range ways {
		w.note(rowFirst50, ms(quantile(took[i], 0.50)))
		w.note(rowFirst99, ms(quantile(took[i], 0.99)))
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// measurePaced reads many streams at a human pace.
func measurePaced(ctx context.Context, w *way) error {
	l, err := w.load(ctx, pacedStreams, pacedPlan)
	if err != nil {
		return err
	}
	if l.lost != 0 {
		return fmt.Errorf("%d chunks of %d were lost", l.lost, l.lost+l.chunks)
	}
	w.note(rowLate50, ms(quantile(l.late, 0.50)))
	w.note(rowLate99, ms(quantile(l.late, 0.99)))
	w.note(rowBusy, l.busy*100)
	if len(w.pids) == 0 {
		return nil
	}
	w.note(rowPacedCPU, l.cpuSeconds/float64(l.chunks)*1e6)
	w.note(rowMemory, (l.flowKB-w.idleKB)/pacedStreams)
	w.note(rowPeak, (l.peakKB-w.idleKB)/pacedStreams)
	if w.name != "nginx" {
		w.note(rowUnstored, float64(l.bytes)/pacedStreams/1024*flushEvery.Seconds()*float64(pacedPlan.rate)/float64(pacedPlan.chunks))
	}
	return nil
}

// flushEvery is how often the log of a run goes to the disk.
const flushEvery = 500 * time.Millisecond

// measureFlat reads streams that come as fast as they are taken.
func measureFlat(ctx context.Context, w *way) error {
	l, err := w.load(ctx, flatStreams, flatPlan)
	if err != nil {
		return err
	}
	if l.lost != 0 {
		return fmt.Errorf("%d chunks of %d were lost", l.lost, l.lost+l.chunks)
	}
	w.note(rowFlatRate, float64(l.chunks)/l.seconds)
	if len(w.pids) != 0 {
		w.note(rowFlatCPU, l.cpuSeconds/float64(l.chunks)*1e6)
	}
	return nil
}

func printRelay(ways []*way, opt options) {
	fmt.Printf("\n## Relay: source → way → this program; nginx keeps no log and stores nothing\n")
	fmt.Printf("%d streams of %d/s paced, begun one after the other in %v, %d flat out; median of %d rounds in turns (least–most); %s\n",
		pacedStreams, pacedPlan.rate, pacedPlan.ramp, flatStreams, opt.rounds, opt.where())
	line := func(title, last string, cell func(*way) string) {
		fmt.Printf("%-42s", title)
		for _, w := range ways {
			fmt.Printf(" %22s", cell(w))
		}
		fmt.Printf("  %s\n", last)
	}
	line("", "screentest / nginx", func(w *way) string { return w.name })
	for _, row := range []struct{ title, format string }{
		{rowFirst50, "%.2f"}, {rowFirst99, "%.2f"}, {rowLate50, "%.2f"}, {rowLate99, "%.2f"},
		{rowPacedCPU, "%.1f"}, {rowMemory, "%.0f"}, {rowPeak, "%.0f"}, {rowUnstored, "%.0f"}, {rowBusy, "%.0f"},
		{rowFlatCPU, "%.2f"}, {rowFlatRate, "%.0f"},
	} {
		middle := map[string]float64{}
		cells := map[string]string{}
		for _, w := range ways {
			cells[w.name], middle[w.name] = spread(row.format, w.figures[row.title])
		}
		ratio := ""
		if n, ours := middle["nginx"], middle["screentest"]; n > 0 && ours > 0 {
			ratio = fmt.Sprintf("%.2f", ours/n)
		}
		line(row.title, ratio, func(w *way) string { return cells[w.name] })
	}
	fmt.Println("aims: first bytes p50 at most 0.6 ms over direct; chunk p99 at most nginx's + 8 ms; CPU 1.3 × nginx's paced, 2 × flat out; 40 KiB a stream beside what waits")
}

// spread shows figures as their median with the least and the most.
func spread(format string, figures []float64) (cell string, middle float64) {
	if len(figures) == 0 {
		return "–", math.NaN()
	}
	sorted := slices.Sorted(slices.Values(figures))
	middle = sorted[len(sorted)/2]
	cell = fmt.Sprintf(format, middle)
	if len(sorted) > 1 {
		cell += fmt.Sprintf(" ("+strings.Join([]string{format, format}, "–")+")", sorted[0], sorted[len(sorted)-1])
	}
	return cell, middle
}
