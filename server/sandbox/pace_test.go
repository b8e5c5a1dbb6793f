package sandbox

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"screentest/shared/gateway"
)

// timedReply notes when each flush came.
type timedReply struct {
	quickReply
	start   time.Time
	pending []byte
	events  []timedEvent
}

type timedEvent struct {
	at   time.Duration // after the start
	text string
}

func (q *timedReply) Write(p []byte) (int, error) {
	q.pending = append(q.pending, p...)
	return len(p), nil
}

func (q *timedReply) FlushError() error {
	q.events = append(q.events, timedEvent{time.Since(q.start), string(q.pending)})
	q.pending = nil
	return nil
}

// timedStream calls the handler, in the time of the bubble that it runs in, and
// returns the flushes.
func timedStream(t *testing.T, cfg Config, prompt string) []timedEvent {
	t.Helper()
	cfg.Catalogue = gateway.SampleCatalogue()
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	body := `{"model":"vendor/model-a","stream":true,"messages":[{"role":"user","content":"` + prompt + `"}]}`
	r, err := http.NewRequest("POST", "/v1/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+DefaultKey)
	r.Header.Set("Content-Type", "application/json")
	q := &timedReply{quickReply: quickReply{header: http.Header{}}, start: time.Now()}
	s.ServeHTTP(q, r)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return q.events
}

// TestPace: tokens come one to an event and a flush, the first after 300 ms or
// so, the others at an exact average whatever the jitter.
func TestPace(t *testing.T) {
	for _, perSecond := range []float64{50, 60, 2000} {
		synctest.Test(t, func(t *testing.T) {
			var tokens []time.Duration
			for _, e := range timedStream(t, Config{TokensPerSecond: perSecond}, "[[repeat: 1000]]") {
				if strings.Count(e.text, "data: ") > 1 {
					t.Fatalf("two events in one flush: %q", e.text)
				}
				if strings.Contains(e.text, `"delta":{"content":"`) {
					tokens = append(tokens, e.at)
				}
			}
			if len(tokens) != 1000 {
				t.Fatalf("%d tokens", len(tokens))
			}
			if first := tokens[0]; first < 240*time.Millisecond || first > 360*time.Millisecond {
				t.Errorf("%v/s: first token after %v", perSecond, first)
			}
			interval := time.Duration(float64(time.Second) / perSecond)
			jittered := false
			for i, at := range tokens {
				off := at - tokens[0] - time.Duration(i)*interval
				if off < -interval/4-time.Microsecond || off > interval/4+time.Microsecond {
					t.Fatalf("%v/s: token %d is %v off its time", perSecond, i, off)
				}
				jittered = jittered || off != 0
			}
			if !jittered {
				t.Errorf("%v/s: no jitter", perSecond)
			}
		})
	}
}

// Slow is ten times slower, and a long silence is broken by comments.
func TestSlowPace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := timedStream(t, Config{TokensPerSecond: 1, FirstToken: time.Second}, "[[slow]] [[repeat: 4]]")
		pings, last, words := 0, time.Duration(0), 0
		for _, e := range list {
			if gap := e.at - last; gap > pingEvery+time.Millisecond {
				t.Errorf("silent for %v", gap)
			}
			last = e.at
			switch {
			case e.text == ": PING\n\n":
				pings++
			case strings.Contains(e.text, `{"content":"`):
				words++
			}
		}
		if words != 4 || pings < 6 || last < 35*time.Second {
			t.Errorf("%d words, %d comments, %v in all", words, pings, last)
		}
	})
}

// Flat out there is no wait at all, not even for the first token; [[pace]]
// overrides either.
func TestFlatOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		list := timedStream(t, Config{TokensPerSecond: -1}, "[[repeat: 1000]]")
		if last := list[len(list)-1].at; last != 0 || len(list) < 1000 {
			t.Errorf("%d events took %v", len(list), last)
		}
		list = timedStream(t, Config{TokensPerSecond: -1, FirstToken: -1}, "[[pace: 100]] [[repeat: 101]]")
		if last := list[len(list)-1].at; last < 990*time.Millisecond || last > 1010*time.Millisecond {
			t.Errorf("101 words at 100 a second took %v", last)
		}
	})
}

