package main

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/budget"
	gatewayclient "screentest/server/gateway"
	"screentest/server/payer"
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
	// sandboxes are accounts at the gateway, by their keys.
	sandboxes map[string]*sandbox.Server
	tokens    tokens.Counter
	// payers are those who send; without accounts there is one.
	payers []payer.Payer

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
	by    map[string]payer.Payer   // by run or task

	sentRuns, sentTasks []string
}

// newHouse is a house whose gateway takes so many keys, each with an account.
func newHouse(t *testing.T, keys ...string) *house {
	t.Helper()
	h := &house{t: t, dir: storetest.Folder(t), sandboxes: map[string]*sandbox.Server{}, ended: map[string]chan struct{}{}, by: map[string]payer.Payer{}}
	for _, key := range keys {
		s, err := sandbox.New(sandbox.Config{Key: key, Speed: 10_000, TokensPerSecond: -1, Catalogue: gateway.SampleCatalogue(), Balance: 1e15})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
		h.sandboxes[key] = s
	}
	h.gateway = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s := h.sandboxes[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]; s != nil {
			s.ServeHTTP(w, r)
			return
		}
		for _, s := range h.sandboxes { // a file, which is fetched without a key: one has it
			got := httptest.NewRecorder()
			if s.ServeHTTP(got, r); got.Code == http.StatusNotFound {
				continue
			}
			maps.Copy(w.Header(), got.Header())
			w.WriteHeader(got.Code)
			_, _ = w.Write(got.Body.Bytes())
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(h.gateway.Close)
	h.start()
	h.payers = []payer.Payer{{Owner: h.owner, Secret: keys[0]}}
	return h
}

// payer is one of them.
func (h *house) payer(r *rand.Rand) payer.Payer { return h.payers[r.IntN(len(h.payers))] }

// pays notes who pays for a run or a task.
func (h *house) pays(id string, by payer.Payer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.by[id] = by
}

// must fails the test at once. It may be called from any goroutine.
func (h *house) must(err error) {
	if err != nil {
		panic(err)
	}
}

func (h *house) start() {
	var err error
	h.db, err = storetest.TryOpen(h.t, h.dir, store.Options{})
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
func (h *house) send(by payer.Payer, s wire.Start) (ended <-chan struct{}) {
	c := make(chan struct{})
	h.mu.Lock()
	h.ended[s.Run] = c
	h.by[s.Run] = by
	h.mu.Unlock()
	h.use(func() {
		for range 2 {
			_, err := h.runs.Start(context.Background(), by, s)
			h.must(err)
		}
	})
	return c
}

// stopEarly stops a run once something of it has come.
func (h *house) stopEarly(owner, id string) {
	h.use(func() {
		_, log, err := h.runs.Open(context.Background(), owner, id)
		h.must(err)
		grown := make(chan struct{}, 1)
		log.Watch(grown)
		defer log.Unwatch(grown)
		for size, closed := log.Size(); size == 0 && !closed; size, closed = log.Size() {
			<-grown
		}
		h.must(h.runs.Stop(context.Background(), owner, id))
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
	by, ep := h.payer(r), gateway.Chat
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
		h.pays(c.ID, by)
		h.use(func() {
			for range 2 { // the same once more is no second task
				_, err := h.videos.Create(context.Background(), by, c)
				h.must(err)
			}
		})
		return "", c.ID
	}
	s := turn(ep, words)
	ended := h.send(by, s)
	switch name {
	case "left alone":
		return s.Run, "" // until it ends, or the house is started anew
	case "stopped":
		h.stopEarly(by.Owner, s.Run)
	case "stopped at once":
		h.use(func() { h.must(h.runs.Stop(context.Background(), by.Owner, s.Run)) })
	}
	<-ended
	return s.Run, ""
}
