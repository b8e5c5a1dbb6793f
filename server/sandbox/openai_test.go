package sandbox

import (
	"errors"
	"strings"
	"testing"

	"screentest/shared/gateway"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

// openai-go is an independent client: it reads every text reply of the sandbox.

func (r *rig) openai() openai.Client {
	return openai.NewClient(option.WithBaseURL(r.http.URL+"/v1"), option.WithAPIKey(r.key),
		option.WithHTTPClient(r.http.Client()), option.WithMaxRetries(0))
}

func user(text string) []openai.ChatCompletionMessageParamUnion {
	return []openai.ChatCompletionMessageParamUnion{openai.UserMessage(text)}
}

var weather = shared.FunctionDefinitionParam{
	Name: "get_weather", Description: param.NewOpt("The weather in a city"),
	Parameters: shared.FunctionParameters{"type": "object", "properties": map[string]any{
		"city": map[string]any{"type": "string"}, "days": map[string]any{"type": "integer"},
		"unit": map[string]any{"type": "string", "enum": []string{"celsius", "fahrenheit"}},
	}, "required": []string{"city"}},
}

func TestOpenAIReadsChatJSON(t *testing.T) {
	r := start(t, Config{})
	client := r.openai()
	got, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "vendor/model-a", Messages: user("What is 17 * 23?")})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Choices) != 1 || !strings.Contains(got.Choices[0].Message.Content, "391") || got.Choices[0].FinishReason != "stop" || got.Model != "vendor/model-a" {
		t.Errorf("%s", got.RawJSON())
	}
	if u := got.Usage; u.PromptTokens == 0 || u.CompletionTokens == 0 || u.TotalTokens != u.PromptTokens+u.CompletionTokens {
		t.Errorf("usage %+v", u)
	}
}

func TestOpenAIReadsChatStream(t *testing.T) {
	r := start(t, Config{})
	client := r.openai()
	read := func(model, prompt string, usage bool) (openai.ChatCompletionAccumulator, int, error) {
		p := openai.ChatCompletionNewParams{Model: model, Messages: user(prompt)}
		if usage {
			p.StreamOptions.IncludeUsage = param.NewOpt(true)
		}
		stream := client.Chat.Completions.NewStreaming(t.Context(), p)
		defer func() { _ = stream.Close() }()
		var acc openai.ChatCompletionAccumulator
		n := 0
		for stream.Next() {
			if acc.AddChunk(stream.Current()); len(stream.Current().Choices) > 0 && stream.Current().Choices[0].Delta.Content != "" {
				n++
			}
		}
		return acc, n, stream.Err()
	}
	for _, model := range []string{"vendor/model-a", "vendor/model-b", "zeta-1"} {
		whole, _ := r.say(t, model, "Explain tides", false)
		acc, n, err := read(model, "Explain tides", true)
		if err != nil {
			t.Fatal(err)
		}
		if acc.Choices[0].Message.Content != whole.text {
			t.Errorf("%s: %q", model, acc.Choices[0].Message.Content)
		}
		// G9: with include_usage, and then exactly what was sent: a token an event.
		if int64(n) != acc.Usage.CompletionTokens || acc.Usage.PromptTokens == 0 {
			t.Errorf("%s: %d events, usage %+v", model, n, acc.Usage)
		}
	}
	if acc, _, err := read("vendor/model-a", "Explain tides", false); err != nil || acc.Usage.TotalTokens != 0 {
		t.Errorf("G9: usage without being asked for: %+v, %v", acc.Usage, err)
	}
	if acc, _, err := read("vendor/model-a", "[[no-usage]] Explain tides", true); err != nil || acc.Usage.TotalTokens != 0 {
		t.Errorf("[[no-usage]]: %+v, %v", acc.Usage, err)
	}
	if acc, _, err := read("vendor/model-a", "[[incomplete]] Explain tides", true); err != nil || acc.Choices[0].FinishReason != "length" {
		t.Errorf("[[incomplete]]: %v", err)
	}
	if acc, _, err := read("vendor/model-a", "[[error]] Explain tides", true); err == nil || acc.Choices[0].Message.Content == "" {
		t.Errorf("[[error]]: %v after %q", err, acc.Choices[0].Message.Content)
	}
	if _, _, err := read("vendor/model-a", "[[drop]] Explain tides", true); err == nil {
		t.Error("[[drop]]: no error")
	}
}

