package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// counting notes all that a page asks for and draws, before its program runs.
const counting = `(() => {
	const asked = window.asked = {frames: 0, timers: 0, changes: 0, said: []}
	const note = (what, was) => { if (asked.said.length < 20) asked.said.push(what + (was ? " " + was : "")) }
	for (const [name, what] of [["requestAnimationFrame", "frames"], ["setTimeout", "timers"], ["setInterval", "timers"]]) {
		const f = window[name]
		window[name] = function (...args) { asked[what]++; note(name, what === "timers" ? args[1] + " ms" : ""); return f.apply(window, args) }
	}
	new MutationObserver(list => {
		asked.changes += list.length
		for (const m of list) note(m.type, m.target.nodeName + "." + (m.target.className ?? "") + " " + (m.attributeName ?? m.target.textContent?.slice(0, 40)))
	}).observe(document, {subtree: true, childList: true, attributes: true, characterData: true})
})()`

// quietFor is how long nothing may happen in a page for it to be quiet.
const quietFor = 1500 * time.Millisecond

// quiet waits until the page rests: it asks for no frame and no timer, changes
// nothing and moves nothing, while nothing happens. What was begun before, such
// as reading the logs of answers, may take its time on a busy machine; a page
// that is never quiet fails.
func (p *page) quiet(what string) {
	p.w.t.Helper()
	p.must(p.tab.Front())
	if p.text(`document.visibilityState`) != "visible" {
		p.w.t.Fatalf("%s: the page is in the background, where it is quiet anyway", what)
	}
	var said []string
	for range 20 {
		p.must(p.tab.Eval(nil, `Object.assign(asked, {frames: 0, timers: 0, changes: 0, said: []})`))
		before, err := p.tab.Worked()
		p.must(err)
		<-time.After(quietFor)
		after, err := p.tab.Worked()
		p.must(err)
		var got struct {
			Frames, Timers, Changes, Moving int
			Said                            []string
		}
		p.must(p.tab.Eval(&got, `({...asked, moving: document.getAnimations().filter(a => a.playState === "running").length})`))
		said = got.Said
		if got.Frames+got.Timers+got.Changes+got.Moving == 0 {
			p.w.t.Logf("%s: quiet, with %.1f ms of main thread in 10 s", what, (after-before).Seconds()*1000*float64(10*time.Second/quietFor))
			return
		}
		p.w.t.Logf("%s: not yet quiet: %d frames, %d timers, %d changes, %d animations, %v", what, got.Frames, got.Timers, got.Changes, got.Moving, after-before)
	}
	p.w.t.Errorf("%s: never quiet for %v: %s", what, quietFor, strings.Join(said, ", "))
}

// counted is a tab whose page counts what it asks for.
func (w *world) counted(path string) *page {
	w.t.Helper()
	p := w.tab("/")
	p.must(p.tab.Before(counting))
	p.open(path)
	return p
}

func TestAPageIsQuietWhenNothingHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "429")
	p := w.counted("/")
	p.quiet("a new conversation")

	p.send("[[markdown]] [[pace: 2000]]")
	p.settled()
	p.send("[[reasoning]] [[pace: 2000]] [[repeat: 200]]")
	p.settled()
	p.quiet("a conversation with answers")
	p.reload()
	p.settled()
	p.quiet("a conversation that was opened")
	p.send("[[status: 429]]")
	p.settled()
	p.quiet("an answer that failed")
	p.underWay(func() bool {
		p.grown(20)
		p.click(stopButton)
		return p.settled() == "stopped"
	})
	p.quiet("an answer that was stopped")

	p.click("#inspector")
	for _, tab := range []string{"params", "request", "wire"} {
		p.click("#tab-" + tab)
		p.quiet("the drawer's tab " + tab)
	}
	p.send("[[pace: 2000]] [[repeat: 60]]")
	p.settled()
	p.quiet("the wire of an answer that was watched")
	p.click("#wire-replay")
	p.click("#replay-0")
	p.wait(`document.querySelector("#replay-state").textContent.includes("finished")`)
	p.quiet("a replay at its end")
	p.click("#drawer-close")

	p.search("pace")
	p.wait(`document.querySelectorAll(".hit").length > 0`)
	p.quiet("a search with its results")
	p.palette("new conv")
	p.quiet("the palette")
	p.keys("\x1b")

	p.open("/")
	p.compare("vendor/model-a", "vendor/epsilon-5.6-core", "vendor/beta-4.6")
	p.sendAll("[[pace: 2000]] [[repeat: 60]]")
	p.allSettled()
	p.quiet("several lanes with answers")

	p.open("/settings")
	p.wait(`!!document.querySelector("#settings-gateway")`)
	p.quiet("the settings")
	p.open("/spend")
	p.wait(`document.querySelectorAll("tbody tr").length > 0`)
	p.quiet("the spend page")
}

func TestTheVideoDeskIsQuietWhenNothingHappens(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.counted("/video")
	p.wait(`!!document.querySelector("#f-prompt")`)
	p.quiet("a video desk without clips")
	m := w.makes()
	long := m.clip("beta-video-480p", "A long tracking shot", "10", nil)
	short := m.clip("beta-video-720p", "A short close-up", "6", nil)
	failed := m.clip("gamma-2-480p", "A crowd [[fail: refused by the content filter]]", "5", nil)
	p.saved(long.ID)
	p.saved(short.ID)
	p.becomes(failed.ID, "failed")
	p.quiet("a video desk with finished clips")
	p.open("/video/" + long.ID)
	p.wait(`(document.querySelector("main video")?.readyState ?? 0) >= 2`)
	p.quiet("a clip's page")
	p.open("/video/compare?ids=" + short.ID + "," + long.ID)
	p.wait(`[...document.querySelectorAll(".compare-clip")].filter(v => v.readyState >= 2).length === 2`)
	p.quiet("a comparison of clips")

	// What is under way is not quiet: its time goes on, wherever it is shown.
	slow := m.clip("beta-video-720p", "A snail crosses a road [[slow]]", "10", nil)
	for _, path := range []string{"/video", "/video/" + slow.ID} {
		p.open(path)
		elapsed := fmt.Sprintf(`document.querySelector('[data-elapsed="%s"]')?.textContent`, slow.ID)
		p.wait(elapsed)
		p.must(p.tab.Eval(nil, `window.elapsed = `+elapsed))
		p.wait(elapsed + ` !== window.elapsed`)
	}
}
