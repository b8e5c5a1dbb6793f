package sandbox

import (
	"encoding/json"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

// The first trial of functions: one is offered, a question is asked, and its
// name does not come to mind.
func TestAFunctionThatIsOfferedIsCalledUnasked(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}`)
	weather := gateway.Tool{Type: "function", Name: "get_weather", Description: "The weather forecast of a city.", Parameters: schema}
	parcel := gateway.Tool{Type: "function", Name: "track", Description: "Where a parcel is.", Parameters: json.RawMessage(`{"type":"object","properties":{"number":{"type":"string"}}}`)}
	earlier := []gateway.Turn{{Role: "user", Text: "Weather in Oslo?"}, {Role: "assistant", ToolCalls: []gateway.ToolCall{{ID: "c", Name: "get_weather"}}},
		{Role: "tool", ToolCallID: "c", Text: "rain"}, {Role: "assistant", Text: "Rain."}}
	for _, c := range []struct {
		name, prompt string
		tools        []gateway.Tool
		before       []gateway.Turn
		want         string // names of the functions called
	}{
		{"a question that it fits", "What is the weather like in Oslo?", []gateway.Tool{weather}, nil, "get_weather"},
		{"the one that fits best", "Is my parcel in Oslo yet?", []gateway.Tool{weather, parcel}, nil, "track"},
		{"a question that none fits: the first", "When does the train leave?", []gateway.Tool{weather, parcel}, nil, "get_weather"},
		{"something to be done", "Order two coffees", []gateway.Tool{parcel}, nil, "track"},
		{"named, and so called", "use get_weather and track", []gateway.Tool{weather, parcel}, nil, "get_weather track"},
		{"an explanation that it fits", "Explain the weather in Oslo", []gateway.Tool{weather}, nil, "get_weather"},
		{"an explanation", "Explain tides", []gateway.Tool{weather, parcel}, nil, ""},
		{"a poem", "Write a poem about the weather", []gateway.Tool{weather}, nil, ""},
		{"a greeting", "Hello!", []gateway.Tool{weather}, nil, ""},
		{"word for word", "Say: what is the weather", []gateway.Tool{weather}, nil, ""},
		{"forbidden", "What is the weather in Oslo? Don't use any tools.", []gateway.Tool{weather}, nil, ""},
		{"forbidden in another way", "Without calling functions: will the weather hold?", []gateway.Tool{weather}, nil, ""},
		{"a script says what the answer is", "[[repeat: 20]] What is the weather?", []gateway.Tool{weather}, nil, ""},
		{"a script names another", "[[call: track]] What is the weather?", []gateway.Tool{weather, parcel}, nil, "track"},
		{"nothing is offered", "What is the weather?", nil, nil, ""},
		{"only the search is", "What is the weather?", []gateway.Tool{{Type: "web_search"}}, nil, ""},
		{"asked again later", "And the weather in Bergen?", []gateway.Tool{weather}, earlier, "get_weather"},
		{"something else later", "When does the train leave?", []gateway.Tool{weather}, earlier, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			model := gateway.SampleCatalogue()
			m, _ := model.Lookup("zeta-1")
			conv := conversation{tools: c.tools, turns: append(c.before, gateway.Turn{Role: "user", Text: c.prompt})}
			a := compose(m, conv)
			var names []string
			for _, call := range a.calls {
				names = append(names, call.Name)
				if !json.Valid([]byte(call.Arguments)) {
					t.Errorf("arguments %q", call.Arguments)
				}
			}
			if got := strings.Join(names, " "); got != c.want || (a.text == "") != (c.want != "") {
				t.Fatalf("%q calls %q, want %q; it says %q", c.prompt, got, c.want, a.text)
			}
			if c.want == "" {
				return
			}
			// With the results the answer takes them up and calls nothing.
			conv.turns = append(conv.turns, gateway.Turn{Role: "assistant", ToolCalls: a.calls})
			for _, call := range a.calls {
				conv.turns = append(conv.turns, gateway.Turn{Role: "tool", ToolCallID: call.ID, Text: "14 degrees"})
			}
			if a = compose(m, conv); len(a.calls) > 0 || !strings.Contains(a.text, "14 degrees") {
				t.Errorf("with the results: %d calls, %q", len(a.calls), a.text)
			}
		})
	}
}
