package e2e

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"screentest/server/e2e/rig"
)

// startProvider starts the provider of provider.mjs.
func startProvider(t *testing.T) *rig.Program {
	t.Helper()
	root, err := rig.Root()
	if err != nil {
		t.Fatal(err)
	}
	installed := filepath.Join(root, "build", "provider")
	if out, err := exec.Command(filepath.Join(root, ".ci", "install"), "node", "provider").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(filepath.Join(installed, "node_modules", "oidc-provider")); err != nil {
		if os.Getenv("SCREENTEST_NO_PROVIDER") != "" { // make test has said so aloud
			t.Skip("NOT RUN: oidc-provider is not here, so signing in on a provider's page is not tried")
		}
		t.Fatalf("this test needs oidc-provider, by npm and its registry: %v", err)
	}
	p, err := rig.Start(context.Background(), "node", nil, filepath.Join(root, "server", "e2e", "provider.mjs"), installed)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("the provider's end: %v", err)
		}
	})
	return p
}

// tell tells the provider something.
func tell(t *testing.T, p *rig.Program, what string, with url.Values) {
	t.Helper()
	res, err := http.Get(p.URL + "/-/" + what + "?" + with.Encode())
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if said, _ := io.ReadAll(res.Body); string(said) != "ok" {
		t.Fatalf("%s: %s %s", what, res.Status, said)
	}
}

// Somebody signs in on a provider's own page and comes back to where they wanted
// to go; a group makes them an admin and takes it away again at the next sign-in;
// who cancels is told so.
func TestSingleSignOnOnAProvidersPage(t *testing.T) {
	t.Parallel()
	provider := startProvider(t)
	w := newTeam(t, "", "-oidc-issuer", provider.URL, "-oidc-client-id", "screentest", "-oidc-client-secret", "e2e-secret", "-oidc-allow-domains", "example.com")
	tell(t, provider, "client", url.Values{"redirect": {w.server.URL + "/api/oidc/callback"}})
	tell(t, provider, "groups", url.Values{"name": {"jane"}, "groups": {"staff,ops"}})
	ana := w.tab("/")
	if got := ana.text(`fetch("/api/instance").then(r => r.json()).then(i => fetch("/api/instance", {method: "PUT", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({...i, groups: [{group: "ops", role: "admin"}]})})).then(r => String(r.status))`); got != "200" {
		t.Fatalf("the map of groups: %s", got)
	}

	w.as(w.stranger(), func() {
		p := w.door("/signin")
		p.click("#door-oidc")
		p.wait(`!!document.querySelector("input[name=login]")`)
		if at := p.text("location.origin"); at != provider.URL {
			t.Fatalf("the log-in page is at %s", at)
		}
		p.fill("input[name=login]", "jane")
		p.fill("input[name=password]", "any")
		p.keys("\r")
		p.wait(`document.querySelector("input[name=prompt]")?.value === "consent"`)
		p.click("button[type=submit]")
		p.wait(ready)
		role := func() string { return p.text(`fetch("/api/me").then(r => r.json()).then(m => m.name + " " + m.role)`) }
		if got := role(); got != "jane admin" {
			t.Errorf("the group gives %q", got)
		}

		tell(t, provider, "groups", url.Values{"name": {"jane"}, "groups": {"staff"}})
		p.must(p.tab.Eval(nil, `fetch("/api/signout", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}).then(r => r.status)`))
		p.openDoor("/signin")
		p.click("#door-oidc") // the provider knows them still
		p.wait(ready)
		if got := role(); got != "jane member" {
			t.Errorf("the group that was taken away leaves %q", got)
		}

		// A session that ends in mid-sentence: over the page, in a tab of its own.
		p.click("#composer")
		p.keys("half a sentence")
		p.must(p.tab.Eval(nil, `fetch("/api/signout", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}).then(r => r.status)`))
		p.wait(`!!document.querySelector("#again[open] #door-oidc")`)
		p.click("#again #door-oidc")
		p.wait(`!document.querySelector("#again[open]") && document.querySelector("#composer").value === "half a sentence"`)
		if got := role(); got != "jane member" {
			t.Errorf("after signing in again it is %q", got)
		}
	})
	w.as(w.stranger(), func() {
		p := w.door("/signin")
		p.click("#door-oidc")
		p.wait(`!!document.querySelector("input[name=login]")`)
		p.must(p.tab.Eval(nil, `[...document.querySelectorAll("a")].find(a => /cancel/i.test(a.innerText)).click()`))
		p.wait(atDoor + ` && location.pathname === "/signin" && document.querySelector("#door-wrong").innerText.includes("provider refused")`)
	})
}
