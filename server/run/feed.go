package run

import (
	"context"
	"encoding/binary"
	"io"
	"time"
)

// A feed is a run's log as another replica reads it: frames, each of which begins
// with its kind. Numbers are varints.
const (
	frameType   = 't' // length, and the Content-Type, before the first bytes
	frameData   = 'd' // time in ms since the run's start, length, and bytes
	frameStored = 's' // the store has what is below; bytes go on from there, if that is further on
	frameReady  = 'r' // what there was when the feed began has come
	frameAlive  = 'k' // nothing is new
	frameEnd    = 'e' // the log is complete
)

const (
	// feedJoin is how long the bytes of a feed wait for each other at most: until the
	// next tick, which is the same for all of them.
	feedJoin = 4 * time.Millisecond
	// aliveEvery is how often a feed says something at least, and feedSilence after
	// how long without a word its reader takes the other replica for away.
	aliveEvery  = 2 * time.Second
	feedSilence = 3 * aliveEvery
	// maxFeed bounds one data frame, in bytes.
	maxFeed = 64 << 10
)

// feedTicks is when the ticks of feeds are counted from.
var feedTicks = time.Now()

func nextFeedTick() time.Time {
	return feedTicks.Add((time.Since(feedTicks)/feedJoin + 1) * feedJoin)
}

// Feed writes the log of a run that is under way here to w as it grows, from an
// offset on that is not beyond it, until its end or ctx's. flush is called when
// something was written. An error before the first write is a *wire.Problem: the run
// isn't here.
func (m *Manager) Feed(ctx context.Context, owner, id string, from int64, w io.Writer, flush func() error) error {
	l := m.find(key{owner, id})
	if l == nil {
		return NotFound()
	}
	if _, err := l.await(ctx); err != nil {
		return err
	}
	f := feed{log: l.log, at: from, stored: -1, buf: m.blocks.buffer()}
	defer m.blocks.giveBack(f.buf)
	news := make(chan struct{}, 1)
	l.log.Watch(news)
	defer l.log.Unwatch(news)
	alive := time.NewTimer(aliveEvery)
	defer alive.Stop()
	for ready := false; ; {
		over := f.next()
		if m.abandoned.Load() {
			return errGone
		}
		if !over && len(*f.buf) >= maxFeed {
			if _, err := w.Write(*f.buf); err != nil {
				return err
			}
			continue // it is far behind: the next stretch follows at once
		}
		if !ready {
			*f.buf, ready = append(*f.buf, frameReady), true
		}
		if over {
			*f.buf = append(*f.buf, frameEnd)
		}
		if len(*f.buf) > 0 {
			if _, err := w.Write(*f.buf); err != nil {
				return err
			}
			if err := flush(); err != nil || over {
				return err
			}
		}
		next := nextFeedTick()
		alive.Reset(aliveEvery)
		*f.buf = (*f.buf)[:0]
		select {
		case <-news:
		case <-alive.C:
			f.alive = true
			continue
		case <-ctx.Done():
			return ctx.Err()
		}
		// What comes until then goes together, and wakes nobody.
		if wait := time.Until(next); wait > 0 {
			alive.Reset(wait)
			select {
			case <-alive.C:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
}

// feed is how far a log is written.
type feed struct {
	log    *Log
	at     int64
	stored int64 // as it was told
	typed  bool
	alive  bool // something is to be said
	buf    *[]byte
}

// next puts the next stretch into buf.
func (f *feed) next() (over bool) {
	b := (*f.buf)[:0]
	l := f.log
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := l.visible()
	if !f.typed && l.contentType != "" {
		f.typed = true
		b = append(binary.AppendUvarint(append(b, frameType), uint64(len(l.contentType))), l.contentType...)
	}
	if f.stored != l.stored && l.stored <= seen {
		f.stored = l.stored
		f.at = max(f.at, f.stored)
		b = binary.AppendUvarint(append(b, frameStored), uint64(f.stored))
	}
	if n := int(min(seen-f.at, maxFeed)); n > 0 {
		b = binary.AppendUvarint(append(b, frameData), uint64(l.lastOf(f.at+int64(n))))
		b = binary.AppendUvarint(b, uint64(n))
		b, _ = l.copy(b, f.at, n)
		f.at += int64(n)
	}
	if f.alive && len(b) == 0 {
		b = append(b, frameAlive)
	}
	f.alive = false
	*f.buf = b
	return l.over() && f.at >= seen
}

// lastOf is when the last of the bytes below to had come, in ms. The lock is held.
func (l *Log) lastOf(to int64) (ms int64) {
	for _, b := range l.blocks {
		if ms = b.last; b.from+int64(len(b.p)) >= to {
			break
		}
	}
	return ms
}
