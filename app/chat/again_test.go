package chat

import (
	"slices"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestEditStandsBesideWhatWasSent(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	s1, r1 := b.sent(t, "one")
	b.says(r1, "first")
	_, r2 := b.sent(t, "two")
	b.says(r2, "second")
	if !b.Lane(0).Edit(s1.User.ID, " uno ") {
		t.Fatal("refused")
	}
	b.pass(0)
	start := read[wire.Start](t, b.far.take(t, wire.OpStart))
	if start.User.Parent != "" || start.User.Text != "uno" || strings.Contains(string(start.Body), "second") {
		t.Errorf("sent %+v", start)
	}
	if got := b.lane(0); !slices.Equal(got, []string{"user: uno", "assistant: "}) {
		t.Errorf("shows %q", got)
	}
	b.Lane(0).Turn(start.User.ID, -1)
	if got := b.lane(0); !slices.Equal(got, []string{"user: one", "assistant: first", "user: two", "assistant: second"}) {
		t.Errorf("the version before is %q", got)
	}
	if v := b.Current.Lane(0).Versions(b.Current.Message(s1.User.ID)); len(v) != 2 {
		t.Errorf("versions %v", v)
	}
}

func TestEditInOneLaneAndInAll(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	starts, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "a")
	}
	id := starts[0].User.ID
	b.Lane(1).Edit(id, "mine")
	b.pass(0)
	b.far.take(t, wire.OpStart)
	if b.lane(0)[0] != "user: q" || b.lane(1)[0] != "user: mine" {
		t.Errorf("lanes %q and %q", b.lane(0), b.lane(1))
	}
	if v := b.Current.Lane(0).Versions(b.Current.Message(id)); len(v) != 1 {
		t.Errorf("lane 0 offers the other lane's version: %v", v)
	}
	b.Lane(0).KeepOnly()
	b.Shown().AddLane("zeta-1")
	if !b.Lane(0).EditAll(id, "everybody") {
		t.Fatalf("refused: %+v", b.Shown().Refusal)
	}
	b.pass(0)
	one, two := read[wire.Start](t, b.far.take(t, wire.OpStart)), read[wire.Start](t, b.far.take(t, wire.OpStart))
	if one.User.ID != two.User.ID || one.Answer == two.Answer {
		t.Error("the new question is not shared, or its answers are")
	}
}

func TestWrongEndpointIsNoDeadEnd(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	start, run := b.sent(t, "q")
	run.Problem = &wire.Problem{Code: "wrong_endpoint", Message: "use POST /v1/responses"}
	b.finish(run, wire.Failed)
	b.end(run.ID, 0, "")
	m := b.Current.Message(start.Answer)
	if ep := m.Elsewhere(); ep != gateway.Responses {
		t.Fatalf("offers %q", ep)
	}
	b.parts = 0
	b.Lane(0).Switch(start.Answer, gateway.Responses)
	if b.parts&PartLanes == 0 {
		t.Error("the parameters are not drawn again, which may be others there")
	}
	b.pass(0)
	again := read[wire.Start](t, b.far.take(t, wire.OpStart))
	if again.Endpoint != "responses" || !again.Switched || !strings.Contains(string(again.Body), `"input":"q"`) || again.User.ID != start.User.ID {
		t.Errorf("sent %+v with %s", again, again.Body)
	}
	if b.Lane(0).Endpoint() != gateway.Responses {
		t.Error("the lane does not stay there")
	}
	b.Lane(0).Choose("zeta-1")
	if b.Lane(0).Endpoint() != gateway.Chat {
		t.Error("another model is asked there too")
	}
}

// While the older messages of one lane are still on their way nothing is sent in
// the others either.
func TestEditInAllLanesOrInNone(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	first, runs := b.sentAll(t, "one")
	for _, r := range runs {
		b.says(r, "a")
	}
	second, runs := b.sentAll(t, "two")
	for _, r := range runs {
		b.says(r, "b")
	}
	late := b.Current.Message(first[1].Answer)
	late.Stub = true
	if b.Lane(0).EditAll(second[0].User.ID, "zwei") || b.Shown().Refusal == nil || b.Shown().Refusal.Issues[0].Code != "not_loaded" {
		t.Fatalf("sent, or refused by %+v", b.Shown().Refusal)
	}
	b.pass(0)
	if slices.Contains(b.far.ops(), wire.OpStart) || b.lane(0)[2] != "user: two" {
		t.Errorf("half of it was sent: %q, %q", b.far.ops(), b.lane(0))
	}
	late.Stub = false
	if !b.Lane(0).EditAll(second[0].User.ID, "zwei") || b.Shown().Refusal != nil {
		t.Fatalf("refused by %+v", b.Shown().Refusal)
	}
	b.pass(0)
	for i := range 2 {
		b.far.take(t, wire.OpStart)
		if got := b.lane(i); got[2] != "user: zwei" {
			t.Errorf("lane %d: %q", i, got)
		}
	}
}

// Another model answers once more; the lane goes on with its own.
func TestRetryWithAnotherModel(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	_, r := b.sent(t, "one")
	b.says(r, "first")
	b.Lane(0).RetryWith(b.Current.Lane(0).Leaf, "zeta-1")
	b.pass(0)
	start := read[wire.Start](t, b.far.take(t, wire.OpStart))
	if !strings.Contains(string(start.Body), `"zeta-1"`) || start.User.Text != "one" {
		t.Errorf("sent %+v", start)
	}
	if got := b.Lane(0).Model(); got != chatModel {
		t.Errorf("the lane goes on with %s", got)
	}
	if v := b.Current.Lane(0).Versions(b.Current.Message(b.Current.Lane(0).Leaf)); len(v) != 2 {
		t.Errorf("versions %v", v)
	}
}

// What was cut is gone on with, by all that was said so far and a sentence.
func TestACutAnswerIsContinued(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	_, r := b.sent(t, "one")
	b.says(r, "first")
	leaf := b.Current.Lane(0).Leaf
	b.Lane(0).Continue(leaf)
	b.pass(0)
	if b.Current.Message(leaf).Cut() || b.Lane(0).Running() {
		t.Fatal("a whole answer is continued")
	}
	for _, c := range []struct {
		state  wire.RunState
		finish string
		want   bool
	}{{wire.Stopped, "", true}, {wire.Interrupted, "", true}, {wire.Incomplete, "max_output_tokens", true}, {wire.Incomplete, "content_filter", false}, {wire.Failed, "", false}, {wire.Done, "length", true}} {
		m := b.Current.Message(leaf)
		m.Run.State, m.Run.Finish = c.state, c.finish
		if m.Cut() != c.want {
			t.Errorf("%s, %s: %v", c.state, c.finish, m.Cut())
		}
	}
	b.Lane(0).Continue(leaf)
	b.pass(0)
	start := read[wire.Start](t, b.far.take(t, wire.OpStart))
	if start.User.Parent != leaf || start.User.Text != ContinueText || !strings.Contains(string(start.Body), "first") {
		t.Errorf("sent %+v", start)
	}
}
