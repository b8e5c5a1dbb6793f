package chat

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestFirstTurnMakesAConversationAndStreamsIntoIt(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	start, run := b.sent(t, "  Hello\nthere ")
	if b.Current == nil || b.Current.ID != start.Conversation || b.Current.Summary.Title != "Hello" {
		t.Fatalf("current is %+v", b.Current)
	}
	if start.User.Text != "Hello\nthere" || start.User.Parent != "" || start.Endpoint != "chat" {
		t.Errorf("start is %+v", start)
	}
	var body gateway.ChatRequest
	if err := json.Unmarshal(start.Body, &body); err != nil {
		t.Fatal(err)
	}
	if body.Model != chatModel || len(body.Messages) != 1 || body.Stream == nil || !*body.Stream || body.StreamOptions == nil {
		t.Errorf("body is %s", start.Body)
	}

	one, two := delta("Good "), delta("day")
	b.log(run.ID, 0, one[:20])
	b.log(run.ID, 20, one[20:])
	wantTexts(t, b, "user: Hello\nthere", "assistant: Good ")
	if !b.Running() || b.Figures(b.last()).State != "streaming" {
		t.Errorf("running %v, state %q", b.Running(), b.Figures(b.last()).State)
	}
	b.finish(run, wire.Done) // before the end of the log
	if !b.Running() {
		t.Error("the answer counts as whole before its log was read to the end")
	}
	b.end(run.ID, len(one), two+doneMark)
	wantTexts(t, b, "user: Hello\nthere", "assistant: Good day")
	if b.Running() || b.last().Stream != nil || b.last().Run.State != wire.Done {
		t.Errorf("running %v, message %+v", b.Running(), b.last())
	}
}

func TestLaterTurnSendsTheWholePath(t *testing.T) {
	for _, model := range []string{chatModel, responsesModel} {
		b := newBench(t)
		b.Lane(0).Choose(chatModel)
		_, run := b.sent(t, "one")
		b.end(run.ID, 0, delta("first")+doneMark)
		b.finish(run, wire.Done)
		answer := b.last().ID

		b.Lane(0).Choose(model)
		start, _ := b.sent(t, "two")
		if start.User.Parent != answer {
			t.Errorf("%s: the turn follows %q, want the answer", model, start.User.Parent)
		}
		for _, word := range []string{"one", "first", "two"} {
			if !strings.Contains(string(start.Body), word) {
				t.Errorf("%s: body %s lacks %q", model, start.Body, word)
			}
		}
	}
}

func TestStopAsksForTheRunAndKeepsTheText(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	_, run := b.sent(t, "hi")
	b.log(run.ID, 0, delta("half"))
	b.Stop()
	if got := read[wire.Target](t, b.far.take(t, wire.OpStop)); got.ID != run.ID {
		t.Errorf("stop %q, want %q", got.ID, run.ID)
	}
	if f := b.Figures(b.last()); f.State != "stopping" {
		t.Errorf("state %q", f.State)
	}
	b.end(run.ID, len(delta("half")), "")
	b.finish(run, wire.Stopped)
	wantTexts(t, b, "user: hi", "assistant: half")
	if f := b.Figures(b.last()); f.State != "stopped" {
		t.Errorf("state %q", f.State)
	}
}

func TestStopBeforeTheServerHasTakenTheTurn(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	b.Send("hi")
	call := b.far.take(t, wire.OpStart)
	b.Stop()
	if len(b.far.calls) != 0 {
		t.Fatalf("calls %v: there is no run to stop yet", b.far.ops())
	}
	start := read[wire.Start](t, call)
	call.answer(wire.Run{ID: start.Run, Conversation: start.Conversation, Message: start.Answer, State: wire.Running})
	if got := read[wire.Target](t, b.far.take(t, wire.OpStop)); got.ID != start.Run {
		t.Errorf("stop %q, want %q", got.ID, start.Run)
	}
}

func TestRetryIsAnotherVersionAndTheOldOneIsKept(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	first, run := b.sent(t, "hi")
	b.end(run.ID, 0, delta("half"))
	b.finish(run, wire.Failed)
	b.pass(time.Second)

	b.Retry(0, first.Answer)
	call := b.far.take(t, wire.OpStart)
	second := read[wire.Start](t, call)
	if second.User.ID != first.User.ID || second.Answer == first.Answer || second.Run == first.Run {
		t.Fatalf("retry %+v after %+v", second, first)
	}
	if strings.Contains(string(second.Body), "half") {
		t.Errorf("the failed answer is in the new request: %s", second.Body)
	}
	again := wire.Run{ID: second.Run, Conversation: second.Conversation, Message: second.Answer, Endpoint: "chat", State: wire.Running}
	call.answer(again)
	b.end(again.ID, 0, delta("whole")+doneMark)
	b.finish(again, wire.Done)
	wantTexts(t, b, "user: hi", "assistant: whole")

	b.Lane(0).Turn(second.Answer, -1)
	wantTexts(t, b, "user: hi", "assistant: half")
	b.Lane(0).Turn(first.Answer, -1) // there is none before it
	wantTexts(t, b, "user: hi", "assistant: half")
	b.Lane(0).Turn(first.Answer, 1)
	wantTexts(t, b, "user: hi", "assistant: whole")
}

func TestUnansweredTurnIsSentAgainWithItsOwnIDs(t *testing.T) {
	for _, code := range []string{"no_answer", "disconnected"} {
		b := newBench(t)
		b.Lane(0).Choose(chatModel)
		b.Send("hi")
		call := b.far.take(t, wire.OpStart)
		first := read[wire.Start](t, call)
		call.refuse(code)
		if f := b.Figures(b.last()); f.State != "failed" || b.last().Run.Problem == nil {
			t.Fatalf("%s: state %q, run %+v", code, f.State, b.last().Run)
		}
		b.Retry(0, first.Answer)
		second := read[wire.Start](t, b.far.take(t, wire.OpStart))
		if second.Run != first.Run || second.Answer != first.Answer || second.User.ID != first.User.ID {
			t.Errorf("%s: sent again as %+v, want the ids of %+v", code, second, first)
		}
	}
}

func TestDraftThatMayNotGo(t *testing.T) {
	for _, c := range []struct {
		name, code string
		set        func(b *bench)
		text       string
	}{
		{"nothing but space", "", func(*bench) {}, " \n "},
		{"no key for the gateway", "no_key", func(b *bench) { b.hello(wire.Gateway{BaseURL: "https://gw.example"}) }, "hi"},
		{"while an answer is made", "running", func(b *bench) { b.Send("before") }, "hi"},
		{"larger than a request may be: the validator says so", "request_too_large", func(*bench) {}, strings.Repeat("x", wire.MaxBody)},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Lane(0).Choose(chatModel)
			c.set(b)
			before := len(b.far.calls)
			if b.Send(c.text) {
				t.Fatal("it was sent")
			}
			code := ""
			if b.Shown().Refusal != nil {
				code = b.Shown().Refusal.Issues[0].Code
			}
			if code != c.code || len(b.far.calls) != before {
				t.Errorf("code %q, calls %v; want %q and no call", code, b.far.ops(), c.code)
			}
		})
	}
}
