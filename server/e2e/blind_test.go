package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// Which model says what is nowhere on the page until the vote, also after a
// reload; then it is told, and stays so.
func TestBlindUntilTheVote(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	models := []string{"vendor/model-a", "zeta-1", "vendor/beta-4.6"}
	p.compare(models...)
	for _, want := range []string{"true", "false", "true"} {
		p.tool("#blind")
		p.wait(fmt.Sprintf(`document.querySelector("#blind").getAttribute("aria-pressed") === %q`, want))
		// Under the pointer too it is to be seen.
		p.wait(fmt.Sprintf(`(b => {
			const like = b.cloneNode();
			like.removeAttribute("id");
			like.setAttribute("aria-pressed", "true");
			b.after(like);
			const look = e => (e.getAnimations().forEach(a => a.finish()), getComputedStyle(e).backgroundColor), on = look(like) === look(b);
			like.remove();
			return b.matches(":hover") && on === %s;
		})(document.querySelector("#blind"))`, want))
	}
	p.sendAll("[[repeat: 150]] hello")

	nameless := func(when string) {
		t.Helper()
		// The list of all models that a search can be narrowed to tells nothing.
		page := p.text(`(() => {
			const page = document.documentElement.cloneNode(true);
			page.querySelector("#search-model")?.remove();
			return page.outerHTML;
		})()`)
		for _, m := range models {
			if strings.Contains(page, m) {
				at := strings.Index(page, m)
				t.Errorf("%s: %s is on the page: %q", when, m, page[max(0, at-120):at+40])
			}
		}
	}
	nameless("while it streams")
	if open := p.text(`(v => v && (v.disabled || document.querySelector("#stop").hidden) ? "" : v?.outerHTML ?? "there is no vote")(document.querySelector("#vote-A"))`); open != "" {
		t.Errorf("one can vote before the answers have ended: %s", open)
	}
	p.allSettled()
	nameless("when all have ended")
	p.click("#inspector")
	for _, tab := range []string{"params", "request", "wire"} {
		p.click("#tab-" + tab)
		p.wait(fmt.Sprintf(`document.querySelector("#tab-%s").getAttribute("aria-selected") === "true" && document.querySelector("#drawer").textContent.includes("after your vote")`, tab))
		nameless("in the drawer's tab " + tab)
	}
	p.click("#drawer-close")
	p.palette("hello")
	p.wait(`!!document.querySelector('#palette [aria-label="In messages"] mark') && !!document.querySelector('#palette [aria-label="Conversations"]')`)
	nameless("in the palette")
	p.keys("\x1b")
	p.wait(`!document.querySelector("dialog[open]")`)
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	p.keys("ml") // choose the model, compare with another: not now
	p.search(strings.Fields(p.text(inLane(0) + `.querySelector(".body").textContent`))[0])
	p.wait(hits + `.length > 0`)
	nameless("among what was found")
	if n := p.count(".lane"); n != 3 || p.has("dialog[open]") {
		t.Errorf("keys lead to the models: %d lanes", n)
	}
	p.click("#search-clear")
	// Opened elsewhere, the list tells nothing either.
	const listed = `document.querySelector(".row-models")?.textContent`
	other := w.tab("/")
	other.wait(listed + ` === "blind comparison"`)
	p.must(p.tab.Front())
	p.wait(`document.querySelectorAll(".lane").length === 3 && !!document.querySelector("#vote-B:not([disabled])")`)
	nameless("after a reload")

	p.click("#vote-B")
	p.wait(`document.querySelectorAll(".model-name").length === 3`)
	second := p.text(`document.querySelector("#model-1 .model-name").textContent`)
	p.wait(fmt.Sprintf(`document.querySelector("#ballot").textContent.includes("B, which is %s")`, second))
	p.wait(inLane(1) + `.querySelector(".rank:not([hidden])")?.textContent === "your vote"`)

	other.must(other.tab.Front())
	other.wait(listed + ` === "3 models"`)
	p.must(p.tab.Front())
	o := w.opened(p)
	if len(o.Votes) != 1 || o.Lanes == nil || o.Lanes.Blind {
		t.Fatalf("stored %+v, lanes %+v", o.Votes, o.Lanes)
	}
	for _, m := range o.Messages {
		if m.ID == o.Votes[0].Winner && m.Run.Model != second {
			t.Errorf("the vote is for %s, the page says %s", m.Run.Model, second)
		}
	}
	p.reload()
	p.wait(`document.querySelectorAll(".model-name").length === 3`)
	p.wait(`document.querySelector("#ballot").textContent.includes("You voted for B")`)
}
