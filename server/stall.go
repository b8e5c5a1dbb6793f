package main

import (
	"io"
	"net"
	"sync/atomic"
	"time"
)

// How slowly a browser may take an answer before it is hung up on: else anybody
// could keep as many as they like, with what the system holds for each, by asking
// and not reading. A player that is paused for longer asks for the rest anew.
const (
	stepWithin = 5 * time.Minute
	takenStep  = 256 << 10 // bytes
)

// unstalled hangs up on connections that stand still, or nearly, in mid-answer.
type unstalled struct{ net.Listener }

func (l unstalled) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &movingConn{Conn: c}, nil
}

// movingConn is a connection whose writes end when they are taken too slowly.
// Whoever sets a deadline of their own, such as a socket, minds it alone.
type movingConn struct {
	net.Conn
	minded atomic.Bool
}

func (c *movingConn) move() error {
	if c.minded.Load() {
		return nil
	}
	return c.Conn.SetWriteDeadline(time.Now().Add(stepWithin))
}

func (c *movingConn) Write(p []byte) (n int, err error) {
	for {
		if err := c.move(); err != nil {
			return n, err
		}
		k, err := c.Conn.Write(p[n:min(n+takenStep, len(p))])
		if n += k; err != nil || n == len(p) {
			return n, err
		}
	}
}

// ReadFrom sends a file as the system does it best, where it can.
func (c *movingConn) ReadFrom(r io.Reader) (n int64, err error) {
	from, rest := r, int64(1<<63-1)
	if l, is := r.(*io.LimitedReader); is { // in front of a file; another in front of it would hide that
		from, rest = l.R, l.N
		defer func() { l.N -= n }()
	}
	for rest > 0 {
		if err := c.move(); err != nil {
			return n, err
		}
		step := min(rest, takenStep)
		k, err := io.Copy(c.Conn, &io.LimitedReader{R: from, N: step})
		n, rest = n+k, rest-k
		if err != nil || k < step {
			return n, err
		}
	}
	return n, nil
}

func (c *movingConn) SetWriteDeadline(t time.Time) error {
	c.minded.Store(!t.IsZero())
	return c.Conn.SetWriteDeadline(t)
}

func (c *movingConn) SetDeadline(t time.Time) error {
	c.minded.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
}
