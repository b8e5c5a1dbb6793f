package e2e

import (
	"fmt"
	"testing"
)

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
	p.says("#fitted", "night.gif replaced the last frame")
	p.click("#create")
	p.wait(`document.activeElement.id === "choose-image_urls[1]"`)
	p.give("image_urls[1]", picture)

	p.mode("motion-control")
	hand("drop", `#form .slot[data-place="video_url"]`, `Promise.resolve(new File(["x"], "dance.avi", {type: "video/x-msvideo"}))`)
	p.wait(`document.querySelector('#form .slot[data-place="video_url"]').innerText.includes("this needs an MP4 video")`)
	p.verb("Replace the motion clip")
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
