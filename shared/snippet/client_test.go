package snippet

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"screentest/shared/gateway"
)

func TestWhatAClientIsNotTold(t *testing.T) {
	for name, body := range map[string]string{
		"no JSON": "{", "a list": "[]", "a text": `"x"`, "two objects": "{}{}", "nothing": "", "no UTF-8": "{\"a\":\"\xff\"}",
		"an object that goes too deep": strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200),
		"a number too large":           `{"seed":12345678901234567891}`,
		"an infinity":                  `{"a":[1e400]}`,
		"a list without an end":        `{"a":` + strings.Repeat("[", 1_000_000),
	} {
		for _, l := range Clients() {
			if got := Write(l, Request{"http://localhost", gateway.Chat, []byte(body)}); got != "" {
				t.Errorf("%s in %s: %.200s", name, l, got)
			}
		}
	}
	for _, l := range Clients() {
		if got := Write(l, Request{"http://localhost", gateway.Video, []byte(`{"model":"m"}`)}); got != "" {
			t.Errorf("a video task in %s: %s", l, got)
		}
	}
}

// Of two fields with one name the last counts, and the order stays.
func TestFieldsAsTheyStand(t *testing.T) {
	got := Write(PythonClient, Request{"http://localhost", gateway.Chat, []byte(`{"top_k":1,"model":"a","seed":1,"model":"b","top_k":2}`)})
	if want := "create(\n    seed=1,\n    model='b',\n    extra_body={\n        'top_k': 2,\n    },\n)"; !strings.Contains(got, want) {
		t.Errorf("%s", got)
	}
}

// Whatever a body says, it stays within its quotes: each line of the code is one that
// was written here, or holds values and nothing else.
func FuzzClient(f *testing.F) {
	for _, b := range nasty() {
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		body, err := json.Marshal(map[string]any{"model": text, "messages": []any{map[string]any{text: text}}, text + "x": text})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range Clients() {
			got := Write(l, Request{"http://localhost", gateway.Chat, body})
			plain(t, l, got)
			for line := range strings.Lines(got) {
				quoted := strings.Count(line, "'") - strings.Count(line, `\'`)
				if strings.Contains(line, `\\'`) { // an escaped backslash at a text's end
					continue
				}
				if quoted%2 != 0 {
					t.Fatalf("%s: a quote that has no end: %s", l, line)
				}
			}
		}
	})
}
