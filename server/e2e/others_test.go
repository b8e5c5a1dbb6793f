package e2e

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
)

// others runs a gateway that others wrote until the test ends; see mock.mjs.
func others(t *testing.T, args ...string) (url string) {
	t.Helper()
	root, err := rig.Root()
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(root, ".ci", "install"), "node", "clients").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	folder := filepath.Join(root, "build", "clients")
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "openai-api-mock")); err != nil {
		if os.Getenv("SCREENTEST_NO_CLIENTS") != "" { // make test has said so aloud
			t.Skip("NOT RUN: the gateways of others are not here")
		}
		t.Fatalf("this test needs packages of npm (.ci/install clients): %v", err)
	}
	p, err := rig.Start(context.Background(), "node", nil, append([]string{filepath.Join(root, "server", "e2e", "mock.mjs"), folder}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Logf("its end: %v", err)
		}
	})
	return p.URL
}

// @dwmkerr/mock-llm as the gateway of the page: it lists a model, repeats what it is
// asked, and refuses what its rules say.
func TestThePageAgainstMockLLM(t *testing.T) {
	t.Parallel()
	rules := filepath.Join(t.TempDir(), "rules.yaml")
	if err := os.WriteFile(rules, []byte(`rules:
  - path: "/v1/models"
    method: "GET"
    response:
      status: 200
      content: '{"object":"list","data":[{"id":"gpt-5.2","object":"model","owned_by":"openai"}]}'
  - path: "/v1/chat/completions"
    response:
      status: 200
      content: '{"id":"c","object":"chat.completion","model":"gpt-5.2","choices":[{"index":0,"message":{"role":"assistant","content":"{{jmes request body.messages[-1].content}}"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}'
  - path: "/v1/chat/completions"
    match: "contains(body.messages[-1].content, 'too much')"
    response:
      status: 429
      content: '{"error": {"message": "slow down", "type": "rate_limit_error"}}'
`), 0o600); err != nil {
		t.Fatal(err)
	}
	url := others(t, "mock-llm", rules)
	w := newWorld(t, "")
	p := w.tab("/settings/gateway")
	p.connect(url, "sk-any")
	p.says("#gateway-found", "Connected to "+url)
	p.says("#gateway-found", "It lists one model.")
	p.click("#gateway-begin")
	p.wait(`document.querySelector("#model .model-name")?.textContent === "gpt-5.2"`)
	p.send("Say this again, please.")
	if state := p.settled(); state != "done" || !strings.Contains(p.body(), "Saythisagain,please.") {
		t.Errorf("the answer is %s: %q, %s", state, p.body(), p.problem())
	}
	p.send("This is too much.")
	if state := p.settled(); state != "failed" {
		t.Errorf("a refusal is %s", state)
	}
	p.says(".problem", "Rate limit reached.")
}

// openai-api-mock as the gateway of the page: it lists nothing, gives every piece of a
// stream an id of its own, and names another model than the one asked.
func TestThePageAgainstOpenAIAPIMock(t *testing.T) {
	t.Parallel()
	url := others(t, "openai-api-mock")
	w := newWorld(t, "")
	p := w.tab("/settings/gateway")
	p.connect(url, "sk-any")
	p.says("#gateway-found", "Connected to "+url)
	p.click("#gateway-begin")
	p.wait(`location.pathname === "/" && document.activeElement?.id === "composer"`)
	p.choose("gpt-4o-mini")
	p.send("Anything")
	if state := p.settled(); state != "done" || len(p.body()) < 5 {
		t.Errorf("the answer is %s: %q, %s", state, p.body(), p.problem())
	}
	p.says(".state", "answered by")
}
