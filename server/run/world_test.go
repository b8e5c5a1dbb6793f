package run_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "sk-canary-0123456789"

// world is a Manager on a real store, with a gateway that the test plays.
type world struct {
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
	r, pipe := io.Pipe()
	c.pipe = pipe
	context.AfterFunc(c.ctx, func() { pipe.CloseWithError(context.Cause(c.ctx)) })
	c.reply <- &upstream.Reply{Status: 200, ContentType: contentType, RequestID: "req-1", Body: r}
}

func (c *call) send(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(c.pipe, format, args...); err != nil {
		t.Fatal(err)
	}
}

func newWorld(t *testing.T, change func(*run.Config)) *world {
	t.Helper()
	w := &world{t: t, dir: storetest.Folder(t)}
	w.open(change)
	return w
}

// open opens the store and a Manager on it; a test calls it again after kill.
func (w *world) open(change func(*run.Config)) {
	w.t.Helper()
	w.log = &bytes.Buffer{}
	w.ended = map[string]chan wire.Run{}
	w.calls = make(chan *call, 16)
	db, err := storetest.TryOpen(w.t, w.dir, store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	w.db = db
	if w.owner, err = db.EnsureLocalUser(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	c := w.config()
	if change != nil {
		change(&c)
	}
	w.Manager = run.New(c)
	w.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := w.Close(ctx); err != nil {
			w.t.Error(err)
		}
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	})
}

// config is a Manager's on the world's store, with the world's gateway.
func (w *world) config() run.Config {
	return run.Config{
		Store: w.db, Catalogue: sample, FlushEvery: 10 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Gateway: func(ctx context.Context, key string, ep gateway.Endpoint, body []byte) (*upstream.Reply, error) {
			c := &call{ctx: ctx, key: key, ep: ep, body: bytes.Clone(body), reply: make(chan *upstream.Reply, 1), err: make(chan error, 1)}
			w.calls <- c
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
				w.end(r.ID) <- r
			}
		},
	}
}

func (w *world) end(id string) chan wire.Run {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ended[id] == nil {
		w.ended[id] = make(chan wire.Run, 4)
	}
	return w.ended[id]
}

func (w *world) wait(id string) wire.Run {
	w.t.Helper()
	select {
	case r := <-w.end(id):
		return r
	case <-time.After(20 * time.Second):
		w.t.Fatalf("run %s does not end; the log says:\n%s", id, w.log)
	}
	panic("unreachable")
}

func (w *world) call() *call {
	w.t.Helper()
	select {
	case c := <-w.calls:
		return c
	case <-time.After(20 * time.Second):
		w.t.Fatal("the gateway is not called")
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

func (w *world) start(s wire.Start) wire.Run {
	w.t.Helper()
	r, err := w.Start(w.t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, s)
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

// read reads a run's log from an offset to where it ends, waiting for it.
func (w *world) read(id string, from int64) []byte {
	w.t.Helper()
	_, log, err := w.Open(w.t.Context(), w.owner, id)
	if err != nil {
		w.t.Fatal(err)
	}
	news := make(chan struct{}, 1)
	log.Watch(news)
	defer log.Unwatch(news)
	var out []byte
	for {
		p, end, err := log.Read(w.t.Context(), nil, from+int64(len(out)), 1000)
		if err != nil {
			w.t.Fatal(err)
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

func (w *world) message(s wire.Start) wire.Message {
	w.t.Helper()
	o, err := w.db.OpenConversation(w.t.Context(), w.owner, wire.Page{Conversation: s.Conversation})
	if err != nil {
		w.t.Fatal(err)
	}
	for _, m := range o.Messages {
		if m.ID == s.Answer {
			return m
		}
	}
	w.t.Fatal("the answer is not in the conversation")
	panic("unreachable")
}

func (w *world) spent() int64 {
	w.t.Helper()
	n, err := w.db.Spent(w.t.Context(), w.owner, time.UnixMilli(0), time.Now().Add(time.Hour))
	if err != nil {
		w.t.Fatal(err)
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

// sample is the catalogue, read once.
var sample = sync.OnceValue(gateway.SampleCatalogue)
