package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"screentest/server/store"
	"screentest/server/store/chat"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// exported gives a file without the time at which it was made.
func exported(t testing.TB, db *store.DB, owner, conversation string) string {
	t.Helper()
	var file bytes.Buffer
	storetest.Must(t, db.Export(context.Background(), owner, conversation, &file))
	var v transfer.File
	dec := json.NewDecoder(bytes.NewReader(file.Bytes()))
	dec.DisallowUnknownFields()
	storetest.Must(t, dec.Decode(&v))
	if v.ExportedMS == 0 || v.Format != transfer.ExportFormat || v.Version != transfer.ExportVersion {
		t.Fatalf("%+v", v)
	}
	v.ExportedMS = 0
	out, err := json.MarshalIndent(v, "", " ")
	storetest.Must(t, err)
	return string(out)
}

// randomTalk stores a conversation with branches, lanes, failures, function
// results, votes and lanes.
func randomTalk(t *rapid.T, db *store.DB, owner string) (conversation string) {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	text := rapid.OneOf(rapid.StringN(0, 60, 200), rapid.SampledFrom([]string{"<b>&\u2028", "```go\nx\n```", "编程", "a\tb\r\n"})).Filter(func(s string) bool { return !strings.Contains(s, "\x00") })
	conversation = storetest.NewID()
	var answers, calling, questions []string
	for i := range rapid.IntRange(1, 12).Draw(t, "turns") {
		s := storetest.NewStart(conversation, text.Draw(t, "question"))
		s.Lane = rapid.IntRange(0, 5).Draw(t, "lane")
		switch {
		case len(calling) > 0 && rapid.Bool().Draw(t, "result"):
			m := wire.Message{ID: storetest.NewID(), Parent: rapid.SampledFrom(calling).Draw(t, "call"), Role: "tool", Text: s.User.Text, ToolCall: "c1", Tool: "f"}
			s.User.Role, s.User.Parent, s.User.ToolCall = "tool", m.ID, "c2"
			s.Before = []wire.Message{m}
		case len(questions) > 0 && rapid.Bool().Draw(t, "version"):
			s.User.ID = rapid.SampledFrom(questions).Draw(t, "of")
		case len(answers) > 0:
			s.User.Parent = rapid.SampledFrom(answers).Draw(t, "parent")
		}
		if _, _, err := db.CheckStart(ctx, owner, s); err != nil {
			continue // a ninth round
		}
		r := storetest.RunOf(s)
		r.StartedMS += int64(i)
		r.Model = rapid.SampledFrom([]string{"m-1", "m-2", "vendor/<m>"}).Draw(t, "model")
		check(storetest.Wait(func(done func(error)) { db.StartTurn(owner, s, r, text.Draw(t, "title"), "https://x.example", done) }))
		answers, questions = append(answers, s.Answer), append(questions, s.User.ID)
		if i == 11 {
			continue // still under way
		}
		r = storetest.Ended(r, int64(i))
		r.State = rapid.SampledFrom([]wire.RunState{wire.Done, wire.Failed, wire.Stopped, wire.Incomplete, wire.Interrupted}).Draw(t, "state")
		if r.State == wire.Failed {
			r.Problem = &wire.Problem{Code: "c", Message: text.Draw(t, "error"), Raw: "<html>"}
			r.CostNanoUSD, r.Basis, r.CostSource = 0, "", ""
		}
		if rapid.Bool().Draw(t, "calls") {
			r.Calls = []wire.ToolCall{{ID: "c1", Name: "f", Arguments: text.Draw(t, "arguments")}, {ID: "c2", Name: "f"}}
			calling = append(calling, s.Answer)
		}
		check(db.FinishRun(ctx, owner, r, text.Draw(t, "answer"), []byte("log"), nil, nil))
	}
	if rapid.Bool().Draw(t, "lanes") {
		check(storetest.Second(db.SetLanes(ctx, owner, wire.Lanes{Conversation: conversation, Blind: true, Lanes: []wire.Lane{
			{Model: "m-1", Params: json.RawMessage(` { "system" : "<x>" } `), Leaf: answers[0]}, {Model: "m-2"}}})))
	}
	if rapid.Bool().Draw(t, "vote") {
		v := wire.Vote{Conversation: conversation, Message: questions[0], Winner: answers[0], Models: []string{"m-1", "m-2"}}
		if v.Bad = rapid.Bool().Draw(t, "all bad"); v.Bad {
			v.Winner, v.Tags = "", []string{"code", "编程"}
		}
		check(storetest.Second(db.SetVote(ctx, owner, v)))
	}
	check(storetest.Second(db.PinConversation(ctx, owner, wire.Pin{ID: conversation, Pinned: rapid.Bool().Draw(t, "pinned")})))
	return conversation
}

