package bus_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"screentest/server/bus"
	"screentest/server/peer"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// node is a replica's bus, at an address of its own.
type node struct {
	*bus.Bus
	t    *testing.T
	link *peer.Link
	peer bus.Peer

	mu     sync.Mutex
	heard  map[int64][]string
	missed int
	serves sync.WaitGroup
}

func newNode(t *testing.T, n int64, c bus.Config) *node { return newNodeAt(t, n, "127.0.0.1:0", 1, c) }

// newNodeAt is one at an address, with a key.
func newNodeAt(t *testing.T, n int64, addr string, key byte, c bus.Config) *node {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	d := &node{t: t, link: peer.New(l.Addr().String(), bytes.Repeat([]byte{key}, 32), slog.New(slog.DiscardHandler)), heard: map[int64][]string{}}
	c.Link, c.Self = d.link, n
	c.Heard = func(from int64, news []byte) error {
		if news[0] != '{' {
			return fmt.Errorf("no news: %q", news)
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		d.heard[from] = append(d.heard[from], string(news))
		return nil
	}
	c.Missed = func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.missed++
	}
	d.Bus = bus.New(c)
	d.link.Handle("GET "+bus.Path, d.Hear)
	d.peer = bus.Peer{N: n, Address: "http://" + l.Addr().String()}
	d.serves.Go(func() {
		if err := d.link.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	t.Cleanup(d.close)
	return d
}

// close ends a node, once.
func (d *node) close() {
	if err := d.Bus.Close(context.Background()); err != nil {
		d.t.Error(err)
	}
	d.link.Close()
	d.serves.Wait()
}

// die ends a node without a word to those that it speaks to.
func (d *node) die() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d.link.Close()
	d.Bus.Cut()
	if err := d.Bus.Close(ctx); err != nil {
		d.t.Error(err)
	}
	d.serves.Wait()
}

func (d *node) of(from int64) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.heard[from])
}

func (d *node) misses() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.missed
}

func say(b *node, from, to int) {
	for n := from; n < to; n++ {
		b.Send(fmt.Sprint(n), fmt.Appendf(nil, `{"n":%d}`, n))
	}
}

func until(t *testing.T, what string, so func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !so(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s: it never was so", what)
		}
	}
}

// ends says whether the last that was heard is of that number.
func ends(heard []string, n int) bool {
	return len(heard) > 0 && heard[len(heard)-1] == fmt.Sprintf(`{"n":%d}`, n)
}

func TestNewsComeToAllOthersInOrder(t *testing.T) {
	a, b, c := newNode(t, 1, bus.Config{}), newNode(t, 2, bus.Config{}), newNode(t, 3, bus.Config{})
	all := []*node{a, b, c}
	for i, d := range all {
		var others []bus.Peer
		for j, o := range all {
			if i != j {
				others = append(others, o.peer)
			}
		}
		d.Peers(others)
	}
	var telling sync.WaitGroup
	for _, d := range all {
		telling.Go(func() { say(d, 0, 1000) })
	}
	telling.Wait()
	var want []string
	for n := range 1000 {
		want = append(want, fmt.Sprintf(`{"n":%d}`, n))
	}
	for _, d := range all {
		for _, o := range all {
			if d == o {
				continue
			}
			until(t, "the last is heard", func() bool { return ends(d.of(o.peer.N), 999) })
			if !slices.Equal(d.of(o.peer.N), want) {
				t.Errorf("%d heard of %d not what was said, in its order", d.peer.N, o.peer.N)
			}
		}
		if len(d.of(d.peer.N)) != 0 || d.misses() != 0 {
			t.Errorf("%d heard itself %d times, and that news are missing %d times", d.peer.N, len(d.of(d.peer.N)), d.misses())
		}
	}
}

