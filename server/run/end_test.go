package run_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/run"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestRunIsStoredWhole(t *testing.T) {
	w := newWorld(t, nil)
	s := turn()
	r := w.start(s)
	if r.State != wire.Running || r.Model != "vendor/model-a" || r.Message != s.Answer || r.Conversation != s.Conversation {
		t.Errorf("started as %+v", r)
	}
	c := w.call()
	if c.key != canary || c.ep != gateway.Chat || string(c.body) != string(s.Body) {
		t.Errorf("called %s with %s", c.ep, c.body)
	}
	c.stream(events)
	sent := chunk("Hel") + chunk("lo, ") + chunk("you") + finish + usage + done
	c.send(t, "%s", sent)
	c.pipe.Close()

	r = w.wait(s.Run)
	if r.State != wire.Done || r.Problem != nil || r.Finish != "stop" || r.Answered != "model-a-2026" || r.Bytes != int64(len(sent)) {
		t.Errorf("ended as %+v", r)
	}
	// vendor/model-a: 10 × $0.50/M + 4 × $1.50/M.
	if r.InputTokens != 10 || r.OutputTokens != 4 || r.CostNanoUSD != 11_000 || r.CostSource != "reported" || !strings.Contains(r.Basis, "10 in") {
		t.Errorf("costs %d by %q (%s)", r.CostNanoUSD, r.Basis, r.CostSource)
	}
	if r.FirstTokenMS < 1 || r.FirstTokenMS > r.DurationMS+1 {
		t.Errorf("first token after %d of %d ms", r.FirstTokenMS, r.DurationMS)
	}
	m := w.message(s)
	if m.Text != "Hello, you" || m.Run == nil || m.Run.State != wire.Done || m.Run.CostNanoUSD != 11_000 {
		t.Errorf("stored as %+v, run %+v", m, m.Run)
	}
	if got := w.read(s.Run, 0); string(got) != sent {
		t.Errorf("the log is %q", got)
	}
	if n := w.spent(); n != 11_000 {
		t.Errorf("spent %d", n)
	}
}

func TestReadersAtAnyOffsetGetTheSameBytes(t *testing.T) {
	w := newWorld(t, nil)
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	var sent bytes.Buffer
	logs := make([][]byte, 6)
	var readers sync.WaitGroup
	for i := range 3000 {
		if i%500 == 0 {
			from := int64(sent.Len() * (i / 500) / 6)
			readers.Go(func() { logs[i/500] = append(make([]byte, from, 1<<20), w.read(s.Run, from)...) })
		}
		p := chunk(fmt.Sprintf("word %d ", i))
		sent.WriteString(p)
		c.send(t, "%s", p)
	}
	sent.WriteString(done)
	c.send(t, done)
	c.pipe.Close()
	readers.Wait()
	w.wait(s.Run)
	for i, got := range logs {
		zeros := len(got) - len(bytes.TrimLeft(got, "\x00")) // what it did not ask for
		if !bytes.Equal(got[zeros:], sent.Bytes()[zeros:]) {
			t.Errorf("reader %d has other bytes", i)
		}
	}
	if got := w.read(s.Run, 12345); !bytes.Equal(got, sent.Bytes()[12345:]) {
		t.Error("after the end, from the store: other bytes")
	}
}

