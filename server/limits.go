package main

import (
	"context"

	"screentest/server/account"
	"screentest/server/budget"
	"screentest/server/people"
	"screentest/server/store"
	"screentest/shared/wire"
)

// budgetConfig is what package budget works with.
func (s *server) budgetConfig() budget.Config {
	c := budget.Config{Store: s.store, Tell: s.budgetPassed, MayEverybody: s.runsTheServer, Logger: s.log}
	if s.member != nil {
		c.Shared = s.store
	}
	if s.people.Team {
		c.Directory = limits{s.store, s.people}
	}
	return c
}

// budgetPassed tells of a budget of which much is spent, in the page and by web
// hook: of everybody's ("") the page of those who send, which guests don't, and the
// hooks of those who run the server.
func (s *server) budgetPassed(owner string, b wire.BudgetState) {
	switch {
	case owner != "":
		s.news.BudgetPassed(owner, b)
		s.hooks.Tell([]string{owner}, b)
		return
	case !s.people.Team:
		s.news.BudgetPassed("", b)
		s.hooks.Tell([]string{s.local}, b)
		return
	}
	var admins []string
	for _, a := range s.people.All() {
		if a.Me.Role != wire.RoleGuest {
			s.news.BudgetPassed(a.Owner, b)
		}
		if a.Active && a.Me.Role == wire.RoleAdmin {
			admins = append(admins, a.Owner)
		}
	}
	s.hooks.Tell(admins, b)
}

// limits are what admins let people and teams spend, as package budget asks for
// them.
type limits struct {
	store  *store.DB
	people *people.Directory
}

func (l limits) Limits(ctx context.Context, owner string) (wire.Limits, error) {
	return l.store.Limits(ctx, owner)
}

func (l limits) Team(ctx context.Context, id string) (budget.Team, error) {
	t, err := l.store.Team(ctx, id)
	return l.team(t), err
}

func (l limits) TeamsOf(ctx context.Context, owner string) (teams []budget.Team, err error) {
	all, err := l.store.TeamsOf(ctx, owner)
	for _, t := range all {
		teams = append(teams, l.team(t))
	}
	return teams, err
}

// team is a team with those who lead it.
func (l limits) team(t wire.Team) budget.Team {
	of := budget.Team{ID: t.ID, Name: t.Name, Limits: t.Limits}
	if t.Limits == (wire.Limits{}) {
		return of // nobody need be asked for more
	}
	leads := map[string]bool{}
	for _, m := range t.People {
		leads[m.ID] = m.Lead
	}
	of.Leads = l.those(func(a account.Account) bool { return leads[a.Me.ID] })
	return of
}

func (l limits) Admins() []budget.Person {
	return l.those(func(a account.Account) bool { return a.Me.Role == wire.RoleAdmin })
}

// those are the active people who are so.
func (l limits) those(so func(account.Account) bool) (all []budget.Person) {
	for _, a := range l.people.All() {
		if a.Active && so(a) {
			all = append(all, budget.Person{Owner: a.Owner, Name: a.Me.Name})
		}
	}
	return all
}
