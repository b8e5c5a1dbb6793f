package e2e

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
)

// However quickly the button is clicked again, the gateway sees one creation.
func TestADoubleClickMakesOneTask(t *testing.T) {
	t.Parallel()
	sandbox, err := rig.Start(t.Context(), bin, nil, "sandbox", "-addr", "127.0.0.1:0", "-key", sandboxKey, "-speed", "200")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := sandbox.Stop(); err != nil {
			t.Errorf("the sandbox's end: %v", err)
		}
	})
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/video")
	p.fill("#f-prompt", "One boat")
	p.verb("Create video")
	// While it rests, which is but for a moment, it is clicked once more.
	p.must(p.tab.Eval(nil, `new Promise(done => {
		const b = document.getElementById("create");
		const rests = new MutationObserver(() => {
			if (document.getElementById("verb").textContent !== "Created") return;
			rests.disconnect(); b.click(); done(true);
		});
		rests.observe(b, {childList: true, characterData: true, subtree: true});
		b.click(); b.click(); b.click();
	})`))
	p.wait(newestCard + `?.dataset.state && ` + newestCard + `.dataset.state !== "creating"`)
	if n := creations(t, sandbox); n != 1 {
		t.Errorf("the gateway saw %d creations", n)
	}
	p.verb("Create video") // the same again can be meant
	p.click("#create")
	p.wait(`document.querySelectorAll(".tile").length === 2`)
	p.wait(newestCard + `.dataset.state !== "creating"`)
	if n := creations(t, sandbox); n != 2 {
		t.Errorf("the gateway saw %d creations", n)
	}

	// Another prompt is another clip, however quickly it follows.
	p.must(p.tab.Eval(nil, `["Two boats", "Three boats"].forEach(words => {
		const field = document.getElementById("f-prompt");
		field.value = words;
		field.dispatchEvent(new Event("input", {bubbles: true}));
		document.getElementById("create").click();
		document.getElementById("create").click();
	})`))
	p.wait(`document.querySelectorAll(".tile").length === 4`)
	p.wait(`[...document.querySelectorAll(".tile")].every(e => e.dataset.state !== "creating")`)
	if n := creations(t, sandbox); n != 4 {
		t.Errorf("the gateway saw %d creations", n)
	}
}

// The button is read and hit while it says what it does: it keeps its place, and
// its words stand out from their ground, under a finger too.
func TestTheCreateButtonKeepsItsPlace(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	for _, dark := range []bool{true, false} {
		p.must(p.tab.Look(390, 844, dark))
		p.fill("#f-prompt", "A boat")
		p.verb("Create video")
		p.must(p.tab.Eval(nil, `{
			const b = document.getElementById("create"), rgb = c => c.match(/[\d.]+/g).map(Number);
			const light = c => rgb(c).slice(0, 3).map(v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
				.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
			window.seen = [];
			window.look = () => {
				b.getAnimations().forEach(a => a.finish());
				let at = b;
				while (rgb(getComputedStyle(at).backgroundColor)[3] === 0) at = at.parentElement;
				const [x, y] = [light(getComputedStyle(b).color), light(getComputedStyle(at).backgroundColor)].sort((a, b) => b - a);
				seen.push({verb: document.getElementById("verb").textContent, top: Math.round(b.getBoundingClientRect().top), contrast: (x + 0.05) / (y + 0.05)});
			};
			look();
			window.looking = new MutationObserver(look);
			looking.observe(b, {childList: true, characterData: true, subtree: true, attributes: true});
		}`))
		p.click("#create")
		p.wait(`seen.some(s => s.verb === "Created")`)
		p.verb("Create video")
		p.must(p.tab.Eval(nil, `looking.disconnect()`))
		if bad := p.text(`JSON.stringify(seen.filter(s => s.top !== seen[0].top || s.contrast < 4.5))`); bad != "[]" {
			t.Errorf("dark %v: %s of %s", dark, bad, p.text(`JSON.stringify(seen)`))
		}
	}
}

// creations counts the POSTs of clips in the sandbox's record.
func creations(t *testing.T, sandbox *rig.Program) (n int) {
	t.Helper()
	var record struct {
		Requests []struct{ Method, Path string } `json:"requests"`
	}
	if err := json.NewDecoder(ask(t, sandbox, http.MethodGet, "/sandbox/requests", "").Body).Decode(&record); err != nil {
		t.Fatal(err)
	}
	for _, r := range record.Requests {
		if r.Method == http.MethodPost && strings.HasSuffix(r.Path, "/video/generations") {
			n++
		}
	}
	return n
}
