package run

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"screentest/shared/wire"
)

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

// hungAfter is how long a store may take for a write while all logs together hold too
// much: a database that is away says so only after it was waited for.
const hungAfter = 5 * time.Second

// endHung ends the runs whose log could not be written for so long.
func endHung(all []*live) {
	for _, l := range all {
		if since := l.asked.Load(); since > 0 && l.ms()+1-since > hungAfter.Milliseconds() {
			p := notStored()
			l.cancel(&p)
		}
	}
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
