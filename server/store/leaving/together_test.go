package leaving_test

import (
	"testing"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// Of who is erased nothing is left in what others were told, asked for and decided:
// no notice, no request, and neither their name nor their words below a decision of
// theirs.
func TestErasedLeaveNoNotices(t *testing.T) {
	t.Parallel()
	const canary = "canaryann"
	ctx := t.Context()
	dir := storetest.Folder(t)
	db := storetest.Open(t, dir, store.Options{})
	boss, ann, bob := join(t, db, "boss", "admin"), join(t, db, canary, "member"), join(t, db, "bob", "member")
	team := storetest.Team(t, db, "red", wire.Limits{})
	ask := func(owner, prompt string) wire.Approval {
		task := storetest.NewVideo(prompt)
		task.Team = team
		v, _, err := db.Approvals().Ask(ctx, owner, "", wire.VideoCreate{ID: task.ID, Body: task.Body, Title: prompt}, task)
		storetest.Must(t, err)
		return v
	}
	hers, his := ask(ann, canary+" films"), ask(bob, "Bob films")
	if _, changed, err := db.Approvals().Decide(ctx, his.ID, wire.ApprovalRefused, ann, "", canary+" says why"); err != nil || !changed {
		t.Fatal(changed, err)
	}
	for _, n := range [][2]string{{ann, bob}, {bob, ann}, {boss, bob}} {
		storetest.Must(t, storetest.Wait(func(done func(error)) {
			db.Notices().Add([]string{n[1]}, n[0], wire.Notice{Kind: wire.NoticeShare, Path: "/", Text: "by " + n[0] + map[bool]string{true: canary}[n[0] != boss]}, func(_ map[string]wire.Notice, err error) { done(err) })
		}))
	}
	if e := count(t, db, ann); e.Notices != 2 || e.Approvals != 1 {
		t.Errorf("before it is counted: %+v", e)
	}
	seeOff(t, db, account.Leaving{Person: ann, Erase: true, By: boss})
	if left := rowsOf(t, db, ann); len(left) > 1 { // lines of the audit, by number
		t.Errorf("left are %v", left)
	}
	if _, err := db.Approvals().Approval(ctx, hers.ID); err == nil {
		t.Error("what she asked for is there")
	}
	if v, err := db.Approvals().Approval(ctx, his.ID); err != nil || v.State != wire.ApprovalRefused || v.By != "" || v.Reason != "" || v.Asker != "bob" {
		t.Errorf("what she decided: %+v, %v", v, err)
	}
	if list, err := db.Notices().List(ctx, bob, wire.Page{}); err != nil || len(list.Notices) != 1 || list.Notices[0].By != "boss" {
		t.Errorf("what Bob was told: %+v, %v", list, err)
	}
	for storetest.FilesWith(t, dir, canary) != nil { // until the test's own time is up
		storetest.Must(t, db.SetSetting(ctx, bob, "turn", "of the writer"))
	}
}
