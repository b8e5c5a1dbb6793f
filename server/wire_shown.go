package main

import (
	"context"
	"net/http"

	"screentest/server/bff"
	"screentest/server/page"
	"screentest/server/people"
	"screentest/server/run"
	"screentest/server/shown"
	"screentest/shared/wire"
)

// openShown prepares the page of what people show each other; nothing without
// accounts.
func (s *server) openShown(files *page.Page) {
	if s.shares == nil {
		return
	}
	s.shown = shown.New(shown.Config{
		Sights: s.shares, Conversations: s.store, Runs: shownRuns{s.runs}, Videos: s.videos, File: files.URL, Reviews: s.store.Reviews(),
		Secrets: s.gatewayHosts, Logger: s.log,
	})
	s.people.Listen(s.shown)
	s.news.Listen(s.shown.Changed)
}

// shownRoutes are its addresses.
func (s *server) shownRoutes() map[string]bff.Handler {
	if s.shown == nil {
		return nil
	}
	by := func(serve func(w http.ResponseWriter, r *http.Request, v shown.Viewer) error) bff.Handler {
		return func(w http.ResponseWriter, r *http.Request, who people.Person) error {
			return s.shown.Failure(r.Context(), serve(w, r, shown.Viewer{
				Owner: who.Owner, Session: who.Session, Member: who.SignedIn() && who.Role() != wire.RoleGuest, Address: people.AddressOf(r.Context()),
			}))
		}
	}
	const at = "GET " + wire.SharePath + "{key}"
	return map[string]bff.Handler{
		at:                               by(s.shown.ServePage),
		at + "/live":                     by(s.shown.ServeLive),
		at + "/media/{version}/{index}":  by(s.shown.ServeMedia),
		at + "/poster/{version}/{index}": by(s.shown.ServePoster),
		at + "/wire/{run}":               by(s.shown.ServeWire),
	}
}

// shownRuns is the run.Manager as package shown sees it.
type shownRuns struct{ *run.Manager }

func (r shownRuns) Open(ctx context.Context, owner, id string) (wire.Run, shown.Log, error) {
	found, log, err := r.Manager.Open(ctx, owner, id)
	if err != nil {
		return wire.Run{}, nil, err
	}
	return found, log, nil
}
