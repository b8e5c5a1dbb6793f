package e2e

import (
	"fmt"
	"strings"
	"testing"
)

const (
	paletteOpen   = `!!document.querySelector("#palette[open]") && document.activeElement?.id === "palette-search"`
	paletteActive = `document.querySelector('#palette [data-active="true"] .option-name')?.textContent`
)

// palette opens the palette and types into it.
func (p *page) palette(query string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "k", ctrlKey: true, bubbles: true, cancelable: true}))`))
	p.wait(paletteOpen)
	p.keys(query)
}

// Everything that the palette offers is reached, chosen and left by keys alone.
func TestPaletteByKeyboardAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.send("[[repeat: 110]] Retry with jitter, please")
	p.settled()
	first := p.path()
	p.send("[[repeat: 110]] zebra crossing")
	p.settled()

	// It takes the focus and gives it back.
	p.click(composer)
	p.palette("")
	p.wait(`document.querySelectorAll("#palette [role=option]").length > 10`)
	if got := p.text(`document.querySelector("#palette-search").getAttribute("aria-activedescendant")`); got != "palette-0" {
		t.Errorf("the active option is %q", got)
	}
	p.keys("\x1b")
	p.wait(`!document.querySelector("#palette[open]")`)
	p.wait(`document.activeElement?.id === "composer"`)

	// A command.
	p.palette("new conv")
	p.wait(paletteActive + ` === "New conversation"`)
	p.keys("\r")
	p.wait(`location.pathname === "/"`)
	p.wait(`document.activeElement?.id === "composer"`)

	// A conversation, by scattered letters.
	p.palette("rtry jit")
	p.wait(paletteActive + `?.includes("Retry with jitter")`)
	p.keys("\r")
	p.wait(fmt.Sprintf("location.pathname === %q", first))

	// A message, and it is gone to and marked.
	p.palette("zebra")
	p.wait(`[...document.querySelectorAll("#palette mark")].some(m => m.textContent === "zebra")`)
	p.wait(`document.querySelectorAll('#palette [aria-label="In messages"] [role=option]').length > 1`)
	for range 20 {
		if strings.Contains(p.text(paletteActive), "zebra crossing") {
			break
		}
		before := p.text(`document.querySelector("#palette-search").getAttribute("aria-activedescendant")`)
		p.must(p.tab.Eval(nil, `document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowDown", bubbles: true, cancelable: true}))`))
		p.wait(fmt.Sprintf(`document.querySelector("#palette-search").getAttribute("aria-activedescendant") !== %q`, before))
	}
	p.keys("\r")
	p.wait(`document.querySelector(".message[data-found]")?.textContent.includes("zebra crossing")`)
	if !strings.Contains(p.text("location.search"), "m=") {
		t.Errorf("the message has no address: %s", p.text("location.href"))
	}

	// A model.
	p.palette("epsilon core")
	p.wait(paletteActive + ` === "vendor/epsilon-5.6-core"`)
	p.keys("\r")
	p.wait(`document.querySelector("#model .model-name").textContent === "vendor/epsilon-5.6-core"`)

	// A page, and nothing at all.
	p.palette("settings")
	p.wait(paletteActive + ` === "Settings"`)
	p.keys("\r")
	p.wait(`location.pathname === "/settings"`)
	p.palette("qqqqqqqq")
	p.wait(`document.querySelector("#palette .dialog-foot").textContent.startsWith("1 result")`) // to search all messages for it
	p.keys("\x1b")
	p.wait(`!document.querySelector("#palette[open]")`)
}

// A single key does its command outside of fields, and is a letter inside.
func TestSingleKeysOutsideOfFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	first, second := p.two()

	p.click(composer)
	p.keys("?njs")
	if got := p.text(`document.querySelector("#composer").value`); got != "?njs" || p.path() != second || p.has("dialog[open]") {
		t.Errorf("the composer has %q, the page is at %s", got, p.path())
	}
	p.must(p.tab.Eval(nil, `document.querySelector("#thread").focus()`))
	p.keys("?")
	p.wait(`!!document.querySelector("#keys[open]")`)
	for _, key := range []string{"Ctrl", "Esc", "Shift"} {
		if !strings.Contains(p.text(`document.querySelector("#keys").textContent`), key) {
			t.Errorf("the list lacks %s", key)
		}
	}
	p.keys("n") // does nothing behind a dialog
	p.keys("\x1b")
	p.wait(`!document.querySelector("#keys[open]")`)
	if p.path() != second {
		t.Errorf("a key went through the dialog: %s", p.path())
	}
	p.wait(`document.activeElement?.id === "thread"`)
	// What is drawn, and not the address alone: the focus goes with it.
	shows := func(path, prompt string) {
		t.Helper()
		p.wait(fmt.Sprintf(`location.pathname === %q && document.querySelector('.message[data-role="user"] .body')?.textContent.includes(%q)`, path, prompt))
	}
	p.keys("j")
	shows(first, "the first")
	p.keys("k")
	shows(second, "the second")
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	p.keys("/")
	p.wait(`document.activeElement?.id === "search"`)
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	p.keys("c")
	p.wait(`document.activeElement?.id === "composer"`)
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	p.keys("p")
	p.wait(`document.querySelector(".group h2")?.textContent === "Pinned"`)
	p.keys("n")
	p.wait(`location.pathname === "/"`)
}
