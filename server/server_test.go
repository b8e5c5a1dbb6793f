package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	gatewayclient "screentest/server/gateway"
	"screentest/server/sandbox"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Everything here goes through the real server: sockets, the real HTTP client,
// the sandbox on a port of its own, SQLite.

const canary = "sk-canary-7Hq2LmX0vB"

// desk is a running server.
type desk struct {
	*server
	t   *testing.T
	log bytes.Buffer
}

func newDesk(t *testing.T, c serveConfig) *desk {
	t.Helper()
	if c.data == "" {
		c.data = t.TempDir()
	}
	if c.addr == "" {
		c.addr = "127.0.0.1:0"
	}
	c.sandboxSpeed = 20
	d := &desk{t: t}
	var err error
	if d.server, err = start(t.Context(), c, slog.New(slog.NewTextHandler(&d.log, &slog.HandlerOptions{Level: slog.LevelDebug}))); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

func dial(t *testing.T, url string, h *http.Client) *wiretest.Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	c, err := wiretest.Dial(ctx, url, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// turn is a first message to a chat model, or, for responses, to beta.
func turn(ep gateway.Endpoint, prompt string) wire.Start {
	text, _ := json.Marshal(prompt) // a string marshals
	body := fmt.Sprintf(`{"model":"vendor/model-a","messages":[{"role":"user","content":%s}],"stream":true,"stream_options":{"include_usage":true}}`, text)
	if ep == gateway.Responses {
		body = fmt.Sprintf(`{"model":"vendor/beta-4.5","input":%s,"stream":true}`, text)
	}
	return wire.Start{
		Run: uuid.NewString(), Conversation: uuid.NewString(), Answer: uuid.NewString(),
		User:     wire.Message{ID: uuid.NewString(), Role: "user", Text: prompt},
		Endpoint: string(ep), Body: json.RawMessage(body),
	}
}

// play starts a run and reads it.
func play(t *testing.T, c *wiretest.Client, s wire.Start) {
	t.Helper()
	if err := c.Call(t.Context(), wire.OpStart, s, nil); err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), wire.OpRead, wire.Read{Run: s.Run}, nil); err != nil {
		t.Fatal(err)
	}
}

// end waits for a run's end, and for the answer as it is stored.
func end(t *testing.T, c *wiretest.Client, s wire.Start) (wire.Run, wire.Message) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := c.RunEnd(ctx, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := c.Log(ctx, s.Run, wiretest.Whole); err != nil && r.Bytes > 0 {
		t.Fatal(err)
	} else if int64(len(l.Bytes)) != r.Bytes {
		t.Errorf("%d bytes of %d were read", len(l.Bytes), r.Bytes)
	}
	return r, answer(t, c, s)
}

func answer(t *testing.T, c *wiretest.Client, s wire.Start) wire.Message {
	t.Helper()
	var o wire.Opened
	if err := c.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: s.Conversation}, &o); err != nil {
		t.Fatal(err)
	}
	for _, m := range o.Messages {
		if m.ID == s.Answer {
			return m
		}
	}
	t.Fatalf("the answer is not in %+v", o)
	panic("unreachable")
}

