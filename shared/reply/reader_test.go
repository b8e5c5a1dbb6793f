package reply

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

const (
	streamType = "text/event-stream"
	jsonType   = "application/json"
)

// view is what a test compares of an answer. Zero fields of the wanted one
// must be zero in the answer, but Model and ID are compared where wanted.
type view struct {
	ID, Model string
	Text      string
	Reasoning string
	Calls     []string // "id name(arguments)"
	Searches  []string // "id status queries sources"
	Citations []Citation
	In, Out   int64
	Finish    string
	Refused   bool
	State     State
	Problem   string // code and message
	Field     string
	Replaced  int
}

func viewOf(a *Answer) view {
	v := view{
		ID: a.ID, Model: a.Model, Text: a.Text(), Reasoning: a.Reasoning(), Citations: a.Citations,
		Finish: a.Finish, Refused: a.Refused, State: a.State, Replaced: a.Replaced,
	}
	for _, c := range a.ToolCalls {
		v.Calls = append(v.Calls, fmt.Sprintf("%s %s(%s)", c.ID, c.Name, c.Arguments()))
	}
	for _, s := range a.Searches {
		v.Searches = append(v.Searches, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", s.ID, s.Status, strings.Join(s.Queries, ","), strings.Join(s.Sources, ","))))
	}
	if a.Usage != nil {
		v.In, v.Out = a.Usage.InputTokens, a.Usage.OutputTokens
	}
	if a.Problem != nil {
		v.Problem, v.Field = a.Problem.Code+": "+a.Problem.Message, a.Problem.Field
	}
	return v
}

// readAll pushes a reply in pieces of n bytes, in whole for 0.
func readAll(ep gateway.Endpoint, contentType, body string, n int) *Reader {
	r := NewReader(ep, contentType)
	if n == 0 {
		n = max(1, len(body))
	}
	for len(body) > 0 {
		k := min(n, len(body))
		p := []byte(body[:k])
		r.Push(p)
		clear(p) // a reader that keeps the caller's bytes is caught
		body = body[k:]
	}
	r.Close()
	return r
}

type readCase struct {
	name string
	ep   gateway.Endpoint
	kind string // Content-Type; streamType if empty
	body string
	want view
}

// run reads the reply in pieces of every small size and in whole.
func (c readCase) run(t *testing.T) {
	t.Helper()
	if c.kind == "" {
		c.kind = streamType
	}
	whole := viewOf(readAll(c.ep, c.kind, c.body, 0).Answer())
	want := c.want
	if want.ID == "" {
		want.ID = whole.ID
	}
	if want.Model == "" {
		want.Model = whole.Model
	}
	if !reflect.DeepEqual(whole, want) {
		t.Errorf("got\n%+v\nwant\n%+v", whole, want)
	}
	for _, n := range []int{1, 2, 3, 7, 61, 1000} {
		if g := viewOf(readAll(c.ep, c.kind, c.body, n).Answer()); !reflect.DeepEqual(g, whole) {
			t.Errorf("in pieces of %d bytes\n%+v\nin whole\n%+v", n, g, whole)
		}
	}
}

func sample(tb testing.TB, name string) string {
	tb.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(b)
}

// events makes a stream of data lines.
func events(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

const (
	msgEmpty         = "gateway_empty: The gateway sent an empty reply."
	msgHTML          = "gateway_html: A web page came back, not a reply of a gateway."
	msgTruncated     = "gateway_truncated: The reply stopped before its end."
	msgNoEndMark     = "gateway_no_end_mark: The model said that it had finished, and the gateway ended the stream without its end mark."
	msgNotUnderstood = "gateway_not_understood: What came back is neither JSON nor an event stream."
)

func TestForms(t *testing.T) {
	hello := events(`{"choices":[{"delta":{"content":"Hello"},"finish_reason":"stop"}]}`, "[DONE]")
	helloJSON := `{"choices":[{"message":{"content":"Hello"},"finish_reason":"stop"}]}`
	done := view{Text: "Hello", Finish: "stop", State: Done}
	tests := []readCase{
		{name: "F28 a stream by its Content-Type", body: hello, want: done},
		{name: "F28 JSON by its Content-Type", kind: jsonType, body: helloJSON, want: done},
		{name: "F28 Content-Type with parameters and in other letters", kind: "Text/Event-Stream; charset=utf-8", body: hello, want: done},
		{name: "F28 no Content-Type, a stream", kind: " ", body: hello, want: done},
		{name: "F28 no Content-Type, JSON", kind: " ", body: helloJSON, want: done},
		{name: "S a JSON reply answers stream:true", body: helloJSON, want: done},
		{name: "S a stream labelled as JSON", kind: jsonType, body: hello, want: done},
		{name: "S a stream labelled as plain text that begins with a comment", kind: "text/plain", body: ": PING\n\n" + hello, want: done},
		{name: "S a stream labelled as JSON that begins with an event line", kind: jsonType, body: "event: x\n" + hello, want: done},
		{name: "S a stream with a BOM", kind: jsonType, body: "\ufeff" + hello, want: done},
		{name: "S a JSON reply with a BOM", kind: jsonType, body: "\ufeff" + helloJSON, want: done},
		{name: "S a JSON reply after white space that kept the connection", kind: jsonType, body: "\n \n \n" + helloJSON + "\n", want: done},
		{name: "S a stream after empty lines", body: "\n\r\n\n" + hello, want: done},
		{name: "S an empty body", body: "", want: view{State: Failed, Problem: msgEmpty}},
		{name: "S an empty JSON body", kind: jsonType, body: " \n", want: view{State: Failed, Problem: msgEmpty}},
		{name: "S a web page", kind: "text/html; charset=utf-8", body: "<!DOCTYPE html><html><head><TITLE>Welcome\n to nginx!</TITLE></head></html>",
			want: view{State: Failed, Problem: msgHTML + " It says: Welcome to nginx!"}},
		{name: "S a web page labelled as a stream", body: "<html><body>502</body></html>", want: view{State: Failed, Problem: msgHTML}},
		{name: "S plain text", kind: "text/plain", body: "no such\x1b[31m thing\u202e\n",
			want: view{State: Failed, Problem: msgNotUnderstood + " It says: no such[31m thing"}},
		{name: "S plain text in a stream", body: "upstream error\n", want: view{State: Failed, Problem: msgNotUnderstood + " It says: upstream error"}},
		{name: "S JSON of another kind", kind: jsonType, body: `{"ok":true}`, want: view{State: Failed, Problem: msgNotUnderstood + ` It says: {"ok":true}`}},
		{name: "S a JSON reply that breaks off", kind: jsonType, body: helloJSON[:30], want: view{State: Truncated, Problem: msgTruncated}},
		{name: "S a stream of comments only", body: ": PING\n\n: PING\n\n", want: view{State: Truncated, Problem: msgTruncated}},
	}
	for _, tt := range tests {
		if tt.ep == "" {
			tt.ep = gateway.Chat
		}
		t.Run(tt.name, tt.run)
	}
}

func TestAnswerGrows(t *testing.T) {
	r := NewReader(gateway.Chat, streamType)
	a := r.Answer()
	if a.State != Streaming || a.Began() || a.Text() != "" || r.Ended() {
		t.Fatalf("before anything came: %+v", viewOf(a))
	}
	r.Push([]byte(events(`{"choices":[{"delta":{"role":"assistant","content":""}}]}`)))
	if a.Began() {
		t.Error("F42 an empty fragment began the answer")
	}
	before := a.Revision
	r.Push([]byte("data: {\"choices\":[{\"delta\":{\"content\":\"Hel"))
	if a.Revision != before || a.Began() {
		t.Error("half an event changed the answer")
	}
	r.Push([]byte("\"}}]}\n\n"))
	if a.Text() != "Hel" || a.TextLen() != 3 || a.Revision == before || !a.Began() {
		t.Errorf("after a fragment: %+v", viewOf(a))
	}
	kept := a.Text()
	r.Push([]byte(events(`{"choices":[{"delta":{"content":"lo"}}]}`)))
	if kept != "Hel" || a.Text() != "Hello" || a.Replaced != 0 {
		t.Errorf("text given earlier is now %q, text %q", kept, a.Text())
	}
	if r.Ended() {
		t.Error("F43 ended before its end mark")
	}
	r.Push([]byte("data: [DONE]\n\n"))
	if !r.Ended() || a.State != Done {
		t.Errorf("F43 after [DONE]: ended %v, %s", r.Ended(), a.State)
	}
	r.Push([]byte(events(`{"choices":[{"delta":{"content":"more"}}]}`, `{"error":{"message":"late"}}`)))
	r.Close()
	r.Close()
	r.Push([]byte("more"))
	if a.Text() != "Hello" || a.State != Done || a.Problem != nil {
		t.Errorf("what follows the end counted: %+v", viewOf(a))
	}
}

// Nothing that is sent is held beyond its limit.
func TestLimits(t *testing.T) {
	word := strings.Repeat("x", 1<<20)
	chunk := events(`{"choices":[{"delta":{"content":"` + word + `"}}]}`)
	delta := events(`{"type":"response.output_text.delta","output_index":0,"delta":"` + word + `"}`)
	args := events(`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"` + word + `"}}]}}]}`)
	for name, piece := range map[string]string{"chat text": chunk, "responses text": delta, "arguments": args} {
		r := NewReader(gateway.Chat, streamType)
		for range 2 * (MaxAnswer >> 20) {
			r.Push([]byte(piece))
		}
		a := r.Answer()
		if held := a.TextLen() + len(a.Reasoning()); held > MaxAnswer || name != "arguments" && held != MaxAnswer {
			t.Errorf("S %s: %d bytes held, want %d", name, held, MaxAnswer)
		}
		if !r.Ended() || a.State != Failed || a.Problem.Code != CodeTooLong {
			t.Errorf("S %s past its limit: %s %v", name, a.State, a.Problem)
		}
	}

	r := NewReader(gateway.Chat, jsonType)
	r.Push([]byte(`{"choices":[{"message":{"content":"`))
	for range 2 * (MaxBody >> 20) {
		r.Push([]byte(word))
	}
	r.Close()
	if a := r.Answer(); a.State != Failed || a.Problem.Code != CodeTooLong || len(r.body) > 0 {
		t.Errorf("S a JSON body past its limit: %s %v, %d bytes kept", a.State, a.Problem, len(r.body))
	}

	r = NewReader(gateway.Responses, streamType)
	r.Push([]byte(events(`{"type":"response.output_text.delta","delta":"Hi"}`)))
	r.Push([]byte("event: response.completed\ndata: {\"type\":\"response.completed\",\"x\":\""))
	for range MaxBody>>20 + 1 {
		r.Push([]byte(word))
	}
	if a := r.Answer(); a.State != Done || a.Text() != "Hi" {
		t.Errorf("S a terminal event too long to read: %s %q, want done by its name", a.State, a.Text())
	}

	r = NewReader(gateway.Chat, " ")
	for range 100 {
		r.Push([]byte(strings.Repeat("\n", 1<<10)))
	}
	r.Close()
	if a := r.Answer(); a.State != Failed || len(r.body) > 0 {
		t.Errorf("S a reply of white space: %s, %d bytes kept", a.State, len(r.body))
	}

	many := func(format string) string {
		var b strings.Builder
		for i := range 3 * maxItems {
			fmt.Fprintf(&b, "data: "+format+"\n\n", i, i)
		}
		return b.String()
	}
	for name, stream := range map[string]string{
		"calls":     many(`{"choices":[{"delta":{"tool_calls":[{"index":%d,"id":"c%d"}]}}]}`),
		"items":     many(`{"type":"response.output_text.delta","output_index":%d,"delta":"a%d "}`),
		"searches":  many(`{"type":"response.web_search_call.searching","output_index":%d,"item_id":"s%d"}`),
		"citations": many(`{"type":"response.output_text.annotation.added","annotation":{"url":"https://a.test/%d/%d"}}`),
	} {
		a := readAll(gateway.Chat, streamType, stream, 0).Answer()
		for what, n := range map[string]int{"calls": len(a.ToolCalls), "items": len(a.items), "searches": len(a.Searches), "citations": len(a.Citations)} {
			if want := map[bool]int{true: maxItems}[what == name]; n != want {
				t.Errorf("S %d %s of too many %s, want %d", n, what, name, want)
			}
		}
	}
}

// A stream that writes to two messages by turns must not cost the square of
// its length.
func TestInterleavedMessages(t *testing.T) {
	r := NewReader(gateway.Responses, streamType)
	const n = 50_000
	for i := range n {
		r.Push(fmt.Appendf(nil, "data: {\"type\":\"response.output_text.delta\",\"output_index\":%d,\"delta\":\"%d%s\"}\n\n", i%2, i%2, strings.Repeat("y", 50)))
	}
	text := r.Answer().Text()
	first, second, ok := strings.Cut(text, "\n\n")
	if !ok || len(first) != n/2*51 || len(second) != n/2*51 || strings.Contains(first, "1") || strings.Contains(second, "0") {
		t.Errorf("%d bytes, %d and %d", len(text), len(first), len(second))
	}
	if r.Answer().Replaced == 0 {
		t.Error("text that does not continue what was given was not marked as replaced")
	}
}