// What was exported gives, imported, an equal conversation: under the same ids
// where they are free, and under new ones beside the first.
func TestImportOfAnExportIsEqual(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	other := storetest.AddUser(t, db, "other")
	storetest.Must(t, storetest.Second(db.PutLibrary(ctx, owner, wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibrarySettings, Name: "n", Params: json.RawMessage(`{ "a": "<" }`)})))
	rapid.Check(t, func(rt *rapid.T) {
		conversation := randomTalk(rt, db, owner)
		want := exported(t, db, owner, conversation)

		there, err := db.Import(ctx, other, strings.NewReader(want))
		storetest.Must(t, err)
		if got := exported(t, db, other, conversation); got != want || there.Renewed != 0 || there.Open != conversation {
			rt.Fatalf("elsewhere: %+v\n%s\nwant\n%s", there, got, want)
		}
		opened, err := db.OpenConversation(ctx, owner, wire.Page{Conversation: conversation})
		storetest.Must(t, err)
		again, err := db.OpenConversation(ctx, other, wire.Page{Conversation: conversation})
		storetest.Must(t, err)
		if !reflect.DeepEqual(shown(opened), shown(again)) {
			rt.Fatalf("opened: %+v\nwant %+v", shown(again), shown(opened))
		}

		beside, err := db.Import(ctx, owner, strings.NewReader(want))
		storetest.Must(t, err)
		if beside.Renewed != 1 || beside.Open == conversation || beside.Messages != len(opened.Messages) {
			rt.Fatalf("beside: %+v", beside)
		}
		if got, want := anonymous(exported(t, db, owner, beside.Open)), anonymous(want); got != want {
			rt.Fatalf("beside\n%s\nwant\n%s", got, want)
		}
		for who, id := range map[string]string{other: conversation, owner: beside.Open} {
			storetest.Must(t, db.DeleteConversation(ctx, who, id))
		}
		storetest.Must(t, db.DeleteConversation(ctx, owner, conversation))
	})
	if lib, err := db.Library(ctx, other); err != nil || len(lib.Entries) != 0 {
		t.Errorf("one conversation's file has the library: %+v, %v", lib, err)
	}
}

// shown is what an import keeps of a conversation.
func shown(o wire.Opened) wire.Opened {
	o.Summary.CostNanoUSD, o.Summary.Estimated, o.Summary.Running = 0, false, 0 // not spent here
	if o.Lanes != nil {
		o.Lanes.Rev = 0
	}
	for i := range o.Messages {
		if r := o.Messages[i].Run; r != nil {
			r.ContentType, r.Bytes = "", 0 // of the log
			if r.State == wire.Running {
				r.State = wire.Interrupted
			}
		}
	}
	return o
}

// anonymous replaces each id by its number.
func anonymous(file string) string {
	names := map[string]string{}
	var out strings.Builder
	for _, part := range strings.SplitAfter(file, `"`) {
		if id := strings.TrimSuffix(part, `"`); len(id) == 36 {
			if _, ok := engine.ParseID(id); ok {
				if names[id] == "" {
					names[id] = fmt.Sprint("id ", len(names))
				}
				part = names[id] + `"`
			}
		}
		out.WriteString(part)
	}
	return out.String()
}

func TestExportOfEverythingComesBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	other := storetest.AddUser(t, db, "other")
	long, _ := storetest.LongTalk(t, db, owner, chat.MaxMessages) // more than a page
	storetest.Talk(t, db, owner, "", "second", storetest.Says("answer"))
	entry, err := db.PutLibrary(ctx, owner, wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "n", Text: "{{a}}"})
	storetest.Must(t, err)
	all := exported(t, db, owner, "")
	done, err := db.Import(ctx, other, strings.NewReader(all))
	if want := (wire.Imported{Conversations: 2, Messages: 2*chat.MaxMessages + 2, Runs: chat.MaxMessages + 1, Entries: 1, Open: done.Open}); err != nil || done != want {
		t.Errorf("%+v, %v; want %+v", done, err, want)
	}
	if got := exported(t, db, other, ""); strings.ReplaceAll(got, `"running"`, `"interrupted"`) != all {
		t.Error("what comes back differs")
	}
	// The library is not doubled by importing it again, but for what differs.
	again, err := db.Import(ctx, other, strings.NewReader(all))
	storetest.Must(t, err)
	if again.Entries != 0 || again.Renewed != 2 {
		t.Errorf("again: %+v", again)
	}
	entry.Text = "another"
	storetest.Must(t, storetest.Second(db.PutLibrary(ctx, other, entry)))
	again, err = db.Import(ctx, other, strings.NewReader(all))
	if lib, lerr := db.Library(ctx, other); err != nil || lerr != nil || again.Entries != 1 || len(lib.Entries) != 2 {
		t.Errorf("with another text: %+v, %+v, %v, %v", again, lib, err, lerr)
	}
	if got := storetest.Search(t, db, other, wire.Search{Query: "second", Kinds: []string{wire.HitQuestion}}); len(got) != 3 {
		t.Errorf("imported messages are found: %q", got)
	}
	if n, err := db.Outline(ctx, other, long); err != nil || n.Len() != 2*chat.MaxMessages {
		t.Errorf("%d, %v", n.Len(), err)
	}
	// Nothing was spent here.
	var rows int
	storetest.Must(t, db.Engine().At(ctx).Scan("SELECT count(*) FROM ledger WHERE owner = ?", []any{engine.ParseOwner(other)}, &rows))
	if rows != 0 {
		t.Errorf("%d rows in the ledger", rows)
	}
}

