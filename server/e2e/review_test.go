package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// Three people in three browsers say of a clip what they see in it, and each sees
// at once what the others say.
func TestPeopleCommentOnAClip(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	r.ben.goes(3)
	r.cleo.goes(1)
	const hostile = `<img src=x onerror="document.title='broken'"> **@Ana Lima**, [look](javascript:alert(1))`
	r.ben.comments(hostile)
	r.cleo.comments("Too dark here")
	r.everybody(func(p *page) { p.lists("0:01.0 Too dark here", "0:03.0 "+hostile) })
	r.everybody(func(p *page) {
		if p.count("#review-list img, #review-list script, #review-list a") != 0 {
			t.Error("what was said is not text any more")
		}
	})
	if name := r.ana.text(`document.querySelector(".review-name").textContent`); name != "@Ana Lima" {
		t.Errorf("%q is mentioned", name)
	}

	// Two at the same moment both stay, in one order for all.
	for _, p := range []*page{r.ben, r.cleo} {
		p.goes(2)
		p.must(p.tab.Front())
		p.press("#review-text")
		p.must(p.tab.Eval(nil, `document.querySelector("#review-text").focus()`))
		p.keys("At two, from " + p.text(`document.querySelector(".rail-items").innerText.includes("Ben") ? "Ben" : "Cleo"`))
	}
	for _, p := range []*page{r.ben, r.cleo} {
		p.must(p.tab.Eval(nil, `void setTimeout(() => document.querySelector("#review-send").click(), 1500 - Date.now() % 1000)`))
	}
	r.everybody(func(p *page) { p.wait(`document.querySelectorAll("#review-list > li").length === 4`) })
	order := r.ana.text(listed)
	for _, p := range []*page{r.ben, r.cleo} {
		p.wait(fmt.Sprintf(`%s === %q`, listed, order))
	}
	if !strings.Contains(order, "from Ben") || !strings.Contains(order, "from Cleo") {
		t.Errorf("the comments are %s", order)
	}

	// What is new is marked, until one looks at it; a mark on the bar leads there.
	r.ana.wait(`document.querySelectorAll(".review-new").length > 0`)
	for range 4 {
		r.ana.must(r.ana.tab.Front())
		r.ana.keys("j")
	}
	r.ana.wait(`document.querySelectorAll(".review-new").length === 0 && document.activeElement?.textContent === "0:03.0"`)
	r.ana.wait(`Math.abs(document.querySelector("#player").currentTime - 3) < 0.01`)
	r.ana.press(`.review-mark[data-at="1000"]`)
	r.ana.wait(`Math.abs(document.querySelector("#player").currentTime - 1) < 0.01 && document.querySelector('.review-comment[data-open="true"] .review-at').textContent === "0:01.0"`)
	places := r.ana.text(`[...document.querySelectorAll("#review-bar .review-mark")].map(m => Math.round(parseFloat(m.style.left))).join(" ")`)
	if places != "17 33 33 50" {
		t.Errorf("the marks stand at %s percent", places)
	}

	// Who is mentioned has a notice of it.
	r.ana.wait(`[...document.querySelectorAll(".rail-item")].some(e => e.textContent.includes("Notices") && !!e.querySelector(".rail-count"))`)

	// An answer, and that it is dealt with.
	dark := `[...document.querySelectorAll(".review-comment")].find(c => c.textContent.includes("Too dark"))`
	r.ana.presses(dark, "answer")
	r.ana.wait(`document.activeElement?.id === "review-text" && document.querySelector(".review-about").textContent.includes("Answering Cleo Mann")`)
	r.ana.keys("It is night\r")
	r.everybody(func(p *page) {
		p.wait(dark + `.querySelector(".review-answer .review-text")?.textContent === "It is night"`)
	})
	r.ben.presses(dark, "resolve")
	r.everybody(func(p *page) { p.wait(dark + `.textContent.includes("Resolved by Ben")`) })
	r.cleo.press("#review-open")
	r.cleo.wait(`document.querySelectorAll("#review-list > li").length === 3`)
	r.cleo.press("#review-all")
	r.cleo.presses(dark, "reopen")
	r.everybody(func(p *page) { p.wait(`!` + dark + `.textContent.includes("Resolved")`) })

	// One's own is changed and deleted, after a question; that of others isn't.
	if r.ben.text(`String(!!`+dark+`.querySelector('[id^="edit-"], [id^="delete-"]'))`) != "false" {
		t.Error("Ben may change what Cleo said")
	}
	r.cleo.presses(dark, "edit")
	r.cleo.wait(`document.querySelector("#review-text").value === "Too dark here" && document.activeElement?.id === "review-text"`)
	r.cleo.must(r.cleo.tab.Front())
	r.cleo.keys(", and here\r")
	r.everybody(func(p *page) { p.wait(dark + `.textContent.includes("Too dark here, and here")`) })
	r.cleo.presses(dark, "delete")
	r.cleo.wait(`document.activeElement?.id.startsWith("really-")`)
	r.cleo.must(r.cleo.tab.Eval(nil, `document.activeElement.click()`))
	r.everybody(func(p *page) {
		p.wait(`document.querySelector("#review-list").textContent.includes("This comment was deleted") && !document.body.textContent.includes("Too dark")`)
	})

	// All of it as a file.
	for _, id := range []string{"#review-md", "#review-html"} {
		file := r.ben.text(fmt.Sprintf(`fetch(document.querySelector(%q).href).then(async f => f.status + " " + f.headers.get("Content-Disposition") + " " + await f.text())`, id))
		if !strings.HasPrefix(file, "200 attachment") || !strings.Contains(file, "At two, from Cleo") || strings.Contains(strings.ReplaceAll(file, `\<img`, ""), "<img") || strings.Contains(file, "Too dark") {
			t.Errorf("the export is %s", file)
		}
	}
}

