package shown

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// cpu is what this process has used of it.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkViewers gives an answer of 50 pieces a second for three seconds to some
// viewers over sockets: how long a piece takes from the log until a viewer has it,
// and what of a processor all use, the reading viewers included.
func BenchmarkViewers(b *testing.B) {
	const pieces, every = 150, 20 * time.Millisecond
	for _, viewers := range []int{1, 200} {
		b.Run(fmt.Sprint(viewers), func(b *testing.B) {
			for b.Loop() {
				w := newWorld(b, Limits{Pages: 1 << 30})
				w.asks(1, nil, "q", "m")
				log := w.runs["run-1-0"]
				var wg sync.WaitGroup
				var mu sync.Mutex
				var took []time.Duration
				sent := make([]time.Time, pieces)
				for range viewers {
					_, body, _ := w.get(link, "")
					from := newDoc(b, body).main("data-from")
					res, err := http.Get(w.http.URL + "/s/" + link + "/live?from=" + from)
					if err != nil {
						b.Fatal(err)
					}
					defer res.Body.Close()
					wg.Go(func() {
						lines, next := bufio.NewReaderSize(res.Body, 64<<10), 0
						var mine []time.Duration
						for next < pieces {
							line, err := lines.ReadString('\n')
							if err != nil {
								b.Error(err)
								return
							}
							now := time.Now()
							mu.Lock()
							for next < pieces && strings.Contains(line, fmt.Sprintf("piece%d.", next)) {
								mine = append(mine, now.Sub(sent[next]))
								next++
							}
							mu.Unlock()
						}
						mu.Lock()
						took = append(took, mine...)
						mu.Unlock()
					})
				}
				begun, before := time.Now(), cpu(b)
				for i := range pieces {
					mu.Lock()
					sent[i] = time.Now()
					mu.Unlock()
					end := " "
					if i%12 == 11 {
						end = "\n\n"
					}
					log.says("content", fmt.Sprintf("%d some *words* and piece%d.%s", i+100, i, end))
					time.Sleep(every)
				}
				wg.Wait()
				used := cpu(b) - before
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
				b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
				b.ReportMetric(100*used.Seconds()/time.Since(begun).Seconds(), "%cpu")
			}
		})
	}
}

// BenchmarkClipViewers has some viewers load the page of a clip.
func BenchmarkClipViewers(b *testing.B) {
	w := newWorld(b, Limits{Pages: 1 << 30})
	w.sights[link] = sight.Sight{Share: named, Owner: "ann", OwnerName: "Ann", Kind: wire.ShareClip, Subject: "task", Title: "t", Live: true, ByLink: true}
	w.clip = wire.VideoTask{ID: "task", Prompt: "p", State: wire.VideoDone, Outputs: []wire.VideoOutput{{Link: "x"}}}
	b.SetParallelism(25) // 50 on two processors
	b.ResetTimer()
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			res, err := http.Get(w.http.URL + "/s/" + link)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
}
