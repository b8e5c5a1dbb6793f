package bff

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/coder/websocket"

	"screentest/shared/wire"
)

const (
	// headRoom is the room that the header of a frame is built in, in front of
	// the log's bytes, so that these are copied once. It has a run's id, an
	// offset, and a Content-Type of at most 128 bytes, of each of which JSON
	// may make six.
	headRoom = 1 << 10
	// maxFrame is what a buffer for the largest frame holds, with the few bytes
	// that the WebSocket puts in front of it.
	maxFrame = headRoom + wire.MaxLogFrame
	// joinFor is how long frames of one socket wait for each other at most: until
	// the next tick. The first bytes after a pause of that length go at once, so a
	// stream at a reading pace is not delayed; what follows within it goes together.
	// It was longer, up to 33 ms, while the processors were busy: at a load of 25 on
	// two processors BenchmarkRelayPaced took 28.5 CPU-seconds per million chunks
	// without that and 27.4 with it, which is less than what two runs differ by, and
	// the flat-out one the same.
	joinFor = 8 * time.Millisecond
	// maxGather bounds what is gathered for one write to the network, but for
	// the last part of it.
	maxGather = maxFrame
)

// cursor is how far a socket has read a run's log.
type cursor struct {
	run string
	log Log
	at  int64
}

// write sends what there is to send, until the socket ends.
func (k *socket) write() {
	defer k.ws.CloseNow() // so that the reader ends too
	var next time.Time    // when log bytes may be sent again
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	wake := k.wake
	for {
		select {
		case <-k.mail:
		case <-wake:
		case <-timer.C:
			wake = k.wake
		case <-k.gone:
			return
		}
		b := k.take()
		if wake != nil {
			if now := time.Now(); now.Before(next) {
				// What comes until then goes together, and needs no waking.
				timer.Reset(next.Sub(now))
				wake = nil
			}
		}
		if wake == nil {
			b.cursors = nil // it is not time yet
		}
		sent, err := b.send()
		if err != nil {
			k.s.Logger.Debug("socket not written", "err", err)
			return
		}
		if b.failed != nil {
			k.s.Logger.Info("socket closed", "reason", b.failed.Reason)
			_ = k.ws.Close(b.failed.Code, b.failed.Reason)
			return
		}
		if sent {
			next = nextTick()
		}
	}
}

// ticks is when the ticks of nextTick are counted from.
var ticks = time.Now()

// nextTick is when log bytes may be sent again: at moments that are the same for
// all sockets, so that the processor wakes once for many of them. With each socket
// waiting from its own last write, 300 streams of 50/s took 8 % more of it, and
// came 1.6 ms later at the 99th percentile.
func nextTick() time.Time {
	return ticks.Add((time.Since(ticks)/joinFor + 1) * joinFor)
}

// batch is what is sent with one write to the network. Messages and cursors
// are taken together: the answer to a read is always ahead of its first bytes.
type batch struct {
	k       *socket
	msgs    [][]byte
	cursors []*cursor
	failed  *websocket.CloseError
	buf     *[]byte
	n       int // about as many bytes are gathered
}

func (k *socket) take() batch {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case k.room <- struct{}{}:
	default:
	}
	k.scratch = append(k.scratch[:0], k.cursors...)
	return batch{k: k, msgs: k.mailbox.take(), cursors: k.scratch, failed: k.failed}
}

// send sends the messages and a frame for every run that has something new.
// logs says that the frames of logs should wait before the next ones.
func (b *batch) send() (logs bool, err error) {
	for i, msg := range b.msgs {
		if b.msgs[i] = nil; len(msg) > maxGather {
			// Gathering would copy it, and the buffer would stay.
			if err := b.flush(); err != nil {
				return false, err
			}
		} else if err := b.gather(len(msg)); err != nil {
			return false, err
		}
		if err := b.k.ws.Write(context.Background(), websocket.MessageText, msg); err != nil {
			return false, errors.Join(err, b.flush())
		}
	}
	more := false
	for _, c := range b.cursors {
		size, closed := c.log.Size()
		if size <= c.at && !closed {
			continue
		}
		c.at = min(c.at, size)
		n := int(min(size-c.at, wire.MaxLogFrame))
		if err := b.gather(headRoom + n); err != nil {
			return false, err
		}
		end, err := b.sendLog(c, n)
		if err != nil {
			return false, errors.Join(err, b.flush())
		}
		logs = true
		if end {
			b.k.endCursor(c)
		} else if n == wire.MaxLogFrame {
			more = true
		}
	}
	if err := b.flush(); err != nil {
		return false, err
	}
	b.k.sent()
	if more {
		// Far behind: the next stretch follows as fast as the browser takes it.
		select {
		case b.k.wake <- struct{}{}:
		default:
		}
		return false, nil
	}
	return logs, nil
}

// gather has the next n bytes gathered, with those before them unless these are
// enough, in a buffer that fits the first of them.
func (b *batch) gather(n int) error {
	if b.n > maxGather {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.n += n
	if b.buf == nil {
		const head = 16 // of a WebSocket frame
		b.buf = b.k.s.buffers.get(n + head)
		b.k.conn.gather(*b.buf)
	}
	return nil
}

func (b *batch) flush() error {
	if b.buf == nil {
		return nil
	}
	p, err := b.k.conn.flush()
	if cap(p) > cap(*b.buf) {
		*b.buf = p // it has grown
	}
	b.k.s.buffers.put(b.buf)
	b.buf, b.n = nil, 0
	return err
}

// sendLog sends the next frame of a run, of about n bytes.
func (b *batch) sendLog(c *cursor, n int) (end bool, err error) {
	buf := b.k.s.buffers.get(headRoom + n)
	defer b.k.s.buffers.put(buf)
	p, end, err := c.log.Read(context.Background(), (*buf)[:headRoom], c.at, max(n, 1))
	if err != nil {
		b.k.s.Logger.Error("log not read", "run", c.run, "at", c.at, "err", err)
		return false, err
	}
	head := wire.LogFrame{Run: c.run, From: c.at, End: end}
	if c.at == 0 {
		head.Type = c.log.ContentType()
	}
	var room [headRoom]byte
	line, err := wire.AppendLogFrame(room[:0], head, nil)
	if err != nil {
		return false, err
	}
	if len(line) > headRoom {
		return false, fmt.Errorf("header of a log frame: %d bytes", len(line))
	}
	start := headRoom - len(line)
	copy(p[start:], line)
	c.at += int64(len(p) - headRoom)
	return end, b.k.ws.Write(context.Background(), websocket.MessageBinary, p[start:])
}
