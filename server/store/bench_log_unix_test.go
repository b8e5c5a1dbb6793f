//go:build unix

package store_test

import (
	"context"
	"fmt"
	"sync"
	"syscall"
	"testing"
	"time"

	"screentest/server/store/storetest"
)

// What the log of a run costs the store: appended in stretches as it is
// flushed, and compressed at the end. A million is of events.
func BenchmarkRunLog(b *testing.B) {
	const events = 20_000
	log, times := storetest.AnswerLog(events)
	for _, stretch := range []int{2 << 10, 32 << 10, 256 << 10} {
		b.Run(fmt.Sprintf("stretches of %d KiB", stretch>>10), func(b *testing.B) {
			db, owner := storetest.OpenLocal(b)
			cpu := cpuTime()
			for b.Loop() {
				s := storetest.NewStart("", "x")
				storetest.Must(b, storetest.StartTurn(db, owner, s))
				var all sync.WaitGroup
				for from := 0; from < len(log); from += stretch {
					all.Add(1)
					db.AppendRunLog(owner, s.Run, int64(from), log[from:min(from+stretch, len(log))], nil, func(err error) {
						if err != nil {
							b.Error(err)
						}
						all.Done()
					})
				}
				all.Wait()
				storetest.Must(b, db.FinishRun(context.Background(), owner, storetest.Ended(storetest.RunOf(s), 1), "", log, times, nil))
			}
			b.SetBytes(int64(len(log)))
			b.ReportMetric((cpuTime()-cpu).Seconds()/float64(b.N)/events*1e6, "CPU-s/M-events")
		})
	}
}

// cpuTime is what this process has used of the processor.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
