package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// bare opens a tab at an address where the program doesn't run.
func (w *world) bare(url string, scripts bool) *page {
	w.t.Helper()
	tab, err := w.profile.Tab()
	if err != nil {
		w.t.Fatal(err)
	}
	p := &page{w: w, tab: tab, base: w.server.URL}
	w.pages = append(w.pages, p)
	if !scripts {
		p.must(tab.WithoutScripts())
	}
	p.must(tab.Front())
	p.must(tab.Open(url))
	return p
}

// makesShare shares something as the person of a page, and returns the share's id and
// link.
func (p *page) makesShare(body string) (id, link string) {
	p.w.t.Helper()
	var made struct{ ID, Link string }
	got := p.asked("POST", "/api/shares", body)
	if json.Unmarshal([]byte(got), &made) != nil || made.Link == "" {
		p.w.t.Fatalf("sharing: %s", got)
	}
	return made.ID, made.Link
}

const (
	shownLive = `document.getElementById("live")?.textContent === "Live"`
	shownDoc  = `document.getElementById("doc").outerHTML.replace(/ data-html="[^"]*"/g, "")`
)

// Who has a link and nothing else reads an answer while it is given, on a light page
// of ours; who is signed in goes on in a copy; and when it is shared no more, it is
// gone from their screens.
func TestWhatIsShared(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	w.allow = append(w.allow, "status of 404")
	ana := w.tab("/")
	if got := ana.asked("PUT", "/api/instance", `{"link_shares":true}`); strings.HasPrefix(got, "REFUSED") {
		t.Fatal(got)
	}
	benLink := ana.invited("member")
	ana.choose("vendor/model-a")
	ana.send("[[pace: 60]] [[repeat: 400]] Tell me of <b>otters</b>")
	ana.wait(`location.pathname.startsWith("/c/")`)
	conversation := strings.TrimPrefix(ana.text("location.pathname"), "/c/")
	id, link := ana.makesShare(`{"kind":"conversation","id":"` + conversation + `","audience":"link","live":true,"wire":true}`)
	_, named := ana.makesShare(`{"kind":"conversation","id":"` + conversation + `","audience":"everyone","live":true}`)

	var reader, scriptless *page
	w.as(w.stranger(), func() {
		reader = w.bare(link, true)
		reader.wait(shownLive)
		before := reader.number(`document.querySelector(".body").textContent.length`)
		reader.wait(fmt.Sprintf(`document.querySelector(".body").textContent.length > %v`, before))
		if reader.has(".copy") && reader.text(`String(document.querySelector(".copy").checkVisibility())`) == "true" {
			t.Error("who is nobody is offered a copy")
		}
		scriptless = w.bare(link, false)
		if text := scriptless.text(`document.body.innerText`); !strings.Contains(text, "Tell me of <b>otters</b>") || !strings.Contains(text, "vendor/model-a") {
			t.Errorf("without scripts: %s", text)
		}
		reader.must(reader.tab.Front())
		reader.wait(`document.querySelector(".answer").dataset.state === "done"`)
		followed := reader.text(shownDoc)
		reader.must(reader.tab.Reload())
		reader.wait(shownLive)
		if loaded := reader.text(shownDoc); loaded != followed {
			t.Errorf("followed:\n%s\nloaded:\n%s", followed, loaded)
		}
		reader.must(reader.tab.Eval(nil, `document.querySelector("details.exchange").open = true`))
		reader.wait(`document.querySelector("details.exchange pre")?.textContent.includes("data: [DONE]")`)
		t.Logf("the page: %s", reader.text(`(() => {
			const all = [performance.getEntriesByType("navigation")[0], ...performance.getEntriesByType("resource").filter(r => !r.name.includes("/live") && !r.name.includes("/wire/"))];
			return all.length + " requests, " + all.reduce((n, r) => n + r.encodedBodySize, 0) + " bytes: " + all.map(r => r.name.split("/").pop() + " " + r.encodedBodySize).join(", ") + "; text after " +
				Math.round(performance.getEntriesByName("first-contentful-paint")[0]?.startTime) + " ms";
		})()`))
		source := axeCore(t)
		reader.must(reader.tab.Eval(nil, source+"; void 0"))
		for _, dark := range []bool{false, true} {
			for _, size := range [][2]int64{{1440, 900}, {390, 844}} {
				reader.looks(size[0], size[1], dark)
				for _, wrong := range reader.axe() {
					t.Errorf("at %d px, dark %v: %s", size[0], dark, wrong)
				}
				if sideways := reader.number(`document.documentElement.scrollWidth - innerWidth`); sideways > 0 {
					t.Errorf("at %d px the page is %v px too wide", size[0], sideways)
				}
			}
		}
	})

	w.as(w.stranger(), func() {
		ben := w.door(benLink)
		ben.enter("Ben", benMail)
		ben.wait(ready)
		// A link on another site leads there, though the browser keeps the session
		// back at first.
		away := w.bare(strings.Replace(w.server.URL, "localhost", "127.0.0.1", 1)+"/robots.txt", true)
		away.must(away.tab.Eval(nil, fmt.Sprintf(`void setTimeout(() => { location.href = %q })`, named)))
		away.wait(shownLive)
		away.must(away.tab.Eval(nil, `document.querySelector(".copy").click()`))
		away.wait(`location.pathname.startsWith("/c/")`)
		if copied := away.text("location.pathname"); copied == "/c/"+conversation {
			t.Error("the copy is the original")
		}
		away.wait(`document.body.innerText.includes("otters")`)
	})

	if got := ana.asked("DELETE", "/api/shares/"+id, ""); strings.HasPrefix(got, "REFUSED") {
		t.Fatal(got)
	}
	reader.wait(`document.querySelector("h1").textContent === "This is not shared any more"`)
	if left := reader.text(`document.documentElement.outerHTML`); strings.Contains(left, "otters") || strings.Contains(left, "Ana") {
		t.Errorf("what is left: %s", left)
	}
	reader.must(reader.tab.Reload())
	reader.wait(`document.querySelector("h1").textContent === "Nothing is shared here"`)
}
