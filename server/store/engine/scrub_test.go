package engine_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
)

// A server that is stopped right after a deletion leaves it to the next one to
// have the words gone from the files.
func TestTheNextStartFinishesADeletion(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	db, err := storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	owner, err := db.EnsureLocalUser(ctx)
	storetest.Must(t, err)
	for i := range 70 {
		storetest.Talk(t, db, owner, "", fmt.Sprintf("question %d zebrafish", i), storetest.Says("zebra"))
	}
	s, _ := storetest.Talk(t, db, owner, "", "zebracanary", storetest.Says("zebra"))
	storetest.Indexed(t, db)
	release := storetest.Hold(t, db)
	deleted, closed := make(chan error, 1), make(chan error, 1)
	go func() { deleted <- db.DeleteConversation(ctx, owner, s.Conversation) }()
	await := func(what func() bool) {
		for !what() {
			runtime.Gosched()
		}
	}
	await(func() bool { units, _ := db.Engine().Queued(); return units == 1 })
	go func() { closed <- db.Close() }()
	await(func() bool { _, closing := db.Engine().Queued(); return closing })
	release()
	storetest.Must(t, <-deleted, <-closed)

	db, err = storetest.TryOpen(t, dir, store.Options{})
	storetest.Must(t, err)
	for left := true; left; runtime.Gosched() {
		storetest.Must(t, db.Engine().At(ctx).Scan("SELECT EXISTS (SELECT 1 FROM meta WHERE name = ?)", []any{engine.ScrubName}, &left))
	}
	storetest.Must(t, db.Close())
	if found := storetest.FilesWith(t, dir, "canary"); len(found) > 0 {
		t.Errorf("a deleted word is still in %q", found)
	}
}
