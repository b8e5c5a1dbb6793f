package e2e

import "testing"

// reaches presses Tab until what a selector names has the focus.
func (p *page) reaches(selector string) {
	p.w.t.Helper()
	for range 60 {
		if p.number(`document.activeElement.matches("`+selector+`") ? 1 : 0`) == 1 {
			return
		}
		p.keys("\t")
	}
	p.w.t.Fatalf("Tab doesn't lead to %s, but to %s", selector, p.text(`document.activeElement.outerHTML`))
}

// Shared with one person, seen in the list and ended, by the keyboard alone; the
// focus never gets lost.
func TestSharingByTheKeyboard(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ann := w.tab("/")
	bob := w.join(ann.invited("member"), "Bob Marsh", "bob@example.com")
	bob.front().open("/shared")
	bob.wait(`!!document.querySelector("#shared-none")`)
	ann.front().send("Tell me about the harbour.")
	ann.settled()

	ann.must(ann.tab.Eval(nil, `document.querySelector("#composer-text, textarea").blur(); true`))
	ann.reaches("#more-button")
	ann.keys("\r")
	ann.wait(`document.querySelector("#more").matches(":popover-open")`)
	ann.reaches("#share-conversation")
	ann.keys("\r")
	ann.wait(`document.activeElement.id === "share-people-filter"`)
	ann.keys("bob\r")
	ann.wait(`document.querySelector("#share-picked .chip")?.innerText.includes("Bob Marsh")`)
	ann.reaches("#share-go")
	ann.keys("\r")
	ann.wait(`document.activeElement.id === "share-copy"`)
	bob.front().wait(sharedTitles + `.includes("harbour")`)

	ann.front().reaches("#share-list [id^=stop-]")
	ann.keys("\r")
	ann.wait(`document.activeElement.id.startsWith("end-")`)
	ann.keys("\r")
	ann.wait(`!document.querySelector("#share-list li") && !!document.activeElement.closest("dialog#share")`)
	bob.front().wait(`!!document.querySelector("#shared-none")`)
	ann.front().keys("\x1b")
	ann.wait(`!document.querySelector("dialog[open]") && document.activeElement.id === "more-button"`)
}
