package bff

import (
	"sync"
	"sync/atomic"
	"time"
)

// How long frames of one socket wait for each other. The first bytes after a
// pause of that length go at once, so a stream at a reading pace is not
// delayed; what follows within it goes together. When the processors are busy
// the wait grows: fewer, larger frames are what helps then.
const (
	joinIdle = 8 * time.Millisecond
	joinBusy = 33 * time.Millisecond
)

// pace measures how busy the processors are, by how late a sleeper wakes. It
// sleeps so only while frames are sent: an idle server is not to be woken.
type pace struct {
	late  atomic.Int64  // nanoseconds, smoothed
	asked chan struct{} // join was called
}

const (
	paceEvery = 20 * time.Millisecond
	// restAfter is how many rounds in which nobody asked end the measuring. What
	// was measured is forgotten then: it says nothing of the next stream.
	restAfter = 50
)

func newPace() *pace { return &pace{asked: make(chan struct{}, 1)} }

func (p *pace) loop(quit <-chan struct{}) {
	tick := time.NewTimer(paceEvery)
	defer tick.Stop()
	for {
		select {
		case <-p.asked:
		case <-quit:
			return
		}
		for rest := restAfter; rest > 0; {
			due := time.Now().Add(paceEvery)
			tick.Reset(paceEvery)
			select {
			case <-tick.C:
			case <-quit:
				return
			}
			late := max(time.Since(due), 0)
			// Up at once, down over some ten rounds.
			old := p.late.Load()
			p.late.Store(max(int64(late), old-old/8))
			select {
			case <-p.asked:
				rest = restAfter
			default:
				rest--
			}
		}
		p.late.Store(0)
	}
}

// join is how long frames are to wait for each other now.
func (p *pace) join() time.Duration {
	select {
	case p.asked <- struct{}{}:
	default:
	}
	return min(joinIdle+4*time.Duration(p.late.Load()), joinBusy)
}

// buffers lends the memory for frames, in three sizes, so that an idle socket
// holds none and a small frame does not hold a large buffer.
type buffers struct{ small, medium, large sync.Pool }

const (
	smallFrame  = 4 << 10
	mediumFrame = 32 << 10
)

// get returns a buffer with room for n bytes, or for the largest frame.
func (b *buffers) get(n int) *[]byte {
	pool, size := &b.large, maxFrame
	switch {
	case n <= smallFrame:
		pool, size = &b.small, smallFrame
	case n <= mediumFrame:
		pool, size = &b.medium, mediumFrame
	}
	if p, ok := pool.Get().(*[]byte); ok {
		return p
	}
	p := make([]byte, 0, size)
	return &p
}

func (b *buffers) put(p *[]byte) {
	*p = (*p)[:0]
	switch c := cap(*p); {
	case c > 2*maxGather: // for a message of that size only
	case c >= maxFrame:
		b.large.Put(p)
	case c >= mediumFrame:
		b.medium.Put(p)
	case c >= smallFrame:
		b.small.Put(p)
	}
}