func TestAnswersOfTheSandbox(t *testing.T) {
	d := newDesk(t, serveConfig{})
	c := dial(t, d.url, wiretest.NewHTTP())
	for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
		for _, tt := range []struct {
			prompt string
			state  wire.RunState
			code   string
			status int
			text   bool
		}{
			{"Say something [[pace: 2000]]", wire.Done, "", 0, true},
			{"[[markdown]] [[pace: 20000]]", wire.Done, "", 0, true},
			{"[[json]]", wire.Done, "", 0, true},
			{"[[no-usage]] [[pace: 2000]]", wire.Done, "", 0, true},
			{"[[incomplete]] [[pace: 2000]]", wire.Incomplete, "", 0, true},
			{"[[status: 401]]", wire.Failed, "bad_key", 401, false},
			{"[[status: 429]]", wire.Failed, "rate_limit_exceeded", 429, false},
			{"[[status: 429 empty]]", wire.Failed, "rate_limited", 429, false},
			{"[[status: 500]]", wire.Failed, "server_error", 500, false},
			{"[[status: 502]]", wire.Failed, "gateway_error", 502, false},
			{"[[status: 503 html]]", wire.Failed, "gateway_error", 503, false},
			{"[[drop]] [[pace: 2000]]", wire.Failed, "gateway_dropped", 0, true},
			{"[[truncate]] [[pace: 2000]]", wire.Failed, "gateway_truncated", 0, true},
			{"[[fail: out of ideas]] [[pace: 2000]]", wire.Failed, "*", 0, true},
			{"[[error]] [[pace: 2000]]", wire.Failed, "*", 0, true},
		} {
			t.Run(string(ep)+" "+tt.prompt, func(t *testing.T) {
				s := turn(ep, tt.prompt)
				play(t, c, s)
				r, m := end(t, c, s)
				if r.State != tt.state {
					t.Errorf("ended %s: %v", r.State, r.Problem)
				}
				switch p := r.Problem; {
				case tt.code == "" && p != nil && tt.state == wire.Done:
					t.Errorf("a problem: %v", p)
				case tt.code == "":
				case p == nil || p.Message == "" || p.Status != tt.status:
					t.Errorf("the problem is %+v", p)
				case tt.code != "*" && p.Code != tt.code:
					t.Errorf("the problem is %q: %s", p.Code, p.Message)
				}
				if (m.Text != "") != tt.text {
					t.Errorf("the text is %q", m.Text)
				}
				if m.Run.State != r.State || m.Run.CostNanoUSD != r.CostNanoUSD {
					t.Errorf("told %+v, stored %+v", r, m.Run)
				}
				if estimated := strings.Contains(tt.prompt, "no-usage"); tt.state == wire.Done && (r.CostSource == "estimated") != estimated {
					t.Errorf("the cost is %s", r.CostSource)
				}
			})
		}
	}
}

// A page whose name was pointed at this machine is told nothing, by the sandbox
// neither: its key is no secret here.
func TestTheSandboxInsideAnswersToThisMachineOnly(t *testing.T) {
	d := newDesk(t, serveConfig{})
	for host, want := range map[string]int{
		"": http.StatusOK, "localhost:9": http.StatusOK, "[::1]:9": http.StatusOK,
		"evil.example": http.StatusMisdirectedRequest, "127.0.0.1.evil.example": http.StatusMisdirectedRequest, "192.0.2.7": http.StatusMisdirectedRequest,
	} {
		req, err := http.NewRequestWithContext(t.Context(), "GET", d.client.Base.String()+"/sandbox/account", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		req.Header.Set("Authorization", "Bearer "+sandbox.DefaultKey)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		if res.StatusCode != want {
			t.Errorf("Host %q: %s, want %d", host, res.Status, want)
		}
	}
}

func TestStopKeepsTheText(t *testing.T) {
	d := newDesk(t, serveConfig{})
	c := dial(t, d.url, wiretest.NewHTTP())
	s := turn(gateway.Chat, "[[repeat: 100000]] [[pace: 500]]")
	play(t, c, s)
	if _, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 2000 }); err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), wire.OpStop, wire.Target{ID: s.Run}, nil); err != nil {
		t.Fatal(err)
	}
	r, m := end(t, c, s)
	if r.State != wire.Stopped || m.Text == "" || r.CostSource != "estimated" {
		t.Errorf("ended %+v with %q", r, m.Text)
	}
	// A second time, and long after, it is no error.
	if err := c.Call(t.Context(), wire.OpStop, wire.Target{ID: s.Run}, nil); err != nil {
		t.Error(err)
	}
}