func TestHowARunEnds(t *testing.T) {
	refused := &wire.Problem{Code: "bad_key", Message: "The gateway refuses the key.", Status: 401}
	tests := []struct {
		name    string
		play    func(t *testing.T, w *world, s wire.Start, c *call)
		state   wire.RunState
		code    string // of the problem
		text    string
		charged bool
	}{
		{"the gateway refuses", func(t *testing.T, w *world, s wire.Start, c *call) { c.err <- fmt.Errorf("call: %w", refused) },
			wire.Failed, "bad_key", "", false},
		{"an error without words for people", func(t *testing.T, w *world, s wire.Start, c *call) { c.err <- errors.New("secret detail") },
			wire.Failed, "gateway_failed", "", false},
		{"the end mark is missing", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half"))
			c.pipe.Close()
		}, wire.Failed, "gateway_truncated", "Half", true},
		{"the connection breaks", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half"))
			c.pipe.CloseWithError(&wire.Problem{Code: "gateway_dropped", Message: "The connection broke."})
		}, wire.Failed, "gateway_dropped", "Half", true},
		{"the connection breaks after the end", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+usage+done)
			c.pipe.CloseWithError(io.ErrUnexpectedEOF)
		}, wire.Done, "", "Whole", true},
		{"the gateway keeps the connection open after the end", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+usage+done)
		}, wire.Done, "", "Whole", true},
		{"the gateway never stops sending after the end", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+usage+done+": PING\n\n") // in one piece
			for {
				if _, err := io.WriteString(c.pipe, chunk("late")); err != nil {
					return
				}
			}
		}, wire.Done, "", "Whole", true},
		{"the gateway sends a comment now and then after the end", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+usage+done)
			every := time.NewTicker(50 * time.Millisecond)
			defer every.Stop()
			for range every.C {
				if _, err := io.WriteString(c.pipe, ": PING\n\n"); err != nil {
					return
				}
			}
		}, wire.Done, "", "Whole", true},
		{"the model stopped, and the end mark is missing", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+finish)
			c.pipe.Close()
		}, wire.Done, "gateway_no_end_mark", "Whole", true},
		{"the model stopped, and the connection breaks before the end mark", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+finish)
			c.pipe.CloseWithError(&wire.Problem{Code: "gateway_dropped", Message: "The connection broke."})
		}, wire.Failed, "gateway_dropped", "Whole", true},
		{"a status without a body, as 204", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream("")
			c.pipe.Close()
		}, wire.Failed, "gateway_empty", "", false},
		{"an error in mid-stream", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half")+"data: {\"error\":{\"message\":\"overloaded\",\"code\":\"overloaded\"}}\n\n")
			c.pipe.Close()
		}, wire.Failed, "overloaded", "Half", true},
		{"a web page", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream("text/html")
			c.send(t, "<html><title>Login</title></html>")
			c.pipe.Close()
		}, wire.Failed, "gateway_html", "", false},
		{"nothing", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.pipe.Close()
		}, wire.Failed, "gateway_empty", "", false},
		{"the model's limit", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half")+strings.Replace(finish, "stop", "length", 1)+usage+done)
			c.pipe.Close()
		}, wire.Incomplete, "", "Half", true},
		{"a JSON reply to a stream", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream("application/json")
			c.send(t, `{"model":"m","choices":[{"message":{"role":"assistant","content":"Whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
			c.pipe.Close()
		}, wire.Done, "", "Whole", true},
		{"the person stops it", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half"))
			if err := w.Stop(t.Context(), w.owner, s.Run); err != nil {
				t.Error(err)
			}
			<-c.ctx.Done()
		}, wire.Stopped, "", "Half", true},
		{"the person stops it before anything came", func(t *testing.T, w *world, s wire.Start, c *call) {
			if err := w.Stop(t.Context(), w.owner, s.Run); err != nil {
				t.Error(err)
			}
		}, wire.Stopped, "", "", false},
		{"too long", func(t *testing.T, w *world, s wire.Start, c *call) {
			c.stream(events)
			go func() {
				for {
					if _, err := io.WriteString(c.pipe, chunk("word ")); err != nil {
						return
					}
				}
			}()
			<-c.ctx.Done()
		}, wire.Failed, "reply_too_large", "word", true},
	}
	w := newWorld(t, func(c *run.Config) { c.MaxLog = 1 << 20 })
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func(of *testing.T) { w.t = of }(w.t)
			w.t = t
			before := w.spent()
			s := turn()
			w.start(s)
			tt.play(t, w, s, w.call())
			r := w.wait(s.Run)
			if r.State != tt.state {
				t.Errorf("ended %s, problem %v", r.State, r.Problem)
			}
			code := ""
			if r.Problem != nil {
				code = r.Problem.Code
				if r.Problem.Message == "" {
					t.Error("the problem has no words")
				}
			}
			if code != tt.code {
				t.Errorf("problem %q: %v", code, r.Problem)
			}
			m := w.message(s)
			if m.Text != tt.text && !(tt.name == "too long" && strings.HasPrefix(m.Text, tt.text)) {
				t.Errorf("the text is %q", m.Text)
			}
			if m.Run == nil || m.Run.State != tt.state {
				t.Errorf("stored as %+v", m.Run)
			}
			if spent := w.spent() - before; (spent > 0) != tt.charged {
				t.Errorf("spent %d", spent)
			}
			if strings.Contains(fmt.Sprintf("%+v", r.Problem), "secret detail") {
				t.Error("a person reads what was for the log")
			}
			if strings.Contains(w.log.String(), canary) {
				t.Errorf("the key is in the log: %s", w.log)
			}
		})
	}
}
