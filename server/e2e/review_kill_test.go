package e2e

import "testing"

// The server is killed while a clip is reviewed, by one person in two tabs: what is
// typed stays, what is sent meanwhile arrives once, and all hear each other again.
func TestKilledWhileAClipIsReviewed(t *testing.T) {
	t.Parallel()
	r := newReviewed(t)
	w := r.w
	w.allow = append(append(w.allow, away...), "status of 502")
	twin := w.tab("/video/" + r.clip.ID)
	twin.reviews("/video/" + r.clip.ID)
	r.ana.goes(1)
	r.ana.comments("before")
	twin.lists("0:01.0 before")

	r.cleo.front().goes(3)
	r.cleo.keys("c")
	r.cleo.wait(`document.activeElement?.id === "review-text"`)
	r.cleo.keys("half a thought")
	r.cleo.must(w.server.Kill())
	r.ben.goes(2)
	r.ben.comments("meanwhile")
	r.ben.says("#review-list", "Not sent yet")
	w.restart()

	all := []string{"0:01.0 before", "0:02.0 meanwhile"}
	for _, p := range []*page{r.ana, twin, r.ben, r.cleo} {
		p.front().lists(all...)
	}
	if text := r.cleo.text(`document.querySelector("#review-text").value`); text != "half a thought" {
		t.Errorf("what was typed is now %q", text)
	}
	r.cleo.click("#review-send")
	twin.front().goes(5)
	twin.comments("after")
	all = append(all, "0:03.0 half a thought", "0:05.0 after")
	for _, p := range []*page{r.ana, twin, r.ben, r.cleo} {
		p.front().lists(all...)
	}
}
