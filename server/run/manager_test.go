package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "sk-canary-0123456789"

// desk is a Manager on a real store, with a gateway that the test plays.
type desk struct {
	*run.Manager
	t     *testing.T
	dir   string
	db    *store.DB
	owner string
	log   *bytes.Buffer
	calls chan *call // calls of the gateway

	mu    sync.Mutex
	ended map[string]chan wire.Run
}

// call is a call of the gateway: the test answers it.
type call struct {
	ctx  context.Context
	key  string
	ep   gateway.Endpoint
	body []byte

	reply chan *upstream.Reply
	err   chan error
	pipe  *io.PipeWriter
}

// stream answers with a stream, whose bytes the test then sends.
func (c *call) stream(contentType string) {
	r, w := io.Pipe()
	c.pipe = w
	context.AfterFunc(c.ctx, func() { w.CloseWithError(context.Cause(c.ctx)) })
	c.reply <- &upstream.Reply{Status: 200, ContentType: contentType, RequestID: "req-1", Body: r}
}

func (c *call) send(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(c.pipe, format, args...); err != nil {
		t.Fatal(err)
	}
}

func newDesk(t *testing.T, change func(*run.Config)) *desk {
	t.Helper()
	d := &desk{t: t, dir: t.TempDir()}
	d.open(change)
	return d
}

