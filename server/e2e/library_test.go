package e2e

import (
	"fmt"
	"testing"
)

// writes has a text say something, whatever stood there.
func (p *page) writes(selector, text string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, `(() => { const e = document.querySelector("`+selector+`"); e.value = `+quoted(text)+`; e.dispatchEvent(new Event("input", {bubbles: true})) })()`))
}

// library opens the dialog of prompts at a team's.
func (p *page) library(team string) {
	p.w.t.Helper()
	p.must(p.tab.Front())
	p.tool("#open-library")
	p.click("#library-of-" + team)
	p.wait(`document.querySelector("#library-of-` + team + `").getAttribute("aria-pressed") === "true"`)
}

// Three people share a prompt: one writes it, two change it at once and lose nothing,
// a fourth version is an old one again, and what was deleted is brought back.
func TestATeamsLibraryOfPrompts(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ana := w.tab("/")
	ben := w.join(ana.invited("member"), "Ben", benMail)
	cy := w.join(ana.invited("member"), "Cy", "cy@example.com")
	all := ana.text(`fetch("/api/me").then(r => r.json()).then(m => m.teams[0].id)`)

	ana.writes(composer, "Sum up {{text}} in three lines")
	ana.library(all)
	if name := ana.inner("#library-of-" + all); name != "Everybody’s" {
		t.Errorf("with one team its library is called %q", name)
	}
	ana.click("#entry-name")
	ana.keys("Summary\r")
	row := `.function[data-name="Summary"]`
	ana.wait(`document.querySelector('` + row + ` .faint')?.innerText.includes("made by Ana Lima")`)
	// Saving it once more under its name is refused, and says what to do.
	ana.click("#entry-name")
	ana.keys("Summary\r")
	ana.wait(`document.querySelector("#library-problem").innerText.includes("edit the existing entry")`)

	// Ben and Cy see it, and both begin to change it.
	for _, p := range []*page{ben, cy} {
		p.library(all)
		p.click(row + " .library-more")
		p.wait(`document.querySelectorAll("#library .version").length === 1`)
		p.click("#team-edit")
		p.wait(`document.activeElement?.id === "team-edit-name"`)
	}
	cy.writes("#team-edit-text", "Cy typed this before")
	ben.must(ben.tab.Front())
	ben.writes("#team-edit-text", "Sum up {{text}} in four lines")
	ben.click("#team-save")
	ben.wait(`document.querySelectorAll("#library .version").length === 2`)
	if got := ben.inner(`.version[data-rev="2"] ins`) + "/" + ben.inner(`.version[data-rev="2"] del`); got != "four/three" {
		t.Errorf("the second version differs by %s", got)
	}

	// Cy is told at once, with both texts; what they type stays.
	cy.must(cy.tab.Front())
	cy.wait(`document.querySelector("#team-clash")?.innerText.includes("Ben has saved version 2") && document.querySelector("#team-edit-text").value.startsWith("Cy typed") && document.querySelector("#team-clash ins").innerText === "four"`)
	cy.writes("#team-edit-text", "Sum up {{text}} in four lines of German")
	cy.click("#team-save")
	cy.wait(`document.querySelectorAll("#library .version").length === 3 && document.querySelector("#team-name") !== null`)

	// Ana goes back to the first.
	ana.must(ana.tab.Front())
	ana.wait(`document.querySelector('` + row + ` .faint').innerText.includes("changed by Cy")`)
	ana.click(row + " .library-more")
	ana.click(`.version[data-rev="1"] button`)
	ana.wait(`document.querySelectorAll("#library .version").length === 4 && document.querySelector("#library .faint").innerText.startsWith("Version 4, changed by Ana Lima")`)

	// Ben uses it with its variable, and has a copy of his own.
	ben.must(ben.tab.Front())
	ben.wait(`document.querySelectorAll("#library .version").length === 4`)
	if ben.has("#team-drop") {
		t.Error("who didn't make it can delete it")
	}
	ben.click("#team-to-mine")
	ben.click("#team-use")
	ben.wait(`document.activeElement?.matches("#variable-0")`)
	ben.keys("this")
	ben.click("#insert-prompt")
	ben.wait(`document.querySelector("#composer").value === "Sum up this in three lines"`)
	ben.tool("#open-library")
	ben.click("#library-mine")
	ben.wait(`!!document.querySelector('` + row + ` .library-drop')`)

	// And one of his own is copied to the team, as he chooses it.
	ben.writes(composer, "Translate {{text}}")
	ben.click("#entry-name")
	ben.keys("Translate\r")
	ben.wait(`!!document.querySelector('.function[data-name="Translate"]')`)
	ben.click("#library-of-" + all)
	ben.wait(`document.querySelectorAll("#team-from option").length === 3`)
	ben.must(ben.tab.Eval(nil, `(() => { const s = document.querySelector("#team-from"); s.value = [...s.options].find(o => o.text === "Translate").value; s.dispatchEvent(new Event("change", {bubbles: true})) })()`))
	ben.click("#team-copy")
	ben.wait(`!!document.querySelector('.function[data-name="Translate"] .library-more')`)

	// What Ana deletes, Cy brings back.
	ana.must(ana.tab.Front())
	ana.click("#team-drop")
	ana.wait(`document.querySelectorAll("#library > .dialog-body > div > .functions > .function").length === 1`)
	cy.must(cy.tab.Front())
	cy.wait(`!!document.querySelector("#team-restore")`)
	cy.click("#team-restore")
	cy.wait(`!document.querySelector("#team-restore") && document.querySelectorAll("#library .version").length === 5`)

	// Another team has a library of its own.
	lab := ana.team("Lab", "[]")
	ana.wait(fmt.Sprintf(`document.querySelector("#library-of-%s")?.innerText === "Lab" && document.querySelector("#library-of-%s").innerText === "Everyone"`, lab, all))
	ana.click("#library-of-" + lab)
	ana.wait(`document.querySelector("#library").innerText.includes("Nothing here yet")`)
	if cy.has("#library-of-" + lab) {
		t.Error("who isn't in a team is offered its library")
	}
	for _, size := range [][2]int64{{390, 844}, {320, 700}} {
		ana.click("#library-of-" + all)
		ana.looks(size[0], size[1], true)
		if wide := ana.number(`document.documentElement.scrollWidth`); wide != float64(size[0]) {
			t.Errorf("at %d px the page is %v px wide", size[0], wide)
		}
		if wide := ana.number(`document.querySelector("#library .dialog-body").scrollWidth - document.querySelector("#library .dialog-body").clientWidth`); wide > 0 {
			t.Errorf("at %d px the library scrolls sideways by %v px", size[0], wide)
		}
	}
}

// Alone there is one's own library, and no other is spoken of.
func TestAloneThereIsNoTeamsLibrary(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	p.tool("#open-library")
	p.wait(`!!document.querySelector("#entry-name")`)
	if p.has("#library-mine") || p.has("#library-whose") {
		t.Error("there is a choice of libraries")
	}
}
