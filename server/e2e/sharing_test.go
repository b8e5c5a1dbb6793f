package e2e

import (
	"strings"
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
	p.wait(`!!document.querySelector("#share[open] #share-form") && !document.querySelector("#share-audience-people").disabled`)
}
