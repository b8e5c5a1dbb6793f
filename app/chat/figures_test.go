package chat

import (
	"strings"
	"testing"
	"time"

	"screentest/shared/wire"
)

func thought(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"reasoning_content":` + string(mustJSON(text)) + "}}]}\n\n"
}

func TestFiguresDoNotJumpWhenTheAnswerEnds(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	if !b.Send("q") {
		t.Fatal(b.Shown().Refusal)
	}
	b.pass(900 * time.Millisecond) // on its way to the server, which counts from there
	call := b.far.take(t, wire.OpStart)
	start := read[wire.Start](t, call)
	run := wire.Run{
		ID: start.Run, Conversation: start.Conversation, Message: start.Answer, Endpoint: start.Endpoint,
		Model: chatModel, State: wire.Running, StartedMS: b.clock.UnixMilli(),
	}
	call.answer(run)

	at := 0
	come := func(event string) {
		b.log(run.ID, at, event)
		at += len(event)
	}
	if f := b.Figures(b.last()); f.State != "waiting" || f.FirstToken != "" {
		t.Errorf("before anything came: %+v", f)
	}
	b.pass(300 * time.Millisecond)
	come(thought(" Hm"))
	for range 60 {
		b.pass(20 * time.Millisecond)
		come(thought(" really"))
	}
	if f := b.Figures(b.last()); f.State != "reasoning" || f.FirstToken != "≈ 300 ms" || f.Speed != "≈ 51 tok/s" {
		t.Errorf("while it reasons: %+v", f)
	}
	for range 120 {
		b.pass(20 * time.Millisecond)
		come(delta(" friends"))
	}
	f := b.Figures(b.last())
	if f.State != "streaming" || f.FirstToken != "≈ 300 ms" || f.Speed != "≈ 50 tok/s" || f.Total != "" {
		t.Errorf("while it streams: %+v", f)
	}

	run.State, run.FirstTokenMS, run.DurationMS, run.OutputTokens, run.CostSource = wire.Done, 300, 3900, 181, "reported"
	b.news(wire.EventRun, run)
	b.end(run.ID, at, doneMark)
	end := b.Figures(b.last())
	if end.FirstToken != strings.TrimPrefix(f.FirstToken, "≈ ") || end.Speed != strings.TrimPrefix(f.Speed, "≈ ") || end.Total != "3.9 s" {
		t.Errorf("at its end %+v, while it streamed %+v", end, f)
	}
}

// A gateway may send many tokens at a time: then their bytes are counted.
func TestLongPiecesAreNotTakenForTokens(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	_, run := b.sent(t, "q")
	line := delta(strings.Repeat("four", 25))
	b.log(run.ID, 0, line)
	b.pass(time.Second)
	b.log(run.ID, len(line), line)
	if f := b.Figures(b.last()); f.Speed != "≈ 50 tok/s" {
		t.Errorf("200 bytes in a second: %q", f.Speed)
	}
}

func TestWhatIsEstimatedSaysSo(t *testing.T) {
	b := newBench(t)
	for name, r := range map[string]wire.Run{
		"stopped":               {State: wire.Stopped, CostSource: "estimated", CostNanoUSD: 1_300_000},
		"failed":                {State: wire.Failed, CostSource: "estimated", CostNanoUSD: 1_300_000},
		"without a price":       {State: wire.Stopped, Basis: "no price is known for this model, " + wire.TokensEstimated + "cl100k_base"},
		"done, without a usage": {State: wire.Done, CostSource: "estimated"},
	} {
		r.FirstTokenMS, r.DurationMS, r.InputTokens, r.OutputTokens = 200, 1200, 31, 84
		f := b.Figures(&Message{Message: wire.Message{Run: &r}})
		if f.Speed != "≈ 84 tok/s" || f.Tokens != "≈ 31 in · 84 out" || f.Cost != "" && !strings.HasPrefix(f.Cost, "≈ ") {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

func TestFastestIsTheShortestTimeThatIsShown(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1", responsesModel)
	starts, runs := b.sentAll(t, "q")
	for i, r := range runs {
		b.end(r.ID, 0, delta("x")+doneMark)
		r.State, r.DurationMS = wire.Done, []int64{4211, 4239, 6100}[i]
		b.news(wire.EventRun, r)
	}
	for i, want := range []string{"4.2 s fastest", "4.2 s fastest", "6.1 s"} {
		m := b.Current.Message(starts[i].Answer)
		got := b.Figures(m).Total
		if b.Lane(i).Marks(m).Fastest {
			got += " fastest"
		}
		if got != want {
			t.Errorf("lane %d: %q, want %q", i, got, want)
		}
	}
}
