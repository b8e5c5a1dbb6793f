package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"screentest/server/e2e/rig"
)

// The parts of the page that tests look at.
const (
	composer   = `#composer`
	stopButton = `#stop`
	answers    = `.message[data-role="assistant"]`
	// The program runs, and the server has greeted it.
	ready = `!document.getElementById("app-wasm-loader") && !!document.querySelector("#app[data-view] #gateway")`
)

// page is a tab whose steps fail the test instead of returning an error.
type page struct {
	w    *world
	tab  *rig.Tab
	base string
}

// tab opens a tab at path, with the server's own address.
func (w *world) tab(path string) *page {
	w.t.Helper()
	return w.tabAt(w.server.URL, path)
}

// tabAt opens a tab at path below base, which leads to the server.
func (w *world) tabAt(base, path string) *page {
	w.t.Helper()
	tab, err := w.profile.Tab()
	if err != nil {
		w.t.Fatal(err)
	}
	p := &page{w: w, tab: tab, base: base}
	w.pages = append(w.pages, p)
	if base != w.server.URL {
		w.lendPerson(base)
	}
	p.must(tab.Front())
	p.open(path)
	return p
}

func (p *page) must(err error) {
	p.w.t.Helper()
	if err != nil {
		p.w.t.Fatal(err)
	}
}

// open goes to a path and waits until the program runs.
func (p *page) open(path string) {
	p.w.t.Helper()
	p.must(p.tab.Open(p.base + path))
	p.wait(ready)
}

func (p *page) reload() {
	p.w.t.Helper()
	p.must(p.tab.Reload())
	p.wait(ready)
}

