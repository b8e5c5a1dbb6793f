package bff

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"

	"screentest/server/payer"
	"screentest/server/people"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func (s *Server) handleSetKey(w http.ResponseWriter, r *http.Request, owner string) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/json" {
		return &wire.Problem{Code: "invalid_request", Status: http.StatusUnsupportedMediaType, Message: "The key is sent as application/json."}
	}
	var in struct {
		Key string `json:"key"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(&in); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return &wire.Problem{Code: "body_too_large", Message: fmt.Sprintf("The request is longer than %d bytes.", large.Limit)}
		}
		return &wire.Problem{Code: "invalid_request", Message: `The body must be {"key":"…"}.`}
	}
	if msg := gateway.KeyMistake(in.Key); msg != "" {
		return &wire.Problem{Code: "invalid_key", Field: "key", Message: msg}
	}
	return s.setKey(w, r, owner, in.Key)
}

func (s *Server) handleForgetKey(w http.ResponseWriter, r *http.Request, owner string) error {
	return s.setKey(w, r, owner, "")
}

// setKey changes the key of the session, or with accounts of the person, and tells
// its sockets.
func (s *Server) setKey(w http.ResponseWriter, r *http.Request, owner, key string) error {
	g := s.People.Gateway()
	if who := people.Of(r.Context()); who.Me != nil {
		if err := s.People.SetPersonalKey(r.Context(), g, who, key); err != nil {
			return err
		}
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(http.StatusNoContent)
		if key != "" {
			s.Keyed(payer.Payer{Owner: owner, Gateway: g.Name, Secret: key})
		}
		if key != "" && s.Videos != nil {
			if err := s.Videos.KeyChanged(context.WithoutCancel(r.Context()), payer.Payer{Owner: owner, Gateway: g.Name, Secret: key}); err != nil {
				s.Logger.Error("open video tasks did not get the new key", "err", err)
			}
		}
		return nil
	}
	told, err := s.KeepKey(w, r, g, key)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNoContent)
	// The browser has the session's new id before anything more is written.
	if err := http.NewResponseController(w).Flush(); err != nil {
		s.Logger.Debug("an answer was not sent at once", "err", err)
	}
	told()
	return nil
}

// KeepKey changes the key of a request's session, which is for g alone; its tabs are
// that of its new id from then on. told tells them, and has the clips that wait for
// the key go on.
func (s *Server) KeepKey(w http.ResponseWriter, r *http.Request, g people.Gateway, key string) (told func(), err error) {
	before, after, err := s.People.SetKey(w, r, g, key)
	var p *wire.Problem
	switch {
	case errors.As(err, &p):
		return nil, err
	case err != nil:
		s.Logger.Error("session not changed", "err", err)
		return nil, &wire.Problem{Code: "storage_failed", Message: "The server could not keep the key.",
			Hint: "See whether its disk is full; its log has the details."}
	}
	tabs := s.moveSockets(before.Session, after.Session)
	return func() { s.keyKept(r, tabs, after, g, key) }, nil
}

func (s *Server) keyKept(r *http.Request, tabs []*socket, after people.Person, g people.Gateway, key string) {
	for _, k := range tabs {
		k.Greet()
	}
	if key != "" {
		s.Keyed(payer.Payer{Owner: after.Owner, Gateway: g.Name, Secret: key})
	}
	if key != "" && s.Videos != nil {
		if err := s.Videos.KeyEntered(context.WithoutCancel(r.Context()), payer.Payer{Owner: after.Owner, Gateway: g.Name, Secret: key}); err != nil {
			s.Logger.Error("open video tasks did not get the new key", "err", err)
		}
	}
}
