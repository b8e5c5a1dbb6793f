package run_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

	"screentest/server/payer"
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

func (x *twin) Tails(_ context.Context, runs []tails.Run) []tails.Tail {
	all := x.keeper.Take(runs)
	if !x.other.cut.Load() {
		all = append(all, x.other.keeper.Take(runs)...)
	}
	return all
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

func TestARunIsReadAtAnotherReplica(t *testing.T) {
	w := newTwins(t, nil)
	s := turn()
	w.a.start(s)
	c := w.a.call()
	c.stream(events)
	c.send(t, "%s", chunk("Begun "))
	w.a.reader(s.Run).have(t, chunk("Begun "))

	var readers []*reader
	for range 20 {
		r := w.b.reader(s.Run)
		r.have(t, chunk("Begun "))
		readers = append(readers, r)
	}
	want := chunk("Begun ")
	for i := range 200 {
		text := chunk(fmt.Sprint("piece ", i, " "))
		c.send(t, "%s", text)
		want += text
		if i%50 == 0 {
			readers[i%20].have(t, want)
		}
	}
	want += finish + usage + done
	c.send(t, "%s", finish+usage+done)
	c.pipe.Close()
	for i, r := range readers {
		if got := r.toEnd(t); got != want {
			t.Fatalf("reader %d has %d bytes that differ from the %d sent", i, len(got), len(want))
		}
		if r.log.ContentType() != events {
			t.Errorf("its type is %q", r.log.ContentType())
		}
	}
	if n := w.a.feeds.Load(); n != 1 {
		t.Errorf("20 readers made %d requests", n)
	}
	w.a.wait(s.Run)
	if r, _, err := w.b.Open(t.Context(), w.owner, s.Run); err != nil || r.State != wire.Done {
		t.Errorf("afterwards it is %s, %v", r.State, err)
	}
	if got := w.b.read(s.Run, 0); string(got) != want {
		t.Errorf("stored are %d bytes, sent were %d", len(got), len(want))
	}
}

func TestARunIsStoppedFromAnotherReplica(t *testing.T) {
	w := newTwins(t, nil)
	stops := map[string]func(s wire.Start) error{
		"by its id":           func(s wire.Start) error { return w.b.Manager.Stop(t.Context(), w.owner, s.Run) },
		"by its conversation": func(s wire.Start) error { return w.b.StopConversation(t.Context(), w.owner, s.Conversation) },
		"by its owner":        func(s wire.Start) error { return w.b.StopOwner(t.Context(), w.owner) },
	}
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			s := turn()
			w.a.start(s)
			c := w.a.call()
			c.stream(events)
			c.send(t, "%s", chunk("So far"))
			w.b.reader(s.Run).have(t, chunk("So far"))
			if err := stop(s); err != nil {
				t.Fatal(err)
			}
			if r := w.a.wait(s.Run); r.State != wire.Stopped {
				t.Errorf("it ended as %s", r.State)
			}
			if err := w.b.Manager.Stop(t.Context(), w.owner, s.Run); err != nil {
				t.Errorf("stopped again: %v", err)
			}
		})
	}
}

func TestTheSameStartAtBothReplicasCallsTheGatewayOnce(t *testing.T) {
	w := newTwins(t, nil)
	for range 10 {
		s := turn()
		var both sync.WaitGroup
		for _, x := range []*twin{w.a, w.b} {
			both.Go(func() {
				r, err := x.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, s)
				if err != nil || r.ID != s.Run || r.State != wire.Running {
					t.Errorf("started: %v %v", r, err)
				}
			})
		}
		both.Wait()
		x := w.a
		var c *call
		select {
		case c = <-w.a.calls:
		case c = <-w.b.calls:
			x = w.b
		case <-time.After(20 * time.Second):
			t.Fatal("the gateway is not called")
		}
		r := x.other.reader(s.Run)
		c.stream(events)
		c.send(t, "%s", chunk("once")+finish+done)
		c.pipe.Close()
		if got := r.toEnd(t); got != chunk("once")+finish+done {
			t.Errorf("read at the other: %q", got)
		}
		x.wait(s.Run)
		if n := len(w.a.calls) + len(w.b.calls); n != 0 {
			t.Fatalf("the gateway was called %d times more", n)
		}
	}
}

