package e2e

import (
	"fmt"
	"testing"
)

// The sandbox makes a clip in less than a second.
var fastClips = []string{"-sandbox-speed", "200"}

// mode shows the form of a mode.
func (p *page) mode(mode string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`(e => {
		e.value = %q
		e.dispatchEvent(new Event("change", {bubbles: true}))
	})(document.getElementById("f-mode"))`, mode)))
	p.wait(fmt.Sprintf(`document.querySelector(".form-fields").dataset.mode === %q`, mode))
}

// fill types a text into an empty field.
func (p *page) fill(selector, text string) {
	p.w.t.Helper()
	p.click(selector)
	p.wait(fmt.Sprintf(`document.activeElement === document.querySelector(%q)`, selector))
	p.keys(text)
}

// model chooses a model in the form.
func (p *page) videoModel(id string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`{ const s = document.getElementById("model-select"); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})) }`, id)))
	p.wait(fmt.Sprintf(`document.getElementById("request").textContent.includes('"model": "%s"')`, id))
}

// verb waits until the button says this.
func (p *page) verb(want string) {
	p.w.t.Helper()
	if err := p.tab.Wait(fmt.Sprintf(`document.getElementById("verb").textContent === %q`, want)); err != nil {
		p.w.t.Fatalf("the button says %q, want %q", p.text(`document.getElementById("verb").textContent`), want)
	}
}

// make clicks the button and waits until the clip is finished. It plays in the
// browser, and lasts as long as it should. It returns the task.
func (p *page) make(verb string, seconds float64) string {
	p.w.t.Helper()
	p.verb(verb)
	before := p.text(newestCard + `?.dataset.id ?? ""`)
	p.click("#create")
	p.wait(fmt.Sprintf(`(%s?.dataset.id ?? "") !== %q`, newestCard, before))
	id := p.text(newestCard + ".dataset.id")
	p.wait(fmt.Sprintf(`["done", "failed", "refused", "unknown", "lost"].includes(document.querySelector('.tile[data-id="%s"]').dataset.state)`, id))
	if state := p.text(newestCard + ".dataset.state"); state != "done" {
		p.w.t.Fatalf("the clip is %s: %s", state, p.text(newestCard+".innerText"))
	}
	if got := p.plays("/media/" + id + "/0"); got < seconds-0.1 || got > seconds+0.1 {
		p.w.t.Errorf("the clip lasts %g s, want %g", got, seconds)
	}
	p.wait(`document.getElementById("made").textContent === ""`) // the button rests for a moment
	return id
}

const newestCard = `document.querySelector(".tile[data-id]")`

// plays plays a clip in the page for a few frames and returns its length.
func (p *page) plays(path string) float64 {
	p.w.t.Helper()
	var seconds float64
	p.must(p.tab.Eval(&seconds, fmt.Sprintf(`new Promise((done, broken) => {
		const v = document.createElement("video");
		v.muted = true;
		v.onerror = () => broken(new Error("the clip does not play: " + v.error.message));
		v.ontimeupdate = () => { if (v.currentTime > 0) { const s = v.duration; v.pause(); v.removeAttribute("src"); done(s) } };
		v.src = %q;
		v.play().catch(broken);
	})`, path)))
	return seconds
}

// Each kind of clip is made from an empty form, as a person does it; what is
// missing is named by the button all along.
func TestEveryKindOfClipIsMadeFromAnEmptyForm(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")

	p.verb("Write a prompt")
	p.click("#create")
	p.wait(`document.activeElement.id === "f-prompt"`)
	p.keys("A paper boat crosses a flooded street")
	p.must(p.tab.Eval(nil, `document.getElementById("f-seconds-6").click()`))
	p.wait(`document.getElementById("price").textContent === "$0.30" && document.getElementById("basis").textContent.startsWith("6 s × $0.05")`)
	boat := p.make("Create video", 6)

	p.mode("image-to-video")
	p.verb("Add an image")
	p.give("image_urls[0]", picture)
	p.make("Create video", 4) // the prompt was taken over

	p.mode("first-last-frame")
	p.give("image_urls[1]", picture)
	p.make("Create video", 5) // the first frame was taken over

	p.mode("motion-control")
	p.give("video_url", clipFile(boat))
	p.wait(`document.getElementById("worked-out").textContent.includes("6")`)
	p.make("Create video", 6)

	p.mode("reference-video")
	p.give("reference_video_urls[0]", clipFile(boat))
	p.click("#f-prompt")
	p.keys(" like @v")
	p.wait(`!document.getElementById("mentions").hidden`)
	p.keys("\r")
	p.wait(`document.getElementById("f-prompt").value.includes("like @Video1 ")`)
	p.wait(`document.getElementById("worked-out").innerText.replace(/\s+/g, " ").includes("Billed as 11 s = clip 5 + references 6")`)
	p.make("Create video", 5)

	p.mode("multi-shot")
	p.verb("Write shot 1")
	p.fill(`[data-place="multi_prompt[0].prompt"]`, "Waves break below the tower")
	p.fill(`[data-place="multi_prompt[1].prompt"]`, "The keeper climbs the stair")
	p.click("#add-shot")
	p.wait(`document.querySelectorAll(".shot").length === 3 && document.activeElement.matches("#shots-last textarea")`)
	p.keys("The beam sweeps the fog")
	p.click(`.shot:nth-child(3) [aria-label="Move shot 3 up"]`)
	p.wait(`document.querySelector(".shot:nth-child(2) textarea").value === "The beam sweeps the fog"`)
	p.wait(`document.getElementById("worked-out").innerText.includes("12")`)
	p.make("Create video", 12)
}

