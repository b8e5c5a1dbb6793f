package e2e

import (
	"testing"
)

// On the page of a clip one goes on to the next of the gallery with buttons and
// keys, plays it again and again, and finds the rest of what can be done in menus
// that close as menus do.
func TestWayThroughThePagesOfClips(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	first := m.clip("beta-video-480p", "A red kite over the dunes", "6", nil)
	second := m.clip("beta-video-480p", "Moss over stone", "6", nil)
	p.saved(first.ID)
	p.saved(second.ID)
	at := func(id, place string) {
		t.Helper()
		p.wait(`location.pathname === "/video/` + id + `" && document.querySelector("#clip-place")?.textContent === "` + place + `"`)
	}
	p.open("/video/" + second.ID)
	at(second.ID, "1 of 2")
	p.wait(`document.querySelector("#clip-prev").getAttribute("aria-disabled") === "true"`)
	p.click("#clip-next")
	at(first.ID, "2 of 2")
	p.wait(`document.activeElement?.id === "clip-next"`)
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	arrow := func(key string) {
		p.must(p.tab.Eval(nil, `(document.activeElement ?? document.body).dispatchEvent(new KeyboardEvent("keydown", {key: "`+key+`", bubbles: true, cancelable: true}))`))
	}
	arrow("ArrowLeft")
	at(second.ID, "1 of 2")
	// In the player the arrows are its own.
	p.wait(`document.querySelector("#player")?.readyState >= 1`)
	p.must(p.tab.Eval(nil, `document.querySelector("#player").focus()`))
	arrow("ArrowRight")
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	at(second.ID, "1 of 2")

	p.press("#clip-loop")
	p.wait(`document.querySelector("#player").loop && document.querySelector("#clip-loop").ariaPressed === "true"`)
	arrow("ArrowRight")
	at(first.ID, "2 of 2")
	p.wait(`document.querySelector("#player")?.loop`)

	for _, close := range []func(){
		func() { p.keys("\x1b") },
		func() { p.click("#clip-state") },
	} {
		p.click("#clip-more")
		p.wait(`document.querySelector("#clip-delete").checkVisibility()`)
		close()
		p.wait(`!document.querySelector("#clip-delete").checkVisibility()`)
	}
	p.click("#clip-use")
	p.click("#clip-first")
	p.wait(`location.pathname === "/video"`)
	p.says("#fitted", "first frame")
}