// What readers of either replica were shown when the one that held the run was gone
// is in what is stored, though nothing of it was stored before.
func TestNothingThatWasShownIsLostWithAReplica(t *testing.T) {
	for _, ended := range []bool{false, true} {
		t.Run(fmt.Sprint("its end had come: ", ended), func(t *testing.T) {
			w := newTwins(t, func(c *run.Config) { c.FlushEvery = time.Hour })
			s := turn()
			w.a.start(s)
			c := w.a.call()
			c.stream(events)
			here, there := w.a.reader(s.Run), w.b.reader(s.Run)
			want := ""
			for i := range 20 {
				text := chunk(fmt.Sprint("piece ", i, " "))
				c.send(t, "%s", text)
				want += text
				here.have(t, want)
			}
			state := wire.Interrupted
			if ended {
				// The end mark has come, and the gateway keeps the connection open.
				state = wire.Done
				want += finish + usage + done
				c.send(t, "%s", finish+usage+done)
				here.have(t, want)
			}
			there.have(t, want)
			w.a.cutOff()
			if won, err := w.b.db.Replicas().TakeOver(t.Context(), w.a.n); !won || err != nil {
				t.Fatalf("taken over: %v %v", won, err)
			}
			if err := w.b.TakeOver(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r := w.b.wait(s.Run); r.State != state || r.Bytes != int64(len(want)) {
				t.Errorf("ended %s with %d bytes, %d were shown", r.State, r.Bytes, len(want))
			}
			if got := there.toEnd(t); got != want {
				t.Errorf("the reader at the other has %q", got)
			}
			if got := w.b.read(s.Run, 0); string(got) != want {
				t.Errorf("stored is %q", got)
			}
			if ms, err := w.b.Times(t.Context(), w.owner, s.Run); err != nil || !ms.Ended || len(ms.Reads) < 2 {
				t.Errorf("its times: %v %v", ms, err)
			}
			// The replica that is gone is not: it was stopped, and goes on.
			if !ended {
				fmt.Fprint(c.pipe, chunk("too late")) // an error: the call was given up already
				<-c.ctx.Done()
				here.until(t, func() bool { return true })
				if here.end || string(here.got) != want {
					t.Errorf("who is gone goes on showing: end %v, %q", here.end, here.got)
				}
			}
			select {
			case r := <-w.a.end(s.Run):
				t.Errorf("who is gone tells of an end: %v", r)
			default:
			}
		})
	}
}

// slowKeeper keeps what the test lets it.
type slowKeeper struct {
	here atomic.Bool
	came chan []tails.Tail
	err  chan error
}

func (k *slowKeeper) Send(ctx context.Context, batch []byte) error {
	if !k.here.Swap(true) {
		return tails.ErrAnew
	}
	if len(batch) == 0 {
		return nil
	}
	all, err := tails.Parse(batch)
	if err != nil {
		return err
	}
	k.came <- all
	select {
	case err := <-k.err:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (*slowKeeper) Close() {}

func TestReadersGetNothingThatIsNotKept(t *testing.T) {
	k := &slowKeeper{came: make(chan []tails.Tail, 1), err: make(chan error)}
	w := newWorld(t, func(c *run.Config) { c.Keeper, c.FlushEvery = k, time.Hour })
	w.PeersChanged()
	s := turn()
	w.start(s)
	c := w.call()
	c.stream(events)
	_, log, err := w.Open(t.Context(), w.owner, s.Run)
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{log: log, news: make(chan struct{}, 1)}
	log.Watch(r.news)
	defer log.Unwatch(r.news)
	c.send(t, "first ")
	first := <-k.came
	if len(first) != 1 || string(first[0].Data) != "first " || first[0].Type != events || first[0].From != 0 {
		t.Fatalf("handed over: %+v", first)
	}
	c.send(t, "second")
	if n, _ := log.Size(); n != 0 {
		t.Errorf("%d bytes are shown that nobody keeps", n)
	}
	k.err <- nil
	r.have(t, "first ")
	second := <-k.came
	if string(second[0].Data) != "second" || second[0].From != 6 {
		t.Fatalf("handed over: %+v", second)
	}
	if n, _ := log.Size(); n != 6 {
		t.Errorf("%d bytes are shown, 6 are kept", n)
	}
	// Another one is to keep it, and has nothing: all goes again.
	k.err <- tails.ErrAnew
	if all := <-k.came; string(all[0].Data) != "first second" || all[0].From != 0 {
		t.Fatalf("handed over: %+v", all)
	}
	k.err <- nil
	r.have(t, "first second")
	// Nobody is left: all is shown.
	c.send(t, " third")
	<-k.came
	k.err <- tails.ErrAlone
	r.have(t, "first second third")
	c.send(t, " fourth")
	r.have(t, "first second third fourth")
	// Somebody has taken over: nothing more is, and nothing is stored.
	k.here.Store(false)
	w.PeersChanged()
	if all := <-k.came; string(all[0].Data) != "first second third fourth" {
		t.Fatalf("handed over: %+v", all)
	}
	k.err <- nil
	c.send(t, " fifth")
	<-k.came
	k.err <- tails.ErrGone
	<-c.ctx.Done()
	if n, over := log.Size(); n != int64(len("first second third fourth")) || over {
		t.Errorf("%d bytes are shown, end %v", n, over)
	}
}

func TestReadersGetWhatIsKeptOrStored(t *testing.T) {
	w := newTwins(t, func(c *run.Config) { c.FlushEvery = 20 * time.Millisecond })
	w.b.cutOff()
	w.b.server.CloseClientConnections()
	w.b.server.Close()
	// With nobody to keep it: what is stored.
	s := turn()
	w.a.start(s)
	c := w.a.call()
	c.stream(events)
	r := w.a.reader(s.Run)
	c.send(t, "%s", chunk("stored"))
	r.have(t, chunk("stored"))
	if n, err := w.a.db.Run(t.Context(), w.owner, s.Run); err != nil || n.Bytes != int64(len(chunk("stored"))) {
		t.Errorf("%d bytes are stored, %v", n.Bytes, err)
	}
	c.send(t, "%s", finish+done)
	c.pipe.Close()
	if got := r.toEnd(t); got != chunk("stored")+finish+done {
		t.Errorf("read %q", got)
	}
}
