package bff

import (
	"io/fs"
	"net/http"
	"strconv"
	"strings"

	"screentest/server/people"
	"screentest/shared/wire"
)

// openVideos opens the addresses of clips, posters and uploads.
func (s *Server) openVideos(d *doors) {
	if s.Videos == nil {
		return
	}
	// An upload's address is its secret: a gateway that fetches it has no
	// session. All others are for the session that owns what they give.
	d.open("GET "+wire.UploadedPath+"{name}", func(w http.ResponseWriter, r *http.Request, _ people.Person) error {
		return s.Videos.ServeUpload(w, r, r.PathValue("name"))
	})
	d.open("POST "+wire.UploadsPath, inSession(s.handleUpload))
	d.open("GET "+wire.MediaPath+"{task}/{index}", ofTask(s.Videos.ServeMedia))
	const posters = wire.PostersPath + "{task}/{index}"
	d.open("GET "+posters, ofTask(s.Videos.ServePoster))
	d.open("POST "+posters, ofTask(func(w http.ResponseWriter, r *http.Request, owner, task string, index int) error {
		err := s.Videos.SetPoster(r, owner, task, index)
		if err == nil {
			w.WriteHeader(http.StatusNoContent)
		}
		return err
	}))
	d.open("GET "+wire.VideosZip, inSession(func(w http.ResponseWriter, r *http.Request, owner string) error {
		s.noteExport(r, "clips", "")
		return s.Videos.ServeZip(w, r, owner, strings.Split(r.URL.Query().Get("ids"), ","))
	}))
}

// ofTask is inSession for the address of an output.
func ofTask(h func(w http.ResponseWriter, r *http.Request, owner, task string, index int) error) Handler {
	return inSession(func(w http.ResponseWriter, r *http.Request, owner string) error {
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
