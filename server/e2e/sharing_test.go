package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// shares shares the conversation or the clip of a page's address, and returns the
// link.
func (p *page) shares(path, how string) string {
	p.w.t.Helper()
	kind, id := "conversation", strings.TrimPrefix(path, "/c/")
	if rest, is := strings.CutPrefix(path, "/video/"); is {
		kind, id = "clip", rest
	}
	link := p.text(`fetch("/api/shares", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({kind: "` + kind + `", id: "` + id + `", ` + how + `})}).then(r => r.json()).then(s => s.link ?? JSON.stringify(s))`)
	if !strings.Contains(link, "/s/") {
		p.w.t.Fatalf("sharing %s: %s", path, link)
	}
	return link
}

// openSharing opens the dialog for the conversation that is shown.
func (p *page) openSharing() {
	p.w.t.Helper()
	p.click("#more-button")
	p.wait(`document.querySelector("#more").matches(":popover-open")`)
	p.click("#share-conversation")
	p.wait(`!!document.querySelector("#share[open] #share-form") && document.activeElement.id === "share-people-filter"`)
}

// sharedWith are the titles on the page of what is shared with somebody.
const sharedTitles = `[...document.querySelectorAll("#shared-table .who a")].map(a => a.innerText).join(" | ")`

// front shows a page of several people's.
func (p *page) front() *page {
	p.w.t.Helper()
	p.must(p.tab.Front())
	return p
}

