package run

import (
	"context"
	"fmt"
	"slices"
	"sync"
)

// minFree is the least room in a block, in bytes, that is worth a read.
const minFree = 256

// linger is how long bytes that the store already has stay in memory, in
// milliseconds, so that a reader some frames behind need not go to the store.
const linger = 50

// fetch reads at least one and at most max bytes of a log that the store has,
// from the offset from on.
type fetch func(ctx context.Context, from int64, max int) ([]byte, error)

// Log is the bytes of one run as the gateway sent them, with the time of each
// read beside them. One goroutine appends; any number read, each at an offset
// of its own, so that none waits for another. Only what the store does not yet
// have, and the last moment, is in memory: older bytes are read back from the
// store.
//
// The zero Log is not ready: a Manager makes them.
type Log struct {
	fetch fetch
	pool  *blocks
	wake  chan struct{} // for the appender: the store has caught up

	mu          sync.Mutex
	contentType string
	blocks      []*block // in order, without gaps; the last takes the next bytes
	size        int64
	stored      int64  // the store has the bytes below this
	storedMS    uint32 // the time of the last of them
	times       []read // of the bytes from stored on
	barrier     int    // times below this are in a flush under way
	closed      bool
	watchers    []chan<- struct{}

	guard   *guarded // what readers see waits for a copy elsewhere; nil: for nothing
	watched func()   // called of a new watcher; nil: nobody is
}

func newLog(fetch fetch, pool *blocks) *Log {
	return &Log{fetch: fetch, pool: pool, wake: make(chan struct{}, 1)}
}

// storedLog is a finished log of size bytes that is all in the store.
func storedLog(size int64, contentType string, fetch fetch) *Log {
	return &Log{fetch: fetch, contentType: contentType, size: size, stored: size, closed: true}
}

// ContentType is the reply's Content-Type, "" before its first byte.
func (l *Log) ContentType() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.contentType
}

// Size is how many bytes readers may have so far, and whether that is all.
func (l *Log) Size() (n int64, closed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.visible(), l.over()
}

// Watch has c told, without blocking, of every change from now on: give it a
// buffer of one. Unwatch ends it.
func (l *Log) Watch(c chan<- struct{}) {
	l.mu.Lock()
	l.watchers = append(l.watchers, c)
	l.mu.Unlock()
	if l.watched != nil {
		l.watched()
	}
}

// Unwatch ends one Watch of c.
func (l *Log) Unwatch(c chan<- struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, w := range l.watchers {
		if w == c {
			l.watchers = append(l.watchers[:i], l.watchers[i+1:]...)
			return
		}
	}
}

func (l *Log) notify() {
	for _, c := range l.watchers {
		select {
		case c <- struct{}{}:
		default: // it has been told and has not looked yet
		}
	}
}

// Read appends at most max bytes from the offset from on to dst. Nothing is
// appended where nothing is there yet; end says that the log is complete and
// that these are its last bytes. An error is the store's, or names an offset
// that the log does not have.
func (l *Log) Read(ctx context.Context, dst []byte, from int64, max int) (_ []byte, end bool, err error) {
	l.mu.Lock()
	size, closed := l.visible(), l.over()
	if from < 0 || from > size {
		l.mu.Unlock()
		return dst, false, fmt.Errorf("read log: offset %d is outside 0 to %d", from, size)
	}
	if from == l.size || from >= l.held() {
		dst, n := l.copy(dst, from, int(min(int64(max), size-from)))
		l.mu.Unlock()
		return dst, closed && from+int64(n) == size, nil
	}
	l.mu.Unlock()

	max = int(min(int64(max), size-from)) // the store may have the end already
	p, err := l.fetch(ctx, from, max)
	if err != nil {
		return dst, false, fmt.Errorf("read stored log: %w", err)
	}
	if len(p) == 0 || len(p) > max {
		return dst, false, fmt.Errorf("read stored log: %d bytes at offset %d of %d", len(p), from, size)
	}
	return append(dst, p...), closed && from+int64(len(p)) == size, nil
}

// held is the offset from which on the bytes are in memory.
func (l *Log) held() int64 {
	if len(l.blocks) == 0 {
		return l.size
	}
	return l.blocks[0].from
}

// copy appends bytes in memory to dst.
func (l *Log) copy(dst []byte, from int64, max int) ([]byte, int) {
	n := 0
	for _, b := range l.blocks {
		end := b.from + int64(len(b.p))
		if end <= from || n == max {
			continue
		}
		p := b.p[from-b.from:]
		if len(p) > max-n {
			p = p[:max-n]
		}
		dst = append(dst, p...)
		n += len(p)
		from += int64(len(p))
	}
	return dst, n
}

