package chat

import (
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

func TestDraftIsKeptByConversation(t *testing.T) {
	b := newBench(t)
	b.Shown().SetDraft("for a new one")
	b.Show("c1")
	b.Shown().SetDraft("for c1")
	b.Show("")
	if b.Shown().Draft() != "for a new one" {
		t.Errorf("draft %q", b.Shown().Draft())
	}
	b.Send("for a new one")
	if len(b.store) == 0 || b.store[draftName] != "" || b.store[draftName+"c1"] != "for c1" {
		t.Errorf("after sending the store is %q", b.store)
	}
	for name, value := range b.store {
		if strings.Contains(strings.ToLower(name+value), "sk-") {
			t.Errorf("the store holds %q = %q", name, value)
		}
	}
}

func TestModelOfALane(t *testing.T) {
	b := newBench(t)
	if b.Lane(0).Model() != b.session.Models[0].ID {
		t.Errorf("at first %q, want the catalogue's first", b.Lane(0).Model())
	}
	b.Lane(0).Choose(chatModel)
	b.Show("c1")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c1"}, Messages: []wire.Message{
		{ID: "u", Role: "user", Text: "q", CreatedMS: 1},
		{ID: "a", Parent: "u", Role: "assistant", Text: "r", CreatedMS: 2, Run: &wire.Run{ID: "r", Model: responsesModel, State: wire.Done}},
	}})
	if b.Lane(0).Model() != responsesModel {
		t.Errorf("in an old conversation %q, want the model that answered there", b.Lane(0).Model())
	}
	b.Lane(0).Choose("zeta-1")
	if b.Lane(0).Model() != "zeta-1" {
		t.Errorf("after choosing %q", b.Lane(0).Model())
	}
	b.Show("")
	if b.Lane(0).Model() != "zeta-1" {
		t.Errorf("in a new conversation %q, want the last choice", b.Lane(0).Model())
	}
}

func TestConversationThatIsNotThere(t *testing.T) {
	b := newBench(t)
	b.Show("gone")
	b.far.take(t, wire.OpOpen).refuse("not_found")
	if b.Current.Phase != Missing {
		t.Errorf("phase %v, want Missing", b.Current.Phase)
	}
	b.Show("sick")
	b.far.take(t, wire.OpOpen).refuse("no_answer")
	if b.Current.Phase != Broken || b.Current.Problem == nil {
		t.Errorf("phase %v, want Broken with its problem", b.Current.Phase)
	}
	b.Shown().Refetch()
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "sick"}})
	if b.Current.Phase != Ready {
		t.Errorf("phase %v, want Ready", b.Current.Phase)
	}
}

func TestDeleteCanBeUndoneAndIsThenNotAsked(t *testing.T) {
	b := newBench(t)
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c", Title: "Sea"}})
	b.List.Delete("c")
	if b.Current != nil || len(b.List.Rows) != 0 || b.List.Deleted == nil {
		t.Fatalf("current %v, list %v, deleted %v", b.Current, b.List.Rows, b.List.Deleted)
	}
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"}) // does not bring it back
	if len(b.List.Rows) != 0 {
		t.Error("news of it showed it again")
	}
	if id := b.List.Undo(); id != "c" || len(b.List.Rows) != 1 {
		t.Errorf("undo gave %q, list %v", id, b.List.Rows)
	}
	b.pass(time.Minute)
	if len(b.far.calls) != 0 {
		t.Errorf("calls %v, want none", b.far.ops())
	}

	b.List.Delete("c")
	b.pass(undoFor)
	if got := read[wire.Target](t, b.far.take(t, wire.OpDelete)); got.ID != "c" || b.List.Deleted != nil {
		t.Errorf("deleted %q, still to undo %v", got.ID, b.List.Deleted)
	}
}

// What the server refuses is taken back, and said.
func TestARefusedChangeIsTakenBack(t *testing.T) {
	b := newBench(t)
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c", Title: "Sea"}})
	full := &wire.Problem{Code: "disk_full", Message: "The disk is full."}

	b.List.Rename("c", "Lake")
	if b.List.Rows[0].Title != "Lake" || b.Current.Summary.Title != "Lake" {
		t.Errorf("the title is %q and %q before the answer", b.List.Rows[0].Title, b.Current.Summary.Title)
	}
	b.far.take(t, wire.OpRename).done(nil, full)
	if b.List.Rows[0].Title != "Sea" || b.Current.Summary.Title != "Sea" || !strings.Contains(b.told, full.Message) {
		t.Errorf("refused, the title is %q and %q, and it says %q", b.List.Rows[0].Title, b.Current.Summary.Title, b.told)
	}

	for code, back := range map[string]int{"disk_full": 1, "not_found": 0} {
		b.told = ""
		b.List.Delete("c")
		b.pass(undoFor)
		b.far.take(t, wire.OpDelete).done(nil, &wire.Problem{Code: code, Message: full.Message})
		if len(b.List.Rows) != back || strings.Contains(b.told, full.Message) != (back == 1) {
			t.Errorf("%s: the list is %v, and it says %q", code, b.List.Rows, b.told)
		}
		b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	}
}

func TestConversationDeletedElsewhere(t *testing.T) {
	b := newBench(t)
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}})
	b.Shown().SetDraft("half a question")
	b.Shown().SetRawDraft(`{"half":1}`)
	if !b.storeHas("half a question") || !b.storeHas(`{"half":1}`) {
		t.Fatal("the drafts are not kept")
	}
	b.news(wire.EventDeleted, wire.Target{ID: "c"})
	if b.Current.Phase != Missing {
		t.Errorf("phase %v, want Missing", b.Current.Phase)
	}
	if b.storeHas("half a question") || b.storeHas(`{"half":1}`) {
		t.Errorf("a draft outlives its conversation: %q", b.store)
	}
}

func TestStaleOnlyWithAnotherBuild(t *testing.T) {
	b := newBench(t)
	if b.session.Stale() {
		t.Error("stale with the same build")
	}
	b.news(wire.EventHello, wire.Hello{Build: "b2"})
	if !b.session.Stale() {
		t.Error("not stale with another build")
	}
}
