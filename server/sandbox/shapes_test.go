package sandbox

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"screentest/shared/gateway"
)

// samples are replies as such gateways send them, beside the reader of replies.
const samples = "../../shared/reply/testdata"

func sample(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(samples, name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// outline is a JSON text without its values: every field's path and type, with
// all elements of an array taken together. Fields that a reply may leave out
// are not in free.
func outline(t *testing.T, text string) map[string]string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	out := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch x := v.(type) {
		case map[string]any:
			out[path] = "object"
			for k, v := range x {
				walk(path+"."+k, v)
			}
		case []any:
			out[path] = "array"
			for _, v := range x {
				walk(path+"[]", v)
			}
		case string:
			out[path] = "string"
		case float64:
			out[path] = "number"
		case bool:
			out[path] = "boolean"
		case nil:
			out[path] = "null"
		}
	}
	walk("", v)
	return out
}

// sameShape compares two outlines. A value that is null on one side may be
// anything on the other, and what is empty on one side has no fields there.
func sameShape(t *testing.T, what, got, want string) {
	t.Helper()
	g, w := outline(t, got), outline(t, want)
	for _, path := range slices.Sorted(maps.Keys(w)) {
		kind, ok := g[path]
		switch {
		case !ok && !under(path, g):
			t.Errorf("%s: no field %s: %.400s", what, path, got)
		case ok && kind != w[path] && kind != "null" && w[path] != "null":
			t.Errorf("%s: %s is %s, want %s", what, path, kind, w[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(g)) {
		if _, ok := w[path]; !ok && !under(path, w) {
			t.Errorf("%s: a field %s that no sample has: %.400s", what, path, got)
		}
	}
}

// under says whether a path lies within something that is empty or null in o,
// so that nothing is known of its fields.
func under(path string, o map[string]string) bool {
	for {
		i := strings.LastIndexAny(path, ".[")
		if i <= 0 {
			return false
		}
		path = path[:i]
		if kind, ok := o[path]; ok {
			if kind == "null" {
				return true
			}
			_, filled := o[path+"[]"]
			return kind == "array" && !filled
		}
	}
}

// TestStreamShapes: every event of a stream has the fields of the sample of
// its type, with their types, and no other.
func TestStreamShapes(t *testing.T) {
	r := start(t, Config{})
	byType := map[string][]string{}
	for _, name := range []string{"responses_full.sse", "responses_failed.sse", "responses_incomplete.sse"} {
		for _, e := range events(t, sample(t, name)) {
			if e.name != str(field(t, e.data, "type")) {
				t.Fatalf("%s: %s", name, e.data)
			}
			byType[e.name] = append(byType[e.name], e.data)
		}
	}
	functions := `,"tools":[{"type":"function","name":"get_time","parameters":{"type":"object","properties":{"tz":{"type":"string"}}}}]`
	search := `,"tools":[{"type":"web_search"}]`
	seen := map[string]bool{}
	for name, body := range map[string]string{
		"F44 F45 text":         `{"model":"vendor/beta-4.5","stream":true,"input":"Explain tides"}`,
		"F50 epsilon":          `{"model":"vendor/epsilon-5.6-core","stream":true,"input":"Explain tides"}`,
		"F47 a function call":  `{"model":"vendor/epsilon-5.6-core","stream":true,"input":"use get_time"` + functions + `}`,
		"F48 a web search":     `{"model":"vendor/epsilon-5.6-core","stream":true,"input":"the news"` + search + `}`,
		"F46 a failure":        `{"model":"vendor/epsilon-5.6-core","stream":true,"input":"[[fail: no]] x"}`,
		"S an incomplete one":  `{"model":"vendor/epsilon-5.6-core","stream":true,"input":"[[incomplete]] x"}`,
		"no usage in a stream": `{"model":"vendor/epsilon-5.6-core","stream":true,"input":"[[no-usage]] x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			list := events(t, r.post(gateway.Responses, body).body)
			for i, e := range list {
				if field(t, e.data, "sequence_number") != json.Number(itoa(i)) {
					t.Errorf("event %d has the number %v", i, field(t, e.data, "sequence_number"))
				}
				seen[e.name] = true
				options := byType[e.name]
				if len(options) == 0 {
					t.Errorf("no sample of %s", e.name)
					continue
				}
				// Items have types of their own: the sample of the same one.
				want := options[0]
				for _, o := range options {
					if field(t, o, "item.type") == field(t, e.data, "item.type") && o != "" {
						want = o
						break
					}
				}
				if i == len(list)-1 {
					framed(t, e)
					continue
				}
				sameShape(t, e.name, e.data, want)
			}
		})
	}
	for kind := range byType {
		if !seen[kind] {
			t.Errorf("the sandbox never sends %s", kind)
		}
	}
}

func itoa(n int) string {
	b, _ := json.Marshal(n)
	return string(b)
}

// framed checks the last event: the frame of the sample, whatever the output.
func framed(t *testing.T, e event) {
	t.Helper()
	var last struct {
		Type     string
		Response map[string]json.RawMessage
	}
	if err := json.Unmarshal([]byte(e.data), &last); err != nil {
		t.Fatal(err)
	}
	var want map[string]json.RawMessage
	if err := json.Unmarshal(sample(t, "response.json"), &want); err != nil {
		t.Fatal(err)
	}
	if got, want := slices.Sorted(maps.Keys(last.Response)), slices.Sorted(maps.Keys(want)); !slices.Equal(got, want) {
		t.Errorf("the fields of %s are %v, want %v", last.Type, got, want)
	}
}

// TestReplyShapes: JSON replies and the chunks of chat have the fields of their
// samples.
func TestReplyShapes(t *testing.T) {
	r := start(t, Config{})
	sameShape(t, "F28 chat completion", string(r.post(gateway.Chat, chatHi).body), string(sample(t, "chat.json")))

	body := r.post(gateway.Chat, `{"model":"zeta-1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"use get_time"}],
		"tools":[{"type":"function","function":{"name":"get_time","parameters":{"type":"object","properties":{"tz":{"type":"string"}}}}}]}`).body
	if !strings.HasPrefix(string(body), ": PING\n\n") {
		t.Error("the stream does not begin with a comment")
	}
	want := events(t, sample(t, "chat_tools.sse"))
	kinds := map[string]string{}
	kind := func(e event) string {
		switch {
		case e.data == "[DONE]":
			return "end"
		case field(t, e.data, "usage") != nil:
			return "usage"
		case field(t, e.data, "choices.0.finish_reason") != nil:
			return "finish"
		case field(t, e.data, "choices.0.delta.tool_calls.0.id") != nil:
			return "call"
		case field(t, e.data, "choices.0.delta.tool_calls") != nil:
			return "arguments"
		case field(t, e.data, "choices.0.delta.role") != nil:
			return "role"
		}
		return "content"
	}
	for _, e := range want {
		kinds[kind(e)] = e.data
	}
	seen := map[string]bool{}
	all := append(events(t, body), events(t, r.post(gateway.Chat, `{"model":"zeta-1","stream":true,"messages":[{"role":"user","content":"say a b"}]}`).body)...)
	for _, e := range all {
		k := kind(e)
		seen[k] = true
		if k == "end" {
			continue
		}
		if str(field(t, e.data, "object")) != "chat.completion.chunk" { // F41
			t.Errorf("object is %v", field(t, e.data, "object"))
		}
		sameShape(t, "chunk of "+k, e.data, kinds[k])
	}
	for k := range kinds {
		if !seen[k] {
			t.Errorf("no chunk of %s was sent", k)
		}
	}
	if e := events(t, body); e[len(e)-1].data != "[DONE]" {
		t.Error("F43: the stream does not end with [DONE]")
	}
}

// TestErrorShapes: errors have the fields of their samples.
func TestErrorShapes(t *testing.T) {
	r := start(t, Config{})
	poor := start(t, Config{Balance: 1})
	var want map[string]json.RawMessage
	if err := json.Unmarshal(sample(t, "errors.json"), &want); err != nil {
		t.Fatal(err)
	}
	for name, a := range map[string]answered{
		"401 any endpoint": r.do("POST", "/v1/responses", "{}", "Authorization", ""),
		"400 text":         r.post(gateway.Chat, `{"model":"vendor/epsilon-5.6-core",`+hi+`}`),
		"400 video":        r.post(gateway.Video, `{"model":"beta-video-720p","prompt":"x","seconds":"7"}`),
		"404":              r.do("GET", "/v1/foo", ""),
		"403 text":         poor.post(gateway.Chat, chatHi),
		"403 video":        poor.post(gateway.Video, `{"model":"beta-video-720p","prompt":"x","seconds":"6"}`),
	} {
		sameShape(t, name, string(a.body), string(want[name]))
	}
	if p := poor.post(gateway.Chat, chatHi).problem(t); p.kind != "new_api_error" {
		t.Errorf("403: %+v", p)
	}
}
