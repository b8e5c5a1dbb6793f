package sandbox

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"

	"screentest/shared/gateway"
)

// cpuSeconds is the processor time that this process has used.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// discard is a client that takes everything at once.
type discard struct {
	header http.Header
	events int
}

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) WriteHeader(int)             {}
func (d *discard) Write(p []byte) (int, error) { d.events++; return len(p), nil }
func (d *discard) FlushError() error           { return nil }

func streamBody(ep gateway.Endpoint, words int) string {
	if ep == gateway.Chat {
		return fmt.Sprintf(`{"model":"vendor/model-a","stream":true,"messages":[{"role":"user","content":"[[repeat: %d]]"}]}`, words)
	}
	return fmt.Sprintf(`{"model":"vendor/beta-4.5","stream":true,"input":"[[repeat: %d]]"}`, words)
}

func benchRequest(b *testing.B, url string, ep gateway.Endpoint, body string) *http.Request {
	b.Helper()
	r, err := http.NewRequest("POST", url+ep.Path(), strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	return r
}

// BenchmarkChunks is what an event costs to make, without a network.
func BenchmarkChunks(b *testing.B) {
	for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
		b.Run(string(ep), func(b *testing.B) {
			s, err := New(Config{Catalogue: gateway.SampleCatalogue(), TokensPerSecond: -1, Balance: 1 << 60})
			if err != nil {
				b.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			const words = 20_000
			body := streamBody(ep, words)
			events := 0
			b.ReportAllocs()
			for b.Loop() {
				d := &discard{header: http.Header{}}
				s.ServeHTTP(d, benchRequest(b, "", ep, body))
				events += d.events
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkStreams is 64 streams flat out over loopback, read by clients in the
// same process; the processor time is that of both sides.
func BenchmarkStreams(b *testing.B) {
	for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
		b.Run(string(ep), func(b *testing.B) {
			r := start(b, Config{Balance: 1 << 60})
			const streams, words = 64, 1000
			client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
			defer client.CloseIdleConnections()
			body := streamBody(ep, words)
			before, n := cpuSeconds(b), 0
			for b.Loop() {
				var wg sync.WaitGroup
				for range streams {
					wg.Go(func() {
						reply, err := client.Do(benchRequest(b, r.http.URL, ep, body))
						if err != nil {
							b.Error(err)
							return
						}
						if _, err := io.Copy(io.Discard, reply.Body); err != nil {
							b.Error(err)
						}
						_ = reply.Body.Close()
					})
				}
				wg.Wait()
				n += streams
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "streams/s")
			b.ReportMetric(float64(n*words)/b.Elapsed().Seconds(), "chunks/s")
			b.ReportMetric((cpuSeconds(b)-before)/float64(n*words)*1e6, "cpu-s/Mchunk")
		})
	}
}

// BenchmarkPaced is 300 streams of 50 tokens a second for two seconds each; the
// processor time is that of both sides.
func BenchmarkPaced(b *testing.B) {
	r := start(b, Config{TokensPerSecond: 50, FirstToken: -1, Balance: 1 << 60})
	const streams, words = 300, 100
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: streams}}
	defer client.CloseIdleConnections()
	body := streamBody(gateway.Chat, words)
	before, n := cpuSeconds(b), 0
	for b.Loop() {
		var wg sync.WaitGroup
		for range streams {
			wg.Go(func() {
				reply, err := client.Do(benchRequest(b, r.http.URL, gateway.Chat, body))
				if err != nil {
					b.Error(err)
					return
				}
				lines := bufio.NewScanner(reply.Body)
				for lines.Scan() {
				}
				_ = reply.Body.Close()
			})
		}
		wg.Wait()
		n += streams
	}
	b.ReportMetric((cpuSeconds(b)-before)/float64(n*words)*1e6, "cpu-s/Mchunk")
}

// BenchmarkPoll is a poll among 10 000 open tasks.
func BenchmarkPoll(b *testing.B) {
	r := start(b, Config{Balance: 1 << 60})
	var id string
	for range 10_000 {
		id = r.create(b, clipBody("alpha-3.1-lite", "x", "4", "")).ID
	}
	req, err := http.NewRequest("GET", gateway.Video.Path()+"/"+id, nil)
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+DefaultKey)
	b.ReportAllocs()
	for b.Loop() {
		d := &discard{header: http.Header{}}
		r.server.ServeHTTP(d, req)
	}
}
