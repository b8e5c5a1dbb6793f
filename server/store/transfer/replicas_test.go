package transfer_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"screentest/server/store"
	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// What a replica has staged is nobody else's to delete while it is there; when it is
// gone another one deletes it, and imports. One import at a time is made for an owner.
func TestWhatAnotherReplicaHasStagedIsLeftAlone(t *testing.T) {
	ctx := context.Background()
	dbs, owner := storetest.Replicas(t, 3)
	a, b, c := dbs[0], dbs[1], dbs[2]
	stage := func(db *store.DB) *chat.Staging {
		t.Helper()
		s, err := db.Stage(ctx, owner)
		storetest.Must(t, err)
		storetest.Must(t, s.Conversation(wire.Summary{ID: storetest.NewID(), Title: "staged"}))
		for range chat.StagedStep {
			storetest.Must(t, s.Message(wire.Message{ID: storetest.NewID(), Role: "user", Text: "a question"}))
		}
		return s
	}
	want := func(when string, conversations, staged int) {
		t.Helper()
		if n, _, _, left := stored(t, c); n != conversations || left != staged {
			t.Errorf("%s: %d conversations, %d of them staged; want %d, %d", when, n, left, conversations, staged)
		}
	}
	first := stage(a)
	storetest.Must(t, b.DropStaged(ctx))
	want("dropped elsewhere", 1, 1)
	_, err := b.Import(ctx, owner, strings.NewReader(importFile(1, 1)))
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != "conflict" {
		t.Errorf("a second import at the same time: %v", err)
	}
	want("refused elsewhere", 1, 1)
	storetest.Must(t, storetest.Second(first.Publish(nil)))
	first.Close()
	want("published", 1, 0)
	storetest.Must(t, storetest.Second(b.Import(ctx, owner, strings.NewReader(importFile(1, 1)))))
	want("imported after it", 2, 0)

	second := stage(a)
	if won, err := b.Replicas().TakeOver(ctx, a.Engine().Holder()); err != nil || !won {
		t.Fatal(won, err)
	}
	want("its replica is gone", 3, 1)
	if _, err := second.Publish(nil); !errors.Is(err, engine.ErrUnsettled) {
		t.Errorf("published by who is gone: %v", err)
	}
	second.Close()
	want("closed by who is gone", 3, 1)
	storetest.Must(t, b.DropStaged(ctx))
	want("dropped by who took over", 2, 0)
	storetest.Must(t, storetest.Second(c.Import(ctx, owner, strings.NewReader(importFile(2, 1)))))
	want("imported by another one", 4, 0)
}
