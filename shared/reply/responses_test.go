package reply

import (
	"strings"
	"testing"

	"screentest/shared/gateway"
)

func out(text string) string {
	return `{"type":"response.output_text.delta","item_id":"m","output_index":0,"content_index":0,"delta":"` + text + `"}`
}

// response is a terminal event.
func response(how, rest string) string {
	return `{"type":"response.` + how + `","response":{"id":"r","model":"vendor/beta-4.5","status":"` + how + `"` + rest + `}}`
}

// message is an output item with one part.
func message(id, text string) string {
	return `{"id":"` + id + `","type":"message","role":"assistant","content":[{"type":"output_text","text":"` + text + `","annotations":[]}]}`
}

func TestResponses(t *testing.T) {
	completed := response("completed", `,"output":[],"usage":{"input_tokens":3,"output_tokens":2}`)
	cite := Citation{URL: "https://example.test/a", Title: "A", Start: 0, End: 5}
	tests := []readCase{
		{name: "F44 F45 F47 F48 F50 S every event of a long answer", body: sample(t, "responses_full.sse"),
			want: view{ID: "resp_0001", Model: "vendor/epsilon-5.6-core", Text: "Hello world", Reasoning: "Plan.", Calls: []string{`call_1 get_time({"tz":"UTC"})`},
				Searches: []string{"ws_1 completed q https://example.test/a"}, Citations: []Citation{cite}, In: 9, Out: 12, State: Done}},
		{name: "F46 S failed", body: sample(t, "responses_failed.sse"),
			want: view{ID: "resp_0001", Model: "vendor/epsilon-5.6-core", State: Failed, Problem: "server_error: The gateway failed. It says: sandbox: injected failure"}},
		{name: "S incomplete", body: sample(t, "responses_incomplete.sse"),
			want: view{ID: "resp_0001", Model: "vendor/epsilon-5.6-core", In: 9, Out: 12, Finish: "max_output_tokens", State: Incomplete}},
		{name: "F40 G7 S a whole response", kind: jsonType, body: sample(t, "response.json"),
			want: view{ID: "resp_0001", Model: "vendor/epsilon-5.6-core", Text: "Hello world", Citations: []Citation{cite}, In: 9, Out: 12, State: Done}},
		{name: "F44 F45 deltas, then completed", body: events(out("Hel"), out("lo"), completed), want: view{Text: "Hello", In: 3, Out: 2, State: Done}},
		{name: "F46 failed keeps the partial text", body: events(out("Hel"), response("failed", `,"error":{"code":"server_error","message":"gone"},"output":[`+message("m", "x")+`]`)),
			want: view{Text: "Hel", State: Failed, Problem: "server_error: The gateway failed. It says: gone"}},
		{name: "F46 failed without a reason", body: events(out("Hel"), response("failed", "")),
			want: view{Text: "Hel", State: Failed, Problem: "answer_failed: The gateway says that the answer failed."}},
		{name: "F46 failed, the text only in its output", body: events(response("failed", `,"output":[`+message("m", "x")+`]`)),
			want: view{Text: "x", State: Failed, Problem: "answer_failed: The gateway says that the answer failed."}},
		{name: "F49 no [DONE]", body: events(out("a"), completed), want: view{Text: "a", In: 3, Out: 2, State: Done}},
		{name: "F49 a [DONE] after the terminal event", body: events(out("a"), completed, "[DONE]"), want: view{Text: "a", In: 3, Out: 2, State: Done}},
		{name: "F49 [DONE] alone does not end well", body: events(out("a"), "[DONE]"), want: view{Text: "a", State: Truncated, Problem: msgTruncated}},
		{name: "S EOF without a terminal event keeps the text", body: events(out("a")), want: view{Text: "a", State: Truncated, Problem: msgTruncated}},
		{name: "S EOF in the terminal event", body: events(out("a")) + "data: " + completed[:40], want: view{Text: "a", State: Truncated, Problem: msgTruncated}},
		{name: "S the terminal event without its empty line", body: events(out("a")) + "event: response.completed\ndata: " + completed, want: view{Text: "a", In: 3, Out: 2, State: Done}},
		{name: "F51 only delta: no ids, no places", body: events(`{"type":"response.output_text.delta","delta":"Hel"}`, `{"type":"response.output_text.delta","delta":"lo"}`, `{"type":"response.completed"}`),
			want: view{Text: "Hello", State: Done}},
		{name: "F51 the type only in the event line", body: "event: response.output_text.delta\ndata: {\"delta\":\"Hello\"}\n\nevent: response.completed\ndata: {}\n\n",
			want: view{Text: "Hello", State: Done}},
		{name: "F51 unknown events", body: events(`{"type":"response.sparkle.delta","delta":"x"}`, `{"type":"keepalive"}`, `{"type":"response.output_item.added","item":{"type":"sparkle","id":"q"}}`, out("a"), `{"type":"ping","message":"x"}`, completed),
			want: view{Text: "a", In: 3, Out: 2, State: Done}},
		{name: "S null and odd fields", body: events(`{"type":"response.output_text.delta","delta":null}`, `{"type":"response.output_text.delta","delta":5}`, `{"type":"response.output_item.done","item":null}`, `{"type":"response.created","response":null}`, out("a"), `{"type":"response.completed","response":null}`),
			want: view{Text: "a", State: Done}},
		{name: "S final text: the completed output comes first", body: events(out("streamed"), `{"type":"response.output_item.done","output_index":0,"item":`+message("m", "item")+`}`, response("completed", `,"output":[`+message("m", "whole")+`]`)),
			want: view{Text: "whole", State: Done, Replaced: 1}},
		{name: "S final text: an empty completed output, so that of the item", body: events(out("streamed"), `{"type":"response.output_item.done","output_index":0,"item":`+message("m", "item")+`}`, completed),
			want: view{Text: "item", In: 3, Out: 2, State: Done, Replaced: 1}},
		{name: "S final text: neither, so the deltas", body: events(out("streamed"), completed), want: view{Text: "streamed", In: 3, Out: 2, State: Done}},
		{name: "S final text: an output without text does not empty it", body: events(out("streamed"), response("completed", `,"output":[{"type":"reasoning","id":"x","summary":[]},`+message("m", "")+`]`)),
			want: view{Text: "streamed", State: Done}},
		{name: "S final text: the same text replaces nothing", body: events(out("same"), response("completed", `,"output":[`+message("m", "same")+`]`)), want: view{Text: "same", State: Done}},
		{name: "S final text: longer than what was streamed continues it", body: events(out("some"), response("completed", `,"output":[`+message("m", "some more")+`]`)), want: view{Text: "some more", State: Done}},
		{name: "S final text: incomplete takes its output too", body: events(out("so"), response("incomplete", `,"incomplete_details":{"reason":"content_filter"},"output":[`+message("m", "some")+`]`)),
			want: view{Text: "some", Finish: "content_filter", State: Incomplete}},
		{name: "S no delta at all, only the text at the end of its part", body: events(`{"type":"response.output_text.done","output_index":0,"text":"Hello"}`, completed), want: view{Text: "Hello", In: 3, Out: 2, State: Done}},
		{name: "S two messages", body: events(out("one"), `{"type":"response.output_text.delta","output_index":2,"delta":"two"}`, response("completed", `,"output":[`+message("m", "one")+`,`+message("n", "two")+`]`)),
			want: view{Text: "one\n\ntwo", State: Done}},
		{name: "S two parts of one message", kind: jsonType, body: `{"object":"response","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"one"},{"type":"output_text","text":" two"}]}]}`,
			want: view{Text: "one two", State: Done}},
		{name: "F47 S arguments: done is authoritative", body: events(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"fc","output_index":0,"delta":"{\"x\":"}`, `{"type":"response.function_call_arguments.done","item_id":"fc","output_index":0,"arguments":"{\"y\":2}"}`, completed),
			want: view{Calls: []string{`c f({"y":2})`}, In: 3, Out: 2, State: Done}},
		{name: "F47 S arguments: an empty done keeps the fragments", body: events(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f"}}`,
			`{"type":"response.function_call_arguments.delta","item_id":"fc","delta":"{}"}`, `{"type":"response.function_call_arguments.done","item_id":"fc","arguments":""}`, completed),
			want: view{Calls: []string{`c f({})`}, In: 3, Out: 2, State: Done}},
		{name: "F47 S arguments before the item", body: events(`{"type":"response.function_call_arguments.delta","item_id":"fc","output_index":1,"delta":"{}"}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"type":"function_call","id":"fc","call_id":"c","name":"f","arguments":"{}"}}`, completed),
			want: view{Calls: []string{`c f({})`}, In: 3, Out: 2, State: Done}},
		{name: "F47 S two calls by their places", body: events(`{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","id":"a","call_id":"c1","name":"f"}}`, `{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","id":"b","call_id":"c2","name":"g"}}`,
			`{"type":"response.function_call_arguments.delta","output_index":0,"delta":"{}"}`, `{"type":"response.function_call_arguments.delta","output_index":1,"delta":"[]"}`, completed),
			want: view{Calls: []string{"c1 f({})", "c2 g([])"}, In: 3, Out: 2, State: Done}},
		{name: "F47 a call only in the completed output", body: events(response("completed", `,"output":[{"type":"function_call","id":"a","call_id":"c1","name":"f","arguments":"{}"}]`)),
			want: view{Calls: []string{"c1 f({})"}, State: Done}},
		{name: "F48 S search progress", body: events(`{"type":"response.output_item.added","output_index":0,"item":{"id":"ws","type":"web_search_call","status":"in_progress","action":{"type":"search","query":"what"}}}`, `{"type":"response.web_search_call.searching","item_id":"ws","output_index":0}`),
			want: view{Searches: []string{"ws searching what"}, State: Truncated, Problem: msgTruncated}},
		{name: "F48 S search progress alone", body: events(`{"type":"response.web_search_call.completed","item_id":"ws"}`, completed), want: view{Searches: []string{"ws completed"}, In: 3, Out: 2, State: Done}},
		{name: "S citations, each once, only of the web", body: events(out("a"), `{"type":"response.output_text.annotation.added","annotation":{"type":"url_citation","url":"https://example.test/a","title":"A","start_index":0,"end_index":5}}`,
			`{"type":"response.output_text.annotation.added","annotation":{"type":"url_citation","url":"https://example.test/a","title":"A","start_index":0,"end_index":5}}`, `{"type":"response.output_text.annotation.added","annotation":{"url":"javascript:alert(1)"}}`, `{"type":"response.output_text.annotation.added","annotation":{"type":"file_citation"}}`, completed),
			want: view{Text: "a", Citations: []Citation{cite}, In: 3, Out: 2, State: Done}},
		{name: "S an error event, flat", body: events(out("a"), `{"type":"error","code":"rate_limit_exceeded","message":"too fast","param":null,"sequence_number":3}`),
			want: view{Text: "a", State: Failed, Problem: "rate_limit_exceeded: Rate limit reached. It says: too fast"}},
		{name: "S an error event, nested", body: "event: error\n" + events(`{"type":"error","error":{"type":"invalid_request_error","code":"invalid_request","message":"bad input","param":"input"}}`),
			want: view{State: Failed, Field: "input", Problem: "invalid_request: bad input"}},
		{name: "S an error event, then failed: reported once", body: events(out("a"), `{"type":"error","message":"first"}`, response("failed", `,"error":{"code":"other","message":"second"},"usage":{"input_tokens":3,"output_tokens":2}`)),
			want: view{Text: "a", In: 3, Out: 2, State: Failed, Problem: "gateway_error: The gateway failed. It says: first"}},
		{name: "S an error object without a type", body: events(out("a"), `{"error":{"message":"gone"}}`), want: view{Text: "a", State: Failed, Problem: "gateway_error: The gateway failed. It says: gone"}},
		{name: "S reasoning of both kinds", body: events(`{"type":"response.reasoning_summary_text.delta","delta":"Pl"}`, `{"type":"response.reasoning_summary_text.delta","delta":"an."}`, `{"type":"response.reasoning_summary_part.added"}`, `{"type":"response.reasoning_text.delta","delta":"Do."}`, `{"type":"response.reasoning_text.done","text":"x"}`, completed),
			want: view{Reasoning: "Plan.\n\nDo.", In: 3, Out: 2, State: Done}},
		{name: "S reasoning only in the finished item", body: events(`{"type":"response.output_item.done","item":{"type":"reasoning","summary":[{"text":"Plan."},{"text":"Do."}]}}`, completed), want: view{Reasoning: "Plan.\n\nDo.", In: 3, Out: 2, State: Done}},
		{name: "S usage by the chat names", body: events(out("a"), response("completed", `,"usage":{"prompt_tokens":3,"completion_tokens":2}`)), want: view{Text: "a", In: 3, Out: 2, State: Done}},
		{name: "S a refusal", body: events(`{"type":"response.refusal.delta","output_index":0,"delta":"I will "}`, `{"type":"response.refusal.delta","output_index":0,"delta":"not."}`, response("completed", `,"output":[{"type":"message","content":[{"type":"refusal","refusal":"I will not."}]}]`)),
			want: view{Text: "I will not.", Refused: true, State: Done}},
		{name: "S a whole response that failed", kind: jsonType, body: `{"object":"response","status":"failed","error":{"code":"server_error","message":"gone"},"output":[]}`,
			want: view{State: Failed, Problem: "server_error: The gateway failed. It says: gone"}},
		{name: "S a whole response that is not finished", kind: jsonType, body: `{"object":"response","status":"in_progress","output":[]}`, want: view{State: Truncated, Problem: msgTruncated}},
		{name: "S cancelled", body: events(out("a"), response("cancelled", "")), want: view{Text: "a", State: Failed, Problem: "answer_failed: The gateway says that the answer failed."}},
		{name: "S a chat stream in answer to a responses call", body: sample(t, "chat_tools.sse"),
			want: view{Text: "Hello", Calls: []string{`call_1 get_time({"tz":"UTC"})`}, In: 9, Out: 12, Finish: "tool_calls", State: Done}},
		{name: "S line ends of CR", body: strings.ReplaceAll(events(out("a"), completed), "\n", "\r"), want: view{Text: "a", In: 3, Out: 2, State: Done}},
	}
	for _, tt := range tests {
		tt.ep = gateway.Responses
		t.Run(tt.name, tt.run)
	}
}

func TestResponsesEnd(t *testing.T) {
	for _, how := range []string{"completed", "failed", "incomplete"} {
		r := NewReader(gateway.Responses, streamType)
		r.Push([]byte(events(out("a"))))
		if r.Ended() {
			t.Errorf("F49 ended before response.%s", how)
		}
		r.Push([]byte(events(response(how, ""))))
		if !r.Ended() {
			t.Errorf("F49 not ended by response.%s", how)
		}
	}
}
