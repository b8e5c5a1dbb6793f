package search_test

import (
	"testing"
	"time"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// What a person asked otherwise before, a secret that they took out again perhaps, is
// on no page of what they show, and found by nobody else.
func TestSearchFindsNothingBesideTheBranchThatIsShown(t *testing.T) {
	db, _ := storetest.OpenLocal(t)
	ann, _ := storetest.Join(t, db, "Ann", "member")
	bob, _ := storetest.Join(t, db, "Bob", "member")
	ask := func(talk, parent, text, answer string, lane int) wire.Start {
		s := storetest.NewStart(talk, text)
		s.User.Parent, s.User.Lane, s.Lane = parent, lane, lane
		r := storetest.Ended(storetest.RunOf(s), 1)
		started := r
		storetest.Must(t, storetest.Wait(func(done func(error)) { db.StartTurn(ann, s, started, text, "", done) }))
		storetest.Must(t, db.FinishRun(t.Context(), ann, r, answer, nil, nil, nil))
		return s
	}
	first := ask("", "", "walrus one", "walrus two", 0)
	talk := first.Conversation
	ask(talk, first.Answer, "walrus canary", "walrus canary, too", 0)
	ask(talk, first.Answer, "walrus again", "walrus, as it stands", 1)
	ask(talk, first.Answer, "walrus again", "walrus, in another lane", 0)
	ask(talk, first.Answer, "walrus canary in a lane of its own", "walrus canary there", 2)
	ask(talk, first.Answer, "walrus again", "walrus, once more", 1)
	for name, s := range map[string]share{
		"live":       {conversation: talk, audience: "people", person: bob, live: true},
		"a snapshot": {conversation: talk, audience: "people", person: bob, createdMS: time.Now().UnixMilli() + 60_000, title: "walrus one"},
	} {
		showed(t, db, ann, s)
		const want = "Ann answer: walrus two; Ann answer: walrus, in another lane; Ann answer: walrus, once more; Ann question: walrus again; Ann question: walrus again; Ann question: walrus one; Ann title: walrus one"
		if got := found(t, db, bob, wire.Search{Query: "walrus"}); got != want {
			t.Errorf("%s:\nfound %s\nwant  %s", name, got, want)
		}
		if got := found(t, db, bob, wire.Search{Query: "canary"}); got != "" {
			t.Errorf("%s: found %s", name, got)
		}
	}
	if got := found(t, db, ann, wire.Search{Query: "canary"}); got == "" {
		t.Error("their own isn't found by who asked it")
	}
}