func TestOpenAICallsChatTools(t *testing.T) {
	r := start(t, Config{})
	client := r.openai()
	tools := []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(weather)}
	p := openai.ChatCompletionNewParams{Model: "zeta-1", Messages: user("use get_weather for Paris in fahrenheit, 3 days"), Tools: tools}
	got, err := client.Chat.Completions.New(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	message := got.Choices[0].Message
	const arguments = `{"city":"Paris","days":3,"unit":"fahrenheit"}`
	if len(message.ToolCalls) != 1 || message.ToolCalls[0].Function.Name != "get_weather" || message.ToolCalls[0].Function.Arguments != arguments || got.Choices[0].FinishReason != "tool_calls" || message.Content != "" {
		t.Fatalf("F31: %s", got.RawJSON())
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), p)
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		acc.AddChunk(stream.Current())
	}
	if stream.Err() != nil || len(acc.Choices[0].Message.ToolCalls) != 1 || acc.Choices[0].Message.ToolCalls[0].Function.Arguments != arguments {
		t.Errorf("streamed: %v %+v", stream.Err(), acc.Choices[0].Message.ToolCalls)
	}
	// With the result, the model answers.
	p.Messages = append(p.Messages, message.ToParam(), openai.ToolMessage(`{"degrees":68,"sky":"clear"}`, message.ToolCalls[0].ID))
	if got, err = client.Chat.Completions.New(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	text := got.Choices[0].Message.Content
	if len(got.Choices[0].Message.ToolCalls) != 0 || !strings.Contains(text, "68") || !strings.Contains(text, "clear") || !strings.Contains(text, "get_weather") {
		t.Errorf("after the result: %s", text)
	}
	// Two functions that are named are both called; none is where none is asked for.
	second := weather
	second.Name = "get_time"
	p.Tools = append(tools, openai.ChatCompletionFunctionTool(second))
	p.Messages = user("call get_weather and get_time")
	if got, err = client.Chat.Completions.New(t.Context(), p); err != nil || len(got.Choices[0].Message.ToolCalls) != 2 {
		t.Errorf("two functions: %v %s", err, got.RawJSON())
	}
	p.Messages = user("Explain tides")
	if got, err = client.Chat.Completions.New(t.Context(), p); err != nil || len(got.Choices[0].Message.ToolCalls) != 0 {
		t.Errorf("no function asked for: %v %s", err, got.RawJSON())
	}
	p.Messages = user("[[call: get_time]] hello")
	if got, err = client.Chat.Completions.New(t.Context(), p); err != nil || len(got.Choices[0].Message.ToolCalls) != 1 || got.Choices[0].Message.ToolCalls[0].Function.Name != "get_time" {
		t.Errorf("[[call]]: %v %s", err, got.RawJSON())
	}
}

func input(text string) responses.ResponseNewParamsInputUnion {
	return responses.ResponseNewParamsInputUnion{OfString: param.NewOpt(text)}
}

func TestOpenAIReadsResponsesJSON(t *testing.T) {
	r := start(t, Config{})
	client := r.openai()
	got, err := client.Responses.New(t.Context(), responses.ResponseNewParams{Model: "vendor/beta-4.5", Input: input("Explain tides")})
	if err != nil {
		t.Fatal(err)
	}
	if got.Status != "completed" || !strings.Contains(got.OutputText(), "ides") || got.Usage.TotalTokens != got.Usage.InputTokens+got.Usage.OutputTokens || got.Usage.OutputTokens == 0 {
		t.Errorf("%s", got.RawJSON())
	}
	if got, err = client.Responses.New(t.Context(), responses.ResponseNewParams{Model: "vendor/beta-4.5", Input: input("[[incomplete]] Explain tides")}); err != nil || got.Status != "incomplete" || got.IncompleteDetails.Reason != "max_output_tokens" {
		t.Errorf("incomplete: %v %s", err, got.RawJSON())
	}
	if got, err = client.Responses.New(t.Context(), responses.ResponseNewParams{Model: "vendor/beta-4.5", Input: input("[[fail: no luck]] x")}); err != nil || got.Status != "failed" || got.Error.Message != "no luck" {
		t.Errorf("failed: %v %s", err, got.RawJSON())
	}
}

