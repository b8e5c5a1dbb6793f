package inspect

import (
	"screentest/shared/gateway"
	"screentest/shared/reply"
)

// Replay reads a log once more, at the pace at which it came. Nothing is sent
// for it.
type Replay struct {
	log    *Log
	reader *reply.Reader
	ms     float64 // where it is, since the run's start
	at     int64   // byte
	next   int     // of log.times
	over   bool
}

// replayStep bounds the bytes read at once, so that a frame stays short.
const replayStep = 64 << 10

// NewReplay returns a replay of a log that has ended, at its beginning.
func NewReplay(l *Log, ep gateway.Endpoint) *Replay {
	return &Replay{log: l, reader: reply.NewReader(ep, l.ContentType)}
}

// Answer is what the log has said so far.
func (r *Replay) Answer() *reply.Answer { return r.reader.Answer() }

// Over says that the replay is at its end.
func (r *Replay) Over() bool { return r.over }

// MS is where the replay is, in milliseconds since the run's start.
func (r *Replay) MS() int64 { return int64(r.ms) }

// At is how many bytes were given.
func (r *Replay) At() int64 { return r.at }

// Advance goes on by ms milliseconds of the recorded time.
func (r *Replay) Advance(ms float64) {
	r.ms += ms
	to, times := r.at, r.log.times
	for r.next < len(times) && times[r.next].ms <= int64(r.ms) {
		to = times[r.next].end
		r.next++
	}
	if r.next == len(times) {
		to = r.log.Len() // what has no time comes with the last that has
	}
	r.give(to)
}

// Hurry goes on as fast as can be: by one step, to be called until Over.
func (r *Replay) Hurry() {
	r.give(min(r.at+replayStep, r.log.Len()))
	if ms, ok := r.log.MS(r.at); ok {
		r.ms = max(r.ms, float64(ms))
	}
}

func (r *Replay) give(to int64) {
	if to = min(to, r.log.Len()); to > r.at {
		r.reader.Push(r.log.raw[r.at:to])
		r.at = to
	}
	if r.at == r.log.Len() && !r.over {
		r.reader.Close()
		r.over = true
	}
}
