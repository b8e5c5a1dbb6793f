package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/sandbox"
	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Everything here goes through the real server: sockets, the real HTTP client,
// the sandbox on a port of its own, the engine that the suite runs on.

const canary = "sk-canary-7Hq2LmX0vB"

// playground is a running server.
type playground struct {
	*server
	t   *testing.T
	log watched
}

// sampleFile is the sample as a file of -catalog, for a gateway that lists nothing.
func sampleFile(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "catalogue.json")
	if err := os.WriteFile(file, gateway.SampleCatalogue().JSON(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func newPlayground(t *testing.T, c serveConfig) *playground {
	t.Helper()
	if c.data == "" {
		c.data = storetest.Folder(t)
	}
	if c.addr == "" {
		c.addr = "127.0.0.1:0"
	}
	if storetest.OnPostgres() && c.cluster.database == "" {
		c.cluster.database = storetest.URLOf(t, c.data)
	}
	c.sandboxSpeed = 20
	if c.gateway != "" && c.catalog == "" {
		c.catalog = sampleFile(t) // what it is asked for has prices
	}
	if c.signIn == (signInConfig{}) {
		c.signIn = signInConfig{password: true, groupsClaim: defaultGroupsClaim}
	}
	d := &playground{t: t}
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

// eventually waits until something is so; what says what, as it is by then.
func eventually(t *testing.T, so func() bool, what func() string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal(what())
		}
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

// killed is a server in a process of its own, so that it can be killed.
func killed(t *testing.T, dir string, args ...string) (*child, string) {
	t.Helper()
	env := append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, storetest.Environ(t, dir)...)
	c, url, err := spawn(dir, env, append([]string{"-addr", "127.0.0.1:0", "-data", filepath.Join(dir, "data")}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.end(os.Kill) })
	return c, url
}