func TestOfOneKeyTheLastIsEnough(t *testing.T) {
	a, b := newNode(t, 1, bus.Config{}), newNode(t, 2, bus.Config{})
	at := b.peer
	b.close() // nobody answers there yet
	a.Peers([]bus.Peer{at})
	for n := range 100 {
		a.Send("x", fmt.Appendf(nil, `{"n":%d}`, n))
		a.Send("y", fmt.Appendf(nil, `{"y":%d}`, n))
	}
	b = newNodeAt(t, 2, strings.TrimPrefix(at.Address, "http://"), 1, bus.Config{})
	until(t, "both are heard", func() bool { return len(b.of(1)) >= 2 })
	if got := b.of(1); !slices.Equal(got, []string{`{"n":99}`, `{"y":99}`}) || b.misses() != 0 {
		t.Errorf("heard %q, missed %d", got, b.misses())
	}
}

func TestTooManyNewsAreToldToBeMissing(t *testing.T) {
	a, b := newNode(t, 1, bus.Config{MaxWaiting: 64 << 10}), newNode(t, 2, bus.Config{})
	at := b.peer
	b.close()
	a.Peers([]bus.Peer{at})
	say(a, 0, 10_000)
	b = newNodeAt(t, 2, strings.TrimPrefix(at.Address, "http://"), 1, bus.Config{MaxWaiting: 64 << 10})
	until(t, "the last is heard", func() bool { return ends(b.of(1), 9999) })
	if got := b.of(1); len(got) > 64<<10/128 || b.misses() != 1 {
		t.Errorf("%d were heard, missed %d", len(got), b.misses())
	}
	// What alone is too long is missing as well.
	a.Send("long", fmt.Appendf(nil, `{"long":"%s"}`, strings.Repeat("x", 70<<10)))
	until(t, "it is missing", func() bool { return b.misses() == 2 })
}

func TestAnotherOneComesAndGoes(t *testing.T) {
	a, b := newNode(t, 1, bus.Config{}), newNode(t, 2, bus.Config{})
	say(a, 0, 1) // before it knows of the other: that one may have missed it
	a.Peers([]bus.Peer{b.peer})
	until(t, "it hears that news are missing", func() bool { return b.misses() == 1 })
	say(a, 1, 2)
	until(t, "it hears", func() bool { return ends(b.of(1), 1) })

	at := b.peer
	b.die()
	say(a, 2, 3)
	b = newNodeAt(t, 2, strings.TrimPrefix(at.Address, "http://"), 1, bus.Config{})
	until(t, "it is told so again", func() bool { return b.misses() >= 1 })
	say(a, 3, 4)
	until(t, "it hears again", func() bool { return ends(b.of(1), 3) })
	if got := b.of(1); slices.Contains(got, `{"n":1}`) || b.misses() != 1 {
		t.Errorf("heard %q, missed %d", got, b.misses())
	}
}

func TestWhoGoesHavingToldAllIsNotMissed(t *testing.T) {
	a, b, c := newNode(t, 1, bus.Config{}), newNode(t, 2, bus.Config{}), newNode(t, 3, bus.Config{})
	a.Peers([]bus.Peer{b.peer, c.peer})
	b.Peers([]bus.Peer{a.peer, c.peer})
	c.Peers([]bus.Peer{a.peer, b.peer})
	say(b, 0, 1)
	say(c, 0, 1)
	until(t, "both are heard", func() bool { return ends(a.of(2), 0) && ends(a.of(3), 0) })
	say(b, 1, 5000)
	b.close()
	if !ends(a.of(2), 4999) || len(a.of(2)) != 5000 {
		t.Errorf("%d were heard of one that ended after 5000", len(a.of(2)))
	}
	a.Peers([]bus.Peer{c.peer})
	if a.misses() != 0 {
		t.Error("who went with a goodbye is missed")
	}
	c.die()
	a.Peers(nil)
	a.Peers(nil)
	if a.misses() != 1 {
		t.Errorf("who died is missed %d times", a.misses())
	}
}

