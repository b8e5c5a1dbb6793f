package gateway

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
)

func ptr[T any](v T) *T { return &v }

// talk is a conversation with a function call in it.
var talk = []Turn{
	{Role: "user", Text: "What is 1 < 2 & 3?"},
	{Role: "assistant", Text: "Let me see.", ToolCalls: []ToolCall{{ID: "call_1", Name: "add", Arguments: `{"a":1}`}}},
	{Role: "tool", ToolCallID: "call_1", Text: "3"},
	{Role: "assistant", Text: "It is 3."},
	{Role: "user", Text: "Sure?"},
}

func TestTextBody(t *testing.T) {
	tools := []Tool{{Type: "function", Name: "add", Description: "Adds", Parameters: json.RawMessage(`{"type":"object"}`)}}
	for _, c := range []struct {
		name, model string
		turns       []Turn
		params      TextParams
		want        string
	}{
		{"F107 the whole history goes each time", "vendor/model-a", talk, TextParams{Stream: true},
			`{"model":"vendor/model-a","messages":[{"role":"user","content":"What is 1 < 2 & 3?"},` +
				`{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]},` +
				`{"role":"tool","content":"3","tool_call_id":"call_1"},{"role":"assistant","content":"It is 3."},{"role":"user","content":"Sure?"}],"stream":true}`},
		{"G6 a call without text has null content", "zeta-1", talk[1:2], TextParams{},
			`{"model":"zeta-1","messages":[{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"add","arguments":"{\"a\":1}"}}]}],"stream":false}`},
		{"everything that chat takes", "zeta-1", []Turn{{Role: "user", Text: "Hi"}},
			TextParams{System: "Be brief", Temperature: ptr(0.5), TopP: ptr(0.9), Stream: true, User: ptr(""), Tools: tools, IncludeUsage: true},
			`{"model":"zeta-1","messages":[{"role":"system","content":"Be brief"},{"role":"user","content":"Hi"}],"temperature":0.5,"top_p":0.9,"stream":true,"user":"",` +
				`"tools":[{"type":"function","function":{"name":"add","description":"Adds","parameters":{"type":"object"}}}],"stream_options":{"include_usage":true}}`},
		{"G9 no stream_options without a stream", "zeta-1", []Turn{{Role: "user", Text: "Hi"}}, TextParams{IncludeUsage: true},
			`{"model":"zeta-1","messages":[{"role":"user","content":"Hi"}],"stream":false}`},
		{"a lone question is the input as it stands", "vendor/beta-4.3", []Turn{{Role: "user", Text: "Hi"}}, TextParams{},
			`{"model":"vendor/beta-4.3","input":"Hi","stream":false}`},
		{"F37 F38 tools of responses are flat", "vendor/epsilon-5.6-core", []Turn{{Role: "user", Text: "Hi"}}, TextParams{Stream: true, Tools: append(tools, Tool{Type: "web_search"})},
			`{"model":"vendor/epsilon-5.6-core","input":"Hi","stream":true,"tools":[{"type":"function","name":"add","description":"Adds","parameters":{"type":"object"}},{"type":"web_search"}]}`},
		{"G10 the transcript", "vendor/epsilon-5.6-core", talk, TextParams{System: "Be brief", Stream: true},
			`{"model":"vendor/epsilon-5.6-core","input":"System: Be brief\n\nUser: What is 1 < 2 & 3?\n\nAssistant: Let me see.\n\nAssistant called add({\"a\":1}) [call_1]\n\nTool result [call_1]: 3\n\nAssistant: It is 3.\n\nUser: Sure?","stream":true}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := model(t, c.model)
			got := m.TextBody(c.turns, c.params)
			if string(got) != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if again := m.TextBody(c.turns, c.params); string(again) != string(got) {
				t.Error("the same turns give other bytes")
			}
			if v := SampleCatalogue().Validate(m.Endpoint, got, Options{StreamOptions: true}); !v.OK() || len(v.Warnings) > 0 {
				t.Errorf("what is built is not clean: %+v", v)
			}
		})
	}
}

func TestG10ItemsWhereTheCatalogueSaysSo(t *testing.T) {
	c, err := ParseCatalogue([]byte(`{"models":[{"id":"vendor/beta-4.3","input_items":true}]}`))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := c.Lookup("vendor/beta-4.3")
	got := m.TextBody(talk, TextParams{})
	want := `{"model":"vendor/beta-4.3","input":[{"type":"message","role":"user","content":"What is 1 < 2 & 3?"},` +
		`{"type":"message","role":"assistant","content":"Let me see."},{"type":"function_call","call_id":"call_1","name":"add","arguments":"{\"a\":1}"},` +
		`{"type":"function_call_output","call_id":"call_1","output":"3"},{"type":"message","role":"assistant","content":"It is 3."},` +
		`{"type":"message","role":"user","content":"Sure?"}],"stream":false}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if v := c.Validate(Responses, got, Options{}); !v.OK() || len(v.Warnings) > 0 {
		t.Errorf("%+v", v)
	}
	for name, input := range map[string]string{"an empty array": `[]`, "an item that is a string": `["Hi"]`} {
		if v := c.Validate(Responses, []byte(`{"model":"vendor/beta-4.3","input":`+input+`}`), Options{}); v.OK() {
			t.Errorf("%s is taken", name)
		}
	}
}

// What a person has half typed still makes a body, and the verdict points at it.
func TestAHalfTypedSchemaIsPointedAt(t *testing.T) {
	half := []Tool{{Type: "function", Name: "add", Parameters: json.RawMessage(`{"type":`)}}
	for id, field := range map[string]string{
		"zeta-1":                  "tools[0].function.parameters",
		"vendor/epsilon-5.6-core": "tools[0].parameters",
	} {
		m := model(t, id)
		body := m.TextBody([]Turn{{Role: "user", Text: "Hi"}}, TextParams{Stream: true, Tools: half, Temperature: ptr(math.NaN())})
		if !json.Valid(body) || strings.Contains(string(body), "temperature") {
			t.Fatalf("body %s", body)
		}
		v := SampleCatalogue().Validate(m.Endpoint, body, Options{})
		if v.OK() || v.Errors[0].Field != field {
			t.Errorf("%s: %+v", id, v.Errors)
		}
	}
}

func TestVideoBody(t *testing.T) {
	r := VideoRequest{Model: "delta-3.0-720p", Prompt: "A & B", Seconds: "9", AspectRatio: "16:9", ImageURLs: URLs{image},
		MultiShots: ptr(true), MultiPrompt: []Scene{{"One", 4}, {"Two", 5}}}
	want := `{"model":"delta-3.0-720p","prompt":"A & B","seconds":"9","aspect_ratio":"16:9","image_urls":["` + image +
		`"],"multi_shots":true,"multi_prompt":[{"prompt":"One","duration":4},{"prompt":"Two","duration":5}]}`
	if got := string(r.Body()); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	frames := VideoRequest{Model: "gamma-2-720p-i2v", Prompt: "A", Seconds: "5", ImageURLs: URLs{image, clip}}
	if got := string(frames.Body()); !strings.Contains(got, `"image_urls":["`+image+`","`+clip+`"]`) {
		t.Errorf("F138 the first frame does not come first: %s", got)
	}
	least := VideoRequest{Model: "alpha-3.1-4k-upscale", Prompt: "Upscale", Seconds: "8", TaskID: uuid}
	if got, want := string(least.Body()), `{"model":"alpha-3.1-4k-upscale","prompt":"Upscale","seconds":"8","task_id":"`+uuid+`"}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestVideoRequestReadsBack(t *testing.T) {
	for name, images := range map[string]string{"F64 one string": `"` + image + `"`, "F64 an array": `["` + image + `"]`} {
		var r VideoRequest
		if err := json.Unmarshal([]byte(i2v(images)), &r); err != nil || len(r.ImageURLs) != 1 || r.ImageURLs[0] != image {
			t.Errorf("%s: %v, %v", name, r.ImageURLs, err)
		}
	}
	var r VideoRequest
	if err := json.Unmarshal([]byte(i2v(`5`)), &r); err == nil || !strings.Contains(err.Error(), "image_urls") {
		t.Errorf("a number reads as %v, %v", r.ImageURLs, err)
	}
}
