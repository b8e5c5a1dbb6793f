package engine_test

import (
	"context"
	"testing"

	"screentest/server/store/storetest"
)

// A connection that may not write, as on a disk that was mounted read-only
// while the server ran.
func TestReadOnly(t *testing.T) {
	storetest.OnlySQLite(t)
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	readOnly := func(on string) {
		storetest.Must(t, db.Engine().WriterConn().Raw(func(any) error { return nil })) // the writer is idle
		_, err := db.Engine().WriterConn().ExecContext(ctx, "PRAGMA query_only = "+on)
		storetest.Must(t, err)
	}
	readOnly("1")
	if p := storetest.Problem(db.SetSetting(ctx, owner, "a", "b")); p.Code != "data_read_only" || p.Hint == "" {
		t.Errorf("%+v", p)
	}
	readOnly("0")
	storetest.Must(t, db.SetSetting(ctx, owner, "a", "b"))
}
