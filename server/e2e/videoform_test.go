package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
)

// The sandbox makes a clip in less than a second.
var fastClips = []string{"-sandbox-speed", "200"}

// mode shows the form of a mode.
func (p *page) mode(mode string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.getElementById("f-mode-%s").click()`, mode)))
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

// A picture and a clip of the person's own disk, as JavaScript expressions of a
// promise of a File.
const picture = `new Promise(done => {
	const c = document.createElement("canvas"); c.width = 640; c.height = 360;
	const g = c.getContext("2d"); g.fillStyle = "#2a6"; g.fillRect(0, 0, 640, 360); g.fillStyle = "#fd4"; g.fillRect(200, 100, 240, 160);
	c.toBlob(b => done(new File([b], "meadow.png", {type: "image/png"})), "image/png");
})`

func clipFile(id string) string {
	return fmt.Sprintf(`fetch("/media/%s/0").then(r => r.blob()).then(b => new File([b], "clip.mp4", {type: "video/mp4"}))`, id)
}

// give puts a file into the slot at a place, as choosing it does, and waits
// until it has been uploaded and is shown.
func (p *page) give(place, file string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`%s.then(file => {
		const set = new DataTransfer(); set.items.add(file);
		const input = document.getElementById("file-%s"); input.files = set.files;
		input.dispatchEvent(new Event("change", {bubbles: true}));
	})`, file, place)))
	p.wait(fmt.Sprintf(`document.querySelector('#form .slot[data-place="%s"][data-full="true"]:not([data-stage]) .thumb :is(img, video)')?.getAttribute("src").startsWith("/u/")`, place))
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
	p.wait(fmt.Sprintf(`["done", "failed", "refused", "unknown", "lost"].includes(document.querySelector('.clip-card[data-id="%s"]').dataset.state)`, id))
	if state := p.text(newestCard + ".dataset.state"); state != "done" {
		p.w.t.Fatalf("the clip is %s: %s", state, p.text(newestCard+".innerText"))
	}
	if got := p.plays("/media/" + id + "/0"); got < seconds-0.1 || got > seconds+0.1 {
		p.w.t.Errorf("the clip lasts %g s, want %g", got, seconds)
	}
	p.wait(`document.getElementById("made").textContent === ""`) // the button rests for a moment
	return id
}

const newestCard = `document.querySelector(".clip-card[data-id]")`

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
	p.wait(`document.getElementById("worked-out").innerText.replace(/\s+/g, " ").includes("seconds 11 = clip 5 + references 6")`)
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
	p.wait(`document.getElementById("fitted").innerText.includes("seconds 10 became 8") && document.getElementById("fitted").innerText.includes("aspect_ratio 1:1 became 16:9")`)
	p.click("#undo-fit")
	p.wait(`document.getElementById("model-select").value === "beta-video-720p" && document.getElementById("f-seconds-10").checked && document.getElementById("f-ratio-1:1").checked`)
}

// A file is dropped or pasted; one of the wrong kind is refused before it is
// sent, and says what would do.
func TestFilesAreDroppedAndPasted(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.mode("first-last-frame")
	hand := func(event, selector, file string) {
		p.must(p.tab.Eval(nil, fmt.Sprintf(`%s.then(file => {
			const set = new DataTransfer(); set.items.add(file);
			const kind = %q, at = document.querySelector(%q);
			at.dispatchEvent(kind === "drop" ? new DragEvent(kind, {dataTransfer: set, bubbles: true, cancelable: true})
				: new ClipboardEvent(kind, {clipboardData: set, bubbles: true, cancelable: true}));
		})`, file, event, selector)))
	}
	hand("drop", `#form .slot[data-place="image_urls[1]"]`, picture)
	p.wait(`document.querySelector('#form .slot[data-place="image_urls[1]"] .thumb img')?.getAttribute("src").startsWith("/u/")`)
	hand("paste", "#f-prompt", picture)
	p.wait(`document.querySelector('#form .slot[data-place="image_urls[0]"] .thumb img')?.getAttribute("src").startsWith("/u/")`)
	p.wait(`document.querySelector('#form .slot[data-place="image_urls[0]"] .slot-facts').textContent.startsWith("640 × 360")`)

	hand("drop", `#form .slot[data-place="image_urls[1]"]`, `Promise.resolve(new File(["x"], "night.gif", {type: "image/gif"}))`)
	p.says(`#form .slot[data-place="image_urls[1]"]`, "night.gif is image/gif")
	p.says("#fitted", "night.gif took the place of the last frame")
	p.click("#create")
	p.wait(`document.activeElement.id === "choose-image_urls[1]"`)
	p.give("image_urls[1]", picture)

	p.mode("motion-control")
	hand("drop", `#form .slot[data-place="video_url"]`, `Promise.resolve(new File(["x"], "dance.avi", {type: "video/x-msvideo"}))`)
	p.wait(`document.querySelector('#form .slot[data-place="video_url"]').innerText.includes("here goes an MP4 video")`)
	p.verb("Replace the motion clip")
}

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
	p.wait(`document.querySelectorAll(".clip-card").length === 2`)
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
	p.wait(`document.querySelectorAll(".clip-card").length === 4`)
	p.wait(`[...document.querySelectorAll(".clip-card")].every(e => e.dataset.state !== "creating")`)
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

