package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// far is the far end of the line: it keeps the calls until a test answers.
type far struct{ calls []*asked }

type asked struct {
	op   wire.Op
	args json.RawMessage
	once bool
	done func(json.RawMessage, *wire.Problem)
}

func (f *far) Call(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	f.ask(op, args, false, done)
}
func (f *far) Once(op wire.Op, args any, done func(json.RawMessage, *wire.Problem)) {
	f.ask(op, args, true, done)
}

func (f *far) ask(op wire.Op, args any, once bool, done func(json.RawMessage, *wire.Problem)) {
	if done == nil {
		done = func(json.RawMessage, *wire.Problem) {}
	}
	f.calls = append(f.calls, &asked{op, mustJSON(args), once, done})
}

// take removes and returns the oldest call of an operation.
func (f *far) take(t *testing.T, op wire.Op) *asked {
	t.Helper()
	for i, c := range f.calls {
		if c.op == op {
			f.calls = slices.Delete(f.calls, i, i+1)
			return c
		}
	}
	t.Fatalf("no call %q among %v", op, f.ops())
	return nil
}

func (f *far) ops() []wire.Op {
	var ops []wire.Op
	for _, c := range f.calls {
		ops = append(ops, c.op)
	}
	return ops
}

func (a *asked) answer(v any)       { a.done(mustJSON(v), nil) }
func (a *asked) refuse(code string) { a.done(nil, &wire.Problem{Code: code, Message: code}) }
func read[T any](t *testing.T, a *asked) (v T) {
	t.Helper()
	if err := json.Unmarshal(a.args, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func mustJSON(v any) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

type memory map[string]string

func (m memory) Get(name string) string { return m[name] }
func (m memory) Set(name, value string) { m[name] = value }
func (m memory) Remove(name string)     { delete(m, name) }

// bench is a Chat whose server is the test.
type bench struct {
	*Chat
	far    *far
	store  memory
	clock  time.Time
	days   []time.Time // when today and yesterday began; none: as UTC has it
	timers []*timer
	parts  Part
	grown  int
	told   string // last
	ids    int
	revs   int64
	resent []string
}

type timer struct {
	at   time.Time
	f    func()
	dead bool
}

const chatModel, responsesModel = "vendor/model-a", "vendor/epsilon-5.6-core"

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{far: &far{}, store: memory{}, clock: time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)}
	b.Chat = New(b.options())
	b.hello(wire.Gateway{Sandbox: true, HasKey: true, StreamOptions: true})
	b.link(session.LinkOpen)
	b.far.take(t, wire.OpConversations).answer(wire.ConversationPage{})
	return b
}

func (b *bench) options() Options {
	return Options{
		Session: session.New("b1"), Server: b.far, Storage: b.store,
		Now:      func() time.Time { return b.clock },
		Midnight: b.midnight,
		NewID:    func() string { b.ids++; return fmt.Sprintf("00000000-0000-4000-8000-%012d", b.ids) },
		After:    b.after,
		Changed:  func(p Part) { b.parts |= p },
		Grew:     func() { b.grown++ },
		Tell:     func(words string) { b.told = words },
		Resend:   func(text string) { b.resent = append(b.resent, text); b.Send(text) },
	}
}

// link is what the page does when the connection changes.
func (b *bench) link(l session.Link) {
	if b.session.Link = l; l == session.LinkOpen {
		b.Reconnected()
	}
}

func (b *bench) midnight(back int) time.Time {
	if back < len(b.days) {
		return b.days[back]
	}
	return b.clock.Truncate(24*time.Hour).AddDate(0, 0, -back)
}

func (b *bench) after(d time.Duration, f func()) func() {
	t := &timer{at: b.clock.Add(d), f: f}
	b.timers = append(b.timers, t)
	return func() { t.dead = true }
}

// pass lets time pass.
func (b *bench) pass(d time.Duration) {
	b.clock = b.clock.Add(d)
	for _, t := range b.timers {
		if !t.dead && !t.at.After(b.clock) {
			t.dead = true
			t.f()
		}
	}
}

func (b *bench) news(e wire.Event, v any) {
	news, err := b.session.Hear(wire.Push{Event: e, Data: mustJSON(v)})
	if err != nil {
		panic(err)
	}
	b.News(news)
}

func (b *bench) hello(g wire.Gateway) {
	b.news(wire.EventHello, wire.Hello{Build: "b1", Gateway: g, Catalogue: gateway.SampleCatalogue().JSON()})
}

// Send and Retry let the page draw before the turn goes out.
func (b *bench) Send(text string) bool {
	ok := b.Shown().Send(text)
	b.pass(0)
	return ok
}

func (b *bench) Retry(lane int, id string) {
	b.Lane(lane).Retry(id)
	b.pass(0)
}

