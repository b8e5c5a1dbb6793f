package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// textFamilies are a model for each of the two ways to ask for text.
var textFamilies = []struct{ name, model, path string }{
	{"chat", "vendor/model-a", "/v1/chat/completions"},
	{"responses", "vendor/epsilon-5.6-core", "/v1/responses"},
}

// The first minute: somebody starts the server with nothing configured, opens
// the page, types at once and reads an answer.
func TestNewcomerTypesAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	tab, err := w.profile.Tab()
	if err != nil {
		t.Fatal(err)
	}
	p := &page{w: w, tab: tab, base: w.server.URL}
	w.pages = append(w.pages, p)
	p.must(tab.Front())
	p.must(tab.Open(w.server.URL))
	// Not a word about the program having arrived: the composer is there.
	p.wait(`document.activeElement?.matches("#composer")`)
	p.keys("Say [[markdown]]")
	p.wait(ready)
	p.keys(" please")
	if got := p.text(`document.querySelector("#composer").value`); got != "Say [[markdown]] please" {
		t.Fatalf("the composer has %q", got)
	}
	p.keys("\r")

	if state := p.settled(); state != "done" {
		t.Fatalf("state %q: %s", state, p.state())
	}
	p.checkStateLine()
	if !p.has(answers+" h2, "+answers+" h3") || !p.has(answers+" pre code") {
		t.Errorf("the answer is not drawn as Markdown:\n%s", p.markup())
	}
	if !strings.HasPrefix(p.path(), "/c/") {
		t.Errorf("the conversation has no address: %s", p.path())
	}
	p.wait(`document.querySelector('.conversation[aria-current="page"]')?.pathname === location.pathname`)
	if got := p.text(`document.querySelector("#composer").value`); got != "" {
		t.Errorf("the composer still has %q", got)
	}
}

func TestBothKindsOfModel(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	for _, family := range textFamilies {
		t.Run(family.name, func(t *testing.T) {
			w.t = t
			p := w.keyed("/")
			p.choose(family.model)
			p.send("[[repeat: 120]] Tell me of " + family.name)
			if state := p.settled(); state != "done" {
				t.Fatalf("state %q: %s", state, p.state())
			}
			w.whole(p, sandbox)
			p.checkStateLine()

			newest := func() request {
				all := record(t, sandbox)
				return all[len(all)-1]
			}
			if r := newest(); r.Path != family.path || r.Status != 200 || !strings.Contains(r.Body, family.model) {
				t.Errorf("the sandbox was asked %s (%d) %s", r.Path, r.Status, r.Body)
			}
			// The second turn carries the first.
			p.send("[[repeat: 110]] And then?")
			p.settled()
			if body := newest().Body; !strings.Contains(body, "Tell me of "+family.name) || !strings.Contains(body, "And then?") {
				t.Errorf("the second request lacks the first turn: %s", body)
			}
		})
	}
	w.t = t
}

var (
	tokensShown = regexp.MustCompile(`\d+ in · \d+ out`)
	costShown   = regexp.MustCompile(`\$\d+\.\d\d`)
	timeShown   = regexp.MustCompile(`\d ?m?s\b`)
)

// checkStateLine checks that the line under the newest answer tells tokens,
// cost and timing.
func (p *page) checkStateLine() {
	p.w.t.Helper()
	line := p.state()
	for name, want := range map[string]*regexp.Regexp{"tokens": tokensShown, "cost": costShown, "time to the first token": timeShown} {
		if !want.MatchString(line) {
			p.w.t.Errorf("the state line has no %s: %q", name, line)
		}
	}
}

func TestAddressesBackAndForward(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.send("[[repeat: 110]] the first")
	p.settled()
	first := p.path()
	p.click("#new-conversation")
	p.wait(`location.pathname === "/"`)
	p.wait(fmt.Sprintf("document.querySelectorAll(%q).length === 0", answers))
	p.send("[[repeat: 110]] the second")
	p.settled()
	second := p.path()
	if first == second || !strings.HasPrefix(first, "/c/") || !strings.HasPrefix(second, "/c/") {
		t.Fatalf("addresses %q and %q", first, second)
	}
	p.click(fmt.Sprintf(`.conversation[href=%q]`, first))
	shows := func(path, prompt string) {
		t.Helper()
		p.wait(fmt.Sprintf(`location.pathname === %q`, path))
		p.wait(fmt.Sprintf(`document.querySelector('.message[data-role="user"] .body')?.textContent.includes(%q)`, prompt))
		p.wait(`document.querySelectorAll('.message').length === 2`)
	}
	shows(first, "the first")
	p.must(p.tab.Back())
	shows(second, "the second")
	p.must(p.tab.Forward())
	shows(first, "the first")
	p.click(`.rail-item[href="/settings"]`)
	p.wait(`location.pathname === "/settings" && document.querySelector("#app").dataset.view === "settings"`)
	p.must(p.tab.Back())
	shows(first, "the first")
	p.reload()
	shows(first, "the first")

	// Its address can be handed on, and a wrong one is told.
	other := w.tab(second)
	other.wait(`document.querySelector('.message[data-role="user"] .body')?.textContent.includes("the second")`)
	w.allow = append(w.allow, "404")
	other.must(other.tab.Open(w.server.URL + "/c/00000000-0000-4000-8000-000000000000"))
	other.wait(`document.querySelector("#main")?.innerText.includes("doesn’t exist")`)
}
