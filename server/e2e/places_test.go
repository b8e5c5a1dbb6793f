package e2e

import (
	"fmt"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// Back from another page is back at the place that was read: it was the
// conversation's end.
func TestBackIsBackAtTheSamePlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, ids := exported(t, "A long one", 600)
	opened := w.importFile(file)
	p := w.tab("/c/" + opened.Open)
	p.wait(inView(ids[599]))
	p.must(p.tab.Eval(nil, `window.atEnd = () => { const t = document.querySelector("#thread"); return !!t && t.scrollHeight - t.clientHeight - t.scrollTop < 30 }; true`))
	p.wait(`atEnd()`)

	elsewhere := func() {
		t.Helper()
		p.click(`.rail a[href="/settings"]`)
		p.wait(`location.pathname === "/settings" && !document.querySelector("#thread")`)
	}
	elsewhere()
	p.must(p.tab.Back())
	p.wait(`!!document.querySelector("#thread") && atEnd()`)

	// In the middle of a message further up.
	p.scrolled(-6000)
	p.must(p.tab.Eval(nil, `document.fonts.ready`))
	p.reads()
	elsewhere()
	p.must(p.tab.Back())
	p.wait(`Math.abs(place() - before) < 3`)
	// And it stays there when all of it is drawn.
	p.must(p.tab.Eval(nil, `new Promise(r => setTimeout(r, 300))`))
	if off := p.number(`place() - before`); off > 3 || off < -3 {
		t.Errorf("%.0f px from where it was", off)
	}
	if p.has(`#jump[hidden]`) {
		t.Error("the way to the end is not offered")
	}
	// From here it scrolls as ever, to the end by the first scroll.
	p.scrolled(-400)
	p.reads()
	elsewhere()
	p.must(p.tab.Back())
	p.wait(`Math.abs(place() - before) < 3`)
	p.must(p.tab.Eval(nil, `(t => { t.scrollTop = t.scrollHeight })(document.querySelector("#thread"))`))
	p.wait(`!!document.querySelector("#jump[hidden]") && atEnd()`)

	// Another conversation begins at its end, and so does this one after it.
	p.click("#new-conversation")
	p.wait(`location.pathname === "/"`)
	p.send("[[repeat: 300]] another")
	p.settled()
	other := p.path()
	p.wait(`atEnd()`)
	p.click(fmt.Sprintf(`.conversation[href="/c/%s"]`, opened.Open))
	p.wait(inView(ids[599]))
	p.wait(`atEnd()`)
	p.must(p.tab.Back())
	p.wait(fmt.Sprintf(`location.pathname === %q && atEnd()`, other))

	// A message's address leads to it, from the other page too.
	p.click(fmt.Sprintf(`.conversation[href="/c/%s"]`, opened.Open))
	p.wait(inView(ids[599]))
	p.scrolled(-3000)
	elsewhere()
	p.follow("/c/" + opened.Open + "?m=" + ids[200])
	p.wait(inView(ids[200]))

	// Back to it is back to where one read on from there.
	p.scrolled(2500)
	p.reads()
	if p.text(`String(`+inView(ids[200])+`)`) == "true" {
		t.Fatal("the message is still in view")
	}
	elsewhere()
	p.must(p.tab.Back())
	p.wait(`Math.abs(place() - before) < 3`)
	p.must(p.tab.Eval(nil, `new Promise(r => setTimeout(r, 300))`))
	if off := p.number(`place() - before`); off > 3 || off < -3 {
		t.Errorf("%.0f px from where it was read on", off)
	}
	// A link leads to it again.
	elsewhere()
	p.follow("/c/" + opened.Open + "?m=" + ids[200])
	p.wait(inView(ids[200]))
}

// reads waits until all that is in view is drawn, and notes what stands at the
// top: place() - before is then how far it has moved, in px.
func (p *page) reads() {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, `(async () => {
		const t = document.querySelector("#thread").getBoundingClientRect();
		window.place = () => { const e = document.querySelector('.message[data-id="' + window.read + '"]'); return e ? e.getBoundingClientRect().top : 1e6 };
		for (let still = 0; still < 30; still++) { // until all that is in view is drawn
			await new Promise(requestAnimationFrame);
			const e = [...document.querySelectorAll(".message")].find(e => e.getBoundingClientRect().bottom > t.top);
			if (!e) { still = 0; continue }
			if (window.read !== e.dataset.id || window.before !== place()) still = 0;
			window.read = e.dataset.id; window.before = place();
		}
	})()`))
}

// follow clicks a link to an address, as one in an answer is.
func (p *page) follow(address string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`(() => { const a = document.createElement("a"); a.href = %q; document.body.append(a); a.click(); a.remove() })()`, address)))
	p.wait(fmt.Sprintf(`location.pathname + location.search === %q`, address))
}

// Escape closes the menu that is open and nothing else: an answer goes on.
func TestEscapeClosesTheMenuAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.underWay(func() bool {
		p.grown(20)
		p.click("#more-button")
		p.wait(`document.querySelector("#more").matches(":popover-open")`)
		p.keys("\x1b")
		p.wait(`!document.querySelector("#more").matches(":popover-open")`)
		p.must(p.tab.Eval(nil, `new Promise(r => setTimeout(r, 200))`))
		if state := p.text(last + `.dataset.state`); state == "stopped" {
			t.Fatal("closing the menu has stopped the answer")
		}
		if !p.has("#stop:not([hidden]):not(:disabled)") {
			return false
		}
		p.keys("\x1b")
		return p.settled() == "stopped"
	})
}

