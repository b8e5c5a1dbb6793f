package e2e

import (
	"strings"
	"testing"
)

// From nothing to a message, and out and in again.
func TestSetUpSendSignOutSignIn(t *testing.T) {
	t.Parallel()
	w := newDoor(t, "")
	p := w.door("/setup#" + w.setUpToken())
	if at := p.text("location.href"); strings.Contains(at, "#") || strings.Contains(at, w.setUpToken()) {
		t.Errorf("the token stands in the address bar: %s", at)
	}
	p.looks(320, 700, true)
	if right := p.number(`Math.max(...[...document.querySelectorAll("#door button, #door input")].map(e => e.getBoundingClientRect().right))`); right > 304 {
		t.Errorf("in a narrow window the form ends at %v px, in the margin", right)
	}
	p.looks(1440, 900, true)
	p.enter("Ana Lima", anaMail)
	p.wait(ready)
	if p.path() != "/" {
		t.Errorf("after setting up it shows %s", p.path())
	}
	p.mustNotHold(goodPassword, w.setUpToken())
	for _, frame := range p.tab.Frames() {
		if strings.Contains(frame, goodPassword) || strings.Contains(frame, w.setUpToken()) {
			t.Error("a WebSocket message holds the password or the token")
		}
	}
	p.send("The first message [[repeat: 30]]")
	p.settled()
	conversation := p.path()
	p.reload()
	p.wait(`document.querySelectorAll(".message").length === 2`)
	p.click(composer)
	p.keys("a draft of Ana's")

	p.click(".rail .rail-account")
	p.wait(`document.querySelector("#security-name")?.textContent === "Ana Lima"`)
	p.click("#signout")
	p.wait(`location.pathname === "/signin" && ` + atDoor)
	p.mustNotHold("a draft of Ana's", "The first message")

	// What is somebody's is asked for again, and then shown.
	p.must(p.tab.Open(p.base + conversation))
	p.wait(`location.pathname === "/signin" && ` + atDoor)
	p.signIn(anaMail, goodPassword)
	p.wait(`location.pathname === ` + quoted(conversation) + ` && document.querySelectorAll(".message").length === 2`)

	// The link holds once.
	p.openDoor("/setup#" + w.setUpToken())
	p.wait(`document.querySelector("#door-shut")?.innerText.includes("already set up")`)
	p.click("#door-signin") // and leads on to who is signed in
	p.wait(ready + ` && location.pathname === "/"`)
	w.allow = append(w.allow, "status of 410", "status of 404")
}

// mustNotHold looks for what is somebody's in what a browser shows and keeps.
func (p *page) mustNotHold(texts ...string) {
	p.w.t.Helper()
	for where, js := range map[string]string{"the page": "document.documentElement.outerHTML", "the browser's store": "JSON.stringify(localStorage)"} {
		held := p.text(js)
		for _, text := range texts {
			if strings.Contains(held, text) {
				p.w.t.Errorf("%s still holds %q", where, text)
			}
		}
	}
}

// An invitation leads somebody in, on a phone.
func TestJoiningOnAPhone(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ana := w.tab("/")
	link := ana.invited("member")
	w.as(w.stranger(), func() {
		p := w.door("/signin")
		p.looks(390, 844, true)
		p.openDoor(link)
		if !strings.Contains(p.text(`document.querySelector("#door h1").innerText`), "Join") {
			t.Error("it doesn't say what it is")
		}
		p.must(p.tab.Reload()) // the token has left the address bar, and is kept nowhere
		p.wait(`document.querySelector("#door h1")?.innerText === "Open the link again"`)
		p.openDoor(link)
		p.fill("#door-name", "Ben")
		p.fill("#door-email", benMail)
		p.fill("#door-password", "too short")
		p.keys("\r")
		p.wait(`document.querySelector("#door-password-wrong").innerText.includes("9 characters") && document.activeElement.id === "door-password"`)
		p.over("#door-password", goodPassword)
		p.keys("\r")
		p.wait(ready)
		p.send("Ben's first message")
		p.settled()
		p.open("/settings/security")
		p.wait(`document.querySelector("#security-name")?.textContent === "Ben" && document.querySelectorAll("[data-session]").length === 1`)
		if wide := p.text(`String(document.documentElement.scrollWidth)`); wide != "390" {
			t.Errorf("the page is %s px wide", wide)
		}
	})
	ana.open("/")
	if n := ana.count(".conversation"); n != 0 {
		t.Errorf("Ana sees %d conversations of Ben's", n)
	}
	w.as(w.stranger(), func() {
		p := w.door(link)
		p.wait(`!!document.querySelector("#door-shut")`)
	})
	w.allow = append(w.allow, "status of 410", "status of 404")
}

