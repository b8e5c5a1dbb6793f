package chat

import (
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestFastestAndCheapestWhenAllHaveEnded(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1", responsesModel)
	starts, runs := b.sentAll(t, "q")
	for i, r := range runs {
		if got := b.Lane(0).Marks(b.Current.Message(starts[0].Answer)); got != (Marks{}) {
			t.Errorf("marked with %d of 3 answers: %+v", i, got)
		}
		b.end(r.ID, 0, delta("x")+doneMark)
		r.State, r.DurationMS, r.CostSource = wire.Done, []int64{900, 300, 600}[i], "reported"
		r.CostNanoUSD = []int64{50, 80, 50}[i]
		if i == 2 {
			r.State, r.DurationMS = wire.Failed, 10 // fast, and no answer
		}
		b.news(wire.EventRun, r)
	}
	for i, want := range []Marks{{Cheapest: true}, {Fastest: true}, {}} {
		if got := b.Lane(i).Marks(b.Current.Message(starts[i].Answer)); got != want {
			t.Errorf("lane %d: %+v, want %+v", i, got, want)
		}
	}
}

// A call that waits for its result is short and cheap, and no answer yet.
func TestNothingIsFastestWhileACallWaits(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	starts, runs := b.sentAll(t, "q")
	for i, r := range runs {
		r.DurationMS, r.CostSource, r.CostNanoUSD = []int64{300, 900}[i], "reported", []int64{50, 80}[i]
		b.end(r.ID, 0, delta("x")+doneMark)
		r.State = wire.Done
		if i == 0 {
			r.Calls = []wire.ToolCall{{ID: "c1", Name: "f", Arguments: "{}"}}
		}
		b.news(wire.EventRun, r)
	}
	if !b.Lane(0).Awaits(b.Current.Message(starts[0].Answer)) {
		t.Fatal("the call does not wait")
	}
	for i := range starts {
		if got := b.Lane(i).Marks(b.Current.Message(starts[i].Answer)); got != (Marks{}) {
			t.Errorf("lane %d: %+v", i, got)
		}
	}
}

// The list tells no names of a blind conversation, whether it has been opened
// here or not.
func TestListedModels(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		name string
		s    wire.Summary
		want string
	}{
		{"one", wire.Summary{Models: "a"}, "a"},
		{"two", wire.Summary{Models: "a, b"}, "a, b"},
		{"more are counted", wire.Summary{Models: "a, b, c"}, "3 models"},
		{"blind, never opened here", wire.Summary{Models: "a, b", Blind: true}, "blind comparison"},
	} {
		if got := b.List.Models(c.s); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	b.lanes(chatModel, "zeta-1")
	b.SetBlind(true)
	b.sentAll(t, "q")
	if got := b.List.Models(wire.Summary{ID: b.Current.ID, Models: "a, b"}); got != "blind comparison" {
		t.Errorf("open here: %q", got)
	}
	b.List.Rows = append(b.List.Rows, wire.Summary{ID: "elsewhere", Models: "a, b", Blind: true})
	b.news(wire.EventLanes, wire.Lanes{Conversation: "elsewhere", Rev: 3, Lanes: []wire.Lane{{Model: "a"}, {Model: "b"}}})
	if got := b.List.Models(b.List.Rows[len(b.List.Rows)-1]); got != "a, b" {
		t.Errorf("after the vote on another device: %q", got)
	}
}

func TestBlindUntilTheVote(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1", responsesModel)
	b.SetBlind(true)
	if b.Shown().Hidden() {
		t.Error("hidden before anything was asked: the models are still being chosen")
	}
	starts, runs := b.sentAll(t, "q")
	if !b.Shown().Hidden() || b.Shown().CanVote() || b.Lane(1).Name() != "Model B" {
		t.Fatalf("hidden %v, name %q", b.Shown().Hidden(), b.Lane(1).Name())
	}
	b.Shown().Vote(0)
	for _, op := range b.far.ops() {
		if op == wire.OpVote {
			t.Fatal("a vote before the answers had ended")
		}
	}
	for _, r := range runs {
		b.says(r, "x")
	}
	if m := b.Lane(0).Marks(b.Current.Message(starts[0].Answer)); m != (Marks{}) {
		t.Errorf("marks tell before the vote: %+v", m)
	}
	b.Shown().Vote(1)
	call := b.far.take(t, wire.OpVote)
	v := read[wire.Vote](t, call)
	if v.Winner != starts[1].Answer || v.Message != starts[1].User.ID || len(v.Models) != 3 || v.Models[1] != runs[1].Model {
		t.Errorf("voted %+v", v)
	}
	call.answer(v)
	b.pass(0)
	if kept := b.kept(t); kept.Blind || b.Shown().Hidden() {
		t.Error("still hidden after the vote")
	}
	if words := b.Shown().Verdict(); !strings.Contains(words, "B, which is "+runs[1].Model) {
		t.Errorf("verdict %q", words)
	}
	if !b.Lane(1).Marks(b.Current.Message(starts[1].Answer)).Best {
		t.Error("the winner is not marked")
	}
}

func TestBlindDealsTheModelsAnew(t *testing.T) {
	orders := map[string]bool{}
	for range 20 {
		b := newBench(t)
		for range len(orders) * 3 {
			b.o.NewID()
		}
		b.lanes(chatModel, "zeta-1", responsesModel, "vendor/model-b")
		b.SetBlind(true)
		b.Send("q")
		var order []string
		for i := range b.Current.Lanes {
			order = append(order, b.Lane(i).Model())
		}
		orders[strings.Join(order, " ")] = true
		for _, want := range []string{chatModel, "zeta-1", responsesModel, "vendor/model-b"} {
			if !strings.Contains(strings.Join(order, " "), want) {
				t.Fatalf("%s is missing in %v", want, order)
			}
		}
	}
	if len(orders) < 2 {
		t.Errorf("always in the same order: %v", orders)
	}
}

// A vote that was refused is given again, and until one is kept no name is shown.
func TestRefusedVoteIsRepeated(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	b.SetBlind(true)
	_, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "x")
	}
	b.Shown().Vote(1)
	call := b.far.take(t, wire.OpVote)
	if b.Shown().CanVote() {
		t.Error("a second vote while the first is under way")
	}
	call.refuse("storage_full")
	if !b.Shown().Hidden() || !b.Shown().CanVote() || b.Shown().Verdict() != "" || b.Shown().Refusal == nil {
		t.Fatalf("hidden %v, can vote %v, verdict %q, refusal %+v", b.Shown().Hidden(), b.Shown().CanVote(), b.Shown().Verdict(), b.Shown().Refusal)
	}
	b.Shown().Vote(1)
	call = b.far.take(t, wire.OpVote)
	call.answer(read[wire.Vote](t, call))
	if b.Shown().Hidden() || !strings.Contains(b.Shown().Verdict(), "B, which is") || b.Shown().Refusal != nil {
		t.Errorf("hidden %v, verdict %q, refusal %+v", b.Shown().Hidden(), b.Shown().Verdict(), b.Shown().Refusal)
	}
}

