package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// What is typed as a figure is taken, or the person is told why it is not.
func TestFiguresThatAreNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.click("#inspector")
	p.click("#tab-params")
	says := func(typed, want, kept string) {
		t.Helper()
		p.click("#param-temperature")
		p.must(p.tab.Eval(nil, `document.querySelector("#param-temperature").select()`))
		p.keys(typed)
		p.wait(fmt.Sprintf(`document.querySelector("#param-temperature").value === %q`, typed))
		p.wait(fmt.Sprintf(`document.querySelector("#check-temperature").textContent.includes(%q) && (document.querySelector("#check-temperature").textContent === "") === %v`, want, want == ""))
		p.click("#tab-request")
		p.wait(`document.querySelector("#request-body")?.textContent.includes('"model"')`)
		p.wait(fmt.Sprintf(`/"temperature": ?([^,\s}]*)/.exec(document.querySelector("#request-body").textContent)?.[1] == %s`, kept))
		p.click("#tab-params")
		p.wait(`!!document.querySelector("#param-temperature")`)
	}
	says("0.4", "", `"0.4"`)
	says("warm", "no number", `"0.4"`)
	says("inf", "no number", `"0.4"`)
	says("0,7", "", `"0.7"`)
	says("7", "from 0 to 2", `"7"`)
	says("1", "", `"1"`)
}

// Copying works where the browser gives no clipboard to the page, and says so
// where it gives none at all.
func TestCopyingWithoutAClipboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.send("[[repeat: 20]] hello")
	p.settled()
	p.must(p.tab.Eval(nil, `Object.defineProperty(navigator, "clipboard", {value: undefined, configurable: true});
		document.addEventListener("copy", () => { window.copied = document.activeElement.value }); true`))
	text := p.text(last + `.querySelector(".body").textContent`)
	p.click(answers + " .copy")
	p.wait(`window.copied?.replace(/\s+/g, "") === ` + quoted(letters(text)))
	p.wait(`document.activeElement?.matches(".copy") && !document.querySelector("textarea.sr-only")`)
	p.wait(`document.querySelector(".copy").classList.contains("copied")`)
	p.wait(`!document.querySelector(".copy").classList.contains("copied")`)

	p.must(p.tab.Eval(nil, `Object.defineProperty(navigator, "clipboard", {value: {writeText: () => Promise.reject(new Error("no"))}}); true`))
	p.click(answers + " .copy")
	p.wait(`document.querySelector("#toast, .toast")?.textContent.includes("did not let it be copied")`)
	if p.has(".copied") {
		t.Error("it is said that it was copied")
	}
}

// However many lanes there are, it can be read which model is which, and the
// one in focus is in view.
func TestLanesSayWhichModelTheyAre(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.compare(six...)
	const cut = `[...document.querySelectorAll(".lane .model-own")].filter(e => e.checkVisibility() && e.scrollWidth > e.clientWidth).map(e => e.textContent).join()`
	within := func(inner, outer string) string {
		return fmt.Sprintf(`(() => { const a = document.querySelector(%q).getBoundingClientRect(), b = document.querySelector(%q).getBoundingClientRect(); return a.left >= b.left - 1 && a.right <= b.right + 1 })()`, inner, outer)
	}
	for _, size := range []struct{ width, height int64 }{{1440, 900}, {390, 844}, {320, 640}} {
		p.must(p.tab.Look(size.width, size.height, true))
		if names := p.text(cut); names != "" {
			t.Errorf("%d px wide, cut off: %s", size.width, names)
		}
		if wide := p.number(`document.documentElement.scrollWidth - innerWidth`); wide > 0 {
			t.Errorf("%d px wide, the page is %.0f px wider", size.width, wide)
		}
	}
	p.must(p.tab.Eval(nil, `document.querySelector("#lane-tab-0").click()`))
	p.wait(`document.querySelector("#lane-tab-0").getAttribute("aria-selected") === "true"`)
	p.wait(within("#lane-tab-0", ".lane-tabs"))
	p.must(p.tab.Eval(nil, `document.querySelector("#lane-tab-5").click()`))
	p.wait(`document.querySelector("#lane-tab-5").getAttribute("aria-selected") === "true"`)
	p.wait(within("#lane-tab-5", ".lane-tabs"))

	// Opened beside them, the drawer does not push the lane that it is about
	// out of view.
	p.must(p.tab.Look(1440, 900, true))
	p.wait(`document.querySelector("#lane-5").dataset.focused === "true"`)
	p.click("#inspector")
	p.wait(`!document.querySelector("#drawer").hidden`)
	p.wait(within("#lane-5", "#lanes"))
	if got := p.text(`document.querySelector("#lane-5 .model-name").textContent`); !strings.HasSuffix(got, six[5]) {
		t.Errorf("lane 6 is %q", got)
	}
}
