package run

import (
	"sync"
	"time"
)

// flushSlots is how many groups the runs are flushed in, one after the other
// within the interval: a commit still holds many logs, and neither the memory
// that they take nor the work peaks for all at once.
const flushSlots = 4

// flusher carries the logs of the runs under way to the store: each at the
// interval, and long ones in between. While there are none it waits for a kick.
type flusher struct {
	runs  func([]*live) []*live
	hasty func() bool // each log is written with every step
	most  int64       // bytes that all logs may hold while the store doesn't answer
	early chan struct{}
	quit  chan struct{}
	gone  sync.WaitGroup
	once  sync.Once
}

func startFlusher(every time.Duration, most int64, runs func([]*live) []*live, hasty func() bool) *flusher {
	f := &flusher{runs: runs, hasty: hasty, most: most, early: make(chan struct{}, 1), quit: make(chan struct{})}
	f.gone.Add(1)
	go f.loop(every)
	return f
}

// kick has the long backlogs written now, and wakes the flusher for the first
// run.
func (f *flusher) kick() {
	select {
	case f.early <- struct{}{}:
	default:
	}
}

func (f *flusher) stop() {
	f.once.Do(func() { close(f.quit) })
	f.gone.Wait()
}

func (f *flusher) loop(every time.Duration) {
	defer f.gone.Done()
	pause := max(every/flushSlots, time.Millisecond)
	tick := time.NewTicker(pause)
	defer tick.Stop()
	var all []*live
	for slot, ticking := 0, true; ; {
		due := -1 // none: only the long ones
		select {
		case <-tick.C:
			slot = (slot + 1) % flushSlots
			due = slot
		case <-f.early:
		case <-f.quit:
			return
		}
		all = f.runs(all[:0])
		hasty := due >= 0 && f.hasty()
		var unstored int64
		for _, l := range all {
			n := l.log.backlog()
			unstored += n
			if n >= flushChunk || n > 0 && (l.slot == due || hasty) {
				l.write()
			}
		}
		if unstored > f.most {
			endHung(all)
		}
		clear(all)
		switch under := len(all) > 0; {
		case under == ticking:
		case under:
			tick.Reset(pause)
			ticking = true
		default:
			tick.Stop()
			ticking = false
		}
	}
}

// write queues the next stretch of the log for the store, unless one is under
// way. The lock is given back when the stretch is durable.
func (l *live) write() {
	if !l.flush.TryLock() {
		return
	}
	if l.log.ended() || l.m.Now().Sub(l.failed) < l.m.FlushEvery {
		l.flush.Unlock() // its end stores the rest; or the disk was full just now
		return
	}
	buf := l.m.blocks.buffer()
	from, p, times := l.log.unstored(*buf, flushChunk)
	*buf = p
	if len(p) == 0 {
		l.log.abandonFlush()
		l.m.blocks.giveBack(buf)
		l.flush.Unlock()
		return
	}
	l.asked.Store(l.ms() + 1)
	l.m.Store.AppendRunLog(l.key.owner, l.key.run, from, p, times, func(err error) {
		defer l.flush.Unlock()
		l.asked.Store(0)
		defer l.m.blocks.giveBack(buf)
		if err == nil {
			l.log.markStored(len(p), l.ms())
			return
		}
		l.failed = l.m.Now()
		l.log.abandonFlush()
		if l.m.Gone(err) {
			l.m.Abandon()
			return
		}
		l.m.logUnstored.say(l.m.Logger, l.m.Now(), "log not stored; it is kept in memory", "run", l.key.run, "from", from, "bytes", len(p), "err", err)
		if l.tooMuchUnstored() {
			p := notStored()
			l.cancel(&p)
		}
	})
}
