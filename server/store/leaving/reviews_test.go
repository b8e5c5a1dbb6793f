package leaving_test

import (
	"strings"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Who is erased has said nothing any more: the place of a comment stays, and the
// states that they gave, without their name and words. Reviews of clips that are
// handed over go with the clips, with all that others said.
func TestReviewsOfWhoLeaves(t *testing.T) {
	t.Parallel()
	const canary = "canaryann"
	ctx := t.Context()
	dir := storetest.Folder(t)
	ahead := func() time.Time { return time.Now().Add(1000 * time.Hour) }
	db := storetest.Open(t, dir, store.Options{Now: ahead})
	boss, ann, bob := join(t, db, "boss", "admin"), join(t, db, canary, "member"), join(t, db, "bob", "member")
	of := func(owner string) (clip, review string) {
		task := storetest.NewVideo("of somebody")
		task.Gateway = origin
		task = storetest.Taken(t, db.Videos(), owner, task)
		task.State, task.FinishedMS = wire.VideoDone, 6
		got2(db.Videos().End(ctx, owner, task, []string{"http://x/" + task.ID}, 6))
		storetest.Must(t, storetest.Second(db.Shares().Make(ctx, owner, wire.NewShare{Kind: wire.ShareClip, ID: task.ID, Audience: wire.ShareWithAll, Live: true}, "", nil)))
		seen, err := db.Reviews().Look(ctx, owner, wire.Look{Clip: task.ID})
		storetest.Must(t, err)
		return task.ID, seen.Review.ID
	}
	say := func(owner, review, answers string) string {
		said, err := db.Reviews().Comment(ctx, owner, wire.Comment{ID: storetest.NewID(), Review: review, Version: 1, Answers: answers, Text: canary + " says"})
		storetest.Must(t, err)
		return said.Comment.ID
	}
	step := func(owner, review, state, note string) {
		storetest.Must(t, storetest.Second(db.Reviews().Step(ctx, owner, wire.ReviewStep{Review: review, Version: 1, State: state, Note: note})))
	}
	hers, herReview := of(ann)
	his, hisReview := of(bob)
	said, err := db.Reviews().Comment(ctx, bob, wire.Comment{ID: storetest.NewID(), Review: herReview, Version: 1, Text: "of Bob's"})
	storetest.Must(t, err)
	say(ann, herReview, said.Comment.ID)
	first := say(ann, hisReview, "")
	answer, err := db.Reviews().Comment(ctx, bob, wire.Comment{ID: storetest.NewID(), Review: hisReview, Answers: first, Text: "answers"})
	storetest.Must(t, err)
	say(ann, hisReview, "")
	step(bob, hisReview, wire.ReviewOpen, "")
	step(ann, hisReview, wire.ReviewApproved, canary+" notes")

	if e := count(t, db, ann); e.Comments != 3 {
		t.Errorf("before it is counted: %+v", e)
	}
	from := ahead().UnixMilli()
	seeOff(t, db, account.Leaving{Person: ann, Heir: bob, Erase: true, By: boss})
	for _, at := range columnOf(t, db, "SELECT deleted_ms FROM comments WHERE deleted_ms > 0") {
		if at < from {
			t.Errorf("a comment was deleted at %d by another clock than the store's, which was at %d", at, from)
		}
	}
	seen, err := db.Reviews().Look(ctx, bob, wire.Look{Clip: his})
	storetest.Must(t, err)
	r := seen.Review
	if len(r.Comments) != 2 || !r.Comments[0].Deleted || r.Comments[0].Text != "" || !strings.HasPrefix(r.Comments[0].Name, "Erased person") || r.Comments[1].ID != answer.Comment.ID ||
		len(r.Steps) != 2 || r.Steps[1].Note != "" || r.Versions[0].State != wire.ReviewApproved {
		t.Errorf("of his clip there is %+v", r)
	}
	seen, err = db.Reviews().Look(ctx, bob, wire.Look{Clip: hers})
	storetest.Must(t, err)
	if r := seen.Review; !seen.Own || !r.Presents || r.ID != herReview || len(r.Comments) != 1 || r.Comments[0].Text != "of Bob's" {
		t.Errorf("of the clip that he was handed there is %+v", r)
	}
	for storetest.FilesWith(t, dir, canary) != nil { // until the test's own time is up
		storetest.Must(t, db.SetSetting(ctx, bob, "turn", "of the writer"))
	}
}

// columnOf is a column of numbers.
func columnOf(t *testing.T, db *store.DB, query string) (all []int64) {
	t.Helper()
	storetest.Must(t, db.Engine().Write(t.Context(), 0, func(w *engine.Tx) (err error) {
		all, err = engine.Column[int64](w, query)
		return err
	}))
	return all
}
