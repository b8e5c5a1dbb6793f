package chat

import (
	"slices"
	"testing"

	"screentest/shared/wire"
)

// A guest sends nothing, whichever way: the server would refuse it, and what was
// written would stand in a conversation that there is not.
func TestAGuestSendsNothing(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	_, run := b.sent(t, "sent as a member")
	b.end(run.ID, 0, delta("r")+doneMark)
	b.finish(run, wire.Done)
	answer := b.last().ID
	b.session.Hello.Me = &wire.Me{Role: wire.RoleGuest}

	b.Lane(0).Retry(answer)
	if r := b.Shown().Refused(); r == nil || r.Issues[0].Code != wire.CodeNotAllowed {
		t.Errorf("another version is refused with %+v", r)
	}
	if ep, body := b.Lane(0).Endpoint(), []byte(`{"model":"`+chatModel+`","messages":[{"role":"user","content":"raw"}]}`); b.Lane(0).SendRaw(ep, body) == nil {
		t.Error("a body of one's own is sent")
	}
	b.Show("")
	if b.Send("as a guest") || b.Current != nil {
		t.Error("a conversation is begun")
	}
	if slices.Contains(b.far.ops(), wire.OpStart) {
		t.Error("something went to the server")
	}
}
