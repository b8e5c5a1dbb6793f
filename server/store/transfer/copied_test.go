package transfer_test

import (
	"strings"
	"testing"

	"screentest/server/store/storetest"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// What was asked otherwise before is nobody's but its owner's: not in a copy, and not
// in a snapshot.
func TestWhatWasAskedOtherwiseBeforeStays(t *testing.T) {
	db, ann := storetest.OpenLocal(t)
	k := talk{db: db, ann: ann}
	k.bob, _ = storetest.Join(t, db, "Bob", wire.RoleMember)
	say := func(s wire.Start, text string, failed *wire.Problem) {
		t.Helper()
		storetest.Must(t, storetest.StartTurn(db, ann, s))
		r := storetest.Ended(storetest.RunOf(s), 1)
		if r.Problem = failed; failed != nil {
			r.State = wire.Failed
		}
		storetest.Must(t, db.FinishRun(t.Context(), ann, r, text, nil, nil, nil))
	}
	first := storetest.NewStart("", "Hello")
	say(first, "Hello.", nil)
	secret := storetest.NewStart(first.Conversation, "The canary is yellow")
	secret.User.Parent = first.Answer
	say(secret, "A canary!", nil)
	edited := storetest.NewStart(first.Conversation, "The bird is yellow")
	edited.User.Parent = first.Answer
	say(edited, "", &wire.Problem{Code: "bad", Message: "Nothing at http://gateway.internal:9/v1/chat came.", Hint: "Ask canary@example.com."})

	if got, o := k.copied(t, transfer.Source{Owner: ann, Subject: first.Conversation}, wire.CopyShare{}); got != "Hello / Hello. / The bird is yellow / " ||
		o.Messages[3].Run.Problem == nil || o.Messages[3].Run.Problem.Message != "Nothing at [address] came." {
		t.Errorf("copied is %s, %+v", got, o.Messages[len(o.Messages)-1].Run)
	}
	snapshot, _, err := db.Snapshot(t.Context(), ann, first.Conversation)
	storetest.Must(t, err)
	for _, canary := range []string{"canary", "gateway.internal"} {
		if strings.Contains(string(snapshot), canary) {
			t.Errorf("a snapshot tells of %s: %s", canary, snapshot)
		}
	}
}

// Before there was a vote nobody learns by a copy which model a hidden name is.
func TestACopyOfOneHiddenModelIsRefused(t *testing.T) {
	k := newTalk(t)
	storetest.Must(t, storetest.Second(k.db.SetLanes(t.Context(), k.ann, wire.Lanes{Conversation: k.id, Blind: true, Lanes: []wire.Lane{{Model: "m-1", Leaf: k.a2}, {Model: "m-2", Leaf: k.b2}}})))
	from := transfer.Source{Owner: k.ann, Subject: k.id}
	one := 1
	if _, err := k.db.Copy(t.Context(), k.bob, from, wire.CopyShare{Lane: &one}); err == nil || !strings.Contains(err.Error(), "vote") {
		t.Errorf("a lane of hidden ones: %v", err)
	}
	if _, o := k.copied(t, from, wire.CopyShare{}); o.Lanes == nil || !o.Lanes.Blind {
		t.Errorf("all lanes: %+v", o.Lanes)
	}
}