// looks sets the window's size and the system's colours, and waits until the
// page is drawn so.
func (p *page) looks(width, height int64, dark bool) {
	p.w.t.Helper()
	p.must(p.tab.Look(width, height, dark))
	p.wait(fmt.Sprintf(`innerWidth === %d && matchMedia("(prefers-color-scheme: dark)").matches === %v`, width, dark))
	p.must(p.tab.Eval(nil, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))`))
}

func (p *page) wait(js string) {
	p.w.t.Helper()
	p.must(p.tab.Wait(js))
}

func (p *page) click(selector string) {
	p.w.t.Helper()
	p.must(p.tab.Click(selector))
}

func (p *page) keys(keys string) {
	p.w.t.Helper()
	p.must(p.tab.Type(keys))
}

func (p *page) path() string {
	p.w.t.Helper()
	path, err := p.tab.Path()
	p.must(err)
	return path
}

// text returns the value of a JavaScript expression that gives a string.
func (p *page) text(js string) string {
	p.w.t.Helper()
	var s string
	p.must(p.tab.Eval(&s, js))
	return s
}

func (p *page) count(selector string) int {
	p.w.t.Helper()
	var n int
	p.must(p.tab.Eval(&n, fmt.Sprintf("document.querySelectorAll(%q).length", selector)))
	return n
}

// send types a prompt into the composer and sends it with Enter, and waits
// until it stands in the conversation.
func (p *page) send(prompt string) {
	p.w.t.Helper()
	// Only what is near the window is in the page, so the answers aren't counted.
	before := p.text(last + `?.dataset.id ?? ""`)
	p.click(composer)
	p.keys(prompt)
	p.keys("\r")
	p.wait(fmt.Sprintf("(%s?.dataset.id ?? %q) !== %q", last, before, before))
}

// keyed opens a tab, gives the server the sandbox's key on the settings page,
// as a person would, and goes to path.
func (w *world) keyed(path string) *page {
	w.t.Helper()
	p := w.tab("/settings")
	p.enterKey(sandboxKey)
	p.open(path)
	return p
}

// enterKey enters a key on the settings page and waits until it is taken.
func (p *page) enterKey(key string) {
	p.w.t.Helper()
	if p.path() != "/settings" {
		p.open("/settings")
	}
	p.click("#key")
	p.keys(key + "\r")
	p.wait(fmt.Sprintf(`document.querySelector("#key-state").textContent.endsWith(%q)`, key[len(key)-4:]))
	p.wait(`document.querySelector("#key").value === ""`)
}

// tool chooses what goes with a message: in the composer, or on a phone in its menu.
func (p *page) tool(selector string) {
	p.w.t.Helper()
	if p.text(`String(document.querySelector("#composer-more").checkVisibility())`) == "true" {
		p.click("#composer-more")
		p.wait(`document.querySelector("#composer-tools").matches(":popover-open")`)
	}
	p.click(selector)
}

// choose picks the model that answers next.
func (p *page) choose(model string) {
	p.w.t.Helper()
	p.click("#model")
	p.wait(`document.activeElement?.matches("#picker[open] #picker-search")`)
	p.keys(model)
	p.wait(fmt.Sprintf(`document.querySelector('#picker [data-active="true"]')?.dataset.model === %q`, model))
	p.keys("\r")
	p.wait(fmt.Sprintf(`document.querySelector("#model .model-name").textContent === %q`, model))
}

// retry clicks the newest answer's Retry and waits for the new answer.
func (p *page) retry() {
	p.w.t.Helper()
	before := p.text(last + ".dataset.id")
	p.click(answers + " .retry")
	p.wait(fmt.Sprintf("%s?.dataset.id !== %q", last, before))
}

// last is the newest answer as a JavaScript expression.
const last = `[...document.querySelectorAll('.message[data-role="assistant"]')].at(-1)`

// body returns the letters of the newest answer as it is drawn.
func (p *page) body() string {
	p.w.t.Helper()
	return letters(p.text(last + `?.querySelector(".body")?.textContent ?? ""`))
}

// letters is a text without its white space, which a page lays out in its own
// way: a paragraph's end is none.
func letters(s string) string { return strings.Join(strings.Fields(s), "") }

// drawn waits until an expression gives a text, and says whether it did: a long
// answer is drawn over several frames.
func (p *page) drawn(js, want string) bool {
	p.w.t.Helper()
	quoted, err := json.Marshal(want)
	p.must(err)
	p.must(p.tab.Eval(nil, "window.expected = "+string(quoted)))
	return p.tab.Wait(js+" === window.expected") == nil
}

// The newest answer as it is drawn: its letters and its markup.
const (
	lastLetters = last + `.querySelector(".body").textContent.replace(/\s+/g, "")`
	lastMarkup  = last + `.querySelector(".body").innerHTML`
)

// markup returns what is drawn of the newest answer.
func (p *page) markup() string {
	p.w.t.Helper()
	return p.text(lastMarkup)
}

// state returns the line under the newest answer.
func (p *page) state() string {
	p.w.t.Helper()
	return strings.Join(strings.Fields(p.text(last+`?.querySelector(".state")?.innerText ?? ""`)), " ")
}

// grown waits until the newest answer has at least n characters.
func (p *page) grown(n int) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`(%s?.querySelector(".body")?.textContent ?? "").length >= %d`, last, n))
}

// two makes two conversations, and returns their addresses; the second is shown.
func (p *page) two() (first, second string) {
	p.w.t.Helper()
	p.send("[[repeat: 110]] the first")
	p.settled()
	first = p.path()
	p.click("#new-conversation")
	p.wait(`location.pathname === "/"`)
	p.send("[[repeat: 110]] the second")
	p.settled()
	return first, p.path()
}

// soon reports whether holds comes true within a minute.
func soon(holds func() bool) bool {
	for end := time.Now().Add(time.Minute); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// underWay sends longer and longer prompts until do has done what it does while
// an answer still comes, which takes long on a slow machine; do says so.
func (p *page) underWay(do func() bool) {
	p.w.t.Helper()
	for words := 240; words < 20_000; words *= 3 {
		p.must(p.tab.Front())
		p.send(fmt.Sprintf("[[repeat: %d]]", words))
		if do() {
			return
		}
		p.settled()
	}
	p.w.t.Fatal("however long the answer, it had ended: nothing was tested")
}

// settled waits until the newest answer has come to an end of any kind, and is
// drawn to it, and returns how.
func (p *page) settled() string {
	p.w.t.Helper()
	p.wait(last + `?.dataset.state && ` + last + `.dataset.state !== "running"`)
	p.wait(fmt.Sprintf(`!document.querySelector(%q)?.checkVisibility()`, stopButton))
	p.wait(`!` + last + `.querySelector(".body > .tail")`)
	return p.text(last + `.dataset.state`)
}
