package main

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"

	"screentest/server/bff"
	"screentest/server/people"
	"screentest/server/picture"
	"screentest/shared/wire"
)

// imageRoutes are the addresses of the images of messages.
func (s *server) imageRoutes() map[string]bff.Handler {
	return map[string]bff.Handler{
		"POST " + wire.ImagesPath: func(w http.ResponseWriter, r *http.Request, who people.Person) error {
			data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxImage))
			var large *http.MaxBytesError
			if errors.As(err, &large) {
				return picture.TooLarge()
			}
			if err != nil {
				return &wire.Problem{Code: "file_incomplete", Message: "The image did not come whole.", Hint: "Choose it again."}
			}
			i, err := picture.Look(data)
			if err == nil {
				err = s.store.PutImage(r.Context(), who.Owner, i, data)
			}
			if err != nil {
				return err
			}
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
			w.Header().Set("Cache-Control", "no-store")
			_ = json.NewEncoder(w).Encode(i) // an error means that nobody reads it any more
			return nil
		},
		"GET " + wire.ImagesPath + "/{image}": func(w http.ResponseWriter, r *http.Request, who people.Person) error {
			id := r.PathValue("image")
			if picture.Has(r, id) {
				if _, err := s.store.ImageBytes(r.Context(), who.Owner, []string{id}); err != nil {
					return fs.ErrNotExist
				}
				w.WriteHeader(http.StatusNotModified)
				return nil
			}
			i, data, err := s.store.Image(r.Context(), who.Owner, id)
			if err != nil {
				return err
			}
			picture.Serve(w, r, i, data)
			return nil
		},
	}
}
