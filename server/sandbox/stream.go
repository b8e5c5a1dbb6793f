package sandbox

import (
	"net/http"
	"time"
)

const (
	// writeTimeout is how long a client may leave a stream unread before the
	// connection is broken.
	writeTimeout = 2 * time.Minute
	// pingEvery is how long a stream is silent before it sends a comment.
	pingEvery = 5 * time.Second
)

// stream writes server-sent events, each with a flush of its own. The first
// error ends it: whoever writes may go on, and asks ok now and then.
type stream struct {
	w       http.ResponseWriter
	flusher interface{ FlushError() error }
	rc      *http.ResponseController
	sleep   sleeper
	pace    pace
	start   time.Time
	last    time.Time // of the latest renewal of the deadline
	buf     []byte    // of one event
	tokens  int       // sent so far
	err     error
}

func (s *Server) newStream(c *call, p pace) *stream {
	st := &stream{w: c.w, rc: http.NewResponseController(c.w), pace: p, start: time.Now(),
		sleep: sleeper{ctx: c.r.Context(), quit: s.life.Done()}, buf: make([]byte, 0, 512)}
	st.flusher, _ = c.w.(interface{ FlushError() error })
	h := c.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	c.record.answered(http.StatusOK, "")
	c.w.WriteHeader(http.StatusOK)
	return st
}

func (st *stream) ok() bool { return st.err == nil }

// send writes p and flushes it.
func (st *stream) send(p []byte) {
	if st.err != nil {
		return
	}
	// A deadline for every write would cost more than the write.
	if now := time.Now(); now.Sub(st.last) > writeTimeout/8 {
		st.last = now
		_ = st.rc.SetWriteDeadline(now.Add(writeTimeout))
		// After the deadline was set, for Close sets another.
		if st.sleep.closed() {
			st.err = errLeft
			return
		}
	}
	if _, st.err = st.w.Write(p); st.err != nil {
		return
	}
	if st.flusher != nil {
		st.err = st.flusher.FlushError()
	} else {
		st.err = st.rc.Flush()
	}
}

// wait waits until the next token is due, with comments in a long silence.
func (st *stream) wait() bool {
	if st.err != nil {
		return false
	}
	if st.pace.interval == 0 && st.tokens > 0 {
		// Flat out: nothing to wait for, and a write tells of a client that left.
		if st.tokens%256 == 0 && st.sleep.closed() {
			st.err = errLeft
			return false
		}
		st.tokens++
		return true
	}
	at := st.start.Add(st.pace.due(st.tokens))
	for time.Until(at) > pingEvery {
		if !st.sleep.until(time.Now().Add(pingEvery)) {
			st.err = errLeft
			return false
		}
		st.ping()
	}
	if !st.sleep.until(at) {
		st.err = errLeft
		return false
	}
	st.tokens++
	return true
}

func (st *stream) ping() { st.send([]byte(": PING\n\n")) }

// each sends every token of text at its time, as the event that encode
// appends, and says whether all were sent.
func (st *stream) each(text string, encode func(b []byte, token string) []byte) bool {
	for text != "" {
		n := nextToken(text)
		if !st.wait() {
			return false
		}
		st.buf = encode(st.buf[:0], text[:n])
		st.send(st.buf)
		text = text[n:]
	}
	return st.err == nil
}

// pause waits d longer before all that follows, unless the pace is flat out.
func (st *stream) pause(d time.Duration) bool {
	if st.err != nil || st.pace.interval == 0 {
		return st.err == nil
	}
	st.start = st.start.Add(d)
	if !st.sleep.until(time.Now().Add(d)) {
		st.err = errLeft
	}
	return st.err == nil
}

// silence says nothing until the client leaves, or for a bounded time.
func (st *stream) silence() {
	if st.err == nil {
		st.sleep.until(time.Now().Add(maxSilence))
	}
}