// open opens the store and a Manager on it; a test calls it again after kill.
func (d *desk) open(change func(*run.Config)) {
	d.t.Helper()
	d.log = &bytes.Buffer{}
	d.ended = map[string]chan wire.Run{}
	d.calls = make(chan *call, 16)
	db, err := store.Open(d.t.Context(), d.dir, store.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	d.db = db
	if d.owner, err = db.EnsureLocalUser(d.t.Context()); err != nil {
		d.t.Fatal(err)
	}
	c := run.Config{
		Store: db, Catalogue: sample, FlushEvery: 10 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(d.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Gateway: func(ctx context.Context, key string, ep gateway.Endpoint, body []byte) (*upstream.Reply, error) {
			c := &call{ctx: ctx, key: key, ep: ep, body: bytes.Clone(body), reply: make(chan *upstream.Reply, 1), err: make(chan error, 1)}
			d.calls <- c
			select {
			case r := <-c.reply:
				return r, nil
			case err := <-c.err:
				return nil, err
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		},
		Changed: func(owner string, r wire.Run) {
			if r.State != wire.Running {
				d.end(r.ID) <- r
			}
		},
	}
	if change != nil {
		change(&c)
	}
	d.Manager = run.New(c)
	d.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := d.Close(ctx); err != nil {
			d.t.Error(err)
		}
		if err := db.Close(); err != nil {
			d.t.Error(err)
		}
	})
}

func (d *desk) end(id string) chan wire.Run {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ended[id] == nil {
		d.ended[id] = make(chan wire.Run, 4)
	}
	return d.ended[id]
}

func (d *desk) wait(id string) wire.Run {
	d.t.Helper()
	select {
	case r := <-d.end(id):
		return r
	case <-time.After(20 * time.Second):
		d.t.Fatalf("run %s does not end; the log says:\n%s", id, d.log)
	}
	panic("unreachable")
}

func (d *desk) call() *call {
	d.t.Helper()
	select {
	case c := <-d.calls:
		return c
	case <-time.After(20 * time.Second):
		d.t.Fatal("the gateway is not called")
	}
	panic("unreachable")
}

// turn is a first message to a chat model.
func turn() wire.Start {
	return wire.Start{
		Run: uuid.NewString(), Conversation: uuid.NewString(), Answer: uuid.NewString(),
		User:     wire.Message{ID: uuid.NewString(), Role: "user", Text: "Hello there"},
		Endpoint: "chat",
		Body:     json.RawMessage(`{"model":"vendor/model-a","messages":[{"role":"user","content":"Hello there"}],"stream":true}`),
	}
}

func (d *desk) start(s wire.Start) wire.Run {
	d.t.Helper()
	r, err := d.Start(d.t.Context(), d.owner, canary, s)
	if err != nil {
		d.t.Fatal(err)
	}
	return r
}

// read reads a run's log from an offset to where it ends, waiting for it.
func (d *desk) read(id string, from int64) []byte {
	d.t.Helper()
	_, log, err := d.Open(d.t.Context(), d.owner, id)
	if err != nil {
		d.t.Fatal(err)
	}
	news := make(chan struct{}, 1)
	log.Watch(news)
	defer log.Unwatch(news)
	var out []byte
	for {
		p, end, err := log.Read(d.t.Context(), nil, from+int64(len(out)), 1000)
		if err != nil {
			d.t.Fatal(err)
		}
		out = append(out, p...)
		if end {
			return out
		}
		if len(p) == 0 {
			<-news
		}
	}
}

func (d *desk) message(s wire.Start) wire.Message {
	d.t.Helper()
	o, err := d.db.OpenConversation(d.t.Context(), d.owner, wire.Page{Conversation: s.Conversation})
	if err != nil {
		d.t.Fatal(err)
	}
	for _, m := range o.Messages {
		if m.ID == s.Answer {
			return m
		}
	}
	d.t.Fatal("the answer is not in the conversation")
	panic("unreachable")
}

func (d *desk) spent() int64 {
	d.t.Helper()
	n, err := d.db.Spent(d.t.Context(), d.owner, time.UnixMilli(0), time.Now().Add(time.Hour))
	if err != nil {
		d.t.Fatal(err)
	}
	return n
}

func chunk(text string) string {
	return fmt.Sprintf("data: {\"object\":\"chat.completion.chunk\",\"model\":\"model-a-2026\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
}

const (
	finish = "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
	usage  = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"total_tokens\":14}}\n\n"
	done   = "data: [DONE]\n\n"
	events = "text/event-stream"
)

func TestRunIsStoredWhole(t *testing.T) {
	d := newDesk(t, nil)
	s := turn()
	r := d.start(s)
	if r.State != wire.Running || r.Model != "vendor/model-a" || r.Message != s.Answer || r.Conversation != s.Conversation {
		t.Errorf("started as %+v", r)
	}
	c := d.call()
	if c.key != canary || c.ep != gateway.Chat || string(c.body) != string(s.Body) {
		t.Errorf("called %s with %s", c.ep, c.body)
	}
	c.stream(events)
	sent := chunk("Hel") + chunk("lo, ") + chunk("you") + finish + usage + done
	c.send(t, "%s", sent)
	c.pipe.Close()

	r = d.wait(s.Run)
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
	m := d.message(s)
	if m.Text != "Hello, you" || m.Run == nil || m.Run.State != wire.Done || m.Run.CostNanoUSD != 11_000 {
		t.Errorf("stored as %+v, run %+v", m, m.Run)
	}
	if got := d.read(s.Run, 0); string(got) != sent {
		t.Errorf("the log is %q", got)
	}
	if n := d.spent(); n != 11_000 {
		t.Errorf("spent %d", n)
	}
}

func TestReadersAtAnyOffsetGetTheSameBytes(t *testing.T) {
	d := newDesk(t, nil)
	s := turn()
	d.start(s)
	c := d.call()
	c.stream(events)
	var sent bytes.Buffer
	logs := make([][]byte, 6)
	var readers sync.WaitGroup
	for i := range 3000 {
		if i%500 == 0 {
			from := int64(sent.Len() * (i / 500) / 6)
			readers.Go(func() { logs[i/500] = append(make([]byte, from, 1<<20), d.read(s.Run, from)...) })
		}
		p := chunk(fmt.Sprintf("word %d ", i))
		sent.WriteString(p)
		c.send(t, "%s", p)
	}
	sent.WriteString(done)
	c.send(t, done)
	c.pipe.Close()
	readers.Wait()
	d.wait(s.Run)
	for i, got := range logs {
		zeros := len(got) - len(bytes.TrimLeft(got, "\x00")) // what it did not ask for
		if !bytes.Equal(got[zeros:], sent.Bytes()[zeros:]) {
			t.Errorf("reader %d has other bytes", i)
		}
	}
	if got := d.read(s.Run, 12345); !bytes.Equal(got, sent.Bytes()[12345:]) {
		t.Error("after the end, from the store: other bytes")
	}
}

func TestHowARunEnds(t *testing.T) {
	refused := &wire.Problem{Code: "bad_key", Message: "The gateway refuses the key.", Status: 401}
	tests := []struct {
		name    string
		play    func(t *testing.T, d *desk, s wire.Start, c *call)
		state   wire.RunState
		code    string // of the problem
		text    string
		charged bool
	}{
		{"the gateway refuses", func(t *testing.T, d *desk, s wire.Start, c *call) { c.err <- fmt.Errorf("call: %w", refused) },
			wire.Failed, "bad_key", "", false},
		{"an error without words for people", func(t *testing.T, d *desk, s wire.Start, c *call) { c.err <- errors.New("secret detail") },
			wire.Failed, "gateway_failed", "", false},
		{"the end mark is missing", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half"))
			c.pipe.Close()
		}, wire.Failed, "gateway_truncated", "Half", true},
		{"the connection breaks", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half"))
			c.pipe.CloseWithError(&wire.Problem{Code: "gateway_dropped", Message: "The connection broke."})
		}, wire.Failed, "gateway_dropped", "Half", true},
		{"the connection breaks after the end", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+usage+done)
			c.pipe.CloseWithError(io.ErrUnexpectedEOF)
		}, wire.Done, "", "Whole", true},
		{"the gateway keeps the connection open after the end", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+usage+done)
		}, wire.Done, "", "Whole", true},
		{"the gateway never stops sending after the end", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+usage+done+": PING\n\n") // in one piece
			for {
				if _, err := io.WriteString(c.pipe, chunk("late")); err != nil {
					return
				}
			}
		}, wire.Done, "", "Whole", true},
		{"the gateway sends a comment now and then after the end", func(t *testing.T, d *desk, s wire.Start, c *call) {
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
		{"the model stopped, and the end mark is missing", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+finish)
			c.pipe.Close()
		}, wire.Done, "gateway_no_end_mark", "Whole", true},
		{"the model stopped, and the connection breaks before the end mark", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Whole")+finish)
			c.pipe.CloseWithError(&wire.Problem{Code: "gateway_dropped", Message: "The connection broke."})
		}, wire.Failed, "gateway_dropped", "Whole", true},
		{"a status without a body, as 204", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream("")
			c.pipe.Close()
		}, wire.Failed, "gateway_empty", "", false},
		{"an error in mid-stream", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half")+"data: {\"error\":{\"message\":\"overloaded\",\"code\":\"overloaded\"}}\n\n")
			c.pipe.Close()
		}, wire.Failed, "overloaded", "Half", true},
		{"a web page", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream("text/html")
			c.send(t, "<html><title>Login</title></html>")
			c.pipe.Close()
		}, wire.Failed, "gateway_html", "", false},
		{"nothing", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.pipe.Close()
		}, wire.Failed, "gateway_empty", "", false},
		{"the model's limit", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half")+strings.Replace(finish, "stop", "length", 1)+usage+done)
			c.pipe.Close()
		}, wire.Incomplete, "", "Half", true},
		{"a JSON reply to a stream", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream("application/json")
			c.send(t, `{"model":"m","choices":[{"message":{"role":"assistant","content":"Whole"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`)
			c.pipe.Close()
		}, wire.Done, "", "Whole", true},
		{"the person stops it", func(t *testing.T, d *desk, s wire.Start, c *call) {
			c.stream(events)
			c.send(t, "%s", chunk("Half"))
			if err := d.Stop(t.Context(), d.owner, s.Run); err != nil {
				t.Error(err)
			}
			<-c.ctx.Done()
		}, wire.Stopped, "", "Half", true},
		{"the person stops it before anything came", func(t *testing.T, d *desk, s wire.Start, c *call) {
			if err := d.Stop(t.Context(), d.owner, s.Run); err != nil {
				t.Error(err)
			}
		}, wire.Stopped, "", "", false},
		{"too long", func(t *testing.T, d *desk, s wire.Start, c *call) {
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
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, func(c *run.Config) { c.MaxLog = 1 << 20 })
			s := turn()
			d.start(s)
			tt.play(t, d, s, d.call())
			r := d.wait(s.Run)
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
			m := d.message(s)
			if m.Text != tt.text && !(tt.name == "too long" && strings.HasPrefix(m.Text, tt.text)) {
				t.Errorf("the text is %q", m.Text)
			}
			if m.Run == nil || m.Run.State != tt.state {
				t.Errorf("stored as %+v", m.Run)
			}
			if got := d.spent() > 0; got != tt.charged {
				t.Errorf("spent %d", d.spent())
			}
			if strings.Contains(fmt.Sprintf("%+v", r.Problem), "secret detail") {
				t.Error("a person reads what was for the log")
			}
			if strings.Contains(d.log.String(), canary) {
				t.Errorf("the key is in the log: %s", d.log)
			}
		})
	}
}

