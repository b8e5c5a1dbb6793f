package e2e

import (
	"fmt"
	"strings"
	"testing"

	"screentest/shared/wire"
)

func TestCardOfAClip(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", "-sandbox-speed", "10") // under way for long enough to be seen
	m := w.makes()
	p := w.tab("/video")
	p.says("#gallery", "Your clips appear here")
	p.press("#example")
	p.wait(`document.activeElement?.id === "create"`)

	clip := m.clip("beta-video-480p", "Moss growing over stone, time-lapse", "6", nil)
	p.says(tile(clip.ID, ".tile-time"), "usually 1 to 5 min")
	// A bar of the time so far, against the usual one; it goes on without a draw.
	bar := fmt.Sprintf(`document.querySelector(%q)`, tile(clip.ID, ".tile-progress"))
	p.wait(bar + `?.max === 300000 && ` + bar + `.value > 0 && ` + bar + `.getAttribute("aria-valuetext").includes("usually 1 to 5 min")`)
	p.saved(clip.ID)
	facts := p.text(fmt.Sprintf(`document.querySelector(%q).innerText`, tile(clip.ID, ".tile-facts")))
	for _, want := range []string{"beta-video-480p", "$0.18", "14 days left"} {
		if !strings.Contains(facts, want) {
			t.Errorf("the card says %q, without %q", facts, want)
		}
	}
	// The poster is drawn in the browser, and kept by the server.
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.naturalWidth > 300`, tile(clip.ID, "img.tile-picture")))
	var opaque bool
	p.must(p.tab.Eval(&opaque, fmt.Sprintf(`(async () => {
		const img = document.querySelector(%q), pen = document.createElement("canvas").getContext("2d");
		await img.decode(); pen.drawImage(img, 0, 0, 9, 9);
		return pen.getImageData(4, 4, 1, 1).data[3] === 255;
	})()`, tile(clip.ID, "img.tile-picture"))))
	if !opaque {
		t.Error("the poster is empty")
	}

	// It plays without sound while it has the focus, or the pointer.
	link, playing := tile(clip.ID, ".tile-link"), fmt.Sprintf(`(v => v && v.muted && v.currentTime > 0.2)(document.querySelector(%q))`, tile(clip.ID, ".tile-preview"))
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.querySelector(%q).focus()`, link)))
	p.wait(playing)
	p.must(p.tab.Eval(nil, `document.querySelector("#f-prompt").focus()`))
	p.wait(fmt.Sprintf(`!document.querySelector(%q)`, tile(clip.ID, ".tile-preview")))
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new MouseEvent("mouseenter"))`, link)))
	p.wait(playing)
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.querySelector(%q).dispatchEvent(new MouseEvent("mouseleave"))`, link)))
	p.wait(fmt.Sprintf(`!document.querySelector(%q)`, tile(clip.ID, ".tile-preview")))
	p.must(p.tab.Look(1440, 900, true)) // with reduced motion
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.querySelector(%q).focus()`, link)))
	if n := p.count(tile(clip.ID, ".tile-preview")); n != 0 {
		t.Error("it plays although the person wants nothing to move")
	}
}

// A failed card says why, and what came back; its request can be edited or sent
// again, which costs.
func TestCardOfAFailure(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("gamma-2-480p", "Crowd of dancers [[fail: refused by the content filter]]", "5", nil)
	p.becomes(clip.ID, wire.VideoFailed)
	p.says(tile(clip.ID, ".tile-problem"), "refused by the content filter")
	p.says(tile(clip.ID, ".tile-facts"), "returned")
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.innerText === "$0.30"`, tile(clip.ID, `.tile-price[data-struck="true"]`)))
	p.says("#standing-failed", "1")

	p.press("#card-" + clip.ID + "-edit")
	p.wait(`document.querySelector("#f-prompt")?.value.startsWith("Crowd of dancers")`)

	p.says("#card-"+clip.ID+"-retry", "Retry · $0.30")
	p.press("#card-" + clip.ID + "-retry")
	p.wait(`document.querySelectorAll(".tile").length === 2`)
	second := p.text(`document.querySelector(".tile").dataset.id`)
	p.becomes(second, wire.VideoFailed)
	if second == clip.ID {
		t.Error("the same task was sent again")
	}

	// A long reason does not stretch the card, and is whole on the clip's page.
	long := strings.TrimSpace(strings.Repeat("The shot is too crowded. ", 12))
	crowd := m.clip("gamma-2-480p", "A crowd [[fail: "+long+"]]", "5", nil)
	p.becomes(crowd.ID, wire.VideoFailed)
	p.says(tile(crowd.ID, ".tile-problem"), long)
	if high := p.number(fmt.Sprintf(`document.querySelector(%q).clientHeight`, tile(crowd.ID, ".tile-problem p"))); high < 40 || high > 120 {
		t.Errorf("the reason is %v px high", high)
	}
	p.open("/video/" + crowd.ID)
	p.wait(`(e => e && e.scrollHeight === e.clientHeight && e.textContent.includes("` + long + `"))(document.querySelector(".clip .notice p"))`)
}

