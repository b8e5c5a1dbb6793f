package chat

import (
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// reloaded is a page of the browser with that store, loaded anew.
func reloaded(t *testing.T, store memory, list wire.ConversationPage) *bench {
	t.Helper()
	n := newBench(t)
	n.store = store
	n.Chat = New(n.options())
	n.hello(wire.Gateway{Sandbox: true, HasKey: true, StreamOptions: true})
	n.link(session.LinkOpen)
	n.far.take(t, wire.OpConversations).answer(list)
	return n
}

// What the server had not taken when the page was loaded anew is in the
// composer again.
func TestUnsentMessagesOutliveAReload(t *testing.T) {
	b := newBench(t)
	b.Shown().SetDraft("of a new one")
	if !b.Send("of a new one") {
		t.Fatal(b.Shown().Refusal)
	}
	id := b.Current.ID
	t.Run("its conversation is opened, and there is none", func(t *testing.T) {
		b := reloaded(t, copied(b.store), wire.ConversationPage{})
		b.Show(id)
		b.far.take(t, wire.OpOpen).refuse("not_found")
		b.Show("")
		if b.Shown().Draft() != "of a new one" || !strings.Contains(b.told, "didn’t reach the server") {
			t.Errorf("draft %q, notice %q", b.Shown().Draft(), b.told)
		}
	})
	t.Run("a new one is opened", func(t *testing.T) {
		store := copied(b.store)
		store.Set(draftName, "typed since")
		b := reloaded(t, store, wire.ConversationPage{})
		if b.Shown().Draft() != "of a new one\n\ntyped since" || b.store.Get(unsentName) != "" {
			t.Errorf("draft %q, %+v", b.Shown().Draft(), b.unsent())
		}
	})
	t.Run("the server has the conversation, without it", func(t *testing.T) {
		s := wire.Summary{ID: id}
		b := reloaded(t, copied(b.store), wire.ConversationPage{Conversations: []wire.Summary{s}})
		if b.Shown().Draft() != "" {
			t.Errorf("a new one has %q", b.Shown().Draft())
		}
		b.Show(id)
		b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: s})
		if b.Shown().Draft() != "of a new one" {
			t.Errorf("draft %q", b.Shown().Draft())
		}
	})
	t.Run("the server has it after all", func(t *testing.T) {
		s := wire.Summary{ID: id}
		u := b.unsent()
		b := reloaded(t, copied(b.store), wire.ConversationPage{Conversations: []wire.Summary{s}})
		b.Show(id)
		b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: s, Messages: []wire.Message{{ID: u.Message, Role: "user", Text: u.Text}}})
		if b.Shown().Draft() != "" || b.told != "" || b.store.Get(unsentName) != "" {
			t.Errorf("draft %q, notice %q", b.Shown().Draft(), b.told)
		}
	})
	t.Run("the tab that sends it fetches the conversation meanwhile", func(t *testing.T) {
		b.recall(b.Current)
		if b.unsent().Text != "of a new one" || b.Shown().Draft() != "" {
			t.Errorf("draft %q, %+v", b.Shown().Draft(), b.unsent())
		}
	})
	call := b.far.take(t, wire.OpStart)
	start := read[wire.Start](t, call)
	call.answer(wire.Run{ID: start.Run, Conversation: id, Message: start.Answer, State: wire.Running})
	if u := b.unsent(); u.Message != "" {
		t.Errorf("taken, and still kept: %+v", u)
	}
}

// A message that the server refused did reach it: after a reload it is said why
// it was not sent.
func TestARefusedMessageComesBackWithTheReason(t *testing.T) {
	b := newBench(t)
	if !b.Send("one too many") {
		t.Fatal(b.Shown().Refusal)
	}
	b.far.take(t, wire.OpStart).done(nil, &wire.Problem{Code: "too_many_runs", Message: "512 answers are under way, which is the limit."})
	b = reloaded(t, copied(b.store), wire.ConversationPage{})
	if b.Shown().Draft() != "one too many" || !strings.Contains(b.told, "wasn’t sent. 512 answers are under way") || strings.Contains(b.told, "didn’t reach") {
		t.Errorf("draft %q, notice %q", b.Shown().Draft(), b.told)
	}
}

func copied(m memory) memory {
	c := memory{}
	for k, v := range m {
		c[k] = v
	}
	return c
}
