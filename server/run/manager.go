package run

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"screentest/server/payer"
	"screentest/server/tails"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Manager starts runs and knows those under way. Make one with New and close
// it; its methods may be called from any goroutine.
type Manager struct {
	Config
	flusher *flusher
	guard   *guard // nil: readers get at once what comes
	mirrors mirrors
	blocks  blocks
	// endBuffers has a buffer for each log that may be read whole at a time.
	endBuffers chan []byte
	closing    context.Context
	hurry      func() // ends closing: no end waits any longer

	logUnstored, endUnstored complaint
	abandoned                atomic.Bool  // another replica goes on with the runs
	lost                     atomic.Int64 // ends that could not be stored
	filling                  atomic.Int64 // bytes of requests with images that are being sent

	mu      sync.Mutex
	closed  bool
	started int // runs so far
	live    map[key]*live
	running map[string]int // by owner
	calls   sync.WaitGroup // of the gateway, to their stored ends
	dropped map[key]bool   // since the look for left runs that is under way began; nil: none is

	lookout    lookout
	recovering sync.Mutex              // held while runs are ended that nobody goes on with
	unasked    map[tails.Run]time.Time // with recovering: since when not all can be asked what they keep of them
}

// key names a run: ids are their owner's.
type key struct{ owner, run string }

// New returns a Manager. Call Recover before the first Start.
func New(c Config) *Manager {
	m := &Manager{
		Config:     c.withDefaults(),
		endBuffers: make(chan []byte, maxEnding),
		live:       map[key]*live{},
		running:    map[string]int{},
	}
	m.closing, m.hurry = context.WithCancel(context.Background())
	for range maxEnding {
		m.endBuffers <- nil
	}
	hasty := func() bool { return false }
	if m.Keeper != nil {
		m.guard = startGuard(m, m.Keeper)
		hasty = m.guard.hasty.Load
	}
	most := int64(math.MaxInt64) // of a file: the disk's errors come at once
	if m.DurableStart {
		most = m.MaxUnstored
	}
	m.flusher = startFlusher(m.FlushEvery, most, m.all, hasty)
	m.mirrors.start(m)
	m.lookout.start(m)
	return m
}

// Start sends a turn to the gateway and returns the run, which is then under
// way; what goes wrong later is told by the run's Problem. So is a budget's
// refusal: the turn is stored, and ends without a call. Starting the same
// id again returns the same run, whoever pays. The key is held only until the
// gateway has answered. An error is a *wire.Problem.
func (m *Manager) Start(ctx context.Context, by payer.Payer, s wire.Start) (wire.Run, error) {
	owner := by.Owner
	k := key{owner, s.Run}
	m.mu.Lock()
	again, ok := m.live[k]
	m.mu.Unlock()
	if ok {
		return again.await(ctx)
	}
	req, p := m.admit(s, by)
	if p != nil {
		return wire.Run{}, p
	}

	l := newLive(m, k, req.run)
	m.mu.Lock()
	if again, ok := m.live[k]; ok {
		m.mu.Unlock()
		return again.await(ctx)
	}
	if p := m.room(owner); p != nil {
		m.mu.Unlock()
		return wire.Run{}, p
	}
	m.live[k] = l
	if m.guard != nil {
		m.guard.cover(l)
	}
	m.started++
	l.slot = m.started % flushSlots
	m.running[owner]++
	m.calls.Add(1)
	m.mu.Unlock()
	m.flusher.kick()

	stored, found, err := m.Store.CheckStart(ctx, owner, s)
	var refused *wire.Problem // by a budget
	if err == nil && !found {
		if p := m.admitImages(ctx, owner, req.body); p != nil {
			l.notMade(wire.Run{}, p)
			return wire.Run{}, p
		}
		by.For = s.Run
		l.release, p = m.Reserve(ctx, by, m.model(req.run.Model), req.body)
		switch {
		case p == nil:
		case p.ByBudget():
			l.release, refused = func() {}, p
		default:
			l.notMade(wire.Run{}, p)
			return wire.Run{}, p
		}
	}
	if err != nil || found {
		switch {
		case err != nil && m.DurableStart && !isVerdict(err):
			m.Logger.Warn("it is not known whether a run is there already", "run", s.Run, "err", err)
			err = notKnown()
		case err != nil:
			m.Logger.Warn("run refused by the store", "run", s.Run, "err", err)
			err = asProblem(err, wire.Problem{Code: "storage_failed", Message: "The server could not read its database.",
				Hint: "Try again; the server's log has the details."})
		case stored.State == wire.Running:
			m.lookout.look() // an earlier start of it may have come to nothing
		}
		l.notMade(stored, err)
		return stored, err
	}
	if m.DurableStart && ctx.Err() != nil {
		// Nobody waits for it any more, and nothing of it is stored yet: it ends here.
		l.release()
		p := &wire.Problem{Code: "cancelled", Message: "The server took too long to look at what was sent, so nothing was sent to the gateway.",
			Hint: "Send it again in a moment."}
		l.notMade(wire.Run{}, p)
		return wire.Run{}, p
	}
	s.Body = req.body
	m.Store.StartTurn(owner, s, req.run, title(opening(s)), req.to.BaseURL, l.onTurnStored)
	if m.DurableStart {
		go l.beginStored(s, by.Secret, req, refused)
		return l.await(ctx)
	}
	// From here on nothing waits for the disk: the turn is queued in front of
	// all that the run will write, and the gateway is called.
	l.begin(by.Secret, req, refused)
	runtime.Gosched() // the request goes out first: the gateway takes its time, what follows here does not
	return req.run, nil
}