// sent sends text and lets the server take the turn and its log be read.
func (b *bench) sent(t *testing.T, text string) (wire.Start, wire.Run) {
	t.Helper()
	if !b.Send(text) {
		t.Fatalf("%q was refused: %+v", text, b.Shown().Refusal)
	}
	call := b.far.take(t, wire.OpStart)
	start := read[wire.Start](t, call)
	run := wire.Run{
		ID: start.Run, Conversation: start.Conversation, Message: start.Answer, Endpoint: start.Endpoint,
		Model: b.Lane(0).Model(), State: wire.Running, StartedMS: b.clock.UnixMilli(),
	}
	call.answer(run)
	b.far.take(t, wire.OpRead).answer(run)
	b.kept(t)
	return start, run
}

// kept lets the server keep the lanes, and returns them.
func (b *bench) kept(t *testing.T) wire.Lanes {
	t.Helper()
	call := b.far.take(t, wire.OpLanes)
	w := read[wire.Lanes](t, call)
	b.revs++
	w.Rev = b.revs
	call.answer(w)
	return w
}

const sse = "text/event-stream"

// delta is a chat stream's event.
func delta(text string) string {
	return `data: {"choices":[{"index":0,"delta":{"content":` + string(mustJSON(text)) + "}}]}\n\n"
}

const doneMark = "data: [DONE]\n\n"

func (b *bench) log(run string, from int, text string) {
	b.Log(wire.LogFrame{Run: run, From: int64(from), Type: sse}, []byte(text))
}

func (b *bench) end(run string, from int, text string) {
	b.Log(wire.LogFrame{Run: run, From: int64(from), Type: sse, End: true}, []byte(text))
}

// last is the message at the end of the conversation shown.
func (b *bench) last() *Message {
	path := b.Current.Lane(0).Path()
	return path[len(path)-1]
}

func (b *bench) finish(r wire.Run, s wire.RunState) {
	r.State, r.DurationMS, r.FirstTokenMS = s, 2000, 200
	b.news(wire.EventRun, r)
}

// texts is the conversation shown as role: text.
func (b *bench) texts() []string {
	var ts []string
	for _, m := range b.Current.Lane(0).Path() {
		ts = append(ts, m.Role+": "+m.Content())
	}
	return ts
}

func wantTexts(t *testing.T, b *bench, want ...string) {
	t.Helper()
	if got := b.texts(); !slices.Equal(got, want) {
		t.Errorf("conversation is %q, want %q", got, want)
	}
}

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
	b := newBench(t)
	b.Lane(0).Choose(chatModel)
	b.Send("hi")
	call := b.far.take(t, wire.OpStart)
	first := read[wire.Start](t, call)
	call.refuse("no_answer")
	if f := b.Figures(b.last()); f.State != "failed" || b.last().Run.Problem == nil {
		t.Fatalf("state %q, run %+v", f.State, b.last().Run)
	}
	b.Retry(0, first.Answer)
	second := read[wire.Start](t, b.far.take(t, wire.OpStart))
	if second.Run != first.Run || second.Answer != first.Answer || second.User.ID != first.User.ID {
		t.Errorf("sent again as %+v, want the ids of %+v", second, first)
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

func TestDraftIsKeptByConversation(t *testing.T) {
	b := newBench(t)
	b.Shown().SetDraft("for a new one")
	b.Show("c1")
	b.Shown().SetDraft("for c1")
	b.Show("")
	if b.Shown().Draft() != "for a new one" {
		t.Errorf("draft %q", b.Shown().Draft())
	}
	b.Send("for a new one")
	if len(b.store) == 0 || b.store[draftName] != "" || b.store[draftName+"c1"] != "for c1" {
		t.Errorf("after sending the store is %q", b.store)
	}
	for name, value := range b.store {
		if strings.Contains(strings.ToLower(name+value), "sk-") {
			t.Errorf("the store holds %q = %q", name, value)
		}
	}
}

func TestModelOfALane(t *testing.T) {
	b := newBench(t)
	if b.Lane(0).Model() != b.session.Models[0].ID {
		t.Errorf("at first %q, want the catalogue's first", b.Lane(0).Model())
	}
	b.Lane(0).Choose(chatModel)
	b.Show("c1")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c1"}, Messages: []wire.Message{
		{ID: "u", Role: "user", Text: "q", CreatedMS: 1},
		{ID: "a", Parent: "u", Role: "assistant", Text: "r", CreatedMS: 2, Run: &wire.Run{ID: "r", Model: responsesModel, State: wire.Done}},
	}})
	if b.Lane(0).Model() != responsesModel {
		t.Errorf("in an old conversation %q, want the model that answered there", b.Lane(0).Model())
	}
	b.Lane(0).Choose("zeta-1")
	if b.Lane(0).Model() != "zeta-1" {
		t.Errorf("after choosing %q", b.Lane(0).Model())
	}
	b.Show("")
	if b.Lane(0).Model() != "zeta-1" {
		t.Errorf("in a new conversation %q, want the last choice", b.Lane(0).Model())
	}
}