// streamed is what openai-go makes of a responses stream.
type streamed struct {
	text, reasoning, arguments string
	kinds                      map[string]int
	final                      responses.Response
	err                        error
}

func (r *rig) stream(t *testing.T, p responses.ResponseNewParams) (s streamed) {
	t.Helper()
	client := r.openai()
	stream := client.Responses.NewStreaming(t.Context(), p)
	defer func() { _ = stream.Close() }()
	s.kinds = map[string]int{}
	for stream.Next() {
		e := stream.Current()
		s.kinds[e.Type]++
		switch e.Type {
		case "response.output_text.delta":
			s.text += e.AsResponseOutputTextDelta().Delta
		case "response.reasoning_summary_text.delta":
			s.reasoning += e.AsResponseReasoningSummaryTextDelta().Delta
		case "response.function_call_arguments.delta":
			s.arguments += e.AsResponseFunctionCallArgumentsDelta().Delta
		case "response.completed", "response.failed", "response.incomplete":
			s.final = e.Response
		}
	}
	s.err = stream.Err()
	return s
}

func TestOpenAIReadsResponsesStream(t *testing.T) {
	r := start(t, Config{})
	for _, model := range []string{"vendor/beta-4.3", "vendor/beta-4.6", "vendor/epsilon-5.6-lite", "vendor/epsilon-5.6-max"} {
		s := r.stream(t, responses.ResponseNewParams{Model: model, Input: input("Explain tides")})
		if s.err != nil || s.text == "" || s.final.Status != "completed" || s.final.OutputText() != s.text {
			t.Errorf("%s: %v %q", model, s.err, s.text)
		}
		if epsilon := strings.Contains(model, "epsilon"); (s.reasoning != "") != epsilon || (s.final.Usage.OutputTokensDetails.ReasoningTokens > 0) != epsilon {
			t.Errorf("%s: reasoning %q", model, s.reasoning)
		}
		if n := s.kinds["response.output_text.delta"] + s.kinds["response.reasoning_summary_text.delta"]; int64(n) != s.final.Usage.OutputTokens {
			t.Errorf("%s: %d events, usage %+v", model, n, s.final.Usage)
		}
	}
	s := r.stream(t, responses.ResponseNewParams{Model: "vendor/epsilon-5.6-core", Input: input("[[incomplete]] Explain tides")})
	if s.err != nil || s.final.Status != "incomplete" || s.text == "" || s.final.OutputText() != s.text {
		t.Errorf("incomplete: %v %s", s.err, s.final.RawJSON())
	}
	s = r.stream(t, responses.ResponseNewParams{Model: "vendor/epsilon-5.6-core", Input: input("[[fail: no luck]] Explain tides")})
	if s.err != nil || s.final.Status != "failed" || s.final.Error.Message != "no luck" || s.text == "" {
		t.Errorf("failed: %v %s", s.err, s.final.RawJSON())
	}
	s = r.stream(t, responses.ResponseNewParams{Model: "vendor/epsilon-5.6-core", Input: input("[[error]] Explain tides")})
	if s.text == "" || s.final.Status == "completed" {
		t.Errorf("error: %v %+v", s.err, s.kinds)
	}
}

