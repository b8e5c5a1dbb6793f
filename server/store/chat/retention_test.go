package chat_test

import (
	"bytes"
	"context"
	"reflect"
	"testing"
	"time"

	"screentest/server/store/chat"
	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// wireLog is what a run has logged.
var wireLog = bytes.Repeat([]byte("data: {\"delta\":\"a few words\"}\n\n"), 300)

// Wire events of old runs go, and nothing else: not the text, not what it cost,
// not what is newer, under way, or somebody else's.
func TestOldWireEventsGo(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	old := storetest.RunOf(storetest.NewStart("", "")).StartedMS
	run := func(who string, startedMS int64) wire.Start {
		t.Helper()
		s := storetest.NewStart("", "a question")
		r := storetest.RunOf(s)
		r.StartedMS = startedMS
		storetest.Must(t, storetest.Wait(func(done func(error)) { db.StartTurn(who, s, r, "title", "", done) }),
			db.FinishRun(ctx, who, storetest.Ended(r, 7), "an answer", wireLog, []byte{1, 2, 3}, nil))
		return s
	}
	var gone []wire.Start
	for range 2*chat.WireStep + 3 {
		gone = append(gone, run(owner, old))
	}
	newer, bobs := run(owner, old+time.Hour.Milliseconds()), run(bob, old)
	running := storetest.NewStart("", "under way")
	storetest.Must(t, storetest.StartTurn(db, owner, running))
	before := storetest.LedgerRows(t, db, owner)

	n, err := db.DropWire(ctx, owner, time.UnixMilli(old+time.Hour.Milliseconds()))
	if err != nil || n != len(gone) {
		t.Fatalf("of %d runs, %v; want %d", n, err, len(gone))
	}
	for _, s := range gone {
		log, err := db.ReadRunLog(ctx, owner, s.Run, 0, 1<<20)
		if err != nil || len(log) != 0 {
			t.Fatalf("%d bytes of log are left, %v", len(log), err)
		}
		if _, err := db.RunRequest(ctx, owner, s.Run); err == nil {
			t.Fatal("the sent body is left")
		}
		opened, err := db.OpenConversation(ctx, owner, storetest.PageOf(s))
		storetest.Must(t, err)
		answer := opened.Messages[len(opened.Messages)-1]
		if answer.Text != "an answer" || answer.Run.Bytes != 0 || answer.Run.CostNanoUSD != 7 || answer.Run.OutputTokens != 118 || answer.Run.State != wire.Done {
			t.Fatalf("the answer is %+v, %+v", answer, answer.Run)
		}
	}
	for who, s := range map[string]wire.Start{owner: newer, bob: bobs} {
		if log, err := db.ReadRunLog(ctx, who, s.Run, 0, 1<<20); err != nil || !bytes.Equal(log, wireLog) {
			t.Errorf("what is newer, or another's: %d bytes, %v", len(log), err)
		}
	}
	if _, err := db.RunRequest(ctx, owner, running.Run); err != nil {
		t.Errorf("what is under way: %v", err)
	}
	if after := storetest.LedgerRows(t, db, owner); !reflect.DeepEqual(after, before) {
		t.Errorf("the ledger is now\n%+v, was\n%+v", after, before)
	}
	if n, err := db.DropWire(ctx, owner, time.UnixMilli(old+time.Hour.Milliseconds())); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
	storetest.CheckIntegrity(t, db)
}
