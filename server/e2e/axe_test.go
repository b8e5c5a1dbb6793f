package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/shared/wire"
)

// fetching has one test at a time look for axe-core, and fetch it.
var fetching sync.Mutex

// axeCore returns the source of axe-core, the accessibility checker, which
// .ci/install fetches.
func axeCore(t *testing.T) string {
	t.Helper()
	fetching.Lock()
	defer fetching.Unlock()
	root, err := rig.Root()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, "build", "axe", "package", "axe.min.js")
	source, err := os.ReadFile(path)
	if err != nil {
		out, _ := exec.Command(filepath.Join(root, ".ci", "install"), "axe").CombinedOutput()
		if source, err = os.ReadFile(path); err != nil {
			if os.Getenv("SCREENTEST_NO_AXE") != "" { // make test has said so aloud
				t.Skip("NOT RUN: axe-core is not here, so accessibility is not checked")
			}
			t.Fatalf("this test needs axe-core, by npm and its registry: %v\n%s", err, out)
		}
	}
	return string(source)
}

// axe returns what axe-core finds wrong with the page as it stands.
func (p *page) axe() []string {
	p.w.t.Helper()
	var found []struct {
		ID, Help string
		Nodes    []struct {
			HTML           string
			FailureSummary string
		}
	}
	p.must(p.tab.Eval(&found, `axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations)`))
	var out []string
	for _, v := range found {
		for _, n := range v.Nodes {
			out = append(out, fmt.Sprintf("%s (%s): %.200s\n\t%s", v.ID, v.Help, n.HTML, strings.ReplaceAll(n.FailureSummary, "\n", "\n\t")))
		}
	}
	return out
}

// axeView is a state of the page that is checked. A new section adds a line
// with its path to the table, and what is to be waited for.
type axeView struct {
	name string
	path string
	wait string        // JavaScript, "" for none
	do   func(p *page) // what leads there from the path; nil for nothing
	undo func(p *page) // what it leaves behind; nil for nothing
}

// spent waits for the figures and the entries of the Spend page.
const spent = `!!document.querySelector("#tile-today") && !!document.querySelector("#ledger tbody tr")`

func TestAxeFindsNothing(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w := newWorld(t, "")
	w.allow = append(w.allow, "429")
	p := w.tab("/")
	p.send("Show everything that an answer can contain. [[markdown]]")
	p.settled()
	conversation := p.path()
	p.send("And a failure [[status: 429]]")
	p.settled()
	p.click("#new-conversation")
	p.wait(`location.pathname === "/"`)
	p.send("An estimate [[no-usage]]")
	p.settled()
	m := w.makes()
	clip := m.clip("beta-video-720p", "A lighthouse in a storm", "6", nil)
	failed := m.clip("alpha-3.1-lite", "A lighthouse in fog [[fail: content filter]]", "4", nil)
	for _, id := range []string{clip.ID, failed.ID} {
		p.open("/video/" + id)
		p.wait(`!!document.querySelector("main h1")`)
	}
	p.must(m.c.Call(t.Context(), wire.OpSetBudget, wire.BudgetSettings{DayNanoUSD: 100_000_000, MonthNanoUSD: 500_000_000_000, Zone: "Europe/Berlin"}, nil))
	p.must(m.c.Call(t.Context(), wire.OpSetKeep, wire.Retention{WireDays: 30}, nil))

	escape := func(p *page) { p.keys("\x1b"); p.wait(`!document.querySelector("dialog[open]")`) }
	views := []axeView{
		{name: "empty page", path: "/", wait: `!!document.querySelector(".example")`},
		{name: "conversation", path: conversation, wait: `document.querySelectorAll(".message").length === 4 && !!document.querySelector(".problem")`},
		{name: "no such conversation", path: "/c/00000000-0000-4000-8000-000000000000", wait: `document.querySelector("#thread").textContent.includes("doesn’t exist")`},
		{name: "settings", path: "/settings", wait: `!!document.querySelector("#to-gateway")`},
		{name: "settings of files", path: "/settings/data", wait: `!!document.querySelector("#settings-data")`},
		{name: "palette", path: conversation, wait: `document.querySelectorAll(".message").length === 4`,
			do: func(p *page) {
				p.palette("mark")
				p.wait(`!!document.querySelector('#palette [aria-label="In messages"] mark')`)
			},
			undo: escape},
		{name: "keys", path: conversation,
			do: func(p *page) {
				p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
				p.keys("?")
				p.wait(`!!document.querySelector("#keys[open]")`)
			},
			undo: escape},
		{name: "search", path: conversation, wait: `document.querySelectorAll(".message").length === 4`,
			do: func(p *page) {
				if p.number("innerWidth") < 800 {
					p.click("#menu")
					p.wait(`document.activeElement?.id === "new-conversation"`)
				}
				p.search("everything")
				p.click("#filters")
				p.wait(hits + `.length > 0 && document.querySelector("#search-kind").checkVisibility()`)
			}},
		{name: "video", path: "/video", wait: `!!document.querySelector("main h1")`},
		{name: "spend by kind", path: "/spend", wait: spent},
		{name: "spend by model, as a table", path: "/spend?split=model&range=7", wait: spent,
			do: func(p *page) { p.click("#chart-table summary"); p.wait(`document.querySelector("#chart-table").open`) }},
		{name: "spend, custom days", path: "/spend?range=custom&from=2026-01-01&to=2026-01-31", wait: `!!document.querySelector("#spend-to") && !!document.querySelector("#ledger .ledger-empty")`},
		{name: "spend, days in disorder", path: "/spend?range=custom&from=2026-02-01&to=2026-01-31", wait: `!!document.querySelector(".spend .notice[data-tone=bad]")`},
		{name: "ledger with filters", path: "/spend?kind=charge&what=text&model=" + textFamilies[0].model, wait: spent + ` && !!document.querySelector(".chip")`,
			do: func(p *page) {
				p.click("#ledger tbody tr .act button")
				p.wait(`document.activeElement.id === "fix-cost"`)
				p.keys("x\r")
				p.wait(`!!document.querySelector("#fix-cost-wrong:not([hidden])")`)
			}},
		{name: "storage", path: "/settings/storage", wait: `!!document.querySelector("#storage-use tbody tr")`},
		{name: "budgets", path: "/settings/budgets", wait: `!!document.querySelector(".budget-states li")`,
			do: func(p *page) {
				p.fill("#budget-warn", "x")
				p.click("#budget-save")
				p.wait(`!!document.querySelector("#budget-warn-wrong:not([hidden])")`)
			}},
	}
	p.axeFindsNothing(source, views)
}

