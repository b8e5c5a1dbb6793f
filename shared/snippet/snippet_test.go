package snippet

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"screentest/shared/gateway"
)

var update = flag.Bool("update", false, "write the golden files anew")

// What people copy, in full, so that a change of it is looked at.
func TestWrite(t *testing.T) {
	cases := []struct {
		name string
		r    Request
	}{
		{"chat-stream", Request{"http://localhost:9090/", gateway.Chat,
			[]byte(`{"model":"zeta-1","messages":[{"role":"user","content":"It's \"quoted\", 5 % of $HOME, naïve 你好 🙂"}],"stream":true}`)}},
		{"responses-stream", Request{"https://gateway.example/prefix", gateway.Responses,
			[]byte("{\n  \"model\": \"vendor/epsilon-5.6-core\",\n  \"input\": \"a `word`, ${x}, '''\",\n  \"stream\": true\n}")}},
		{"chat", Request{"http://localhost:9090", gateway.Chat,
			[]byte(`{"model":"vendor/model-a","messages":[{"role":"user","content":"Hello"}]}`)}},
		{"video", Request{"http://localhost:9090", gateway.Video,
			[]byte(`{"model":"alpha-3.1-lite","prompt":"a lighthouse","seconds":"4"}`)}},
		{"no-json", Request{"http://localhost:9090", gateway.Chat, []byte("\xff\x00%s'\\`\u202e")}},
	}
	for _, c := range cases {
		for _, l := range append(Languages(), Clients()...) {
			name := c.name + "." + strings.TrimPrefix(filepath.Ext(l.File()), ".")
			if l == PythonClient {
				name = c.name + ".openai.py"
			}
			t.Run(name, func(t *testing.T) {
				got := Write(l, c.r)
				if slices.Contains(Clients(), l) && (c.r.Endpoint == gateway.Video || c.name == "no-json") {
					if got != "" {
						t.Errorf("a client is told %s", got)
					}
					return
				}
				plain(t, l, got)
				file := filepath.Join("testdata", name+".golden")
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("it is\n%s\nwant\n%s\n(go test ./shared/snippet -update writes it anew)", got, want)
				}
				if !strings.Contains(got, KeyEnv) {
					t.Error("it reads no key")
				}
			})
		}
	}
}

func TestNothingForWhatDoesNotExist(t *testing.T) {
	if got := Write(Curl, Request{"http://localhost", "images", nil}); got != "" {
		t.Errorf("an endpoint that does not exist: %q", got)
	}
	if got := Write("cobol", Request{"http://localhost", gateway.Chat, nil}); got != "" {
		t.Errorf("a language that does not exist: %q", got)
	}
}

// A long body is not put on a command line, which has a largest size.
func TestLongBodyIsPiped(t *testing.T) {
	long := []byte(`{"input":"` + strings.Repeat("a", 128<<10) + `"}`)
	got := Write(Curl, Request{"http://localhost", gateway.Responses, long})
	if !strings.HasPrefix(got, "printf '%s' ") || strings.Contains(got, "--data-raw") {
		t.Errorf("%.60s … %s", got, got[len(got)-200:])
	}
}

// plain fails the test when a text would not survive a clipboard or terminal.
func plain(t *testing.T, l Language, text string) {
	t.Helper()
	if !utf8.ValidString(text) {
		t.Fatalf("%s: it is no UTF-8: %q", l.Name(), text)
	}
	for i, r := range text {
		if odd(r, utf8.RuneLen(r)) && !(r == '\t' && l == Go) {
			t.Fatalf("%s: %U at %d: %q", l.Name(), r, i, text)
		}
	}
}
