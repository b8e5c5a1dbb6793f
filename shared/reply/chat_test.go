package reply

import (
	"slices"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

func delta(s string) string { return `{"choices":[{"index":0,"delta":` + s + `}]}` }

func calls(s string) string { return delta(`{"tool_calls":[` + s + `]}`) }

func TestChat(t *testing.T) {
	stop := `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	tests := []readCase{
		{name: "F41 F42 F43 F31 S chunks, a tool call, usage, [DONE]", body: sample(t, "chat_tools.sse"),
			want: view{ID: "chatcmpl-1", Model: "zeta-1", Text: "Hello", Calls: []string{`call_1 get_time({"tz":"UTC"})`}, In: 9, Out: 12, Finish: "tool_calls", State: Done}},
		{name: "F28 S a whole completion", kind: jsonType, body: sample(t, "chat.json"),
			want: view{ID: "chatcmpl-1", Model: "vendor/model-a", Text: "Hello", In: 9, Out: 1, Finish: "stop", State: Done}},
		{name: "F42 the text may be absent", body: events(delta(`{"role":"assistant"}`), delta(`{}`), delta(`{"content":"a"}`), "[DONE]"),
			want: view{Text: "a", State: Done}},
		{name: "S null deltas and null fields", body: events(`{"choices":[{"index":0,"delta":null}],"usage":null,"error":null}`, delta(`{"content":null,"tool_calls":null,"refusal":null}`), `{"choices":null}`, delta(`{"content":"a"}`), "[DONE]"),
			want: view{Text: "a", State: Done}},
		{name: "F43 the end of the bytes before [DONE] is a cut", body: events(delta(`{"content":"a"}`)),
			want: view{Text: "a", State: Truncated, Problem: msgTruncated}},
		{name: "S finish_reason stop, and an orderly end without [DONE]", body: events(delta(`{"content":"a"}`), stop),
			want: view{Text: "a", Finish: "stop", State: Done, Problem: msgNoEndMark}},
		{name: "S finish_reason stop and usage, without [DONE]", body: events(delta(`{"content":"a"}`), stop, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`),
			want: view{Text: "a", Finish: "stop", In: 3, Out: 2, State: Done, Problem: msgNoEndMark}},
		{name: "S finish_reason length, without [DONE]", body: events(delta(`{"content":"a"}`), strings.Replace(stop, "stop", "length", 1)),
			want: view{Text: "a", Finish: "length", State: Incomplete, Problem: msgNoEndMark}},
		{name: "S finish_reason tool_calls, without [DONE]", body: events(calls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), strings.Replace(stop, "stop", "tool_calls", 1)),
			want: view{Calls: []string{"a f({})"}, Finish: "tool_calls", State: Done, Problem: msgNoEndMark}},
		{name: "S an error after finish_reason stop", body: events(delta(`{"content":"a"}`), stop, `{"error":{"message":"late","code":"server_error"}}`),
			want: view{Text: "a", Finish: "stop", State: Failed, Problem: "server_error: The gateway failed. It says: late"}},
		{name: "F43 a stream that breaks off in an event", body: events(delta(`{"content":"a"}`)) + `data: {"choices":[{"delta":{"content":"b`,
			want: view{Text: "a", State: Truncated, Problem: msgTruncated}},
		{name: "S an unfinished last event that is whole counts", body: events(delta(`{"content":"a"}`)) + "data: " + delta(`{"content":"b"}`),
			want: view{Text: "ab", State: Truncated, Problem: msgTruncated}},
		{name: "F43 [DONE] without its empty line", body: events(delta(`{"content":"a"}`)) + "data: [DONE]", want: view{Text: "a", State: Done}},
		{name: `S "[DONE]" inside text is text`, body: events(delta(`{"content":"[DONE]"}`), delta(`{"content":" data: [DONE]\n\n"}`), "[DONE]"),
			want: view{Text: "[DONE] data: [DONE]\n\n", State: Done}},
		{name: "F43 an empty stream that ends well", body: events("[DONE]"), want: view{State: Done}},
		{name: "S the usage chunk has no choices", body: events(delta(`{"content":"a"}`), `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`, "[DONE]"),
			want: view{Text: "a", In: 3, Out: 2, State: Done}},
		{name: "S a usage chunk without choices at all", body: events(delta(`{"content":"a"}`), `{"object":"chat.completion.chunk","usage":{"input_tokens":3,"output_tokens":2}}`, "[DONE]"),
			want: view{Text: "a", In: 3, Out: 2, State: Done}},
		{name: "S usage in every chunk: the last one counts", body: events(`{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":7}}`, "[DONE]"),
			want: view{Text: "a", In: 3, Out: 7, State: Done}},
		{name: "S usage under both names, the chat style's filled in", body: events(delta(`{"content":"a"}`), `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10,"input_tokens":0,"output_tokens":0}}`, "[DONE]"),
			want: view{Text: "a", In: 9, Out: 1, State: Done}},
		{name: "S usage under both names, the responses style's filled in", body: events(delta(`{"content":"a"}`), `{"choices":[],"usage":{"input_tokens":9,"output_tokens":1,"prompt_tokens":0,"completion_tokens":0}}`, "[DONE]"),
			want: view{Text: "a", In: 9, Out: 1, State: Done}},
		{name: "G9 a usage of nothing is none", body: events(delta(`{"content":"a"}`), `{"choices":[],"usage":{"prompt_tokens":0,"completion_tokens":0}}`, `{"choices":[],"usage":{}}`, `{"choices":[],"usage":{"prompt_tokens":-1,"completion_tokens":5}}`, `{"choices":[],"usage":{"prompt_tokens":1e18}}`, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":5000000000}}`, "[DONE]"),
			want: view{Text: "a", State: Done}},
		{name: "S reasoning_content", body: events(delta(`{"reasoning_content":"th"}`), delta(`{"reasoning_content":"ink","content":null}`), delta(`{"content":"a"}`), "[DONE]"),
			want: view{Text: "a", Reasoning: "think", State: Done}},
		{name: "S reasoning", body: events(delta(`{"reasoning":"think"}`), delta(`{"content":"a"}`), "[DONE]"), want: view{Text: "a", Reasoning: "think", State: Done}},
		{name: "S both names of reasoning with one text", body: events(delta(`{"reasoning":"think","reasoning_content":"think"}`), "[DONE]"), want: view{Reasoning: "think", State: Done}},
		{name: "S tool calls by index, interleaved", body: events(calls(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}},{"index":1,"id":"b","function":{"name":"g","arguments":"{"}}`),
			calls(`{"index":1,"function":{"arguments":"\"x\":1}"}}`), calls(`{"index":0,"function":{"arguments":"{}"}}`), "[DONE]"),
			want: view{Calls: []string{"a f({})", `b g({"x":1})`}, State: Done}},
		{name: "S tool calls by id where there is no index", body: events(calls(`{"id":"a","function":{"name":"f","arguments":"{"}}`), calls(`{"id":"b","function":{"name":"g","arguments":"["}}`),
			calls(`{"id":"a","function":{"arguments":"}"}}`), calls(`{"id":"b","function":{"arguments":"]"}}`), "[DONE]"),
			want: view{Calls: []string{"a f({})", "b g([])"}, State: Done}},
		{name: "S tool calls with neither index nor id continue the last", body: events(calls(`{"id":"a","function":{"name":"f","arguments":"{"}}`), calls(`{"function":{"arguments":"}"}}`), "[DONE]"),
			want: view{Calls: []string{"a f({})"}, State: Done}},
		{name: "S tool calls that are all numbered 0", body: events(calls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`), calls(`{"index":0,"id":"b","function":{"name":"g","arguments":"{}"}}`), "[DONE]"),
			want: view{Calls: []string{"a f({})", "b g({})"}, State: Done}},
		{name: "S arguments as an object", kind: jsonType, body: `{"choices":[{"message":{"content":null,"tool_calls":[{"id":"a","function":{"name":"f","arguments":{"x": [1]}}}]},"finish_reason":"tool_calls"}]}`,
			want: view{Calls: []string{`a f({"x": [1]})`}, Finish: "tool_calls", State: Done}},
		{name: "S whole tool calls without an index", kind: jsonType, body: `{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"f","arguments":"{}"}},{"id":"b","function":{"name":"g","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
			want: view{Calls: []string{"a f({})", "b g({})"}, Finish: "tool_calls", State: Done}},
		{name: "S keep-alive comments", body: ": PING\n\n" + events(delta(`{"content":"a"}`)) + ": PING\n\n" + events("[DONE]"), want: view{Text: "a", State: Done}},
		{name: "S an error in mid-stream after HTTP 200", body: events(delta(`{"content":"a"}`), `{"error":{"message":"upstream is gone","type":"server_error","code":"server_error"}}`),
			want: view{Text: "a", State: Failed, Problem: "server_error: The gateway failed. It says: upstream is gone"}},
		{name: "S an error in mid-stream, then [DONE]", body: events(delta(`{"content":"a"}`), `{"error":{"message":"gone","code":500}}`, "[DONE]"),
			want: view{Text: "a", State: Failed, Problem: "500: The gateway failed. It says: gone"}},
		{name: "S an error beside choices", body: events(`{"choices":[{"delta":{"content":"a"}}],"error":{"message":"gone"}}`),
			want: view{Text: "a", State: Failed, Problem: "gateway_error: The gateway failed. It says: gone"}},
		{name: "S an error as a string", body: events(`{"error":"gone"}`), want: view{State: Failed, Problem: "gateway_error: The gateway failed. It says: gone"}},
		{name: "S an error in the flat task shape, in a stream", body: events(`{"code":"insufficient_user_quota","message":"too little","data":null}`),
			want: view{State: Failed, Problem: "insufficient_user_quota: The balance at the gateway is too low. It says: too little"}},
		{name: "S an error by its event line", body: "event: error\ndata: {\"info\":\"x\"}\n\n", want: view{State: Failed, Problem: `gateway_error: The gateway failed. It says: {"info":"x"}`}},
		{name: "F96 an error as JSON after HTTP 200", kind: jsonType, body: `{"code":"bad_thing","message":"no","data":null}`,
			want: view{State: Failed, Problem: "bad_thing: The gateway failed. It says: no"}},
		{name: "S an error object as JSON after HTTP 200", kind: jsonType, body: `{"error":{"message":"no","code":"model_not_found","param":"model"}}`,
			want: view{State: Failed, Field: "model", Problem: "model_not_found: The gateway doesn’t have this model, or not for this key. It says: no"}},
		{name: "S usage after an error still counts", body: events(delta(`{"content":"a"}`), `{"error":{"message":"gone"}}`, `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, "[DONE]"),
			want: view{Text: "a", In: 3, Out: 2, State: Failed, Problem: "gateway_error: The gateway failed. It says: gone"}},
		{name: "S finish_reason length", body: events(`{"choices":[{"delta":{"content":"a"},"finish_reason":"length"}]}`, "[DONE]"), want: view{Text: "a", Finish: "length", State: Incomplete}},
		{name: "S finish_reason content_filter", body: events(`{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`, "[DONE]"), want: view{Finish: "content_filter", State: Incomplete}},
		{name: "S a refusal", kind: jsonType, body: `{"choices":[{"message":{"content":null,"refusal":"I will not."},"finish_reason":"stop"}]}`,
			want: view{Text: "I will not.", Refused: true, Finish: "stop", State: Done}},
		{name: "S content as parts", body: events(delta(`{"content":[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]}`), "[DONE]"), want: view{Text: "ab", State: Done}},
		{name: "F42 of several choices only the first", body: events(`{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"x"}}]}`, `{"choices":[{"index":1,"delta":{"content":"y"}}]}`, "[DONE]"), want: view{Text: "a", State: Done}},
		{name: "S escapes and characters", body: events(delta(`{"content":"\u00e9\ud83d\ude00\n"}`), delta(`{"content":"é😀"}`), delta(`{"content":"\ud83d"}`), "[DONE]"), want: view{Text: "é😀\né😀\ufffd", State: Done}},
		{name: "F51 what is unknown is ignored", body: events(`{"object":"chat.completion.heartbeat"}`, `{"x":1}`, `5`, `not JSON`, `[1]`, delta(`{"content":"a","new":{"x":[]}}`), "[DONE]"), want: view{Text: "a", State: Done}},
		{name: "S members in another order, with space", body: events(`{ "choices" : [ { "delta" : { "content" : "a" } , "index" : 0 } ] , "id" : "z" }`, " [DONE] "), want: view{ID: "z", Text: "a", State: Done}},
		{name: "S a member that stands twice: the last one counts, once", body: events(`{"choices":[{"delta":{"content":"x","content":"a"}}]}`, "[DONE]"), want: view{Text: "a", State: Done}},
		{name: "F20 S line ends of CR LF", body: strings.ReplaceAll(sample(t, "chat_tools.sse"), "\n", "\r\n"),
			want: view{Text: "Hello", Calls: []string{`call_1 get_time({"tz":"UTC"})`}, In: 9, Out: 12, Finish: "tool_calls", State: Done}},
	}
	for _, tt := range tests {
		tt.ep = gateway.Chat
		t.Run(tt.name, tt.run)
	}
}

func TestToolCallsAreMarkedComplete(t *testing.T) {
	for end, want := range map[string]bool{"data: [DONE]\n\n": true, "": false} {
		a := readAll(gateway.Chat, streamType, events(calls(`{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}`))+end, 0).Answer()
		if got := slices.IndexFunc(a.ToolCalls, func(c *ToolCall) bool { return c.Complete }) == 0; got != want {
			t.Errorf("F31 a call whose stream ended with %q: complete %v, want %v", end, got, want)
		}
	}
}
