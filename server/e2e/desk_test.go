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
	says("warm", "isn’t a number", `"0.4"`)
	says("inf", "isn’t a number", `"0.4"`)
	says("0,7", "", `"0.7"`)
	says("7", "from 0 to 2", `"7"`)
	says("1", "", `"1"`)
}

// What a draw that began before shows is not put over what was typed since, and
// "0." is not made 0 on its way to 0.3.
func TestFastTypingIsNotTakenBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.click("#inspector")
	p.click("#tab-params")
	for field, text := range map[string]string{
		"param-user": strings.Repeat("somebody ", 30), "param-system": strings.Repeat("Be terse. ", 30),
		"param-temperature": "0.000000000000000000000000000000000000000000000000000000000000003",
	} {
		p.click("#" + field)
		if lost := p.text(fmt.Sprintf(`(async () => {
			const e = document.querySelector("#%s"), text = %q;
			for (let round = 0; round < 3; round++) {
				for (let n = 0; n <= text.length; n++) {
					e.value = text.slice(0, n);
					e.dispatchEvent(new InputEvent("input", {bubbles: true}));
					await new Promise(r => setTimeout(r, (n + round) %% 9));
					if (e.value !== text.slice(0, n)) return e.value + " is left of " + text.slice(0, n);
				}
			}
			return "";
		})()`, field, text)); lost != "" {
			t.Errorf("%s: %s", field, lost)
		}
	}
}

// A wrong address is no dead end.
func TestAddressOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "404")
	p := w.tab("/nowhere")
	p.wait(`document.querySelector(".empty.page")?.textContent.includes("There’s nothing at this address.")`)
	p.click(`.empty.page a[href="/"]`)
	p.wait(`location.pathname === "/" && !!document.querySelector(".example")`)
}

// What a model takes is offered, what has no effect says so, and what must not
// be sent is neither offered nor sent, also when it comes from another lane or
// from saved settings.
func TestParametersFollowTheFamily(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newWorld(t, sandbox.URL)
	p := w.keyed("/")
	p.compare("vendor/epsilon-5.6-core", "vendor/model-a")
	p.click("#inspector")
	p.click("#tab-params")
	p.wait(`document.querySelector(".params-model")?.textContent === "vendor/model-a" && !document.querySelector("#param-temperature").disabled && !!document.querySelector("#param-user")`)
	fill := func(id, text string) {
		t.Helper()
		p.click("#" + id)
		p.keys(text)
		p.wait(fmt.Sprintf(`document.querySelector("#%s").value === %q`, id, text))
	}
	fill("param-system", "Be terse.")
	fill("param-temperature", "0.3")
	fill("param-user", "somebody")
	p.click("#apply-to-all")
	p.click("#saved-settings")
	p.wait(`document.querySelector("#library-settings")?.getAttribute("aria-selected") === "true"`)
	p.click("#entry-name")
	p.keys("Terse\r")
	p.wait(`!!document.querySelector('.function[data-name="Terse"]')`)
	p.keys("\x1b")
	p.wait(`!document.querySelector("#library").open`)

	p.click(".lane h2") // of the first lane
	p.wait(`document.querySelector(".params-model").textContent === "vendor/epsilon-5.6-core"`)
	p.wait(`document.querySelector("#param-temperature").disabled && !document.querySelector("#param-user") && document.querySelector("#param-system").value === "Be terse."`)
	p.wait(`document.querySelector(".params .notice").textContent.includes("no effect") && document.querySelector("#param-stream").disabled`)
	p.sendAll("[[repeat: 20]] hello")
	p.allSettled()
	for _, r := range record(t, sandbox) {
		if r.Status != 200 || !strings.Contains(r.Body, "Be terse.") {
			t.Errorf("%s answered %d: %s", r.Path, r.Status, r.Body)
		}
		chat := strings.Contains(r.Body, "vendor/model-a")
		for _, field := range []string{`"temperature":0.3`, `"user":"somebody"`} {
			if strings.Contains(r.Body, field) != chat {
				t.Errorf("%s is in the request, or not: %s", field, r.Body)
			}
		}
	}

	// Saved, they are there for another conversation.
	p.open("/")
	p.choose("vendor/model-a")
	p.click("#reset-params")
	p.wait(`document.querySelector("#param-temperature")?.value === ""`)
	p.click("#saved-settings")
	p.click(`.function[data-name="Terse"] .library-use`)
	p.wait(`document.querySelector("#param-temperature").value === "0.3" && document.querySelector("#param-system").value === "Be terse." && document.querySelector("#param-user").value === "somebody"`)
}

// However long the title, a deletion can be undone, and the notice of it lies
// over nothing that one types in.
func TestDeletionOfALongTitleIsUndone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.send("[[repeat: 20]] " + strings.Repeat("long ", 50))
	p.settled()
	at := p.path()
	for _, size := range []struct{ width, height int64 }{{1440, 900}, {390, 844}} {
		p.must(p.tab.Look(size.width, size.height, false))
		if size.width > 800 {
			p.click("#delete")
		} else {
			p.click("#more-button")
			p.click("#more-delete")
		}
		p.wait(`location.pathname === "/" && !!document.querySelector("#undo")`)
		if over := p.text(`(() => { const a = document.querySelector(".toast").getBoundingClientRect(), b = document.querySelector(".composer-box").getBoundingClientRect();
			return a.right > innerWidth || a.left < 0 || a.right > b.left && a.bottom > b.top && a.left < b.right ? JSON.stringify([a, b]) : "" })()`); over != "" {
			t.Errorf("%d px wide, the notice and the composer: %s", size.width, over)
		}
		p.click("#undo")
		p.wait(fmt.Sprintf(`location.pathname === %q && document.querySelectorAll(".message").length === 2`, at))
	}
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
	p.wait(`document.querySelector("#toast, .toast")?.textContent.includes("blocked copying")`)
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