// A phone that is turned while its list is open is not left with a page that
// takes no click.
func TestListOpenOnAPhoneThatIsTurned(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.must(p.tab.Look(390, 844, false))
	p.click("#menu")
	p.wait(`document.querySelector("#main").inert`)
	p.must(p.tab.Look(1100, 600, false))
	p.wait(`!document.querySelector("#main").inert && !document.querySelector("#app").dataset.list`)
	p.click(composer)
	p.keys("it takes keys")
	p.wait(`document.querySelector("#composer").value === "it takes keys"`)
}

// A search in one conversation follows to the next one, and ends where there is
// none.
func TestSearchInThisConversationMeansTheOneShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.send("[[repeat: 110]] a quokka first")
	p.settled()
	first := p.path()
	p.click("#new-conversation")
	p.wait(`location.pathname === "/"`)
	p.send("[[repeat: 110]] a quokka second")
	p.settled()
	second := p.path()

	p.search("quokka")
	p.wait(hits + `.length === 2`)
	p.click("#filters")
	p.click("#search-here")
	p.wait(hits + `.length === 1 && ` + hits + `[0].textContent.includes("second")`)
	p.click("#thread")
	p.must(p.tab.Back())
	p.wait(`location.pathname === "/"`)
	p.wait(hits + `.length === 2 && !document.querySelector("#search-here").checked`)
	p.follow(first)
	p.click("#search-here")
	p.wait(hits + `.length === 1 && ` + hits + `[0].textContent.includes("first")`)
	p.follow(second)
	p.wait(hits + `.length === 1 && ` + hits + `[0].textContent.includes("second")`)
}

// What was deleted elsewhere while this tab was offline is neither listed nor
// written in any more, and what was being written is not lost.
func TestDeletedWhileThisTabWasOffline(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	line, err := rig.NewLine(w.server.Host())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(line.Close)
	w.allow = append(w.allow, away...)
	p := w.tabAt(line.URL(), "/")
	var paths []string
	for _, prompt := range []string{"one that stays", "one that goes", "the one shown"} {
		p.click("#new-conversation")
		p.wait(`location.pathname === "/"`)
		p.send("[[repeat: 20]] " + prompt)
		p.settled()
		paths = append(paths, p.path())
	}
	p.wait(`document.querySelectorAll(".conversation").length === 3`)
	line.Cut()
	p.wait(`document.querySelector("#link").textContent.trim() !== ""`)
	p.click(composer)
	p.keys("half a question")
	c, err := wiretest.Dial(t.Context(), w.server.URL, wiretest.NewHTTP())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, path := range paths[1:] {
		if err := c.Call(t.Context(), wire.OpDelete, wire.Target{ID: strings.TrimPrefix(path, "/c/")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	line.Mend()
	p.wait(`document.querySelectorAll(".conversation").length === 1`)
	p.wait(`document.querySelector("#title").textContent === "Not found" && !document.querySelector("#composer").checkVisibility()`)
	p.click("#thread a.primary")
	p.wait(`location.pathname === "/" && document.querySelector("#composer").value === "half a question"`)
	p.click(`.conversation`)
	p.wait(fmt.Sprintf(`location.pathname === %q && !!%s`, paths[0], last))
}

// The models chosen for a conversation that has yet to begin are still chosen
// after a reload, and the next one begins with a single one again.
func TestLanesOfANewConversationOutliveAReload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.compare("vendor/model-b", "zeta-1")
	p.tool("#blind")
	p.wait(`document.querySelector("#blind").getAttribute("aria-pressed") === "true"`)
	p.reload()
	const models = `[...document.querySelectorAll(".lane .model-name")].map(e => e.textContent).join()`
	p.wait(models + ` === "vendor/model-b,zeta-1" && document.querySelector("#blind").getAttribute("aria-pressed") === "true"`)
	p.tool("#blind")
	p.sendAll("[[repeat: 20]] hello")
	p.allSettled()
	p.click("#new-conversation")
	p.wait(`location.pathname === "/" && document.querySelectorAll(".lane").length === 1`)
	p.reload()
	p.wait(`document.querySelectorAll(".lane").length === 1`)
}

// On a phone the lane that is not shown has its place, too: it came back blank.
func TestBackKeepsThePlaceOfTheLaneThatIsNotShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	file, ids := exported(t, "A long one", 200)
	opened := w.importFile(file)
	p := w.tab("/c/" + opened.Open)
	p.wait(inView(ids[199]))
	p.addLane("vendor/model-b")
	p.keys("\x1b")
	p.must(p.tab.Look(390, 844, false))
	p.click("#lane-tab-0")
	p.wait(`document.querySelector("#thread").checkVisibility() && !document.querySelector("#thread-1").checkVisibility()`)
	p.scrolled(-6000)
	p.reads()
	p.click("#lane-tab-1")
	p.wait(`!document.querySelector("#thread").checkVisibility()`)
	p.follow("/settings")
	p.wait(`!document.querySelector("#thread")`)
	p.must(p.tab.Back())
	p.wait(`!!document.querySelector("#thread-1")?.checkVisibility()`)
	p.click("#lane-tab-0")
	p.wait(`document.querySelector("#thread").checkVisibility() && Math.abs(place() - before) < 40`)
	p.must(p.tab.Eval(nil, `new Promise(r => setTimeout(r, 300))`))
	if off := p.number(`place() - before`); off > 40 || off < -40 {
		t.Errorf("%.0f px from where it was", off)
	}
}
