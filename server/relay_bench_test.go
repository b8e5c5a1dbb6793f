package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// The relay's own cost: this process is the server and nothing else. The
// gateway and the readers are processes of their own, so a profile of the
// benchmark (-cpuprofile) is one of the server under load.

// BenchmarkRelayFlatOut: 64 streams as fast as they are taken.
func BenchmarkRelayFlatOut(b *testing.B) { benchmarkRelay(b, 64, "[[repeat: 20000]]") }

// BenchmarkRelayPaced: 300 streams of 50 tokens a second.
func BenchmarkRelayPaced(b *testing.B) { benchmarkRelay(b, 300, "[[pace: 50]] [[repeat: 500]]") }

func benchmarkRelay(b *testing.B, streams int, prompt string) {
	source, gatewayURL, err := spawn(b.TempDir(), os.Environ(), "sandbox", "-addr", "127.0.0.1:0", "-key", canary, "-tokens-per-second", "-1", "-balance", "1000000")
	if err != nil {
		b.Fatal(err)
	}
	defer source.end(os.Kill)
	s, err := start(b.Context(), serveConfig{addr: "127.0.0.1:0", data: b.TempDir(), gateway: gatewayURL, sandboxSpeed: 1}, slog.New(slog.DiscardHandler))
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	var chunks float64
	var idle, busy runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&idle)
	before := cpuSeconds()
	for b.Loop() {
		readers := exec.Command("screentest-readers", s.url, strconv.Itoa(streams), prompt)
		readers.Stderr = os.Stderr
		out, err := readers.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := readers.Start(); err != nil {
			b.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if lines.Text() == "half way" {
				// What is alive, and no garbage: twice, since finalizers and
				// pools let go only with the second.
				runtime.GC()
				runtime.GC()
				runtime.ReadMemStats(&busy)
				continue
			}
			n, err := strconv.ParseFloat(lines.Text(), 64)
			if err != nil {
				b.Fatal(lines.Text())
			}
			chunks += n
		}
		if err := readers.Wait(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpuSeconds()-before)/(chunks/1e6), "CPU-s/Mchunk")
	perStream := func(busy, idle uint64) float64 { return (float64(busy) - float64(idle)) / 1024 / float64(streams) }
	if busy.HeapAlloc > 0 { // they were still under way half way
		b.ReportMetric(perStream(busy.HeapAlloc, idle.HeapAlloc), "heap-KiB/stream")
		b.ReportMetric(perStream(busy.StackInuse, idle.StackInuse), "stack-KiB/stream")
	}
	b.ReportMetric(chunks/b.Elapsed().Seconds(), "chunks/s")
}

// cpuSeconds is what this process has used.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// halfWay is when a paced load is in full flow; one that is flat out has ended.
const halfWay = 3 * time.Second

// readers is the command screentest-readers URL STREAMS PROMPT: tabs of six
// streams each that read to the end and print how many chunks there were.
func readers() {
	if err := readStreams(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, "readers:", err)
		os.Exit(1)
	}
}

func readStreams(url, streams, prompt string) error {
	const lanes = 6
	left, err := strconv.Atoi(streams)
	if err != nil {
		return err
	}
	total := int64(left)
	var chunks, begun atomic.Int64
	var tabs sync.WaitGroup
	errs := make(chan error, left)
	for left > 0 {
		n := min(left, lanes)
		left -= n
		tabs.Go(func() {
			if err := readTab(url, n, prompt, &chunks, func() {
				if begun.Add(1) == total {
					time.AfterFunc(halfWay, func() { fmt.Println("half way") })
				}
			}); err != nil {
				errs <- err
			}
		})
	}
	tabs.Wait()
	close(errs)
	fmt.Println(chunks.Load())
	return <-errs
}

func readTab(url string, n int, prompt string, chunks *atomic.Int64, began func()) error {
	ctx := context.Background()
	h := wiretest.NewHTTP()
	req, err := http.NewRequest("POST", url+"/api/key", strings.NewReader(`{"key":"`+canary+`"}`))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := h.Do(req)
	if err != nil {
		return err
	}
	res.Body.Close()
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(url, "http")+wire.Path, &websocket.DialOptions{HTTPClient: h})
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(32 << 20)
	call := func(id int, op wire.Op, args any) error {
		raw, err := json.Marshal(args)
		if err != nil {
			return err
		}
		msg, err := json.Marshal(wire.Call{ID: uint64(id), Op: op, Args: raw})
		if err != nil {
			return err
		}
		return conn.Write(ctx, websocket.MessageText, msg)
	}
	for i := range n {
		s := turn(gateway.Chat, prompt)
		s.Body = bytes.Replace(s.Body, []byte(`,"stream_options":{"include_usage":true}`), nil, 1)
		s.Read = true
		if err := call(i+1, wire.OpStart, s); err != nil {
			return err
		}
	}
	ended := 0
	seen := map[string]bool{}
	for ended < 2*n { // the log and the news of each
		kind, msg, err := conn.Read(ctx)
		if err != nil {
			return err
		}
		if kind == websocket.MessageText {
			var p wire.Push
			var r wire.Run
			if err := json.Unmarshal(msg, &p); err != nil || p.Problem != nil {
				return fmt.Errorf("%s: %w", msg, err)
			}
			if p.Event == wire.EventRun && json.Unmarshal(p.Data, &r) == nil && seen[r.ID] && r.State != wire.Running {
				if r.State != wire.Done {
					return fmt.Errorf("a run ended %s: %v", r.State, r.Problem)
				}
				delete(seen, r.ID)
				ended++
			}
			continue
		}
		head, p, err := wire.ParseLogFrame(msg)
		if err != nil {
			return err
		}
		chunks.Add(int64(bytes.Count(p, []byte("\n\n"))))
		if head.From == 0 {
			seen[head.Run] = true
			began()
		}
		if head.End {
			ended++
		}
	}
	return nil
}
