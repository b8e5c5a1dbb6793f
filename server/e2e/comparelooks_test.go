package e2e

import (
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// Two clips lie one over the other with a divider, all are seen through one window
// that is zoomed and moved, and they begin again at their end.
func TestClipsAreComparedClosely(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	one := m.clip("beta-video-480p", "A long tracking shot", "6", nil)
	two := m.clip("beta-video-720p", "A short close-up", "6", nil)
	p.saved(one.ID)
	p.saved(two.ID)
	p.open("/video/compare?ids=" + one.ID + "," + two.ID)
	p.wait(`[...document.querySelectorAll(".compare-clip")].filter(v => v.readyState >= 2 && v.duration > 5).length === 2`)
	const frames = `[...document.querySelectorAll(".compare-frame")].map(f => f.getBoundingClientRect())`
	if !p.has("#compare-wipe") {
		t.Fatal("two clips can't be laid over each other")
	}
	p.press("#compare-wipe")
	p.wait(`(([a, b]) => a.left === b.left && a.top === b.top && a.width === b.width)(` + frames + `)`)
	clip := `getComputedStyle(document.querySelectorAll(".compare-frame")[1]).clipPath`
	half := p.text(clip)
	p.must(p.tab.Eval(nil, `document.querySelector("#compare-divider").focus()`))
	p.keys(kb.ArrowLeft + kb.ArrowLeft)
	p.wait(clip + ` !== "` + half + `" && document.querySelector("#compare-divider").value === "48"`)
	if at := p.number(`document.querySelector(".compare-clip").currentTime`); at != 0 {
		t.Errorf("the divider's arrow went to %v s", at)
	}
	p.passes("clips one over the other")

	p.press("#compare-play") // the keys are the comparison's
	p.keys("zz")
	origin := `[...document.querySelectorAll(".compare-clip")].map(v => getComputedStyle(v).transform + " " + v.style.cssText + getComputedStyle(v.parentElement.parentElement.parentElement).getPropertyValue("--zoom-x")).join("|")`
	p.wait(`document.querySelector("#compare-zoom").value === "4" && (` + origin + `).includes("matrix(4")`)
	p.keys("w")
	p.wait(`document.querySelector("#compare-wipe").ariaPressed === "false" && !document.querySelector("#compare-divider")`)
	p.must(p.tab.Eval(nil, `(f => {
		const at = f.getBoundingClientRect(), x = at.left + at.width / 2, y = at.top + at.height / 2;
		const send = (type, by) => f.dispatchEvent(new PointerEvent(type, {pointerId: 1, button: 0, clientX: x + by, clientY: y, bubbles: true}));
		f.setPointerCapture = () => {};
		send("pointerdown", 0); send("pointermove", 60); send("pointerup", 60); send("pointermove", 600);
	})(document.querySelector(".compare-frame"))`))
	p.wait(`(x => x > 0.3 && x < 0.5)(parseFloat(document.querySelector(".compare-grid").style.getPropertyValue("--zoom-x")))`)
	p.keys("z")
	p.wait(`document.querySelector("#compare-zoom").value === "1"`)

	// At their end they begin again.
	p.keys("l")
	p.wait(`document.querySelector("#compare-loop").ariaPressed === "true"`)
	p.must(p.tab.Eval(nil, `window.ended = 0; document.querySelector(".compare-clip").addEventListener("seeking", e => { if (e.target.currentTime < 0.1) ended++ }); (e => { e.value = 950; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#compare-seek"))`))
	if p.text(`document.querySelector("#compare-play").ariaLabel`) == "Play all (space)" {
		p.press("#compare-play")
	}
	p.wait(`ended > 0 && [...document.querySelectorAll(".compare-clip")].every(v => !v.paused)`)
}