// What is copied is the request as it stands; where the browser does not let it
// be copied, that is said, and nothing else.
func TestCopyTheVideoRequest(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = text => { window.copied = text; return Promise.resolve() }`))
	p.must(p.tab.Eval(nil, `document.querySelector(".preview").open = true`))
	p.fill("#f-prompt", "A lighthouse in the fog")
	p.wait(`document.getElementById("request").textContent.includes("A lighthouse in the fog")`)
	p.click("#copy-request")
	p.says("#copy-request", "Copied")
	p.wait(`window.copied === document.getElementById("request").textContent`)
	p.says("#copy-request", "Copy JSON")

	p.must(p.tab.Eval(nil, `navigator.clipboard.writeText = () => Promise.reject(new Error("no"))`))
	p.click("#copy-request")
	p.says(".notices", "did not let it be copied")
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

// Of what is loaded to be sent, measured or looked at, nothing is left when
// that is done: no file in the browser's memory, no listener, no open clip.
func TestNothingOfAFileIsLeftBehind(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	clip := w.makes().clip("beta-video-480p", "A gull", "6", nil)
	p.saved(clip.ID)
	p.must(p.tab.Eval(nil, `(() => {
		window.files = new Set(); window.ears = new Map(); window.hidden = [];
		const made = URL.createObjectURL, gone = URL.revokeObjectURL, el = document.createElement;
		URL.createObjectURL = blob => { const url = made.call(URL, blob); files.add(url); return url };
		URL.revokeObjectURL = url => { files.delete(url); gone.call(URL, url) };
		document.createElement = function (tag) {
			const e = el.call(document, tag);
			if (tag === "video") setTimeout(() => e.isConnected || hidden.push(e)); // not one that is drawn
			return e;
		};
		const add = EventTarget.prototype.addEventListener, remove = EventTarget.prototype.removeEventListener;
		const counted = t => t instanceof XMLHttpRequestEventTarget || (t instanceof HTMLMediaElement || t instanceof HTMLImageElement) && !t.isConnected;
		const key = new WeakMap(); let n = 0;
		const name = (t, kind) => { if (!key.has(t)) key.set(t, ++n); return t.constructor.name + key.get(t) + " " + kind };
		EventTarget.prototype.addEventListener = function (kind, f, o) { if (counted(this)) ears.set(name(this, kind), 1); return add.call(this, kind, f, o) };
		EventTarget.prototype.removeEventListener = function (kind, f, o) { if (key.has(this)) ears.delete(name(this, kind)); return remove.call(this, kind, f, o) };
	})()`))
	p.mode("image-to-video")
	p.give("image_urls[0]", picture)
	p.mode("motion-control")
	p.give("video_url", clipFile(clip.ID))
	for _, frame := range []string{"first", "last"} {
		p.press("#card-" + clip.ID + "-more")
		p.press("#card-" + clip.ID + "-" + frame)
		p.says("#fitted", "The clip's "+frame+" frame is now the character's photo")
	}
	p.wait(`[...document.querySelectorAll("#form .thumb img")].every(e => e.getAttribute("src").startsWith("/u/"))`)
	// A file that is taken out again while it is on its way.
	p.mode("first-last-frame")
	p.must(p.tab.Eval(nil, fmt.Sprintf(`(async () => {
		const file = await %s, set = new DataTransfer(), send = XMLHttpRequest.prototype.send;
		XMLHttpRequest.prototype.send = function (body) { setTimeout(() => send.call(this, body), 500); XMLHttpRequest.prototype.send = send };
		set.items.add(file);
		document.querySelector('#form .slot[data-index="1"]').dispatchEvent(new DragEvent("drop", {dataTransfer: set, bubbles: true, cancelable: true}));
	})()`, picture)))
	p.press(`#form .slot[data-index="1"][data-stage="uploading"] [title="Remove"]`)
	p.wait(`document.querySelector('#form .slot[data-index="1"]').dataset.full === "false"`)

	p.wait(`files.size === 0`)
	p.wait(`[...ears.keys()].join() === ""`)
	p.wait(`hidden.length > 2 && !hidden.some(e => e.hasAttribute("src"))`)
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
