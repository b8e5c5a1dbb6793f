package main

import (
	"context"
	"time"

	"screentest/server/api"
	"screentest/server/signin"
	"screentest/shared/wire"
)

// addressSetting is where a team's server writes how browsers reach it, for the
// links that screentest account gives out.
const addressSetting = "address"

// openDoor prepares how people get in. Where nobody has an account yet it makes a
// link to the first.
func (s *server) openDoor(ctx context.Context, addr string) error {
	n, err := s.store.AccountCount(ctx)
	if err != nil {
		return err
	}
	if s.reach.mode != team {
		if n > 1 {
			return mistakef("%s has the accounts of %d people, and without -team whoever reaches the server would be one of them. Start it with -team, or give another folder with -data", s.config.data, n)
		}
		s.localID, err = s.store.PersonID(ctx, s.people.Owner)
		return err
	}
	if err := s.openFactors(ctx, addr); err != nil {
		return err
	}
	c := signin.Config{
		Accounts: s.store, Factors: s.factors, Passwords: s.ways.Password, Known: s.people.WasFrom,
		Instance: func() string { return s.people.Policies().Name },
		Logger:   s.log,
	}
	by := "start"
	if s.ear != nil {
		c.Tries = s.store
		by += " " + addr // each replica prints a link, and all of them lead there
	}
	s.desk = signin.New(c)
	if err := s.mayWrite(s.store.SetServerSetting(ctx, addressSetting, s.link())); err != nil {
		return err
	}
	if n > 0 {
		return nil
	}
	token, err := s.desk.SetUpLink(ctx, by)
	if err != nil {
		return err
	}
	s.setUp = s.link() + "/setup#" + token
	return nil
}

// doorRoutes are the addresses by which people get in and out.
func (s *server) doorRoutes() []map[string]api.Handler {
	if s.reach.mode != team {
		local := wire.Me{ID: s.localID, Name: "local", Role: wire.RoleAdmin, Teams: []wire.MyTeam{}}
		return []map[string]api.Handler{(&api.Account{People: s.people, Ways: s.waysIn, Local: local}).Routes()}
	}
	return []map[string]api.Handler{
		(&api.Account{People: s.people, Ways: s.waysIn, Desk: s.desk, Now: time.Now}).Routes(),
		(&api.Sessions{People: s.people}).Routes(),
		s.factorRoutes(),
		s.singleSignOnRoutes(),
	}
}

// waysIn are the ways to sign in.
func (s *server) waysIn() wire.Ways {
	if s.reach.mode != team {
		return wire.Ways{}
	}
	w := wire.Ways{Team: true, SetUp: len(s.people.All()) > 0, Password: s.ways.Password, Passkey: s.factors.Passkeys(), Instance: s.people.Policies().Name}
	if s.ways.SingleSignOn != nil {
		w.OIDC = "Single sign-on"
	}
	return w
}