// From the card to an extend of it, and to an upscale; what can't be says why.
func TestChainFromTheCard(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("beta-video-720p", "Glacier calving, slow push in", "6", nil)
	p.saved(clip.ID)

	next := func(button, model, prompt string) string {
		t.Helper()
		before := p.count(".tile")
		p.press(button)
		if prompt != "" { // an extend begins with an empty prompt, and the focus in it
			p.wait(`document.activeElement?.id === "f-prompt" && document.activeElement.value === ""`)
			p.verb("Write a prompt")
			p.keys(prompt)
			p.verb("Extend clip")
		} else {
			p.wait(`document.activeElement?.id === "model-select"`)
			p.verb("Upscale clip")
		}
		p.press("#create")
		p.wait(fmt.Sprintf(`document.querySelectorAll(".tile").length === %d`, before+1))
		id := p.text(`document.querySelector(".tile").dataset.id`)
		if got := m.task(id); got.Model != model || got.Source == "" {
			t.Errorf("made with %s from %q, want %s", got.Model, got.Source, model)
		}
		p.saved(id)
		return id
	}
	p.fill("#f-prompt", "What stands there when the extend begins, with the focus in it")
	extend := next("#card-"+clip.ID+"-extend-0", "beta-video-720p-extend", "A piece breaks off")
	upscale := next("#card-"+clip.ID+"-upscale-1", "beta-video-upscale-720p-1080p", "")

	if got := m.task(extend).Outputs[0].Seconds; got < 11.9 || got > 12.1 {
		t.Errorf("the extend lasts %v s, want the source's 6 and 6 more", got)
	}
	if got := m.task(upscale).Outputs[0]; got.Width != 1920 || got.Height != 1080 {
		t.Errorf("the upscale is %d × %d", got.Width, got.Height)
	}
	off := "#card-" + extend + "-upscale-1"
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.getAttribute("aria-disabled") === "true"`, off))
	p.says(off+"-why", "An extend can't be upscaled")
	if described := p.text(fmt.Sprintf(`document.querySelector(%q).getAttribute("aria-describedby")`, off)); "#"+described != off+"-why" {
		t.Errorf("described by %q", described)
	}

	p.open("/video/" + upscale)
	p.wait(`document.querySelectorAll(".lineage-step").length >= 2`)
	lines := p.text(`[...document.querySelectorAll(".lineage-step")].map(e => e.innerText.replace(/\s+/g, " ")).join("\n")`)
	if want := "Original beta-video-720p Finished $0.30\nUpscale to 1080p beta-video-upscale-720p-1080p Finished $0.15"; lines != want {
		t.Errorf("the lineage is\n%s\nwant\n%s", lines, want)
	}
	p.says("#lineage-cost", "Together $0.45")                              // of what is shown
	p.says(".lineage-others", "Other clips made from the original: $0.30") // its extend
}

func TestDeleteUndoAndMarksInTwoTabs(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("beta-video-480p", "A kite over the dunes", "6", nil)
	other := m.clip("beta-video-480p", "A paper boat in the rain", "6", nil)
	p.saved(clip.ID)
	p.saved(other.ID)
	second := w.tab("/video")
	second.saved(clip.ID)
	p.must(p.tab.Front())

	p.press("#card-" + clip.ID + "-star")
	second.wait(fmt.Sprintf(`document.querySelector("#card-%s-star")?.getAttribute("aria-pressed") === "true"`, clip.ID))
	p.press("#card-" + clip.ID + "-more")
	p.press("#card-" + clip.ID + "-retag")
	p.wait(fmt.Sprintf(`document.activeElement?.id === "card-%s-tags"`, clip.ID))
	p.keys("sand, For the ")
	p.must(p.tab.Eval(nil, `(async () => {
		document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape", isComposing: true, bubbles: true, cancelable: true}));
		for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
	})()`)) // an input method's: it closes nothing
	p.keys("trailer\r")
	second.says(tile(clip.ID, ".tile-tags"), "#For the trailer")

	p.press("#card-" + clip.ID + "-more")
	p.press("#card-" + clip.ID + "-delete")
	p.wait(`document.activeElement?.id === "undo-clip"`)
	gone := fmt.Sprintf(`document.querySelectorAll(".tile").length === 1 && !document.querySelector(%q)`, tile(clip.ID, ""))
	p.wait(gone)
	p.press("#undo-clip") // it is offered for a while only
	for _, tab := range []*page{p, second} {
		tab.says(tile(clip.ID, ".tile-tags"), "#sand")
		tab.wait(`document.querySelectorAll(".tile").length === 2`)
	}

	// The filters find it, and leave the other out.
	only := fmt.Sprintf(`document.querySelectorAll(".tile").length === 1 && !!document.querySelector(%q)`, tile(clip.ID, ""))
	p.press("#only-favourites")
	p.wait(only)
	p.press("#clear-filters")
	p.wait(`document.querySelectorAll(".tile").length === 2`)
	p.must(p.tab.Eval(nil, `(e => { e.value = "DUNES kite"; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#clip-search"))`))
	p.wait(only)
	p.click("#clip-search")
	p.keys(" s") // its filter is still to come when all are cleared
	p.press("#clear-filters")
	p.wait(`document.querySelectorAll(".tile").length === 2`)
	p.wait(`!!document.querySelector('#filter-tag option[value="sand"]')`)
	p.must(p.tab.Eval(nil, `(e => { e.value = "sand"; e.dispatchEvent(new Event("change")); })(document.querySelector("#filter-tag"))`))
	p.wait(only)
	p.must(p.tab.Eval(nil, `(e => { e.selectedIndex = 0; e.dispatchEvent(new Event("change")); })(document.querySelector("#filter-tag"))`))
	p.wait(`document.querySelectorAll(".tile").length === 2`)
	p.press("#standing-failed")
	p.says("#gallery", "No clips match")

	p.press("#clear-filters")
	p.press("#card-" + other.ID + "-more")
	p.press("#card-" + other.ID + "-delete")
	second.wait(only)
}

// Of many tasks only those near the window are in the document.
func TestManyTasksAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	m := w.makes()
	const many = 130
	var first wire.VideoTask
	for n := range many {
		task := m.clip("beta-video-480p", fmt.Sprintf("Take %d [[slow]]", n+1), "6", nil)
		if n == 0 {
			first = task
		}
	}
	p := w.tab("/video")
	p.says("#standing-", fmt.Sprint(many))
	most := 0
	p.wait(fmt.Sprintf(`(() => {
		const pane = document.querySelector("#video-results");
		pane.scrollTop += 500;
		return !!document.querySelector(%q);
	})()`, tile(first.ID, "")))
	most = p.count(".tile")
	if most > 96 {
		t.Errorf("%d cards of %d are in the document", most, many)
	}
	p.must(p.tab.Eval(nil, `document.querySelector("#video-results").scrollTop = 0`))
	p.wait(`document.querySelector(".tile .tile-title")?.innerText.startsWith("Take 130")`)
}

// Back from a clip's page, the gallery is where it was left.
func TestGalleryKeepsItsPlace(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	m := w.makes()
	const many = 60
	for n := range many {
		m.clip("beta-video-480p", fmt.Sprintf("Take %d [[slow]]", n+1), "6", nil)
	}
	p := w.tab("/video")
	p.says("#standing-", fmt.Sprint(many))
	pane := `document.querySelector("#video-results")`
	p.wait(fmt.Sprintf(`(() => { %s.scrollTop += 400; return !![...document.querySelectorAll(".tile-title")].find(e => e.innerText.startsWith("Take 12 ")) })()`, pane))
	const first = `[...document.querySelectorAll(".tile")].find(e => e.getBoundingClientRect().top > 80)`
	p.wait(`(id => { const same = id === window.before; window.before = id; return id && same })(` + first + `?.dataset.id)`) // it stands still
	id, at := p.text(first+".dataset.id"), p.number(pane+".scrollTop")
	if at < 400 {
		t.Fatalf("it is scrolled by %v px only", at)
	}
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.querySelector(%q).click()`, tile(id, ".tile-link"))))
	p.wait(`location.pathname === "/video/` + id + `" && !` + pane)
	p.must(p.tab.Back())
	// A row is higher once a clip in it is finished; but no row is 100 px higher.
	p.wait(fmt.Sprintf(`(e => e && (y => y > 0 && y < 450)(e.getBoundingClientRect().top))(document.querySelector(%q)) && Math.abs(%s.scrollTop - %v) < 100`,
		tile(id, ""), pane, at))
}
