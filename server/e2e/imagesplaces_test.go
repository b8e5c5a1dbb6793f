package e2e

import (
	"strings"
	"testing"
)

// What is copied from a request has the images as they go out; the request names them.
func TestACopiedRequestHasItsImages(t *testing.T) {
	t.Parallel()
	w, g := withImages(t)
	p := w.keyed("/")
	p.choose("vendor/sees")
	p.gives("paste", "#composer", 40, 10)
	p.attached(1)
	p.send("What is this?")
	p.settled()
	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve(); }`))
	p.click(answers + " .inspect")
	p.click("#tab-request")
	p.click("#request-sent")
	p.wait(`document.querySelector("#request-body").textContent.includes("screentest-image:") && document.querySelector("#request-size").textContent.includes("as a data: URL")`)
	p.click("#copy-body")
	p.wait(`window.copied?.length > 0`)
	if sent := g.of("vendor/sees")[0].raw; p.text(`window.copied`) != sent {
		t.Errorf("copied is\n%.400s, sent was\n%.400s", p.text(`window.copied`), sent)
	}
	p.must(p.tab.Eval(nil, `window.copied = ""`))
	p.click("#copy-curl")
	p.wait(`window.copied.includes("data:image/png;base64,") && !window.copied.includes("screentest-image:")`)
}

// On a phone, and where a window is narrow, images fit: in the composer, in the thread
// and in full.
func TestImagesFitThePhone(t *testing.T) {
	t.Parallel()
	w, _ := withImages(t)
	p := w.keyed("/")
	p.choose("vendor/sees")
	p.looks(390, 844, false)
	p.must(p.tab.Files("#image-file", pictureFile(t, "a picture with a long name that goes on.png", 900, 300), pictureFile(t, "b.png", 300, 900), pictureFile(t, "c.png", 30, 30), pictureFile(t, "d.png", 31, 30)))
	p.attached(4)
	for _, width := range []int64{390, 320} {
		p.looks(width, 844, width == 320)
		p.wait(`document.documentElement.scrollWidth <= innerWidth && document.querySelector("#send").getBoundingClientRect().bottom <= innerHeight && document.querySelector(".composer-box").getBoundingClientRect().height < innerHeight / 2`)
	}
	p.send("What are these?")
	p.settled()
	p.wait(`document.documentElement.scrollWidth <= innerWidth && [...document.querySelectorAll(".message .images img")].every(i => i.getBoundingClientRect().right <= innerWidth && i.getBoundingClientRect().left >= 0)`)
	p.click(".message .images button")
	p.wait(`document.querySelector("#image-view img").getBoundingClientRect().width <= innerWidth && document.querySelector("#image-view").getBoundingClientRect().right <= innerWidth`)
}

// Who is shown a conversation by a link sees its images, without scripts too, until
// it is shown no more. The sandbox takes them, told that its model does.
func TestImagesOnASharedPage(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "", "-catalog", seeingCatalogue(t))
	w.allow = append(w.allow, "status of 404")
	ana := w.tab("/")
	if got := ana.asked("PUT", "/api/instance", `{"link_shares":true}`); strings.HasPrefix(got, "REFUSED") {
		t.Fatal(got)
	}
	ana.choose("vendor/sees")
	ana.gives("paste", "#composer", 400, 300)
	ana.attached(1)
	ana.send("What is this?")
	if state := ana.settled(); !strings.HasPrefix(state, "done") {
		t.Fatalf("the sandbox: %s", state)
	}
	id, link := ana.makesShare(`{"kind":"conversation","id":"` + strings.TrimPrefix(ana.path(), "/c/") + `","audience":"link","live":true}`)
	w.as(w.stranger(), func() {
		loaded := `document.querySelector(".images img")?.naturalWidth === 400 && document.documentElement.scrollWidth <= innerWidth`
		scriptless := w.bare(link, false)
		scriptless.wait(loaded)
		reader := w.bare(link, true)
		reader.wait(shownLive)
		source := axeCore(t)
		reader.must(reader.tab.Eval(nil, source+"; void 0"))
		for _, size := range [][2]int64{{1440, 900}, {320, 700}} {
			reader.looks(size[0], size[1], size[0] == 320)
			reader.wait(loaded)
			for _, wrong := range reader.axe() {
				t.Errorf("at %d px: %s", size[0], wrong)
			}
		}
		address := reader.text(`document.querySelector(".images img").src`)
		ana.front().asked("DELETE", "/api/shares/"+id, "")
		reader.front().wait(`!document.querySelector(".images img")`)
		if status := reader.text("fetch(" + quoted(address) + `).then(r => String(r.status))`); status == "200" {
			t.Error("an image is given out still")
		}
	})
}