func TestWhoIsGoneIsNotHeard(t *testing.T) {
	a, b := newNode(t, 1, bus.Config{}), newNode(t, 2, bus.Config{})
	a.Peers([]bus.Peer{b.peer})
	b.Peers([]bus.Peer{a.peer})
	say(a, 0, 1)
	until(t, "it is heard", func() bool { return ends(b.of(1), 0) })
	b.Peers(nil) // it was stopped for long, and doesn't know
	say(a, 1, 100)
	ws, resp, err := dialNews(a.link, b.peer.Address+bus.Path+"?from=1")
	if err == nil {
		_ = ws.CloseNow()
		t.Fatal("it is listened to")
	}
	if resp == nil || resp.StatusCode != http.StatusServiceUnavailable {
		t.Errorf("refused with %v", resp)
	}
	if got := b.of(1); len(got) > 100 || ends(got, 99) {
		t.Errorf("%d were heard", len(got))
	}
}

func dialNews(link *peer.Link, url string) (*websocket.Conn, *http.Response, error) {
	req, err := http.NewRequest("GET", url, nil)
	if err != nil {
		return nil, nil, err
	}
	if link != nil {
		link.Sign(req)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	ws, resp, err := websocket.Dial(ctx, url, &websocket.DialOptions{HTTPHeader: req.Header})
	http.DefaultClient.CloseIdleConnections()
	return ws, resp, err
}

func TestWhoHasAnotherKeyIsRefused(t *testing.T) {
	b := newNode(t, 2, bus.Config{})
	a := newNodeAt(t, 1, "127.0.0.1:0", 9, bus.Config{})
	a.Peers([]bus.Peer{b.peer})
	say(a, 0, 10)
	for _, link := range []*peer.Link{nil, a.link} {
		ws, resp, err := dialNews(link, b.peer.Address+bus.Path+"?from=1")
		if err == nil {
			_ = ws.CloseNow()
			t.Fatal("it is listened to")
		}
		if resp == nil || resp.StatusCode != http.StatusForbidden {
			t.Errorf("refused with %v", resp)
		}
	}
	for _, from := range []string{"", "?from=2", "?from=x"} {
		if _, resp, err := dialNews(b.link, b.peer.Address+bus.Path+from); err == nil || resp == nil || resp.StatusCode != http.StatusBadRequest {
			t.Errorf("with %q: %v", from, resp)
		}
	}
	if len(b.of(1)) != 0 || b.misses() != 0 {
		t.Errorf("heard %q", b.of(1))
	}
}

// One that takes nothing costs neither time nor memory but what may wait for it.
func TestOneThatDoesNotReadHoldsUpNobody(t *testing.T) {
	const most = 256 << 10
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	link := peer.New(l.Addr().String(), bytes.Repeat([]byte{1}, 32), slog.New(slog.DiscardHandler))
	opened, quit := make(chan struct{}), make(chan struct{})
	link.Handle("GET "+bus.Path, func(w http.ResponseWriter, r *http.Request) {
		ws, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		close(opened)
		<-quit // and reads nothing
		_ = ws.CloseNow()
	})
	var serves sync.WaitGroup
	serves.Go(func() {
		if err := link.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	defer func() {
		close(quit)
		link.Close()
		serves.Wait()
	}()

	a, b := newNode(t, 1, bus.Config{MaxWaiting: most}), newNode(t, 2, bus.Config{})
	a.Peers([]bus.Peer{b.peer, {N: 3, Address: "http://" + l.Addr().String()}})
	<-opened
	a.Send("first", []byte(`{"first":1}`))
	until(t, "the other one hears", func() bool { return len(b.of(1)) == 1 })
	before := runtime.NumGoroutine()
	text := strings.Repeat("x", 1000)
	for n := range 60 { // in all 60 MB, far beyond what the network takes
		for k := range 1000 {
			a.Send(fmt.Sprint(n, k), fmt.Appendf(nil, `{"n":"%d %d %s"}`, n, k, text))
		}
		if waits := a.Waiting(3); waits > most {
			t.Fatalf("%d bytes wait", waits)
		}
	}
	if now := runtime.NumGoroutine(); now > before+2 {
		t.Errorf("%d goroutines, before %d", now, before)
	}
	a.Send("last", []byte(`{"last":1}`))
	until(t, "the other one hears the last", func() bool {
		got := b.of(1)
		return got[len(got)-1] == `{"last":1}`
	})
}
