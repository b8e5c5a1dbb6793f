package e2e

import (
	"strings"
	"testing"
)

// One prompt goes to several models at once: what doesn't fit one is told, the
// price is that of all, and each clip is a task of its own.
func TestOnePromptOnSeveralVideoModels(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.videoModel("gamma-2-480p")
	p.must(p.tab.Eval(nil, `document.getElementById("f-ratio-1:1").click()`))
	add := func(id string) {
		p.must(p.tab.Eval(nil, `(s => { s.value = "`+id+`"; s.dispatchEvent(new Event("change", {bubbles: true})) })(document.getElementById("also-model"))`))
		p.wait(`!!document.querySelector('#also [data-model="` + id + `"]') && document.getElementById("also-model").selectedIndex === 0`)
	}
	add("alpha-3.1-lite")
	add("beta-video-480p")
	p.says(`#also [data-model="alpha-3.1-lite"]`, "Aspect ratio changed from 1:1 to 16:9.")
	p.says(`#also [data-model="beta-video-480p"]`, "Length changed from 4 to 6 s.")
	p.fill("#f-prompt", "A paper boat")
	p.verb("Create 3 videos")
	p.wait(`document.getElementById("price").textContent === "$0.62"`)
	p.says("#basis", "$0.24 + $0.20 + $0.18")
	p.click("#create")
	p.wait(`document.querySelectorAll(".tile[data-state=done]").length === 3`)
	for _, model := range []string{"gamma-2-480p", "alpha-3.1-lite", "beta-video-480p"} {
		if got := p.text(`[...document.querySelectorAll(".tile .tile-facts")].map(e => e.textContent).join()`); !strings.Contains(got, model) {
			t.Errorf("no clip of %s: %s", model, got)
		}
	}
	p.click(`#also [data-model="alpha-3.1-lite"] button`)
	p.wait(`document.activeElement.id === "also-model"`)
	p.verb("Create 2 videos")
}
