package e2e

import (
	"fmt"
	"testing"
)

// Several clips get and lose tags, are deleted and had back, and go for good,
// together.
func TestSeveralClipsAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	w.allow = append(w.allow, "404") // the picture of what goes for good
	m := w.makes()
	p := w.tab("/video")
	one := m.clip("beta-video-480p", "A gull", "6", nil)
	two := m.clip("beta-video-480p", "A pier", "6", nil)
	p.saved(one.ID)
	p.saved(two.ID)
	shown := func(n int) {
		t.Helper()
		p.wait(fmt.Sprintf(`document.querySelectorAll(".tile").length === %d`, n))
	}
	p.press("#select-clips")
	p.wait(`document.querySelector("#tag-chosen").ariaDisabled === "true"`)
	p.says("#tag-chosen-why", "Choose the clips first.")
	p.click("#choose-shown")
	p.says("#selection", "2 clips chosen")
	p.click("#tag-chosen")
	p.wait(`document.activeElement?.id === "chosen-tags"`)
	p.keys("coast, birds")
	p.click("#add-tags")
	p.says(tile(one.ID, ".tile-tags"), "#coast")
	p.says(tile(two.ID, ".tile-tags"), "#birds")
	p.wait(`document.activeElement?.id === "tag-chosen"`)
	p.wait(`document.querySelector('#filter-tag option[value="coast"]')?.textContent === "#coast (2)"`)
	if tags := m.task(two.ID).Tags; len(tags) != 2 {
		t.Errorf("the server has the tags %q", tags)
	}
	p.press("#card-" + one.ID + "-choose")
	p.says("#selection", "1 clip chosen")
	p.click("#tag-chosen")
	p.wait(`document.activeElement?.id === "chosen-tags"`)
	p.keys("birds")
	p.click("#take-tags")
	p.wait(fmt.Sprintf(`!document.querySelector(%q).textContent.includes("birds")`, tile(two.ID, ".tile-tags")))
	p.says(tile(one.ID, ".tile-tags"), "#birds")
	p.click("#star-chosen")
	p.wait(fmt.Sprintf(`document.querySelector("#star-chosen").textContent === "Remove from favourites" && document.querySelector(%q)`, "#card-"+two.ID+"-choose"))

	p.click("#choose-shown")
	p.click("#delete-chosen")
	shown(0)
	p.says(".clip-toasts", "Deleted 2 clips.")
	p.press("#undo-clip")
	shown(2)
	p.click("#choose-shown")
	p.click("#delete-chosen")
	shown(0)
	p.press("#standing-deleted")
	shown(2)
	p.wait(`document.querySelector("#selection").hidden`)
	p.press("#select-clips")
	p.press("#card-" + one.ID + "-choose")
	p.click("#restore-chosen")
	shown(1)
	p.click("#choose-shown")
	p.click("#purge-chosen")
	p.wait(`document.activeElement?.id === "keep-chosen"`)
	p.click("#keep-chosen")
	p.wait(`document.activeElement?.id === "purge-chosen"`)
	p.click("#purge-chosen")
	p.click("#purge-chosen-now")
	shown(0)
	p.press("#standing-")
	shown(1)
	if m.task(one.ID).Deleted {
		t.Error("the restored one is deleted")
	}
}
