package reply

import (
	"testing"

	"screentest/shared/gateway"
)

// A template that never matches would be right and useless: these are the
// fragments as gateways send them, and what must not be taken for one.
func TestTemplate(t *testing.T) {
	chat := func(text, rest string) string {
		return `{"id":"c","object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{` + text + `},"logprobs":null,"finish_reason":null}]` + rest + `}`
	}
	numbered := func(n, text string) string {
		return `{"type":"response.output_text.delta","sequence_number":` + n + `,"item_id":"m","delta":"` + text + `","logprobs":[]}`
	}
	numberedLast := func(n, text string) string {
		return `{"type":"response.output_text.delta","item_id":"m","delta":"` + text + `","logprobs":[],"sequence_number":` + n + `}`
	}
	tests := []struct {
		name        string
		first, next string
		want        string // the fragment with its quotes; "" for no match
	}{
		{"a chat fragment", chat(`"content":"a"`, ""), chat(`"content":" b"`, ""), `" b"`},
		{"reasoning", chat(`"reasoning_content":"a"`, ""), chat(`"reasoning_content":"b"`, ""), `"b"`},
		{"escapes and characters", chat(`"content":"a"`, ""), chat(`"content":"\"\u00e9é\\"`, ""), `"\"\u00e9é\\"`},
		{"an empty fragment", chat(`"content":"a"`, ""), chat(`"content":""`, ""), `""`},
		{"a sequence number behind", numberedLast("9", "a"), numberedLast("10", "b"), `"b"`},
		{"a sequence number before", numbered("9", "a"), numbered("10", "b"), `"b"`},
		{"space at the end", numbered("9", "a") + " ", numbered("10", "b") + " ", `"b"`},
		{"another field", chat(`"content":"a"`, ""), chat(`"content":"b"`, `,"usage":{"prompt_tokens":1}`), ""},
		{"a field that is gone", chat(`"content":"a"`, `,"x":1`), chat(`"content":"b"`, ``), ""},
		{"reasoning after text", chat(`"content":"a"`, ""), chat(`"reasoning":"b"`, ""), ""},
		{"null", chat(`"content":"a"`, ""), chat(`"content":null`, ""), ""},
		{"a number", chat(`"content":"a"`, ""), chat(`"content":5`, ""), ""},
		{"what a fragment brings along", chat(`"content":"a"`, ""), chat(`"content":"b","tool_calls":[]`, ""), ""},
		{"a broken escape", chat(`"content":"a"`, ""), chat(`"content":"\x"`, ""), ""},
		{"a control character", chat(`"content":"a"`, ""), chat("\"content\":\"\n\"", ""), ""},
		{"no sequence number", numberedLast("9", "a"), numberedLast("", "b"), ""},
		{"a sequence number that is no JSON", numberedLast("9", "a"), numberedLast("01", "b"), ""},
		{"a sequence number of another type", numberedLast("9", "a"), numberedLast(`"9"`, "b"), ""},
		{"another item", numberedLast("9", "a"), `{"type":"response.output_text.delta","item_id":"n","delta":"b","logprobs":[],"sequence_number":10}`, ""},
		{"cut off", numberedLast("9", "a"), numberedLast("10", "b")[:70], ""},
		{"more behind", chat(`"content":"a"`, ""), chat(`"content":"b"`, "") + "}", ""},
		{"an event that also names a reason", `{"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}`, `{"choices":[{"delta":{"content":"b"},"finish_reason":"stop"}]}`, ""},
		{"an event that adds nothing", chat(`"content":""`, ""), chat(`"content":"b"`, ""), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := NewReader(gateway.Chat, streamType)
			r.Push([]byte("event: e\n" + events(tt.first)))
			got, ok := r.tmpl.match("e", []byte(tt.next))
			if ok != (tt.want != "") || ok && string(got) != tt.want {
				t.Errorf("%s\nafter %s\nmatches: %v %q, want %q", tt.next, tt.first, ok, got, tt.want)
			}
			if _, ok := r.tmpl.match("f", []byte(tt.next)); ok {
				t.Error("an event of another name matches")
			}
		})
	}
}

// An event of another kind in between must not leave an old template behind.
func TestTemplateEndsWithTheNextOtherEvent(t *testing.T) {
	one := `{"type":"response.output_text.delta","delta":"a"}`
	body := events(one, one,
		`{"type":"response.output_item.added","output_index":1,"item":{"type":"message","id":"n"}}`,
		one, one, `{"type":"response.completed","response":{}}`)
	a := readAll(gateway.Responses, streamType, body, 0).Answer()
	if want := "aa\n\naa"; a.Text() != want {
		t.Errorf("text %q, want %q", a.Text(), want)
	}
}
