package main

import (
	"context"

	"screentest/server/bff"
	"screentest/server/news"
	"screentest/server/people"
	"screentest/server/ranking"
	"screentest/shared/wire"
)

// rankingCalls are those of the ranking of a team.
func (s *server) rankingCalls() map[wire.Op]bff.Call {
	keeper := ranking.New(s.store.Rankings())
	return map[wire.Op]bff.Call{
		wire.OpRanking: bff.Calling(func(ctx context.Context, _ news.Tab, q wire.RankingQuery) (any, error) {
			return keeper.Ranking(ctx, people.Of(ctx).Owner, q)
		}),
	}
}

// voted tells all who are in a team that it has another vote.
func (s *server) voted(team string) {
	s.news.Tell(s.people.In(team), "ranking "+team, wire.EventRanking, wire.RankingChanged{Team: team})
}
