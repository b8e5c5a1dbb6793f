package video

import (
	"math/rand/v2"
	"sync"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

const (
	// silentAfter is how many polls in a row must fail before a task is shown
	// as one that the gateway does not answer for.
	silentAfter = 3
	// maxEmpty is how many answers without a file are taken for one that is not
	// complete yet.
	maxEmpty = 5
	// tellProgress is the least time between two news of a task's progress, and
	// tellMost the number of open tasks up to which it is told at all: a state
	// that changes is always told.
	tellProgress = time.Second
	tellMost     = 200
	// spread is the time over which many tasks are taken up after a start.
	spread = 3 * time.Millisecond
)

// poller asks the gateway for the state of every open task.
type poller struct {
	s    *Service
	wake chan struct{} // holds one
	due  chan *entry

	mu    sync.Mutex
	queue queue
	all   map[taskID]*entry
}

func newPoller(s *Service) *poller {
	return &poller{s: s, wake: make(chan struct{}, 1), due: make(chan *entry), all: map[taskID]*entry{}}
}

func (p *poller) start() {
	p.s.work.Go(p.loop)
	for range p.s.Limits.Pollers {
		p.s.work.Go(func() {
			for {
				select {
				case e := <-p.due:
					p.ask(e)
				case <-p.s.quit:
					return
				}
			}
		})
	}
}

// newEntry is a task that is polled from now on. The lock is held.
func (p *poller) newEntry(owner string, key int64, t wire.VideoTask) *entry {
	e := &entry{taskID: taskID{owner, t.ID}, team: t.Team, gateway: t.Gateway, remote: t.Remote, created: time.UnixMilli(t.AcceptedMS), key: p.s.keys.current(key), place: -1,
		state: t.State, uuid: t.UUID, pause: t.Pause, progress: -1}
	if t.PollProblem != nil {
		e.code = t.PollProblem.Code
	}
	p.all[e.taskID] = e
	return e
}

// add polls a task that was just accepted.
func (p *poller) add(owner string, key int64, t wire.VideoTask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[taskID{owner, t.ID}] == nil {
		e := p.newEntry(owner, key, t)
		p.put(e, time.Now().Add(p.delay(e, 0)))
	}
}

// resume polls a task of the last process, or of another one, soon, unless it is
// polled already: its state may have changed while nobody asked. Many are spread out.
func (p *poller) resume(owner string, key int64, t wire.VideoTask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.all[taskID{owner, t.ID}] != nil {
		return
	}
	e := p.newEntry(owner, key, t)
	if age := p.s.Now().Sub(e.created); age > 3*time.Minute {
		e.polls = 10 // as often as it was asked about, as far as the wait goes
	}
	p.put(e, time.Now().Add(time.Duration(len(p.all))*spread))
}

// delay is how long to wait before the next poll (G36). The lock is held.
func (p *poller) delay(e *entry, retryAfter time.Duration) time.Duration {
	d := gateway.PollDelay(e.polls, p.s.Now().Sub(e.created), rand.Float64(), 0)
	return max(time.Duration(float64(d)/p.s.pace(e.gateway)), retryAfter)
}

// hurry polls a task now. ok is false if it is not an open one.
func (p *poller) hurry(id taskID) (ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.all[id]
	switch {
	case e == nil:
		return false
	case e.place >= 0:
		p.put(e, time.Now())
	default:
		e.again = true
	}
	return true
}

// rekey has tasks that a holder's key is used for polled with the key n, and
// returns their ids: all, or those that wait for a key. Those that have a later one
// by now keep it.
func (p *poller) rekey(of holder, n int64, all bool) (ids []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = p.s.keys.current(n)
	for id, e := range p.all {
		if id.owner != of.owner || e.team != of.team || e.gateway != of.gateway || e.key > n {
			continue
		}
		if _, _, ok := p.s.keys.get(e.key); ok && !all {
			continue
		}
		e.key = n
		if e.pause == wire.PauseKey {
			e.pause = wire.PauseNone
		}
		ids = append(ids, id.id)
		if e.parked {
			p.put(e, time.Now().Add(time.Duration(len(ids))*spread))
		}
	}
	return ids
}

// follow has a task that is polled here polled with the key n; false if it is already,
// with that or with a later one, or isn't. A key never takes the place of a later one:
// who says so has read it before.
func (p *poller) follow(id taskID, n int64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := p.all[id]
	if e == nil {
		return false
	}
	n = p.s.keys.current(n)
	was := p.s.keys.current(e.key)
	if n <= was {
		return false
	}
	if was != 0 {
		p.s.keys.superseded(was, n)
	}
	e.key = n
	if e.pause == wire.PauseKey {
		e.pause = wire.PauseNone
	}
	if e.parked {
		p.put(e, time.Now())
	}
	return true
}

// overlay adds to a task what is known of it only here.
func (p *poller) overlay(id taskID, t *wire.VideoTask) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !t.State.Open() {
		return
	}
	if e := p.all[id]; e != nil {
		t.Progress = e.progress
		if !e.checked.IsZero() {
			t.CheckedMS = e.checked.UnixMilli()
		}
	} else if p.s.Elsewhere == nil {
		return
	}
	if t.Pause == wire.PauseNone && p.s.Now().Sub(time.UnixMilli(t.AcceptedMS)) >= gateway.StaleAfter {
		t.Pause = wire.PauseStale
	}
}

// ask polls one task and puts it back into the queue, unless it has ended.
func (p *poller) ask(e *entry) {
	p.mu.Lock()
	key, planned := e.key, e.due
	p.mu.Unlock()
	if p.s.Late != nil {
		p.s.Late(time.Since(planned))
	}
	secret, replaced, ok := p.s.keys.get(key)
	if !ok {
		p.park(e, key)
		return
	}
	ctx := p.s.life
	at := p.s.Gateways(e.gateway)
	if at == nil { // it was never added then
		return
	}
	task, err := at.Task(ctx, secret, e.remote)
	if ctx.Err() != nil {
		return
	}
	now := p.s.Now()
	p.mu.Lock()
	e.polls++
	p.mu.Unlock()
	var after time.Duration
	var ended bool
	if err != nil {
		ended, after = p.unanswered(ctx, e, key, replaced, err, now)
	} else {
		ended = p.answered(ctx, e, task, now)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if ended {
		e.gone = true
		delete(p.all, e.taskID)
		return
	}
	if e.parked {
		return
	}
	due := time.Now().Add(p.delay(e, after))
	if e.again {
		e.again, due = false, time.Now()
	}
	p.put(e, due)
}

// park sets a task aside until there is a key for it, and says so.
func (p *poller) park(e *entry, key int64) {
	p.mu.Lock()
	if e.key != key { // another one came meanwhile
		p.put(e, time.Now())
		p.mu.Unlock()
		return
	}
	e.parked = true
	told := e.pause == wire.PauseKey
	e.pause = wire.PauseKey
	p.mu.Unlock()
	if told {
		return
	}
	t, err := p.s.Store.Task(p.s.life, e.owner, e.id)
	if err != nil || t.Pause == wire.PauseKey {
		if err == nil {
			p.s.tell(e.owner, t)
		}
		return
	}
	t.Pause = wire.PauseKey
	p.store(p.s.life, e, t)
}
