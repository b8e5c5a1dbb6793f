// Package replica makes this process one of several that serve the same database. A
// [Member] says that it is there, watches whether the others are, and takes over what
// one held that is no more.
//
// That another one is gone is told by its beats alone: none came for [Config.GoneAfter]
// while this one's own went through all the time. So a database that is away makes
// nobody gone, and no clock is compared with another. Who is found gone may still
// run, as a process that was stopped does: the store takes nothing from it any more,
// and it ends as soon as it hears of that ([Member.Lost]).
//
// Nothing but the beats themselves is done between two of them: what is taken over waits
// for whoever else reads and writes, and a replica that is busy is there.
package replica

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"screentest/shared/wire"
)

// A Peer is another replica.
type Peer struct {
	N       int64
	Address string // at which it is reached
	Leaving bool   // it takes nothing new
}

// Beat is what a Store tells of a replica.
type Beat struct {
	N       int64
	Address string
	Version string
	Beats   int64
	Leaving bool
}

// Store keeps who is there; see package store/replicas for what each does. Its Gone
// says of an error that this process was found gone. Beat must not wait much longer than
// a beat takes, whatever else is asked.
type Store interface {
	Join(ctx context.Context, address, version string) (n int64, err error)
	Beat(ctx context.Context) (there []Beat, err error)
	TakeOver(ctx context.Context, n int64) (won bool, err error)
	Adopt(ctx context.Context) (some bool, err error)
	Leave(ctx context.Context) error
	Left(ctx context.Context) error
	Clock(ctx context.Context) (ms int64, err error)
	Gone(err error) bool
}

// Config is what a Member works with. Store must be given.
type Config struct {
	Store   Store
	Address string // at which the others reach this one; "": at none
	Version string

	// TakenOver is told that this process has to go on with what a replica held that
	// is gone, or, with n 0, with what nobody held. It may take its time, and is called
	// again only after that. An error has it called once more, after a while.
	TakenOver func(ctx context.Context, n int64) error
	// Changed is told of who is there besides this one, at the first beat and whenever
	// that changes. It must not wait.
	Changed func(peers []Peer)

	// Every is the time between two beats, a second. GoneAfter is how long none may
	// come, 10 s.
	Every, GoneAfter time.Duration
	Now              func() time.Time
	Logger           *slog.Logger
}

// maxSkew is how far this machine's clock may be from the database's: links, sessions
// and what is said between replicas are good for a time.
const maxSkew = 5 * time.Second

// Member is this process among the replicas. Make one with [Join], from when on it says
// that it is there; Start it when what it takes over can be gone on with, and Leave.
type Member struct {
	Config
	n       int64
	started chan struct{} // closed by Start
	lost    chan struct{}
	quit    context.CancelFunc
	life    context.Context
	work    sync.WaitGroup

	look  chan struct{} // holds one: there may be something to take over
	wake  chan struct{} // holds one: something was taken over
	tried atomic.Int64  // when the last beat began that went through or failed, in Unix nanoseconds

	mu     sync.Mutex
	peers  []Peer
	silent []Beat    // the others that are gone, by their beats
	taken  []int64   // and was not told yet
	times  int       // that something was
	heard  time.Time // when its last beat began that went through

	// Of the beating goroutine.
	seen    map[int64]sighting
	through time.Time // since when this one's beats have gone through; zero: the last did not
	last    time.Time // of them
	known   []Peer
}

// sighting is when a beat of another one was new.
type sighting struct {
	beats int64
	at    time.Time
}

