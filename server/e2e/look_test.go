package e2e

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// On a phone, and in a window at 200 %, one writes in one row, and the thread keeps
// half of the window whatever is said above it.
func TestTheThreadKeepsHalfOfTheWindow(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/settings/budgets")
	p.wait(`document.querySelector("#budget-save") && !document.querySelector("#budget-save").disabled`)
	p.must(p.tab.Eval(nil, `document.querySelector("#budget-max-output").select()`))
	p.keys("10")
	p.setBudget("0.0003") // a warning stands above the composer
	p.open("/")
	p.tool("#add-lane")
	p.keys("model-b\r")
	p.click("#composer")
	p.keys("Tell me about the sea. [[repeat: 300]]\r")
	p.wait(`document.querySelectorAll('.message[data-state="done"]').length > 0 && !document.querySelector('.message[data-state="running"]')`)
	p.wait(`document.querySelector(".composer .budget-note")?.checkVisibility()`)
	for _, size := range []struct{ w, h int64 }{{390, 844}, {320, 568}, {720, 450}, {1440, 900}} {
		p.looks(size.w, size.h, size.w == 390)
		for _, text := range []string{"", "one line", strings.Repeat("a line\n", 40)} {
			p.must(p.tab.Eval(nil, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`, text)))
			if text != "" { // and what it is to cost has its place
				p.wait(`document.querySelector(".composer-note").textContent.includes("$")`)
			}
			p.wait(`document.querySelector(".lane[data-focused=true] .thread").getBoundingClientRect().height >= innerHeight / 2 - 1`)
		}
		p.must(p.tab.Eval(nil, `(e => { e.value = ""; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`))
		if size.w < 800 {
			p.wait(`(([a, b, c]) => Math.abs(a - b) < 6 && Math.abs(b - c) < 6)(["#composer-more", "#composer", "#send"].map(s => { const r = document.querySelector(s).getBoundingClientRect(); return r.y + r.height / 2 }))`)
		}
	}
}

// What goes with a message stands behind one button on a phone, by keyboard too.
func TestTheMenuOfTheComposer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.looks(390, 844, true)
	p.wait(`!document.querySelector("#add-lane").checkVisibility() && !document.querySelector("#new-narrow:not([hidden])")`)
	p.must(p.tab.Eval(nil, `document.querySelector("#composer-more").focus()`))
	p.keys("\r")
	p.wait(`document.querySelector("#add-lane").checkVisibility()`)
	p.keys(kb.Escape)
	p.wait(`!document.querySelector("#add-lane").checkVisibility()`)
	p.tool("#add-lane")
	p.wait(`!document.querySelector("#composer-tools").matches(":popover-open") && document.querySelectorAll(".lane").length === 2`)
	p.keys("zeta\r")
	p.click("#composer")
	p.keys("Hello [[repeat: 10]]\r")
	p.wait(`document.querySelectorAll('.message[data-state="done"]').length === 2`)
	p.click("#new-narrow")
	p.wait(`location.pathname === "/" && !!document.querySelector(".welcome")`)
}

// How the model is to answer is one step away; what was set for one conversation is
// there for the next, until it is let go.
func TestInstructionsAreOneStepAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.click("#instructions")
	p.wait(`document.activeElement.id === "param-system"`)
	p.keys("Answer in two sentences.")
	p.wait(`document.querySelector("#instructions").textContent.includes("Answer in two sentences.")`)
	p.click("#drawer-close")
	p.send("Hello [[repeat: 10]]")
	p.settled()
	p.click("#lane-params")
	p.wait(`document.querySelector("#param-system").value === "Answer in two sentences." && document.querySelector("#lane-params").ariaExpanded === "true"`)
	p.click("#inspector") // the other half of the drawer
	p.wait(`document.querySelector("#tab-request").ariaSelected === "true" && document.querySelector("#lane-params").ariaExpanded === "false"`)
	p.click("#inspector")
	p.wait(`document.querySelector("#drawer").hidden`)
	p.click("#new-conversation")
	p.wait(`document.querySelector("#instructions").textContent.includes("Answer in two sentences.")`)
	p.click("#reset-params")
	p.wait(`document.querySelector("#instructions").textContent.includes("Add instructions") && document.querySelector("#reset-params").hidden`)
}

// The figures under the answers of several lanes stand in columns, which marks do
// not move.
func TestFiguresOfLanesAreAligned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.tool("#add-lane")
	p.keys("beta-4.6\r")
	p.tool("#add-lane")
	p.keys("epsilon-5.6-core\r")
	p.click("#composer")
	p.keys("How does back-pressure keep a stream honest?\r")
	p.wait(`document.querySelectorAll('.message[data-state="done"]').length === 3`)
	p.wait(`document.querySelectorAll(".state .rank:not([hidden])").length >= 2`)
	for _, figure := range []string{"total", "first", "speed", "tokens", "cost"} {
		at := fmt.Sprintf(`[...document.querySelectorAll(".lane")].map(l => { const s = l.querySelector(".state"), e = s.querySelector(".%s"), a = s.getBoundingClientRect(), b = e.getBoundingClientRect(); return Math.round(b.x - a.x) + "," + Math.round(b.y - a.y) })`, figure)
		p.wait(`new Set(` + at + `).size === 1`)
	}
	p.wait(`[...document.querySelectorAll(".state .cost")].every(e => e.textContent.endsWith(" sample")) && document.querySelector(".row .figure").textContent.endsWith(" sample")`)
}

// The drawer is as wide as a person makes it, by mouse or keys, and stays so.
func TestTheDrawerIsDragged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.click("#lane-params")
	const width = `Math.round(document.querySelector("#drawer").getBoundingClientRect().width)`
	before := p.number(width)
	p.must(p.tab.Eval(nil, `document.querySelector("#drawer-edge").focus()`))
	p.keys(kb.ArrowLeft + kb.ArrowLeft)
	p.wait(fmt.Sprintf(`%s >= %.0f`, width, before+32))
	p.must(p.tab.Eval(nil, `(e => { const at = e.getBoundingClientRect(), y = at.y + 100
		const send = (type, x) => e.dispatchEvent(new PointerEvent(type, {bubbles: true, cancelable: true, pointerId: 1, clientX: x, clientY: y}))
		e.setPointerCapture = () => {}
		send("pointerdown", at.x + 4); setTimeout(() => send("pointermove", innerWidth - 600), 50); setTimeout(() => send("pointerup", innerWidth - 600), 150)
	})(document.querySelector("#drawer-edge"))`))
	p.wait(width + ` === 600 && localStorage.getItem("screentest.drawer.width") === "600"`)
	p.reload()
	p.wait(width + ` === 600 && document.querySelector("#drawer-edge").ariaValueNow === "600"`)
}

// An answer is asked of another model from where it stands, and one that was stopped
// is gone on with.
func TestAnotherModelAnswersAndACutAnswerGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.send("Hello [[repeat: 10]]")
	p.settled()
	p.click(".message .again-with")
	p.wait(`document.activeElement?.matches("#picker[open] #picker-search")`)
	p.keys("zeta-1\r")
	p.wait(`document.querySelectorAll('.message[data-role="assistant"]').length === 1 && document.querySelector(".state .asked")?.textContent === "zeta-1"`)
	p.settled()
	p.wait(`document.querySelector(".versions").textContent.includes("2 of 2") && document.querySelector("#model .model-name").textContent === "vendor/model-a"`)

	p.click("#composer")
	p.keys("Tell me about the sea. [[repeat: 4000]]\r")
	p.wait(`document.querySelectorAll(".message .body")[3]?.textContent.length > 50`)
	p.click("#stop")
	p.wait(`!!document.querySelector(".message .continue")`)
	p.click(".message .continue")
	p.wait(`[...document.querySelectorAll('.message[data-role="user"]')].at(-1).textContent.includes("Continue exactly where you stopped")`)
	p.settled()
	p.wait(`document.querySelectorAll('.message[data-role="assistant"]').length === 3 && !document.querySelector(".message .continue")`)
}
