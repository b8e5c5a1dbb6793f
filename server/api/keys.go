package api

import (
	"context"
	"log/slog"
	"net/http"

	"screentest/server/payer"
	"screentest/server/people"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Keys has the addresses of teams' keys. (A person's own is at /api/key, which
// package bff has.)
type Keys struct {
	Directory *people.Directory
	// Entered has the open video tasks that a payer pays for go on with a new key.
	// nil: there are none.
	Entered func(ctx context.Context, by payer.Payer) error
	Logger  *slog.Logger
}

// Routes are the addresses.
func (s *Keys) Routes() map[string]Handler {
	return map[string]Handler{
		"POST /api/teams/{id}/key":   s.set,
		"DELETE /api/teams/{id}/key": s.forget,
	}
}

func (s *Keys) set(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	var in struct {
		Key string `json:"key"`
	}
	if err := read(w, r, &in); err != nil {
		return err
	}
	if mistake := gateway.KeyMistake(in.Key); mistake != "" {
		return &wire.Problem{Code: "invalid_key", Field: "key", Message: mistake}
	}
	ctx, team := context.WithoutCancel(r.Context()), r.PathValue("id")
	g := s.Directory.Gateway()
	if err := s.Directory.SetTeamKey(ctx, g, team, in.Key); err != nil {
		return err
	}
	if s.Entered != nil {
		if err := s.Entered(ctx, payer.Payer{Team: team, Gateway: g.Name, Secret: in.Key}); err != nil {
			s.Logger.Error("open video tasks did not get the team's new key", "err", err)
		}
	}
	return done(w)
}

func (s *Keys) forget(w http.ResponseWriter, r *http.Request, _ people.Person) error {
	if err := s.Directory.SetTeamKey(r.Context(), s.Directory.Gateway(), r.PathValue("id"), ""); err != nil {
		return err
	}
	return done(w)
}