// outside is a gateway that is not ours, with a key.
func outside(t *testing.T, h http.Handler) string {
	t.Helper()
	if h == nil {
		sb, err := sandbox.New(sandbox.Config{Key: canary, TokensPerSecond: 5000, FirstToken: -1, Catalogue: gateway.SampleCatalogue()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { sb.Close() })
		h = sb
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// With its body read, a request notices when its caller leaves.
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func setKey(t *testing.T, c *wiretest.Client, key string) {
	t.Helper()
	if err := c.SetKey(t.Context(), key); err != nil {
		t.Fatal(err)
	}
}

func TestGatewaysThatMisbehave(t *testing.T) {
	quick := gatewayclient.Options{HeaderTimeout: 300 * time.Millisecond, SilenceTimeout: 300 * time.Millisecond}
	events := func(w http.ResponseWriter, text string) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, text)
		w.(http.Flusher).Flush()
	}
	const half = "data: {\"choices\":[{\"delta\":{\"content\":\"Half\"}}]}\n\n"
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		code   string
		text   string
	}{
		{"nothing at all", func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "gateway_silent", ""},
		{"silence after half", func(w http.ResponseWriter, r *http.Request) { events(w, half); <-r.Context().Done() }, "gateway_silent", "Half"},
		{"a login page", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Sign in</title>")
		}, "gateway_html", ""},
		{"a redirect elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
		}, "gateway_redirect", ""},
		{"an empty reply", func(w http.ResponseWriter, r *http.Request) { events(w, "") }, "gateway_empty", ""},
		{"the key in an error", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":"Incorrect API key provided: %s"}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		}, "bad_key", ""},
		{"the key in the stream", func(w http.ResponseWriter, r *http.Request) {
			events(w, half+"data: {\"error\":{\"message\":\"bad key "+canary+"\",\"code\":\"oops\"}}\n\n")
		}, "oops", "Half"},
		{"gone", nil, "gateway_unreachable", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url := "http://127.0.0.1:1"
			if tt.answer != nil {
				url = outside(t, tt.answer)
			}
			dir := t.TempDir()
			d := newDesk(t, serveConfig{gateway: url, data: dir, timeouts: quick})
			c := dial(t, d.url, wiretest.NewHTTP())
			setKey(t, c, canary)
			s := turn(gateway.Chat, "Hello")
			s.Body = json.RawMessage(`{"model":"vendor/model-a","messages":[{"role":"user","content":"Hello"}],"stream":true}`)
			play(t, c, s)
			r, m := end(t, c, s)
			if r.State != wire.Failed || r.Problem == nil || r.Problem.Code != tt.code || r.Problem.Message == "" {
				t.Errorf("ended %s: %+v", r.State, r.Problem)
			}
			if m.Text != tt.text {
				t.Errorf("the text is %q", m.Text)
			}
			noCanary(t, d, dir, c.Raw())
		})
	}
}

