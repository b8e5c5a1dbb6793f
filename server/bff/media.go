package bff

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"screentest/shared/wire"
)

// videoRoutes are the addresses of clips, posters and uploads.
func (s *Server) videoRoutes(mux *http.ServeMux) {
	if s.Videos == nil {
		return
	}
	// An upload's address is its secret: a gateway that fetches it has no
	// session. All others take only what is the session's own.
	mux.Handle(wire.UploadedPath+"{name}", get(func(w http.ResponseWriter, r *http.Request) {
		s.served(w, r, s.Videos.ServeUpload(w, r, r.PathValue("name")))
	}))
	mux.Handle(wire.UploadsPath, methods{http.MethodPost: s.own(s.handleUpload)})
	mux.Handle(wire.MediaPath+"{task}/{index}", get(s.ofTask(s.Videos.ServeMedia)))
	posters := get(s.ofTask(s.Videos.ServePoster))
	posters[http.MethodPost] = s.ofTask(func(w http.ResponseWriter, r *http.Request, owner, task string, index int) error {
		err := s.Videos.SetPoster(r, owner, task, index)
		if err == nil {
			w.WriteHeader(http.StatusNoContent)
		}
		return err
	})
	mux.Handle(wire.PostersPath+"{task}/{index}", posters)
	mux.Handle(wire.VideosZip, get(s.own(func(w http.ResponseWriter, r *http.Request, owner string) error {
		return s.Videos.ServeZip(w, r, owner, strings.Split(r.URL.Query().Get("ids"), ","))
	})))
}

// own gives a request's owner to a handler, and refuses a request without a
// session of ours.
func (s *Server) own(h func(w http.ResponseWriter, r *http.Request, owner string) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		session, err := s.sessions.Get(r, s.sessions.name)
		switch {
		case err != nil:
			s.served(w, r, err)
		case session.IsNew:
			problem(w, http.StatusUnauthorized, wire.Problem{Code: "no_session", Message: "This is for a session of the page only.",
				Hint: "Open the page in this browser first."})
		default:
			s.served(w, r, h(w, r, s.Owner))
		}
	}
}

// ofTask is own for the address of an output.
func (s *Server) ofTask(h func(w http.ResponseWriter, r *http.Request, owner, task string, index int) error) http.HandlerFunc {
	return s.own(func(w http.ResponseWriter, r *http.Request, owner string) error {
		index, err := strconv.Atoi(r.PathValue("index"))
		if err != nil || strconv.Itoa(index) != r.PathValue("index") || index < 0 {
			return fs.ErrNotExist
		}
		return h(w, r, owner, r.PathValue("task"), index)
	})
}

func (s *Server) handleUpload(w http.ResponseWriter, r *http.Request, owner string) error {
	u, err := s.Videos.Upload(r.Context(), owner, r.URL.Query().Get("name"), http.MaxBytesReader(w, r.Body, wire.MaxUploadVideo+1))
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	return json.NewEncoder(w).Encode(u)
}

// served answers with an error that came before anything was written.
func (s *Server) served(w http.ResponseWriter, r *http.Request, err error) {
	var p *wire.Problem
	switch {
	case err == nil:
	case errors.As(err, &p): // also where the context is done: a file that broke off may still have somebody who waits
		status := statusOf(p, http.StatusBadRequest)
		out := *p
		if p.Status >= 400 && p.Status < 600 {
			status, out.Status = p.Status, 0
		}
		problem(w, status, out)
	case r.Context().Err() != nil:
	case errors.Is(err, fs.ErrNotExist):
		handleNotFound(w, r)
	default:
		s.Logger.Error("request failed", "path", r.URL.Path, "err", err)
		problem(w, http.StatusInternalServerError, wire.Problem{Code: "server_error", Message: "The server could not do this.",
			Hint: "Try again; the server's log has the details."})
	}
}
