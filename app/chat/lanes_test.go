package chat

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// lanes opens lanes with these models.
func (b *bench) lanes(models ...string) {
	b.Lane(0).Choose(models[0])
	for _, m := range models[1:] {
		b.Shown().AddLane(m)
	}
}

// sentAll sends text in all lanes, lets the server take each turn, and returns
// the starts and runs in the order of the lanes.
func (b *bench) sentAll(t *testing.T, text string) (starts []wire.Start, runs []wire.Run) {
	t.Helper()
	if !b.Send(text) {
		t.Fatalf("%q was refused: %+v", text, b.Shown().Refusal)
	}
	for i := range b.Current.Lanes {
		call := b.far.take(t, wire.OpStart)
		start := read[wire.Start](t, call)
		run := wire.Run{
			ID: start.Run, Conversation: start.Conversation, Message: start.Answer, Endpoint: start.Endpoint, Lane: start.Lane,
			Model: b.Lane(i).Model(), State: wire.Running, StartedMS: b.clock.UnixMilli(),
		}
		call.answer(run)
		starts, runs = append(starts, start), append(runs, run)
	}
	b.kept(t)
	return starts, runs
}

// says ends a run with a text, as its endpoint streams it.
func (b *bench) says(r wire.Run, text string) {
	log := delta(text) + doneMark
	if r.Endpoint == "responses" {
		log = `data: {"type":"response.output_text.delta","delta":` + string(mustJSON(text)) + "}\n\n" +
			`data: {"type":"response.completed","response":{}}` + "\n\n"
	}
	b.end(r.ID, 0, log)
	b.finish(r, wire.Done)
}

// lane is a lane's messages as role: text.
func (b *bench) lane(i int) []string {
	var out []string
	for _, m := range b.Current.Lane(i).Path() {
		out = append(out, m.Role+": "+m.Content())
	}
	return out
}

func TestLanesShareTheQuestionAndNothingElse(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, responsesModel, "zeta-1")
	starts, runs := b.sentAll(t, "q1")
	if starts[0].User.ID != starts[1].User.ID || starts[1].User.ID != starts[2].User.ID {
		t.Error("the first question is not one message")
	}
	for i, want := range []string{chatModel, responsesModel, "zeta-1"} {
		var body struct{ Model string }
		if err := json.Unmarshal(starts[i].Body, &body); err != nil || body.Model != want {
			t.Errorf("lane %d asks %q, want %q", i, body.Model, want)
		}
		if starts[i].Lane != i {
			t.Errorf("lane %d is sent as %d", i, starts[i].Lane)
		}
	}
	for _, i := range []int{2, 0, 1} {
		b.says(runs[i], "answer of "+runs[i].Model)
	}
	_, runs = b.sentAll(t, "q2")
	for i := range runs {
		b.says(runs[i], "second of "+runs[i].Model)
	}
	for i := range 3 {
		m := b.Lane(i).Model()
		if got, want := b.lane(i), []string{"user: q1", "assistant: answer of " + m, "user: q2", "assistant: second of " + m}; !slices.Equal(got, want) {
			t.Errorf("lane %d: %q, want %q", i, got, want)
		}
	}
	b.Send("q3")
	for i := range 3 {
		start := read[wire.Start](t, b.far.take(t, wire.OpStart))
		for j := range 3 {
			if has := strings.Contains(string(start.Body), "second of "+b.Lane(j).Model()); has != (i == j) {
				t.Errorf("the request of lane %d has the answer of lane %d: %v", i, j, has)
			}
		}
	}
}

func TestFailureOfOneLaneLeavesTheOthers(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	starts, runs := b.sentAll(t, "q")
	runs[0].Problem = &wire.Problem{Code: "rate_limited", Message: "Too many."}
	b.finish(runs[0], wire.Failed)
	b.end(runs[0].ID, 0, "")
	if !b.Current.Lane(1).Running() || b.Current.Lane(0).Running() {
		t.Fatal("the failure is not that of lane 0 alone")
	}
	b.Retry(0, starts[0].Answer)
	again := read[wire.Start](t, b.far.take(t, wire.OpStart))
	if again.Lane != 0 || again.User.ID != starts[0].User.ID || again.Answer == starts[0].Answer {
		t.Errorf("retry while the other lane runs: %+v", again)
	}
	b.says(runs[1], "fine")
	if got := b.lane(1); got[1] != "assistant: fine" {
		t.Errorf("lane 1: %q", got)
	}
}

