package e2e

import (
	"strings"
	"testing"
	"time"
)

// A session ends while its person types and an answer streams: the page asks to
// sign in over what is there, dials nothing meanwhile, and goes on.
func TestASessionEndsInMidSentence(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/")
	p.must(p.tab.Before(`window.dials = 0; window.WebSocket = class extends WebSocket { constructor(...a) { super(...a); dials++ } }`))
	p.open("/")
	p.underWay(func() bool {
		p.grown(40)
		p.click(composer)
		p.keys("half a senten")
		p.palette("Make a vid")
		w.endOtherSessions(anaMail)
		p.must(p.tab.Front())
		p.wait(`!!document.querySelector("#again[open]") && document.activeElement.id === "door-password"`)
		if state := p.text(last + `.dataset.state`); state != "running" {
			p.keys(goodPassword + "\r")
			p.wait(`!document.querySelector("#again[open]")`)
			p.keys("\x1b")
			p.wait(`!document.querySelector("dialog[open]")`)
			p.over(composer, "\b")
			return false
		}
		return true
	})
	dials := p.number("dials")
	p.keys("\x1b\x1b")
	time.Sleep(3 * time.Second) // a loop would have dialled four times
	if now := p.number("dials"); now != dials || !p.has("#again[open]") {
		t.Errorf("while nobody is signed in it dialled %v times; the dialog is there: %v", now-dials, p.has("#again[open]"))
	}
	if value := p.text(`document.querySelector("#door-email").value`); value != anaMail {
		t.Errorf("the e-mail is %q", value)
	}
	p.keys("not the password\r")
	p.wait(`document.querySelector("#again #door-wrong").innerText !== "" && document.activeElement.id === "door-password"`)
	p.keys(goodPassword + "\r")
	p.wait(`!document.querySelector("#again[open]")`)

	if at := p.text(`document.activeElement.id + " " + document.querySelector("#palette-search").value`); at != "palette-search Make a vid" || !p.has("#palette[open]") {
		t.Errorf("what was open is now %q", at)
	}
	p.keys("\x1b")
	p.wait(`!document.querySelector("#palette[open]")`)
	if draft := p.text(`document.querySelector("#composer").value`); draft != "half a senten" {
		t.Errorf("the composer has %q", draft)
	}
	if state := p.settled(); state != "done" {
		t.Errorf("the answer is %s: %s", state, p.problem())
	}
	whole := p.body()
	p.reload()
	p.wait(`document.querySelectorAll(".message").length >= 2`)
	p.wait(lastLetters + `.length > 0`)
	if !p.drawn(lastLetters, whole) {
		t.Error("the answer that went on isn't the whole one")
	}
}

// Who signs in where another one's session ended sees nothing of that.
func TestSomebodyElseSignsInWhereASessionEnded(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/")
	link := p.invited("member")
	w.as(w.stranger(), func() {
		b := w.door(link)
		b.enter("Ben", benMail)
		b.wait(ready)
	})
	p.send("Something of Ana's")
	p.settled()
	p.click(composer)
	p.keys("unsent words of Ana's")
	other := w.tab(p.path()) // another tab of the same browser is asked too
	w.endOtherSessions(anaMail)
	p.must(p.tab.Front())
	p.wait(`!!document.querySelector("#again[open]") && document.activeElement.id === "door-password"`)
	p.over("#door-email", benMail)
	p.over("#door-password", goodPassword)
	p.keys("\r")
	for _, tab := range []*page{p, other} {
		tab.wait(ready + ` && !document.querySelector("#again[open]") && document.querySelector(".rail .rail-account")?.innerText.includes("Ben")`)
		tab.mustNotHold("of Ana's")
	}
}

// An address that finds nobody signed in is asked again by whoever signs in: a
// click is not lost, nor what was typed beside it.
func TestAClickWaitsForWhoSignsIn(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/settings/security")
	w.as(w.stranger(), func() { w.door("/signin").signIn(anaMail, goodPassword) })
	p.must(p.tab.Front())
	p.open("/settings/security")
	p.fill("#security-old", "half typed")
	p.must(p.tab.ForgetCookies())
	p.click("#end-others")
	p.wait(`!!document.querySelector("#again[open]") && document.activeElement.id === "door-password"`)
	p.keys(goodPassword + "\r")
	p.wait(`!document.querySelector("#again[open]") && document.querySelector("#security-sessions-outcome").innerText.includes("ended")`)
	p.wait(`document.querySelectorAll("[data-session]").length === 1`)
	if typed := p.text(`document.querySelector("#security-old").value`); typed != "half typed" {
		t.Errorf("what was typed beside it is %q", typed)
	}
}

// over replaces what stands in a field.
func (p *page) over(selector, text string) {
	p.w.t.Helper()
	p.click(selector)
	p.must(p.tab.Eval(nil, `document.querySelector(`+quoted(selector)+`).select()`))
	p.keys(text)
}

// A tab whose session ended while it slept finds that out by being refused, and
// one that signs in brings its neighbours back.
func TestATabThatSleptThroughTheEndOfItsSession(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/")
	p.send("kept")
	p.settled()
	neighbour := w.tab(p.path())
	w.endOtherSessions(anaMail)
	for _, tab := range []*page{p, neighbour} {
		tab.wait(`!!document.querySelector("#again[open]")`)
	}
	w.allow = append(w.allow, away...) // while there is no server
	p.must(w.server.Kill())
	w.restart()
	p.must(p.tab.Front())
	p.wait(`document.activeElement.id === "door-password"`)
	p.keys(goodPassword + "\r")
	for _, tab := range []*page{p, neighbour} {
		tab.wait(`!document.querySelector("#again[open]") && document.querySelectorAll(".message").length === 2`)
	}
	p.send("and on")
	if state := p.settled(); state != "done" || !strings.Contains(neighbour.path(), "/c/") {
		t.Errorf("after it: %s", state)
	}
}