// begin tells that the run has started, and calls the gateway unless a budget has
// refused that.
func (l *live) begin(apiKey string, req request, refused *wire.Problem) {
	// The start is told first: an answer can have ended before this goroutine goes on.
	l.resolve(req.run, nil)
	l.m.Changed(l.key.owner, req.run)
	if refused != nil {
		// What was written is kept, and other lanes may have been let through.
		go l.end(refused)
		return
	}
	go l.call(apiKey, req)
}

// room says whether the owner may have another run. The lock is held.
func (m *Manager) room(owner string) *wire.Problem {
	if m.closed {
		return &wire.Problem{Code: "shutting_down", Message: "The server is shutting down.",
			Hint: "Send the message again in a moment."}
	}
	if m.running[owner] >= m.MaxRunning {
		return &wire.Problem{Code: "too_many_runs",
			Message: fmt.Sprintf("%d answers are under way, which is the limit.", m.MaxRunning),
			Hint:    "Stop some of them, or wait until they end."}
	}
	return m.roomForUnstored()
}

// drop forgets a run that is no longer under way.
func (m *Manager) drop(l *live) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live[l.key] != l {
		return
	}
	if m.dropped != nil {
		m.dropped[l.key] = true
	}
	delete(m.live, l.key)
	if m.running[l.key.owner]--; m.running[l.key.owner] == 0 {
		delete(m.running, l.key.owner)
	}
}

func (m *Manager) find(k key) *live {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.live[k]
}

// UnderWay is how many runs there are whose end is not stored.
func (m *Manager) UnderWay() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.live)
}

// all returns the runs under way.
func (m *Manager) all(dst []*live) []*live {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, l := range m.live {
		dst = append(dst, l)
	}
	return dst
}

// Open returns a run and its log, under way or not, here or at another replica. An
// error is a *wire.Problem.
func (m *Manager) Open(ctx context.Context, owner, id string) (wire.Run, *Log, error) {
	k := key{owner, id}
	if l := m.find(k); l != nil {
		return l.open(ctx)
	}
	r, err := m.stored(ctx, owner, id)
	if err != nil {
		return wire.Run{}, nil, err
	}
	if r.State == wire.Running && m.Elsewhere != nil {
		log := m.mirrors.open(ctx, k, r)
		r.ContentType = log.ContentType()
		r.Bytes, _ = log.Size()
		return r, log, nil
	}
	return r, storedLog(r.Bytes, r.ContentType, m.fetcher(k)), nil
}

func (l *live) open(ctx context.Context) (wire.Run, *Log, error) {
	r, err := l.await(ctx)
	if err != nil {
		return wire.Run{}, nil, err
	}
	r.ContentType = l.log.ContentType()
	r.Bytes, _ = l.log.Size()
	return r, l.log, nil
}

// stored returns a run from the store.
func (m *Manager) stored(ctx context.Context, owner, id string) (wire.Run, error) {
	r, err := m.Store.Run(ctx, owner, id)
	if err != nil {
		return wire.Run{}, m.readProblem(id, err)
	}
	return r, nil
}

func (m *Manager) fetcher(k key) fetch {
	return func(ctx context.Context, from int64, max int) ([]byte, error) {
		return m.Store.ReadRunLog(ctx, k.owner, k.run, from, max)
	}
}

// Close ends the runs under way as interrupted, waits until they are stored or
// ctx is done, and stops the Manager's goroutines. An error says that ends
// could not be stored: Recover ends these with what is stored of them.
func (m *Manager) Close(ctx context.Context) error {
	m.Refuse()
	for _, l := range m.all(nil) {
		l.cancel(errShutdown)
	}
	m.hurry()
	defer m.flusher.stop()
	if m.guard != nil {
		defer m.guard.stop()
	}
	m.mirrors.stop()
	select {
	case <-m.ends(m.lookout.ended):
		if n := m.lost.Swap(0); n > 0 {
			return fmt.Errorf("close runs: %d answers could not be stored whole", n)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close runs: %w", ctx.Err())
	}
}

// Refuse has no run start any more; those under way go on. It is for a server that
// is about to end and has others beside it.
func (m *Manager) Refuse() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
}

// Wait waits until the ends of all runs are stored or ctx is done, after Refuse.
func (m *Manager) Wait(ctx context.Context) error {
	select {
	case <-m.ends(nil):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// ends is closed when no run is under way, and after also, if that is not nil.
func (m *Manager) ends(also <-chan struct{}) <-chan struct{} {
	stored := make(chan struct{})
	go func() {
		m.calls.Wait()
		if also != nil {
			<-also
		}
		close(stored)
	}()
	return stored
}

// Abandon lets go of all runs at once: another replica was told to go on with them.
// Readers are shown nothing more, no call goes on, and nothing is stored or tried to
// be.
func (m *Manager) Abandon() {
	m.Refuse()
	m.abandoned.Store(true)
	for _, l := range m.all(nil) {
		l.log.freeze()
		l.cancel(errGone)
	}
	m.hurry()
}

// PeersChanged says that other replicas have come or gone.
func (m *Manager) PeersChanged() {
	if m.guard != nil {
		m.guard.nudge()
	}
}

// model looks up a model in the current catalogue.
func (m *Manager) model(id string) gateway.Model {
	model, _ := m.Catalogue().Lookup(id)
	return model
}
