package bff

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"sync"
	"time"
)

// Sizes of a socket's own buffers, in bytes. net/http's are 4 KiB each, which
// is most of what an idle socket would cost; what is larger than these is read
// and written directly.
const (
	readBuffer  = 512
	writeBuffer = 256
)

const (
	// writeTimeout is how long a write may wait for the browser.
	writeTimeout = 45 * time.Second
	// writeMargin is how much less it may be: the deadline is renewed only
	// once it has come nearer than that, for renewing costs as much as a frame.
	writeMargin = 15 * time.Second
)

// conn is a hijacked connection. Between gather and flush what is written is
// gathered, so that several frames, and the pieces of one, are one write to the
// network.
type conn struct {
	net.Conn

	mu        sync.Mutex
	gathering bool
	gathered  []byte
	deadline  time.Time

	// head is what the browser had sent before the connection was taken over.
	head []byte
}

func (c *conn) Read(p []byte) (int, error) {
	if len(c.head) > 0 {
		n := copy(p, c.head)
		if c.head = c.head[n:]; len(c.head) == 0 {
			c.head = nil
		}
		return n, nil
	}
	return c.Conn.Read(p)
}

func (c *conn) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.gathering {
		c.gathered = append(c.gathered, p...)
		return len(p), nil
	}
	return c.write(p)
}

// write writes p in steps, so that a long message may take its time as long as
// it moves.
func (c *conn) write(p []byte) (n int, err error) {
	const step = 64 << 10
	for {
		k, err := c.step(p[n:min(n+step, len(p))])
		if n += k; err != nil || n == len(p) {
			return n, err
		}
	}
}

func (c *conn) step(p []byte) (int, error) {
	if now := time.Now(); c.deadline.Sub(now) < writeTimeout-writeMargin {
		c.deadline = now.Add(writeTimeout)
		if err := c.Conn.SetWriteDeadline(c.deadline); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(p)
}

// gather has what is written gathered in buf until flush.
func (c *conn) gather(buf []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.gathering, c.gathered = true, buf[:0]
}

// flush writes what was gathered and gives back the buffer.
func (c *conn) flush() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	gathered := c.gathered
	c.gathering, c.gathered = false, nil
	if len(gathered) == 0 {
		return gathered, nil
	}
	_, err := c.write(gathered)
	return gathered, err
}

// hijacker hands out the connection as a conn with small buffers.
type hijacker struct {
	http.ResponseWriter
	conn *conn
}

func (h *hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	raw, rw, err := http.NewResponseController(h.ResponseWriter).Hijack()
	if err != nil {
		return nil, nil, err
	}
	sent, err := rw.Reader.Peek(rw.Reader.Buffered())
	if err != nil {
		raw.Close()
		return nil, nil, err
	}
	h.conn = &conn{Conn: raw, head: bytes.Clone(sent)}
	return h.conn, bufio.NewReadWriter(
		bufio.NewReaderSize(h.conn, readBuffer), bufio.NewWriterSize(h.conn, writeBuffer)), nil
}