// Extend and upscale begin with a finished clip, chosen in the form.
func TestExtendAndUpscaleFromTheForm(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.videoModel("beta-video-480p")
	p.fill("#f-prompt", "Moss grows over stone")
	clip := p.make("Create video", 6)

	p.mode("upscale")
	p.verb("Choose the clip to upscale")
	p.click(`.source[data-task="` + clip + `"]`)
	p.wait(`[...document.querySelectorAll("#model-select option")].map(o => o.value).join() === "beta-video-upscale-480p-720p,beta-video-upscale-480p-1080p"`)
	p.make("Upscale clip", 6)

	p.mode("extend")
	p.click(`.source[data-task="` + clip + `"]`)
	p.wait(`document.getElementById("request").textContent.includes('"model": "beta-video-480p-extend"')`)
	p.wait(`document.activeElement.id === "f-prompt"`)
	p.keys("The stone is green")
	p.click(`#f-seeds`)
	p.keys("12345")
	p.wait(`document.getElementById("request").textContent.includes('"seeds": 12345')`)
	p.make("Extend clip", 12)
}

// A draft is there again after a reload, each mode's its own.
func TestVideoDraftsSurviveAReload(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.fill("#f-prompt", "A lighthouse")
	p.mode("image-to-video")
	p.give("image_urls[0]", picture)
	p.mode("multi-shot")
	p.fill(`[data-place="multi_prompt[1].prompt"]`, "The second")
	p.reload()
	p.wait(`document.querySelector("#form .form-fields")?.dataset.mode === "multi-shot"`)
	p.wait(`document.querySelector('[data-place="multi_prompt[1].prompt"]').value === "The second"`)
	p.mode("image-to-video")
	p.wait(`document.querySelector("#form .thumb img")?.naturalWidth === 640`)
	p.mode("text-to-video")
	p.wait(`document.getElementById("f-prompt").value === "A lighthouse"`)
}

// Another model keeps what it can take, says what it can't, and gives it back.
func TestAnotherVideoModelSaysWhatItDropped(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.videoModel("beta-video-720p")
	p.must(p.tab.Eval(nil, `document.getElementById("f-seconds-10").click(); document.getElementById("f-ratio-1:1").click()`))
	p.wait(`document.getElementById("request").textContent.includes('"seconds": "10"')`)
	p.wait(`document.getElementById("request").textContent.includes('"aspect_ratio": "1:1"')`)
	p.videoModel("alpha-3.1-fast")
	p.wait(`document.getElementById("fitted").innerText.includes("Length changed from 10 to 8 s.") && document.getElementById("fitted").innerText.includes("Aspect ratio changed from 1:1 to 16:9.")`)
	p.click("#undo-fit")
	p.wait(`document.getElementById("model-select").value === "beta-video-720p" && document.getElementById("f-seconds-10").checked && document.getElementById("f-ratio-1:1").checked`)
}

