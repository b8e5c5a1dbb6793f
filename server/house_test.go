package main

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/budget"
	gatewayclient "screentest/server/gateway"
	"screentest/server/run"
	"screentest/server/sandbox"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/tokens"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// house is what spends money, put together on one folder: runs, videos,
// budgets and the store, against a gateway on a port of its own.
type house struct {
	t       *testing.T
	dir     string
	gateway *httptest.Server
	sandbox *sandbox.Server
	tokens  tokens.Counter

	// open is held for reading by whoever uses what follows, for writing while
	// it is started anew.
	open   sync.RWMutex
	db     *store.DB
	owner  string
	client *gatewayclient.Client
	budget *budget.Keeper
	runs   *run.Manager
	videos *video.Service

	mu    sync.Mutex
	ended map[string]chan struct{} // by run; closed when it has ended
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{t: t, dir: storetest.Folder(t), ended: map[string]chan struct{}{}}
	var err error
	h.sandbox, err = sandbox.New(sandbox.Config{Key: canary, Speed: 10_000, TokensPerSecond: -1, Catalogue: gateway.SampleCatalogue(), Balance: 1e15})
	if err != nil {
		t.Fatal(err)
	}
	h.gateway = httptest.NewServer(h.sandbox)
	t.Cleanup(func() {
		h.gateway.Close()
		if err := h.sandbox.Close(); err != nil {
			t.Error(err)
		}
	})
	h.start()
	return h
}

// must fails the test at once. It may be called from any goroutine.
func (h *house) must(err error) {
	if err != nil {
		panic(err)
	}
}

func (h *house) start() {
	var err error
	h.db, err = store.Open(context.Background(), h.dir, store.Options{})
	h.must(err)
	h.owner, err = h.db.EnsureLocalUser(context.Background())
	h.must(err)
	h.client, err = gatewayclient.New(h.gateway.URL, gatewayclient.Options{})
	h.must(err)
	h.budget = budget.New(budget.Config{Store: h.db})
	h.runs = run.New(run.Config{
		Store: h.db, Gateway: h.client.Stream, Catalogue: gateway.SampleCatalogue, StreamOptions: true, FlushEvery: 50 * time.Millisecond,
		Tokenizer: &h.tokens,
		Reserve:   h.budget.ReserveText,
		Changed: func(_ string, r wire.Run) {
			if r.State != wire.Running {
				h.mu.Lock()
				close(h.ended[r.ID])
				h.mu.Unlock()
			}
		},
	})
	h.videos, err = video.New(video.Config{
		Store: h.db.Videos(), Gateway: h.client, Catalogue: gateway.SampleCatalogue, Dir: h.dir,
		Base: "http://127.0.0.1:1", Budget: h.budget, Limits: video.Limits{Pace: 100}, Logger: slog.New(slog.DiscardHandler),
	})
	h.must(err)
	h.must(h.runs.Recover(context.Background()))
	h.must(h.videos.Start(context.Background()))
}

func (h *house) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	h.must(h.videos.Close(ctx))
	h.must(h.runs.Close(ctx))
	h.budget.Close()
	h.client.Close()
	h.must(h.db.Close())
}

// use calls fn while the house is not being started anew.
func (h *house) use(fn func()) {
	h.open.RLock()
	defer h.open.RUnlock()
	fn()
}

// send starts a run, and the same once more: that is no second send.
func (h *house) send(s wire.Start) (ended <-chan struct{}) {
	c := make(chan struct{})
	h.mu.Lock()
	h.ended[s.Run] = c
	h.mu.Unlock()
	h.use(func() {
		for range 2 {
			_, err := h.runs.Start(context.Background(), h.owner, canary, s)
			h.must(err)
		}
	})
	return c
}

// stopEarly stops a run once something of it has come.
func (h *house) stopEarly(id string) {
	h.use(func() {
		_, log, err := h.runs.Open(context.Background(), h.owner, id)
		h.must(err)
		grown := make(chan struct{}, 1)
		log.Watch(grown)
		defer log.Unwatch(grown)
		for size, closed := log.Size(); size == 0 && !closed; size, closed = log.Size() {
			<-grown
		}
		h.must(h.runs.Stop(context.Background(), h.owner, id))
	})
}

// A random operation is one of these, by its share of a hundred.
var mix = []struct {
	name  string
	share int
}{
	{"answer", 62}, {"refusal", 10}, {"broken", 8}, {"no usage", 4}, {"stopped", 6}, {"left alone", 4}, {"stopped at once", 4}, {"clip", 1}, {"failing clip", 1},
}

// kind is the name of operation n, counted from 1: each once, and then by their
// shares.
func kind(n int64, r *rand.Rand) string {
	if n <= int64(len(mix)) {
		return mix[n-1].name
	}
	at := r.IntN(100)
	for _, m := range mix {
		if at -= m.share; at < 0 {
			return m.name
		}
	}
	panic("the shares are less than a hundred")
}

// operate does one random operation and gives the run or the task it made.
func (h *house) operate(name string, r *rand.Rand) (run, task string) {
	ep := gateway.Chat
	if r.IntN(3) == 0 {
		ep = gateway.Responses
	}
	words := fmt.Sprintf("[[repeat: %d]] question %d", 1+r.IntN(8), r.IntN(1000))
	const slow = "[[repeat: 2000]] [[pace: 500]] a long question"
	switch name {
	case "refusal":
		words = []string{"[[status: 500]]", "[[status: 429]]", "[[status: 400]]", "[[status: 401]]"}[r.IntN(4)] + words
	case "broken":
		words = []string{"[[drop]]", "[[truncate]]", "[[error]]"}[r.IntN(3)] + words
	case "no usage":
		words = "[[no-usage]]" + words
	case "stopped", "left alone", "stopped at once":
		words = slow
	case "clip", "failing clip":
		if name == "failing clip" {
			words = "[[fail: no reason]] " + words
		}
		c := wire.VideoCreate{ID: uuid.NewString(), Body: gateway.VideoRequest{Model: "beta-video-480p", Prompt: words, Seconds: "6"}.Body()}
		h.use(func() {
			for range 2 { // the same once more is no second task
				_, err := h.videos.Create(context.Background(), h.owner, canary, c)
				h.must(err)
			}
		})
		return "", c.ID
	}
	s := turn(ep, words)
	ended := h.send(s)
	switch name {
	case "left alone":
		return s.Run, "" // until it ends, or the house is started anew
	case "stopped":
		h.stopEarly(s.Run)
	case "stopped at once":
		h.use(func() { h.must(h.runs.Stop(context.Background(), h.owner, s.Run)) })
	}
	<-ended
	return s.Run, ""
}
