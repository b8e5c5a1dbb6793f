package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// entry chooses the n-th entry of a list, as a person does: with the mouse or
// with the keys a browser tells the page no more than that.
func (p *page) entry(selector string, n int) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`(e => { e.selectedIndex = %d; e.dispatchEvent(new Event("input", {bubbles: true}));
		e.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector(%q))`, n, selector)))
}

// shows waits until a list shows its n-th entry.
func (p *page) shows(selector string, n int) {
	p.w.t.Helper()
	p.wait(fmt.Sprintf(`document.querySelector(%q).selectedIndex === %d`, selector, n))
}

// takenBack chooses each entry of a list in turn, takes it back by the first one,
// and waits until the result is whole. With clear it then chooses it again and
// presses Clear.
func (p *page) takenBack(selector, result, whole, clear string) {
	p.w.t.Helper()
	for n := 1; n < p.count(selector+" option"); n++ {
		p.entry(selector, n)
		p.shows(selector, n)
		p.entry(selector, 0)
		p.shows(selector, 0)
		if !soon(func() bool { return p.text(result) == whole }) {
			p.w.t.Errorf("%s, taken back from entry %d: %q, want %q", selector, n, p.text(result), whole)
		}
		if clear == "" {
			continue
		}
		p.entry(selector, n)
		p.shows(selector, n)
		p.click(clear)
		p.shows(selector, 0)
	}
}

func TestEveryFilterOfTheSearchCanBeTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "429")
	p := w.tab("/")
	p.send("[[repeat: 30]] one lighthouse")
	p.settled()
	p.send("another lighthouse [[status: 429]]")
	p.settled()

	// What was found by the word alone, once it is whole.
	found := `document.querySelector('#hits[aria-busy="false"] #hits-count')?.textContent ?? ""`
	p.click("#filters")
	for _, filter := range []string{"#search-kind", "#search-model", "#search-state", "#search-cost", "#search-days"} {
		p.search("lighthouse")
		p.wait(`(` + found + `) === "2 results"`)
		options := p.count(filter + " option")
		if filter == "#search-model" {
			options = 3 // the rest are alike
		}
		for n := 1; n < options; n++ {
			p.entry(filter, n)
			p.wait(`(` + found + `) !== ""`)
			p.entry(filter, 0)
			p.shows(filter, 0)
			p.wait(`(` + found + `) === "2 results"`)

			p.entry(filter, n)
			p.click("#search-clear")
			p.wait(`!document.querySelector("#hits")`)
			p.shows(filter, 0)
			p.click("#filters")
			p.search("lighthouse")
			p.wait(`(` + found + `) === "2 results"`)
		}
	}

	// The box, and the word itself.
	p.click("#new-conversation")
	p.wait(`location.pathname === "/"`)
	p.send("[[repeat: 30]] a third lighthouse")
	p.settled()
	p.search("lighthouse")
	p.wait(`(` + found + `) === "3 results"`)
	here := `document.querySelector("#search-here").checked`
	for _, back := range []string{"#search-here", "#search-clear"} {
		p.click("#search-here")
		p.wait(here + ` && (` + found + `) === "1 result"`)
		p.click(back)
		p.wait(`!` + here)
		if back == "#search-here" {
			p.wait(`(` + found + `) === "3 results"`)
		}
	}
	p.wait(`!document.querySelector("#hits") && document.querySelector("#search").value === ""`)
	p.search("lighthouse")
	p.wait(`(` + found + `) === "3 results"`)
	p.keys("\x1b")
	p.wait(`!document.querySelector("#hits") && document.querySelector("#search").value === ""`)
}

func TestEveryFilterOfTheClipsCanBeTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	clip := m.clip("beta-video-480p", "Dunes at noon", "6", nil)
	other := m.clip("alpha-3.1-lite", "A harbour", "4", nil)
	p := w.tab("/video")
	for _, c := range []wire.VideoTask{clip, other} {
		p.becomes(c.ID, wire.VideoDone)
	}
	p.press("#card-" + clip.ID + "-more")
	p.press("#card-" + clip.ID + "-retag")
	p.wait(fmt.Sprintf(`document.activeElement?.id === "card-%s-tags"`, clip.ID))
	p.keys("sand\r")
	p.wait(`!!document.querySelector('#filter-tag option[value="sand"]')`)

	all := `String(document.querySelectorAll(".tile").length)`
	for _, filter := range []string{"#filter-mode", "#filter-model", "#filter-tag"} {
		p.takenBack(filter, all, "2", "#clear-filters")
	}
	p.entry("#filter-model", 1)
	p.wait(all + ` === "1"`)
	p.entry("#filter-model", 0)
	p.wait(all + ` === "2"`)
	for _, button := range []string{"#only-favourites", "#standing-failed"} {
		p.press(button)
		p.wait(all + ` === "0"`)
		p.press("#clear-filters")
		p.wait(all + ` === "2" && document.querySelector(` + strconv.Quote(button) + `).ariaPressed === "false"`)
	}
	p.click("#clip-search")
	p.keys("harbour")
	p.wait(all + ` === "1"`)
	p.click("#clear-filters")
	p.wait(all + ` === "2" && document.querySelector("#clip-search").value === ""`)
}

func TestEveryFilterOfTheLedgerCanBeTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	clip := m.clip("beta-video-480p", "Dunes at noon", "6", nil)
	p := w.tab("/video")
	p.becomes(clip.ID, wire.VideoDone)
	p.open("/")
	p.send("[[repeat: 30]] a lighthouse")
	p.settled()
	p.open("/spend")
	rows := `document.querySelector("#ledger [role=status]").textContent`
	p.wait(rows + `.startsWith("2 entries")`)
	whole := p.text(rows) // once: what the filter before has found may still come
	for _, filter := range []string{"#filter-what", "#filter-kind", "#filter-source"} {
		p.takenBack(filter, rows, whole, "")
		if at := p.text("location.search"); strings.Contains(at, "=All") {
			t.Errorf("%s, taken back, leads to %s", filter, at)
		}
	}
	p.entry("#filter-what", 1)
	p.wait(rows + `.startsWith("1 entry")`)
	p.entry("#filter-what", 0)
	p.wait(rows + `.startsWith("2 entries")`)
	p.click(`.figures td a[title="Show the entries of this model"]`)
	p.wait(rows + `.startsWith("1 entry")`)
	p.click("#ledger .chip")
	p.wait(rows + `.startsWith("2 entries") && !document.querySelector("#ledger .chip")`)
}

// What is written into a setting or a parameter goes again: by hand, by Undo,
// and after a reload.
func TestEverySettingCanBeTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/settings/budgets")
	for _, id := range []string{"budget-day", "budget-month", "budget-warn"} {
		field := `document.getElementById("` + id + `")`
		p.wait(`!!` + field + ` && !` + field + `.disabled`)
		before := p.text(field + `.value`)
		p.click("#" + id)
		p.must(p.tab.Eval(nil, field+`.select()`))
		p.keys("7")
		p.wait(field + `.value === "7"`)
		p.click(`#budget-form button[type="button"]`)
		if !p.drawn(field+`.value`, before) {
			t.Errorf("%s, undone, has %q, want %q", id, p.text(field+`.value`), before)
		}
	}
	p.open("/settings/appearance")
	theme := `document.documentElement.dataset.theme ?? ""`
	p.click("#theme-dark")
	p.wait(theme + ` === "dark"`)
	p.click("#theme-")
	p.wait(`(` + theme + `) === "" && document.querySelector("#theme-").checked`)

	p.open("/")
	p.must(p.tab.Front())
	p.click("#lane-params")
	p.wait(`document.querySelector("#param-system")?.checkVisibility()`)
	p.click("#params-more > summary")
	none := `[...document.querySelectorAll(".params-number")].every(e => e.dataset.sent === "false")`
	for id, text := range map[string]string{"param-temperature": "0.7", "param-system": "Be brief", "param-user": "me",
		"param-max_tokens": "5", "param-presence_penalty": "1", "param-stop": "END", "param-extra": "{}"} {
		field := `document.getElementById("` + id + `")`
		p.click("#" + id)
		p.keys(text)
		p.must(p.tab.Eval(nil, field+`.select()`))
		p.keys("\b")
		p.wait(field + `.value === ""`)
	}
	p.choice("#param-reasoning_effort", "low")
	p.choice("#param-reasoning_effort", "")
	p.wait(none + ` && document.querySelector("#params-more > summary").textContent === "More parameters"`)
	p.reload()
	p.wait(`document.querySelector("#param-system")?.value === "" && document.querySelector("#param-temperature").value === "" && ` + none)
}
