package inspect

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

const chatStream = ": PING\n\n" +
	`data: {"object":"chat.completion.chunk","choices":[{"delta":{"role":"assistant","content":""}}]}` + "\n\n" +
	`data: {"choices":[{"delta":{"reasoning_content":"Hm"}}]}` + "\n\n" +
	`data: {"choices":[{"delta":{"content":"say \"usage\":{ and \"tool_calls\":[ "}}]}` + "\r\n\r\n" +
	": PING\n\n" +
	`data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1"}]}}]}` + "\n\n" +
	`data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n" +
	`data: {"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}` + "\n\n" +
	`data: {"error":{"message":"late"}}` + "\n\n" +
	"data: [DONE]\n\n"

// Every event is there once, whatever the pieces are that the log came in, and
// together with what is between them they are the log.
func TestEventsAreWholeHoweverTheyCome(t *testing.T) {
	want := []string{
		TypeComment, TypeChunk, TypeReasoning, TypeContent, TypeComment, TypeToolCalls, TypeFinish, TypeUsage, TypeError, TypeDone,
	}
	for _, step := range []int{1, 2, 3, 7, 64, 1 << 20} {
		l := Log{ContentType: "text/event-stream"}
		for p := range slices.Chunk([]byte(chatStream), step) {
			l.Push(p)
		}
		l.End()
		var got []string
		at := int64(0)
		for _, e := range l.Events() {
			got = append(got, e.Type)
			if gap := strings.TrimSpace(chatStream[at:e.Start]); gap != "" {
				t.Errorf("step %d: %q is in no event", step, gap)
			}
			at = e.End
		}
		if !slices.Equal(got, want) {
			t.Errorf("step %d: %q, want %q", step, got, want)
		}
		if string(l.Bytes()) != chatStream || strings.TrimSpace(chatStream[at:]) != "" {
			t.Errorf("step %d: the bytes are others", step)
		}
		if d := l.Data(l.Events()[3]); !bytes.Contains(d, []byte(`say \"usage\"`)) || bytes.HasPrefix(d, []byte("data:")) {
			t.Errorf("step %d: data %q", step, d)
		}
	}
}

// The sample of the contract: an event has the name of its line.
func TestResponsesEventsHaveTheirNames(t *testing.T) {
	raw, err := os.ReadFile("../../shared/reply/testdata/responses_full.sse")
	if err != nil {
		t.Fatal(err)
	}
	var l Log
	l.Push(raw)
	l.End()
	if n := len(l.Events()); n < 2 || !l.Streams() {
		t.Fatalf("%d events", n)
	}
	for _, e := range l.Events() {
		if !strings.HasPrefix(e.Type, "response.") {
			t.Errorf("type %q of %q", e.Type, l.Raw(e))
		}
	}
	if !slices.Contains(l.Types(), "response.completed") || l.Count("response.completed") != 1 {
		t.Errorf("types %q", l.Types())
	}
}

func TestAReplyThatIsNoStreamHasNoEvents(t *testing.T) {
	for _, c := range []struct{ kind, text string }{
		{"application/json", `{"choices":[]}`}, {"text/event-stream", ` {"error":{}}`}, {"text/html", "<html>"}, {"", "plain words"},
	} {
		l := Log{ContentType: c.kind}
		l.Push([]byte(c.text))
		l.End()
		if l.Streams() || len(l.Events()) != 0 {
			t.Errorf("%s %q: %v", c.kind, c.text, l.Events())
		}
	}
}

func TestGist(t *testing.T) {
	for _, c := range []struct{ event, want string }{
		{`data: {"choices":[{"delta":{"content":"a \"b\" "}}]}`, `"a \"b\" "`},
		{"event: response.output_text.delta\n" + `data: {"type":"response.output_text.delta","delta" : " fairly","n":1}`, `" fairly"`},
		{`data: {"choices":[],"usage":{"prompt_tokens":1}}`, `{"prompt_tokens":1}}`},
		{"event: response.created\ndata: {}", "{}"}, {"data: [DONE]", "[DONE]"},
	} {
		var l Log
		l.Push([]byte(c.event + "\n\n"))
		if got := string(l.Gist(l.Events()[0])); got != c.want {
			t.Errorf("%s: %s, want %s", c.event, got, c.want)
		}
	}
}

// What was cut off in the middle is shown, too.
func TestTheRestOfACutStreamIsShown(t *testing.T) {
	var l Log
	l.Push([]byte("data: {\"choices\":[]}\n\ndata: {\"choi"))
	l.End()
	if n := len(l.Events()); n != 2 || l.Events()[1].Type != TypeUnread || string(l.Data(l.Events()[1])) != `data: {"choi` {
		t.Errorf("%+v", l.Events())
	}
}

func TestTimesOfEvents(t *testing.T) {
	var l Log
	l.Push([]byte("data: 1\n\ndata: 2\n\ndata: 3\n\n"))
	l.SetTimes(wire.RunTimes{Reads: []int64{100, 9, 50, 4}})
	for i, want := range []int64{100, -1, -1} {
		ms, ok := l.MS(l.Events()[i].End)
		if !ok {
			ms = -1
		}
		if ms != want {
			t.Errorf("event %d: %d ms, want %d", i, ms, want)
		}
	}
	l.SetTimes(wire.RunTimes{Reads: []int64{100, 9, 50, 4, 10, 14}})
	if ms, ok := l.MS(l.Events()[2].End); !ok || ms != 160 {
		t.Errorf("%d ms", ms)
	}
}

func TestFilter(t *testing.T) {
	var l Log
	l.Push([]byte("event: a\ndata: Hello\n\nevent: b\ndata: hello\n\nevent: a\ndata: Ciao\n\n"))
	for _, c := range []struct {
		typ, text string
		want      []int
	}{{"", "", nil}, {"a", "", []int{0, 2}}, {"", "HELLO", []int{0, 1}}, {"a", "hello", []int{0}}, {"b", "ciao", []int{}}} {
		if got := l.Filter(c.typ, c.text); !slices.Equal(got, c.want) || (got == nil) != (c.want == nil) {
			t.Errorf("%q %q: %v, want %v", c.typ, c.text, got, c.want)
		}
	}
	if got := l.FilterFrom(2, []int{0}, "a", ""); !slices.Equal(got, []int{0, 2}) {
		t.Errorf("%v", got)
	}
}

// What is found is found in any letters, wherever it stands, and by more of the
// same text too.
func TestNeedle(t *testing.T) {
	for _, c := range []struct {
		text, in string
		want     bool
	}{
		{"", "", true}, {"a", "", false}, {"aab", "AAAB", true}, {"AB", "xaB", true}, {"ab", "a b", false},
		{"abc", "ab", false}, {"ß", "GROß", true}, {"É", "café", true}, {"é", "cafe", false},
		{`"delta":`, `{"x":1,"DELTA":2}`, true}, {"{", "[{", true},
	} {
		if got := newNeedle(c.text).in([]byte(c.in)); got != c.want {
			t.Errorf("%q in %q: %v", c.text, c.in, got)
		}
	}
	var l Log
	l.Push([]byte("data: ocean\n\ndata: Oceanic\n\ndata: once\n\ndata: sea\n\n"))
	list := l.Filter("", "o")
	for _, text := range []string{"oc", "oce", "ocean", "oceani", "oceanix"} {
		list = l.Narrow(list, text)
		if want := l.Filter("", text); !slices.Equal(list, want) {
			t.Errorf("narrowed to %q: %v, want %v", text, list, want)
		}
	}
}

// A replay gives the text as it came, at its pace, and all of it at the end.
func TestReplay(t *testing.T) {
	var l Log
	var times []int64
	for i := range 10 {
		p := fmt.Appendf(nil, `data: {"choices":[{"delta":{"content":"%d "}}]}`+"\n\n", i)
		l.Push(p)
		times = append(times, 100, int64(len(p)))
	}
	end := []byte("data: [DONE]\n\n")
	l.Push(end)
	l.End()
	l.SetTimes(wire.RunTimes{Reads: append(times, 100, int64(len(end)))})

	r := NewReplay(&l, gateway.Chat)
	r.Advance(250)
	if got := r.Answer().Text(); got != "0 1 " || r.Over() {
		t.Errorf("after 250 ms: %q", got)
	}
	r.Advance(750)
	if got := r.Answer().Text(); got != "0 1 2 3 4 5 6 7 8 9 " || r.Over() {
		t.Errorf("after a second: %q, over %v", got, r.Over())
	}
	r.Advance(100)
	if !r.Over() || r.At() != l.Len() {
		t.Errorf("it is not over at %d of %d", r.At(), l.Len())
	}

	fast := NewReplay(&l, gateway.Chat)
	for range 10 {
		fast.Hurry()
	}
	if !fast.Over() || fast.Answer().Text() != r.Answer().Text() || fast.MS() != 1100 {
		t.Errorf("at once: %q, %d ms", fast.Answer().Text(), fast.MS())
	}

	untimed := Log{}
	untimed.Push([]byte(chatStream))
	untimed.End()
	none := NewReplay(&untimed, gateway.Chat)
	none.Advance(1)
	if !none.Over() {
		t.Error("without times it never ends")
	}
}

func FuzzLog(f *testing.F) {
	f.Add([]byte(chatStream), 3)
	f.Add([]byte("\ufeffdata: x\r\rdata"), 1)
	f.Fuzz(func(t *testing.T, raw []byte, step int) {
		l := Log{ContentType: "text/event-stream"}
		for p := range slices.Chunk(raw, 1+max(step, 0)%97) {
			l.Push(p)
		}
		l.End()
		at := int64(0)
		for _, e := range l.Events() {
			if e.Start < at || e.End <= e.Start || e.End > l.Len() {
				t.Fatalf("%+v after %d of %d", e, at, l.Len())
			}
			at = e.End
			_ = l.Data(e)
		}
		l.Filter("", "x")
		for r := NewReplay(&l, gateway.Responses); !r.Over(); {
			r.Hurry()
		}
	})
}

func TestTokensAreTheText(t *testing.T) {
	for _, c := range []struct{ text, kinds string }{
		{`{"a": 1.5e-3, "b\"": [true, null, "c"]}`, "pkpnpkpwpwpsp"},
		{`{"cut`, "ps"}, {`"x\`, "s"}, {"word é", "pp"}, {``, ""}, {`"k"   :"v"`, "kps"},
	} {
		var kinds, all strings.Builder
		for k, s := range Tokens(c.text) {
			all.WriteString(s)
			kinds.WriteByte("pksnw"[k])
		}
		if all.String() != c.text || kinds.String() != c.kinds {
			t.Errorf("%q: %q, %q", c.text, kinds.String(), all.String())
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add(`{"a":[1,"b\\\"",true]}`)
	f.Fuzz(func(t *testing.T, text string) {
		var all strings.Builder
		for _, s := range Tokens(text) {
			if s == "" {
				t.Fatal("an empty piece")
			}
			all.WriteString(s)
		}
		if all.String() != text {
			t.Fatalf("%q", all.String())
		}
	})
}

func TestPrettyAndCut(t *testing.T) {
	if got := Pretty([]byte(`{"a":[1.50,"\u0041"]}`)); got != "{\n  \"a\": [\n    1.50,\n    \"\\u0041\"\n  ]\n}" {
		t.Errorf("%s", got)
	}
	if got := Pretty([]byte("no json \xff")); got != "no json \ufffd" {
		t.Errorf("%q", got)
	}
	if s, left := Cut("ééé", 3); s != "é" || left != 4 {
		t.Errorf("%q, %d left", s, left)
	}
	if s, left := Cut("line one\nline two", 12); s != "line one" || left != 9 {
		t.Errorf("%q, %d left", s, left)
	}
}

func TestDraftIsKept(t *testing.T) {
	d := Draft{Endpoint: gateway.Responses, Text: "\n {\"a\": \"<é>\"} \n"}
	got, ok := DecodeDraft(d.Encode())
	if !ok || got != d || string(got.Body()) != `{"a": "<é>"}` {
		t.Errorf("%+v %v", got, ok)
	}
	for _, s := range []string{"", "{", `{"endpoint":"images","text":"x"}`} {
		if _, ok := DecodeDraft(s); ok {
			t.Errorf("%q is taken for a draft", s)
		}
	}
}
