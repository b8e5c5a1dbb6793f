package run_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"screentest/server/pgtest"
	"screentest/server/run"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/tails"
	"screentest/shared/wire"
)

// twins are two replicas on one database.
type twins struct {
	t     *testing.T
	a, b  *twin
	owner string
}

// twin is one of them: a world whose other one is reached over the loopback, as far
// as it is not cut off.
type twin struct {
	*world
	n      int64
	other  *twin
	keeper tails.Keeper
	server *httptest.Server // at which its keeper is
	feeds  atomic.Int64     // that it was asked for
	cut    atomic.Bool      // nobody reaches it

	mu   sync.Mutex
	open []context.CancelFunc // of its feeds
}

var sealKey = strings.Repeat("5a", 32)

func newTwins(t *testing.T, change func(*run.Config)) *twins {
	t.Helper()
	url := pgtest.URLLike(t, "run", func(url string) error {
		db, err := store.Open(context.Background(), t.TempDir(), store.Options{Database: url, SealKey: sealKey})
		if err != nil {
			return err
		}
		return db.Close()
	})
	w := &twins{t: t}
	w.a, w.b = &twin{}, &twin{}
	w.a.other, w.b.other = w.b, w.a
	for _, x := range []*twin{w.a, w.b} {
		x.server = httptest.NewServer(http.HandlerFunc(x.keeper.Serve))
		x.join(t, url, change)
	}
	w.owner = w.a.owner
	return w
}

func (x *twin) join(t *testing.T, url string, change func(*run.Config)) {
	t.Helper()
	x.world = &world{t: t, log: &bytes.Buffer{}, ended: map[string]chan wire.Run{}, calls: make(chan *call, 16)}
	db, err := store.Open(t.Context(), t.TempDir(), store.Options{Database: url, SealKey: sealKey})
	if err != nil {
		t.Fatal(err)
	}
	x.db = db
	if x.n, err = db.Replicas().Join(t.Context(), x.server.URL, "test"); err != nil {
		t.Fatal(err)
	}
	if x.owner, err = db.EnsureLocalUser(t.Context()); err != nil {
		t.Fatal(err)
	}
	c := x.config()
	c.DurableStart, c.Elsewhere = true, x
	c.Gone = func(err error) bool { return errors.Is(err, engine.ErrUnsettled) }
	c.Holds = func(ctx context.Context, owner, id string) (bool, error) {
		n, err := db.Replicas().Holds(ctx, owner, id)
		return n == x.n && err == nil, err
	}
	c.Keeper = &tails.Sender{Logger: c.Logger,
		Peers: func() []tails.Peer { return []tails.Peer{{N: x.other.n, Address: x.other.server.URL}} },
		Dial: func(ctx context.Context, address string) (*websocket.Conn, error) {
			ws, _, err := websocket.Dial(ctx, address, nil)
			return ws, err
		},
	}
	if change != nil {
		change(&c)
	}
	x.Manager = run.New(c)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := x.Close(ctx); err != nil {
			t.Error(err)
		}
		x.keeper.Close()
		x.server.Close()
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Feed, Stop, StopAll and Tails ask the other one.
func (x *twin) Feed(ctx context.Context, owner, id string, from int64) (io.ReadCloser, error) {
	y := x.other
	if n, err := x.db.Replicas().Holds(ctx, owner, id); err != nil || n != y.n {
		return nil, errors.Join(err, fs.ErrNotExist)
	}
	if y.cut.Load() {
		return nil, errors.New("cut off")
	}
	y.feeds.Add(1)
	ctx, cancel := context.WithCancel(ctx)
	y.mu.Lock()
	y.open = append(y.open, cancel)
	y.mu.Unlock()
	r, w := io.Pipe()
	context.AfterFunc(ctx, func() { w.CloseWithError(ctx.Err()) })
	go func() { w.CloseWithError(y.Manager.Feed(ctx, owner, id, from, w, func() error { return nil })) }()
	return r, nil
}

func (x *twin) Stop(ctx context.Context, owner, id string) error {
	if !x.other.StopHere(owner, id) {
		return fs.ErrNotExist
	}
	return nil
}

func (x *twin) StopAll(ctx context.Context, owner, conversation string) {
	_ = x.other.StopAllHere(ctx, owner, conversation) // as with one that can't be reached
}

func (x *twin) Tails(_ context.Context, runs []tails.Run) ([]tails.Tail, error) {
	all := x.keeper.Take(runs)
	if !x.other.cut.Load() {
		all = append(all, x.other.keeper.Take(runs)...)
	}
	return all, nil
}

// cutOff has nobody reach the twin any more.
func (x *twin) cutOff() {
	x.cut.Store(true)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, end := range x.open {
		end()
	}
}

// reader reads a run as it grows, as a tab does.
type reader struct {
	log  *run.Log
	news chan struct{}
	got  []byte
	end  bool
}

func (x *twin) reader(id string) *reader {
	x.t.Helper()
	_, log, err := x.Open(x.t.Context(), x.owner, id)
	if err != nil {
		x.t.Fatal(err)
	}
	r := &reader{log: log, news: make(chan struct{}, 1)}
	log.Watch(r.news)
	x.t.Cleanup(func() { log.Unwatch(r.news) })
	return r
}

// until reads until enough says so.
func (r *reader) until(t *testing.T, enough func() bool) {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		var err error
		n := len(r.got)
		if r.got, r.end, err = r.log.Read(t.Context(), r.got, int64(n), 1000); err != nil {
			t.Fatal(err)
		}
		switch {
		case enough():
			return
		case len(r.got) > n:
			continue
		}
		select {
		case <-r.news:
		case <-late:
			t.Fatalf("after 20 s only %q has come", r.got)
		}
	}
}

func (r *reader) have(t *testing.T, want string) {
	t.Helper()
	r.until(t, func() bool { return len(r.got) >= len(want) })
	if string(r.got) != want {
		t.Fatalf("read %q, want %q", r.got, want)
	}
}

func (r *reader) toEnd(t *testing.T) string {
	t.Helper()
	r.until(t, func() bool { return r.end })
	return string(r.got)
}
