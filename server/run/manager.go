package run

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"

	"screentest/server/payer"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Manager starts runs and knows those under way. Make one with New and close
// it; its methods may be called from any goroutine.
type Manager struct {
	Config
	flusher *flusher
	blocks  blocks
	// endBuffers has a buffer for each log that may be read whole at a time.
	endBuffers chan []byte
	closing    context.Context
	hurry      func() // ends closing: no end waits any longer

	logUnstored, endUnstored complaint
	lost                     atomic.Int64 // ends that could not be stored
	filling                  atomic.Int64 // bytes of requests with images that are being sent

	mu      sync.Mutex
	closed  bool
	started int // runs so far
	live    map[key]*live
	running map[string]int // by owner
	calls   sync.WaitGroup // of the gateway, to their stored ends
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
	m.flusher = startFlusher(m.FlushEvery, m.all)
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
		if err != nil {
			m.Logger.Warn("run refused by the store", "run", s.Run, "err", err)
			err = asProblem(err, wire.Problem{Code: "storage_failed", Message: "The server could not read its database.",
				Hint: "Try again; the server's log has the details."})
		}
		l.notMade(stored, err)
		return stored, err
	}
	// From here on nothing waits for the disk: the turn is queued in front of
	// all that the run will write, and the gateway is called.
	s.Body = req.body
	m.Store.StartTurn(owner, s, req.run, title(opening(s)), req.to.BaseURL, l.onTurnStored)
	// The start is told first: an answer can have ended before this goroutine goes on.
	l.resolve(req.run, nil)
	m.Changed(owner, req.run)
	if refused != nil {
		// What was written is kept, and other lanes may have been let through.
		go l.end(refused)
		return req.run, nil
	}
	go l.call(by.Secret, req)
	runtime.Gosched() // the request goes out first: the gateway takes its time, what follows here does not
	return req.run, nil
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

// Stop ends a run; the text so far is kept. Stopping one that has ended is no
// error. The run's end is told through Changed.
func (m *Manager) Stop(ctx context.Context, owner, id string) error {
	if l := m.find(key{owner, id}); l != nil {
		if r := l.ended.Load(); r != nil {
			m.Changed(owner, *r) // who stops it has not heard
		}
		l.cancel(errStopped)
		return nil
	}
	_, err := m.stored(ctx, owner, id)
	return err
}

// StopConversation ends the runs of a conversation and waits until their ends
// are stored, or are found to wait for the disk: then what is deleted makes
// room for them.
func (m *Manager) StopConversation(ctx context.Context, owner, conversation string) error {
	for _, l := range m.all(nil) {
		if l.key.owner != owner || l.started.Conversation != conversation {
			continue
		}
		l.cancel(errStopped)
		select {
		case <-l.done:
		case <-ctx.Done():
			return fmt.Errorf("stop run %s: %w", l.key.run, ctx.Err())
		}
	}
	return nil
}

// Open returns a run and its log, under way or not. An error is a
// *wire.Problem.
func (m *Manager) Open(ctx context.Context, owner, id string) (wire.Run, *Log, error) {
	if l := m.find(key{owner, id}); l != nil {
		r, err := l.await(ctx)
		if err != nil {
			return wire.Run{}, nil, err
		}
		r.ContentType = l.log.ContentType()
		r.Bytes, _ = l.log.Size()
		return r, l.log, nil
	}
	r, err := m.stored(ctx, owner, id)
	if err != nil {
		return wire.Run{}, nil, err
	}
	return r, storedLog(r.Bytes, r.ContentType, m.fetcher(key{owner, id})), nil
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
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	for _, l := range m.all(nil) {
		l.cancel(errShutdown)
	}
	m.hurry()
	stored := make(chan struct{})
	go func() {
		m.calls.Wait()
		close(stored)
	}()
	defer m.flusher.stop()
	select {
	case <-stored:
		if n := m.lost.Swap(0); n > 0 {
			return fmt.Errorf("close runs: %d answers could not be stored whole", n)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close runs: %w", ctx.Err())
	}
}

// model looks up a model in the current catalogue.
func (m *Manager) model(id string) gateway.Model {
	model, _ := m.Catalogue().Lookup(id)
	return model
}