// noCanary looks for the key wherever it must not be.
func noCanary(t *testing.T, d *desk, dir string, raw []byte) {
	t.Helper()
	if bytes.Contains(raw, []byte(canary)) {
		t.Error("the key is in the frames")
	}
	if err := d.close(); err != nil { // so that nothing writes the log any more
		t.Error(err)
	}
	if strings.Contains(d.log.String(), canary) {
		t.Errorf("the key is in the log: %s", &d.log)
	}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		p, err := os.ReadFile(path)
		if bytes.Contains(p, []byte(canary)) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestKeyIsKeptOverARestartAndGoesOnlyToTheGateway(t *testing.T) {
	url := outside(t, nil)
	dir := t.TempDir()
	d := newDesk(t, serveConfig{gateway: url, data: dir})
	h := wiretest.NewHTTP()
	c := dial(t, d.url, h)
	wrong := turn(gateway.Chat, "Hello")
	setKey(t, c, "sk-wrong-0123456789")
	wrong.Body = bytes.Replace(wrong.Body, []byte(`,"stream_options":{"include_usage":true}`), nil, 1)
	play(t, c, wrong)
	if r, _ := end(t, c, wrong); r.Problem == nil || r.Problem.Code != "bad_key" {
		t.Errorf("with a wrong key: %s, %v", r.State, r.Problem)
	}
	setKey(t, c, canary)
	s := turn(gateway.Responses, "Hello")
	play(t, c, s)
	if r, _ := end(t, c, s); r.State != wire.Done {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
	noCanary(t, d, dir, c.Raw()) // and closes it

	// The same browser comes back to the same address.
	again := newDesk(t, serveConfig{gateway: url, data: dir, addr: strings.Replace(d.url, "http://localhost", "127.0.0.1", 1)})
	c = dial(t, again.url, h)
	hello, err := wiretest.News(t.Context(), c, wire.EventHello, func(wire.Hello) bool { return true })
	if err != nil || hello.Gateway.KeyLast4 != canary[len(canary)-4:] {
		t.Errorf("greeted with %+v, %v", hello.Gateway, err)
	}
	s = turn(gateway.Responses, "Hello again")
	play(t, c, s)
	if r, _ := end(t, c, s); r.State != wire.Done {
		t.Errorf("ended %s, %v", r.State, r.Problem)
	}
}

// killed is a server in a process of its own, so that it can be killed.
func killed(t *testing.T, dir string, args ...string) (*child, string) {
	t.Helper()
	env := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	c, url, err := spawn(dir, env, append([]string{"-addr", "127.0.0.1:0", "-data", filepath.Join(dir, "data")}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.end(os.Kill) })
	return c, url
}

func TestKillInMidStream(t *testing.T) {
	dir := t.TempDir()
	proc, url := killed(t, dir)
	c := dial(t, url, wiretest.NewHTTP())
	s := turn(gateway.Chat, "[[repeat: 100000]] [[pace: 300]]")
	play(t, c, s)
	began := time.Now()
	l, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 4000 && time.Since(began) > 1500*time.Millisecond })
	if err != nil {
		t.Fatal(err)
	}
	proc.end(os.Kill)

	_, url = killed(t, dir)
	c = dial(t, url, wiretest.NewHTTP())
	m := answer(t, c, s)
	if m.Run.State != wire.Interrupted || m.Text == "" {
		t.Fatalf("after the restart: %+v with %q", m.Run, m.Text)
	}
	// What a kill costs is the interval that the page is told, and a second of
	// grace for a busy disk. The stream has 300 words a second.
	hello, err := wiretest.News(t.Context(), c, wire.EventHello, func(wire.Hello) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	words := func(p []byte) int { return bytes.Count(p, []byte(`"content"`)) }
	if err := c.Call(t.Context(), wire.OpRead, wire.Read{Run: s.Run}, nil); err != nil {
		t.Fatal(err)
	}
	kept, err := c.Log(t.Context(), s.Run, wiretest.Whole)
	if err != nil {
		t.Fatal(err)
	}
	if common := min(len(kept.Bytes), len(l.Bytes)); !bytes.Equal(kept.Bytes[:common], l.Bytes[:common]) {
		t.Error("the log has other bytes than before")
	}
	if lost, most := words(l.Bytes)-words(kept.Bytes), int(300*(hello.FlushMS+1000)/1000); lost > most {
		t.Errorf("%d words are lost, at most %d may be", lost, most)
	}
	// It can be retried: the same message, a new answer.
	retry := s
	retry.Run, retry.Answer = uuid.NewString(), uuid.NewString()
	retry.Body = turn(gateway.Chat, "[[pace: 5000]] short").Body
	play(t, c, retry)
	if r, _ := end(t, c, retry); r.State != wire.Done {
		t.Errorf("the retry ended %s: %v", r.State, r.Problem)
	}
	// A start that was repeated for want of an answer is not sent again.
	var again wire.Run
	if err := c.Call(t.Context(), wire.OpStart, s, &again); err != nil || again.State != wire.Interrupted {
		t.Errorf("started again: %+v, %v", again, err)
	}
}

func TestInterruptEndsInOrder(t *testing.T) {
	dir := t.TempDir()
	proc, url := killed(t, dir)
	c := dial(t, url, wiretest.NewHTTP())
	s := turn(gateway.Responses, "[[repeat: 100000]] [[pace: 300]]")
	play(t, c, s)
	l, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 4000 })
	if err != nil {
		t.Fatal(err)
	}
	proc.end(os.Interrupt)
	if code := proc.cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d: %s", code, &proc.stderr)
	}
	if strings.Contains(proc.stderr.String(), "level=ERROR") {
		t.Errorf("errors on the way: %s", &proc.stderr)
	}
	_, url = killed(t, dir)
	m := answer(t, dial(t, url, wiretest.NewHTTP()), s)
	// Nothing that was shown is lost.
	if m.Run.State != wire.Interrupted || m.Run.Bytes < int64(len(l.Bytes)) {
		t.Errorf("%s with %d bytes, %d were shown", m.Run.State, m.Run.Bytes, len(l.Bytes))
	}
}

