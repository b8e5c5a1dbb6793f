package video_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	budgets "screentest/server/budget"
	"screentest/server/sandbox"
	"screentest/server/store/storetest"
	"screentest/server/video"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// replicas are several Services on one database, each with a folder of its own and a
// way of its own to the one gateway, so that it is seen who asks.
type replicas struct {
	t     *testing.T
	all   []*world
	purse []*budgets.Keeper

	mu    sync.Mutex
	gone  map[*world]bool
	polls []map[string]int // by replica, of each task by the gateway's id
	made  int              // creations
}

// A rig is how replicas are set up.
type rig struct {
	speed  float64 // of the gateway
	limits video.Limits
	free   func(dir string) int64
	front  func(replica int, next http.Handler) http.Handler // of the gateway, as a replica sees it
}

// newReplicas starts n of them.
func newReplicas(t *testing.T, n int, of rig) *replicas {
	t.Helper()
	rs := &replicas{t: t, gone: map[*world]bool{}}
	dbs, owner := storetest.Replicas(t, n)
	at, err := sandbox.New(sandbox.Config{Key: canary, Speed: of.speed, Catalogue: gateway.SampleCatalogue(), FetchPrivate: true, Balance: 1e15})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := at.Close(); err != nil {
			t.Error(err)
		}
	})
	// Each has a path of its own to it, so that it is seen who asks; files have none.
	front := make([]http.Handler, n)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for i, h := range front {
			if path, is := strings.CutPrefix(r.URL.Path, fmt.Sprint("/r", i)); is {
				r.URL.Path, r.URL.RawPath = path, ""
				rs.note(i, r)
				h.ServeHTTP(w, r)
				return
			}
		}
		front[0].ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	for i, db := range dbs {
		front[i] = at
		if of.front != nil {
			front[i] = of.front(i, at)
		}
		w := &world{t: t, dir: t.TempDir(), db: db, owner: owner, sandbox: at, news: map[string][]wire.VideoTask{}, changed: make(chan struct{}, 1), others: rs, limits: of.limits, free: of.free}
		rs.polls = append(rs.polls, map[string]int{})
		w.base = fmt.Sprint(server.URL, "/r", i)
		k := budgets.New(budgets.Config{Store: db, Shared: db})
		rs.purse = append(rs.purse, k)
		w.budget = k
		rs.all = append(rs.all, w)
		w.serve()
		t.Cleanup(func() {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			_ = w.Close(ctx) // of one that was killed there is more to say elsewhere
			k.Close()
			w.client.Close()
			if t.Failed() {
				t.Logf("log of %d:\n%s", i, w.logs.text())
			}
		})
	}
	return rs
}

func (rs *replicas) note(i int, r *http.Request) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	if id, is := strings.CutPrefix(r.URL.Path, gateway.Video.Path()+"/"); is && r.Method == http.MethodGet {
		rs.polls[i][id]++
	}
	if r.Method == http.MethodPost && r.URL.Path == gateway.Video.Path() {
		rs.made++
	}
}

// polled is how often each task was asked about by a replica since the last time.
func (rs *replicas) polled() (all []map[string]int) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for i := range rs.polls {
		all = append(all, rs.polls[i])
		rs.polls[i] = map[string]int{}
	}
	return all
}

// tell has the other replicas hear what one tells its tabs.
func (rs *replicas) tell(from *world, owner string, t wire.VideoTask) {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	for _, w := range rs.all {
		if w != from && !rs.gone[w] && w.Service != nil {
			w.Heard(owner, t)
		}
	}
}

// of is what a replica knows of the others.
func (rs *replicas) of(w *world) video.Elsewhere { return elsewhere{rs, w} }

type elsewhere struct {
	rs   *replicas
	here *world
}

func (e elsewhere) Look(ctx context.Context, owner, task string) (here bool, err error) {
	n, err := e.here.db.Replicas().ClipHolder(ctx, owner, task)
	if err != nil || n == e.here.number() {
		return err == nil, err
	}
	for _, w := range e.rs.all {
		if w.number() == n {
			return false, w.Look(ctx, owner, task)
		}
	}
	return false, fmt.Errorf("no replica %d", n)
}

func (e elsewhere) Room(owner string) {
	for _, w := range e.rs.all {
		if w != e.here {
			w.RoomChanged(owner)
		}
	}
}

func (w *world) number() int64 { return w.db.Engine().Holder() }

// takes has to take over from one that is found gone.
func (rs *replicas) takes(to, from int) {
	rs.t.Helper()
	w := rs.all[to]
	rs.mu.Lock()
	rs.gone[rs.all[from]] = true
	rs.mu.Unlock()
	if won, err := w.db.Replicas().TakeOver(rs.t.Context(), rs.all[from].number()); err != nil || !won {
		rs.t.Fatal(won, err)
	}
	rs.takeUp(to)
}

func (rs *replicas) takeUp(i int) {
	rs.t.Helper()
	if err := rs.all[i].TakeUp(rs.t.Context()); err != nil {
		rs.t.Fatal(err)
	}
	if err := rs.purse[i].TakeUp(rs.t.Context()); err != nil {
		rs.t.Fatal(err)
	}
}

func (rs *replicas) aside() int64 {
	rs.t.Helper()
	n, err := rs.all[len(rs.all)-1].db.AsideForEverybody(rs.t.Context())
	if err != nil {
		rs.t.Fatal(err)
	}
	return n
}

func (rs *replicas) creations() int {
	rs.mu.Lock()
	defer rs.mu.Unlock()
	return rs.made
}

// gate holds the first request that comes to it back until it is opened.
type gate struct {
	reached, open chan struct{}
	taken         atomic.Bool
}

func newGate() *gate { return &gate{reached: make(chan struct{}), open: make(chan struct{})} }

func (g *gate) pass(r *http.Request) {
	if !g.taken.CompareAndSwap(false, true) {
		return
	}
	close(g.reached)
	select {
	case <-g.open:
	case <-r.Context().Done():
	}
}
