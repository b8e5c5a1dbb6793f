package e2e

import "testing"

// The dialog that shares something, and the page of what is shared, with
// something on them.
func TestAxeFindsNothingInSharing(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w := newTeam(t, "")
	ann := w.tab("/")
	bob := w.join(ann.invited("member"), "Benedicta Olatunji-Featherstonehaugh", "bob@example.com")
	w.join(ann.invited("member"), "Cleo", "cleo@example.com").tab.Close()
	ann.must(ann.tab.Front())
	ann.asked("PUT", "/api/instance", `{"link_shares":true}`)
	ann.team("Research and development of lighthouses", `["*"]`)
	ann.open("/")
	ann.send("Write about the harbour.")
	ann.settled()
	conversation := ann.path()
	ann.shares(conversation, `audience: "everyone", live: true, wire: true, hours: 24`)
	ann.shares(conversation, `audience: "link", live: false, wire: false`)
	bob.must(bob.tab.Front())
	bob.open("/")
	bob.send("A tide table for a boat.")
	bob.settled()
	bob.shares(bob.path(), `audience: "everyone", live: true, wire: false`)
	ann.must(ann.tab.Front())

	escape := func(p *page) {
		if p.has("#share-list [id^=end-]") { // it asks, and Escape leaves that alone first
			p.keys("\x1b")
			p.wait(`!document.querySelector("#share-list [id^=end-]")`)
		}
		p.keys("\x1b")
		p.wait(`!document.querySelector("dialog[open]")`)
	}
	views := []axeView{
		{name: "the dialog", path: conversation, wait: `!!document.querySelector("#shared-mark")`,
			do: func(p *page) {
				p.openSharing()
				p.click("#share-go")
				p.wait(`!!document.querySelector("#share-to-wrong:not([hidden])")`)
			}, undo: escape},
		{name: "the dialog, a team, until a day", path: conversation, wait: `!!document.querySelector("#shared-mark")`,
			do: func(p *page) {
				p.openSharing()
				p.click("#share-audience-team")
				p.wait(`!!document.querySelector("#share-team")`)
				p.chooses("#share-ends", "date")
				p.wait(`!!document.querySelector("#share-date")`)
				p.click("#share-list [id^=stop-]")
				p.wait(`!!document.querySelector("#share-list [id^=end-]")`)
			}, undo: escape},
		{name: "the dialog, a link", path: conversation, wait: `!!document.querySelector("#shared-mark")`,
			do: func(p *page) {
				p.openSharing()
				p.click("#share-audience-link")
				p.wait(`document.querySelector("#share-go").innerText === "Make a link"`)
				p.click("#share-go")
				p.wait(`!!document.querySelector("#share-link")`)
			}, undo: escape},
		{name: "shared with me", path: "/shared", wait: `!!document.querySelector("#shared-table tbody tr")`},
		{name: "shared by me", path: "/shared?by=me", wait: `document.querySelectorAll("#shared-table tbody tr").length > 1`,
			do: func(p *page) {
				p.click("#shared-table [id^=stop-]")
				p.wait(`!!document.querySelector("#shared-table [id^=end-]")`)
			}},
		{name: "nothing is shared like that", path: "/shared", wait: `!!document.querySelector("#shared-table tbody tr")`,
			do: func(p *page) {
				p.fill("#shared-search", "no such thing")
				p.wait(`!!document.querySelector("#shared-all")`)
			}},
	}
	ann.axeFindsNothing(source, views)

	// Nothing of it is wider than a narrow phone.
	for _, v := range views {
		ann.looks(320, 640, true)
		ann.open(v.path)
		ann.wait(v.wait)
		if v.do != nil {
			v.do(ann)
		}
		if bad := ann.text(sideways); bad != "" {
			t.Errorf("%s, 320 px wide: %s", v.name, bad)
		}
		if v.undo != nil {
			v.undo(ann)
		}
	}
}