// Join makes this process one of the replicas, and begins to beat: the rest of its start
// may take longer than none of it may come. An error is a sentence for who starts the
// server: its clock is wrong, or another one is in its place.
func Join(ctx context.Context, c Config) (*Member, error) {
	if c.Every == 0 {
		c.Every = time.Second
	}
	if c.GoneAfter == 0 {
		c.GoneAfter = 10 * time.Second
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.TakenOver == nil {
		c.TakenOver = func(context.Context, int64) error { return nil }
	}
	if c.Changed == nil {
		c.Changed = func([]Peer) {}
	}
	m := &Member{Config: c, started: make(chan struct{}), lost: make(chan struct{}), look: make(chan struct{}, 1), wake: make(chan struct{}, 1), seen: map[int64]sighting{}}
	m.life, m.quit = context.WithCancel(context.Background())
	before := c.Now()
	ms, err := c.Store.Clock(ctx)
	if err != nil {
		return nil, err
	}
	if skew := before.Add(c.Now().Sub(before) / 2).Sub(time.UnixMilli(ms)); skew.Abs() > maxSkew {
		return nil, &wire.Problem{Code: "clock_skew",
			Message: "This machine's clock is " + skew.Abs().Round(time.Second).String() + " " + ahead(skew) + " the database's; " + maxSkew.String() + " are let pass.",
			Hint:    "Have both set by NTP (timedatectl set-ntp true)."}
	}
	if m.n, err = c.Store.Join(ctx, c.Address, c.Version); err != nil {
		return nil, err
	}
	m.heard = c.Now()
	m.work.Go(m.loop)
	return m, nil
}

func ahead(skew time.Duration) string {
	if skew > 0 {
		return "ahead of"
	}
	return "behind"
}

// N is this process's number.
func (m *Member) N() int64 { return m.n }

// Awake says whether this process has said of late that it is there, or tried to. One
// that was stopped for long has not: it may have been found gone without knowing.
func (m *Member) Awake() bool {
	return m.Now().Sub(time.Unix(0, m.tried.Load())) < m.GoneAfter/2
}

// Sure says whether this process was heard of so lately that no other one can have
// found it gone.
func (m *Member) Sure() bool { return m.Now().Sub(m.Heard()) < m.GoneAfter/2 }

// Lost is closed when this process was found gone: it must end.
func (m *Member) Lost() <-chan struct{} { return m.lost }

// Peers are the others that are there.
func (m *Member) Peers() []Peer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.peers
}

// Peer is another one by its number; ok is false where it isn't there.
func (m *Member) Peer(n int64) (p Peer, ok bool) {
	all := m.Peers()
	i := slices.IndexFunc(all, func(p Peer) bool { return p.N == n })
	if i < 0 {
		return p, false
	}
	return all[i], true
}

// Heard is when this process was last heard of in the database.
func (m *Member) Heard() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.heard
}

// Taken is how often this process went on with what another one had held.
func (m *Member) Taken() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.times
}

// Start begins to watch the others.
func (m *Member) Start() {
	m.work.Go(m.takeOvers)
	m.work.Go(m.goOn)
	close(m.started)
}

// goOn tells what was taken over.
func (m *Member) goOn() {
	for {
		m.mu.Lock()
		var n int64
		some := len(m.taken) > 0
		if some {
			n, m.taken = m.taken[0], m.taken[1:]
		}
		m.mu.Unlock()
		if !some {
			select {
			case <-m.wake:
				continue
			case <-m.life.Done():
				return
			}
		}
		err := m.TakenOver(m.life, n)
		if m.life.Err() != nil {
			return
		}
		if err != nil {
			m.complain("what was taken over does not go on yet; it is tried again", err)
			m.took(n)
			select {
			case <-time.After(m.Every):
			case <-m.life.Done():
				return
			}
		}
	}
}

// took has what was taken over from n told.
func (m *Member) took(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.taken, n) {
		m.taken = append(m.taken, n)
	}
	signal(m.wake)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default: // it is there already
	}
}

// Leave says that this process takes nothing new from here on.
func (m *Member) Leave(ctx context.Context) error { return m.Store.Leave(ctx) }

// Close ends the watch; what is still held is nobody's then, and another one takes
// it. It is the last that this process writes.
func (m *Member) Close(ctx context.Context) error {
	m.quit()
	m.work.Wait()
	select {
	case <-m.lost:
		return nil
	default:
		return m.Store.Left(ctx)
	}
}

