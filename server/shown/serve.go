package shown

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"screentest/server/sight"
	"screentest/shared/wire"
)

// ServePage answers GET /s/{key}. With before=… in the query it shows what was said
// before a question, with at=… what led to a message, with wire=… what one answer sent
// and got, with image=… an image of a question.
func (s *Service) ServePage(w http.ResponseWriter, r *http.Request, v Viewer) error {
	if image := r.URL.Query().Get("image"); image != "" {
		return s.serveImage(w, r, v, image)
	}
	if !s.admitted(w, r, v) {
		return nil
	}
	key, query := r.PathValue("key"), r.URL.Query()
	if query.Has("in") && v.Owner == "" {
		s.signIn(w, key)
		return nil
	}
	made, err := s.making(r.Context())
	if err != nil {
		return err
	}
	defer made()
	seen, err := s.Sights.See(r.Context(), key, v.Owner)
	if errors.Is(err, fs.ErrNotExist) {
		made()
		s.unseen(w, r, v, key)
		return nil
	}
	if err != nil {
		return err
	}
	if run := query.Get("wire"); run != "" {
		return s.sendWire(w, r, seen, run, made)
	}
	before := query.Get("before")
	if message := query.Get("at"); message != "" {
		before = at + message
	}
	c, err := s.content(r.Context(), key, seen, before)
	made()
	if errors.Is(err, fs.ErrNotExist) {
		s.unseen(w, r, v, key)
		return nil
	}
	if err != nil {
		return err
	}
	send(w, r, http.StatusOK, s.page(v, key, seen, c))
	return nil
}

// making waits until a page may be made: a snapshot may be large, and only so many of
// them are in memory at a time. made is called when the page is, before it is sent;
// again it does nothing.
func (s *Service) making(ctx context.Context) (made func(), err error) {
	select {
	case s.made <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return sync.OnceFunc(func() { <-s.made }), nil
}

// Failure is the error of a Serve method as it may be told: what went wrong in here
// is logged without the address, which may be a link's secret.
func (s *Service) Failure(ctx context.Context, err error) error {
	var p *wire.Problem
	if err == nil || errors.As(err, &p) || errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
		return err
	}
	s.Logger.Error("a shared page failed", "err", err)
	return &wire.Problem{Code: "server_error", Message: "The server couldn’t do this.", Hint: "Try again; the server's log has the details."}
}

// content is what a page shows of a share.
func (s *Service) content(ctx context.Context, key string, seen sight.Sight, before string) (c content, err error) {
	defer func() {
		if c.title == "" {
			c.title = seen.Title
		}
	}()
	switch {
	case seen.Live && before == "":
		sh, leave, err := s.showOf(key, seen)
		if err != nil {
			return c, err
		}
		defer leave()
		return sh.at(ctx)
	case seen.Kind == wire.ShareClip:
		n, err := s.clip(ctx, key, seen)
		if err != nil {
			return c, err
		}
		c.html = n.html()
		return c, nil
	}
	var t thread
	if seen.Live {
		t, err = s.readThread(ctx, seen.Owner, seen.Subject, before, "")
	} else {
		t, err = snapshot(seen.Snapshot, before)
	}
	if err != nil {
		return c, err
	}
	w := &writer{s: s, owner: seen.Owner, asker: seen.OwnerName, wire: seen.Wire, hidden: t.hidden}
	c.title, c.html = t.title, w.doc(ctx, t).html()
	return c, nil
}

// showOf is the show of what is shared live. Shares of one conversation have the same.
func (s *Service) showOf(key string, seen sight.Sight) (*show, func(), error) {
	if seen.Kind == wire.ShareClip {
		return s.look("clip "+key, seen.Owner, seen.Subject, func(ctx context.Context, sh *show) (*node, error) { return s.clip(ctx, key, seen) })
	}
	name := "conversation " + seen.Owner + " " + seen.Subject + " " + strconv.FormatBool(seen.Wire)
	return s.look(name, seen.Owner, seen.Subject, s.conversation(seen.OwnerName, seen.Wire))
}

// unseen answers where there is nothing to see. Who isn't signed in can't see what is
// shared by name: they are led to sign in, whether there is anything or not.
func (s *Service) unseen(w http.ResponseWriter, r *http.Request, v Viewer, key string) {
	switch {
	case v.Owner != "" || uuid.Validate(key) != nil:
		send(w, r, http.StatusNotFound, s.note(notShownTitle, notShownWords))
	case r.Header.Get("Sec-Fetch-Site") == "cross-site":
		send(w, r, http.StatusOK, s.arrive())
	default:
		s.signIn(w, key)
	}
}

