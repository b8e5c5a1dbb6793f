package e2e

import (
	"fmt"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// chord presses a key with modifiers in what has the focus.
func (p *page) chord(key, modifiers string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.activeElement.dispatchEvent(new KeyboardEvent("keydown", {key: %q, %s bubbles: true, cancelable: true}))`, key, modifiers)))
}

// Enter sends and Ctrl Enter sends, in the composer, in a message that is written
// anew and in a prompt's variables; Shift Enter does not.
func TestEnterMeansTheSameEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	for n, modifiers := range []string{"", "ctrlKey: true,"} {
		before := p.count(answers)
		p.click(composer)
		p.keys("[[repeat: 5]] hello")
		p.chord("Enter", "shiftKey: true,")
		p.chord("Enter", modifiers)
		p.wait(fmt.Sprintf(`document.querySelectorAll(%q).length === %d`, answers, before+1))
		p.settled()

		p.click(`.message[data-role="user"] .edit`)
		p.wait(`!!document.activeElement?.closest(".editor")`)
		p.keys(" again")
		p.chord("Enter", "shiftKey: true,")
		p.wait(`!!document.activeElement?.closest(".editor")`)
		p.chord("Enter", modifiers)
		p.wait(`!document.querySelector(".editor")`)
		p.settled()

		p.click(composer)
		if n == 0 {
			p.keys("Say {{word}}")
			p.tool("#open-library")
			p.click("#entry-name")
			p.keys("Say\r")
			p.wait(`!!document.querySelector('.function[data-name="Say"]')`)
			p.keys("\x1b")
			p.wait(`!document.querySelector("#library").open`)
		}
		p.must(p.tab.Eval(nil, `(e => { e.value = "before after"; e.setSelectionRange(7, 7); e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`))
		p.tool("#open-library")
		p.click(`.function[data-name="Say"] .library-use`)
		p.wait(`document.activeElement?.matches("#variable-0")`)
		p.keys("cheese")
		p.chord("Enter", "shiftKey: true,")
		p.wait(`document.querySelector("#library").open`)
		p.chord("Enter", modifiers)
		p.wait(`!document.querySelector("#library").open`)
		// Set apart from the draft, with the cursor behind it.
		p.wait(`document.querySelector("#composer").value === "before \n\nSay cheese\n\nafter"`)
		p.wait(`document.activeElement?.id === "composer" && document.activeElement.selectionStart === "before \n\nSay cheese".length`)
		p.must(p.tab.Eval(nil, `(e => { e.value = ""; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`))
	}
}

// Enter beside an answer under way keeps the text and says what to do; when the
// answer has ended the words are gone, and Enter sends.
func TestEnterWhileAnAnswerIsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.underWay(func() bool {
		p.click(composer)
		p.keys("the next one")
		if !p.has("#stop:not([hidden]):not(:disabled)") {
			p.must(p.tab.Eval(nil, `document.querySelector("#composer").select()`))
			return false
		}
		p.keys("\r")
		said := false
		p.wait(`document.querySelector("#refusal").textContent.includes("Esc") || document.querySelector("#stop").hidden`)
		said = strings.Contains(p.text(`document.querySelector("#refusal").textContent`), "Your text stays here")
		if !said {
			p.must(p.tab.Eval(nil, `(e => { e.value = ""; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`))
			return false
		}
		if got := p.text(`document.querySelector("#composer").value`); got != "the next one" {
			t.Errorf("the composer has %q", got)
		}
		p.keys("\x1b")
		p.settled()
		p.wait(`document.querySelector("#refusal").textContent === ""`)
		p.keys("\r")
		p.wait(`[...document.querySelectorAll('.message[data-role="user"] .body')].at(-1).textContent.includes("the next one")`)
		p.settled()
		return true
	})
}

// What was typed into the palette is a command's word or a model's: it comes
// first, whatever conversations have its letters. A clip is one.
func TestPaletteFindsCommandsModelsAndClips(t *testing.T) {
	t.Parallel()
	w := newWorldWith(t, "", fastClips...)
	clip := w.makes().clip("beta-video-480p", "Dunes at noon", "6", nil)
	p := w.tab("/video")
	p.becomes(clip.ID, wire.VideoDone)
	p.open("/")
	for _, prompt := range []string{"[[repeat: 5]] Draw a park, and stop at the beta test", "[[repeat: 5]] Some tips on oil paint"} {
		p.click("#new-conversation")
		p.wait(`location.pathname === "/"`)
		p.send(prompt)
		p.settled()
	}
	for query, want := range map[string]string{
		"beta": "vendor/beta-", "dark": "Use the dark theme", "tools": "Tools: functions and web search", "system prompt": "Instructions for the model (system prompt)",
		"retry": "Retry the last answer", "video": "Make a video", "dunes": "Dunes at noon",
	} {
		p.palette(query)
		p.wait(`document.querySelector("#palette .dialog-foot").textContent.endsWith("results")`)
		if got := p.text(paletteActive); !strings.Contains(got, want) {
			t.Errorf("%s: first comes %q, want %s", query, got, want)
		}
		if group := p.text(`document.querySelector('#palette [data-active="true"]').closest("[role=group]").ariaLabel`); query == "dunes" && group != "Clips" {
			t.Errorf("a clip stands under %q", group)
		}
		if strings.Contains(p.text(`document.querySelector("#palette-list").textContent`), "Untitled") {
			t.Errorf("%s: something is untitled", query)
		}
		p.keys("\x1b")
		p.wait(`!document.querySelector("#palette[open]")`)
	}
	p.palette("dunes")
	p.wait(paletteActive + `?.includes("Dunes")`)
	p.keys("\r")
	p.wait(`location.pathname === "/video/` + clip.ID + `"`)

	// Every key of the page and of the video desk stands in the list of keys.
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	p.keys("?")
	p.wait(`!!document.querySelector("#keys[open]")`)
	words := p.text(`document.querySelector("#keys").innerText`)
	for _, name := range []string{"Video", "Make the clip", "Comparing: one frame back", "Space", "Alt", "Make a video"} {
		if !strings.Contains(words, name) {
			t.Errorf("the list of keys lacks %q", name)
		}
	}
}

// All lanes but one are closed by a button that says so, and come back as they
// were.
func TestClosedLanesComeBackByUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.compare("vendor/model-a", "vendor/epsilon-5.6-core", "zeta-1")
	p.sendAll("[[repeat: 20]] hello")
	p.allSettled()
	p.sendAll("[[repeat: 20]] and on")
	p.allSettled()
	p.wait(`document.querySelector(".row-models").textContent === "3 models"`)
	was := p.text(`[...document.querySelectorAll(".lane .body")].map(e => e.textContent).join("|")`)
	if got := p.text(`document.querySelector("#lane-1 .lane-keep").innerText`); !strings.HasPrefix(got, "Keep") {
		t.Errorf("the button says %q", got)
	}
	p.must(p.tab.Eval(nil, `new MutationObserver((_, o) => { // it is offered for a while only
		const u = document.querySelector("#undo-close");
		if (u) { o.disconnect(); window.told = document.querySelector("#closed").textContent; window.alone = document.querySelectorAll(".lane").length; u.click() }
	}).observe(document.body, {childList: true, subtree: true})`))
	p.click("#lane-1 .lane-keep")
	p.wait(`window.told?.includes("Closed 2 lanes.") && document.querySelectorAll(".lane").length === 3`)
	if !p.drawn(`[...document.querySelectorAll(".lane .body")].map(e => e.textContent).join("|")`, was) {
		t.Error("the lanes are others than before")
	}
	p.reload()
	p.wait(`document.querySelectorAll(".lane").length === 3 && document.querySelector(".row-models").textContent === "3 models"`)
}

// What is nothing but white space can't be sent, so Send does not offer it.
func TestWhiteSpaceAloneIsNotOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	write := func(text string) {
		p.must(p.tab.Eval(nil, `(e => { e.value = `+quoted(text)+`; e.dispatchEvent(new Event("input", {bubbles: true})) })(document.querySelector("#composer"))`))
	}
	for text, offered := range map[string]bool{"": false, " \n\t ": false, " hello\n": true} {
		write(text)
		p.wait(fmt.Sprintf(`document.querySelector("#send").disabled === %t`, !offered))
	}
}