func TestLanesAreTheSameAfterAReload(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, responsesModel, "zeta-1")
	warm := 0.3
	b.Lane(1).SetParams(Params{System: "short", TopP: &warm})
	starts, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "from "+r.Model)
	}
	b.Lane(0).Close()
	b.pass(0)
	kept := b.kept(t)
	if len(kept.Lanes) != 2 || kept.Lanes[0].Model != responsesModel || kept.Lanes[0].Leaf != starts[1].Answer {
		t.Fatalf("kept %+v", kept)
	}
	kept.Rev = 9

	other := newBench(t)
	other.Show(b.Current.ID)
	o := wire.Opened{Summary: wire.Summary{ID: b.Current.ID}, Lanes: &kept}
	for _, m := range b.Current.order {
		in := m.Message
		in.Text = m.Content()
		o.Messages = append(o.Messages, in)
	}
	other.far.take(t, wire.OpOpen).answer(o)
	if len(other.Current.Lanes) != 2 {
		t.Fatalf("%d lanes", len(other.Current.Lanes))
	}
	for i := range 2 {
		if got, want := other.lane(i), b.lane(i); !slices.Equal(got, want) {
			t.Errorf("lane %d: %q, want %q", i, got, want)
		}
	}
	if p := other.Lane(0).Params(); p.System != "short" || p.TopP == nil || *p.TopP != warm {
		t.Errorf("parameters %+v", p)
	}
	// The lanes keep their numbers, so that their versions stay theirs.
	other.Retry(0, starts[1].Answer)
	if start := read[wire.Start](t, other.far.take(t, wire.OpStart)); start.Lane != 1 {
		t.Errorf("another version is of lane %d, want 1", start.Lane)
	}
}

func TestNewsOfLanesFromAnotherTab(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1")
	starts, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "x")
	}
	w := wire.Lanes{Conversation: b.Current.ID, Rev: 7, Lanes: []wire.Lane{{Model: "zeta-1", Leaf: starts[1].Answer, Params: json.RawMessage(`{"lane":1}`)}}}
	b.news(wire.EventLanes, w)
	if len(b.Current.Lanes) != 1 || b.Lane(0).Model() != "zeta-1" {
		t.Fatalf("lanes %+v", b.Current.Lanes)
	}
	w.Rev, w.Lanes = 6, append(w.Lanes, w.Lanes[0])
	b.news(wire.EventLanes, w)
	if len(b.Current.Lanes) != 1 {
		t.Error("older news was taken")
	}
	// A change of our own that is under way comes after what is heard meanwhile.
	b.Lane(0).Choose(chatModel)
	b.pass(0)
	w.Rev = 8
	b.news(wire.EventLanes, w)
	if len(b.Current.Lanes) != 1 || b.Lane(0).Model() != chatModel {
		t.Error("news took a change back that the server has not answered")
	}
	call := b.far.take(t, wire.OpLanes)
	mine := read[wire.Lanes](t, call)
	mine.Rev = 9
	call.answer(mine)
	if len(b.Current.Lanes) != 1 {
		t.Error("older news was taken after the answer")
	}
}

func TestContinueWithOne(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1", responsesModel)
	_, runs := b.sentAll(t, "q")
	b.says(runs[1], "kept")
	b.Lane(1).KeepOnly()
	b.pass(0)
	stops := 0
	for _, op := range b.far.ops() {
		if op == wire.OpStop {
			stops++
		}
	}
	if stops != 2 || len(b.Current.Lanes) != 1 || b.Lane(0).Model() != "zeta-1" {
		t.Fatalf("%d stopped, lanes %+v", stops, b.Current.Lanes)
	}
	if got := b.lane(0); !slices.Equal(got, []string{"user: q", "assistant: kept"}) {
		t.Errorf("goes on from %q", got)
	}
}

