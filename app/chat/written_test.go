package chat

import (
	"slices"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// wrote takes what was written as the server does, and returns it.
func (b *bench) wrote(t *testing.T) wire.Written {
	t.Helper()
	call := b.far.take(t, wire.OpWrite)
	w := read[wire.Written](t, call)
	call.answer(wire.Summary{ID: w.Conversation, Title: "t"})
	b.pass(0)
	return w
}

// Both sides of an example are written, a model is asked after them, and gets them.
func TestAConversationBegunByHand(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	b.Shown().SetDraft(" 2+2? ")
	kept := 0
	note := func(ok bool) {
		if ok {
			kept++
		}
	}
	b.Shown().AddDraft(note)
	if b.Send("meanwhile") || b.Shown().Refusal == nil {
		t.Error("another turn is begun while the first message is on its way")
	}
	w := b.wrote(t)
	if w.Conversation == "" || w.Message.Text != "2+2?" || w.Message.Role != "user" || w.Message.Parent != "" {
		t.Errorf("wrote %+v", w)
	}
	if c := b.Current; c == nil || c.ID != w.Conversation || c.Draft() != "" {
		t.Fatal("the conversation is not begun")
	}
	b.Lane(0).Insert(w.Message.ID, "assistant", "four\n", note)
	b.wrote(t)
	if got := b.lane(0); !slices.Equal(got, []string{"user: 2+2?", "assistant: four"}) || kept != 2 {
		t.Errorf("shows %q, %d kept", got, kept)
	}
	if !b.Current.Lane(0).last().Handwritten() {
		t.Error("the answer isn't known as written by hand")
	}
	start, r := b.sent(t, "3+3?")
	if !strings.Contains(string(start.Body), `{"role":"assistant","content":"four"}`) {
		t.Errorf("the model gets %s", start.Body)
	}
	b.says(r, "six")

	// What the model said is written anew, beside it.
	answer := b.Current.Lane(0).Leaf
	b.Lane(0).Rewrite(answer, "SIX", note)
	if w := b.wrote(t); w.Message.Parent != start.User.ID || w.Message.Role != "assistant" {
		t.Errorf("wrote %+v", w)
	}
	leaf := b.Current.Lane(0).last()
	if leaf.Text != "SIX" || len(b.Current.Lane(0).Versions(leaf)) != 2 || kept != 3 {
		t.Errorf("shows %q of versions %q", leaf.Text, b.Current.Lane(0).Versions(leaf))
	}
	if again, _ := b.sent(t, "and?"); strings.Contains(string(again.Body), "six") || !strings.Contains(string(again.Body), "SIX") {
		t.Errorf("the model gets %s", again.Body)
	}
}

// What isn't kept stays where it was typed.
func TestWhatIsRefusedIsStillTyped(t *testing.T) {
	b := newBench(t)
	b.Shown().SetDraft("x")
	said := -1
	b.Shown().AddDraft(func(kept bool) {
		if said = 0; kept {
			said = 1
		}
	})
	b.far.take(t, wire.OpWrite).refuse("too_large")
	if said != 0 || b.Current != nil || b.Shown().Draft() != "x" || b.Shown().Refusal == nil {
		t.Errorf("said %d, the draft is %q, refused by %+v", said, b.Shown().Draft(), b.Shown().Refusal)
	}
}

// Where no answer told whether it was kept, the same again is the same message.
func TestWhatMayBeKeptIsWrittenOnce(t *testing.T) {
	b := newBench(t)
	b.Shown().SetDraft("x")
	add := func() { b.Shown().AddDraft(func(bool) {}) }
	add()
	add() // while the first is on its way
	if b.Shown().Refusal == nil {
		t.Error("nothing says that it waits")
	}
	call := b.far.take(t, wire.OpWrite)
	first := read[wire.Written](t, call)
	call.refuse("no_answer")
	add()
	call = b.far.take(t, wire.OpWrite)
	if again := read[wire.Written](t, call); again.Conversation != first.Conversation || again.Message.ID != first.Message.ID {
		t.Errorf("wrote %+v, then %+v", first, again)
	}
	call.refuse("no_answer")
	b.Shown().SetDraft("another")
	add()
	if other := b.wrote(t); other.Message.ID == first.Message.ID {
		t.Error("another text goes under the same id")
	}
}

// Another answer is asked for only where a question stands above.
func TestAnAnswerBelowAnAnswerIsNotAskedFor(t *testing.T) {
	b := newBench(t)
	b.Shown().SetDraft("question")
	b.Shown().AddDraft(func(bool) {})
	w := b.wrote(t)
	one := b.inserted(t, w.Message.ID, "one")
	two := b.inserted(t, one, "two")
	c := b.Current
	if !c.Answers(c.Message(one)) || c.Answers(c.Message(two)) || c.Answers(c.Message(w.Message.ID)) {
		t.Error("what may be answered again")
	}
	b.Lane(0).Retry(two)
	if got := b.lane(0); !slices.Equal(got, []string{"user: question", "assistant: one", "assistant: two"}) {
		t.Errorf("shows %q", got)
	}
}

// inserted puts an answer below a message and returns its id.
func (b *bench) inserted(t *testing.T, below, text string) string {
	t.Helper()
	b.Lane(0).Insert(below, "assistant", text, func(bool) {})
	return b.wrote(t).Message.ID
}

// Lanes that are at one place go on from what was added there; one that was led
// elsewhere stays.
func TestADraftIsAddedToTheLanesThatAreThere(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	b.Shown().SetDraft("both")
	b.Shown().AddDraft(func(bool) {})
	w := b.wrote(t)
	for i := range 2 {
		if got := b.lane(i); !slices.Equal(got, []string{"user: both"}) {
			t.Errorf("lane %d shows %q", i, got)
		}
	}
	b.Lane(1).Insert(w.Message.ID, "assistant", "mine", func(bool) {})
	b.wrote(t)
	if b.Lane(0).Leaf != w.Message.ID || len(b.lane(1)) != 2 {
		t.Errorf("lanes %q and %q", b.lane(0), b.lane(1))
	}
}
