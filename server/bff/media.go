package bff

import (
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
	// session. All others are for the session that owns what they give.
	mux.Handle(wire.UploadedPath+"{name}", get(func(w http.ResponseWriter, r *http.Request) {
		if err := s.Videos.ServeUpload(w, r, r.PathValue("name")); err != nil {
			s.refuse(w, r, err)
		}
	}))
	mux.Handle(wire.UploadsPath, methods{http.MethodPost: s.inSession(s.handleUpload)})
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
	mux.Handle(wire.VideosZip, get(s.inSession(func(w http.ResponseWriter, r *http.Request, owner string) error {
		return s.Videos.ServeZip(w, r, owner, strings.Split(r.URL.Query().Get("ids"), ","))
	})))
}

// ofTask is inSession for the address of an output.
func (s *Server) ofTask(h func(w http.ResponseWriter, r *http.Request, owner, task string, index int) error) http.HandlerFunc {
	return s.inSession(func(w http.ResponseWriter, r *http.Request, owner string) error {
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
	answer(w, http.StatusOK, u)
	return nil
}