// Three people in three browsers: who is shown something has it in their list
// without loading it again, nobody else does, and all of it ends at once.
func TestPeopleShareAConversation(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	w.allow = append(w.allow, "status of 404")
	ann := w.tab("/")
	bob := w.join(ann.invited("member"), "Bob Marsh", "bob@example.com")
	cleo := w.join(ann.invited("member"), "Cleo Tan", "cleo@example.com")
	for _, p := range []*page{bob, cleo} {
		p.front().open("/shared")
		p.wait(`!!document.querySelector("#shared-none")`)
	}
	ann.front()
	ann.send("Tell me about the harbour.")
	ann.settled()
	conversation := ann.path()

	// By name.
	ann.openSharing()
	if ann.has("#share-audience-team") || ann.has("#share-audience-link") || !ann.has("#share-no-links") {
		t.Error("of teams is spoken though there is one alone, or a link is offered")
	}
	ann.keys("bob\r")
	ann.wait(`document.querySelector("#share-picked .chip")?.innerText.includes("Bob Marsh")`)
	ann.keys("\r") // nothing is typed: nobody more
	ann.click("#share-go")
	ann.wait(`!!document.querySelector("#share-link")`)
	link, is := strings.CutPrefix(ann.text(`document.querySelector("#share-link").value`), ann.base)
	if !is {
		t.Fatalf("the link is %s", link)
	}
	ann.wait(`document.querySelector("#share-list .share-names")?.innerText === "Bob Marsh"`)
	ann.keys("\x1b")
	ann.wait(`!document.querySelector("dialog[open]") && document.querySelector("#shared-mark")?.innerText === "Shared with Bob Marsh"`)
	bob.front().wait(sharedTitles + `.includes("harbour")`)
	if cleo.front().count("#shared-table tr") != 0 {
		t.Error("Cleo has it too")
	}

	// Bob opens it, and goes on in a copy that is his.
	bob.front().click("#shared-table .who a")
	bob.wait(fmt.Sprintf(`location.pathname === %q && document.querySelector("#main")?.innerText.includes("harbour")`, link))
	bob.must(bob.tab.Back())
	bob.wait(`location.pathname === "/shared" && ` + sharedTitles + `.includes("harbour")`)
	bob.must(bob.tab.Forward())
	bob.wait(fmt.Sprintf(`location.pathname === %q && !!document.querySelector("#main button[data-message]")`, link))
	bob.click("button[data-message]")
	bob.wait(`location.pathname.startsWith("/c/") && ` + ready)
	bob.wait(`document.querySelector("#copied-from")?.innerText.includes("by Ana Lima")`)
	if path := bob.path(); path == conversation {
		t.Error("the copy is the original")
	}
	if got := bob.text(`document.querySelector("#copied-from a").getAttribute("href")`); got != link {
		t.Errorf("it comes from %s, and is shared at %s", got, link)
	}
	bob.send("And the boats?")
	if state := bob.settled(); state != "done" {
		t.Errorf("going on: %s", state)
	}
	if n := ann.front().count(".message"); n != 2 {
		t.Errorf("Ann's has %d messages", n)
	}

	// With everybody.
	ann.click("#shared-mark")
	ann.wait(`!!document.querySelector("#share[open] #share-form")`)
	ann.click("#share-audience-everyone")
	ann.wait(`document.querySelector("#share-go").innerText === "Share with everyone here"`)
	ann.click("#share-go")
	ann.wait(`document.querySelectorAll("#share-list li").length === 2`)
	cleo.front().wait(sharedTitles + `.includes("harbour")`)

	// And it ends: in the list at once, and where it is being read.
	cleo.click("#shared-table .who a")
	cleo.wait(`location.pathname.startsWith("/s/") && document.querySelector("#main").innerText.includes("harbour")`)
	ann.front().click("#share-list [id^=stop-]") // the newest first
	ann.wait(`document.activeElement.id.startsWith("end-")`)
	ann.keys("\r")
	ann.wait(`document.querySelectorAll("#share-list li").length === 1`)
	cleo.front().wait(`document.querySelector("h1")?.innerText === "This is not shared any more" && !document.body.innerText.includes("harbour")`)
	cleo.open("/shared")
	cleo.wait(`!!document.querySelector("#shared-none")`)

	// With a team, as soon as there is a second one.
	cleos := cleo.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
	lab := ann.front().team("Lab", "[]")
	ann.asked("PUT", "/api/teams/"+lab+"/people/"+cleos, `{}`)
	ann.open(conversation)
	ann.wait(`!!document.querySelector("#shared-mark")`)
	ann.openSharing()
	ann.click("#share-audience-team")
	ann.wait(`document.querySelector("#share-team")?.selectedOptions[0].innerText === "Lab"`)
	ann.click("#share-go")
	ann.wait(`document.querySelectorAll("#share-list li").length === 2`)
	cleo.front().wait(sharedTitles + `.includes("harbour")`)
	ann.front().asked("DELETE", "/api/teams/"+lab+"/people/"+cleos, "")
	cleo.front().wait(`!!document.querySelector("#shared-none")`)

	// By link, when an admin allows it. It is shown once.
	ann.front().keys("\x1b")
	ann.asked("PUT", "/api/instance", `{"link_shares":true}`)
	ann.wait(`!document.querySelector("dialog[open]")`)
	ann.openSharing()
	ann.wait(`!!document.querySelector("#share-audience-link")`)
	ann.click("#share-audience-link")
	ann.wait(`document.querySelector("#share-go").innerText === "Make a link"`)
	ann.click("#share-go")
	ann.wait(`!!document.querySelector("#share-link")`)
	open := strings.TrimPrefix(ann.text(`document.querySelector("#share-link").value`), ann.base)
	ann.keys("\x1b")
	ann.wait(`!document.querySelector("dialog[open]")`)
	ann.openSharing()
	if held := ann.text(`document.documentElement.outerHTML`); strings.Contains(held, strings.TrimPrefix(open, "/s/")) {
		t.Error("the link is still on the page")
	}
	ann.keys("\x1b")
	stranger, err := w.stranger().Tab()
	ann.must(err)
	s := &page{w: w, tab: stranger, base: w.server.URL}
	w.pages = append(w.pages, s)
	s.must(s.tab.Open(s.base + open))
	s.wait(`document.querySelector("#main")?.innerText.includes("harbour")`)
	if s.has("button[data-message]") && s.text(`String(document.querySelector("button[data-message]").checkVisibility())`) == "true" {
		t.Error("who is not signed in may go on in a copy")
	}

	// What Ann shares stands in one list, and ends there.
	ann.front().open("/shared?by=me")
	ann.wait(`document.querySelectorAll("#shared-table tbody tr").length === 3`)
	ann.fill("#shared-search", "bob")
	ann.wait(`document.querySelectorAll("#shared-table tbody tr").length === 1`)
	ann.click("#shared-table [id^=stop-]")
	ann.wait(`document.activeElement.id.startsWith("end-")`)
	ann.keys("\x1b") // it asks; Escape leaves it
	ann.wait(`document.activeElement.id.startsWith("stop-")`)
	ann.keys("\r")
	ann.wait(`document.activeElement.id.startsWith("end-")`)
	ann.keys("\r")
	ann.wait(`!document.querySelector("#shared-table")`)
	bob.front().open("/shared")
	bob.wait(`!!document.querySelector("#shared-none")`)
}

