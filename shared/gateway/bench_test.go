package gateway

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// BenchmarkValidate gives the cost of a verdict, and how many times that of
// encoding/json reading the same body it is (×json), measured in the same run.
func BenchmarkValidate(b *testing.B) {
	talk := says(`[` + strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"`+strings.Repeat("word ", 40)+`"},{"role":"assistant","content":"`+strings.Repeat("answer ", 100)+`"},`, 50), ",") + `]`)
	c := SampleCatalogue()
	for _, bench := range []struct {
		name string
		ep   Endpoint
		body string
		into func() any
	}{
		{"chat of one message", Chat, chat(plain, `"temperature":0.5,"stream":true`), func() any { return new(ChatRequest) }},
		{"chat of 100 messages", Chat, talk, func() any { return new(ChatRequest) }},
		{"responses", Responses, streamed(epsilon, `"tools":[`+flatFunction+`]`), func() any { return new(ResponsesRequest) }},
		{"text to video", Video, t2v(`"seconds":"8","aspect_ratio":"16:9"`), func() any { return new(VideoRequest) }},
		{"multi-shot", Video, shots("delta-3.0-720p", "5", scenes(5), `"image_urls":["`+image+`"]`), func() any { return new(VideoRequest) }},
		{"reference video", Video, vref(3, "15", ""), func() any { return new(VideoRequest) }},
		{"refused", Video, video("beta-video-720p", `"seconds":7,"seeds":1e4,"multi_shots":true`), func() any { return new(map[string]any) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			body := []byte(bench.body)
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				c.Validate(bench.ep, body, Options{})
			}
			b.ReportMetric(ratioTo(
				func() { c.Validate(bench.ep, body, Options{}) },
				func() {
					if err := json.Unmarshal(body, bench.into()); err != nil {
						b.Fatal(err)
					}
				}), "×json")
		})
	}
}

// ratioTo measures the two in turns, so that what else the machine does falls
// on both, and compares the best of each.
func ratioTo(ours, theirs func()) float64 {
	const rounds, calls = 40, 50
	best := func(sofar time.Duration, f func()) time.Duration {
		start := time.Now()
		for range calls {
			f()
		}
		return min(sofar, time.Since(start))
	}
	a, b := time.Hour, time.Hour
	for range rounds {
		a, b = best(a, ours), best(b, theirs)
	}
	return float64(a) / float64(b)
}
