package sse

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/openai/openai-go/v3/packages/ssestream"
)

// chunks is a stream of n chat chunks as gateways send them, 215 bytes each.
func chunks(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "data: {\"id\":\"chatcmpl-1\",\"object\":\"chat.completion.chunk\",\"created\":1795219200,\"model\":\"vendor/model-a\",\"system_fingerprint\":null,"+
			"\"choices\":[{\"index\":0,\"delta\":{\"content\":\" w%05d\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n", i%100000)
	}
	return b.Bytes()
}

func ours(stream []byte, piece int) (events int) {
	var d Decoder
	for rest := stream; len(rest) > 0; {
		n := min(piece, len(rest))
		for range d.Push(rest[:n]) {
			events++
		}
		rest = rest[n:]
	}
	return events
}

func theirs(stream []byte) (events int) {
	d := ssestream.NewDecoder(&http.Response{
		Header: http.Header{"Content-Type": {"text/event-stream"}},
		Body:   io.NopCloser(bytes.NewReader(stream)),
	})
	for d.Next() {
		events++
	}
	return events
}

// BenchmarkDecoder reads 4096 chunks, by reads of 4 KiB (a small network
// buffer), in whole, and with openai-go's decoder.
func BenchmarkDecoder(b *testing.B) {
	const n = 4096
	stream := chunks(n)
	for _, way := range []struct {
		name string
		read func() int
	}{
		{"reads of 4 KiB", func() int { return ours(stream, 4096) }},
		{"one chunk a read", func() int { return ours(stream, len(stream)/n) }},
		{"whole", func() int { return ours(stream, len(stream)) }},
		{"openai-go ssestream", func() int { return theirs(stream) }},
	} {
		b.Run(way.name, func(b *testing.B) {
			b.SetBytes(int64(len(stream)))
			b.ReportAllocs()
			for b.Loop() {
				if got := way.read(); got != n {
					b.Fatalf("%d events, want %d", got, n)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/event")
		})
	}
}

// BenchmarkRatio is how many times faster the decoder is than openai-go's, the
// two taking turns in one run.
func BenchmarkRatio(b *testing.B) {
	stream := chunks(4096)
	var a, o time.Duration
	for b.Loop() {
		t0 := time.Now()
		ours(stream, 4096)
		t1 := time.Now()
		theirs(stream)
		a, o = a+t1.Sub(t0), o+time.Since(t1)
	}
	b.ReportMetric(float64(o)/float64(a), "times-faster")
}
