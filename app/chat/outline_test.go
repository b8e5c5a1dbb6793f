package chat

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// longConversation is a chain of n messages as the server keeps it.
func longConversation(n int) (all []wire.Message, o wire.Outline) {
	o.Conversation = "c"
	for i := range n {
		m := wire.Message{ID: fmt.Sprintf("00000000-0000-4000-9000-%012d", i), Role: "user", Text: fmt.Sprint("text ", i), CreatedMS: int64(i)}
		letter := "u"
		if i%2 == 1 {
			m.Role, letter = "assistant", "a"
		}
		if i > 0 {
			m.Parent = all[i-1].ID
		}
		all = append(all, m)
		o.IDs += m.ID
		o.Parents = append(o.Parents, i-1)
		o.Roles += letter
		o.Lanes = append(o.Lanes, 0)
		o.Lengths = append(o.Lengths, len(m.Text))
	}
	return all, o
}

// openLong opens a conversation of n messages by its newest ten.
func openLong(t *testing.T, n int) (*bench, []wire.Message) {
	t.Helper()
	b := newBench(t)
	all, o := longConversation(n)
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}, Messages: all[n-10:], Before: "cursor"})
	b.far.take(t, wire.OpOutline).answer(o)
	return b, all
}

// serve answers a call for messages.
func serve(t *testing.T, b *bench, all []wire.Message) []string {
	t.Helper()
	call := b.far.take(t, wire.OpMessages)
	q := read[wire.MessageQuery](t, call)
	var got wire.Messages
	for _, m := range all {
		if slices.Contains(q.IDs, m.ID) {
			got.Messages = append(got.Messages, m)
		}
	}
	call.answer(got)
	return q.IDs
}

func TestLongConversationIsWholeInItsPathBeforeItsTextsAre(t *testing.T) {
	b, all := openLong(t, 200)
	path := b.Current.Lane(0).Path()
	if len(path) != 200 || b.Current.Earlier {
		t.Fatalf("%d messages in the path, earlier %v", len(path), b.Current.Earlier)
	}
	for i, m := range path {
		if m.ID != all[i].ID || m.Role != all[i].Role || m.Stub != (i < 190) || m.Size() != len(all[i].Text) {
			t.Fatalf("message %d is %+v", i, m)
		}
	}
	b.Current.Need(path[20:24])
	b.Current.Need(path[20:24]) // under way
	if ids := serve(t, b, all); len(ids) != 4 {
		t.Errorf("asked for %v", ids)
	}
	if len(b.far.calls) != 0 {
		t.Errorf("and then %v", b.far.ops())
	}
	if m := path[21]; m.Stub || m.Text != "text 21" {
		t.Errorf("message 21 is %+v", m)
	}
	if !slices.Equal(path, b.Current.Lane(0).Path()) {
		t.Error("the path changed with the texts")
	}
}

func TestWholeHistoryIsSentHoweverLong(t *testing.T) {
	b, all := openLong(t, 100)
	b.Lane(0).Choose(chatModel)
	if b.Send("and now?") {
		t.Fatal("sent with texts missing")
	}
	if b.Shown().Refusal == nil || b.Shown().Refusal.Issues[0].Code != "not_loaded" {
		t.Fatalf("refused by %+v", b.Shown().Refusal)
	}
	b.pass(fillFirst) // the older texts are on their way by themselves, too
	for slices.Contains(b.far.ops(), wire.OpMessages) {
		serve(t, b, all)
		b.pass(time.Millisecond)
	}
	if len(b.resent) != 1 || b.resent[0] != "and now?" || b.Shown().Refusal != nil {
		t.Fatalf("sent by itself: %q, refused by %+v", b.resent, b.Shown().Refusal)
	}
	start := read[wire.Start](t, b.far.take(t, wire.OpStart))
	for _, m := range all {
		if !strings.Contains(string(start.Body), fmt.Sprintf("%q", m.Text)) {
			t.Fatalf("the request lacks %q", m.Text)
		}
	}
}

