package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// The page of a clip: it plays and seeks, gives a frame to the form, and says
// what it was made with.
func TestPageOfAClip(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("beta-video-480p", "A red kite over the dunes", "6", nil)
	p.saved(clip.ID)
	p.click("#card-" + clip.ID + "-link")
	p.wait(`location.pathname === "/video/` + clip.ID + `"`)

	p.wait(`document.querySelector("#player")?.readyState >= 1`)
	p.wait(`Math.abs(document.querySelector("#player").duration - 6) < 0.05`)
	p.must(p.tab.Eval(nil, `new Promise(seeked => {
		const v = document.querySelector("#player");
		v.onseeked = () => seeked(true);
		v.currentTime = 4.5;
	})`))
	var seekable float64
	p.must(p.tab.Eval(&seekable, `document.querySelector("#player").seekable.end(0)`))
	if seekable < 5.9 {
		t.Errorf("it can be sought up to %v s", seekable)
	}
	task := m.task(clip.ID)
	for selector, words := range map[string]string{
		"#clip-state": "Finished", "#clip-cost": "$0.18", "#clip-left": "14 days left", "#clip-saved": "saved",
		".clip-parameters": "beta-video-480p", ".clip-raw": task.Outputs[0].SHA256,
	} {
		p.says(selector, words)
	}
	if raw := p.text(`document.querySelector("#clip-json").textContent`); !strings.Contains(raw, task.Remote) {
		t.Error("the raw task has not its id")
	}

	p.press("#clip-name-tags")
	p.wait(`document.activeElement?.id === "clip-name"`)
	p.keys("\x1b")
	p.wait(`document.activeElement?.id === "clip-name-tags"`)
	p.press("#clip-name-tags")
	p.wait(`document.activeElement?.id === "clip-name"`)
	p.keys("Kite, take one\r")
	p.says(".clip-title", "Kite, take one")

	p.press("#clip-take")
	p.wait(`location.pathname === "/video"`)
	p.says("#fitted", "frame at 4.50 s is now the image")
	p.wait(`document.activeElement?.id === "f-prompt"`)
	p.wait(`[...document.querySelectorAll("#video-form img")].some(e => e.naturalWidth > 300)`)

	// Deleted from its page, it is offered back on the next.
	p.open("/video/" + clip.ID)
	p.press("#clip-delete")
	p.wait(`location.pathname === "/video"`)
	p.press("#undo-clip")
	p.says(tile(clip.ID, ".tile-title"), "Kite, take one")

	p.open("/video/00000000-0000-4000-8000-000000000000")
	p.wait(`!!document.querySelector(".empty a[href='/video']")`)
}

// After 14 days the gateway has deleted its files. The clip plays from the
// archive, and says why nothing can be made of it any more.
func TestClipPlaysAfterItExpired(t *testing.T) {
	t.Parallel()
	sandbox := startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "40")
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/video")
	m := w.makes()
	clip := m.clip("beta-video-480p", "A lantern in the fog", "6", nil)
	p.saved(clip.ID)

	advance(t, sandbox, "360h")

	p.open("/video/" + clip.ID)
	p.press("#clip-check")
	p.says("#clip-state", "Finished")
	p.says("#clip-left", "deleted after 14 days")
	p.wait(`document.querySelector("#clip-saved")?.textContent === "saved"`)
	p.wait(`document.querySelector("#clip-extend-0")?.getAttribute("aria-disabled") === "true"`)
	p.says("#clip-extend-0-why", "older than 14 days")
	p.reload()
	p.wait(`document.querySelector("#player")?.readyState >= 1`)
	p.must(p.tab.Eval(nil, `(async () => { const v = document.querySelector("#player"); v.muted = true; v.currentTime = 3; await v.play(); })()`))
	p.wait(`document.querySelector("#player").currentTime > 3.2`)

	p.open("/video")
	p.becomes(clip.ID, wire.VideoExpired)
	p.wait(fmt.Sprintf(`document.querySelector(%q)?.naturalWidth > 300`, tile(clip.ID, "img.tile-picture")))
}