// The settings of a clip that is shared fill another's form, and what is made with
// them says whose they were.
func TestTheSettingsOfASharedClipAreUsed(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ann := w.tab("/video")
	bob := w.join(ann.invited("member"), "Bob Marsh", "bob@example.com")
	makes := func(p *page) string {
		p.click("#create")
		p.wait(newestCard + `?.dataset.state === "done"`)
		return p.text(newestCard + ".dataset.id")
	}
	ann.front().fill("#f-prompt", "A boat in the fog")
	id := makes(ann)
	ann.open("/video/" + id)
	ann.wait(`!!document.querySelector("#clip-share")`)
	ann.press("#clip-share")
	ann.wait(`document.activeElement.id === "share-people-filter"`)
	ann.click("#share-audience-everyone")
	ann.wait(`document.querySelector("#share-go").innerText === "Share with everyone here"`)
	ann.click("#share-go")
	ann.wait(`document.activeElement.id === "share-copy"`)
	ann.keys("\x1b")
	ann.wait(`!document.querySelector("dialog[open]") && document.querySelector("#clip-shared")?.innerText === "Shared with everybody here"`)

	bob.front()
	share := bob.text(`fetch("/api/shares").then(r => r.json()).then(s => s.with_me[0].id)`)
	bob.open("/video?reuse=" + share)
	bob.wait(`document.querySelector("#form-after")?.innerText === "After “A boat in the fog” by Ana Lima" && document.querySelector("#f-prompt").value === "A boat in the fog"`)
	if at := bob.text("location.pathname + location.search"); at != "/video" {
		t.Errorf("it is done again at %s", at)
	}
	mine := makes(bob)
	bob.open("/video/" + mine)
	bob.wait(`document.querySelector("#clip-copied")?.innerText === "After “A boat in the fog” by Ana Lima"`)
	if got := bob.text(`document.querySelector("#clip-copied a").getAttribute("href")`); got != "/s/"+share {
		t.Errorf("it leads to %s", got)
	}
}

// Who is deactivated shows nothing: it ends where it is read and listed, and comes
// back with them.
func TestADeactivatedPersonsShares(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	w.allow = append(w.allow, "status of 404", "status of 401")
	ann := w.tab("/")
	bob := w.join(ann.invited("member"), "Bob Marsh", "bob@example.com")
	cleo := w.join(ann.invited("member"), "Cleo Tan", "cleo@example.com")
	bob.front().send("Tell me about the harbour.")
	bob.settled()
	bobs := bob.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
	link := bob.shares(bob.path(), `audience: "everyone", live: true`)
	cleo.front().open("/shared")
	cleo.wait(sharedTitles + `.includes("harbour")`)
	dora := w.join(ann.invited("member"), "Dora Voss", "dora@example.com")
	dora.must(dora.tab.Open(link))
	dora.wait(`document.querySelector("#main")?.innerText.includes("harbour")`)

	ann.front().asked("PATCH", "/api/people/"+bobs, `{"active":false}`)
	dora.front().wait(`document.querySelector("h1")?.innerText === "This is not shared any more" && !document.body.innerText.includes("harbour")`)
	cleo.front().wait(`!!document.querySelector("#shared-none")`)

	ann.front().asked("PATCH", "/api/people/"+bobs, `{"active":true}`)
	cleo.front().wait(sharedTitles + `.includes("harbour")`)
	cleo.click("#shared-table .who a")
	cleo.wait(`document.querySelector("#main")?.innerText.includes("harbour")`)

	// Nor does Back bring it again.
	cleo.open("/shared")
	ann.front().asked("PATCH", "/api/people/"+bobs, `{"active":false}`)
	cleo.front().wait(`!!document.querySelector("#shared-none")`)
	cleo.must(cleo.tab.Back())
	cleo.wait(`location.pathname.startsWith("/s/") && !!document.querySelector("h1") && !document.body.innerText.includes("harbour")`)
}
