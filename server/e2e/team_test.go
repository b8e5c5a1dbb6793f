package e2e

import (
	"regexp"
	"strings"
	"testing"

	"screentest/server/e2e/rig"
)

// What people of the tests sign in with.
const (
	anaMail, benMail = "ana@example.com", "ben@example.com"
	goodPassword     = "canary-3f-otter-lantern"
)

// The program runs at the door, and shows what can be done there.
const atDoor = `!document.getElementById("app-wasm-loader") && !!document.querySelector("#door-form, #door-shut, #door-passkey, #door-oidc")`

// newTeam is newWorld for a team. The first admin is Ana, whose browser is the
// world's; she is signed in.
func newTeam(t *testing.T, gateway string, args ...string) *world {
	t.Helper()
	w := newDoor(t, gateway, args...)
	p := w.door("/setup#" + w.setUpToken())
	p.enter("Ana Lima", anaMail)
	p.wait(ready)
	p.tab.Close()
	w.pages = w.pages[:0]
	w.lendTeam()
	return w
}

// newDoor is a team's world that nobody has set up yet.
func newDoor(t *testing.T, gateway string, args ...string) *world {
	t.Helper()
	w := newWorldWith(t, gateway, append([]string{"-team"}, args...)...)
	// What a browser writes when an address or a handshake answers 401.
	w.allow = append(w.allow, "status of 401", "WebSocket connection to")
	return w
}

// setUpToken is that of the link that the server printed.
func (w *world) setUpToken() string {
	w.t.Helper()
	var m []string
	if !soon(func() bool { // it comes after the line that says that the server is ready
		m = regexp.MustCompile(`Set up at \S+/setup#(\S+)\n`).FindStringSubmatch(w.server.Log())
		return m != nil
	}) {
		w.t.Fatalf("the server printed no set-up link:\n%s", w.server.Log())
	}
	return m[1]
}

// door opens a tab at an address of the door.
func (w *world) door(path string) *page {
	w.t.Helper()
	tab, err := w.profile.Tab()
	if err != nil {
		w.t.Fatal(err)
	}
	p := &page{w: w, tab: tab, base: w.server.URL}
	w.pages = append(w.pages, p)
	p.must(tab.Front())
	p.openDoor(path)
	return p
}

// openDoor goes to an address of the door.
func (p *page) openDoor(path string) {
	p.w.t.Helper()
	p.must(p.tab.Open("about:blank")) // else another fragment alone is no new page
	p.must(p.tab.Open(p.base + path))
	p.wait(atDoor)
}

// enter fills in the form of a new account and sends it.
func (p *page) enter(name, mail string) {
	p.w.t.Helper()
	p.fill("#door-name", name)
	p.fill("#door-email", mail)
	p.fill("#door-password", goodPassword)
	p.keys("\r")
}

// signIn signs in at the door, and waits until the page is there.
func (p *page) signIn(mail, password string) {
	p.w.t.Helper()
	p.fill("#door-email", mail)
	p.fill("#door-password", password)
	p.keys("\r")
	p.wait(ready)
}

// endOtherSessions signs somebody in in another browser and ends their sessions
// elsewhere.
func (w *world) endOtherSessions(mail string) {
	w.t.Helper()
	w.as(w.stranger(), func() {
		p := w.door("/signin")
		p.signIn(mail, goodPassword)
		if status := p.text(`fetch("/api/sessions", {method: "DELETE"}).then(r => String(r.status))`); status != "204" {
			w.t.Fatalf("ending the other sessions: %s", status)
		}
	})
}

// as runs what somebody does in a browser of their own.
func (w *world) as(profile *rig.Profile, do func()) {
	w.t.Helper()
	mine := w.profile
	w.profile = profile
	do()
	w.profile = mine
}

// stranger is a browser that has never been here.
func (w *world) stranger() *rig.Profile {
	w.t.Helper()
	profile, err := browser.Profile()
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(profile.Close)
	return profile
}

// invited makes an invitation as the person of a page, and returns the path of
// its link.
func (p *page) invited(role string) string {
	p.w.t.Helper()
	link := p.text(`fetch("/api/invites", {method: "POST", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({role: "` + role + `", teams: [], hours: 24, uses: 1})}).then(r => r.json()).then(i => i.link ?? JSON.stringify(i))`)
	_, path, is := strings.Cut(link, "/join#")
	if !is {
		p.w.t.Fatalf("the invitation's link is %s", link)
	}
	return "/join#" + path
}
