package e2e

import (
	"fmt"
	"testing"
)

// A slot takes a frame of a clip, a whole clip, and what was uploaded before,
// from lists that open below it.
func TestASlotIsFilledFromWhatIsHere(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	m := w.makes()
	gull := m.clip("beta-video-480p", "A gull over the pier", "6", nil)
	moss := m.clip("beta-video-480p", "Moss growing over stone", "6", nil)
	p.saved(gull.ID)
	p.saved(moss.ID)
	slot := func(place string) string {
		return fmt.Sprintf(`document.querySelector('#form .slot[data-place="%s"]')`, place)
	}
	open := func(from, place string) {
		p.click(fmt.Sprintf(`[id="pick-%s-%s"]`, from, place))
		p.wait(`!!document.querySelector("#slot-picker")`)
	}
	filled := func(place, file string) {
		p.wait(slot(place) + `.matches('[data-full="true"]:not([data-stage])') && !document.querySelector("#slot-picker")`)
		p.wait(slot(place) + `.contains(document.activeElement)`)
		if name := p.text(slot(place) + `.querySelector(".cut").textContent`); name != file {
			t.Errorf("the slot %s holds %q, want %q", place, name, file)
		}
	}

	p.mode("first-last-frame")
	open("uploads", "image_urls[0]")
	p.says("#slot-picker", "No uploads that fit.")
	p.click(`[id="pick-uploads-image_urls[0]"]`)
	p.wait(`!document.querySelector("#slot-picker")`)

	open("clips", "image_urls[0]")
	p.wait(`document.querySelectorAll("#slot-picker li").length === 2`)
	p.click("#pick-last-" + gull.ID)
	filled("image_urls[0]", "A gull over the pier, last frame.jpg")
	open("clips", "image_urls[1]")
	p.click("#pick-first-" + moss.ID)
	filled("image_urls[1]", "Moss growing over stone, first frame.jpg")

	// What was uploaded for one kind of clip is there for another.
	p.mode("motion-control")
	p.click(`#form .slot[data-place="image_urls[0]"] [title="Remove"]`) // the frame went along
	open("uploads", "image_urls[0]")
	p.wait(`document.querySelectorAll("#slot-picker li").length === 2`)
	p.click(`#slot-picker li:last-of-type button`)
	filled("image_urls[0]", "A gull over the pier, last frame.jpg")
	open("clips", "video_url")
	p.click("#pick-clip-" + moss.ID)
	filled("video_url", "Moss growing over stone.mp4")
	p.fill("#f-prompt", "She dances")
	p.verb("Create video")
}
