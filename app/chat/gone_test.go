package chat

import (
	"slices"
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// What was deleted while a tab was offline stood in its list for ever: nobody
// had told the tab, and a page of the list only ever added to it.
func TestListForgetsWhatWasDeletedWhileOffline(t *testing.T) {
	at := func(id string, ms int64) wire.Summary { return wire.Summary{ID: id, UpdatedMS: ms} }
	pinned := func(id string, ms int64) wire.Summary { return wire.Summary{ID: id, UpdatedMS: ms, Pinned: true} }
	before := wire.ConversationPage{
		Conversations: []wire.Summary{at("a", 90), at("b", 80), pinned("c", 70), at("d", 60)},
		Pinned:        []wire.Summary{pinned("c", 70), pinned("p", 5)},
		Before:        "60",
	}
	older := wire.ConversationPage{Conversations: []wire.Summary{at("e", 50), at("f", 40)}, Before: "40"}
	for _, c := range []struct {
		name  string
		older bool // the next page was turned to
		after wire.ConversationPage
		want  []string
	}{
		{"nothing was", true, before, []string{"a", "b", "c", "d", "e", "f", "p"}},
		{"one that the page covers", true, wire.ConversationPage{
			Conversations: []wire.Summary{at("a", 90), pinned("c", 70), at("d", 60)}, Pinned: before.Pinned, Before: "60",
		}, []string{"a", "c", "d", "e", "f", "p"}},
		{"a pinned one that the page covers", true, wire.ConversationPage{
			Conversations: []wire.Summary{at("a", 90), at("b", 80), at("d", 60)}, Pinned: []wire.Summary{pinned("p", 5)}, Before: "60",
		}, []string{"a", "b", "d", "e", "f", "p"}},
		{"one that was listed for its pin", true, wire.ConversationPage{
			Conversations: before.Conversations, Pinned: []wire.Summary{pinned("c", 70)}, Before: "60",
		}, []string{"a", "b", "c", "d", "e", "f"}},
		{"a pin was let go, the rest is there", false, wire.ConversationPage{
			Conversations: []wire.Summary{at("a", 90), at("b", 80), at("c", 70), at("d", 60)}, Pinned: []wire.Summary{pinned("p", 5)}, Before: "60",
		}, []string{"a", "b", "c", "d", "p"}},
		{"new ones took the room of older ones", true, wire.ConversationPage{
			Conversations: []wire.Summary{at("x", 110), at("y", 100), at("a", 90), at("b", 80)}, Pinned: before.Pinned, Before: "80",
		}, []string{"a", "b", "c", "d", "e", "f", "p", "x", "y"}},
		{"all but one", true, wire.ConversationPage{Conversations: []wire.Summary{at("f", 40)}}, []string{"f"}},
		{"all", false, wire.ConversationPage{}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := reloaded(t, memory{}, before)
			if c.older {
				b.List.FetchMore()
				b.far.take(t, wire.OpConversations).answer(older)
			}
			b.link(session.LinkLost)
			b.link(session.LinkOpen)
			b.far.take(t, wire.OpConversations).answer(c.after)
			if got := listed(b); !slices.Equal(got, c.want) {
				t.Errorf("listed %v, want %v", got, c.want)
			}
		})
	}
}

func listed(b *bench) (ids []string) {
	for _, s := range b.List.Rows {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return ids
}

// A page tells of the time when it was asked for, and of what the server knows.
func TestListKeepsWhatItsPageCannotKnow(t *testing.T) {
	b := reloaded(t, memory{}, wire.ConversationPage{
		Conversations: []wire.Summary{{ID: "a", UpdatedMS: 90}, {ID: "old", UpdatedMS: 10}},
	})
	if !b.Send("a question") {
		t.Fatal(b.Shown().Refusal)
	}
	born := b.far.take(t, wire.OpStart)
	unborn := b.Current.ID
	b.link(session.LinkLost)
	b.link(session.LinkOpen)
	page := b.far.take(t, wire.OpConversations)
	b.far.take(t, wire.OpOpen).refuse("not_found")
	if b.Current.Phase != Ready || len(b.Current.Lane(0).Path()) != 2 {
		t.Errorf("a conversation on its way to the server is in phase %v", b.Current.Phase)
	}
	b.news(wire.EventConversation, wire.Summary{ID: "born since", UpdatedMS: 200})
	b.news(wire.EventConversation, wire.Summary{ID: "old", UpdatedMS: 210})
	start := read[wire.Start](t, born)
	born.answer(wire.Run{ID: start.Run, Conversation: unborn, Message: start.Answer, State: wire.Running})
	page.answer(wire.ConversationPage{Conversations: []wire.Summary{{ID: "a", UpdatedMS: 90}}, Before: "90"})
	want := []string{"a", "born since", "old", unborn}
	slices.Sort(want)
	if got := listed(b); !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
}

// One could go on writing in a conversation that was there no more: its renewal
// was refused, and what was there stayed.
func TestShownConversationDeletedWhileOffline(t *testing.T) {
	b := newBench(t)
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}, Messages: []wire.Message{
		{ID: "u", Role: "user", Text: "q", CreatedMS: 1},
		{ID: "a", Parent: "u", Role: "assistant", Text: "r", CreatedMS: 2, Run: &wire.Run{ID: "r", State: wire.Done}},
	}})
	b.link(session.LinkNone)
	if !b.Send("sent into the void") {
		t.Fatal(b.Shown().Refusal)
	}
	b.Shown().SetDraft("half a question")
	b.link(session.LinkOpen)
	b.far.take(t, wire.OpOpen).refuse("not_found")
	if b.Current.Phase != Missing || len(b.List.Rows) != 0 {
		t.Errorf("phase %v, listed %v", b.Current.Phase, b.List.Rows)
	}
	if !strings.Contains(b.told, "message field of a new") {
		t.Errorf("the notice is %q", b.told)
	}
	b.far.take(t, wire.OpStart).refuse("not_found")
	b.Show("")
	if b.Shown().Draft() != "sent into the void\n\nhalf a question" {
		t.Errorf("the new conversation's draft is %q", b.Shown().Draft())
	}
	if b.store.Get(draftName+"c") != "" {
		t.Error("the draft is kept where nobody finds it")
	}
	b.Show("c")
	b.far.take(t, wire.OpOpen) // asked anew
}

// A refusal for any other reason leaves what is there.
func TestRenewalThatFailsLeavesWhatIsThere(t *testing.T) {
	b := newBench(t)
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}})
	b.Shown().SetDraft("half a question")
	b.link(session.LinkLost)
	b.link(session.LinkOpen)
	b.far.take(t, wire.OpOpen).refuse("no_answer")
	if b.Current.Phase != Ready || len(b.List.Rows) != 1 || b.Shown().Draft() != "half a question" {
		t.Errorf("phase %v, listed %v, draft %q", b.Current.Phase, b.List.Rows, b.Shown().Draft())
	}
}