// A JSON reply takes as long as the stream of the same answer would.
func TestWholeReplyTakesItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Config{Catalogue: gateway.SampleCatalogue(), TokensPerSecond: 100, FirstToken: -1})
		if err != nil {
			t.Fatal(err)
		}
		w := &witness{server: s}
		start := time.Now()
		q := w.call(gateway.Chat, []byte(`{"model":"vendor/model-a","messages":[{"role":"user","content":"[[repeat: 200]]"}]}`))
		if d := time.Since(start).Round(10 * time.Millisecond); q.status != 200 || d != 2*time.Second {
			t.Errorf("%d after %v", q.status, d)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// [[silent]] is bounded, should the client never leave.
func TestSilenceIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer func() {
			if p := recover(); p != http.ErrAbortHandler {
				t.Errorf("the connection is not broken: %v", p)
			}
		}()
		timedStream(t, Config{TokensPerSecond: -1}, "[[silent]] [[repeat: 10]]")
		t.Error("the stream ended well")
	})
}

func TestTokens(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", nil},
		{"Hello", []string{"Hello"}},
		{"Hello world", []string{"Hello", " world"}},
		{"internationally agreed", []string{"internat", "ionally", " agreed"}},
		{"a\n\n## b", []string{"a", "\n\n##", " b"}},
		{"ends  ", []string{"ends", "  "}},
		{"   ", []string{"   "}},
		{"日本語の文章です。", []string{"日本語の文章です", "。"}},
		{"\xff\xfe", []string{"\xff\xfe"}},
	} {
		var got []string
		for s := c.text; s != ""; {
			n := nextToken(s)
			got, s = append(got, s[:n]), s[n:]
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) || countTokens(c.text) != int64(len(c.want)) {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
	if got := firstTokens("one two three", 2); got != "one two" {
		t.Errorf("%q", got)
	}
}

// FuzzAppendString: what is written as JSON reads back as the same text.
func FuzzAppendString(f *testing.F) {
	for _, s := range []string{"", "plain", "\"\\\n\r\t\x00\x1f", "é日\u2028\u2029😀", "\xff\xc3", "<script>&"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := appendString(nil, s)
		if string(appendString([]byte("x"), s)) != "x"+string(got) {
			t.Fatal("what was there before changed")
		}
		if bytes.ContainsAny(got, "\n\r") {
			t.Fatalf("a line end in %q", got)
		}
		// Each byte that is no character has become U+FFFD.
		if back := str(field(t, `{"v":`+string(got)+`}`, "v")); back != string([]rune(s)) {
			t.Fatalf("%q reads back as %q", s, back)
		}
	})
}

// FuzzReadTranscript: no input makes the reader of conversations fail, and what
// the playground writes is read as it was meant.
func FuzzReadTranscript(f *testing.F) {
	f.Add("User: hi\n\nAssistant: yes\n\nAssistant called f({\"a\":1}) [c]\n\nTool result [c]: 3\n\nUser: go on")
	f.Add("Tool result []:\n\nUser:")
	f.Add("just\n\na question")
	f.Fuzz(func(t *testing.T, s string) {
		var c conversation
		c.readTranscript(s)
		_ = c.prompt()
		_ = c.results()
		if c.promptTokens() < 0 {
			t.Fatal("negative")
		}
	})
}

func TestTranscriptReadsBack(t *testing.T) {
	turns := []gateway.Turn{
		{Role: "system", Text: "Be brief"}, {Role: "user", Text: "Weather?\n\nIn two paragraphs."},
		{Role: "assistant", Text: "I will look.", ToolCalls: []gateway.ToolCall{{ID: "c1", Name: "get_weather", Arguments: "{\"city\":\"Oslo (NO)\"}"}}},
		{Role: "tool", ToolCallID: "c1", Text: "snow"}, {Role: "assistant", Text: "Snow."}, {Role: "user", Text: "Thanks"},
	}
	var c conversation
	c.readTranscript(gateway.Transcript(turns))
	if c.system() != "Be brief" || c.prompt() != "Thanks" || len(c.results()) != 0 || fmt.Sprint(c.earlier()) != "[Weather?\n\nIn two paragraphs.]" {
		t.Errorf("%+v", c)
	}
	c = conversation{}
	c.readTranscript(gateway.Transcript(turns[:4]))
	if got := c.results(); len(got) != 1 || got[0].Name != "get_weather" || got[0].Arguments != "snow" {
		t.Errorf("%+v", got)
	}
}
