package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// The clips of a team are found in the gallery, by the state of their review.
func TestTheGalleryOfATeam(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	second := r.ana.makesClip("beta-video-720p", "A paper boat", nil)
	boat := r.ana.showsAll(second.ID)
	r.ben.open("/video")
	r.ben.wait(`document.querySelectorAll('[aria-label="Whose clips"] a').length === 2`)
	r.ben.press(`[aria-label="Whose clips"] a:nth-child(2)`)
	cards := `[...document.querySelectorAll("#team-gallery .tile")].map(t => t.querySelector(".tile-title").textContent + ", " + t.querySelector(".tile-state").textContent).join("; ")`
	r.ben.wait(cards + ` === "A paper boat, Draft; A red kite over the dunes, Draft"`)

	// One is put in review meanwhile, and commented on.
	r.cleo.goes(1)
	r.cleo.comments("Look here")
	r.ana.lists("0:01.0 Look here")
	r.ana.press("#review-move-in_review")
	r.cleo.is("In review")
	r.ben.press("#state-in_review")
	r.ben.wait(cards + ` === "A red kite over the dunes, In review"`)
	r.ben.says("#team-gallery .tile-body", "1 comment, 1 open")
	r.ben.press("#team-gallery .tile-link")
	r.ben.wait(`location.pathname === "/review/` + r.share + `"`)
	r.ben.lists("0:01.0 Look here")
	r.ben.press(".clip-back")
	r.ben.wait(`location.pathname === "/video" && location.search.includes("in_review") && ` + cards + ` === "A red kite over the dunes, In review"`)
	r.ben.press("#state-approved")
	r.ben.wait(`document.querySelector("#team-gallery").innerText.includes("No clips match")`)
	r.ben.press("#state-all")
	r.ben.wait(`document.querySelectorAll("#team-gallery .tile").length === 2`)
	if answer := r.ana.asked("DELETE", "/api/shares/"+boat, ""); strings.HasPrefix(answer, "REFUSED") {
		t.Fatal(answer)
	}
	r.ben.wait(cards + ` === "A red kite over the dunes, In review"`)

	// One's own leads to its own page.
	r.ana.open("/video")
	r.ana.press(`[aria-label="Whose clips"] a:nth-child(2)`)
	r.ana.press("#team-gallery .tile-link")
	r.ana.wait(`location.pathname === "/video/` + r.clip.ID + `"`)
}

