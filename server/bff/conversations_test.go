package bff_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// told waits for an event that suits and decodes it.
func told[T any](t *testing.T, c *wiretest.Client, event wire.Event, suits func(T) bool) (v T) {
	t.Helper()
	_, err := c.Push(t.Context(), func(p wire.Push) bool {
		var got T
		if p.Event != event || json.Unmarshal(p.Data, &got) != nil || !suits(got) {
			return false
		}
		v = got
		return true
	})
	if err != nil {
		t.Fatalf("no %s: %v", event, err)
	}
	return v
}

// answered starts a turn and waits for its end.
func (w *world) answered(c *wiretest.Client, s wire.Start) {
	w.t.Helper()
	w.start(c, s)
	told(w.t, c, wire.EventRun, func(r wire.Run) bool { return r.ID == s.Run && r.State != wire.Running })
}

func TestWhatIsKeptIsTheSameInAllTabs(t *testing.T) {
	w := keyed(t, nil)
	one, two := w.dial(), w.dial()
	s := turn()
	w.answered(one, s)

	lanes := wire.Lanes{Conversation: s.Conversation, Blind: true, Lanes: []wire.Lane{{Model: "a", Params: json.RawMessage(`{"temperature":1}`), Leaf: s.Answer}, {Model: "b"}}}
	kept := call[wire.Lanes](w, one, wire.OpLanes, lanes)
	vote := call[wire.Vote](w, one, wire.OpVote, wire.Vote{Conversation: s.Conversation, Message: s.User.ID, Winner: s.Answer, Models: []string{"a", "b"}})
	pinned := call[wire.Summary](w, one, wire.OpPin, wire.Pin{ID: s.Conversation, Pinned: true})
	entry := call[wire.LibraryEntry](w, one, wire.OpLibraryPut, wire.LibraryEntry{ID: uuid.NewString(), Kind: wire.LibraryPrompt, Name: "n", Text: "{{a}}"})
	if kept.Rev != 1 || vote.VoteMS == 0 || !pinned.Pinned || entry.UpdatedMS == 0 {
		t.Errorf("%+v %+v %+v %+v", kept, vote, pinned, entry)
	}
	for _, tab := range []*wiretest.Client{one, two} {
		if got := told(t, tab, wire.EventLanes, func(l wire.Lanes) bool { return l.Rev == 1 }); !reflect.DeepEqual(got, kept) {
			t.Errorf("lanes: %+v", got)
		}
		if got := told(t, tab, wire.EventVote, func(wire.Vote) bool { return true }); !reflect.DeepEqual(got, vote) {
			t.Errorf("vote: %+v", got)
		}
		told(t, tab, wire.EventConversation, func(s wire.Summary) bool { return s.Pinned })
		if got := told(t, tab, wire.EventLibrary, func(wire.LibraryEntry) bool { return true }); !reflect.DeepEqual(got, entry) {
			t.Errorf("library: %+v", got)
		}
	}
	opened := call[wire.Opened](w, two, wire.OpOpen, wire.Page{Conversation: s.Conversation, Around: s.Answer})
	if !reflect.DeepEqual(opened.Lanes, &kept) || !reflect.DeepEqual(opened.Votes, []wire.Vote{vote}) || !opened.Summary.Pinned {
		t.Errorf("opened: %+v", opened)
	}
	if page := call[wire.ConversationPage](w, two, wire.OpConversations, wire.Page{}); len(page.Pinned) != 1 {
		t.Errorf("%+v", page)
	}
	if lib := call[wire.Library](w, two, wire.OpLibrary, nil); !reflect.DeepEqual(lib.Entries, []wire.LibraryEntry{entry}) {
		t.Errorf("%+v", lib)
	}
	if err := two.Call(t.Context(), wire.OpLibraryDelete, wire.Target{ID: entry.ID}, nil); err != nil {
		t.Fatal(err)
	}
	told(t, one, wire.EventLibrary, func(e wire.LibraryEntry) bool { return e.Deleted && e.ID == entry.ID })

	o := call[wire.Outline](w, two, wire.OpOutline, wire.Target{ID: s.Conversation})
	if o.Roles != "ua" || o.ID(1) != s.Answer {
		t.Errorf("%+v", o)
	}
	if got := call[wire.Messages](w, two, wire.OpMessages, wire.MessageQuery{Conversation: s.Conversation, IDs: []string{s.Answer}}); len(got.Messages) != 1 || got.Messages[0].Text != "Hello there" {
		t.Errorf("%+v", got)
	}
	found := call[wire.SearchPage](w, two, wire.OpSearch, wire.Search{Query: "hello", Kinds: []string{wire.HitAnswer}})
	if len(found.Hits) != 1 || found.Hits[0].Message != s.Answer || !reflect.DeepEqual(found.Hits[0].Marks, []int{0, 5}) {
		t.Errorf("%+v", found)
	}
}

