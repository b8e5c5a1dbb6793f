package chat

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// far is the far end of the connection: it keeps the calls until a test answers.
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

func (a *asked) answer(v any) { a.done(mustJSON(v), nil) }

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

func (m memory) Remove(name string) { delete(m, name) }

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
	if !start.Read {
		t.Error("the log is not asked for with the start")
	}
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