func (s *Service) signIn(w http.ResponseWriter, key string) {
	private(w.Header())
	w.Header().Set("Location", "/signin?to="+url.QueryEscape(wire.SharePath+key))
	w.WriteHeader(http.StatusSeeOther)
}

// admitted counts a request for a page, and answers where there are too many.
func (s *Service) admitted(w http.ResponseWriter, r *http.Request, v Viewer) bool {
	wait := s.limits.take(v.who(), false, s.Now())
	if wait > 0 {
		s.tooMany(w, r, wait)
	}
	return wait <= 0
}

func (s *Service) tooMany(w http.ResponseWriter, r *http.Request, wait time.Duration) {
	seconds := int(wait/time.Second) + 1
	w.Header().Set("Retry-After", strconv.Itoa(seconds))
	send(w, r, http.StatusTooManyRequests, s.note("Too many requests", "This page was asked for too often from where you are. Try again in "+strconv.Itoa(seconds)+" s."))
}

// held runs what lasts until who asks may not see a share any more, and says whether
// that is how it ended. It begins by asking once more, since whoever may not see it
// since a moment ago was not held then.
func (s *Service) held(r *http.Request, key string, seen sight.Sight, v Viewer, do func(ctx context.Context)) (gone bool, err error) {
	ctx, cancel := s.during(r.Context(), v.Session)
	defer cancel()
	var lost atomic.Bool
	release := s.Sights.Hold(seen.Share, v.Owner, func() {
		lost.Store(true)
		cancel()
	})
	defer release()
	if _, err := s.Sights.See(ctx, key, v.Owner); err != nil && !lost.Load() {
		return false, err
	}
	if !lost.Load() {
		do(ctx)
	}
	return lost.Load(), nil
}

// ServeMedia answers GET /s/{key}/media/{version}/{index} with a clip's file. Version
// 0 is the clip itself that is shared.
func (s *Service) ServeMedia(w http.ResponseWriter, r *http.Request, v Viewer) error {
	return s.serveFile(w, r, v, s.Videos.ServeMedia)
}

// ServePoster answers GET /s/{key}/poster/{version}/{index} likewise.
func (s *Service) ServePoster(w http.ResponseWriter, r *http.Request, v Viewer) error {
	return s.serveFile(w, r, v, s.Videos.ServePoster)
}

func (s *Service) serveFile(w http.ResponseWriter, r *http.Request, v Viewer, serve func(w http.ResponseWriter, r *http.Request, owner, task string, index int) error) error {
	if wait := s.limits.take(v.who(), true, s.Now()); wait > 0 {
		s.tooMany(w, r, wait)
		return nil
	}
	key := r.PathValue("key")
	seen, err := s.Sights.See(r.Context(), key, v.Owner)
	if err != nil {
		return err
	}
	index, err := number(r.PathValue("index"))
	if err != nil || seen.Kind != wire.ShareClip {
		return fs.ErrNotExist
	}
	version, err := number(r.PathValue("version"))
	if err != nil {
		return err
	}
	owner, task := seen.Owner, seen.Subject
	switch {
	case version == 0 || version == 1 && s.Reviews == nil:
	case s.Reviews == nil:
		return fs.ErrNotExist
	default:
		if owner, task, err = s.Reviews.Version(r.Context(), seen, version); err != nil {
			return err
		}
	}
	leave, ok := s.sends("files", "files of "+seen.Share, "files to "+Viewer{Address: v.Address}.who())
	if !ok {
		return &wire.Problem{Code: "too_many_viewers", Status: http.StatusServiceUnavailable, RetryAfterMS: 30_000,
			Message: "Too many files of shared pages are being sent at the moment.", Hint: "Try again in a while."}
	}
	defer leave()
	private(w.Header())
	conn := http.NewResponseController(w)
	var failed error
	_, err = s.held(r, key, seen, v, func(ctx context.Context) {
		// What is being sent breaks off when it may not be seen any more.
		defer context.AfterFunc(ctx, func() { _ = conn.SetWriteDeadline(time.Unix(1, 0)) })()
		failed = serve(w, r.WithContext(ctx), owner, task, index)
	})
	if err != nil {
		return err
	}
	return failed
}

// number reads a number as we write it.
func number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || strconv.Itoa(n) != s {
		return 0, fs.ErrNotExist
	}
	return n, nil
}
