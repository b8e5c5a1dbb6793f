package sandbox

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

// What is told of a model in the catalogue is heeded; of another it is ignored (G11).
func TestWhatAModelIsToldToTake(t *testing.T) {
	c, err := gateway.ParseCatalogue([]byte(`{"models":[{"id":"v/untold","price":{"input":1,"output":1}},
		{"id":"v/told","takes":["max_tokens","stop","response_format","reasoning_effort","seed","images"],"price":{"input":1,"output":1}},
		{"id":"v/items","endpoint":"responses","input_items":true,"takes":["max_output_tokens","text","reasoning","images"],"price":{"input":1,"output":1}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Config{Catalogue: c})
	type answerOf struct {
		text, reasoning, finish string
		out                     int64
	}
	ask := func(model, prompt, extra string) answerOf {
		t.Helper()
		if model == "v/items" {
			a := r.post(gateway.Responses, fmt.Sprintf(`{"model":%q,"input":%q%s}`, model, prompt, extra))
			var reply struct {
				Status string
				Output []struct {
					Content []struct{ Text string }
					Summary []struct{ Text string }
				}
				Usage struct {
					Output int64 `json:"output_tokens"`
				}
			}
			if err := json.Unmarshal(a.body, &reply); err != nil || a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
			got := answerOf{finish: reply.Status, out: reply.Usage.Output}
			for _, o := range reply.Output {
				for _, p := range o.Content {
					got.text += p.Text
				}
				for _, p := range o.Summary {
					got.reasoning += p.Text
				}
			}
			return got
		}
		a := r.post(gateway.Chat, fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}]%s}`, model, prompt, extra))
		var reply chatCompletion
		if err := json.Unmarshal(a.body, &reply); err != nil || a.status != 200 {
			t.Fatalf("%d %s", a.status, a.body)
		}
		m := reply.Choices[0]
		return answerOf{*m.Message.Content, m.Message.Reasoning, m.FinishReason, reply.Usage.Completion}
	}
	const words = "[[repeat: 200]] Tell me"
	whole := ask("v/told", words, "")
	if whole.finish != "stop" {
		t.Fatalf("%+v", whole)
	}
	if got := ask("v/told", words, `,"max_tokens":30`); got.finish != "length" || got.out != 30 || !strings.HasPrefix(whole.text, got.text) {
		t.Errorf("30 tokens at most: %+v", got)
	}
	if got := ask("v/told", words, `,"max_tokens":100000`); got != whole {
		t.Errorf("more tokens than it has: %+v", got)
	}
	if got := ask("v/untold", words, `,"max_tokens":30,"stop":" "`); got.finish != "stop" || got.out != ask("v/untold", words, "").out {
		t.Errorf("a model that isn't told to take it: %+v", got)
	}
	if got := ask("v/items", words, `,"max_output_tokens":30`); got.finish != "incomplete" || got.out != 30 {
		t.Errorf("30 tokens at most on responses: %+v", got)
	}
	third := strings.Fields(whole.text)[2]
	if got := ask("v/told", words, fmt.Sprintf(`,"stop":["never said",%q]`, third)); got.finish != "stop" || strings.Contains(got.text, third) || !strings.HasPrefix(whole.text, got.text) {
		t.Errorf("a stop string: %+v", got)
	}
	const schema = `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}}}`
	for model, extra := range map[string]string{
		"v/told":  `,"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":` + schema + `}}`,
		"v/items": `,"text":{"format":{"type":"json_schema","name":"a","schema":` + schema + `}}`,
	} {
		var got struct {
			City string
			Days int
		}
		a := ask(model, "The weather in Oslo for 3 days", extra)
		if err := json.Unmarshal([]byte(a.text), &got); err != nil || got.City != "Oslo" || got.Days != 3 {
			t.Errorf("%s by a schema: %q", model, a.text)
		}
	}
	var object map[string]any
	if a := ask("v/told", "Say hello", `,"response_format":{"type":"json_object"}`); json.Unmarshal([]byte(a.text), &object) != nil || len(object) == 0 {
		t.Errorf("a JSON object: %q", a.text)
	}
	if a := ask("v/told", "Say hello", `,"response_format":{"type":"text"}`); a != ask("v/told", "Say hello", "") {
		t.Errorf("text: %+v", a)
	}
	if a := ask("v/told", "Say hello", `,"reasoning_effort":"low"`); a.reasoning == "" {
		t.Errorf("no reasoning: %+v", a)
	}
	if a := ask("v/items", "Say hello", `,"reasoning":{"effort":"low"}`); a.reasoning == "" {
		t.Errorf("no reasoning on responses: %+v", a)
	}
	if one, again, other := ask("v/told", "Explain tides", `,"seed":1`), ask("v/told", "Explain tides", `,"seed":1`), ask("v/told", "Explain tides", `,"seed":2`); one != again || one.text == other.text {
		t.Errorf("seeds: %q, %q, %q", one.text, again.text, other.text)
	}
}

// Parts of a message are read, its images too; where they aren't taken they are
// refused (G43, G44).
func TestPartsOfAMessage(t *testing.T) {
	r := start(t, Config{})
	parts := `"messages":[{"role":"user","content":[{"type":"text","text":"[[echo]] What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}}]}]`
	a := r.post(gateway.Chat, `{"model":"vendor/model-b",`+parts+`}`)
	if a.status != 200 || !strings.Contains(string(a.body), `"content":"What is this?"`) {
		t.Errorf("%d %s", a.status, a.body)
	}
	for _, model := range []string{"vendor/model-a", "zeta-1"} {
		if a := r.post(gateway.Chat, `{"model":"`+model+`",`+parts+`}`); a.status != 400 || !strings.Contains(string(a.body), "invalid_request") {
			t.Errorf("%s: %d %s", model, a.status, a.body)
		}
	}
}
