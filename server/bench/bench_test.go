package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"testing"
	"time"
)

func TestChunksCarryTheTimeOfTheirSending(t *testing.T) {
	f := newFrame()
	var stream []byte
	var sent []time.Time
	for i := range 3 {
		at := time.Unix(1_800_000_000, int64(i)*12_345)
		sent = append(sent, at)
		event, ok := bytes.CutPrefix(f.stamped(at), fmt.Appendf(nil, "%x\r\n", len(frameEvent)))
		if !ok || !bytes.HasSuffix(event, []byte("\r\n")) {
			t.Fatalf("not a chunk of HTTP: %q", f.p)
		}
		stream = append(stream, bytes.TrimSuffix(event, []byte("\r\n"))...)
	}
	stream = append(stream, replyEnd...)
	for size := 1; size <= len(stream); size++ {
		var in frames
		var got []time.Time
		events := 0
		for piece := range slices.Chunk(stream, size) {
			events += in.each(piece, func(at time.Time) { got = append(got, at) })
		}
		if events != len(sent)+endEvents || !slices.EqualFunc(got, sent, time.Time.Equal) {
			t.Fatalf("in pieces of %d: %d events, sent %v, want %v", size, events, got, sent)
		}
	}
}

// TestTheSourceKeepsItsPlan reads the source as a way does: every chunk, none
// before its time.
func TestTheSourceKeepsItsPlan(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := newPacer()
	go p.run()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _ = answerAll(c, p) }()
		}
	}()
	w := way{open: func(context.Context, int) (reader, func(), error) {
		return newHTTPReader("http://"+l.Addr().String(), key, "m"), func() {}, nil
	}}
	for _, plan := range []plan{{chunks: 20, rate: 200}, {chunks: 2000}} {
		const streams = 8
		got, err := w.load(t.Context(), streams, plan)
		if err != nil {
			t.Fatal(err)
		}
		if got.lost != 0 || got.chunks != streams*(plan.chunks+endEvents) || len(got.late) != streams*(plan.chunks-1) {
			t.Errorf("%+v: %d chunks, %d lost, %d with their lateness", plan, got.chunks, got.lost, len(got.late))
		}
		if plan.rate > 0 && got.seconds < float64(plan.chunks-2)/float64(plan.rate) {
			t.Errorf("%d chunks at %d a second took %.3f s", plan.chunks, plan.rate, got.seconds)
		}
	}
}

func TestFamilySeesThisProcess(t *testing.T) {
	u, err := family(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if u.privateKB < 1000 || u.cpuSeconds < 0 {
		t.Errorf("%+v", u)
	}
}
