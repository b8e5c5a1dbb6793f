package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// What somebody shares is found by who sees it, marked, and by nobody else. One lane of
// it is gone on with, and who goes on pays.
func TestWhatIsSharedIsFoundAndGoneOnWith(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ann := w.tab("/")
	bob := w.join(ann.invited("member"), "Bob Marsh", "bob@example.com")
	cleo := w.join(ann.invited("member"), "Cleo Tan", "cleo@example.com")
	ann.front().compare("vendor/model-a", "vendor/model-b")
	ann.sendAll("Tell me of the lighthouse.")
	ann.allSettled()
	id := bob.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
	link := strings.TrimPrefix(ann.shares(ann.path(), fmt.Sprintf(`audience: "people", to: [%q], live: true`, id)), ann.base)

	for _, p := range []*page{bob, cleo} {
		p.front().open("/")
		p.search("lighthouse")
	}
	bob.front().wait(hits + `.length > 0 && ` + hits + `.every(h => h.textContent.includes("Shared by Ana Lima"))`)
	cleo.front().wait(`document.querySelector("#hits")?.getAttribute("aria-busy") !== "true" && !!document.querySelector("#hits-count")`)
	if n := cleo.text(`String(` + hits + `.length)`); n != "0" {
		t.Errorf("Cleo finds %s", n)
	}

	// It opens where it was said.
	bob.front().click(`#hits .hit[href^="` + link + `"]`)
	bob.wait(fmt.Sprintf(`location.pathname === %q && document.querySelector("#main")?.innerText.includes("lighthouse")`, link))
	bob.click(`button[data-lane="1"]`)
	bob.wait(`location.pathname.startsWith("/c/") && ` + ready)
	bob.wait(`document.querySelector("#copied-from")?.innerText.includes("by Ana Lima")`)
	if n := bob.count(".message"); n != 2 {
		t.Errorf("the copy of one lane has %d messages", n)
	}
	before := ann.text(rowsOfLedger)
	bob.send("And the keeper?")
	if state := bob.settled(); state != "done" {
		t.Errorf("going on: %s", state)
	}
	if n := bob.text(rowsOfLedger); n != "1" {
		t.Errorf("Bob's ledger has %s rows", n)
	}
	if model := bob.text(`fetch("/api/ledger.json").then(r => r.json()).then(all => all[0].model)`); model != "vendor/model-b" {
		t.Errorf("Bob paid for %s", model)
	}
	if after := ann.text(rowsOfLedger); before != "2" || after != "2" {
		t.Errorf("Ann's ledger had %s rows and has %s", before, after)
	}

	// What is shared no more isn't found.
	ann.front().asked("DELETE", "/api/shares/"+strings.TrimPrefix(link, "/s/"), "")
	bob.front().open("/")
	bob.search("lighthouse")
	bob.wait(hits + `.length > 0 && !` + hits + `.some(h => h.textContent.includes("Shared by"))`)
}

// rowsOfLedger is how many rows one's own ledger has, as text.
const rowsOfLedger = `fetch("/api/ledger.json").then(r => r.json()).then(all => String(all.length))`