func TestOpenAICallsResponsesTools(t *testing.T) {
	r := start(t, Config{})
	tool := responses.ToolParamOfFunction(weather.Name, weather.Parameters, false)
	tool.OfFunction.Strict = param.Opt[bool]{}
	p := responses.ResponseNewParams{Model: "vendor/epsilon-5.6-core", Input: input("Use get_weather for Oslo"), Tools: []responses.ToolUnionParam{tool}}
	s := r.stream(t, p)
	if s.err != nil || s.final.Status != "completed" {
		t.Fatal(s.err, s.final.RawJSON())
	}
	var call responses.ResponseFunctionToolCall
	for _, item := range s.final.Output {
		if item.Type == "function_call" {
			call = item.AsFunctionCall()
		}
	}
	if call.Name != "get_weather" || !strings.Contains(call.Arguments, `"city":"Oslo"`) || call.Arguments != s.arguments || call.CallID == "" || s.text != "" {
		t.Errorf("F39, F47: %+v", call)
	}
	// G10: the result travels in the one string that input is.
	p.Input = input(gateway.Transcript([]gateway.Turn{
		{Role: "user", Text: "Use get_weather for Oslo"},
		{Role: "assistant", ToolCalls: []gateway.ToolCall{{ID: call.CallID, Name: call.Name, Arguments: call.Arguments}}},
		{Role: "tool", ToolCallID: call.CallID, Text: "minus three and snow"},
	}))
	if s = r.stream(t, p); !strings.Contains(s.text, "minus three and snow") || !strings.Contains(s.text, "get_weather") || s.kinds["response.function_call_arguments.delta"] != 0 {
		t.Errorf("after the result: %v %q", s.err, s.text)
	}
}

func TestOpenAISearchesTheWeb(t *testing.T) {
	r := start(t, Config{})
	p := responses.ResponseNewParams{Model: "vendor/epsilon-5.6-max", Input: input("What is new about Überschall?"),
		Tools: []responses.ToolUnionParam{{OfWebSearch: &responses.WebSearchToolParam{Type: "web_search"}}}}
	s := r.stream(t, p)
	if s.err != nil || s.final.Status != "completed" {
		t.Fatal(s.err)
	}
	for _, kind := range []string{"response.web_search_call.in_progress", "response.web_search_call.searching", "response.web_search_call.completed"} { // F48
		if s.kinds[kind] != 1 {
			t.Errorf("%d × %s", s.kinds[kind], kind)
		}
	}
	characters := []rune(s.text)
	cited := 0
	for _, item := range s.final.Output {
		if item.Type != "message" {
			continue
		}
		for _, a := range item.AsMessage().Content[0].AsOutputText().Annotations {
			c := a.AsURLCitation()
			if part := string(characters[c.StartIndex:c.EndIndex]); part != "["+c.Title+"]("+c.URL+")" {
				t.Errorf("the citation of %s covers %q", c.URL, part)
			}
			cited++
		}
	}
	if cited != 3 || s.kinds["response.output_text.annotation.added"] != 3 {
		t.Errorf("%d citations, %d events", cited, s.kinds["response.output_text.annotation.added"])
	}
	// F166: searching has no fee: the charge is that of the tokens.
	m, _ := gateway.SampleCatalogue().Lookup("vendor/epsilon-5.6-max")
	want := m.TextPrice(gateway.Usage{InputTokens: s.final.Usage.InputTokens, OutputTokens: s.final.Usage.OutputTokens, Reported: true}).Cost
	if got := r.account().Charged; got != int64(want) {
		t.Errorf("charged %d, want %d", got, want)
	}
}

func TestOpenAIReadsErrors(t *testing.T) {
	r := start(t, Config{})
	for _, c := range []struct {
		name, key, model, code string
		status                 int
	}{
		{"G1 wrong key", "wrong", "vendor/model-a", "", 401},
		{"F13 wrong endpoint", DefaultKey, "vendor/epsilon-5.6-core", "wrong_endpoint", 400},
		{"G3 unknown model", DefaultKey, "acme/none", "model_not_found", 503},
	} {
		r.key = c.key
		client := r.openai()
		_, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: c.model, Messages: user("hi")})
		var e *openai.Error
		if !errors.As(err, &e) || e.StatusCode != c.status || e.Code != c.code || e.Message == "" {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