// words is a Tokenizer that counts words.
type words struct{}

func (words) Name() string            { return "counting words" }
func (words) Count(text string) int64 { return int64(len(strings.Fields(text))) }

func TestTokensAreCountedByTheTokenizer(t *testing.T) {
	d := newDesk(t, func(c *run.Config) { c.Tokenizer = words{} })
	s := turn()
	d.start(s)
	c := d.call()
	c.stream(events)
	c.send(t, "%s", chunk("An answer of five words")+finish+done)
	c.pipe.Close()
	if r := d.wait(s.Run); r.InputTokens != 2 || r.OutputTokens != 5 || r.CostSource != "estimated" || !strings.Contains(r.Basis, "counting words") {
		t.Errorf("%d in, %d out (%s, %s)", r.InputTokens, r.OutputTokens, r.CostSource, r.Basis)
	}
}

func TestUsageThatIsNotReportedIsEstimatedAndSaysSo(t *testing.T) {
	d := newDesk(t, nil)
	s := turn()
	d.start(s)
	c := d.call()
	c.stream(events)
	c.send(t, "%s", chunk("Twelve chars")+finish+done)
	c.pipe.Close()
	r := d.wait(s.Run)
	// "Hello there" is 11 characters, the answer 12: 3 tokens each.
	if r.InputTokens != 3 || r.OutputTokens != 3 || r.CostSource != "estimated" || !strings.Contains(r.Basis, "estimated") || r.CostNanoUSD != 6000 {
		t.Errorf("%d in, %d out, %d by %q (%s)", r.InputTokens, r.OutputTokens, r.CostNanoUSD, r.Basis, r.CostSource)
	}
	sum, err := d.db.Conversation(t.Context(), d.owner, s.Conversation)
	if err != nil || !sum.Estimated || sum.CostNanoUSD != 6000 {
		t.Errorf("the list shows %+v, %v", sum, err)
	}
}

