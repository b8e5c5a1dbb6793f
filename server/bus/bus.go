// Package bus carries news from this replica to the others, and theirs to it. A [Bus] keeps
// one WebSocket to each of the others, by which it alone speaks, and takes in theirs.
//
// News of one replica come in the order in which they were sent. What waits for one that is
// slow is bounded, and of several with one key that wait the last is sent; [Bus.Send] never
// waits. Where some may be missing, because they were too many, a line was cut, or a replica
// died, the others are told so ([Config.Missed]), and read what there is. Nothing is said
// again of what was heard: each replica speaks to every other one itself.
package bus

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// Path is where other replicas speak, with their number: "?from=3".
const Path = "/internal/news"

// Lines that are no news, which are JSON objects: some may be missing here; this was all.
var (
	missing = []byte("missing")
	goodbye = []byte("goodbye")
)

// A Peer is another replica.
type Peer struct {
	N       int64
	Address string // "http://10.0.0.4:8081"
}

// Link proves to other replicas that this is one of them; see package peer.
type Link interface {
	Sign(r *http.Request)
	Client() *http.Client
}

// Config is what a Bus works with. All but the last group must be given.
type Config struct {
	Link Link
	Self int64 // this replica's number
	// Heard is given what another replica has said, each piece of one after that before
	// it. Missed is told that news of some replica may be missing. They must not wait.
	Heard  func(from int64, news []byte) error
	Missed func()

	// MaxWaiting bounds the bytes that wait for a replica, MaxBytes for 0.
	MaxWaiting int
	Logger     *slog.Logger
}

const (
	// MaxBytes is what may wait for one replica, with its keys; it is also the longest
	// message.
	MaxBytes = 8 << 20
	// eachCosts is what a piece of news takes besides its bytes.
	eachCosts = 128
	// gatherFor is how long news are gathered that are sent as one message.
	gatherFor = 3 * time.Millisecond
	// pingEvery is how often a line is tried that may have been cut without a word, and
	// patience how long the other one has to take what it is sent.
	pingEvery = 5 * time.Second
	patience  = 10 * time.Second
	// Pauses before it is tried again to reach another one, each twice the one before.
	firstPause, longestPause = 50 * time.Millisecond, 2 * time.Second
	// byeWithin bounds how long a Bus takes to say the last.
	byeWithin = 3 * time.Second
)

// Bus speaks to the other replicas. Make one with New, have [Bus.Hear] answer at Path, and
// tell it of the others by [Bus.Peers]. Close it when nobody sends anything any more.
type Bus struct {
	Config
	life  context.Context
	end   context.CancelFunc
	bye   chan struct{} // closed when the last was sent
	ended sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	said    bool // something was sent
	lines   map[int64]*line
	heard   map[int64]*ear
	told    map[int64]bool // those who said that they had told all
	goneFor map[int64]bool // those who are no more: nothing that they say is heard
}

// ear is a line by which another one speaks.
type ear struct {
	ws   *websocket.Conn // nil while it is opened
	done chan struct{}   // closed when nothing more of it is heard
}

// New returns a Bus without peers.
func New(c Config) *Bus {
	if c.MaxWaiting == 0 {
		c.MaxWaiting = MaxBytes
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	b := &Bus{Config: c, bye: make(chan struct{}), lines: map[int64]*line{}, heard: map[int64]*ear{}, told: map[int64]bool{}, goneFor: map[int64]bool{}}
	b.life, b.end = context.WithCancel(context.Background())
	return b
}

// Send has all others told of news, a JSON object. It never waits, and keeps news.
func (b *Bus) Send(key string, news []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = true
	for _, l := range b.lines {
		l.put(key, news)
	}
}

// Peers says which others there are. One that is left out is gone for good.
func (b *Bus) Peers(all []Peer) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return
	}
	for _, p := range all {
		if b.lines[p.N] != nil || b.goneFor[p.N] {
			continue
		}
		// Who is there before anything was said misses nothing.
		l := newLine(b, p, !b.said)
		b.lines[p.N] = l
		b.ended.Go(l.run)
	}
	missed := false
	for n, l := range b.lines {
		if slices.ContainsFunc(all, func(p Peer) bool { return p.N == n }) {
			continue
		}
		l.end()
		delete(b.lines, n)
		b.goneFor[n] = true
		missed = missed || !b.told[n]
		if e := b.heard[n]; e != nil && e.ws != nil {
			_ = e.ws.CloseNow()
		}
	}
	b.mu.Unlock()
	if missed {
		b.Missed()
	}
}

// Close says the last, and goodbye, to those who listen, until ctx is done.
func (b *Bus) Close(ctx context.Context) error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	for _, e := range b.heard {
		if e.ws != nil {
			_ = e.ws.CloseNow()
		}
	}
	b.mu.Unlock()
	close(b.bye)
	ctx, cancel := context.WithTimeout(ctx, byeWithin)
	defer cancel()
	stop := context.AfterFunc(ctx, b.end)
	b.ended.Wait()
	stop()
	b.end()
	return nil
}

// Hear takes in what another replica says.
func (b *Bus) Hear(w http.ResponseWriter, r *http.Request) {
	from, err := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
	if err != nil || from == b.Self {
		http.Error(w, "from must be another replica's number", http.StatusBadRequest)
		return
	}
	e := &ear{done: make(chan struct{})}
	defer close(e.done)
	before, ok := b.listen(from, e)
	if !ok {
		http.Error(w, "nothing is heard of this replica any more, or this one is ending", http.StatusServiceUnavailable)
		return
	}
	defer b.ended.Done()
	if before != nil { // its last is to be heard before the first of this
		select {
		case <-before.done:
		case <-b.life.Done():
			return
		}
	}
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
	if err != nil {
		b.Logger.Warn("another replica's news are not heard", "replica", from, "err", err) // it was answered
		return
	}
	defer func() { _ = ws.CloseNow() }()
	if !b.opened(from, e, ws) {
		return
	}
	ws.SetReadLimit(int64(b.MaxWaiting + 1<<10))
	b.Logger.Debug("a replica speaks no more", "replica", from, "err", b.read(ws, from))
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.heard[from] == e {
		delete(b.heard, from)
	}
}

// listen notes that another one is about to speak, in the place of its line of before.
func (b *Bus) listen(from int64, e *ear) (before *ear, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || b.goneFor[from] {
		return nil, false
	}
	b.ended.Add(1)
	if before = b.heard[from]; before != nil && before.ws != nil {
		_ = before.ws.CloseNow()
	}
	b.heard[from] = e
	delete(b.told, from)
	return before, true
}

// opened notes the line's socket. It is false where another one took its place, or there
// is nobody to hear any more.
func (b *Bus) opened(from int64, e *ear, ws *websocket.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.ws = ws
	return !b.closed && !b.goneFor[from] && b.heard[from] == e
}

func (b *Bus) read(ws *websocket.Conn, from int64) error {
	for {
		_, msg, err := ws.Read(b.life)
		if err != nil {
			return err
		}
		for news := range bytes.SplitSeq(msg, []byte("\n")) {
			if bytes.Equal(news, missing) {
				b.Missed()
			} else if bytes.Equal(news, goodbye) {
				b.hasTold(from)
			} else if err := b.Heard(from, news); err != nil {
				b.Logger.Error("news of another replica are not understood", "replica", from, "err", err)
				b.Missed()
			}
		}
	}
}

// hasTold notes that another one will say nothing more.
func (b *Bus) hasTold(from int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.told[from] = true
}

var errBye = errors.New("all was told")