// axeFindsNothing checks every view at both sizes in both colours. The colours
// are changed where the page stands: they lead nowhere.
func (p *page) axeFindsNothing(source string, views []axeView) {
	w, t := p.w, p.w.t
	type window struct {
		name          string
		width, height int64
	}
	sizes := []window{{"wide", 1440, 900}, {"phone", 390, 844}}
	if os.Getenv("SCREENTEST_PICTURES") != "" { // of everything, to look at before and after a change
		sizes = append(sizes, window{"narrow", 320, 700})
	}
	for _, size := range sizes {
		for _, v := range views {
			t.Run(v.name+", "+size.name, func(t *testing.T) {
				w.t = t
				p.looks(size.width, size.height, true)
				p.open(v.path)
				if v.wait != "" {
					p.wait(v.wait)
				}
				if v.do != nil {
					v.do(p)
				}
				p.must(p.tab.Eval(nil, source+"; true"))
				for _, colours := range []string{"dark", "light"} {
					p.looks(size.width, size.height, colours == "dark")
					if found := p.axe(); len(found) > 0 {
						t.Errorf("%s: %d findings:\n%s", colours, len(found), strings.Join(found, "\n"))
					}
					p.picture(v.name + "-" + size.name + "-" + colours)
				}
				if v.undo != nil {
					v.undo(p)
				}
			})
		}
	}
	w.t = t
}

// picture keeps what the page looks like in build/screenshots.
func (p *page) picture(name string) {
	p.w.t.Helper()
	root, err := rig.Root()
	p.must(err)
	dir := filepath.Join(root, "build", "screenshots")
	p.must(os.MkdirAll(dir, 0o755))
	picture, err := p.tab.Screenshot()
	p.must(err)
	p.must(os.WriteFile(filepath.Join(dir, "axe-"+strings.ReplaceAll(name, " ", "-")+".png"), picture, 0o644))
}

// What is announced to screen readers is whole sentences, in their order, and
// nothing twice.
func TestAnswersAreAnnouncedBySentence(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.must(p.tab.Eval(nil, `(() => { window.said = []; new MutationObserver(() => said.push(document.querySelector("#say").textContent)).observe(document.querySelector("#say"), {childList: true, characterData: true, subtree: true}) })()`))
	p.send("[[repeat: 160]] Tell me")
	p.settled()
	p.wait(`said.at(-1)?.includes("Answer complete.")`)
	var said []string
	p.must(p.tab.Eval(&said, "said"))
	if len(said) < 2 {
		t.Fatalf("said at once: %q", said)
	}
	whole, err := json.Marshal(said)
	p.must(err)
	body := p.text(last + `.querySelector(".body").textContent`)
	for _, s := range said[:len(said)-1] {
		if first, _, _ := strings.Cut(s, ". "); !strings.Contains(letters(body), letters(first)) {
			t.Errorf("said %q, which is not in the answer: %s", s, whole)
		}
	}
}
