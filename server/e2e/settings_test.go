package e2e

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// otherKey is a second canary, which no gateway knows.
const otherKey = "sk-canary-c0ffee11d00df00d-WXYZ"

func TestSettingsOfTheSandbox(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/settings")
	p.wait(`document.querySelector("#settings-gateway").innerText.includes("This is the sandbox")`)
	p.wait(`document.querySelector("#settings-key").innerText.includes("has its key already")`)
	if p.has("#key") {
		t.Error("it asks for a key that it has")
	}
}

// A key is entered, used, replaced and forgotten; but for its last four
// characters nothing ever shows it again.
func TestKeyEnteredReplacedForgotten(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	w.allow = append(w.allow, "400 (Bad Request)") // the refused key

	p := w.tab("/")
	p.wait(`document.querySelector(".notice.strip")?.innerText.includes("wants a key")`)
	p.click(composer)
	p.keys("without a key\r")
	p.wait(`document.querySelector("#refusal").innerText.includes("key")`)
	if n := p.count(answers); n != 0 {
		t.Errorf("without a key %d answers were begun", n)
	}

	p.enterKey(otherKey)
	p.open("/")
	p.send("with a key that the gateway doesn't know")
	if state := p.settled(); state != "failed" || !strings.Contains(strings.ToLower(p.problem()), "key") {
		t.Errorf("with a wrong key: state %q: %s", state, p.problem())
	}

	p.open("/settings")
	p.click("#key")
	p.keys("with space\r")
	p.wait(`document.querySelector("#key-outcome.bad")?.textContent.includes("visible ASCII")`)
	p.must(p.tab.Eval(nil, `document.querySelector("#key").value = ""`))
	p.enterKey(sandboxKey)
	p.open("/")
	p.send("[[repeat: 110]] with the right one")
	if state := p.settled(); state != "done" {
		t.Errorf("with the right key: state %q: %s", state, p.problem())
	}
	second := w.tab(p.path())
	second.wait(last + `?.dataset.state === "done"`)

	searchForKeys(t, w, "with the right one", p, second)

	p.open("/settings")
	p.click("#forget-key")
	p.wait(`document.querySelector("#key-state").textContent === "none"`)
	second.open("/settings") // the same browser, another tab
	second.wait(`document.querySelector("#key-state").textContent === "none"`)
	second.open("/")
	second.wait(`document.querySelector(".notice.strip")?.innerText.includes("wants a key")`)
}

// The key belongs to the browser that entered it.
func TestAnotherBrowserHasNotTheKey(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	w.keyed("/")
	own := w.profile
	t.Cleanup(own.Close)
	stranger, err := browser.Profile()
	if err != nil {
		t.Fatal(err)
	}
	w.profile = stranger
	p := w.tab("/settings")
	p.wait(`document.querySelector("#key-state")?.textContent === "none"`)
}

// problem returns what is said about the newest answer's failure.
func (p *page) problem() string {
	p.w.t.Helper()
	return p.text(last + `?.querySelector(".problem")?.innerText ?? ""`)
}

// searchForKeys looks for the canaries wherever a key could leak to. What was
// sent, said, has to be found in the messages and the database, or else the
// search itself is blind.
func searchForKeys(t *testing.T, w *world, said string, pages ...*page) {
	t.Helper()
	keys := []string{sandboxKey, otherKey}
	seen := map[string]bool{}
	must := func(where, text string) {
		t.Helper()
		if strings.Contains(text, said) {
			seen[where] = true
		}
		for _, key := range keys {
			// Neither whole nor the greater part of it.
			if strings.Contains(text, key) || strings.Contains(text, key[3:len(key)-4]) {
				t.Errorf("%s holds a key", where)
			}
		}
	}
	for _, p := range pages {
		for _, frame := range p.tab.Frames() {
			must("a WebSocket message", frame)
		}
		for _, m := range p.tab.Console() {
			must("the console", m.Text)
		}
		must("the page", p.text("document.documentElement.outerHTML"))
		must("a field", p.text(`[...document.querySelectorAll("input, textarea")].map(e => e.value).join("\n")`))
		must("localStorage", p.text("JSON.stringify(localStorage)"))
		must("sessionStorage", p.text("JSON.stringify(sessionStorage)"))
		must("a cookie that scripts see", p.text("document.cookie"))
		must("the browser's databases", p.text(`indexedDB.databases().then(l => JSON.stringify(l))`))
		must("the browser's caches", p.text(`(async () => {
			let all = "";
			for (const name of await caches.keys()) {
				const cache = await caches.open(name);
				for (const request of await cache.keys()) all += request.url + "\n";
			}
			return all;
		})()`))
	}
	must("the server's log", w.server.Log())
	for _, path := range []string{"/", "/settings", "/app.js", "/healthz", "/api/key", "/nothing"} {
		var body bytes.Buffer
		if _, err := body.ReadFrom(w.get(path).Body); err != nil {
			t.Fatal(err)
		}
		must(path, body.String())
	}

	err := filepath.WalkDir(w.data, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		p, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		where := "the data folder's " + filepath.Base(path)
		if strings.HasPrefix(d.Name(), "screentest.db") { // with its -wal
			where = "the database"
		}
		must(where, string(p))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"a WebSocket message", "the page", "the database"} {
		if !seen[where] {
			t.Errorf("%q wasn't found in %s, so nothing was searched there", said, where)
		}
	}
}

// Every page has the policy and the headers, and keeps other sites out.
func TestHeadersOfEveryPage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for _, path := range []string{
		"/", "/settings", "/c/00000000-0000-4000-8000-000000000000", "/app.js", "/web/app.wasm", "/healthz",
		"/robots.txt", "/sitemap.xml", "/ads.txt", "/nothing/here",
	} {
		res := w.get(path)
		policy := res.Header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "frame-ancestors 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy has no %s: %q", path, part, policy)
			}
		}
		if strings.Contains(policy, "unsafe-inline") || strings.Contains(policy, "'unsafe-eval'") {
			t.Errorf("%s: a loose policy: %q", path, policy)
		}
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY"} {
			if got := res.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if res.StatusCode >= 500 {
			t.Errorf("%s: %s", path, res.Status)
		}
	}

	forged, err := http.NewRequest(http.MethodPost, w.server.URL+"/api/key", strings.NewReader(`{"key":"sk-evil-evil-evil"}`))
	if err != nil {
		t.Fatal(err)
	}
	forged.Header.Set("Content-Type", "application/json")
	forged.Header.Set("Origin", "https://evil.example")
	forged.Header.Set("Sec-Fetch-Site", "cross-site")
	res, err := http.DefaultClient.Do(forged)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a request from another site: %s, want 403", res.Status)
	}
}