// All of it by the keyboard: to a comment and back, a point of the frame, a name.
func TestReviewByTheKeyboard(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	p := r.cleo
	p.must(p.tab.Front())
	p.goes(2)
	p.keys(" ")
	p.wait(`!document.querySelector("#player").paused`)
	p.keys("c")
	p.wait(`document.activeElement?.id === "review-text" && document.querySelector("#player").paused`)
	p.keys("Ask @be")
	p.wait(`document.querySelector("#review-people [aria-selected=true]")?.textContent === "Ben"`)
	p.keys("\r")
	p.wait(`document.querySelector("#review-text").value === "Ask @Ben "`)
	p.press("#review-point")
	p.wait(`document.activeElement?.id === "review-aim"`)
	p.must(p.tab.Eval(nil, `for (const key of ["ArrowLeft", "ArrowUp"]) document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key, shiftKey: true, bubbles: true})); true`))
	p.keys("\r")
	p.wait(`document.activeElement?.id === "review-text"`)
	p.keys("\r")
	r.everybody(func(p *page) { p.wait(`document.querySelectorAll("#review-list > li").length === 1`) })
	r.ben.press(".review-at")
	r.ben.wait(`document.querySelectorAll(".review-point").length === 1`)
	// A tenth of the frame left and above its middle, wherever the frame stands in its box.
	at := r.ben.text(`(() => {
		const dot = document.querySelector(".review-point").getBoundingClientRect(), v = document.querySelector("#player"), box = v.getBoundingClientRect();
		const scale = Math.min(box.width / v.videoWidth, box.height / v.videoHeight), w = v.videoWidth * scale, h = v.videoHeight * scale;
		const x = (dot.left + dot.width / 2 - box.left - (box.width - w) / 2) / w, y = (dot.top + dot.height / 2 - box.top - (box.height - h) / 2) / h;
		return Math.round(x * 100) + " " + Math.round(y * 100);
	})()`)
	if at != "40 40" {
		t.Errorf("the point stands at %s percent", at)
	}
	r.ben.goes(5)
	r.ben.must(r.ben.tab.Eval(nil, `document.querySelector(".review-at").focus(); true`))
	r.ben.wait(`document.querySelectorAll(".review-point").length === 1`) // it is open still

	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	p.goes(0)
	p.comments("At the start")
	p.wait(`document.querySelectorAll("#review-list > li").length === 2`)
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	for _, step := range [][2]string{{"j", "0:00.0"}, {"j", ""}, {"k", "0:00.0"}} {
		p.keys(step[0])
		if step[1] != "" {
			p.wait(fmt.Sprintf(`document.activeElement?.textContent === %q`, step[1]))
		} else {
			p.wait(`document.activeElement?.classList.contains("review-at") && document.activeElement.textContent !== "0:00.0"`)
		}
	}
	p.must(p.tab.Eval(nil, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, cancelable: true})); true`))
	p.wait(`document.activeElement?.textContent !== "0:00.0" && document.activeElement?.classList.contains("review-at")`)
}

// The pages of a review, with much said in them.
func TestAxeFindsNothingInReviews(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	r := newReviewed(t)
	r.ben.goes(2)
	r.ben.comments("A word that is longer than any line: " + strings.Repeat("unbreakable", 20))
	r.ana.press("#review-move-in_review")
	r.cleo.is("In review")
	r.cleo.comments("Two")
	next := r.ana.makesClip("beta-video-480p-extend", "It turns", &r.clip)
	r.ana.reviews("/video/" + next.ID)
	r.ana.press("#review-move-in_review")
	r.ben.wait(`document.querySelectorAll("#review [data-version]").length === 2`)
	said := `document.querySelectorAll(".review-comment").length === 2`
	team := r.ben.text(`fetch("/api/me").then(r => r.json()).then(m => m.teams[0].id)`)
	asks := func(p *page) {
		p.press(`[id^="delete-"]`)
		p.wait(`document.activeElement?.id.startsWith("really-")`)
		p.must(p.tab.Eval(nil, `document.querySelector("#review-text").focus(); true`))
		p.keys("@")
		p.wait(`document.querySelectorAll("#review-people .menu-item").length >= 2`)
	}
	undo := func(p *page) { p.keys("\x1b"); p.must(p.tab.Eval(nil, `localStorage.clear()`)) }
	views := []axeView{
		{name: "review of a clip shared", path: "/review/" + r.share, wait: said, do: asks, undo: undo},
		{name: "review of versions compared", path: "/review/" + r.share + "?compare=1,2", wait: said},
		{name: "review of what is not shared", path: "/review/00000000-0000-4000-8000-000000000000", wait: `!!document.querySelector("#review-gone")`},
		{name: "gallery of a team", path: "/video?team=" + team, wait: `document.querySelectorAll("#team-gallery .tile").length === 1`},
	}
	own := []axeView{{name: "review of one's own clip", path: "/video/" + r.clip.ID, wait: said, do: asks, undo: undo}}
	r.ben.axeFindsNothing(source, views)
	r.ana.axeFindsNothing(source, own)
	for p, views := range map[*page][]axeView{r.ben: views, r.ana: own} {
		for _, v := range views { // nothing is wider than a narrow phone
			p.open(v.path)
			p.wait(v.wait)
			p.looks(320, 700, true)
			if wide := p.text(`String(document.documentElement.scrollWidth)`); wide != "320" {
				t.Errorf("%s: at 320 px the page is %s px wide", v.name, wide)
			}
		}
	}
}

// A guest reads and writes nothing; alone there is nobody to say anything.
func TestWhoOnlyReadsAReview(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	r.ana.comments("For all who look")
	guest := r.w.join(r.ana.invited("guest"), "Gus", "gus@example.com")
	guest.reviews("/review/" + r.share)
	guest.lists("0:00.0 For all who look")
	if n := guest.count("#review-text, #review .review-does button, .review-moves button"); n != 0 {
		t.Errorf("a guest has %d ways to write", n)
	}
}

func TestAloneNothingIsReviewed(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("beta-video-480p", "A red kite", "6", nil)
	p.saved(clip.ID)
	if p.count(`[aria-label="Whose clips"]`) != 0 {
		t.Error("alone one chooses whose clips are shown")
	}
	p.open("/video/" + clip.ID)
	p.wait(`document.querySelector("#player")?.readyState >= 1`)
	if n := p.count("#review, #review-bar, .review-stage"); n != 0 {
		t.Errorf("alone %d parts of a review are there", n)
	}
	w.allow = append(w.allow, "status of 404")
	p.must(p.tab.Open(w.server.URL + "/review/00000000-0000-4000-8000-000000000000"))
	p.wait(`document.body.innerText.includes("There’s nothing at this address")`)
}