// What is wrong stands at its field, and the focus with it; all by keyboard.
func TestSigningInWrongly(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	w.as(w.stranger(), func() {
		p := w.door("/signin?to=%2Fvideo")
		p.wait(`document.activeElement.id === "door-email"`)
		p.keys("\r")
		p.wait(`document.activeElement.id === "door-email" && !!document.querySelector("#door-email[aria-invalid=true]")`)
		p.keys(anaMail + "\t" + "not the password")
		p.keys("\r")
		p.wait(`document.querySelector("#door-wrong").innerText !== "" && document.activeElement.id === "door-password"`)
		p.mustNotHold("not the password")
		if said := p.text(`document.querySelector("#door-wrong").innerText`); strings.Contains(said, anaMail) {
			t.Errorf("it says whether there is such an account: %s", said)
		}
		p.keys("\t ") // the button that shows what is typed
		p.wait(`document.querySelector("#door-password").type === "text"`)
		p.keys(" ")
		p.wait(`document.querySelector("#door-password").type === "password"`)
		p.over("#door-password", goodPassword)
		p.keys("\r")
		p.wait(ready)
		if p.path() != "/video" {
			t.Errorf("it leads to %s", p.path())
		}
		// Nowhere but within this server.
		p.must(p.tab.Open(p.base + "/signin?to=https%3A%2F%2Fevil.example%2F"))
		p.wait(ready + ` && location.pathname === "/"`)
	})
}

// The first of two tabs that signs out takes the other along, and the next
// person finds nothing of the one before.
func TestTwoTabsAndTwoPeople(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	first := w.tab("/")
	link := first.invited("member")
	w.as(w.stranger(), func() {
		p := w.door(link)
		p.enter("Ben", benMail)
		p.wait(ready)
	})
	first.send("Something of Ana's")
	first.settled()
	conversation := first.path()
	second := w.tab(conversation)
	second.click(composer)
	second.keys("unsent words of Ana's")
	second.wait(`JSON.stringify(localStorage).includes("unsent words")`)
	first.must(first.tab.Front())
	first.palette("Sign out")
	first.keys("\r")
	for _, p := range []*page{first, second} {
		p.wait(`location.pathname === "/signin" && ` + atDoor)
		p.mustNotHold("of Ana's")
	}
	first.signIn(benMail, goodPassword)
	first.mustNotHold("of Ana's")
	first.must(first.tab.Open(first.base + conversation))
	first.wait(ready + ` && document.querySelector("#thread").textContent.includes("doesn’t exist")`)
}

// Somebody alone sees nothing of the door, and no address of it is asked.
func TestAloneThereIsNoDoor(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.allow = append(w.allow, "status of 404")
	p := w.tab("/")
	p.send("alone")
	p.settled()
	for _, path := range []string{"/settings", "/settings/security", "/video", "/"} {
		p.open(path)
		p.wait(`document.querySelector("main").innerText.length > 0`)
		for _, e := range []string{"#again", "#security", "#proof", "[data-team]", "#signout", ".rail-account", "#charge", `[for="clip-charge"]`} {
			if p.has(e) {
				t.Errorf("%s has %s", path, e)
			}
		}
		asked := p.text(`performance.getEntriesByType("resource").map(e => new URL(e.name).pathname).filter(path => path.startsWith("/api/")).join(" ")`)
		if strings.Contains(asked, "/api/") {
			t.Errorf("%s asks %s", path, asked)
		}
	}
	for _, path := range []string{"/signin", "/setup", "/join", "/reset"} {
		if got := w.get(path).StatusCode; got != 404 {
			t.Errorf("%s answers %d", path, got)
		}
	}
}
