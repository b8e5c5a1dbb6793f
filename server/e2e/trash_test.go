package e2e

import (
	"fmt"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// A deleted clip stands among the deleted ones, says at its address that it was
// deleted, comes back from both, and goes for good when that was asked once.
func TestDeletedClipsCanBeHadBack(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	w.allow = append(w.allow, "404") // the picture of what goes for good
	m := w.makes()
	p := w.tab("/video")
	kept := m.clip("beta-video-480p", "A kite above the dunes", "6", nil)
	gone := m.clip("beta-video-480p", "Moss over stone", "6", nil)
	p.saved(kept.ID)
	p.saved(gone.ID)
	p.wait(`document.querySelector("#standing-deleted").hidden && document.querySelector("#standing-").textContent.endsWith("2")`)

	p.press("#card-" + gone.ID + "-more")
	p.press("#card-" + gone.ID + "-delete")
	p.says(".clip-toasts", "Deleted “Moss over stone”")
	p.wait(`!document.querySelector("#standing-deleted").hidden && document.querySelector("#standing-").textContent.endsWith("1")`)

	// Its address says so, and nothing but having it back is on offer.
	p.open("/video/" + gone.ID)
	p.says("#clip-deleted", "Deleted for good in 30 days")
	on := p.text(`[...document.querySelectorAll(".clip-does button")].filter(e => e.getAttribute("aria-disabled") !== "true").map(e => e.innerText).join(", ")`)
	if on != "" {
		t.Errorf("a deleted clip offers %s", on)
	}
	p.says("#clip-reuse-why", "It was deleted. Restore it first.")
	p.press("#clip-restore")
	p.wait(`!document.querySelector("#clip-deleted") && document.activeElement?.id === "clip-more"`)
	if !soon(func() bool { return !m.task(gone.ID).Deleted }) {
		t.Error("the server has it among the deleted ones")
	}
	p.press("#clip-delete")
	p.wait(`location.pathname === "/video"`)

	p.press("#standing-deleted")
	p.wait(fmt.Sprintf(`document.querySelectorAll(".tile").length === 1 && document.querySelector(%q)`, tile(gone.ID, "")))
	p.says("#trash-note", "kept for 30 days")
	p.says(tile(gone.ID, ".tile-notes"), "Deleted for good in 30 days")
	p.press("#card-" + gone.ID + "-restore")
	p.wait(`!document.querySelector(".tile")`)
	p.says(".gallery .empty", "No deleted clips")
	p.press("#standing-")
	p.wait(`document.querySelectorAll(".tile").length === 2`)

	// Another tab sees it come and go.
	other := w.tab("/video")
	other.wait(`document.querySelectorAll(".tile").length === 2`)
	p.must(p.tab.Front())
	p.press("#card-" + gone.ID + "-more")
	p.press("#card-" + gone.ID + "-delete")
	p.wait(`document.querySelectorAll(".tile").length === 1`)
	p.press("#standing-deleted")
	p.press("#card-" + gone.ID + "-purge")
	p.wait(fmt.Sprintf(`document.activeElement?.id === "card-%s-keep"`, gone.ID)) // it asks
	p.press("#card-" + gone.ID + "-keep")
	p.press("#card-" + gone.ID + "-purge")
	p.press("#card-" + gone.ID + "-purge-now")
	p.wait(`!document.querySelector(".tile")`)
	var o wire.VideoOpened
	if err := m.c.Call(t.Context(), wire.OpVideoTask, wire.Target{ID: gone.ID}, &o); err == nil || !strings.Contains(err.Error(), "no such") {
		t.Errorf("it is still there: %v", err)
	}
	p.open("/video/" + gone.ID)
	p.wait(`document.querySelector("main, #app").innerText.includes("There is no such")`)
	other.wait(`document.querySelectorAll(".tile").length === 1`)
}

// Who deletes a clip under way reads that it goes on and stays charged, before
// and after.
func TestDeletingARunningClipSaysWhatItDoesNotEnd(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", "-sandbox-speed", "1")
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("beta-video-480p", "A slow one", "6", nil)
	p.underway(clip.ID)
	const words = "The gateway keeps making it, and it stays charged unless it fails."
	p.press("#card-" + clip.ID + "-more")
	p.says("#card-"+clip.ID+"-delete", words)
	p.press("#card-" + clip.ID + "-delete")
	p.says(".clip-toasts", words)
	p.press("#standing-deleted")
	p.says(tile(clip.ID, ".tile-notes"), words)
	p.says(tile(clip.ID, ".tile-notes"), "Deleted for good in 30 days") // it can be had back when it is finished, too
	p.wait(fmt.Sprintf(`document.querySelector("#card-%s-purge")?.getAttribute("aria-disabled") === "true"`, clip.ID))
}

// A clip of several shots is called by its own prompt, lists its shots, and is
// found by both.
func TestAClipOfSeveralShots(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.shots("delta-3.0-720p", "The harbour at night", "A lamp is lit", "Rain on the pier")
	m.clip("beta-video-480p", "Something else", "6", nil)
	p.saved(clip.ID)
	p.wait(fmt.Sprintf(`document.querySelector(%q).innerText === "The harbour at night"`, tile(clip.ID, ".tile-title")))
	p.says(tile(clip.ID, ".tile-facts"), "2 shots")
	find := func(words string) {
		p.must(p.tab.Eval(nil, fmt.Sprintf(`(e => { e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#clip-search"))`, words)))
	}
	for _, words := range []string{"harbour", "pier", "lamp"} {
		find(words)
		p.wait(`document.querySelectorAll(".tile").length === 1`)
		p.wait(`document.querySelector("#standing-").textContent === "All1"`) // the counts are of what is found
		find("")
		p.wait(`document.querySelectorAll(".tile").length === 2`)
	}
	p.open("/video/" + clip.ID)
	p.wait(`document.querySelectorAll("#clip-shots li").length === 2`)
	lines := p.text(`[...document.querySelectorAll("#clip-shots li")].map(e => e.innerText.replace(/\s+/g, " ").trim()).join("\n")`)
	if want := "2 s A lamp is lit\n3 s Rain on the pier"; lines != want {
		t.Errorf("the shots are\n%s\nwant\n%s", lines, want)
	}
	p.says(".clip-parameters", "The harbour at night")
	if names := p.text(`[...document.querySelectorAll(".clip-parameters dt")].map(e => e.textContent).join()`); strings.Contains(names, "multi_prompt") {
		t.Errorf("the shots are among the parameters as JSON: %s", names)
	}
}

// shots makes a clip of shots of 2, 3, 4, … seconds.
func (m *makes) shots(model, prompt string, shots ...string) wire.VideoTask {
	m.t.Helper()
	var list []string
	seconds := 0
	for i, shot := range shots {
		list = append(list, fmt.Sprintf(`{"prompt":%q,"duration":%d}`, shot, i+2))
		seconds += i + 2
	}
	return m.create(fmt.Sprintf(`{"model":%q,"prompt":%q,"seconds":"%d","multi_shots":true,"multi_prompt":[%s]}`,
		model, prompt, seconds, strings.Join(list, ",")), nil)
}