func TestTokensThatAreEstimatedSaySoWithoutAPriceToo(t *testing.T) {
	free, err := gateway.ParseCatalogue([]byte(`{"models":[{"id":"vendor/model-a"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, reported := range []bool{false, true} {
		d := newDesk(t, func(c *run.Config) { c.Catalogue = func() *gateway.Catalogue { return free } })
		s := turn()
		d.start(s)
		c := d.call()
		c.stream(events)
		c.send(t, "%s", chunk("Twelve chars")+finish)
		if reported {
			c.send(t, "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}\n\n")
		}
		c.send(t, "%s", done)
		c.pipe.Close()
		if r := d.wait(s.Run); r.OutputTokens == 0 || r.CostSource != "" || r.Estimated() == reported {
			t.Errorf("reported %v: %d out, %q (%q)", reported, r.OutputTokens, r.Basis, r.CostSource)
		}
	}
}

func TestStartingARunTwiceSendsItOnce(t *testing.T) {
	d := newDesk(t, nil)
	s := turn()
	first := d.start(s)
	c := d.call()
	if again := d.start(s); again.ID != first.ID || again.StartedMS != first.StartedMS {
		t.Errorf("while it runs: %+v", again)
	}
	c.stream(events)
	c.send(t, "%s", chunk("x")+done)
	c.pipe.Close()
	ended := d.wait(s.Run)
	if again := d.start(s); again.State != wire.Done || again.Bytes != ended.Bytes {
		t.Errorf("after its end: %+v", again)
	}
	// And many at the same time.
	s = turn()
	var starts sync.WaitGroup
	for range 20 {
		starts.Go(func() { d.start(s) })
	}
	starts.Wait()
	d.call().err <- errors.New("enough")
	d.wait(s.Run)
	select {
	case <-d.calls:
		t.Error("the gateway is called twice for one run")
	default:
	}
}

func TestWhatIsNotSent(t *testing.T) {
	d := newDesk(t, func(c *run.Config) { c.MaxRunning = 2 })
	other := turn()
	d.start(other)
	c := d.call()
	tests := []struct {
		name   string
		change func(s *wire.Start)
		key    string
		code   string
	}{
		{"a body that the contract refuses", func(s *wire.Start) { s.Body = json.RawMessage(`{"model":"vendor/model-a","messages":[]}`) }, canary, "invalid_request"},
		{"the wrong endpoint", func(s *wire.Start) { s.Endpoint = "responses" }, canary, "wrong_endpoint"},
		{"no text endpoint", func(s *wire.Start) { s.Endpoint = "video" }, canary, "invalid_request"},
		{"no key", func(s *wire.Start) {}, "", "key_missing"},
		{"an id that is none", func(s *wire.Start) { s.Answer = "../../etc" }, canary, "invalid_request"},
		{"an id in capitals", func(s *wire.Start) { s.Run = strings.ToUpper(s.Run) }, canary, "invalid_request"},
		{"a body too long", func(s *wire.Start) {
			s.Body = json.RawMessage(`{"model":"` + strings.Repeat("a", wire.MaxBody) + `"}`)
		}, canary, "body_too_large"},
		{"a message to follow that is not there", func(s *wire.Start) { s.User.Parent = uuid.NewString() }, canary, "not_found"},
		{"the id of another run", func(s *wire.Start) { s.Run = other.Run; s.Conversation = uuid.NewString() }, canary, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := turn()
			tt.change(&s)
			r, err := d.Start(t.Context(), d.owner, tt.key, s)
			if tt.code == "" {
				if err != nil || r.Conversation != other.Conversation {
					t.Errorf("got %+v, %v instead of the run that has the id", r, err)
				}
				return
			}
			var p *wire.Problem
			if !errors.As(err, &p) || p.Code != tt.code || p.Message == "" {
				t.Errorf("the error is %v", err)
			}
		})
	}
	d.start(turn())
	second := d.call()
	_, err := d.Start(t.Context(), d.owner, canary, turn())
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "too_many_runs" || !strings.Contains(p.Message, "2") {
		t.Errorf("a third run: %v", err)
	}
	if len(d.calls) != 0 {
		t.Error("something refused was sent")
	}
	c.err <- errors.New("enough")
	second.err <- errors.New("enough")
	d.wait(other.Run)
}

func TestSomebodyElsesRunIsNotThere(t *testing.T) {
	d := newDesk(t, nil)
	s := turn()
	d.start(s)
	c := d.call()
	stranger := "999"
	check := func(when string) {
		t.Helper()
		var p *wire.Problem
		if _, _, err := d.Open(t.Context(), stranger, s.Run); !errors.As(err, &p) || p.Code != "run_not_found" {
			t.Errorf("%s: open: %v", when, err)
		}
		if err := d.Stop(t.Context(), stranger, s.Run); !errors.As(err, &p) || p.Code != "run_not_found" {
			t.Errorf("%s: stop: %v", when, err)
		}
	}
	check("while it runs")
	c.stream(events)
	c.send(t, "%s", chunk("x")+done)
	c.pipe.Close()
	if r := d.wait(s.Run); r.State != wire.Done {
		t.Errorf("ended %s", r.State)
	}
	check("after its end")
}

func TestCloseEndsRunsAsInterruptedWithAllTheirText(t *testing.T) {
	d := newDesk(t, func(c *run.Config) { c.FlushEvery = time.Hour }) // nothing is flushed before
	s := turn()
	d.start(s)
	c := d.call()
	c.stream(events)
	c.send(t, "%s", chunk("All of "))
	c.send(t, "%s", chunk("this"))
	if err := d.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := d.wait(s.Run); r.State != wire.Interrupted {
		t.Errorf("ended %s", r.State)
	}
	if m := d.message(s); m.Text != "All of this" || m.Run.State != wire.Interrupted {
		t.Errorf("stored %q, %s", m.Text, m.Run.State)
	}
	_, err := d.Start(t.Context(), d.owner, canary, turn())
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "shutting_down" {
		t.Errorf("a start after it: %v", err)
	}
}

// lostEnd is a store from which the process is gone before the end of a run
// could be written, as after a kill.
type lostEnd struct {
	*store.DB
	appended chan int64
}

func (l lostEnd) FinishRun(context.Context, string, wire.Run, string, []byte, []byte, json.RawMessage) error {
	return nil
}

func (l lostEnd) AppendRunLog(owner, id string, from int64, p, times []byte, done func(error)) {
	l.DB.AppendRunLog(owner, id, from, p, times, func(err error) {
		done(err)
		l.appended <- from + int64(len(p))
	})
}

func TestRecoverAfterAKill(t *testing.T) {
	tests := []struct {
		name, sent string
		state      wire.RunState
		text       string
	}{
		{"in mid-stream", chunk("Kept ") + chunk("text"), wire.Interrupted, "Kept text"},
		{"in the middle of an event", chunk("Kept") + `data: {"choices":[{"del`, wire.Interrupted, "Kept"},
		{"after the end had been stored", chunk("Whole") + usage + done, wire.Done, "Whole"},
		{"before anything came", "", wire.Interrupted, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			lost := lostEnd{appended: make(chan int64, 100)}
			d := newDesk(t, func(c *run.Config) {
				lost.DB = c.Store.(*store.DB)
				c.Store = lost
			})
			s := turn()
			d.start(s)
			c := d.call()
			c.stream(events)
			if tt.sent != "" {
				c.send(t, "%s", tt.sent)
				for n := int64(0); n < int64(len(tt.sent)); {
					n = <-lost.appended
				}
			}
			if err := d.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := d.db.Close(); err != nil {
				t.Fatal(err)
			}

			d.open(nil)
			if err := d.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			m := d.message(s)
			if m.Text != tt.text || m.Run.State != tt.state || m.Run.Bytes != int64(len(tt.sent)) {
				t.Errorf("recovered %q, %+v", m.Text, m.Run)
			}
			if got := d.read(s.Run, 0); string(got) != tt.sent {
				t.Errorf("the log is %q", got)
			}
			if tt.text != "" && d.spent() == 0 {
				t.Error("nothing was charged for it")
			}
			before := d.spent()
			if err := d.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			if d.spent() != before {
				t.Error("a second recovery charged again")
			}
			if again := d.start(s); again.State != tt.state {
				t.Errorf("starting it again gives %+v", again)
			}
		})
	}
}

// brokenDisk is a store whose disk is full for log stretches.
type brokenDisk struct {
	*store.DB
	mu     sync.Mutex
	broken bool
}

func (b *brokenDisk) AppendRunLog(owner, id string, from int64, p, times []byte, done func(error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.broken {
		go done(errors.New("disk full"))
		return
	}
	b.DB.AppendRunLog(owner, id, from, p, times, done)
}

func TestDiskThatIsFullForAWhileLosesNothing(t *testing.T) {
	var disk *brokenDisk
	d := newDesk(t, func(c *run.Config) {
		disk = &brokenDisk{DB: c.Store.(*store.DB), broken: true}
		c.Store = disk
		c.FlushEvery = time.Millisecond
	})
	s := turn()
	d.start(s)
	c := d.call()
	c.stream(events)
	var sent strings.Builder
	for i := range 400 {
		p := chunk(fmt.Sprintf("word %d ", i))
		sent.WriteString(p)
		c.send(t, "%s", p)
		if i == 200 {
			disk.mu.Lock()
			disk.broken = false
			disk.mu.Unlock()
		}
	}
	sent.WriteString(done)
	c.send(t, done)
	c.pipe.Close()
	if r := d.wait(s.Run); r.State != wire.Done {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
	if got := d.read(s.Run, 0); string(got) != sent.String() {
		t.Error("the log has other bytes")
	}
}

func TestDiskThatStaysFullEndsTheRunAndSaysSo(t *testing.T) {
	d := newDesk(t, func(c *run.Config) {
		c.Store = &brokenDisk{DB: c.Store.(*store.DB), broken: true}
		c.FlushEvery = time.Millisecond
	})
	s := turn()
	d.start(s)
	c := d.call()
	c.stream(events)
	p := chunk(strings.Repeat("word ", 2000))
	for {
		if _, err := io.WriteString(c.pipe, p); err != nil {
			break
		}
	}
	r := d.wait(s.Run)
	if r.State != wire.Failed || r.Problem == nil || r.Problem.Code != "storage_failed" {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
}

// waitedFor is a context that tells when somebody waits for its end.
type waitedFor struct {
	context.Context
	once  *sync.Once
	asked chan struct{}
}

func (w waitedFor) Done() <-chan struct{} {
	w.once.Do(func() { close(w.asked) })
	return w.Context.Done()
}

// A conversation is deleted while a budget refuses a run of it: nothing is
// waited for that will never be.
func TestStopConversationDoesNotWaitForWhatWasRefused(t *testing.T) {
	stopped := make(chan error, 1)
	s := turn()
	var d *desk
	d = newDesk(t, func(c *run.Config) {
		c.Reserve = func(context.Context, string, gateway.Model, []byte) (func(), *wire.Problem) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			w := waitedFor{ctx, &sync.Once{}, make(chan struct{})}
			go func() {
				defer cancel()
				stopped <- d.StopConversation(w, d.owner, s.Conversation)
			}()
			<-w.asked
			return nil, &wire.Problem{Code: "storage_failed", Message: "Nothing was sent."}
		}
	})
	if _, err := d.Start(t.Context(), d.owner, "key", s); err == nil {
		t.Fatal("the run was not refused")
	}
	if err := <-stopped; err != nil {
		t.Error(err)
	}
}

// What a budget refuses was written by somebody: it is there after a reload,
// with the reason, and can be asked again. The gateway hears nothing of it.
func TestWhatABudgetRefusesIsKeptWithTheReason(t *testing.T) {
	room := false
	d := newDesk(t, func(c *run.Config) {
		c.Reserve = func(context.Context, string, gateway.Model, []byte) (func(), *wire.Problem) {
			if room {
				return func() {}, nil
			}
			return nil, &wire.Problem{Code: wire.CodeBudgetReached, Message: "Your budget is $1. Nothing was sent.", Hint: "Raise it."}
		}
	})
	s := turn()
	d.start(s)
	if r := d.wait(s.Run); r.State != wire.Failed || r.Problem == nil || r.Problem.Code != wire.CodeBudgetReached || r.CostNanoUSD != 0 || r.CostSource != "" {
		t.Errorf("ended as %+v", r)
	}
	m := d.message(s)
	if m.Parent != s.User.ID || m.Run.State != wire.Failed || m.Run.Problem.Message != "Your budget is $1. Nothing was sent." {
		t.Errorf("stored as %+v, %+v", m, m.Run)
	}
	if len(d.calls) != 0 {
		t.Error("the gateway was called")
	}
	room = true
	again := s
	again.Run, again.Answer = uuid.NewString(), uuid.NewString()
	d.start(again)
	d.call().err <- errors.New("enough")
	d.wait(again.Run)
}

func TestStopConversationWaitsForTheEnds(t *testing.T) {
	d := newDesk(t, nil)
	s := turn()
	d.start(s)
	d.call().stream(events)
	other := turn()
	d.start(other)
	c := d.call()
	if err := d.StopConversation(t.Context(), d.owner, s.Conversation); err != nil {
		t.Fatal(err)
	}
	if m := d.message(s); m.Run.State != wire.Stopped {
		t.Errorf("stored as %s", m.Run.State)
	}
	if c.ctx.Err() != nil {
		t.Error("a run of another conversation was stopped")
	}
	c.err <- errors.New("enough")
	d.wait(other.Run)
}

// sample is the catalogue, read once.
var sample = sync.OnceValue(gateway.SampleCatalogue)
