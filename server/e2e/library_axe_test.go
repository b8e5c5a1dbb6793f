package e2e

import "testing"

// The views of a team's library: its list, an entry with its versions, and a form
// while somebody else was faster.
func TestATeamsLibraryIsAccessible(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w := newTeam(t, "")
	p := w.tab("/")
	all := p.text(`fetch("/api/me").then(r => r.json()).then(m => m.teams[0].id)`)
	const row = `.function[data-name="Summary"] .library-more`
	p.writes(composer, "Sum up {{text}}")
	p.library(all)
	p.click("#entry-name")
	p.keys("Summary\r")
	p.wait(`!!document.querySelector('` + row + `')`)
	p.click(row)
	p.click("#team-edit")
	p.wait(`!!document.querySelector("#team-edit-text")`)
	p.writes("#team-edit-text", "Sum up {{text}} well")
	p.click("#team-save")
	p.wait(`document.querySelectorAll("#library .version").length === 2`)

	list := func(p *page) { p.library(all); p.wait(`!!document.querySelector('` + row + `')`) }
	entry := func(p *page) {
		list(p)
		p.click(row)
		p.wait(`document.querySelectorAll("#library .version").length >= 2`)
	}
	p.axeFindsNothing(source, []axeView{
		{name: "a team's library", path: "/", do: list},
		{name: "its versions", path: "/", do: entry},
		{name: "a form after a change", path: "/", do: func(p *page) {
			entry(p)
			p.click("#team-edit")
			p.wait(`!!document.querySelector("#team-edit-text")`)
			other := w.tab("/")
			entry(other)
			other.click(`.version:nth-child(2) button`)
			other.wait(`document.querySelector("#library .faint").innerText.startsWith("Version")`)
			p.must(p.tab.Front())
			p.wait(`!!document.querySelector("#team-clash")`)
		}},
	})
}