func TestImportSaysWhatIsWrongAndWhere(t *testing.T) {
	ctx := context.Background()
	db, owner := storetest.OpenLocal(t)
	s, _ := storetest.Talk(t, db, owner, "", "q", func(r *wire.Run) string {
		r.Calls = []wire.ToolCall{{ID: "c", Name: "f"}}
		return "a"
	})
	storetest.Must(t, storetest.StartTurn(db, owner, storetest.ResultOf(s, "r")), storetest.Second(db.SetVote(ctx, owner, storetest.SomeVote(s))), storetest.Second(db.SetLanes(ctx, owner, storetest.SomeLanes(s))))
	storetest.Must(t, storetest.Second(db.PutLibrary(ctx, owner, wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "n", Text: "t"})))
	good := exported(t, db, owner, "")
	id := storetest.NewID()
	for _, tt := range []struct {
		name, field string
		change      func(root map[string]any)
	}{
		{"another format", "format", func(r map[string]any) { r["format"] = "x" }},
		{"a newer version", "format", func(r map[string]any) { r["version"] = 2 }},
		{"no conversations", "conversations", func(r map[string]any) { delete(r, "conversations") }},
		{"conversations that are no list", "conversations", func(r map[string]any) { r["conversations"] = "x" }},
		{"a field of no name", "extra", func(r map[string]any) { r["extra"] = 1 }},
		{"a field of no name within", "conversations[0].extra", func(r map[string]any) { conv(r)["extra"] = 1 }},
		{"a field of no name in a message", "conversations[0].messages[0]", func(r map[string]any) { msg(r, 0)["api_key"] = "x" }},
		{"no title", "conversations[0].title", func(r map[string]any) { conv(r)["title"] = "" }},
		{"a title of two lines", "conversations[0].title", func(r map[string]any) { conv(r)["title"] = "a\nb" }},
		{"a time before all", "conversations[0].created_ms", func(r map[string]any) { conv(r)["created_ms"] = -1 }},
		{"a time that is text", "conversations[0].updated_ms", func(r map[string]any) { conv(r)["updated_ms"] = "now" }},
		{"an id that is none", "conversations[0].id", func(r map[string]any) { conv(r)["id"] = "../x" }},
		{"an id twice", "conversations[0].messages[1].id", func(r map[string]any) { msg(r, 1)["id"] = msg(r, 0)["id"] }},
		{"a parent that does not come before", "conversations[0].messages[0].parent", func(r map[string]any) { msg(r, 0)["parent"] = msg(r, 1)["id"] }},
		{"another role", "conversations[0].messages[0].role", func(r map[string]any) { msg(r, 0)["role"] = "root" }},
		{"a result after a question", "conversations[0].messages[2].parent", func(r map[string]any) { msg(r, 2)["parent"] = msg(r, 0)["id"] }},
		{"a result of no call", "conversations[0].messages[2].tool_call", func(r map[string]any) { delete(msg(r, 2), "tool_call") }},
		{"a question with a run", "conversations[0].messages[0].run", func(r map[string]any) { msg(r, 0)["run"] = msg(r, 1)["run"] }},
		{"a result after an answer that no model wrote", "conversations[0].messages[2].parent", func(r map[string]any) { delete(msg(r, 1), "run") }},
		{"a vote for one", "conversations[0].votes[0].winner", func(r map[string]any) {
			delete(msg(r, 1), "run")
			conv(r)["messages"] = conv(r)["messages"].([]any)[:2]
		}},
		{"a lane too far", "conversations[0].messages[1].lane", func(r map[string]any) { msg(r, 1)["lane"] = 64 }},
		{"a long text", "conversations[0].messages[0].text", func(r map[string]any) { msg(r, 0)["text"] = strings.Repeat("x", transfer.MaxImportedText+1) }},
		{"a run that goes on", "conversations[0].messages[1].run.state", func(r map[string]any) { run(r)["state"] = "running" }},
		{"an endpoint of no kind", "conversations[0].messages[1].run.endpoint", func(r map[string]any) { run(r)["endpoint"] = "video" }},
		{"no model", "conversations[0].messages[1].run.model", func(r map[string]any) { run(r)["model"] = "" }},
		{"tokens below nothing", "conversations[0].messages[1].run.input_tokens", func(r map[string]any) { run(r)["input_tokens"] = -1 }},
		{"a cost from nowhere", "conversations[0].messages[1].run.cost_source", func(r map[string]any) { delete(run(r), "cost_source") }},
		{"too many calls", "conversations[0].messages[1].run.calls", func(r map[string]any) { run(r)["calls"] = slices.Repeat([]any{map[string]any{}}, transfer.MaxCalls+1) }},
		{"long arguments of a call", "conversations[0].messages[1].run.calls[0].arguments", func(r map[string]any) {
			run(r)["calls"] = []any{map[string]any{"name": "f", "arguments": strings.Repeat("x", transfer.MaxImportedText+1)}}
		}},
		{"calls that are long together", "conversations[0].messages[1].run.calls[1].arguments", func(r map[string]any) {
			run(r)["calls"] = slices.Repeat([]any{map[string]any{"name": "f", "arguments": strings.Repeat("x", transfer.MaxImportedText/2)}}, 3)
		}},
		{"a long problem", "conversations[0].messages[1].run.problem", func(r map[string]any) {
			run(r)["problem"] = map[string]any{"code": "c", "message": strings.Repeat("x", transfer.MaxImportedProblem)}
		}},
		{"a vote on an answer", "conversations[0].votes[0].message", func(r map[string]any) { vote(r)["message"] = msg(r, 1)["id"] }},
		{"a vote for what is not there", "conversations[0].votes[0].winner", func(r map[string]any) { vote(r)["winner"] = id }},
		{"a vote that is bad and for one", "conversations[0].votes[0].bad", func(r map[string]any) { vote(r)["bad"] = true }},
		{"a vote with a long tag", "conversations[0].votes[0].tags", func(r map[string]any) { vote(r)["tags"] = []string{strings.Repeat("x", 31)} }},
		{"a vote of one", "conversations[0].votes[0].models", func(r map[string]any) { vote(r)["models"] = []string{"a"} }},
		{"no lanes", "conversations[0].lanes", func(r map[string]any) { conv(r)["lanes"] = map[string]any{"lanes": []any{}} }},
		{"an entry of no kind", "library[0].kind", func(r map[string]any) { r["library"].([]any)[0].(map[string]any)["kind"] = "x" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var root map[string]any
			storetest.Must(t, json.Unmarshal([]byte(good), &root))
			tt.change(root)
			_, err := db.Import(ctx, owner, bytes.NewReader(inOrder(t, root)))
			if p := storetest.Problem(err); !strings.HasPrefix(p.Field, tt.field) || p.Message == "" {
				t.Errorf("field %q, %v; want %q", p.Field, err, tt.field)
			}
		})
	}
	for name, file := range map[string]string{
		"nothing": "", "no JSON": "PK\x03\x04", "a list": "[]", "null": "null", "cut off": good[:len(good)/2],
		"twice a field": `{"format":"` + transfer.ExportFormat + `","format":"x"}`, "more behind": good + "{}",
	} {
		if _, err := db.Import(ctx, owner, strings.NewReader(file)); storetest.Problem(err).Code != "bad_import" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for file, want := range map[string]string{"[]": "This is an array, which cannot stand here.", "7": "This is a number, which cannot stand here.",
		`{"format":{}}`: "This is an object, which cannot stand here."} {
		if _, err := db.Import(ctx, owner, strings.NewReader(file)); storetest.Problem(err).Message != want {
			t.Errorf("%s: %v, want %q", file, err, want)
		}
	}
	if got := exported(t, db, owner, ""); got != good {
		t.Error("a file that was refused changed something")
	}
}

