package run

import "screentest/server/tails"

// guarded is what a log knows of the copy of its end that another replica keeps.
// All of it is behind the log's lock.
type guarded struct {
	by  *guard
	run *live
	// shown is how far readers may read, besides what is stored: what the keeper
	// has, and what came while there was no other replica.
	shown  int64
	sent   int64 // what is below is with the keeper, or on its way
	typed  bool  // the keeper knows the Content-Type
	queued bool  // waits to be handed over
	alone  bool  // there is nobody to hand it to: all is shown
	frozen bool  // nothing more is shown
}

// grown is called when bytes have come, and says whether readers may have them at
// once.
func (g *guarded) grown(l *Log) bool {
	switch {
	case g.frozen:
		return false
	case g.alone && g.by.awake():
		g.shown = l.size
		return true
	}
	g.queue()
	return false
}

func (g *guarded) queue() {
	if !g.queued && !g.frozen {
		g.queued = true
		g.by.add(g.run)
	}
}

// visible is how many bytes readers may have. The lock is held.
func (l *Log) visible() int64 {
	switch g := l.guard; {
	case g == nil:
		return l.size
	case g.frozen:
		return g.shown
	default:
		return max(g.shown, l.stored)
	}
}

// over says that readers may know that the log is complete. The lock is held.
func (l *Log) over() bool {
	return l.closed && (l.guard == nil || !l.guard.frozen && l.visible() == l.size)
}

// ended says that nothing more comes, whether readers know it or not.
func (l *Log) ended() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.closed
}

// tail takes what is to be handed over next, at most max bytes of it. The bytes are
// put behind buf.
func (l *Log) tail(buf []byte, max int) (t tails.Tail) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.guard
	g.queued = false
	from := l.unsent()
	n := min(int(l.size-from), max)
	if g.frozen || n <= 0 {
		return t
	}
	p, _ := l.copy(buf, from, n)
	t = tails.Tail{Owner: g.run.key.owner, Run: g.run.key.run, From: from, Stored: l.stored, Data: p[len(buf):], Times: l.timesOf(from, n)}
	if !g.typed {
		t.Type, g.typed = l.contentType, true
	}
	g.sent = from + int64(n)
	if g.sent < l.size {
		g.queue()
	}
	return t
}

// unsent is the offset from which on the keeper has nothing. The lock is held.
func (l *Log) unsent() int64 { return max(l.guard.sent, l.stored) }

// timesOf are the times of n unstored bytes. The lock is held.
func (l *Log) timesOf(from int64, n int) (times []tails.Time) {
	skip, left := from-l.stored, int64(n)
	for _, t := range l.times {
		size := int64(t.len)
		if skip >= size {
			skip -= size
			continue
		}
		size = min(size-skip, left)
		skip = 0
		times = append(times, tails.Time{MS: t.ms, Len: uint32(size)})
		if left -= size; left == 0 {
			break
		}
	}
	return times
}

// kept says that the keeper has what is below to.
func (l *Log) kept(to int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g := l.guard; !g.frozen && to > g.shown {
		g.shown = to
		l.notify()
	}
}

// again has all that is not stored handed over, to a keeper that has nothing.
func (l *Log) again() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.guard.sent, l.guard.typed = 0, false
	if l.size > l.stored {
		l.guard.queue()
	}
}

// unqueue says that the log waits no longer to be handed over.
func (l *Log) unqueue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.guard.queued = false
}

// setAlone says whether there is anybody to hand anything to.
func (l *Log) setAlone(alone bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g := l.guard
	if g.frozen {
		return
	}
	if g.alone = alone; alone {
		g.queued = false
		if g.shown < l.size {
			g.shown = l.size
			l.notify()
		}
	}
}

// freeze has readers get nothing more, nor hear of the end.
func (l *Log) freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.guard == nil {
		l.guard = &guarded{shown: l.size}
	}
	l.guard.shown = l.visible()
	l.guard.frozen = true
	l.notify() // feeds end
}
