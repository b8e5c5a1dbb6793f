package engine_test

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// everyNoticeCall makes those of notices.
func everyNoticeCall(t *testing.T, db *store.DB) (errs []error) {
	ctx := context.Background()
	who, _ := storetest.Join(t, db, "noticed", wire.RoleMember)
	var given map[string]wire.Notice
	errs = append(errs, storetest.Wait(func(done func(error)) {
		db.Notices().Add([]string{who}, who, wire.Notice{Kind: wire.NoticeShare, Path: "/"}, func(g map[string]wire.Notice, err error) {
			given = g
			done(err)
		})
	}))
	return append(errs, storetest.Second(db.Notices().List(ctx, who, wire.Page{})), db.Notices().Seen(ctx, who, given[who].ID))
}
