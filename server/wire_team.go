package main

import (
	"context"
	"maps"
	"time"

	"screentest/server/api"
	"screentest/server/bff"
	"screentest/server/payer"
	"screentest/server/people"
	"screentest/server/store/audit"
	"screentest/shared/wire"
)

// peopleConfig is what package people works with.
func (s *server) peopleConfig(owner, addr string) people.Config {
	c := people.Config{
		Sessions: s.sessions(), Owner: owner, Addr: s.cookieAddr(addr), Secure: s.reach.secure(),
		Gateway: s.keysFor, KeyChanged: s.news.GatewayChanged,
		Team: s.reach.mode == team, Accounts: s.store, Keys: s.store, Settings: s.store,
		BehindProxy: s.reach.public != nil && !s.reach.tls,
		Audit:       func(_ context.Context, e people.Event) { s.store.Audit().Note(audit.Entry(e)) },
		Logger:      s.log,
	}
	if s.ear != nil {
		c.Fresh = s.ear.Fresh
	}
	if s.ways.Trusted != nil {
		c.TrustFrom, c.Trusted, c.SignOns = s.ways.Trusted.From, s.ways.Trusted, s.store
	}
	return c
}

// runsTheServer says whether an owner may do what is for who runs the server.
func (s *server) runsTheServer(owner string) bool {
	if s.reach.mode != team {
		return true // the one local user
	}
	a, err := s.people.Account(owner)
	return err == nil && a.Active && a.Me.Role == wire.RoleAdmin
}

// api are the addresses of accounts.
func (s *server) api() map[string]bff.Handler {
	all := map[string]bff.Handler{}
	for _, routes := range s.doorRoutes() {
		maps.Copy(all, routes)
	}
	maps.Copy(all, s.imageRoutes())
	maps.Copy(all, s.gatewayRoutes())
	if s.reach.mode != team {
		return all
	}
	maps.Copy(all, s.shownRoutes())
	for _, routes := range s.bookRoutes() {
		maps.Copy(all, routes)
	}
	maps.Copy(all, s.reviewRoutes())
	for _, routes := range []map[string]api.Handler{
		(&api.People{
			Directory: s.people, Register: s.store, URL: s.link(), Passwords: s.ways.Password,
			Deactivated: s.deactivated,
		}).Routes(),
		(&api.Shares{Sharing: s.shares, URL: s.link()}).Routes(),
		(&api.Invites{Directory: s.people, Book: s.store, URL: s.link(), Now: time.Now}).Routes(),
		(&api.Teams{Directory: s.people, Book: s.store}).Routes(),
		(&api.Keys{Directory: s.people, Entered: s.teamKeyEntered, Logger: s.log}).Routes(),
		(&api.Instance{Directory: s.people, Everybody: s.budget, Book: s.store, Told: s.told(), Claims: s.store.Claims, LinksOff: s.shares.LinksOff}).Routes(),
	} {
		maps.Copy(all, routes)
	}
	return all
}

// teamKeyEntered has the open clips that a team pays for go on with its new key.
func (s *server) teamKeyEntered(ctx context.Context, by payer.Payer) error {
	s.keyEntered(by)
	return s.videos.KeyChanged(ctx, by)
}

// link is how browsers reach this server, as links that are given out say it.
func (s *server) link() string {
	if public := s.reach.public; public != nil {
		return origin(public)
	}
	return s.url
}

// told is what the page of the instance shows, and flags set.
func (s *server) told() wire.Instance {
	told := wire.Instance{Password: s.ways.Password}
	if o := s.ways.SingleSignOn; o != nil {
		told.OIDCIssuer, told.OIDCDomains, told.GroupsClaim = o.Issuer, o.AllowDomains, o.GroupsClaim
	}
	if t := s.ways.Trusted; t != nil {
		told.TrustHeader = t.Name
	}
	return told
}

// deactivated ends the answers under way of who was deactivated. Clips are
// finished: they are paid for.
func (s *server) deactivated(ctx context.Context, owner string) {
	if err := s.runs.StopOwner(ctx, owner); err != nil {
		s.log.Error("answers of who was deactivated go on", "err", err)
	}
}
