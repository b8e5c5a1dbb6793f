package run

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"screentest/shared/wire"
)

// An end that can't be stored, as on a full disk, is offered to the store again
// for as long as the process lives: after settleFirst at first, then after twice
// as long each time, up to settleMost. Until then the run is among those under
// way: its text is read from memory, and what was reserved for it stays so.
const (
	settleFirst = 100 * time.Millisecond
	settleMost  = 30 * time.Second
	// lastSettles is how often that is done once the Manager is being closed.
	lastSettles = 4
)

// settle stores the end of a run whose log is closed; cause says why it
// closed, nil being the end of the reply.
func (l *live) settle(cause error) {
	m := l.m
	<-l.turn // the run's row is there to be ended
	r := l.started
	r.ContentType = l.log.ContentType()
	r.DurationMS = l.ms()
	left := lastSettles
	for try, pause := 1, settleFirst; ; try, pause = try+1, min(2*pause, settleMost) {
		ended, err := l.storeEnd(r, cause)
		if try == 1 && cause != nil && ended.Problem != nil {
			m.Logger.Info("run ended early", "run", r.ID, "state", ended.State, "code", ended.Problem.Code, "err", cause)
		}
		if err == nil {
			if try > 1 {
				m.Logger.Info("end of run stored after all", "run", r.ID, "tries", try)
			}
			l.release()
			m.drop(l)
			m.Changed(l.key.owner, ended)
			m.Stored(l.key.owner, r.Conversation)
			if try == 1 {
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
			time.Sleep(settleFirst << (lastSettles - 1 - left))
			continue
		}
		select {
		case <-time.After(pause):
		case <-m.closing.Done():
		}
	}
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

// unstored is what a person reads of an end that could not be stored.
func unstored(err error) wire.Problem {
	why, todo := "its database could not be written.", "its log has the details, and d"
	var p *wire.Problem
	if errors.As(err, &p) && p.Code == "disk_full" {
		why, todo = "its disk is full.", "free some space there, and d"
	}
	return wire.Problem{
		Code:    "not_stored_yet",
		Message: "The answer has ended, but the server could not store it yet: " + why,
		Hint:    "The server keeps it in memory and tries again by itself: " + todo + "o not end the server before.",
	}
}

// roomForUnstored says whether one more run may begin to hold text in memory.
// There is no room while ends can't be stored and all logs together hold too
// much. The lock is held.
func (m *Manager) roomForUnstored() *wire.Problem {
	ends := 0
	var n int64
	for _, l := range m.live {
		if l.ended.Load() != nil {
			ends++
		}
		n += l.log.backlog()
	}
	if ends == 0 || n < m.MaxUnstored {
		return nil
	}
	return &wire.Problem{Code: "disk_full",
		Message: "The server could not store the answers that came last, so it takes no new ones.",
		Hint:    "Free some space on the server's disk. What came is kept in its memory, and stored then."}
}

// tooMuchUnstored says whether a run whose log can't be written must end: for
// its own sake, or because all of them hold too much.
func (l *live) tooMuchUnstored() bool {
	if l.log.backlog() > maxBacklog {
		return true
	}
	var n int64
	for _, l := range l.m.all(nil) {
		n += l.log.backlog()
	}
	return n > l.m.MaxUnstored
}

// sayEvery is how often what goes wrong again and again is said in the log.
const sayEvery = time.Minute

// A complaint goes into the log when it is made first, and then once in
// sayEvery with how often it was made.
type complaint struct {
	mu    sync.Mutex
	said  time.Time
	times int // since then
}

func (c *complaint) say(log *slog.Logger, now time.Time, msg string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.times++
	if !c.said.IsZero() && now.Sub(c.said) < sayEvery {
		return
	}
	log.Error(msg, append(args, "times", c.times)...)
	c.said, c.times = now, 0
}