// start sets the reply's Content-Type, before the first byte.
func (l *Log) start(contentType string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.contentType = contentType
}

// reserve returns room for the next bytes, which commit then makes part of the
// log. Only the appender may call the two.
func (l *Log) reserve(ms int64) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	size := minBlock
	if n := len(l.blocks); n > 0 {
		b := l.blocks[n-1]
		if cap(b.p)-len(b.p) >= minFree {
			return b.p[len(b.p):cap(b.p)]
		}
		// A block that filled at once calls for a larger one, a slow one for
		// a smaller.
		size = cap(b.p)
		switch age := ms - b.born; {
		case age < linger/2 && size < maxBlock:
			size *= 2
		case age > 4*linger && size > minBlock:
			size /= 2
		}
	}
	b := l.pool.get(size)
	b.from, b.born, b.last = l.size, ms, ms
	l.blocks = append(l.blocks, b)
	return b.p[:size]
}

// commit adds the first n bytes of what reserve gave, come at ms after the
// run's start, and wakes the readers. It returns how many bytes the store does
// not have yet.
func (l *Log) commit(n int, ms int64) (backlog int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.blocks[len(l.blocks)-1]
	b.p = b.p[:len(b.p)+n]
	b.last = ms
	l.size += int64(n)
	if k := len(l.times); k > l.barrier && l.times[k-1].ms == uint32(ms) {
		l.times[k-1].len += uint32(n)
	} else {
		l.times = append(l.times, read{ms: uint32(ms), len: uint32(n)})
	}
	if l.guard == nil || l.guard.grown(l) {
		l.notify()
	}
	return l.size - l.stored
}

// close ends the log: it is complete.
func (l *Log) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.notify()
}

// unstored appends to dst the bytes that the store does not have, at most max
// of them unless one read brought more, and gives their offset and encoded
// times. They stay in memory until markStored; abandonFlush gives the flush up.
func (l *Log) unstored(dst []byte, max int) (from int64, p, times []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for l.barrier = 0; l.barrier < len(l.times); l.barrier++ {
		k := int(l.times[l.barrier].len)
		if n > 0 && n+k > max {
			break
		}
		n += k
	}
	p, _ = l.copy(slices.Grow(dst, n), l.stored, n)
	return l.stored, p, appendTimes(nil, l.storedMS, l.times[:l.barrier])
}

// backlog is how many bytes the store does not have yet.
func (l *Log) backlog() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size - l.stored
}

// abandonFlush gives up a flush: its bytes are tried again with the next.
func (l *Log) abandonFlush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.barrier = 0
	l.poke()
}

// markStored says, at ms after the run's start, that the store has the n bytes
// that unstored gave, and lets go of what is no longer needed in memory.
func (l *Log) markStored(n int, ms int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stored += int64(n)
	if l.guard != nil && l.stored > l.guard.shown {
		l.notify()
	}
	if l.barrier > 0 {
		l.storedMS = l.times[l.barrier-1].ms
	}
	l.times = append(l.times[:0], l.times[l.barrier:]...)
	l.barrier = 0
	l.release(ms)
	l.poke()
}

// release drops the blocks that the store has, but for the last moment of a
// log that still grows, and for the block that grows.
func (l *Log) release(ms int64) {
	drop := 0
	for ; drop < len(l.blocks); drop++ {
		b := l.blocks[drop]
		if b.from+int64(len(b.p)) > l.stored {
			break
		}
		if !l.closed && (drop == len(l.blocks)-1 || ms-b.last < linger) {
			break
		}
	}
	if drop > 0 {
		for _, b := range l.blocks[:drop] {
			l.pool.put(b)
		}
		n := copy(l.blocks, l.blocks[drop:])
		clear(l.blocks[n:])
		l.blocks = l.blocks[:n]
	}
}

// poke tells an appender that waits for the store to look again.
func (l *Log) poke() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// unstoredEnd appends to dst what a closed log has beyond its stored bytes, and
// gives the encoded times of that.
func (l *Log) unstoredEnd(dst []byte) (p, times []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	p, _ = l.copy(dst, l.stored, int(l.size-l.stored))
	return p, appendTimes(nil, l.storedMS, l.times)
}

// sizes are the lengths of the whole log and of what is stored of it.
func (l *Log) sizes() (size, stored int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.size, l.stored
}

// allStored says that the store has the whole of a closed log.
func (l *Log) allStored() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.blocks {
		l.pool.put(b)
	}
	l.stored, l.times, l.blocks = l.size, nil, nil
	if l.guard != nil {
		l.notify()
	}
}
