package chat

import (
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

func TestReconnectGoesOnFromTheExactByte(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	start, run := b.sent(t, "hi")
	log := delta("one ") + delta("two ") + delta("three ") + doneMark
	cut := len(delta("one ")) + 13 // in the middle of an event
	b.log(run.ID, 0, log[:cut])

	b.link(session.LinkLost)
	b.link(session.LinkOpen)
	r := b.far.take(t, wire.OpRead)
	if got := read[wire.Read](t, r); got != (wire.Read{Run: run.ID, From: int64(cut)}) || !r.once {
		t.Fatalf("read %+v, once %v; want from byte %d, on this connection only", got, r.once, cut)
	}
	// What the server has stored of the conversation comes as well, with no text yet.
	running := run
	b.far.take(t, wire.OpOpen).answer(wire.Opened{
		Summary:  wire.Summary{ID: start.Conversation},
		Messages: []wire.Message{start.User, {ID: start.Answer, Parent: start.User.ID, Role: "assistant", CreatedMS: start.User.CreatedMS, Run: &running}},
	})
	r.answer(run)
	b.log(run.ID, cut-5, log[cut-5:cut+10]) // overlaps
	b.end(run.ID, cut+10, log[cut+10:])
	b.finish(run, wire.Done)
	wantTexts(t, b, "user: hi", "assistant: one two three ")
}

func TestMissingBytesAreAskedForAgain(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	_, run := b.sent(t, "hi")
	log := delta("a") + delta("b") + doneMark
	b.log(run.ID, 0, log[:10])
	b.log(run.ID, 30, log[30:40]) // 20 bytes are missing
	b.log(run.ID, 40, log[40:])
	if got := read[wire.Read](t, b.far.take(t, wire.OpRead)); got.From != 10 {
		t.Errorf("read from %d, want 10", got.From)
	}
	if len(b.far.calls) != 0 {
		t.Errorf("calls %v, want one read only", b.far.ops())
	}
	b.end(run.ID, 10, log[10:])
	b.finish(run, wire.Done)
	wantTexts(t, b, "user: hi", "assistant: ab")
}

func TestServerKilledInMidStreamKeepsWhatItHasStored(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	start, run := b.sent(t, "hi")
	b.log(run.ID, 0, delta("stored ")+delta("lost"))
	b.link(session.LinkLost)
	b.link(session.LinkOpen)
	cut := run
	cut.State, cut.Bytes = wire.Interrupted, int64(len(delta("stored ")))
	b.far.take(t, wire.OpOpen).answer(wire.Opened{
		Summary:  wire.Summary{ID: start.Conversation},
		Messages: []wire.Message{start.User, {ID: start.Answer, Parent: start.User.ID, Role: "assistant", Text: "stored ", CreatedMS: start.User.CreatedMS, Run: &cut}},
	})
	wantTexts(t, b, "user: hi", "assistant: stored ")
	if b.Running() || b.Figures(b.last()).State != "interrupted" {
		t.Errorf("running %v, state %q", b.Running(), b.Figures(b.last()).State)
	}
}

// The news of an end that came elsewhere, behind a log that was shown for longer.
func TestAnEndThatIsShorterThanWhatWasShownIsFetched(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	start, run := b.sent(t, "hi")
	b.log(run.ID, 0, delta("stored ")+delta("lost"))
	cut := run
	cut.State, cut.Bytes = wire.Interrupted, int64(len(delta("stored ")))
	b.news(wire.EventRun, cut)
	b.far.take(t, wire.OpOpen).answer(wire.Opened{
		Summary:  wire.Summary{ID: start.Conversation},
		Messages: []wire.Message{start.User, {ID: start.Answer, Parent: start.User.ID, Role: "assistant", Text: "stored ", CreatedMS: start.User.CreatedMS, Run: &cut}},
	})
	wantTexts(t, b, "user: hi", "assistant: stored ")
	if len(b.far.calls) != 0 {
		t.Errorf("calls %v, want none more", b.far.ops())
	}
}

func TestRunBegunInAnotherTabIsFetchedAndRead(t *testing.T) {
	b := newBench(t)
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}})
	run := wire.Run{ID: "r", Conversation: "c", Message: "a", Endpoint: "chat", Model: chatModel, State: wire.Running}
	b.news(wire.EventRun, run)
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}, Messages: []wire.Message{
		{ID: "u", Role: "user", Text: "from elsewhere", CreatedMS: 1},
		{ID: "a", Parent: "u", Role: "assistant", CreatedMS: 2, Run: &run},
	}})
	b.far.take(t, wire.OpRead).answer(run)
	b.log("r", 0, delta("live"))
	wantTexts(t, b, "user: from elsewhere", "assistant: live")
}

func TestNewsOfAStartThatIsOvertakenByItsEnd(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	b.Send("hi")
	call := b.far.take(t, wire.OpStart)
	start := read[wire.Start](t, call)
	run := wire.Run{ID: start.Run, Conversation: start.Conversation, Message: start.Answer, Endpoint: "chat", State: wire.Failed, Problem: &wire.Problem{Code: "x"}}
	b.news(wire.EventRun, run)
	run.State, run.Problem = wire.Running, nil
	call.answer(run)
	if b.last().Run.State != wire.Failed || b.Running() {
		t.Errorf("state %q, running %v; want the end to stand", b.last().Run.State, b.Running())
	}
}

func TestDetailsAreReadOnceAndLeaveTheTextAlone(t *testing.T) {
	b := newBench(t)
	b.Show("c")
	run := wire.Run{ID: "r", Conversation: "c", Message: "a", Endpoint: "chat", State: wire.Done, Bytes: 100}
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}, Messages: []wire.Message{
		{ID: "a", Role: "assistant", Text: "stored", CreatedMS: 2, Run: &run},
	}})
	b.Shown().Details("a")
	b.Shown().Details("a")
	b.far.take(t, wire.OpRead).answer(run)
	b.log("r", 0, `data: {"choices":[{"delta":{"reasoning_content":"because"}}]}`+"\n\n")
	wantTexts(t, b, "assistant: stored")
	if b.Running() {
		t.Error("reading the details counts as running")
	}
	rest := delta("stored") + doneMark
	b.end("r", len(`data: {"choices":[{"delta":{"reasoning_content":"because"}}]}`+"\n\n"), rest)
	wantTexts(t, b, "assistant: stored")
	if m := b.last(); m.Answer == nil || m.Answer.Reasoning() != "because" || m.Stream != nil {
		t.Errorf("answer %+v, stream %v", m.Answer, m.Stream)
	}
	b.Shown().Details("a")
	if len(b.far.calls) != 0 {
		t.Errorf("calls %v: it was read already", b.far.ops())
	}
}