// What ends while one is elsewhere is told there, and counted.
func TestFinishedWhileElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	m := w.makes()
	p.click(`.rail a[href="/"], .rail a[href^="/c/"]`)
	p.wait(`document.querySelector("#app").dataset.view === "chat"`)
	clip := m.clip("beta-video-480p", "A slow tide", "6", nil)
	p.wait(`document.querySelector(".clip-toasts")?.textContent.includes("Finished: A slow tide") && document.title.startsWith("(1) ") &&
		document.querySelector('.rail a[href="/video"] .rail-count')?.textContent === "1"`)
	p.press(`.clip-toasts a[href="/video/` + clip.ID + `"]`)
	p.wait(`document.querySelector("#player")?.readyState >= 1`)
	p.wait(`!document.title.startsWith("(")`)
}

// A wrong key fails nothing: the card says that it is paused, and where the key
// is entered.
func TestCardPausedByTheKey(t *testing.T) {
	t.Parallel()
	g := newLossyGateway(t, startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "20").URL)
	w := newWorld(t, g.URL)
	p := w.keyed("/video")
	m := w.makes()
	clip := m.clip("beta-video-480p", "A quiet harbour [[slow]]", "6", nil)
	p.underway(clip.ID)
	g.locked.Store(true)
	p.says(tile(clip.ID, ".tile-pause"), "Enter the key")
	p.says("#paused", "Nothing has failed")
	g.locked.Store(false)
	p.enterKey(sandboxKey)
	p.open("/video")
	p.wait(fmt.Sprintf(`!document.querySelector(%q)`, tile(clip.ID, ".tile-pause")))
}

// The archive's settings: use, quota, and what it refuses.
func TestArchiveSettings(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	m := w.makes()
	p := w.tab("/video")
	clip := m.clip("beta-video-480p", "A kettle boils", "6", nil)
	p.saved(clip.ID)
	p.open("/settings/archive")
	p.says("#archive-use", "of 10 GB used")
	set := func(quota string) {
		p.must(p.tab.Eval(nil, `document.querySelector("#archive-quota").select()`))
		p.keys(quota + "\r")
	}
	p.wait(`document.querySelector("#archive-quota").value === "10"`)
	set("a lot")
	p.says("#archive-outcome", "a number of GB, 0.1 to 102")
	set("900000")
	p.wait(`document.querySelector("#archive-quota").ariaInvalid === "true"`)
	// An emptied field stays so, whatever is drawn meanwhile: else the next
	// digits would stand behind the old ones.
	p.must(p.tab.Eval(nil, `document.querySelector("#archive-quota").select()`))
	p.keys("\b")
	m.clip("beta-video-480p", "Another kettle", "10", nil)
	p.wait(`document.querySelector("#settings-archive .facts dd").textContent === "2"`) // files
	if v := p.text(`document.querySelector("#archive-quota").value`); v != "" {
		t.Errorf("the emptied field has %q", v)
	}
	set("2.5")
	p.says("#archive-outcome", "Saved")
	p.says("#archive-use", "of 2.5 GB used")
	p.reload()
	p.wait(`document.querySelector("#archive-quota")?.value === "2.5"`)
}

