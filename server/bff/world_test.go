package bff_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/server/bff"
	"screentest/server/budget"
	"screentest/server/news"
	"screentest/server/page"
	"screentest/server/people"
	"screentest/server/retention"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/upstream"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) {
	// net/http waits half a second behind the answer to a body that broke off.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}

// canary is a key that must never be seen again.
const canary = "sk-canary-Zq8w3xNfT0"

// built are files in place of the browser's.
var built = sync.OnceValues(func() (*page.Page, error) {
	return page.New(fstest.MapFS{
		"app.wasm": {Data: []byte("program")},
		"base.css": {Data: []byte(".second{}")},
		"icon.svg": {Data: []byte("<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>")},
	}, page.Options{})
})

// world is a whole server but for the gateway, which the test plays: stream is
// called for each run and writes the reply.
type world struct {
	t         *testing.T
	url       string
	bff       *bff.Server
	page      *page.Page
	people    *people.Directory
	runs      *run.Manager
	db        *store.DB
	news      *news.Hub
	budget    *budget.Keeper
	retention *retention.Sweeper
	owner     string
	dir       string
	log       *lockedBuffer
	stream    func(w *io.PipeWriter, key string, body []byte)
	kind      string // Content-Type of the replies
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

type browserRuns struct{ *run.Manager }

func (b browserRuns) Open(ctx context.Context, owner, id string) (wire.Run, bff.Log, error) {
	r, l, err := b.Manager.Open(ctx, owner, id)
	return r, l, err
}

// words is a gateway that answers with some words and an end.
func words(w *io.PipeWriter, _ string, _ []byte) {
	fmt.Fprint(w, chunk("Hello "), chunk("there"), usage, done)
	w.Close()
}

// newWorld has a gateway that wants a key.
func newWorld(t *testing.T, change func(*bff.Config)) *world {
	t.Helper()
	return makeWorld(t, "", change)
}

// keyed has the sandbox, whose key everybody has.
func keyed(t *testing.T, change func(*bff.Config)) *world {
	t.Helper()
	return makeWorld(t, "sandbox-0123456789", change)
}

func makeWorld(t *testing.T, sandboxKey string, change func(*bff.Config)) *world {
	t.Helper()
	w := &world{t: t, dir: storetest.Folder(t), log: &lockedBuffer{}, stream: words, kind: "text/event-stream"}
	logger := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	var err error
	if w.db, err = storetest.TryOpen(t, w.dir, store.Options{Logger: logger}); err != nil {
		t.Fatal(err)
	}
	if w.owner, err = w.db.EnsureLocalUser(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.news = news.New(w.db, logger)
	w.budget = budget.New(budget.Config{
		Store: w.db, MayEverybody: func(who string) bool { return who == w.owner },
		Tell: w.news.BudgetPassed,
	})
	w.retention = retention.New(retention.Config{Store: w.db})
	w.runs = run.New(run.Config{
		Store: w.db, Catalogue: sample, BaseURL: "https://gateway.example.com", FlushEvery: 20 * time.Millisecond, Logger: logger,
		Gateway: func(ctx context.Context, key string, ep gateway.Endpoint, body []byte) (*upstream.Reply, error) {
			r, pw := io.Pipe()
			context.AfterFunc(ctx, func() { pw.CloseWithError(context.Cause(ctx)) })
			go w.stream(pw, key, bytes.Clone(body))
			return &upstream.Reply{Status: 200, ContentType: w.kind, Body: r}, nil
		},
		Reserve: w.budget.ReserveText,
		Changed: w.news.Run,
		Stored:  w.news.ConversationChanged,
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w.url = "http://" + l.Addr().String()
	if w.page, err = built(); err != nil {
		t.Fatal(err)
	}
	c := bff.Config{
		Runs: browserRuns{w.runs}, Conversations: w.db, Ledger: w.db, Budgets: w.budget, Retention: w.retention, Storage: w.db,
		Gateway:    func() wire.Gateway { return wire.Gateway{BaseURL: "https://gateway.example.com"} },
		Catalogue:  sample().JSON,
		News:       w.news,
		Page:       w.page,
		Addr:       l.Addr().String(),
		FlushEvery: w.runs.FlushEvery,
		Logger:     logger,
	}
	if change != nil {
		change(&c)
	}
	w.people, err = people.New(t.Context(), people.Config{
		Sessions: w.db, Owner: w.owner, Addr: c.Addr, Secure: c.PublicURL != nil && c.PublicURL.Scheme == "https",
		Gateway: func() people.Gateway { return people.Gateway{Key: sandboxKey} }, KeyChanged: w.news.GatewayChanged,
	})
	if err != nil {
		t.Fatal(err)
	}
	c.People = w.people
	w.bff = bff.New(c)
	hs := &http.Server{Handler: w.bff}
	served := make(chan struct{})
	go func() { defer close(served); _ = hs.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		_ = hs.Close()
		<-served
		for _, close := range []func() error{
			func() error { w.bff.Close(ctx); return nil }, func() error { return w.runs.Close(ctx) },
			func() error { w.budget.Close(); w.news.Close(); w.retention.Close(); return nil }, w.db.Close,
		} {
			if err := close(); err != nil {
				t.Error(err)
			}
		}
	})
	return w
}

// dial opens a tab in a new browser.
func (w *world) dial() *wiretest.Client {
	w.t.Helper()
	return w.tab(wiretest.NewHTTP())
}

// tab opens a tab in a browser.
func (w *world) tab(h *http.Client) *wiretest.Client {
	w.t.Helper()
	c, err := wiretest.Dial(w.t.Context(), w.url, h)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(c.Close)
	return c
}

// key gives a browser a key.
func (w *world) key(c *wiretest.Client, key string) {
	w.t.Helper()
	if err := c.SetKey(w.t.Context(), key); err != nil {
		w.t.Fatal(err)
	}
}

type response struct {
	*http.Response
	body string
}

// do makes a request; headers are names and values in turn, Host among them.
func (w *world) do(h *http.Client, method, path, body string, headers ...string) response {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.url+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			req.Host = headers[i+1]
		} else {
			req.Header.Set(headers[i], headers[i+1])
		}
	}
	if h == nil {
		h = wiretest.NewHTTP()
	}
	res, err := h.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	p, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return response{res, string(p)}
}

func turn() wire.Start {
	return wire.Start{
		Run: uuid.NewString(), Conversation: uuid.NewString(), Answer: uuid.NewString(),
		User:     wire.Message{ID: uuid.NewString(), Role: "user", Text: "Hello there"},
		Endpoint: "chat",
		Body:     json.RawMessage(`{"model":"vendor/model-a","messages":[{"role":"user","content":"Hello there"}],"stream":true}`),
	}
}

// start starts a run and reads its log from the beginning.
func (w *world) start(c *wiretest.Client, s wire.Start) {
	w.t.Helper()
	if err := c.Call(w.t.Context(), wire.OpStart, s, nil); err != nil {
		w.t.Fatal(err)
	}
	w.read(c, s.Run, 0)
}

func (w *world) read(c *wiretest.Client, run string, from int64) {
	w.t.Helper()
	if err := c.Call(w.t.Context(), wire.OpRead, wire.Read{Run: run, From: from}, nil); err != nil {
		w.t.Fatal(err)
	}
}

func chunk(text string) string {
	return fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
}

const (
	usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4}}\n\n"
	done  = "data: [DONE]\n\n"
)

// sample is the catalogue, read once.
var sample = sync.OnceValue(gateway.SampleCatalogue)