func TestPreviewIsWhatIsSent(t *testing.T) {
	half, user := 0.5, "someone"
	all := Params{
		System: "be brief", Temperature: &half, TopP: &half, User: user, WebSearch: true, Whole: true,
		Functions: []Function{{Name: "f", Parameters: `{"type":"object"}`}, {Name: "off", Off: true}},
	}
	for _, c := range []struct{ name, model, want, not string }{
		{"ordinary takes sampling", chatModel, `"temperature":0.5,"top_p":0.5,"stream":false,"user":"someone"`, "web_search"},
		{"epsilon streams, without user and sampling (F14, F15, F16)", responsesModel, `"stream":true,"tools":[{"type":"function","name":"f","parameters":{"type":"object"}},{"type":"web_search"}]`, "temperature user someone off"},
		{"beta takes user and sampling (F19)", "vendor/beta-4.6", `"temperature":0.5,"top_p":0.5,"stream":false,"user":"someone"`, "web_search"},
		{"zeta takes functions in chat format (F30)", "zeta-1", `"function":{"name":"f","parameters":{"type":"object"}}`, "web_search"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Lane(0).Choose(c.model)
			b.Lane(0).SetParams(all)
			ep, body, v := b.Lane(0).Preview("hello ")
			if !v.OK() {
				t.Errorf("refused: %+v", v.Errors)
			}
			if !strings.Contains(string(body), c.want) {
				t.Errorf("%s lacks %s", body, c.want)
			}
			for _, word := range strings.Fields(c.not) {
				if strings.Contains(string(body), `"`+word+`"`) {
					t.Errorf("%s has %s", body, word)
				}
			}
			if !b.Send("hello ") {
				t.Fatalf("refused: %+v", b.Shown().Refusal)
			}
			start := read[wire.Start](t, b.far.take(t, wire.OpStart))
			if string(start.Body) != string(body) || start.Endpoint != string(ep) {
				t.Errorf("sent %s, shown was %s", start.Body, body)
			}
		})
	}
}

func TestWhatAFormOffers(t *testing.T) {
	b := newBench(t)
	for _, c := range []struct {
		model, field string
		shown, sent  bool
		standing     gateway.Standing
	}{
		{responsesModel, "user", false, true, gateway.Forbidden},
		{responsesModel, "temperature", true, false, gateway.NoEffect},
		{responsesModel, "stream", true, true, gateway.Required},
		{chatModel, "temperature", true, true, gateway.Optional},
		{chatModel, "tools", true, true, gateway.Undocumented},
		{"zeta-1", "tools", true, true, gateway.Optional},
	} {
		b.Lane(0).Choose(c.model)
		o, shown := b.Lane(0).Offers(c.field)
		if shown != c.shown || o.Sent != c.sent || o.Standing != c.standing {
			t.Errorf("%s of %s: shown %v, sent %v, %s", c.field, c.model, shown, o.Sent, o.Standing)
		}
	}
}

// Lanes that were closed come back as they were, with what they hold, and the
// answer that was given since is kept.
func TestClosedLanesComeBack(t *testing.T) {
	b := newBench(t)
	b.lanes(chatModel, "zeta-1", responsesModel)
	half := 0.5
	b.Lane(2).SetParams(Params{Temperature: &half, System: "be brief"})
	_, runs := b.sentAll(t, "q")
	for _, r := range runs {
		b.says(r, "answer of "+r.Model)
	}
	b.Lane(2).Focus()
	var was [3][]string
	for i := range was {
		was[i] = b.lane(i)
	}
	b.Lane(1).KeepOnly()
	if c := b.Closed(); c == nil || c.Words != "Closed 2 lanes." {
		t.Fatalf("offered: %+v", c)
	}
	b.pass(0)
	b.kept(t)
	_, more := b.sentAll(t, "and on")
	b.says(more[0], "more")
	b.UndoClose()
	if len(b.Current.Lanes) != 3 || b.Shown().Focused != 2 || b.Closed() != nil {
		t.Fatalf("lanes %+v, focused %d", b.Current.Lanes, b.Shown().Focused)
	}
	for i, model := range []string{chatModel, "zeta-1", responsesModel} {
		want := was[i]
		if i == 1 {
			want = append(want, "user: and on", "assistant: more")
		}
		if got := b.lane(i); !slices.Equal(got, want) || b.Lane(i).Model() != model {
			t.Errorf("lane %d, %s: %q, want %q", i, b.Lane(i).Model(), got, want)
		}
	}
	if p := b.Lane(2).Params(); p.System != "be brief" || p.Temperature == nil {
		t.Errorf("parameters %+v", p)
	}
	b.pass(0)
	if kept := b.kept(t); len(kept.Lanes) != 3 {
		t.Errorf("the server was told of %d lanes", len(kept.Lanes))
	}

	b.Lane(0).Close()
	b.pass(undoFor)
	if b.Closed() != nil {
		t.Error("still offered when the time is over")
	}
	b.Lane(0).Close()
	b.Shown().AddLane("zeta-1")
	if b.Closed() != nil {
		t.Error("offered though the lanes are others by now")
	}
}
