package run

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"screentest/server/tails"
)

// A Keeper hands what is not stored to another replica; see [tails.Sender].
type Keeper interface {
	Send(ctx context.Context, batch []byte) error
	Close()
}

// Bounds of what is handed over at a time: of one run, and of all.
const (
	maxTail  = 256 << 10
	maxBatch = 4 << 20
)

// lookAgain is how long after a failure it is tried again to reach a keeper.
const lookAgain = 500 * time.Millisecond

// guard sees to it that nothing is lost that somebody was shown. While there are
// other replicas, readers get what another one keeps, too, or what is stored; a
// batch goes as soon as the one before is kept, so under load many chunks go
// together. Where none of the others can be reached, logs are stored more often, and
// readers get that; where there are none, they get all at once.
type guard struct {
	m      *Manager
	keeper Keeper
	wake   chan struct{}
	quit   context.CancelFunc
	life   context.Context
	work   sync.WaitGroup
	hasty  atomic.Bool // none can be reached
	buf    []byte      // of the goroutine, as the two below
	batch  []byte
	parts  []part

	mu    sync.Mutex
	alone bool
	dirty []*live
	ended []key // of which nothing need be kept any more
}

// part is what of a log is in a batch.
type part struct {
	log *Log
	to  int64
}

func startGuard(m *Manager, k Keeper) *guard {
	g := &guard{m: m, keeper: k, wake: make(chan struct{}, 1)}
	g.life, g.quit = context.WithCancel(context.Background())
	g.hasty.Store(true) // until it is known who is there
	g.work.Go(g.loop)
	return g
}

func (g *guard) stop() {
	g.quit()
	g.work.Wait()
	g.keeper.Close()
}

// cover has the guard see to a run. The Manager's lock is held, so that a change of
// who is there meets every run.
func (g *guard) cover(l *live) {
	g.mu.Lock()
	defer g.mu.Unlock()
	l.log.guard = &guarded{by: g, run: l, alone: g.alone}
}

// awake says whether this process has not been stopped meanwhile: then it may have
// been found gone, and shows nothing before it knows better.
func (g *guard) awake() bool { return g.m.Awake() }

func (g *guard) nudge() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// add queues a run of which there is something to hand over.
func (g *guard) add(l *live) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.dirty = append(g.dirty, l)
	g.nudge()
}

// end says that a run's end is stored.
func (g *guard) end(k key) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ended = append(g.ended, k)
	g.nudge()
}

func (g *guard) loop() {
	again := time.NewTimer(lookAgain)
	defer again.Stop()
	for {
		select {
		case <-g.wake:
		case <-again.C:
		case <-g.life.Done():
			return
		}
		g.gather()
		err := g.keeper.Send(g.life, g.batch)
		switch {
		case err == nil:
			for _, p := range g.parts {
				p.log.kept(p.to)
			}
		case errors.Is(err, tails.ErrAnew):
			g.set(false, false)
			for _, l := range g.m.all(nil) {
				l.log.again()
			}
			g.nudge()
		case errors.Is(err, tails.ErrAlone):
			if g.awake() {
				g.set(true, false)
			} else {
				again.Reset(lookAgain / 10)
			}
		case errors.Is(err, tails.ErrGone):
			g.set(false, true)
			if g.gone() {
				g.m.Logger.Error("another replica has taken over the answers of this one")
				g.m.Abandon()
				return
			}
			again.Reset(lookAgain)
		case g.life.Err() != nil:
			return
		default:
			g.set(false, true)
			again.Reset(lookAgain)
		}
		clear(g.parts)
		g.parts = g.parts[:0]
	}
}

// gone says whether it is true what another replica says, that this one was found gone:
// the database knows. Until it has answered, readers get what is stored.
func (g *guard) gone() bool {
	if g.m.Asked == nil {
		return true
	}
	ctx, cancel := context.WithTimeout(g.life, checkAgain)
	defer cancel()
	err := g.m.Asked(ctx)
	if err != nil && g.m.Gone(err) {
		return true
	}
	g.m.Logger.Error("another replica says that the answers of this one were taken over, and the database does not; this one goes on", "err", err)
	return false
}

// set tells all runs who is there.
func (g *guard) set(alone, hasty bool) {
	g.hasty.Store(hasty)
	g.mu.Lock()
	changed := g.alone != alone
	if g.alone = alone; alone {
		g.dirty, g.ended = nil, nil
	}
	g.mu.Unlock()
	if !changed && !alone {
		return
	}
	for _, l := range g.m.all(nil) {
		l.log.setAlone(alone)
	}
}

// gather makes the next batch: none while there is nobody to have it, for then all is
// handed over anew once there is.
func (g *guard) gather() {
	g.batch = g.batch[:0]
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.alone || g.hasty.Load() {
		g.ended = nil
		var over []*live
		g.dirty = slices.DeleteFunc(g.dirty, func(l *live) bool {
			ended := l.over()
			if ended {
				over = append(over, l)
			}
			return ended
		})
		g.mu.Unlock() // a log's lock is taken before this one
		for _, l := range over {
			l.log.unqueue()
		}
		g.mu.Lock()
		return
	}
	dirty := g.dirty
	g.dirty = nil
	for i, l := range dirty {
		if len(g.batch) >= maxBatch {
			g.dirty = append(g.dirty, dirty[i:]...)
			g.nudge()
			break
		}
		g.mu.Unlock() // a log that has more queues itself again
		t := l.log.tail(g.buf[:0], maxTail)
		g.mu.Lock()
		if t.Data == nil {
			continue
		}
		g.buf = t.Data[:0]
		g.batch = tails.Append(g.batch, t)
		g.parts = append(g.parts, part{l.log, t.End()})
	}
	for _, k := range g.ended {
		g.batch = tails.Append(g.batch, tails.Tail{Owner: k.owner, Run: k.run, Ended: true})
	}
	g.ended = nil
}