func TestWhatIsHeldBackIsSentOnlyAsItStands(t *testing.T) {
	for name, c := range map[string]struct {
		then    func(b *bench)
		refused bool
	}{
		"typed on":             {then: func(b *bench) { b.Shown().SetDraft("and now? or not") }},
		"another conversation": {then: func(b *bench) { b.Show("") }},
		"not fetched": {then: func(b *bench) {
			for slices.Contains(b.far.ops(), wire.OpMessages) {
				b.far.take(t, wire.OpMessages).refuse("storage_failed")
			}
		}, refused: true},
		"gone elsewhere": {then: func(b *bench) {
			for slices.Contains(b.far.ops(), wire.OpMessages) {
				b.far.take(t, wire.OpMessages).answer(wire.Messages{})
			}
			b.pass(time.Millisecond)
			if slices.Contains(b.far.ops(), wire.OpMessages) {
				t.Error("asked again for what is gone")
			}
		}, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			b, all := openLong(t, 100)
			b.Lane(0).Choose(chatModel)
			if b.Send("and now?") {
				t.Fatal("sent with texts missing")
			}
			c.then(b)
			for range 20 {
				if slices.Contains(b.far.ops(), wire.OpMessages) {
					serve(t, b, all)
				}
				b.pass(time.Second)
			}
			if len(b.resent) > 0 || slices.Contains(b.far.ops(), wire.OpStart) {
				t.Errorf("sent: %q", b.resent)
			}
			if got := b.Shown().Refusal != nil && b.Shown().Refusal.Issues[0].Hint == "Send again."; got != c.refused {
				t.Errorf("refused by %+v", b.Shown().Refusal)
			}
		})
	}
}

func TestOlderTextsComeByThemselvesTheNewestFirst(t *testing.T) {
	b, all := openLong(t, 200)
	b.pass(fillFirst)
	if ids := serve(t, b, all); ids[0] != all[189].ID || len(ids) != needAtOnce {
		t.Errorf("asked for %d, first %s", len(ids), ids[0])
	}
	for range 10 {
		b.pass(fillEvery)
		if slices.Contains(b.far.ops(), wire.OpMessages) {
			serve(t, b, all)
		}
	}
	for _, m := range b.Current.Lane(0).Path() {
		if m.Stub {
			t.Fatalf("%s has no text", m.ID)
		}
	}
	b.Show("")
	b.pass(time.Minute)
	if ops := b.far.ops(); slices.Contains(ops, wire.OpMessages) {
		t.Errorf("still asking: %v", ops)
	}
}

func TestMessageOnAnotherBranchIsFound(t *testing.T) {
	b := newBench(t)
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}, Messages: []wire.Message{
		{ID: "u", Role: "user", Text: "q", CreatedMS: 1},
		{ID: "a1", Parent: "u", Role: "assistant", Text: "first", CreatedMS: 2},
		{ID: "u2", Parent: "a1", Role: "user", Text: "more", CreatedMS: 3},
		{ID: "a2", Parent: "u", Role: "assistant", Text: "second", CreatedMS: 4},
	}})
	wantTexts(t, b, "user: q", "assistant: second")
	if lane, at, ok := b.Shown().Find("a1"); lane != 0 || at != 1 || !ok {
		t.Errorf("lane %d, place %d, %v", lane, at, ok)
	}
	wantTexts(t, b, "user: q", "assistant: first", "user: more")
	if _, _, ok := b.Shown().Find("nowhere"); ok {
		t.Error("found what is not there")
	}
}

func TestGapAfterALongAbsenceBeginsAgain(t *testing.T) {
	b, _ := openLong(t, 50)
	b.link(session.LinkLost)
	b.link(session.LinkOpen)
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}, Before: "cursor", Messages: []wire.Message{
		{ID: "new", Role: "user", Text: "from elsewhere", CreatedMS: 1e6},
	}})
	wantTexts(t, b, "user: from elsewhere")
	b.far.take(t, wire.OpOutline)
}