// A clip goes from draft to approved: its owner asks, another decides, and all see
// it.
func TestAClipIsApproved(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	r.everybody(func(p *page) { p.is("Draft") })
	if r.ben.count(".review-moves button") != 0 {
		t.Error("Ben decides on a draft")
	}
	r.ana.fill("#review-note", "The horizon first")
	r.ana.press("#review-move-in_review")
	r.everybody(func(p *page) { p.is("In review"); p.says(".review-note", "The horizon first") })
	if r.ana.count("#review-move-approved") != 0 {
		t.Error("the owner, who leads no team that sees it, may approve it")
	}
	r.ben.fill("#review-note", "More light")
	r.ben.press("#review-move-changes_asked")
	r.everybody(func(p *page) { p.is("Changes asked"); p.says(".review-history", "Ben asked for changes") })
	if r.cleo.count(".review-moves button") != 0 {
		t.Error("Cleo decides on what was decided")
	}
	r.ana.press("#review-move-in_review")
	r.cleo.press("#review-move-approved")
	r.everybody(func(p *page) { p.is("Approved"); p.says(".review-history", "Cleo Mann approved it") })
	r.ana.reload()
	r.ana.is("Approved")
	if steps := r.ana.count(".review-history li"); steps != 3 {
		t.Errorf("the history has %d states beside the last", steps)
	}
}