// One who sends half a request, and no more, does not keep the rest of the
// server from an orderly end.
func TestAStalledRequestCostsNoAnswerItsEnd(t *testing.T) {
	dir := t.TempDir()
	d := newDesk(t, serveConfig{data: dir})
	c := dial(t, d.url, wiretest.NewHTTP())
	s := turn(gateway.Responses, "[[repeat: 100000]] [[pace: 300]]")
	play(t, c, s)
	if _, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 4000 }); err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(d.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nOrigin: %s\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{", wire.ImportPath, strings.TrimPrefix(d.url, "http://"), d.url)
	// It is being read when another request is answered.
	if res, err := http.Get(d.url + "/"); err != nil {
		t.Fatal(err)
	} else {
		res.Body.Close()
	}
	if err := d.close(); err != nil {
		t.Errorf("the end: %v", err)
	}
	again := newDesk(t, serveConfig{data: dir})
	r, err := again.store.Run(t.Context(), again.people.Owner, s.Run)
	if err != nil || r.State != wire.Interrupted || strings.Contains(d.log.String(), "level=ERROR") || strings.Contains(again.log.String(), s.Run) {
		t.Errorf("the answer is %q, %v; the log says\n%s\nand the next start\n%s", r.State, err, &d.log, &again.log)
	}
}

func TestCatalogueIsReadAgain(t *testing.T) {
	file := filepath.Join(t.TempDir(), "models.json")
	write := func(id string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(`{"models":[{"id":"`+id+`","family":"ordinary","endpoint":"chat","mode":"text"}]}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("vendor/first")
	d := newDesk(t, serveConfig{catalog: file})
	c := dial(t, d.url, wiretest.NewHTTP())
	has := func(id string) func(wire.Hello) bool {
		return func(h wire.Hello) bool { return bytes.Contains(h.Catalogue, []byte(id)) }
	}
	if _, err := wiretest.News(t.Context(), c, wire.EventHello, has("vendor/first")); err != nil {
		t.Fatal(err)
	}
	write("vendor/second")
	d.reload()
	if _, err := wiretest.News(t.Context(), c, wire.EventHello, has("vendor/second")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.reload()
	if _, known := d.models.current().Lookup("vendor/second"); !known {
		t.Error("a mistake in the file took the old catalogue away")
	}
}

func TestStartThatFailsLeavesNothingOpen(t *testing.T) {
	dir := t.TempDir()
	c := serveConfig{addr: "127.0.0.1:0", data: dir, gateway: "ftp://x", sandboxSpeed: 1}
	_, err := start(t.Context(), c, slog.New(slog.DiscardHandler))
	var m mistake
	if !errors.As(err, &m) {
		t.Fatalf("the error is %v", err)
	}
	newDesk(t, serveConfig{data: dir}) // the folder is free
}

// A key that may cross a network unencrypted is told of where the operator
// looks.
func TestAKeyOnItsWayWithoutHTTPSIsWarnedOf(t *testing.T) {
	const gateway, page = "the gateway is not reached by https", "the page is not reached by https"
	for _, c := range []struct {
		gateway, public string
		want            string
	}{
		{gateway: "http://192.0.2.7:8080", want: gateway},
		{gateway: "https://192.0.2.7:8080"},
		{gateway: "http://127.0.0.1:1"},
		{gateway: "http://localhost:1"},
		{gateway: "https://192.0.2.7", public: "http://play.example.com", want: page},
		{gateway: "https://192.0.2.7", public: "https://play.example.com"},
		{gateway: "https://192.0.2.7", public: "http://localhost:8080"},
		{public: "http://play.example.com"},
		{},
	} {
		log := newDesk(t, serveConfig{gateway: c.gateway, publicURL: c.public}).log.String()
		for _, warning := range []string{gateway, page} {
			if got := strings.Contains(log, warning); got != (warning == c.want) {
				t.Errorf("-gateway %q -public-url %q: warned of %q is %v", c.gateway, c.public, warning, got)
			}
		}
	}
}
