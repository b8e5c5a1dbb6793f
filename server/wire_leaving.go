package main

import (
	"context"

	"screentest/server/account"
	"screentest/server/api"
	"screentest/server/leaving"
	"screentest/shared/wire"
)

// leavingConfig is what package leaving works with.
func (s *server) leavingConfig() leaving.Config {
	return leaving.Config{
		Store: s.store.Leavings(), Clips: s.videos, Origin: s.videos.Origin,
		Changed: s.people.Changed, StopRuns: s.runs.StopOwner,
		Handed: func(heir string, e wire.Erasing) {
			s.news.Imported(heir, wire.Imported{Conversations: int(e.Conversations), Messages: int(e.Messages), Entries: int(e.Library)})
		},
		Withdraw: func(ctx context.Context, v account.Leaving) error {
			if s.approvals == nil {
				return nil
			}
			return s.approvals.WithdrawAll(ctx, v.Person, v.By, v.From)
		},
		Logger: s.log,
	}
}

// bookRoutes are the addresses of the audit, and of who leaves.
func (s *server) bookRoutes() []map[string]api.Handler {
	return []map[string]api.Handler{
		(&api.Audit{Lines: s.store.Audit(), Note: s.people.Note}).Routes(),
		(&api.Leaving{Off: s.leaving, ByID: s.people.ByID}).Routes(),
	}
}
