package e2e

import (
	"fmt"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
)

const hits = `[...document.querySelectorAll("#hits .hit")]`

// search types into the search above the list.
func (p *page) search(query string) {
	p.w.t.Helper()
	p.click("#search")
	p.must(p.tab.Eval(nil, `document.querySelector("#search").select()`))
	p.keys(query)
}

func TestSearchFindsOpensAndFilters(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "429")
	p := w.tab("/")
	p.send("[[repeat: 110]] Tell me about quokkas & <b>wombats</b>")
	p.settled()
	animals := p.path()
	p.send("[[repeat: 110]] And of the platypus?")
	p.settled()
	p.click("#new-conversation")
	p.wait(`location.pathname === "/"`)
	p.send("Ships, quokkas aside [[status: 429]]")
	p.settled()

	p.search("quok")
	p.wait(hits + `.length === 2 && ` + hits + `.every(h => h.querySelector("mark")?.textContent === "quokkas")`)
	if p.has("#hits b") || !strings.Contains(p.text(hits+`.at(-1).textContent`), "<b>wombats</b>") {
		t.Error("what looks like markup is not shown as it was written")
	}

	// Opened where it is.
	p.must(p.tab.Eval(nil, hits+`.at(-1).click()`))
	p.wait(fmt.Sprintf("location.pathname === %q", animals))
	p.wait(`document.querySelector('.message[data-found]')?.textContent.includes("wombats")`)
	p.wait(hits + `.at(-1).getAttribute("aria-current") === "true"`)
	address := p.text("location.pathname + location.search")
	p.open(address)
	p.wait(`document.querySelector('.message[data-found]')?.textContent.includes("wombats")`)

	// The filters.
	p.search("quok")
	p.wait(hits + `.length === 2`)
	p.click("#filters")
	p.wait(`document.querySelector("#search-kind").checkVisibility()`)
	p.choice("#search-kind", "title")
	p.wait(hits + `.length > 0 && ` + hits + `.every(h => h.textContent.includes("Title"))`)
	p.choice("#search-kind", "tool")
	p.wait(`document.querySelector("#hits-count").textContent.startsWith("Nothing found")`)
	p.choice("#search-kind", "error")
	p.search("limit reached")
	p.wait(hits + `.length === 1 && ` + hits + `[0].textContent.includes("failed")`)
	p.click("#search-clear")
	p.wait(`!document.querySelector("#hits") && document.querySelectorAll(".conversation").length === 2`)
	if got := p.text(`document.querySelector("#search").value + document.querySelector("#search-kind").value`); got != "" {
		t.Errorf("cleared, the fields have %q", got)
	}
	p.choice("#search-state", "failed")
	p.wait(hits + `.length > 0`)
	p.search("xyzzyx")
	p.wait(`document.querySelector("#hits-count").textContent.startsWith("Nothing found")`)
	p.keys("\x1b")
	p.wait(`!document.querySelector("#hits")`)
}

// choice sets a select as a person does.
func (p *page) choice(selector, value string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q;
		e.dispatchEvent(new Event("change", {bubbles: true})) })()`, selector, value)))
}

// Two devices show the same list and the same title, whoever changes them.
func TestTwoTabsKeepTheSameOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	a := w.tab("/")
	for _, prompt := range []string{"[[repeat: 110]] apples", "[[repeat: 110]] pears"} {
		a.click("#new-conversation")
		a.wait(`location.pathname === "/"`)
		a.send(prompt)
		a.settled()
	}
	pears := a.path()
	b := w.tab(pears)
	b.settled()
	titles := `[...document.querySelectorAll(".row-title")].map(e => e.textContent.replace("[[repeat: 110]] ", "")).join()`
	heads := `[...document.querySelectorAll(".group h2")].map(e => e.textContent).join()`
	both := func(js, want string) {
		t.Helper()
		for _, p := range []*page{a, b} {
			if !p.drawn(js, want) {
				t.Fatalf("a tab has %q, want %q", p.text(js), want)
			}
		}
	}
	both(titles, "pears,apples")
	a.must(a.tab.Front())
	a.click(`.row:last-child .row-actions button`)
	both(heads, "Pinned,Today")
	both(titles, "apples,pears")

	b.must(b.tab.Front())
	b.click("#more-button")
	b.wait(`document.querySelector("#more").matches(":popover-open")`)
	b.click("#pin")
	both(heads, "Pinned")
	both(titles, "pears,apples")
	b.click(`[aria-label="Rename this conversation"]`)
	b.wait(`document.activeElement?.id === "rename"`)
	b.keys("Quinces\r")
	both(titles, "Quinces,apples")
	both(`document.querySelector("#title").textContent`, "Quinces")

	a.must(a.tab.Front())
	a.must(a.tab.Eval(nil, `new MutationObserver((_, o) => { // it is offered for a while only
		const u = document.querySelector("#undo");
		if (u) { o.disconnect(); window.undone = true; u.click() }
	}).observe(document.body, {childList: true, subtree: true})`))
	a.click("#delete")
	a.wait(`window.undone && !document.querySelector("#undo") && document.querySelectorAll(".conversation").length === 2`)
	b.must(b.tab.Front())
	if got := b.text(titles); got != "Quinces,apples" {
		t.Errorf("an undone deletion reached the other tab: %q", got)
	}
}

// A search while the network is away says so, and works when it is back.
func TestSearchWithoutNetwork(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	line, err := rig.NewLine(w.server.Host())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	w.allow = append(w.allow, away...)
	p := w.tabAt(line.URL(), "/")
	p.send("[[repeat: 110]] of lighthouses")
	p.settled()
	line.Cut()
	p.wait(`document.querySelector("#link").textContent.trim() !== ""`)
	// Asked once, however slowly: each key may be asked for by itself.
	p.must(p.tab.Eval(nil, `(() => { const e = document.querySelector("#search"); e.value = "lighthouses"; e.dispatchEvent(new Event("input", {bubbles: true})) })()`))
	p.wait(`!!document.querySelector('#hits[aria-busy="false"] .side-problem')`)
	line.Mend()
	p.wait(`document.querySelector("#link").textContent.trim() === ""`)
	p.click("#hits .side-problem button")
	p.wait(hits + `.length > 0`)
}
