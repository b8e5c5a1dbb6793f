package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"sync/atomic"
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

// operate does one random operation and gives the runs or the task it made.
func (h *house) operate(r *rand.Rand) (name, run, task string) {
	at := r.IntN(100)
	for _, m := range mix {
		if at -= m.share; at < 0 {
			name = m.name
			break
		}
	}
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
		return name, "", c.ID
	}
	s := turn(ep, words)
	ended := h.send(s)
	switch name {
	case "left alone":
		return name, s.Run, "" // until it ends, or the house is started anew
	case "stopped":
		h.stopEarly(s.Run)
	case "stopped at once":
		h.use(func() { h.must(h.runs.Stop(context.Background(), h.owner, s.Run)) })
	}
	<-ended
	return name, s.Run, ""
}

// Ten thousand random operations from many sides, with starts of the house in
// between: what our ledger calls reported or computed is to the nano-dollar
// what the gateway's own account has, each once; what it calls estimated is so
// when the late figure has come; and nothing stays reserved.
func TestTheLedgerEqualsTheGatewaysAccount(t *testing.T) {
	const sides = 24
	h := newHouse(t)
	var runs, tasks []string
	var mu sync.Mutex
	counts := map[string]int{}
	var done atomic.Int64
	var all sync.WaitGroup
	for side := range sides {
		all.Go(func() {
			r := rand.New(rand.NewPCG(6, uint64(side)))
			for n := done.Add(1); n <= operations; n = done.Add(1) {
				if n%(operations/20) == 0 {
					h.open.Lock()
					h.stop()
					h.start()
					h.open.Unlock()
				}
				name, run, task := h.operate(r)
				mu.Lock()
				counts[name]++
				if run != "" {
					runs = append(runs, run)
				} else {
					tasks = append(tasks, task)
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	h.finishClips(tasks)
	// What is still left alone ends as interrupted.
	h.stop()
	h.start()
	defer h.stop()
	t.Logf("%d operations: %v", operations, counts)
	for _, m := range mix {
		if counts[m.name] == 0 {
			t.Errorf("there was no %q", m.name)
		}
	}

	account := h.account()
	booked := h.booked()
	for _, id := range tasks {
		o, err := h.db.Videos().Opened(t.Context(), h.owner, id)
		h.must(err)
		if got, want := booked[id].nano, account[o.Task.Remote]; got != want || booked[id].estimated {
			t.Errorf("task %s, %s: our ledger has %d, the account %d", id, o.Task.State, got, want)
		}
		delete(account, o.Task.Remote)
	}
	var late []string
	for _, id := range runs {
		r, err := h.db.Run(t.Context(), h.owner, id)
		h.must(err)
		reply := h.replyID(id)
		if r.State == wire.Running {
			t.Errorf("run %s is still under way", id)
		}
		switch got := booked[id]; {
		case got.rows > 0 && !got.estimated:
			if got.nano != account[reply] || got.rows > 1 {
				t.Errorf("run %s, %s: our ledger has %d in %d rows, the account %d", id, r.State, got.nano, got.rows, account[reply])
			}
		case reply == "":
			late = append(late, id) // not a byte came; it may have been billed
		case got.nano != account[reply] || got.estimated:
			h.correct(id, account[reply])
		}
		delete(account, reply)
	}
	// What the account has besides was billed for runs that brought not a byte.
	// Which is whose only the gateway knows; here any will do.
	for reply, nano := range account {
		if len(late) == 0 {
			t.Errorf("the account has %s with %d, which is of none of our runs", reply, nano)
			continue
		}
		h.correct(late[0], nano)
		late = late[1:]
	}
	var total int64
	for _, nano := range h.account() {
		total += nano
	}
	page, err := h.db.Spend(t.Context(), h.owner, wire.SpendQuery{Tomorrow: 1, Days: []int64{0, time.Now().AddDate(1, 0, 0).UnixMilli()}})
	h.must(err)
	if page.Range.NanoUSD != total || page.Range.EstimatedNanoUSD != 0 || total == 0 {
		t.Errorf("our ledger has %+v, the account %d", page.Range, total)
	}
	if n := h.budget.Reserved(h.owner); n != 0 {
		t.Errorf("%d is still reserved", n)
	}
}

// finishClips waits until every task has ended.
func (h *house) finishClips(tasks []string) {
	h.t.Helper()
	deadline := time.After(60 * time.Second)
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, id := range tasks {
		for {
			task, err := h.db.Videos().Task(h.t.Context(), h.owner, id)
			h.must(err)
			if task.State == wire.VideoDone || task.State == wire.VideoFailed {
				break
			}
			select {
			case <-tick.C:
			case <-deadline:
				h.t.Fatalf("task %s is still %s: %+v", id, task.State, task.Problem)
			}
		}
	}
}

// account is what the gateway has booked, by its own ids.
func (h *house) account() map[string]int64 {
	h.t.Helper()
	r := httptest.NewRequestWithContext(h.t.Context(), http.MethodGet, "/sandbox/account", nil)
	r.Header.Set("Authorization", "Bearer "+canary)
	w := httptest.NewRecorder()
	h.sandbox.ServeHTTP(w, r)
	var a struct {
		Charged  int64 `json:"charged_nano_usd"`
		Returned int64 `json:"returned_nano_usd"`
		Entries  []struct {
			Kind, Subject string
			NanoUSD       int64 `json:"nano_usd"`
		} `json:"entries"`
	}
	h.must(json.Unmarshal(w.Body.Bytes(), &a))
	by := map[string]int64{}
	total := int64(0)
	for _, e := range a.Entries {
		if e.Kind == "return" {
			e.NanoUSD = -e.NanoUSD
		}
		by[e.Subject] += e.NanoUSD
		total += e.NanoUSD
	}
	if total != a.Charged-a.Returned {
		h.t.Errorf("the account's entries make %d, it says %d - %d", total, a.Charged, a.Returned)
	}
	return by
}

// rows are what our ledger has of one run or task.
type rows struct {
	nano      int64
	rows      int
	estimated bool
}

func (h *house) booked() map[string]rows {
	h.t.Helper()
	by := map[string]rows{}
	h.must(h.db.EachLedger(h.t.Context(), h.owner, wire.LedgerQuery{}, func(r wire.LedgerRow) error {
		b := by[r.Subject]
		b.nano += r.CostNanoUSD
		b.rows++
		b.estimated = b.estimated || r.Source == wire.SourceEstimated
		by[r.Subject] = b
		return nil
	}))
	return by
}

var replyIDs = regexp.MustCompile(`"id":\s*"((?:chatcmpl-|resp_)[^"]+)"`)

// replyID is the gateway's id of a run's reply; "" if none came.
func (h *house) replyID(run string) string {
	h.t.Helper()
	log, err := h.db.ReadRunLog(h.t.Context(), h.owner, run, 0, 4096)
	h.must(err)
	if m := replyIDs.FindSubmatch(log); m != nil {
		return string(m[1])
	}
	return ""
}

func (h *house) correct(run string, nano int64) {
	h.t.Helper()
	if _, err := h.db.Correct(h.t.Context(), h.owner, wire.Correction{Subject: run, CostNanoUSD: nano}); err != nil {
		h.t.Errorf("correct run %s to %d: %v", run, nano, err)
	}
}
