package shown

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"time"

	"screentest/shared/wire"
)

const (
	// takenWithin is how long a viewer may take for some events, and beatEvery how
	// often one hears that the stream is alive.
	takenWithin = 15 * time.Second
	beatEvery   = 15 * time.Second
	endWithin   = 500 * time.Millisecond
)

// What a stream says beside its patches: gone, that the share is not to be seen any
// more; again, that the page has to be loaded again to go on.
const (
	eventGone  = "event: gone\ndata: {}\n\n"
	eventAgain = "event: again\ndata: {}\n\n"
)

// ServeLive answers GET /s/{key}/live with a stream of patches, from the one behind
// Last-Event-ID, or from=… in the query.
func (s *Service) ServeLive(w http.ResponseWriter, r *http.Request, v Viewer) error {
	if !s.admitted(w, r, v) {
		return nil
	}
	key := r.PathValue("key")
	made, err := s.making(r.Context())
	if err != nil {
		return err
	}
	seen, err := s.Sights.See(r.Context(), key, v.Owner)
	made()
	if err != nil {
		return err
	}
	if !seen.Live {
		return fs.ErrNotExist
	}
	if r.Method == http.MethodHead {
		private(w.Header())
		return nil
	}
	leave, ok := s.enter("", "share "+seen.Share, "address "+Viewer{Address: v.Address}.who())
	if !ok {
		return &wire.Problem{Code: "too_many_viewers", Status: http.StatusServiceUnavailable, RetryAfterMS: 30_000,
			Message: "Too many people follow shared pages at the moment.", Hint: "What there is can be read; load the page again for what is new."}
	}
	defer leave()
	sh, away, err := s.showOf(key, seen)
	if err != nil {
		return err
	}
	defer away()
	out := &stream{w: w, conn: http.NewResponseController(w)}
	begun := false
	gone, err := s.held(r, key, seen, v, func(ctx context.Context) {
		h := w.Header()
		private(h)
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("X-Accel-Buffering", "no")
		w.WriteHeader(http.StatusOK)
		begun = true
		from := r.Header.Get("Last-Event-ID")
		if from == "" {
			from = r.URL.Query().Get("from")
		}
		// Who reads slowly doesn't hold up the end.
		defer context.AfterFunc(ctx, func() { _ = out.conn.SetWriteDeadline(time.Now().Add(endWithin)) })()
		out.ctx = ctx
		out.follow(ctx, s.life, sh, from)
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), err != nil && !begun:
		return err
	case gone && !begun:
		return fs.ErrNotExist
	case gone:
		out.send([]byte(eventGone))
	default: // of a session that has ended, perhaps; else nobody reads it
		out.send([]byte(eventAgain))
	}
	out.done()
	return nil
}

// A stream is one viewer's connection.
type stream struct {
	w    http.ResponseWriter
	conn *http.ResponseController
	ctx  context.Context // that ends it; nil: before it has begun
}

// send writes some events. A viewer who doesn't take them is hung up on; their page
// comes back for the rest.
func (o *stream) send(p []byte) bool {
	within := takenWithin
	if o.ctx != nil && o.ctx.Err() != nil {
		within = endWithin
	}
	_ = o.conn.SetWriteDeadline(time.Now().Add(within)) // where it can't be set, the number is bounded
	if _, err := o.w.Write(p); err != nil {
		return false
	}
	return o.conn.Flush() == nil
}

// done leaves the connection for the next request.
func (o *stream) done() { _ = o.conn.SetWriteDeadline(time.Time{}) }

// follow sends a viewer what comes after an event, until ctx is done or there is no
// more of it.
func (o *stream) follow(ctx, life context.Context, sh *show, from string) {
	select {
	case <-sh.ready:
	case <-ctx.Done():
		return
	}
	next, ok := sh.after(from)
	if !ok {
		return
	}
	if !o.send([]byte("retry: 2000\n: here\n\n")) {
		return
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	var p []byte
	for {
		var wake <-chan struct{}
		var lost bool
		p, next, wake, lost = sh.since(p[:0], next)
		switch {
		case ctx.Err() != nil:
			return
		case lost:
			return
		case len(p) > 0:
			if !o.send(p) {
				return
			}
			continue
		}
		select {
		case <-wake:
		case <-beat.C:
			if !o.send([]byte(": beat\n\n")) {
				return
			}
		case <-ctx.Done():
			return
		case <-life.Done():
			return
		}
	}
}
