package e2e

import (
	"fmt"
	"testing"
)

// With a contrast theme's colours it can still be seen what is chosen.
func TestContrastThemesShowWhatIsChosen(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.must(p.tab.Contrast())
	clip := w.makes().clip("beta-video-480p", "A heron in the reeds", "6", nil)
	p.saved(clip.ID)
	differs := func(chosen, other string) {
		t.Helper()
		look := `(s => s.backgroundColor + s.outlineStyle)(getComputedStyle(document.querySelector(%q)))`
		p.wait(fmt.Sprintf(look+" !== "+look, chosen, other))
	}
	differs(`#form .segment:has(:checked)`, `#form .segment:not(:has(:checked))`)
	differs(`.gallery-head .segment[aria-pressed="true"]`, `.gallery-head .segment[aria-pressed="false"]`)
	differs(`.rail-item[aria-current="page"]`, `.rail-item:not([aria-current])`)
	p.press("#select-clips")
	p.wait(`!document.querySelector("#selection").hidden`)
	differs(`#select-clips`, `#end-selection`)

	p.open("/settings/appearance")
	p.wait(`!!document.querySelector(".segments :checked")`)
	differs(`.segments label:has(:checked)`, `.segments label:not(:has(:checked))`)

	p.open("/")
	p.click("#lane-params")
	p.wait(`!!document.querySelector("#param-stream")`)
	differs(`#drawer .tab[aria-selected="true"]`, `#drawer .tab[aria-selected="false"]`)
	if looks := p.text(`getComputedStyle(document.querySelector("#param-stream")).appearance`); looks == "none" {
		t.Error("a switch is drawn by its background")
	}
}
