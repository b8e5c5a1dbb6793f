package e2e

import (
	"fmt"
	"testing"
)

// On a phone little stands before the first clip: the bar, the tabs, and one row
// for the rest. The filters open below it.
func TestAPhoneShowsClipsSoon(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	gull := m.clip("beta-video-480p", "A gull over the pier", "6", nil)
	p.saved(gull.ID)
	for _, size := range [][2]int64{{390, 844}, {320, 640}} {
		p.looks(size[0], size[1], false)
		p.press("#video-tab-results")
		p.wait(fmt.Sprintf(`document.querySelector(%q)?.getBoundingClientRect().height > 0`, tile(gull.ID, "")))
		if top := p.number(fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().top`, tile(gull.ID, ""))); top > 160 || top < 40 {
			t.Errorf("at %d × %d the first clip begins at %g px", size[0], size[1], top)
		}
		if at := p.text(sideways); at != "" {
			t.Errorf("at %d × %d: %s", size[0], size[1], at)
		}
	}
	p.click("#clip-filters")
	p.wait(`document.querySelector("#clip-search").checkVisibility() && document.querySelector("#clip-filters").ariaExpanded === "true"`)
	if at := p.text(sideways); at != "" {
		t.Error(at)
	}
	p.click("#only-favourites")
	p.says("#gallery", "No clips match.")
	p.wait(`document.querySelector("#clip-filters").ariaLabel === "Filters, 1 on"`)
	p.click("#clear-filters")
	p.wait(fmt.Sprintf(`!!document.querySelector(%q)`, tile(gull.ID, "")))
	p.click("#select-some")
	p.says("#selection", "0 clips chosen")
	p.click("#end-selection")
	p.wait(`document.activeElement.id === "clip-filters"`)
}

// What is hidden in the form scrolls with it: the page itself stands still, and
// the button below the form stays in sight.
func TestOnAPhoneTheFormAloneScrolls(t *testing.T) {
	t.Parallel()
	p := newWorldWith(t, "", fastClips...).tab("/video")
	p.looks(390, 844, false)
	p.mode("reference-video")
	if high := p.number(`document.documentElement.scrollHeight`); high > 844 {
		t.Errorf("the page is %g px high", high)
	}
}
