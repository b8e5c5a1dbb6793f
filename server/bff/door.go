package bff

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"screentest/server/people"
	"screentest/server/rights"
	"screentest/shared/wire"
)

// Everything that is a person's own is asked for through one door: asking says
// who it is, open asks package rights whether they may, gives them to the handler
// and answers with its error.

// isOwn says whether an address holds something of a person's. Pages can be
// linked to from anywhere, and uploads are fetched by gateways.
func isOwn(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, wire.MediaPath) || strings.HasPrefix(path, wire.SharePath) || path == wire.Path
}

// isLedTo says whether a request is for somebody to be led from elsewhere to the
// page of what is shared, which is what its address is given out for. What belongs
// to that page is asked for by it alone.
func isLedTo(r *http.Request) bool {
	key, is := strings.CutPrefix(r.URL.Path, wire.SharePath)
	return is && !strings.Contains(key, "/") && (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
}

// asking puts who is asking into the context of a request for what is a
// person's own.
func (s *Server) asking(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isOwn(r.URL.Path) {
			who, err := s.People.Asking(r)
			if err != nil {
				if r.Context().Err() == nil { // else the browser let go of it: it does so with each jump in a clip
					s.Logger.Error("session not read", "err", err)
				}
				problem(w, wire.Problem{Code: "storage_failed", Message: "The server could not read the session."})
				return
			}
			r = r.WithContext(people.WithAddress(people.With(r.Context(), who), s.People.Address(r)))
		}
		next.ServeHTTP(w, r)
	})
}

// A Handler answers a request of who asks. An error that it returns came before
// anything was written.
type Handler = func(w http.ResponseWriter, r *http.Request, who people.Person) error

// doors is every address there is, by its path and method.
type doors struct {
	s     *Server
	paths map[string]methods
}

// open gives an address, "GET /api/me", its handler, which nobody reaches who
// may not. An address that package rights doesn't know is a mistake in the
// program: it panics.
func (d *doors) open(address string, h Handler) {
	right := rights.OfAddress(address)
	if right == rights.Nobody {
		panic("bff: " + address + " isn't in the table of rights")
	}
	method, path, _ := strings.Cut(address, " ")
	if right != rights.Anyone && !isOwn(path) {
		panic("bff: nobody says who is asking at " + path)
	}
	d.add(method, path, func(w http.ResponseWriter, r *http.Request) {
		who := people.Of(r.Context())
		if p := rights.Refuse(who, right, r.PathValue("id")); p != nil {
			problem(w, *p)
			return
		}
		if err := h(w, r, who); err != nil {
			d.s.refuse(w, r, err)
		}
	})
}

// show gives an address that is only read to anyone: a page, or a file of it.
func (d *doors) show(path string, h http.HandlerFunc) {
	if isOwn(path) {
		panic("bff: " + path + " may hold something of a person's")
	}
	d.add(http.MethodGet, path, h)
}

func (d *doors) add(method, path string, h http.HandlerFunc) {
	if d.paths[path] == nil {
		d.paths[path] = methods{}
	}
	d.paths[path][method] = h
	if method == http.MethodGet {
		d.paths[path][http.MethodHead] = h
	}
}

// own is the handler of what is asked for by its owner.
func own(h func(w http.ResponseWriter, r *http.Request, owner string) error) Handler {
	return func(w http.ResponseWriter, r *http.Request, who people.Person) error { return h(w, r, who.Owner) }
}

// inSession is own for who has a session of the page's.
func inSession(h func(w http.ResponseWriter, r *http.Request, owner string) error) Handler {
	return func(w http.ResponseWriter, r *http.Request, who people.Person) error {
		if who.Session == "" {
			return &wire.Problem{Code: "no_session", Message: "This is for a session of the page only.",
				Hint: "Open the page in this browser first."}
		}
		return h(w, r, who.Owner)
	}
}

// refuse answers with an error.
func (s *Server) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var p *wire.Problem
	switch {
	case errors.As(err, &p): // also where the context is done: a file that broke off may still have somebody who waits
		problem(w, *p)
	case r.Context().Err() != nil:
	case errors.Is(err, fs.ErrNotExist):
		handleNotFound(w, r)
	default:
		s.Logger.Error("request failed", "path", r.URL.Path, "err", err)
		problem(w, wire.Problem{Code: "server_error", Message: "The server could not do this.",
			Hint: "Try again; the server's log has the details."})
	}
}

// statuses are the HTTP statuses of problems by their codes; that of all others
// is 400.
var statuses = map[string]int{
	"no_session":           http.StatusUnauthorized,
	wire.CodeSignedOut:     http.StatusUnauthorized,
	wire.CodeWrong:         http.StatusUnauthorized,
	wire.CodeCodeNeeded:    http.StatusUnauthorized,
	"cross_origin":         http.StatusForbidden,
	wire.CodeNotAllowed:    http.StatusForbidden,
	wire.CodeDeactivated:   http.StatusForbidden,
	wire.CodeProofNeeded:   http.StatusForbidden,
	wire.CodeFactorNeeded:  http.StatusForbidden,
	wire.CodeLastWayIn:     http.StatusConflict,
	wire.CodeNotSetUp:      http.StatusConflict,
	"not_found":            http.StatusNotFound,
	"method_not_allowed":   http.StatusMethodNotAllowed,
	wire.CodeLinkUnknown:   http.StatusNotFound,
	"conflict":             http.StatusConflict,
	wire.CodeLastAdmin:     http.StatusConflict,
	wire.CodeLinkUsed:      http.StatusGone,
	"sandbox_key":          http.StatusConflict,
	"body_too_large":       http.StatusRequestEntityTooLarge,
	"bad_media_type":       http.StatusUnsupportedMediaType,
	"unknown_host":         http.StatusMisdirectedRequest,
	"too_many_imports":     http.StatusTooManyRequests,
	wire.CodeTooMany:       http.StatusTooManyRequests,
	"data_read_only":       http.StatusInternalServerError,
	"disk_error":           http.StatusInternalServerError,
	"data_damaged":         http.StatusInternalServerError,
	"storage_failed":       http.StatusInternalServerError,
	"server_error":         http.StatusInternalServerError,
	"too_many_exports":     http.StatusServiceUnavailable,
	"disk_full":            http.StatusInsufficientStorage,
	wire.CodeClipsUnderWay: http.StatusConflict,
}

// problem answers with an error as a person reads it.
func problem(w http.ResponseWriter, p wire.Problem) {
	status, known := statuses[p.Code]
	switch {
	case p.Status >= 400 && p.Status < 600:
		status, p.Status = p.Status, 0
	case !known:
		status = http.StatusBadRequest
	}
	if p.RetryAfterMS > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt((p.RetryAfterMS+999)/1000, 10))
	}
	answer(w, status, p.Bounded())
}

// answer answers with JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that nobody reads it any more
}