// The names that a vote has shown stay shown when a lane comes back.
func TestALaneThatComesBackHidesNoNames(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1", responsesModel)
	b.SetBlind(true)
	_, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "x")
	}
	b.Lane(2).Close()
	b.Shown().Vote(0)
	call := b.far.take(t, wire.OpVote)
	call.answer(read[wire.Vote](t, call))
	b.UndoClose()
	if len(b.Current.Lanes) != 3 || b.Shown().Hidden() {
		t.Errorf("%d lanes, their names hidden: %v", len(b.Current.Lanes), b.Shown().Hidden())
	}
	b.Lane(1).KeepOnly()
	b.UndoClose()
	if b.Shown().Hidden() {
		t.Error("hidden after all others were closed and opened again")
	}
}

// The list names the models that are compared, whichever of them was asked last.
func TestListHasAllModelsOfTheLanes(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1", responsesModel)
	_, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "x")
	}
	b.sentAll(t, "and on")
	b.news(wire.EventConversation, wire.Summary{ID: b.Current.ID, Models: "zeta-1", UpdatedMS: 9e15})
	if got := b.List.Models(b.List.Groups()[0].Rows[0]); got != "3 models" {
		t.Errorf("open here: %q", got)
	}
	b.List.Rows = append(b.List.Rows, wire.Summary{ID: "elsewhere", Models: "c"})
	b.news(wire.EventLanes, wire.Lanes{Conversation: "elsewhere", Rev: 3, Lanes: []wire.Lane{{Model: "a"}, {Model: "b"}, {Model: "c"}}})
	if got := b.List.Models(b.List.Rows[len(b.List.Rows)-1]); got != "3 models" {
		t.Errorf("elsewhere: %q", got)
	}
}

func TestTie(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	b.SetBlind(true)
	_, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "x")
	}
	b.Shown().Vote(Tie)
	call := b.far.take(t, wire.OpVote)
	v := read[wire.Vote](t, call)
	if v.Winner != "" {
		t.Errorf("winner %q of a tie", v.Winner)
	}
	call.answer(v)
	if !strings.Contains(b.Shown().Verdict(), "a tie") {
		t.Errorf("verdict %q", b.Shown().Verdict())
	}
}

func TestEstimateOfASend(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel) // 0.50 in, 1.50 out, per million
	if e := b.Shown().Estimate(0); e.Text != "" {
		t.Errorf("of nothing: %q", e.Text)
	}
	e := b.Shown().Estimate(4000)
	if want := "≈ $0.00057–0.0020 · 1\u202f000 tokens in"; e.Text != want {
		t.Errorf("%q, want %q", e.Text, want)
	}
	if !strings.Contains(e.Basis, "50 to 1\u202f000 tokens") || !strings.Contains(e.Basis, "sample prices") {
		t.Errorf("basis %q", e.Basis)
	}
	b.Shown().AddLane("vendor/model-b") // 2 in, 8 out
	if want := "≈ $0.0030–0.01 · 2 × 1\u202f000 tokens in"; b.Shown().Estimate(4000).Text != want {
		t.Errorf("%q, want %q", b.Shown().Estimate(4000).Text, want)
	}
}
