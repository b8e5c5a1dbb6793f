package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"time"

	"screentest/server/account"
	"screentest/server/api"
	"screentest/server/factors"
	"screentest/server/oidc"
	"screentest/server/people"
)

// openFactors prepares passkeys, second factors and single sign-on, of a team at
// the address addr.
func (s *server) openFactors(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("address %q: %w", addr, err)
	}
	outside := "" // of this machine alone
	if public := s.reach.public; public != nil {
		outside = origin(public)
	}
	s.factors = factors.New(factors.Config{
		RecoveryUsed: func(ctx context.Context, owner string) {
			s.people.Note(ctx, people.Event{Person: owner, Action: "recovery.used"})
		},
		Store: s.store, Origin: outside,
		Name:       func() string { return cmp.Or(s.people.Policies().Name, "Screentest") },
		CookieName: s.cookieName("passkey", port), Secure: s.reach.secure(),
	})
	if o := s.ways.SingleSignOn; o != nil {
		s.oidc = oidc.New(oidc.Config{
			Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret, GroupsClaim: o.GroupsClaim, AllowDomains: o.AllowDomains,
			Redirect:   s.link() + "/api/oidc/callback",
			CookieName: s.cookieName("oidc", port), Secure: s.reach.secure(),
			Logger: s.log,
		})
	}
	return nil
}

// cookieName is that of a cookie beside the session's, and is ours alone: behind
// https by its prefix, else by the port, which cookies don't tell apart.
func (s *server) cookieName(of, port string) string {
	if s.reach.secure() {
		return "__Host-screentest-" + of
	}
	return "screentest-" + of + "-" + port
}

// factorRoutes are the addresses of one's ways in.
func (s *server) factorRoutes() map[string]api.Handler {
	return (&api.Security{
		People: s.people, Factors: s.factors, Store: s.store, Desk: s.desk,
		Ways: account.Ways{Password: s.ways.Password, OIDC: s.oidc != nil}, Now: time.Now,
	}).Routes()
}

// singleSignOnRoutes are its addresses; none without it.
func (s *server) singleSignOnRoutes() map[string]api.Handler {
	if s.oidc == nil {
		return nil
	}
	return (&api.SingleSignOn{People: s.people, Provider: s.oidc, Store: s.store, Desk: s.desk, Logger: s.log}).Routes()
}
