package gateway

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"screentest/server/upstream"
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
// an [*upstream.Error], which wraps the cause when the caller's context has ended.
func (b *body) Read(p []byte) (int, error) {
	for len(b.pending) == 0 {
		if b.err != nil || len(p) == 0 {
			return 0, b.err
		}
		if len(p) >= len(b.mask.held)+minRead {
			if n := b.fill(p); n > 0 {
				return n, nil
			}
			continue
		}
		b.buf = slices.Grow(b.buf[:0], len(b.mask.held)+smallRead)
		b.pending = b.buf[:b.fill(b.buf[:cap(b.buf)])]
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// Sizes of a read, in bytes: with less room than the first behind what is held
// a caller's buffer is not read into; the second is read then.
const (
	minRead   = 64
	smallRead = 512
)

// fill reads once behind what is held, which p has room for, and returns how
// much may go on.
func (b *body) fill(p []byte) int {
	have := copy(p, b.mask.held)
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
	b.mask.held = b.mask.held[:0]
	return b.mask.cover(p[:have+n], err != nil)
}

func (b *body) explain(err error) error {
	switch err {
	case io.EOF:
		return io.EOF
	case errTooLong:
		return &upstream.Error{Problem: reply.NewProblem(reply.CodeTooLong, ""), Err: err}
	}
	return callError(b.ctx, "read the gateway's reply", reply.CodeDropped, b.mask.cause(err), true)
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
