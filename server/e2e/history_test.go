package e2e

import (
	"strconv"
	"testing"

	"screentest/shared/wire"
)

// A person looks for what was sent and received by every filter there is, and
// opens it where it was: answers and errors in their conversations, clips on
// their pages.
func TestHistoryFindsAnswersErrorsAndClips(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	w.allow = append(w.allow, "429")
	m := w.makes()
	clip := m.clip("beta-video-720p", "A lighthouse in a storm", "6", nil)
	failed := m.clip("alpha-3.1-lite", "A lighthouse in fog [[fail: content filter]]", "4", nil)

	p := w.tab("/video")
	p.saved(clip.ID)
	p.becomes(failed.ID, wire.VideoFailed)
	p.open("/")
	p.choose(textFamilies[0].model)
	p.send("How high is a lighthouse? [[repeat: 20]]")
	p.settled()
	answered := p.path()
	p.send("And again a lighthouse [[status: 429]]")
	p.settled()

	p.open("/")
	p.click("#filters")
	p.search("lighthouse")
	// Two questions, the answer that repeats one, and two clips; the title is
	// that of a conversation of which more was found.
	found := func(part string, n int) {
		t.Helper()
		p.wait(hits + `.filter(h => h.textContent.includes(` + strconv.Quote(part) + `)).length === ` + strconv.Itoa(n))
	}
	found("Question", 2)
	found("Video", 2)
	p.choice("#search-kind", "video")
	p.wait(hits + `.length === 2`)
	p.choice("#search-state", "failed")
	p.wait(hits + `.length === 1 && ` + hits + `[0].textContent.includes("alpha-3.1-lite")`)
	p.choice("#search-state", "")
	p.choice("#search-model", "beta-video-720p")
	p.wait(hits + `.length === 1 && ` + hits + `[0].textContent.includes("in a storm")`)
	p.choice("#search-model", "")

	// By cost: the clip cost dimes, the answer fractions of a cent, and what
	// failed nothing.
	p.choice("#search-kind", "")
	p.search(" ")
	p.choice("#search-cost", "0.1")
	p.wait(hits + `.length === 1 && ` + hits + `[0].textContent.includes("in a storm")`)
	p.choice("#search-cost", "0")
	p.wait(hits + `.length === 2 && ` + hits + `.every(h => /failed/.test(h.textContent))`)
	p.choice("#search-cost", "")
	p.choice("#search-days", "1")
	p.choice("#search-kind", "error")
	p.wait(hits + `.length === 2 && ` + hits + `.some(h => h.textContent.includes("content filter"))`)

	// To where it was.
	p.click(`#hits .hit[href="/video/` + failed.ID + `"]`)
	p.wait(`location.pathname === "/video/` + failed.ID + `" && document.querySelector("main").textContent.includes("content filter")`)
	p.must(p.tab.Back())
	p.wait(`location.pathname === "/"`)
	p.click(`#hits .hit[href^="` + answered + `"]`)
	p.wait(`location.pathname === ` + strconv.Quote(answered) + ` && !!document.querySelector(".message .problem")`)
}