// What is copied is the request as it stands; where the browser does not let it
// be copied, that is said, and nothing else.
func TestCopyTheVideoRequest(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }`))
	p.must(p.tab.Eval(nil, `document.querySelector("#request-fold").open = true`))
	p.fill("#f-prompt", "A lighthouse in the fog")
	p.wait(`document.getElementById("request").textContent.includes("A lighthouse in the fog")`)
	p.click("#copy-request")
	p.says("#copy-request", "Copied")
	p.wait(`window.copied === document.getElementById("request").textContent`)
	p.says("#copy-request", "Copy JSON")

	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = () => Promise.reject(new Error("no"))`))
	p.click("#copy-request")
	p.says(".clip-toasts", "blocked copying")
	if words := p.text(`document.getElementById("copy-request").innerText`); words != "Copy JSON" {
		t.Errorf("the button says %q although nothing was copied", words)
	}

	// Over plain http there is no such clipboard; the older way takes the same.
	p.must(p.tab.Eval(nil, `Object.defineProperty(navigator, "clipboard", {value: undefined, configurable: true});
		document.execCommand = what => { window.selected = what + " " + document.activeElement.value; return true }; true`))
	p.click("#copy-request")
	p.says("#copy-request", "Copied")
	p.wait(`window.selected === "copy " + document.getElementById("request").textContent`)
}

// What is typed as seconds stays as it was typed: where it can't be, its bounds
// are said and there is no price, and never that of another length.
func TestSecondsThatCannotBeAreSaid(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.fill("#f-prompt", "A tower")
	p.mode("multi-shot")
	p.fill(`[data-place="multi_prompt[0].prompt"]`, "Waves break below it")
	p.fill(`[data-place="multi_prompt[1].prompt"]`, "The keeper climbs the stair")
	p.wait(`document.getElementById("price").textContent === "$0.64"`)
	seconds := `[data-place="multi_prompt[1].duration"]`
	p.must(p.tab.Eval(nil, `document.querySelector('`+seconds+`').select()`))
	p.keys("13")
	p.says(`#form .shot[data-place="multi_prompt[1]"]`, "1 to 12 seconds; it is 13")
	p.verb("Change the length of shot 2")
	p.wait(`document.getElementById("price").textContent === "–"`)
	p.click("#create")
	p.wait(`document.activeElement.matches('` + seconds + `')`)
	if got := p.text(`document.activeElement.value`); got != "13" {
		t.Errorf("the field shows %q", got)
	}
	p.must(p.tab.Eval(nil, `document.activeElement.select()`))
	p.keys("12")
	p.verb("Create video")
	p.wait(`document.getElementById("price").textContent === "$1.28"`)
}

// The choice of the mode takes one line, however narrow the page is, and the
// prompt begins with room for some five.
func TestModesTakeOneLine(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	for _, width := range []int64{1440, 390, 320} {
		p.looks(width, 700, false)
		p.mode("text-to-video")
		if high := p.number(`document.getElementById("f-prompt").clientHeight`); high < 100 {
			t.Errorf("at %d px the prompt is %.0f px high", width, high)
		}
		p.mode("upscale")
		if high := p.number(`document.getElementById("f-mode").offsetHeight`); high > 48 {
			t.Errorf("at %d px the modes are %.0f px high", width, high)
		}
		p.wait(`document.getElementById("f-mode").getBoundingClientRect().right < innerWidth`)
		if wide := p.number(`(e => e.scrollWidth - e.clientWidth)(document.getElementById("form-body"))`); wide > 0 {
			t.Errorf("at %d px the form is %.0f px wider than the window", width, wide)
		}
	}
	p.mode("first-last-frame")
	p.fill(`[id="link-image_urls[0]"]`, "https://files.example/a.png")
	p.keys("\t")
	p.wait(`document.querySelector('[data-place="image_urls[0]"] .slot-name')?.textContent === "First frame"`)
}

// Several takes of a click are tasks of their own, and the button's price is that
// of all of them.
func TestSeveralTakesOfOneClick(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.mode("text-to-video")
	p.fill("#f-prompt", "A paper boat")
	p.wait(`document.getElementById("price").textContent === "$0.20"`)
	p.must(p.tab.Eval(nil, `document.getElementById("f-takes-3").click()`))
	p.verb("Create 3 videos")
	p.wait(`document.getElementById("price").textContent === "$0.60" && document.getElementById("basis").textContent.startsWith("3 takes × ")`)
	p.must(p.tab.Eval(nil, `document.getElementById("create").click(); document.getElementById("create").click()`)) // a double click
	p.wait(`document.querySelectorAll('.tile[data-state="done"]').length === 3`)
	if n := p.number(`document.querySelectorAll(".tile").length`); n != 3 {
		t.Errorf("%.0f clips of three takes", n)
	}
	p.mode("upscale")
	p.wait(`!document.getElementById("f-takes-1")`)
}
