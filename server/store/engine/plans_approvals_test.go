package engine_test

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// everyApprovalCall makes those of approvals.
func everyApprovalCall(t *testing.T, db *store.DB) (errs []error) {
	ctx := context.Background()
	add := func(err error) { errs = append(errs, err) }
	who, id := storetest.Join(t, db, "asker", wire.RoleMember)
	team := storetest.Team(t, db, "asked", wire.Limits{}, id)
	a, asked := db.Approvals(), []wire.Approval{}
	for range 3 {
		task := storetest.NewVideo("x")
		task.Team = team
		v, _, err := a.Ask(ctx, who, "", wire.VideoCreate{ID: task.ID, Body: task.Body}, task)
		add(err)
		asked = append(asked, v)
		add(storetest.Second(a.ByClip(ctx, who, task.ID)))
	}
	add(storetest.Second(a.Approval(ctx, asked[0].ID)))
	add(storetest.Second(a.Request(ctx, asked[0].ID)))
	add(storetest.Second(a.Reprice(ctx, asked[0].ID, asked[0].Clip)))
	_, _, err := a.Decide(ctx, asked[0].ID, wire.ApprovalRefused, who, "", "no")
	add(err)
	_, _, _, err = a.Release(ctx, asked[1].ID, who, "", who, 0, "", asked[1].Clip, nil)
	add(err)
	add(storetest.Second(a.List(ctx, who, false, []string{team}, wire.Page{})))
	add(storetest.Second(a.List(ctx, who, true, nil, wire.Page{})))
	return errs
}