func (m *Member) loop() {
	tick := time.NewTicker(m.Every)
	defer tick.Stop()
	started := m.started
	for {
		if m.beat(started == nil) {
			close(m.lost)
			return
		}
		select {
		case <-tick.C:
		case <-started:
			started = nil
		case <-m.life.Done():
			return
		}
	}
}

// beat says that this one is there, and where it watches looks at the others.
func (m *Member) beat(watches bool) (gone bool) {
	began := m.Now() // what is found out later may be long past
	there, err := m.Store.Beat(m.life)
	now := m.Now()
	if err != nil {
		m.through = time.Time{}
		m.mu.Lock()
		m.silent = nil
		m.mu.Unlock()
		if m.Store.Gone(err) {
			return true
		}
		m.tried.Store(began.UnixNano())
		if m.life.Err() == nil {
			m.Logger.Error("the database doesn't hear of this replica", "err", err)
		}
		return false
	}
	if m.through.IsZero() || now.Sub(m.last) > m.GoneAfter/2 {
		m.through = now
		clear(m.seen) // while this one heard nothing, or was stopped, the others may have been, too
	}
	m.last = now
	m.mu.Lock()
	m.heard = began
	m.mu.Unlock()
	m.tried.Store(began.UnixNano())
	if watches {
		m.watch(there, now)
	}
	return false
}

// watch finds out who is gone.
func (m *Member) watch(there []Beat, now time.Time) {
	peers := []Peer{}
	var silent []Beat
	for _, b := range there {
		if b.N == m.n {
			continue
		}
		s, known := m.seen[b.N]
		if !known || s.beats != b.Beats {
			s = sighting{b.Beats, now}
			m.seen[b.N] = s
		}
		if now.Sub(s.at) >= m.GoneAfter && now.Sub(m.through) >= m.GoneAfter {
			silent = append(silent, b)
			continue
		}
		peers = append(peers, Peer{b.N, b.Address, b.Leaving})
	}
	maps.DeleteFunc(m.seen, func(n int64, _ sighting) bool {
		return !slices.ContainsFunc(there, func(b Beat) bool { return b.N == n })
	})
	m.mu.Lock()
	m.silent, m.peers = silent, peers
	m.mu.Unlock()
	if m.known == nil || !slices.Equal(m.known, peers) {
		m.known = peers
		m.Changed(peers)
	}
	signal(m.look)
}

// takeOvers takes over what those held who are gone, and what nobody holds.
func (m *Member) takeOvers() {
	for {
		select {
		case <-m.look:
		case <-m.life.Done():
			return
		}
		m.mu.Lock()
		silent := m.silent
		m.mu.Unlock()
		for _, b := range silent {
			m.takeOver(b)
		}
		m.adopt()
	}
}

// adopt takes what nobody holds. Whoever is gone is looked for again before long, also
// while nothing can be read.
func (m *Member) adopt() {
	ctx, cancel := context.WithTimeout(m.life, m.GoneAfter/2)
	defer cancel()
	if some, err := m.Store.Adopt(ctx); err != nil {
		m.complain("what nobody holds was not looked for", err)
	} else if some {
		m.took(0)
	}
}

func (m *Member) takeOver(b Beat) {
	switch won, err := m.Store.TakeOver(m.life, b.N); {
	case err != nil:
		m.complain("a replica is gone, and what it held was not taken over yet", err)
	case won:
		m.Logger.Warn("a replica is gone; what it held goes on here", "replica", b.N, "address", b.Address)
		m.mu.Lock()
		m.times++
		m.mu.Unlock()
		m.took(b.N)
	}
}

func (m *Member) complain(what string, err error) {
	if m.life.Err() == nil && !errors.Is(err, context.Canceled) {
		m.Logger.Error(what, "err", err)
	}
}
