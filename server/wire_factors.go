package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"time"

	"screentest/server/account"
	"screentest/server/api"
	"screentest/server/factors"
	"screentest/server/oidc"
	"screentest/server/people"
	"screentest/server/ticket"
)

// openFactors prepares passkeys, second factors and single sign-on, of a team at
// the address addr.
func (s *server) openFactors(ctx context.Context, addr string) error {
	_, port, err := net.SplitHostPort(s.cookieAddr(addr))
	if err != nil {
		return fmt.Errorf("address %q: %w", addr, err)
	}
	shared, begun, err := s.sharedTickets(ctx)
	if err != nil {
		return err
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
		Shared: shared, Begun: begun,
	})
	if o := s.ways.SingleSignOn; o != nil {
		s.oidc = oidc.New(oidc.Config{
			Issuer: o.Issuer, ClientID: o.ClientID, ClientSecret: o.ClientSecret, GroupsClaim: o.GroupsClaim, AllowDomains: o.AllowDomains,
			Redirect:   s.link() + "/api/oidc/callback",
			CookieName: s.cookieName("oidc", port), Secure: s.reach.secure(),
			Shared: shared,
			Logger: s.log,
		})
	}
	return nil
}

// ticketSecret is the secret that seals what is begun at one replica and finished at
// another.
const ticketSecret = "ticket-key"

// sharedTickets are what replicas have in common of what is begun and finished
// within minutes; nothing of a server that is alone, or of which all can only be read.
func (s *server) sharedTickets(ctx context.Context) (*ticket.Shared, factors.Begun, error) {
	if s.ear == nil || s.store.ReadOnly() != nil {
		return nil, nil, nil
	}
	shared := &ticket.Shared{Used: s.store}
	rand.Read(shared.Key[:]) // never fails
	key, err := s.store.KeepSecret(ctx, ticketSecret, shared.Key[:])
	if err == nil && len(key) != ticket.KeySize {
		err = fmt.Errorf("it has %d bytes", len(key))
	}
	if err != nil {
		return nil, nil, fmt.Errorf("keep the key that seals what is begun: %w", err)
	}
	copy(shared.Key[:], key)
	return shared, s.store, nil
}

// cookieAddr is the address whose port tells our cookies from those of other servers
// on a machine: that which is listened on, or, of replicas, that which browsers know.
func (s *server) cookieAddr(addr string) string {
	public := s.reach.public
	if s.ear == nil || public == nil {
		return addr
	}
	port := cmp.Or(public.Port(), map[string]string{"http": "80", "https": "443"}[public.Scheme])
	return net.JoinHostPort(public.Hostname(), port)
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
