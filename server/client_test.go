package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"screentest/server/sandbox"
	"screentest/shared/gateway"
	"screentest/shared/snippet"
)

// clientFolder is a folder in which a script for Node finds OpenAI's own client.
func clientFolder(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(root, ".ci", "install"), "node", "clients").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	modules := filepath.Join(root, "build", "clients", "node_modules")
	if _, err := os.Stat(filepath.Join(modules, "openai")); err != nil {
		if os.Getenv("SCREENTEST_NO_CLIENTS") != "" { // make test has said so aloud
			t.Skip("NOT RUN: OpenAI's own client is not here")
		}
		t.Fatalf("this test needs the npm package openai (.ci/install clients): %v", err)
	}
	dir := t.TempDir()
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// startClientSandbox is a sandbox for a client, that takes the key.
func startClientSandbox(t *testing.T, key string) string {
	t.Helper()
	sb, err := sandbox.New(sandbox.Config{Key: key, Catalogue: gateway.SampleCatalogue(), Speed: 1e6, TokensPerSecond: -1})
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
	return server.URL
}

func runNode(t *testing.T, file, key string, args ...string) ([]byte, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", append([]string{file}, args...)...)
	cmd.Env = append(os.Environ(), snippet.KeyEnv+"="+key, "no_proxy=*", "NO_PROXY=*")
	return cmd.CombinedOutput()
}

// OpenAI's own client for JavaScript talks to the sandbox as to any gateway: chat and
// responses, in one piece and as a stream, functions, what was used, and errors of the
// kinds that it knows.
func TestOpenAIsClientTalksToTheSandbox(t *testing.T) {
	t.Parallel()
	const key = "sk-of-the-environment"
	dir := clientFolder(t)
	url := startClientSandbox(t, key)
	script, err := os.ReadFile(filepath.Join("testdata", "client.mjs"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "client.mjs")
	if err := os.WriteFile(file, script, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := runNode(t, file, key, url+"/v1")
	if err != nil || !bytes.HasSuffix(bytes.TrimSpace(out), []byte("all 10 hold")) {
		t.Fatalf("%v\n%s", err, out)
	}
}

// clientCases are requests that a client is told in its own words.
var clientCases = []struct {
	name string
	ep   gateway.Endpoint
	body string
	say  string // what is printed, besides
}{
	{"chat stream", gateway.Chat, `{"model":"zeta-1","messages":[{"role":"user","content":"It's \"5 %\" of $HOME\\bin, ` + "`code`" + `, ${x}, '''\n and 你好 🙂 \u202e"}],"stream":true}`, ""},
	{"chat, with what a client has no name for", gateway.Chat,
		`{"top_k":5,"model":"vendor/model-a","messages":[{"role":"user","content":"Hello"}],"temperature":0.25,"__proto__":{"a":[true,false,null,[],{}]},"seed":9007199254740991}`, `"chat.completion"`},
	{"responses stream", gateway.Responses, `{"model":"vendor/epsilon-5.6-core","input":"Hello there","stream":true}`, ""},
	{"responses", gateway.Responses, `{"model":"vendor/beta-4.6","input":"Hello"}`, `"response"`},
}

// What people copy for OpenAI's client in JavaScript runs, and the gateway gets the
// same request.
func TestJavaScriptForTheClientRuns(t *testing.T) {
	t.Parallel()
	const key = "sk-of-the-environment"
	dir := clientFolder(t)
	url := startClientSandbox(t, key)
	for _, c := range clientCases {
		code := snippet.Write(snippet.JavaScriptClient, snippet.Request{BaseURL: url + "/", Endpoint: c.ep, Body: []byte(c.body)})
		file := filepath.Join(dir, snippet.JavaScriptClient.File())
		if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := runNode(t, file, key)
		got := lastPosted(t, url, key)
		if (err != nil) != (got.Status != 200) || got.Path != c.ep.Path() || !sameJSON(t, got.Body, c.body) {
			t.Errorf("%s: %v: %s answered %d for\n%s, want\n%s\n%s", c.name, err, got.Path, got.Status, got.Body, c.body, out)
		}
		if len(bytes.TrimSpace(out)) < 20 || !strings.Contains(string(out), c.say) {
			t.Errorf("%s: it printed %.300q, without %q", c.name, out, c.say)
		}
		if out, err := runNode(t, file, "wrong"); err == nil {
			t.Errorf("%s: a wrong key ends with success: %s", c.name, out)
		}
	}
}

// readCall prints the arguments of the client's call in a program in Python, as
// Python itself reads them.
const readCall = `
import ast, json, sys
tree = ast.parse(sys.stdin.read())
calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == 'create']
assert len(calls) == 1 and not calls[0].args
body = {k.arg: ast.literal_eval(k.value) for k in calls[0].keywords}
more = body.pop('extra_body', {})
assert not set(more) & set(body)
body.update(more)
print(json.dumps([ast.unparse(calls[0].func), body]))
`

// Of what people copy for OpenAI's client in Python, Python reads the same request;
// where the client is there, it runs as well.
func TestPythonForTheClientSaysTheSame(t *testing.T) {
	t.Parallel()
	const key = "sk-of-the-environment"
	url := startClientSandbox(t, key)
	for _, c := range clientCases {
		code := snippet.Write(snippet.PythonClient, snippet.Request{BaseURL: url, Endpoint: c.ep, Body: []byte(c.body)})
		reader := snippetCommand(t, snippet.Python, readCall, key)
		reader.Stdin = strings.NewReader(code)
		out, err := reader.CombinedOutput()
		var said []json.RawMessage
		if err != nil || json.Unmarshal(out, &said) != nil || len(said) != 2 {
			t.Fatalf("%s: %v\n%s\n%s", c.name, err, out, code)
		}
		method := `"client.` + map[gateway.Endpoint]string{gateway.Chat: "chat.completions", gateway.Responses: "responses"}[c.ep] + `.create"`
		if string(said[0]) != method || !sameJSON(t, string(said[1]), c.body) {
			t.Errorf("%s: it says %s with\n%s, want\n%s", c.name, said[0], said[1], c.body)
		}
		if exec.Command("python3", "-c", "import openai").Run() != nil {
			continue
		}
		printed, err := snippetCommand(t, snippet.PythonClient, code, key).CombinedOutput()
		if got := lastPosted(t, url, key); (err != nil) != (got.Status != 200) || !sameJSON(t, got.Body, c.body) {
			t.Errorf("%s: %v: answered %d for\n%s\n%s", c.name, err, got.Status, got.Body, printed)
		}
		if len(bytes.TrimSpace(printed)) < 20 || !strings.Contains(string(printed), c.say) {
			t.Errorf("%s: it printed %.300q, without %q", c.name, printed, c.say)
		}
		if out, err := snippetCommand(t, snippet.PythonClient, code, "wrong").CombinedOutput(); err == nil {
			t.Errorf("%s: a wrong key ends with success: %s", c.name, out)
		}
	}
}

// sameJSON says that two texts are the same value.
func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	read := func(text string) (v any) {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		if err := d.Decode(&v); err != nil {
			t.Errorf("%v: %.300s", err, text)
		}
		return v
	}
	return reflect.DeepEqual(read(a), read(b))
}
