package main

import (
	"context"

	"screentest/server/approval"
	"screentest/server/bff"
	"screentest/server/news"
	"screentest/server/people"
	"screentest/shared/wire"
)

// openApprovals prepares what waits until a lead releases it; nothing without
// accounts. Its clips are made by a part that comes later.
func (s *server) openApprovals() {
	if s.reach.mode != team {
		return
	}
	s.approvals = approval.New(approval.Config{
		Store: s.store.Approvals(), People: asking{s.people}, Tell: s.news.Tell, Notify: s.notices.Notify, Logger: s.log,
	})
}

// asking is the directory as package approval sees it.
type asking struct{ *people.Directory }

func (asking) Asking(ctx context.Context) (owner, from string) {
	return people.Of(ctx).Owner, people.AddressOf(ctx)
}

func (asking) Leads(ctx context.Context, team string) bool { return people.Of(ctx).Leads(team) }

func (asking) Led(ctx context.Context) (all bool, teams []string) {
	who := people.Of(ctx)
	for _, t := range who.Me.Teams {
		if who.Leads(t.ID) {
			teams = append(teams, t.ID)
		}
	}
	return who.Role() == wire.RoleAdmin, teams
}

// approvalCalls are those of approvals.
func (s *server) approvalCalls() map[wire.Op]bff.Call {
	return map[wire.Op]bff.Call{
		wire.OpApprovals: bff.Calling(func(ctx context.Context, _ news.Tab, p wire.Page) (any, error) { return s.approvals.List(ctx, p) }),
		wire.OpDecide:    bff.Calling(func(ctx context.Context, _ news.Tab, d wire.Decision) (any, error) { return s.approvals.Decide(ctx, d) }),
	}
}