// In another tab or program, a person who allowed it is told by the browser,
// once for a clip, and what they press leads there.
func TestTheBrowserTellsOfAClip(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/")
	m := w.makes()
	// Headless, the browser neither asks nor shows; what it is told is kept.
	p.must(p.tab.Eval(nil, `(() => {
		window.told = [];
		window.Notification = class extends EventTarget {
			static permission = "granted";
			constructor(words, more) { super(); told.push([words, more.tag]); window.note = this }
			close() {}
		};
	})()`))
	hide := func(hidden bool) {
		p.must(p.tab.Eval(nil, fmt.Sprintf(`(() => {
			Object.defineProperty(document, "hidden", {configurable: true, get: () => %v});
			Object.defineProperty(document, "visibilityState", {configurable: true, get: () => %v ? "hidden" : "visible"});
			document.dispatchEvent(new Event("visibilitychange"));
		})()`, hidden, hidden)))
	}
	hide(true)
	done := m.clip("beta-video-480p", "A slow tide", "6", nil)
	p.wait(`told.length === 1`)
	failed := m.clip("gamma-2-480p", "No tide [[fail: too slow]]", "5", nil)
	p.wait(`told.length === 2`)
	told := p.text(`told.flat().join("\n")`)
	for _, want := range []string{"Finished: A slow tide\n" + done.ID, "Failed: No tide", "\n" + failed.ID} {
		if !strings.Contains(told, want) {
			t.Errorf("the browser told %q, without %q", told, want)
		}
	}
	p.wait(`document.title.startsWith("(2) ")`)
	hide(false)
	p.must(p.tab.Eval(nil, `note.dispatchEvent(new Event("click"))`))
	p.wait(`location.pathname === "/video/` + failed.ID + `"`)

	// While the page is looked at, the page tells it.
	p.open("/")
	p.must(p.tab.Eval(nil, `window.told = []; window.Notification = class extends EventTarget { static permission = "granted"; constructor(words) { super(); told.push(words) } }`))
	m.clip("beta-video-480p", "Another tide", "6", nil)
	p.says(".clip-toasts", "Finished: Another tide")
	if n := p.number("told.length"); n != 0 {
		t.Errorf("the browser told of it too, %v times", n)
	}
}

// The marks of a clip can be taken away again on its page.
func TestMarksOnThePageOfAClip(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	p := w.tab("/video")
	clip := w.makes().clip("beta-video-480p", "A heron in the reeds", "6", nil)
	p.saved(clip.ID)
	p.open("/video/" + clip.ID)
	for range 2 {
		for button, words := range map[string][2]string{
			"#clip-star": {"Add to favourites", "Remove from favourites"},
			"#clip-pin":  {"Pin in the archive", "Unpin from the archive"},
		} {
			p.says(button, words[0])
			p.press(button)
			p.says(button, words[1])
			p.press(button)
			p.says(button, words[0])
		}
	}
}

// What is done on the page of a clip with several files is done with the file
// that is shown.
func TestActionsOnTheSecondFile(t *testing.T) {
	t.Parallel()
	sandbox := startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "200")
	proxy := newProxy(t, sandbox.URL)
	proxy.ModifyResponse = func(res *http.Response) error { // every finished task has two files
		if !strings.Contains(res.Request.URL.Path, "/video/generations/") {
			return nil
		}
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return err
		}
		twice := regexp.MustCompile(`"output":\[\{"url":"([^"]*)"\}\]`).ReplaceAll(body, []byte(`"output":[{"url":"$1"},{"url":"$1?2"}]`))
		res.Body = io.NopCloser(bytes.NewReader(twice))
		res.ContentLength = int64(len(twice))
		res.Header.Set("Content-Length", strconv.Itoa(len(twice)))
		return nil
	}
	gateway := httptest.NewServer(proxy)
	t.Cleanup(gateway.Close)
	w := newWorld(t, gateway.URL)
	p := w.keyed("/video")
	clip := w.makes().clip("beta-video-480p", "Two gulls", "6", nil)
	p.saved(clip.ID)
	p.open("/video/" + clip.ID)
	p.wait(`document.querySelector("#player")?.readyState >= 1`)
	p.press(`[aria-label="Files of this task"] button:nth-child(2)`)
	p.wait(`document.querySelector("#player").getAttribute("src").endsWith("/1")`)
	p.must(p.tab.Eval(nil, `HTMLAnchorElement.prototype.click = function () { window.downloaded = this.getAttribute("href") }`))
	p.press("#clip-download")
	p.wait(`window.downloaded === "/media/` + clip.ID + `/1?download=1"`)
	p.press("#clip-reference")
	p.wait(`location.pathname === "/video" && document.querySelector("#form .thumb video")?.getAttribute("src") === "/media/` + clip.ID + `/1"`)
}
