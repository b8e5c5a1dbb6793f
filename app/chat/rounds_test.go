package chat

import (
	"slices"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// calls ends a run with calls of functions.
func (b *bench) calls(r wire.Run, calls ...wire.ToolCall) {
	b.end(r.ID, 0, doneMark)
	r.State, r.DurationMS, r.Calls = wire.Done, 100, calls
	b.news(wire.EventRun, r)
}

// results sends what was written, and lets the server take it.
func (b *bench) answered(t *testing.T) (wire.Start, wire.Run) {
	t.Helper()
	if !b.Lane(0).SendResults() {
		t.Fatalf("refused: %+v", b.Shown().Refusal)
	}
	b.pass(0)
	call := b.far.take(t, wire.OpStart)
	start := read[wire.Start](t, call)
	run := wire.Run{ID: start.Run, Conversation: start.Conversation, Message: start.Answer, Endpoint: start.Endpoint,
		Model: b.Lane(0).Model(), State: wire.Running, StartedMS: b.clock.UnixMilli()}
	call.answer(run)
	b.kept(t)
	return start, run
}

func TestFunctionsAreAnsweredByThePerson(t *testing.T) {
	for _, c := range []struct {
		name, model string
		want        []string // in the request
	}{
		{"chat style by messages", "zeta-1", []string{
			`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"c2"`,
			`{"role":"tool","content":"one","tool_call_id":"c1"},{"role":"tool","content":"two","tool_call_id":"c2"}`,
		}},
		{"responses style as a transcript (G10)", responsesModel, []string{
			`Assistant called f({\"a\":1}) [c1]\n\nAssistant called g({}) [c2]\n\nTool result [c1]: one\n\nTool result [c2]: two`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.Lane(0).Choose(c.model)
			b.Lane(0).SetParams(Params{Functions: []Function{{Name: "f", Parameters: `{"type":"object"}`, Sample: "one"}}})
			_, run := b.sent(t, "use f")
			f, g := wire.ToolCall{ID: "c1", Name: "f", Arguments: `{"a":1}`}, wire.ToolCall{ID: "c2", Name: "g", Arguments: "{}"}
			b.calls(run, f, g)
			if got := b.Lane(0).Waiting(); !slices.Equal(got, []wire.ToolCall{f, g}) {
				t.Fatalf("waiting %+v", got)
			}
			if got := b.Lane(0).Result(run.Message, f); got != "one" {
				t.Errorf("the sample is %q", got)
			}
			b.SetResult(run.Message, "c2", "two")
			clear(b.results) // as after a reload
			if got := b.Lane(0).Result(run.Message, g); got != "two" {
				t.Errorf("what was written is %q after a reload", got)
			}
			start, next := b.answered(t)
			if len(start.Before) != 1 || start.Before[0].ToolCall != "c1" || start.User.ToolCall != "c2" || start.User.Parent != start.Before[0].ID ||
				start.Before[0].Parent != run.Message || start.User.Tool != "g" || start.User.Role != "tool" {
				t.Errorf("sent %+v after %+v", start.User, start.Before)
			}
			for _, want := range c.want {
				if !strings.Contains(string(start.Body), want) {
					t.Errorf("%s\nlacks %s", start.Body, want)
				}
			}
			for name := range b.store {
				if strings.HasPrefix(name, "screentest.result.") {
					t.Errorf("sent, and still kept: %s", name)
				}
			}
			b.says(next, "done with it")
			if len(b.Lane(0).Waiting()) != 0 {
				t.Error("still waiting")
			}
			// A retry of the answer names the results that are there already.
			b.Retry(0, start.Answer)
			again := read[wire.Start](t, b.far.take(t, wire.OpStart))
			if again.User.ID != start.User.ID || len(again.Before) != 1 || again.Before[0].ID != start.Before[0].ID {
				t.Errorf("retried with %+v after %+v", again.User, again.Before)
			}
		})
	}
}

func TestEightRounds(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose("zeta-1")
	_, run := b.sent(t, "use f")
	for round := range wire.MaxRounds {
		b.calls(run, wire.ToolCall{ID: "c", Name: "f", Arguments: "{}"})
		if got := b.Lane(0).Rounds(); got != round+1 {
			t.Errorf("round %d, want %d", got, round+1)
		}
		_, run = b.answered(t)
	}
	b.calls(run, wire.ToolCall{ID: "c", Name: "f", Arguments: "{}"})
	if b.Lane(0).SendResults() || b.Shown().Refusal == nil || b.Shown().Refusal.Issues[0].Code != "too_many_rounds" {
		t.Fatalf("a ninth round: %+v", b.Shown().Refusal)
	}
	// The person's next message goes without the calls that were not answered.
	start, _ := b.sent(t, "answer now")
	if strings.Count(string(start.Body), `"tool_calls"`) != wire.MaxRounds {
		t.Errorf("sent %s", start.Body)
	}
}

func TestCallsWithoutResultsAreLeftOut(t *testing.T) {
	b := newBench(t)
	b.Lane(0).Choose("zeta-1")
	_, run := b.sent(t, "use f")
	b.calls(run, wire.ToolCall{ID: "c", Name: "f", Arguments: "{}"})
	start, _ := b.sent(t, "never mind")
	if strings.Contains(string(start.Body), "tool_calls") {
		t.Errorf("sent %s", start.Body)
	}
}

func TestCheckSchema(t *testing.T) {
	for _, c := range []struct{ name, schema, want string }{
		{"good", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, ""},
		{"not JSON, with line and column", "{\n  \"type\": oops\n}", "Line 2, column 11"},
		{"cut off", `{"type":"object"`, "Line 1"},
		{"no object", `[1]`, "a schema is an object"},
		{"no type", `{"properties":{}}`, `"type": "object" is missing`},
		{"another type", `{"type":"string"}`, `the type is "object"`},
		{"unknown type within", "{\"type\":\"object\",\n\"properties\":{\"a\":{\"type\":\"text\"}}}", "Line 2: a type is one of object"},
		{"a property that is no schema", `{"type":"object","properties":{"a":"string"}}`, `"a" is a schema`},
		{"required names nothing", `{"type":"object","properties":{},"required":["b"]}`, `"b", which is no property`},
		{"empty enum", `{"type":"object","properties":{"a":{"enum":[]}}}`, "at least one value"},
		{"items of a list", `{"type":"object","properties":{"a":{"type":"array","items":[1]}}}`, "items is a schema"},
		{"a key twice", `{"type":"object","type":"object"}`, `there twice`},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := strings.Join(CheckSchema(c.schema), " ")
			if c.want == "" && got != "" || !strings.Contains(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestCheckFunctionName(t *testing.T) {
	for name, want := range map[string]string{
		"get_weather-2": "", "": "needs a name", "get weather": "letters, digits", "héhé": "letters, digits",
		"taken": "Another function", strings.Repeat("a", 65): "up to 64",
	} {
		got, _ := CheckFunction(Function{Name: name}, []string{"taken"})
		if words := strings.Join(got, " "); want == "" && words != "" || !strings.Contains(words, want) {
			t.Errorf("%q: %q, want %q", name, words, want)
		}
	}
}

func TestVariablesOfAPrompt(t *testing.T) {
	for _, c := range []struct{ name, text, names, filled string }{
		{"none", "plain {text}", "", "plain {text}"},
		{"each once, in order", "{{b}} and {{ a }} and {{b}}", "b a", "<b> and <a> and <b>"},
		{"not closed", "{{open", "", "{{open"},
		{"empty", "{{}} {{ }}", "", "{{}} {{ }}"},
		{"over a line end", "{{a\nb}} {{c}}", "c", "{{a\nb}} <c>"},
		{"three braces", "{{{a}}}", "a", "{<a>}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			names := Variables(c.text)
			if got := strings.Join(names, " "); got != c.names {
				t.Errorf("names %q, want %q", got, c.names)
			}
			values := map[string]string{}
			for _, n := range names {
				values[n] = "<" + n + ">"
			}
			if got := Fill(c.text, values); got != c.filled {
				t.Errorf("filled %q, want %q", got, c.filled)
			}
		})
	}
	if got := Fill("{{a}}", map[string]string{"a": "{{b}}", "b": "no"}); got != "{{b}}" {
		t.Errorf("a value was looked into: %q", got)
	}
}

func TestLibrary(t *testing.T) {
	b := newBench(t)
	b.Library.Fetch()
	b.far.take(t, wire.OpLibrary).answer(wire.Library{Entries: []wire.LibraryEntry{{ID: "p", Kind: wire.LibraryPrompt, Name: "b"}}})
	var problem *wire.Problem
	done := func(p *wire.Problem) { problem = p }
	b.Library.SavePrompt("", "  ", "text", done)
	if problem == nil || problem.Field != "name" {
		t.Errorf("without a name: %v", problem)
	}
	b.Library.SavePrompt("", "A", "text", done)
	call := b.far.take(t, wire.OpLibraryPut)
	e := read[wire.LibraryEntry](t, call)
	call.answer(e)
	if got := b.Library.Entries(wire.LibraryPrompt); problem != nil || len(got) != 2 || got[0].Name != "A" {
		t.Errorf("%+v, %v", got, problem)
	}
	b.Lane(0).SetParams(Params{System: "s", WebSearch: true})
	b.Library.SaveSettings(b.Lane(0), "mine", done)
	call = b.far.take(t, wire.OpLibraryPut)
	e = read[wire.LibraryEntry](t, call)
	call.answer(e)
	b.Lane(0).SetParams(Params{})
	b.Lane(0).UseSettings(e.ID)
	if p := b.Lane(0).Params(); p.System != "s" || !p.WebSearch || !b.Lane(0).Fits(e) {
		t.Errorf("used %+v", p)
	}
	b.news(wire.EventLibrary, wire.LibraryEntry{ID: e.ID, Deleted: true})
	if len(b.Library.Entries(wire.LibrarySettings)) != 0 {
		t.Error("another tab's deletion is not seen")
	}
	b.Library.Delete("p", done)
	b.far.take(t, wire.OpLibraryDelete).answer(nil)
	if len(b.Library.Entries(wire.LibraryPrompt)) != 1 {
		t.Errorf("left %+v", b.Library.All)
	}
}
