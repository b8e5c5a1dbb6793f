package e2e

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"strconv"
	"strings"
	"testing"
)

// Clips are compared in step: played, scrubbed and stepped as one, with one
// sound; and downloaded as one file.
func TestCompareAndDownload(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	long := m.clip("beta-video-480p", "A long tracking shot", "10", nil)
	short := m.clip("beta-video-720p", "A short close-up", "6", nil)
	p.saved(long.ID)
	p.saved(short.ID)

	p.press("#select-clips")
	p.wait(`document.querySelector("#compare-chosen")?.getAttribute("aria-disabled") === "true"`)
	p.press("#card-" + short.ID + "-choose")
	p.press("#card-" + long.ID + "-choose")
	p.says("#selection", "2 clips chosen")

	var packed string
	p.must(p.tab.Eval(&packed, `(async () => {
		const r = await fetch("/api/videos.zip?ids=`+short.ID+`,`+long.ID+`");
		const bytes = new Uint8Array(await r.arrayBuffer());
		let s = "";
		for (const b of bytes) s += String.fromCharCode(b);
		return btoa(s);
	})()`))
	raw, err := base64.StdEncoding.DecodeString(packed)
	if err != nil {
		t.Fatal(err)
	}
	z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 2 {
		t.Errorf("the zip has %d files", len(z.File))
	}
	for _, f := range z.File {
		if int64(f.UncompressedSize64) != m.task(short.ID).Outputs[0].Bytes && int64(f.UncompressedSize64) != m.task(long.ID).Outputs[0].Bytes {
			t.Errorf("%s has %d bytes, as neither of the clips", f.Name, f.UncompressedSize64)
		}
	}

	p.press("#compare-chosen")
	p.wait(`location.pathname === "/video/compare" && location.search.includes("` + short.ID + `,` + long.ID + `")`)
	p.wait(`[...document.querySelectorAll(".compare-clip")].filter(v => v.readyState >= 2 && v.duration > 5).length === 2`)
	p.says("#compare-time", "0:10.00")
	times := `[...document.querySelectorAll(".compare-clip")].map(v => v.currentTime)`

	p.press("#compare-play")
	p.wait(`(t => t[0] > 1 && t[1] > 1)(` + times + `)`)
	p.press("#compare-play")
	p.wait(`[...document.querySelectorAll(".compare-clip")].every(v => v.paused)`)
	var at []float64
	p.must(p.tab.Eval(&at, times))
	if d := at[0] - at[1]; d > 0.05 || d < -0.05 {
		t.Errorf("paused, they are %v s apart", d)
	}

	// Scrubbed past the end of the shorter one, which waits at its end.
	p.must(p.tab.Eval(nil, `(e => { e.value = 800; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#compare-seek"))`))
	p.wait(`(t => Math.abs(t[0] - 6) < 0.1 && Math.abs(t[1] - 8) < 0.1)(` + times + `)`)
	p.must(p.tab.Eval(nil, `(e => { e.value = 200; e.dispatchEvent(new Event("input", {bubbles: true})); })(document.querySelector("#compare-seek"))`))
	p.wait(`(t => Math.abs(t[0] - 2) < 0.05 && Math.abs(t[1] - 2) < 0.05)(` + times + `)`)

	p.must(p.tab.Eval(nil, `document.querySelector("#compare-on").focus()`))
	p.must(p.tab.Eval(&at, times))
	before := at[1]
	p.keys("..")
	p.wait(`(t => t.every(x => x > ` + num(before+0.05) + ` && x < ` + num(before+0.15) + `))(` + times + `)`)
	p.keys(",,")
	p.wait(`(t => t.every(x => x < ` + num(before+0.05) + `))(` + times + `)`)

	p.press("#sound-0")
	p.wait(`[...document.querySelectorAll(".compare-clip")].map(v => v.muted).join() === "false,true"`)
	p.press("#sound-1")
	p.wait(`[...document.querySelectorAll(".compare-clip")].map(v => v.muted).join() === "true,false"`)
}

// num writes a number for JavaScript.
func num(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// What is done with the chosen clips is done with all of them, also with those
// that were chosen after the button came alive.
func TestThreeChosenClips(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	var ids []string
	for _, prompt := range []string{"A gull", "A pier", "A storm"} {
		ids = append(ids, m.clip("beta-video-480p", prompt, "6", nil).ID)
	}
	for _, id := range ids {
		p.saved(id)
	}
	p.must(p.tab.Eval(nil, `HTMLAnchorElement.prototype.click = function () { window.downloaded = this.getAttribute("href") }`))
	p.press("#select-clips")
	for i, id := range ids {
		p.press("#card-" + id + "-choose")
		p.says("#selection", strconv.Itoa(i+1)+" clip")
		p.press("#zip-chosen")
		p.wait(`window.downloaded === "/api/videos.zip?ids=` + strings.Join(ids[:i+1], ",") + `"`)
	}
	p.press("#compare-chosen")
	p.wait(`location.pathname === "/video/compare" && location.search === "?ids=` + strings.Join(ids, ",") + `"`)
	p.wait(`document.querySelectorAll(".compare-clip").length === 3`)
}
