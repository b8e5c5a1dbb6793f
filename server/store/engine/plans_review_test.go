package engine_test

import (
	"context"
	"testing"

	"screentest/server/sight"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// everyReviewCall makes those of reviews, by who made a clip and by who is shown it.
func everyReviewCall(t *testing.T, db *store.DB) (errs []error) {
	ctx := context.Background()
	add := func(err error) { errs = append(errs, err) }
	ann, annID := storetest.Join(t, db, "reviewed", wire.RoleMember)
	bob, bobID := storetest.Join(t, db, "reviewer", wire.RoleMember)
	team := storetest.Team(t, db, "Reviews", wire.Limits{}, annID, bobID)
	made := storetest.Taken(t, db.Videos(), ann, storetest.NewVideo("x"))
	made.State, made.FinishedMS = wire.VideoDone, 1
	_, _, err := db.Videos().End(ctx, ann, made, []string{"http://x/1"}, 1)
	add(err)
	add(storetest.Second(db.Reviews().Look(ctx, ann, wire.Look{Clip: made.ID})))
	share, err := db.Shares().Make(ctx, ann, wire.NewShare{Kind: wire.ShareClip, ID: made.ID, Audience: wire.ShareWithTeam, To: []string{team}, Live: true}, "", nil)
	add(err)
	next := storetest.NewVideo("next")
	next.Source = made.ID
	storetest.Taken(t, db.Videos(), ann, next)
	seen, err := db.Reviews().Look(ctx, bob, wire.Look{Share: share})
	add(err)
	of := seen.Review.ID
	add(storetest.Second(db.Reviews().Read(ctx, bob, of)))
	said, err := db.Reviews().Comment(ctx, bob, wire.Comment{ID: storetest.NewID(), Review: of, Version: 1, Text: "x", Mentions: []string{annID}})
	add(err)
	add(storetest.Second(db.Reviews().Comment(ctx, ann, wire.Comment{ID: storetest.NewID(), Review: of, Answers: said.Comment.ID, Text: "x"})))
	done := true
	add(storetest.Second(db.Reviews().Edit(ctx, ann, wire.CommentEdit{ID: said.Comment.ID, Text: nil, Resolved: &done})))
	add(storetest.Second(db.Reviews().Edit(ctx, ann, wire.CommentEdit{ID: said.Comment.ID, Deleted: true})))
	add(storetest.Second(db.Reviews().Step(ctx, ann, wire.ReviewStep{Review: of, Version: 1, State: wire.ReviewOpen})))
	add(storetest.Second(db.Reviews().Step(ctx, bob, wire.ReviewStep{Review: of, Version: 1, State: wire.ReviewApproved})))
	_, _, err = db.Reviews().Version(ctx, sight.Sight{Owner: ann, Kind: wire.ShareClip, Subject: made.ID}, 1)
	add(err)
	add(storetest.Second(db.Reviews().Clips(ctx, bob, wire.TeamClipQuery{Team: team})))
	all, err := db.Teams(ctx)
	add(err)
	add(db.PutInTeam(ctx, all[0].ID, bobID, false))
	add(storetest.Second(db.Reviews().Clips(ctx, bob, wire.TeamClipQuery{Team: all[0].ID, Before: engine.FormatCursor(99)})))
	return errs
}