func TestConversationThatIsNotThere(t *testing.T) {
	b := newBench(t)
	b.Show("gone")
	b.far.take(t, wire.OpOpen).refuse("not_found")
	if b.Current.Phase != Missing {
		t.Errorf("phase %v, want Missing", b.Current.Phase)
	}
	b.Show("sick")
	b.far.take(t, wire.OpOpen).refuse("no_answer")
	if b.Current.Phase != Broken || b.Current.Problem == nil {
		t.Errorf("phase %v, want Broken with its problem", b.Current.Phase)
	}
	b.Shown().Refetch()
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "sick"}})
	if b.Current.Phase != Ready {
		t.Errorf("phase %v, want Ready", b.Current.Phase)
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

func TestDeleteCanBeUndoneAndIsThenNotAsked(t *testing.T) {
	b := newBench(t)
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c", Title: "Sea"}})
	b.List.Delete("c")
	if b.Current != nil || len(b.List.Rows) != 0 || b.List.Deleted == nil {
		t.Fatalf("current %v, list %v, deleted %v", b.Current, b.List.Rows, b.List.Deleted)
	}
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"}) // does not bring it back
	if len(b.List.Rows) != 0 {
		t.Error("news of it showed it again")
	}
	if id := b.List.Undo(); id != "c" || len(b.List.Rows) != 1 {
		t.Errorf("undo gave %q, list %v", id, b.List.Rows)
	}
	b.pass(time.Minute)
	if len(b.far.calls) != 0 {
		t.Errorf("calls %v, want none", b.far.ops())
	}

	b.List.Delete("c")
	b.pass(undoFor)
	if got := read[wire.Target](t, b.far.take(t, wire.OpDelete)); got.ID != "c" || b.List.Deleted != nil {
		t.Errorf("deleted %q, still to undo %v", got.ID, b.List.Deleted)
	}
}

// What the server refuses is taken back, and said.
func TestARefusedChangeIsTakenBack(t *testing.T) {
	b := newBench(t)
	b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c", Title: "Sea"}})
	full := &wire.Problem{Code: "disk_full", Message: "The disk is full."}

	b.List.Rename("c", "Lake")
	if b.List.Rows[0].Title != "Lake" || b.Current.Summary.Title != "Lake" {
		t.Errorf("the title is %q and %q before the answer", b.List.Rows[0].Title, b.Current.Summary.Title)
	}
	b.far.take(t, wire.OpRename).done(nil, full)
	if b.List.Rows[0].Title != "Sea" || b.Current.Summary.Title != "Sea" || !strings.Contains(b.told, full.Message) {
		t.Errorf("refused, the title is %q and %q, and it says %q", b.List.Rows[0].Title, b.Current.Summary.Title, b.told)
	}

	for code, back := range map[string]int{"disk_full": 1, "not_found": 0} {
		b.told = ""
		b.List.Delete("c")
		b.pass(undoFor)
		b.far.take(t, wire.OpDelete).done(nil, &wire.Problem{Code: code, Message: full.Message})
		if len(b.List.Rows) != back || strings.Contains(b.told, full.Message) != (back == 1) {
			t.Errorf("%s: the list is %v, and it says %q", code, b.List.Rows, b.told)
		}
		b.news(wire.EventConversation, wire.Summary{ID: "c", Title: "Sea"})
	}
}

func TestConversationDeletedElsewhere(t *testing.T) {
	b := newBench(t)
	b.Show("c")
	b.far.take(t, wire.OpOpen).answer(wire.Opened{Summary: wire.Summary{ID: "c"}})
	b.Shown().SetDraft("half a question")
	b.Shown().SetRawDraft(`{"half":1}`)
	if !b.storeHas("half a question") || !b.storeHas(`{"half":1}`) {
		t.Fatal("the drafts are not kept")
	}
	b.news(wire.EventDeleted, wire.Target{ID: "c"})
	if b.Current.Phase != Missing {
		t.Errorf("phase %v, want Missing", b.Current.Phase)
	}
	if b.storeHas("half a question") || b.storeHas(`{"half":1}`) {
		t.Errorf("a draft outlives its conversation: %q", b.store)
	}
}

func TestStaleOnlyWithAnotherBuild(t *testing.T) {
	b := newBench(t)
	if b.session.Stale() {
		t.Error("stale with the same build")
	}
	b.news(wire.EventHello, wire.Hello{Build: "b2"})
	if !b.session.Stale() {
		t.Error("not stale with another build")
	}
}
