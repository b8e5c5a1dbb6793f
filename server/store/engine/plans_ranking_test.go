package engine_test

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// everyRankingCall makes those of votes that count for a team.
func everyRankingCall(t *testing.T, db *store.DB) (errs []error) {
	ctx := context.Background()
	voter, id := storetest.Join(t, db, "voter", wire.RoleMember)
	team := storetest.Team(t, db, "voters", wire.Limits{}, id)
	storetest.Voted(t, db, voter, team, 0, []string{"code"}, "a", "b")
	for _, tag := range []string{"", "code"} {
		q := wire.RankingQuery{Team: team, Tag: tag, From: 1}
		errs = append(errs, storetest.Second(db.Rankings().Mark(ctx, voter, q)))
		_, _, err := db.Rankings().Votes(ctx, voter, q, func([]string, int, bool, []wire.Figures) {})
		errs = append(errs, err)
	}
	return errs
}
