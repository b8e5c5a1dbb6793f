package chat

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// A text that was sent before the server had greeted the page goes when it has,
// unless it was changed since.
func TestTextSentBeforeTheGreetingWaits(t *testing.T) {
	for _, changed := range []bool{false, true} {
		n := newBench(t)
		n.store = memory{}
		sent := 0
		o := n.options()
		o.Resend = func(text string) {
			sent++
			if text != "hello" {
				t.Errorf("sent is %q", text)
			}
		}
		n.Chat = New(o)
		if !n.Shown().TakeOver("hello", "") {
			t.Error("the text is joined with nothing")
		}
		if n.Shown().Send("hello") || n.Shown().Refusal == nil || sent != 0 {
			t.Error("it is sent before the greeting")
		}
		if changed {
			n.Shown().SetDraft("hello you")
		}
		n.hello(wire.Gateway{Sandbox: true, HasKey: true, StreamOptions: true})
		n.link(session.LinkOpen)
		n.hello(wire.Gateway{Sandbox: true, HasKey: true, StreamOptions: true})
		if want := map[bool]int{false: 1, true: 0}[changed]; sent != want {
			t.Errorf("changed %v: it was sent %d times", changed, sent)
		}
	}
}

func TestTakeOverKeepsADraftThatWasNotSeen(t *testing.T) {
	for _, tt := range []struct{ stored, seen, typed, want string }{
		{"", "", "new", "new"},
		{"old", "", "new", "old\n\nnew"},
		{"old", "old", "new", "new"},
		{"old", "", "old and new", "old and new"},
	} {
		n := newBench(t)
		n.Shown().SetDraft(tt.stored)
		if whole := n.Shown().TakeOver(tt.typed, tt.seen); n.Shown().Draft() != tt.want || whole != (tt.want == tt.typed) {
			t.Errorf("%q, %q seen, %q typed: %q, whole %v", tt.stored, tt.seen, tt.typed, n.Shown().Draft(), whole)
		}
	}
}
