package e2e

import "testing"

func TestAxeFindsNothingWithImages(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w, _ := withImages(t)
	p := w.keyed("/")
	p.compare("vendor/sees", "vendor/reads")
	p.must(p.tab.Files("#image-file", pictureFile(t, "a.png", 90, 30), pictureFile(t, "b.png", 30, 90)))
	p.attached(2)
	p.click(composer)
	p.keys("What are these?\r")
	p.click("#without-images")
	p.click("#send")
	p.allSettled()
	path, two := p.path(), `document.querySelectorAll(".message .images img").length >= 2 || document.querySelectorAll(".lane-tab").length > 0`
	wrong, small := pictureFile(t, "c.png", 3, 3), "/dev/null"
	add := func(p *page) {
		p.must(p.tab.Files("#image-file", wrong, small))
		p.wait(`!!document.querySelector('.attachment[data-state="ready"]') && !!document.querySelector('.attachment[data-state="bad"]')`)
	}
	remove := func(p *page) {
		p.press(`.attachment[data-state="bad"] .icon-button`)
		p.attached(1)
		p.press(".attachment .icon-button")
		p.attached(0)
	}
	p.axeFindsNothing(source, []axeView{
		{name: "images in the composer", path: path, wait: two, do: add, undo: remove},
		{name: "images in the thread", path: path, wait: two},
		{name: "an image in full", path: path, wait: two,
			do: func(p *page) {
				p.click(".message .images button")
				p.wait(`document.querySelector("#image-view img")?.complete`)
			},
			undo: func(p *page) { p.keys("\x1b") }},
	})
}