func TestRequestAndTimesOfARunUnderWay(t *testing.T) {
	w := keyed(t, nil)
	more := make(chan struct{})
	first := chunk("Hello ")
	w.stream = func(p *io.PipeWriter, _ string, _ []byte) {
		fmt.Fprint(p, first)
		<-more
		fmt.Fprint(p, chunk("there"), usage, done)
		p.Close()
	}
	c := w.dial()
	s := turn()
	w.start(c, s)
	if _, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) == len(first) }); err != nil {
		t.Fatal(err)
	}
	req := call[wire.RunRequest](w, c, wire.OpRunRequest, wire.Target{ID: s.Run})
	if req.Body != string(s.Body) || req.Endpoint != "chat" || req.Model != "vendor/model-a" || req.StartedMS == 0 || req.BaseURL != "https://gateway.example.com" {
		t.Errorf("%+v", req)
	}
	length := func(ts wire.RunTimes) (n int64) {
		for end, ms := range ts.All {
			if n = end; ms < 0 {
				t.Errorf("%+v", ts)
			}
		}
		return n
	}
	if ts := call[wire.RunTimes](w, c, wire.OpRunTimes, wire.Target{ID: s.Run}); ts.Ended || length(ts) != int64(len(first)) {
		t.Errorf("under way: %+v, want %d bytes", ts, len(first))
	}
	close(more)
	ended := told(t, c, wire.EventRun, func(r wire.Run) bool { return r.State == wire.Done })
	if ts := call[wire.RunTimes](w, c, wire.OpRunTimes, wire.Target{ID: s.Run}); !ts.Ended || length(ts) != ended.Bytes || ts.StartedMS != ended.StartedMS {
		t.Errorf("ended: %+v, want %d bytes", ts, ended.Bytes)
	}
	for _, op := range []wire.Op{wire.OpRunRequest, wire.OpRunTimes} {
		if err := c.Call(t.Context(), op, wire.Target{ID: uuid.NewString()}, nil); err == nil || !strings.Contains(err.Error(), "run_not_found") {
			t.Errorf("%s of none: %v", op, err)
		}
	}
}

func TestFunctionRoundIsStoredAsMessages(t *testing.T) {
	w := keyed(t, nil)
	w.stream = func(p *io.PipeWriter, _ string, body []byte) {
		if bytes.Contains(body, []byte(`"tool"`)) {
			fmt.Fprint(p, chunk("It is 3 °C"), usage, done)
		} else {
			fmt.Fprint(p, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call-1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]}}]}`+"\n\n",
				`data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`+"\n\n", usage, done)
		}
		p.Close()
	}
	c := w.dial()
	s := turn()
	w.answered(c, s)
	next := turn()
	next.Conversation = s.Conversation
	next.User = wire.Message{ID: next.User.ID, Parent: s.Answer, Role: "tool", Text: "3", ToolCall: "call-1", Tool: "get_weather"}
	next.Body = json.RawMessage(`{"model":"vendor/model-a","stream":true,"messages":[{"role":"user","content":"Hello there"},` +
		`{"role":"assistant","content":null,"tool_calls":[{"id":"call-1","type":"function","function":{"name":"get_weather","arguments":"{}"}}]},{"role":"tool","content":"3","tool_call_id":"call-1"}]}`)
	w.answered(c, next)
	o := call[wire.Opened](w, c, wire.OpOpen, wire.Page{Conversation: s.Conversation})
	if len(o.Messages) != 4 {
		t.Fatalf("%+v", o.Messages)
	}
	want := []wire.ToolCall{{ID: "call-1", Name: "get_weather", Arguments: `{"city":"Oslo"}`}}
	if got := o.Messages[1].Run.Calls; !reflect.DeepEqual(got, want) {
		t.Errorf("calls %+v, want %+v", got, want)
	}
	if m := o.Messages[2]; m.Role != "tool" || m.ToolCall != "call-1" || m.Tool != "get_weather" || m.Text != "3" {
		t.Errorf("%+v", m)
	}
	if m := o.Messages[3]; m.Text != "It is 3 °C" || m.Parent != next.User.ID {
		t.Errorf("%+v", m)
	}
	md := w.do(nil, "GET", wire.ExportPath+s.Conversation+".md", "")
	for _, part := range []string{"# Hello there\n", "## You\n\nHello there\n", "## `vendor/model-a`", "Calls `get_weather`:\n\n```json\n{\"city\":\"Oslo\"}\n```\n", "## Result of `get_weather`\n\n```\n3\n```\n", "It is 3 °C\n", "10 tokens in, 4 out"} {
		if !strings.Contains(md.body, part) {
			t.Errorf("no %q in\n%s", part, md.body)
		}
	}
	if got := md.Header.Get("Content-Type"); md.StatusCode != 200 || got != "text/markdown; charset=utf-8" || !strings.HasPrefix(md.Header.Get("Content-Disposition"), "attachment; ") {
		t.Errorf("%s, %v", md.Status, md.Header)
	}
}
