package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/sandbox"
	"screentest/shared/gateway"
	"screentest/shared/snippet"
)

// What people copy runs as it stands, in each language, against a gateway: the
// body arrives to the byte, and the answer is printed.
func TestSnippetsRun(t *testing.T) {
	const key = "sk-of-the-environment"
	const prompt = "It's \\\"5 %\\\" of $HOME\\\\bin, `code`, ${x}, ''' and \"\"\" – 你好 🙂 \\u202e !!"
	cases := []struct {
		name string
		ep   gateway.Endpoint
		body string
		say  string // what is printed, besides
	}{
		{"chat stream", gateway.Chat,
			`{"model":"zeta-1","messages":[{"role":"user","content":"` + strings.ReplaceAll(prompt, `"""`, `\"\"\"`) + `"}],"stream":true}`, ""},
		{"chat stream, written by hand", gateway.Chat,
			"{\r\n\t\"model\": \"vendor/model-a\",\n\t\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}],\n\t\"stream\": true\n}\n", ""},
		{"chat", gateway.Chat, `{"model":"vendor/model-a","messages":[{"role":"user","content":"Hello"}]}`, `"chat.completion"`},
		{"responses stream", gateway.Responses,
			`{"model":"vendor/epsilon-5.6-core","input":"` + strings.ReplaceAll(prompt, `"""`, `\"\"\"`) + `","stream":true}`, ""},
		{"responses", gateway.Responses, `{"model":"vendor/beta-4.6","input":"Hello"}`, `"response"`},
		{"a long body", gateway.Responses,
			`{"model":"vendor/beta-4.6","input":"` + strings.Repeat("It's long. ", 12_000) + `","stream":true}`, ""},
		{"video", gateway.Video, `{"model":"alpha-3.1-lite","prompt":"a lighthouse, it's ` + "`night`" + `","seconds":"4"}`, "http"},
	}
	for _, l := range snippet.Languages() {
		t.Run(string(l), func(t *testing.T) {
			t.Parallel()
			sb, err := sandbox.New(sandbox.Config{
				Key: key, Catalogue: gateway.SampleCatalogue(), Speed: 1e6, TokensPerSecond: -1,
			})
			if err != nil {
				t.Fatal(err)
			}
			server := httptest.NewServer(sb)
			t.Cleanup(func() {
				if err := sb.Close(); err != nil {
					t.Error(err)
				}
				server.Close()
			})
			for _, c := range cases {
				code := snippet.Write(l, snippet.Request{BaseURL: server.URL + "/", Endpoint: c.ep, Body: []byte(c.body)})
				if strings.Contains(code, key) {
					t.Fatal("the key is in the code")
				}
				said := runSnippet(t, l, code, key)
				got := lastPosted(t, server.URL, key)
				if got.Path != c.ep.Path() || got.Status != 200 || got.Body != c.body {
					t.Errorf("%s: %s answered %d %s for\n%.300q, want\n%.300q", c.name, got.Path, got.Status, got.Code, got.Body, c.body)
				}
				if len(strings.TrimSpace(said)) < 20 || !strings.Contains(said, c.say) {
					t.Errorf("%s: it printed %.300q, without %q", c.name, said, c.say)
				}
			}
			code := snippet.Write(l, snippet.Request{BaseURL: server.URL, Endpoint: gateway.Chat, Body: []byte(cases[2].body)})
			if out, err := snippetCommand(t, l, code, "wrong").CombinedOutput(); err == nil {
				t.Errorf("a wrong key ends with success: %s", out)
			}
		})
	}
}

type posted struct {
	Method, Path, Code, Body string
	Status                   int
}

// lastPosted is the last request that makes something, as the sandbox got it.
func lastPosted(t *testing.T, url, key string) posted {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/sandbox/requests", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var record struct{ Requests []posted }
	if err := json.NewDecoder(res.Body).Decode(&record); err != nil {
		t.Fatal(err)
	}
	for _, r := range slices.Backward(record.Requests) {
		if r.Method == http.MethodPost {
			return r
		}
	}
	t.Fatal("the sandbox has no record of a request")
	return posted{}
}

func runSnippet(t *testing.T, l snippet.Language, code, key string) string {
	t.Helper()
	cmd := snippetCommand(t, l, code, key)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s\n%s\n%.2000s", err, out, &stderr, code)
	}
	return string(out)
}

// snippetCommand is how people run what they copied.
func snippetCommand(t *testing.T, l snippet.Language, code, key string) *exec.Cmd {
	t.Helper()
	need, command := "", []string(nil)
	switch l {
	case snippet.Curl:
		need, command = "curl", []string{"sh"}
	case snippet.Go:
		need, command = "go", []string{"go", "run"}
	case snippet.Python, snippet.PythonClient:
		need, command = "python3", []string{"python3"}
	case snippet.JavaScript:
		need, command = "node", []string{"node"}
	}
	if _, err := exec.LookPath(need); err != nil {
		if os.Getenv("SCREENTEST_NO_"+strings.ToUpper(need)) != "" { // make test has said so aloud
			t.Skipf("NOT RUN: there is no %s", need)
		}
		t.Fatalf("this test runs what people copy with %s (.ci/install %s)", need, need)
	}
	file := filepath.Join(t.TempDir(), l.File())
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, command[0], append(command[1:], file)...)
	cmd.Env = append(os.Environ(), snippet.KeyEnv+"="+key, "no_proxy=*", "NO_PROXY=*")
	return cmd
}
