package gateway

import (
	"context"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"screentest/shared/reply"
)

// body is a reply's body with a bound on silence and on size, the key masked,
// and errors in words for people.
//
// The silence is watched by one timer a body and no goroutine: a Read only
// notes when it began, and the timer looks at that when it fires.
type body struct {
	rc      io.ReadCloser
	ctx     context.Context
	cancel  context.CancelCauseFunc
	mask    mask
	left    int64 // bytes that may still come
	buf     []byte
	pending []byte // in buf: masked, for a caller with a small buffer
	err     error  // what every later Read returns

	silence time.Duration
	start   time.Time
	since   atomic.Int64 // when the Read that waits began, in ns after start; 0: none waits
	closed  atomic.Bool
	timer   *time.Timer
}

func newBody(ctx context.Context, cancel context.CancelCauseFunc, res *http.Response, silence time.Duration, most int64, m mask) *body {
	b := &body{rc: res.Body, ctx: ctx, cancel: cancel, mask: m, left: most, silence: silence, start: time.Now()}
	b.timer = time.AfterFunc(time.Hour, b.watch)
	b.timer.Reset(silence)
	return b
}

// watch ends a reply on which one Read has waited for too long.
func (b *body) watch() {
	again := b.silence
	if since := b.since.Load(); since != 0 {
		idle := time.Since(b.start) - time.Duration(since)
		if idle >= b.silence {
			b.cancel(errSilent)
			return
		}
		again -= idle
	}
	if !b.closed.Load() {
		b.timer.Reset(again)
		if b.closed.Load() {
			b.timer.Stop()
		}
	}
}

// Read reads what has come. Its error is io.EOF at the whole reply's end, else
// an [*Error], which wraps the cause when the caller's context has ended.
func (b *body) Read(p []byte) (int, error) {
	if len(b.pending) > 0 {
		n := copy(p, b.pending)
		b.pending = b.pending[n:]
		return n, nil
	}
	if b.err != nil || len(p) == 0 {
		return 0, b.err
	}
	if len(p) > 2*len(b.mask.key) {
		n := b.fill(p)
		if n > 0 {
			return n, nil
		}
		return 0, b.err
	}
	if b.buf == nil {
		b.buf = make([]byte, 2*len(b.mask.key)+512)
	}
	b.pending = b.buf[:b.fill(b.buf)]
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	if n > 0 {
		return n, nil
	}
	return 0, b.err
}

// fill reads until there is something that may go on, or an end.
func (b *body) fill(p []byte) int {
	for {
		have := copy(p, b.mask.held)
		b.mask.held = b.mask.held[:0]
		b.since.Store(max(1, int64(time.Since(b.start))))
		n, err := b.rc.Read(p[have:])
		b.since.Store(0)
		if int64(n) > b.left {
			n, err = int(b.left), errTooLong
		}
		b.left -= int64(n)
		if err != nil {
			b.err = b.explain(err)
		}
		if n = b.mask.cover(p[:have+n], err != nil); n > 0 || err != nil {
			return n
		}
	}
}

func (b *body) explain(err error) error {
	switch err {
	case io.EOF:
		return io.EOF
	case errTooLong:
		return &Error{Problem: reply.NewProblem(reply.CodeTooLong, ""), Err: err}
	}
	return callError(b.ctx, "read the gateway's reply", reply.CodeDropped, err, true)
}

// Close ends the reply, also while a Read waits.
func (b *body) Close() error {
	if b.closed.Swap(true) {
		return nil
	}
	b.timer.Stop()
	b.cancel(context.Canceled)
	return b.rc.Close()
}
