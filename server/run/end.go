package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"screentest/shared/wire"
)

// Ends that are worked on at a time; each has the whole log in memory, in a
// buffer that is there for the next up to maxEndBuffer bytes.
const (
	maxEnding    = 4
	maxEndBuffer = 4 << 20
)

// An end that can't be stored, as on a full disk, is offered to the store again
// for as long as the process lives: after firstRetry, then after twice as long
// each time, up to maxRetry. Until then the run is among those under way: its
// text is read from memory, and what was reserved for it stays so.
const (
	firstRetry = 100 * time.Millisecond
	maxRetry   = 30 * time.Second
	// lastTries is how often that is done once the Manager is being closed.
	lastTries = 4
)

// end ends a run: its log, and then what is stored of it. cause says why; nil
// is the end of the reply.
func (l *live) end(cause error) {
	defer l.m.calls.Done()
	defer l.cancel(errEnded)
	l.log.close()
	l.storeEnd(cause)
}

// storeEnd stores the end of a run whose log is closed, however often it has to
// try, and tells of it.
func (l *live) storeEnd(cause error) {
	m := l.m
	<-l.turn // the run's row is there to be ended
	if m.abandoned.Load() {
		l.abandon()
		return
	}
	r := l.started
	r.ContentType = l.log.ContentType()
	r.DurationMS = l.ms()
	left := lastTries
	for try, pause := 1, firstRetry; ; try, pause = try+1, min(2*pause, maxRetry) {
		ended, err := l.tryStore(r, cause)
		if try == 1 && cause != nil && ended.Problem != nil {
			m.Logger.Info("run ended early", "run", r.ID, "state", ended.State, "code", ended.Problem.Code, "err", cause)
		}
		if err == nil {
			if try > 1 {
				m.Logger.Info("end of run stored after all", "run", r.ID, "tries", try)
			}
			l.release()
			m.drop(l)
			if m.guard != nil {
				m.guard.end(l.key)
			}
			m.Changed(l.key.owner, ended)
			m.Ended(ended)
			m.Stored(l.key.owner, r.Conversation)
			if try == 1 {
				close(l.done)
			}
			return
		}
		if m.Gone(err) {
			m.Abandon()
		}
		if m.abandoned.Load() {
			if m.drop(l); try == 1 {
				close(l.done)
			}
			return
		}
		m.endUnstored.say(m.Logger, m.Now(), "end of run not stored; it is kept in memory and tried again", "run", r.ID, "err", err)
		if try == 1 {
			l.endedUnstored(ended, err)
			close(l.done)
		}
		if m.closing.Err() != nil {
			if left--; left == 0 {
				size, stored := l.log.sizes()
				m.Logger.Error("end of run not stored when the server ended", "run", r.ID, "bytes", size, "stored", stored, "err", err)
				m.lost.Add(1)
				return
			}
			time.Sleep(firstRetry << (lastTries - 1 - left))
			continue
		}
		select {
		case <-time.After(pause):
		case <-m.closing.Done():
		}
	}
}

// abandon lets go of a run that another replica goes on with.
func (l *live) abandon() {
	l.m.drop(l)
	close(l.done)
}

// endedUnstored tells how a run ended, and that this is not stored yet.
func (l *live) endedUnstored(r wire.Run, err error) {
	p := unstored(err)
	if r.Problem != nil { // what went wrong with the answer comes first
		both := *r.Problem
		both.Message += " " + p.Message
		both.Hint = p.Hint
		p = both
	}
	r.Problem = &p
	l.ended.Store(&r)
	l.m.Changed(l.key.owner, r)
}

// tryStore judges a run whose log is closed and stores its end. Where that
// fails the run it gives is what could be found out.
func (l *live) tryStore(r wire.Run, cause error) (wire.Run, error) {
	m := l.m
	buf := <-m.endBuffers
	defer func() { m.endBuffers <- buf }()
	l.flush.Lock() // a write under way ends first; there is none after it
	defer l.flush.Unlock()

	// The end must be stored although the run's own context is done.
	ctx := context.Background()
	log, times, err := l.whole(ctx, buf)
	if buf = log[:0]; cap(buf) > maxEndBuffer {
		buf = nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		// Its conversation was deleted meanwhile. What it cost is booked, as far
		// as what is left of the reply tells.
		gone := l.judged
		if gone.run.ID == "" {
			rest, times := l.log.unstoredEnd(nil)
			gone = m.judge(ctx, l.key.owner, r, rest, times, cause)
		}
		return gone.run, m.Store.FinishRun(ctx, l.key.owner, gone.run, "", nil, nil, gone.prices)
	}
	if err != nil {
		r.State = wire.Failed
		r.Problem = &wire.Problem{Code: "storage_failed", Message: "The server could not read its database to finish this answer."}
		return r, err
	}
	final := m.judge(ctx, l.key.owner, r, log, times, cause)
	if err := m.Store.FinishRun(ctx, l.key.owner, final.run, final.text, log, times, final.prices); errors.Is(err, fs.ErrExist) {
		m.Logger.Error("run has ended in the store already", "run", r.ID, "state", final.run.State, "err", err)
	} else if err != nil {
		l.judged = final
		l.judged.text = "" // it can be long
		return final.run, err
	}
	l.log.allStored()
	return final.run, nil
}

// readStep is how much of a stored log is read back at a time, in bytes.
const readStep = 1 << 20

// whole appends a closed log to buf, and gives its times: what the store has,
// and the rest.
func (l *live) whole(ctx context.Context, buf []byte) (log, times []byte, err error) {
	size, stored := l.log.sizes()
	log = slices.Grow(buf, int(size))
	for stored > int64(len(log)) {
		p, err := l.m.Store.ReadRunLog(ctx, l.key.owner, l.key.run, int64(len(log)), int(min(stored-int64(len(log)), readStep)))
		if err != nil {
			return log, nil, fmt.Errorf("read log: %w", err)
		}
		if len(p) == 0 {
			return log, nil, fmt.Errorf("read log: %d bytes are stored instead of %d", len(log), stored)
		}
		log = append(log, p...)
	}
	if stored > 0 {
		if times, err = l.m.Store.RunTimes(ctx, l.key.owner, l.key.run); err != nil {
			return log, nil, fmt.Errorf("read times: %w", err)
		}
	}
	log, rest := l.log.unstoredEnd(log)
	return log, append(times, rest...), nil
}
