package run

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"
	"time"

	"screentest/shared/wire"
)

const (
	// mirrorFor is how long a mirror goes on without a reader.
	mirrorFor = 5 * time.Second
	// Pauses between two tries to reach the replica that holds a run.
	firstMirrorPause = 250 * time.Millisecond
	maxMirrorPause   = time.Second
	// mirrorWait bounds how long Open waits for what the other replica has.
	mirrorWait = 2 * time.Second
)

// mirrors are the runs of other replicas that are read here.
type mirrors struct {
	m    *Manager
	life context.Context
	end  context.CancelFunc
	work sync.WaitGroup

	mu     sync.Mutex
	closed bool
	all    map[key]*mirror
}

func (s *mirrors) start(m *Manager) {
	s.m, s.all = m, map[key]*mirror{}
	s.life, s.end = context.WithCancel(context.Background())
}

func (s *mirrors) stop() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.work.Wait()
}

// mirror is the log of a run that another replica holds, as far as it is there. One
// goroutine follows it for all readers; while there are none it ends, and begins
// again with the next. Where the other replica can't be reached the log is what is
// stored; when the run has ended in the store, the log has.
type mirror struct {
	of    *mirrors
	key   key
	log   *Log
	ready chan struct{} // closed when it has what there was, or there is nobody to ask
	once  sync.Once

	// With the lock of mirrors.
	running, ended bool
	read           time.Time // when there was a reader last
}

// open gives the log of a run, once it has what the other replica had.
func (s *mirrors) open(ctx context.Context, k key, r wire.Run) *Log {
	s.mu.Lock()
	x := s.all[k]
	if x == nil {
		x = &mirror{of: s, key: k, log: newLog(s.m.fetcher(k), &s.m.blocks), ready: make(chan struct{})}
		x.log.size, x.log.stored, x.log.contentType = r.Bytes, r.Bytes, r.ContentType
		x.log.watched = x.wanted
		s.all[k] = x
	}
	s.mu.Unlock()
	x.wanted()
	enough := time.NewTimer(mirrorWait)
	defer enough.Stop()
	select {
	case <-x.ready:
	case <-enough.C:
	case <-ctx.Done():
	}
	return x.log
}

// wanted has the log followed.
func (x *mirror) wanted() {
	s := x.of
	s.mu.Lock()
	defer s.mu.Unlock()
	x.read = time.Now()
	if !x.running && !x.ended && !s.closed {
		x.running = true
		s.work.Go(x.run)
	}
}

// idle ends following where nobody reads.
func (x *mirror) idle() bool {
	s := x.of
	s.mu.Lock()
	defer s.mu.Unlock()
	switch now := time.Now(); {
	case x.log.isWatched():
		x.read = now
		return false
	case now.Sub(x.read) < mirrorFor:
		return false
	}
	x.forget()
	return true
}

// forget lets go of a mirror that is not followed any more. The lock is held.
func (x *mirror) forget() {
	x.running = false
	if x.of.all[x.key] == x {
		delete(x.of.all, x.key)
	}
}

// finish ends the log.
func (x *mirror) finish() {
	x.log.close()
	x.once.Do(func() { close(x.ready) })
	x.of.mu.Lock()
	defer x.of.mu.Unlock()
	x.ended = true
	x.forget()
}

func (x *mirror) run() {
	pause := firstMirrorPause
	for {
		heard, err := x.follow()
		switch {
		case err == nil:
			x.finish()
			return
		case errors.Is(err, errIdle):
			return
		case x.of.life.Err() != nil:
			x.of.mu.Lock()
			defer x.of.mu.Unlock()
			x.forget()
			return
		case heard:
			pause = firstMirrorPause
		}
		if x.lookUp() {
			x.finish()
			return
		}
		x.once.Do(func() { close(x.ready) })
		select {
		case <-time.After(pause):
		case <-x.of.life.Done():
		}
		pause = min(2*pause, maxMirrorPause)
		if x.idle() {
			return
		}
	}
}