// The next version of a clip carries on what was said of it, and both are seen in
// step.
func TestTheNextVersionCarriesTheComments(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	r.ben.goes(2)
	r.ben.comments("Of the first")
	r.ana.lists("0:02.0 Of the first")
	next := r.ana.makesClip("beta-video-480p-extend", "It turns", &r.clip)
	r.ana.wait(`document.querySelectorAll("#review [data-version]").length === 2`)
	if r.ben.count("#review [data-version]") != 0 {
		t.Error("a draft is seen by others")
	}
	r.ana.press(`#review [data-version="2"]`)
	r.ana.wait(`location.pathname === "/video/` + next.ID + `"`)
	r.ana.lists("0:02.0 Of the first")
	r.ana.wait(`document.querySelector(".review-comment .pill")?.textContent === "v1"`)
	r.ana.press("#review-move-in_review")

	r.ben.wait(`document.querySelectorAll("#review [data-version]").length === 2`)
	r.ben.press(`#review [data-version="2"]`)
	r.ben.wait(`document.querySelector("#player")?.src.includes("/media/2/") && document.querySelector("#player").duration > 5`)
	r.ben.goes(5)
	r.ben.comments("Of the second")
	r.everybody(func(p *page) { p.lists("0:02.0 Of the first", "0:05.0 Of the second") })

	for path, p := range map[string]*page{"/video/compare?ids=" + r.clip.ID + "," + next.ID: r.ana, "/review/" + r.share + "?compare=1,2": r.ben} {
		p.press("#review-compare")
		p.wait(fmt.Sprintf(`location.pathname + location.search === %q`, path))
		p.wait(`[...document.querySelectorAll(".compare-clip")].filter(v => v.readyState >= 2).length === 2`)
		p.wait(`[...document.querySelectorAll(".compare-one .review-text")].map(e => e.textContent).join() === "Of the first,Of the second"`)
		p.press(`.compare-one:nth-child(2) .review-mark`)
		p.wait(`[...document.querySelectorAll(".compare-clip")].map(v => Math.round(v.currentTime)).join() === "5,5"`)
		p.press(`.compare-one:nth-child(1) .review-at`)
		p.wait(`[...document.querySelectorAll(".compare-clip")].map(v => Math.round(v.currentTime)).join() === "2,2"`)
	}
}

// Who may not look any more is told so at once, and nothing of it stays on the page.
func TestAShareEndsWhileOneLooks(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	r.w.allow = append(r.w.allow, "status of 404")
	r.ana.goes(1)
	r.ana.comments("A canary of Ana's")
	r.ben.lists("0:01.0 A canary of Ana's")
	r.ben.must(r.ben.tab.Front())
	r.ben.press("#review-text")
	r.ben.fill("#review-text", "half a thought")
	if answer := r.ana.asked("DELETE", "/api/shares/"+r.share, ""); strings.HasPrefix(answer, "REFUSED") {
		t.Fatalf("it is shared for ever: %s", answer)
	}
	r.ben.wait(`!!document.querySelector("#review-gone")`)
	r.ben.mustNotHold("A canary of Ana's")
	if r.ben.count("#player, #review") != 0 {
		t.Error("the clip is still played")
	}
	if status := r.ben.text(`fetch("/s/` + r.share + `/media/1/0").then(r => String(r.status))`); status != "404" {
		t.Errorf("its file answers %s", status)
	}
	r.ana.lists("0:01.0 A canary of Ana's")
}

// Nothing that was typed is lost: not when the page is loaded again, and not when
// the server can't be reached.
func TestCommentsSurviveTheLine(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	r.ben.goes(4)
	r.ben.must(r.ben.tab.Front())
	r.ben.keys("c")
	r.ben.wait(`document.activeElement?.id === "review-text"`)
	r.ben.keys("half a thought")
	r.ben.reload()
	r.ben.wait(`document.querySelector("#review-text")?.value === "half a thought" && document.querySelector("#review-at").textContent === "0:04.0"`)

	r.ben.must(r.ben.tab.Eval(nil, `void window.dispatchEvent(new Event("offline"))`))
	r.ben.says("#link", "Offline")
	r.ben.press("#review-send")
	r.ben.says("#review-list", "Not sent yet")
	if r.ana.count("#review-list > li") != 0 {
		t.Error("it arrived all the same")
	}
	r.ben.reload() // it is kept over that too, and sent once
	r.ben.wait(`!!document.querySelector("#review-state")`)
	r.everybody(func(p *page) { p.lists("0:04.0 half a thought") })
	r.ben.wait(`!document.querySelector("#review-list").textContent.includes("Not sent") && document.querySelector("#review-text").value === ""`)
	if kept := r.ben.text(`Object.keys(localStorage).filter(k => k.startsWith("screentest.review.")).join()`); kept != "" {
		t.Errorf("the browser still has %s", kept)
	}
}