// inOrder encodes root with what must come first before the rest.
func inOrder(t *testing.T, root map[string]any) []byte {
	t.Helper()
	out := []byte("{")
	for _, name := range []string{"format", "version", "exported_ms", "conversations", "library", "extra"} {
		v, ok := root[name]
		if !ok {
			continue
		}
		p, err := json.Marshal(v)
		storetest.Must(t, err)
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", name, p)
	}
	return append(out, '}')
}

func conv(root map[string]any) map[string]any {
	return root["conversations"].([]any)[0].(map[string]any)
}

func msg(root map[string]any, i int) map[string]any {
	return conv(root)["messages"].([]any)[i].(map[string]any)
}

func run(root map[string]any) map[string]any { return msg(root, 1)["run"].(map[string]any) }

func vote(root map[string]any) map[string]any { return conv(root)["votes"].([]any)[0].(map[string]any) }

// A library alone is a whole file, too.
func TestALibraryAloneIsImported(t *testing.T) {
	db, owner := storetest.OpenLocal(t)
	e := wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "greet", Text: "Say hello."}
	storetest.Must(t, storetest.Second(db.PutLibrary(t.Context(), owner, e)))
	var file bytes.Buffer
	storetest.Must(t, db.Export(t.Context(), owner, "", &file))
	other := storetest.AddUser(t, db, "other")
	done, err := db.Import(t.Context(), other, &file)
	if want := (wire.Imported{Entries: 1}); err != nil || done != want {
		t.Fatalf("%+v, %v; want %+v", done, err, want)
	}
	lib, err := db.Library(t.Context(), other)
	if err != nil || len(lib.Entries) != 1 || lib.Entries[0].Text != e.Text {
		t.Errorf("%+v, %v", lib, err)
	}
}

func FuzzImport(f *testing.F) {
	db, owner := storetest.OpenLocal(f)
	s, _ := storetest.Talk(f, db, owner, "", "q", storetest.Says("a"))
	var file bytes.Buffer
	storetest.Must(f, storetest.Second(db.SetVote(context.Background(), owner, storetest.SomeVote(s))), db.Export(context.Background(), owner, "", &file))
	f.Add(file.Bytes())
	f.Add([]byte(`{"format":"screentest.conversations","version":1,"conversations":[]}`))
	other := storetest.AddUser(f, db, "other")
	f.Fuzz(func(t *testing.T, file []byte) {
		done, err := db.Import(context.Background(), other, bytes.NewReader(file))
		if err != nil {
			if storetest.Problem(err).Message == "" {
				t.Errorf("%v is nothing for a person to read", err)
			}
			return
		}
		storetest.Must(t, db.Export(context.Background(), other, "", io.Discard))
		if done.Open != "" {
			storetest.Must(t, db.DeleteConversation(context.Background(), other, done.Open))
		}
	})
}