var errIdle = errors.New("nobody reads it")

// lookUp goes on with what is stored, and says whether that is all.
func (x *mirror) lookUp() (ended bool) {
	r, err := x.of.m.Store.Run(x.of.life, x.key.owner, x.key.run)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist)
	}
	if r.ContentType != "" {
		x.log.start(r.ContentType)
	}
	x.log.storedTo(r.Bytes, 0)
	return r.State != wire.Running
}

// follow takes what the other replica sends, until the log's end. heard says whether
// it was reached.
func (x *mirror) follow() (heard bool, err error) {
	ctx, cancel := context.WithCancel(x.of.life)
	defer cancel()
	size, _ := x.log.sizes()
	body, err := x.of.m.Elsewhere.Feed(ctx, x.key.owner, x.key.run, size)
	if err != nil {
		return false, err
	}
	defer body.Close()
	silent := time.AfterFunc(feedSilence, cancel)
	defer silent.Stop()
	in := feedReader{bufio.NewReaderSize(body, 4<<10), x.log}
	for {
		kind, err := in.frame()
		if err != nil {
			return heard, fmt.Errorf("read the log of run %s from another replica: %w", x.key.run, err)
		}
		heard = true
		silent.Reset(feedSilence)
		switch kind {
		case frameReady:
			x.once.Do(func() { close(x.ready) })
		case frameEnd:
			return true, nil
		}
		if x.idle() {
			return true, errIdle
		}
	}
}

// feedReader puts a feed into a log.
type feedReader struct {
	*bufio.Reader
	log *Log
}

func (r feedReader) frame() (kind byte, err error) {
	if kind, err = r.ReadByte(); err != nil {
		return 0, err
	}
	switch kind {
	case frameType:
		n, err := r.number(maxContentType)
		if err != nil {
			return 0, err
		}
		p := make([]byte, n)
		if _, err := io.ReadFull(r, p); err != nil {
			return 0, err
		}
		r.log.start(string(p))
	case frameStored:
		n, err := r.number(1 << 62)
		if err != nil {
			return 0, err
		}
		r.log.storedTo(n, r.log.lastMS())
	case frameData:
		ms, err := r.number(1<<32 - 1)
		if err != nil {
			return 0, err
		}
		n, err := r.number(maxFeed)
		for err == nil && n > 0 {
			room := r.log.reserve(ms)
			var got int
			if got, err = io.ReadFull(r, room[:min(n, int64(len(room)))]); got > 0 {
				r.log.commit(got, ms)
			}
			n -= int64(got)
		}
		return kind, err
	case frameReady, frameAlive, frameEnd:
	default:
		return 0, fmt.Errorf("a frame of the kind %q", kind)
	}
	return kind, nil
}

func (r feedReader) number(most uint64) (int64, error) {
	n, err := binary.ReadUvarint(r)
	if err == nil && n > most {
		err = fmt.Errorf("the number %d where %d is the most", n, most)
	}
	return int64(n), err
}

// storedTo says, at ms after the run's start, that the store has what is below to,
// which may be more than there is here.
func (l *Log) storedTo(to, ms int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case to <= l.stored:
		return
	case to > l.size:
		for _, b := range l.blocks {
			l.pool.put(b)
		}
		l.blocks, l.times, l.size, l.stored = nil, nil, to, to
		l.notify()
		return
	}
	n := to - l.stored
	for n > 0 && len(l.times) > 0 {
		first := &l.times[0]
		l.storedMS = first.ms
		if n < int64(first.len) {
			first.len -= uint32(n)
			break
		}
		n -= int64(first.len)
		l.times = l.times[1:]
	}
	l.stored = to
	l.release(ms)
}

// lastMS is when the last bytes came.
func (l *Log) lastMS() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lastOf(l.size)
}

// isWatched says whether anybody reads as it grows.
func (l *Log) isWatched() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.watchers) > 0
}
