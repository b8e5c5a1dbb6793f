package e2e

import (
	"fmt"
	"testing"

	"screentest/shared/wire"
)

// apart says in the page that two elements, both of which are seen, do not
// overlap.
func apart(one, other string) string {
	return fmt.Sprintf(`(([a, b]) => a.width > 0 && b.width > 0 && (a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top))(
		[%q, %q].map(s => document.querySelector(s).getBoundingClientRect()))`, one, other)
}

// whole says in the page that all of an element is within the window.
func whole(selector string) string {
	return fmt.Sprintf(`(r => r.height > 0 && r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth)(document.querySelector(%q).getBoundingClientRect())`, selector)
}

// Clips that come after the form offer themselves in it.
func TestClipsToExtendComeIntoTheForm(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	one := m.clip("beta-video-480p", "A kite above the dunes", "6", nil)
	p.saved(one.ID)
	p.mode("extend")
	p.wait(`document.querySelectorAll(".source").length === 1`)
	p.reload()
	p.wait(`document.querySelectorAll(".source").length === 1`)
	two := m.clip("beta-video-480p", "Moss over stone", "6", nil)
	p.wait(`document.querySelector(".source")?.dataset.task === "` + two.ID + `"`)
	p.press(`.source[data-task="` + one.ID + `"]`)
	p.says(".slot", "A kite above the dunes")
}

// Clips that are not there are told, with the way back; those that are take keys
// before anything was pressed.
func TestComparisonOfWhatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video/compare?ids=10000000-0000-4000-8000-000000000001,10000000-0000-4000-8000-000000000002")
	p.says(`.compare-one[data-id$="1"]`, "There is no such video task")
	p.says(`.compare-one[data-id$="2"]`, "There is no such video task")
	if p.has("#compare-play") {
		t.Error("nothing can be played")
	}
	p.press(".compare-controls a")
	p.wait(`location.pathname === "/video"`)
	one := m.clip("beta-video-480p", "A kite above the dunes", "6", nil)
	two := m.clip("beta-video-480p", "Moss over stone", "6", nil)
	p.saved(one.ID)
	p.saved(two.ID)
	p.open("/video/compare?ids=" + one.ID + "," + two.ID)
	p.wait(`[...document.querySelectorAll(".compare-clip")].filter(v => v.readyState >= 2 && v.duration > 5).length === 2`)
	p.keys("l")
	p.wait(`document.activeElement === document.body && document.querySelector("#compare-loop").ariaPressed === "true"`)
	p.keys(" ")
	p.wait(`[...document.querySelectorAll(".compare-clip")].every(v => !v.paused)`)
}

// What is told of deleted clips covers neither the button of the form nor what
// can be done with those that are chosen; the menu of a clip is seen whole.
func TestNothingOfClipsIsCovered(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	var clips []wire.VideoTask
	for _, prompt := range []string{"A kite above the dunes", "Moss over stone", "Rain on a tin roof"} {
		clips = append(clips, m.clip("beta-video-480p", prompt, "6", nil))
		p.saved(clips[len(clips)-1].ID)
	}
	p.press("#select-clips")
	for _, c := range clips[:2] {
		p.press(`#card-` + c.ID + `-choose`)
	}
	p.says("#selection", "2 clips chosen")
	p.press("#delete-chosen")
	p.says(".clip-toasts", "Deleted 2 clips.")
	p.wait(apart(".clip-toasts .toast", "#create") + " && " + apart(".clip-toasts .toast", "#selection"))
	p.press("#undo-clip")
	p.wait(`document.querySelectorAll(".tile").length === 3`)
	p.press("#end-selection")

	p.looks(390, 844, true)
	p.press("#video-tab-results")
	p.press("#card-" + clips[2].ID + "-more")
	p.press("#card-" + clips[2].ID + "-delete")
	p.says(".clip-toasts", "Deleted “Rain on a tin roof”")
	p.press("#video-tab-form")
	p.wait(apart(".clip-toasts .toast", ".form-foot") + ` && document.querySelector(".clip-toasts .toast").offsetHeight < 100`)
	p.looks(1440, 900, false)
	p.open("/video/" + clips[0].ID)
	p.press("#clip-more")
	p.wait(whole("#clip-more + .menu"))
	p.looks(390, 844, true)
	p.press("#clip-more")
	p.press("#clip-more")
	p.wait(whole("#clip-more + .menu"))
}

// While a clip is under way its bar says what its state says, whatever was drawn
// before.
func TestBarAgreesWithTheState(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", "-sandbox-speed", "10")
	m := w.makes()
	p := w.tab("/video")
	for range 2 {
		m.create(`{"model":"beta-video-480p","prompt":"A kite","seconds":"6"}`, nil)
	}
	p.wait(`document.querySelectorAll(".tile").length === 2`)
	p.must(p.tab.Eval(nil, `window.wrong = []; window.seen = 0; setInterval(() => {
		for (const t of document.querySelectorAll(".tile")) {
			const told = /(\d+) %/.exec(t.querySelector(".tile-state").textContent), bar = t.querySelector("progress");
			if (!told || !bar) continue;
			seen++;
			const at = Math.round(100 * bar.value / bar.max);
			if (at !== +told[1]) wrong.push(told[1] + " is drawn as " + bar.value + " of " + bar.max + " (" + bar.getAttribute("value") + "/" + bar.getAttribute("max") + ")");
		}
	}, 50)`))
	p.wait(`document.querySelectorAll('.tile[data-state="done"]').length === 2`)
	if n := p.number(`seen`); n == 0 {
		t.Fatal("no progress was told")
	}
	if said := p.text(`wrong.slice(0, 3).join("; ")`); said != "" {
		t.Error(said)
	}
}

// A clip asked for while the server is away says that it waits, and is made once.
func TestAClipAskedForWithoutAServerWaits(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, startSandbox(t).URL, fastClips...)
	w.allow = append(w.allow, away...)
	p := w.keyed("/video")
	p.mode("text-to-video")
	p.fill("#f-prompt", "A kite above the dunes")
	p.wait(`document.querySelector("#create").dataset.ready === "true"`)
	if err := w.server.Kill(); err != nil {
		t.Fatal(err)
	}
	p.says("#link", "Reconnecting")
	p.press("#create")
	p.wait(`document.querySelector("#unsent").checkVisibility() && document.querySelector("#verb").textContent === "Creating…"`)
	w.restart()
	p.wait(`document.querySelectorAll(".tile").length === 1 && !document.querySelector("#unsent").checkVisibility()`)
}
