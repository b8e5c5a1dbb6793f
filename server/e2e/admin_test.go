package e2e

import (
	"strings"
	"testing"
)

// join makes an account by the path of an invitation's link, in a browser of its
// own, and returns its first tab.
func (w *world) join(link, name, mail string) (p *page) {
	w.t.Helper()
	w.as(w.stranger(), func() {
		p = w.door(link)
		p.enter(name, mail)
		p.wait(ready)
	})
	return p
}

// link is the path and the token of a link that is shown once, by the id of what
// shows it.
func (p *page) link(id string) string {
	p.w.t.Helper()
	p.wait(`!!document.querySelector("#` + id + `-url")`)
	link := p.text(`document.querySelector("#` + id + `-url").value`)
	path, is := strings.CutPrefix(link, p.base)
	if !is {
		p.w.t.Fatalf("the link is %s, and the server %s", link, p.base)
	}
	return path
}

// inner is the text of what matches.
func (p *page) inner(selector string) string {
	p.w.t.Helper()
	return p.text(`document.querySelector(` + quoted(selector) + `)?.innerText ?? ""`)
}

// chooses picks an entry of a list.
func (p *page) chooses(selector, value string) {
	p.w.t.Helper()
	p.wait(`!!document.querySelector(` + quoted(selector) + `)`)
	p.must(p.tab.Eval(nil, `(e => { e.focus(); e.value = `+quoted(value)+`; e.dispatchEvent(new Event("change", {bubbles: true})) })(document.querySelector(`+quoted(selector)+`))`))
}

// From nobody else there to somebody who has come, works, is helped and goes.
func TestAnAdminHasPeopleComeAndGo(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	w.allow = append(w.allow, "409 (Conflict)", "410 (Gone)")
	p := w.tab("/settings/appearance")
	p.click("#to-people")
	p.wait(`document.querySelector("#people")?.innerText.includes("only one here")`)
	p.click("#invite-first")

	// An invitation, with a mistake first.
	p.wait(`!!document.querySelector("#invite-uses")`)
	p.over("#invite-uses", "0")
	p.click("#invite-make")
	p.wait(`document.activeElement.id === "invite-uses" && document.querySelector("#invite-uses-wrong").innerText.includes("1 to")`)
	p.over("#invite-uses", "2")
	p.keys("\r")
	link := p.link("invite-link")
	p.wait(`document.querySelectorAll("#invites-table tbody tr").length === 1`)
	ben := w.join(link, "Ben Ode", benMail)
	p.must(p.tab.Front())
	p.click("#invite-link-hide")
	p.wait(`!document.querySelector("#invite-link")`)
	token := link[strings.Index(link, "#")+1:]
	p.mustNotHold(token)

	// Found, and changed.
	p.click("#people-all")
	p.wait(`document.querySelectorAll("#people-table tbody tr").length === 2`)
	p.fill("#people-search", "BEN mem")
	p.wait(`document.querySelectorAll("#people-table tbody tr").length === 1 && document.querySelector("#people-found").innerText === "1 person of 2"`)
	p.click("#people-table tbody a")
	p.wait(`document.querySelector("#person h2")?.innerText.includes("Ben Ode")`)
	p.over("#person-name", "Benno Ode")
	p.fill("#person-day", "much")
	p.click("#person-save")
	p.wait(`document.activeElement.id === "person-day" && document.querySelector("#person-day-wrong").innerText.includes("as a number")`)
	p.over("#person-day", "2.50")
	p.click("#person-save")
	p.wait(`document.querySelector("#person-outcome").innerText === "Saved." && document.querySelector("#person h2").innerText.includes("Benno Ode")`)
	if day := p.text(`document.querySelector("#person-day").value`); day != "2.5" {
		t.Errorf("the limit of a day is shown as %q", day)
	}
	ben.wait(`document.querySelector(".rail .rail-account")?.innerText.includes("Benno")`) // greeted anew

	// Somebody who forgot their password.
	p.click("#reset")
	reset := p.link("reset-link")
	if !strings.HasPrefix(reset, "/reset#") {
		t.Errorf("the reset link leads to %s", reset)
	}

	// Deactivated: at once, everywhere; and let in again.
	p.click("#leave-deactivate")
	p.wait(`document.querySelector("#leave-form").innerText.includes("at once")`)
	p.click("#leave-cancel")
	p.wait(`!document.querySelector("#leave-form") && document.activeElement.id === "leave-deactivate"`)
	p.click("#leave-deactivate")
	p.click("#leave-go")
	p.wait(`document.querySelector("#leave-outcome").innerText.includes("is deactivated")`)
	ben.wait(`!!document.querySelector("#again[open]")`)
	p.must(p.tab.Front())
	p.click("#leave-return")
	p.wait(`document.querySelector("#leave-outcome").innerText.includes("may sign in again")`)

	// The last admin stays one.
	p.click("#back")
	p.wait(`document.querySelector("#people-search")?.value === "BEN mem"`)
	p.over("#people-search", "ana")
	p.click(`#people-table tr:has(.pill) a`)
	p.chooses("#person-role", "member")
	p.click("#person-save")
	p.wait(`document.querySelector("#person-role-wrong, #person-outcome")?.closest("form").innerText.includes("last")`)
	p.click("#person-undo")
	p.wait(`document.querySelector("#person-role").value === "admin"`)

	// An invitation is revoked.
	p.click("#back")
	p.click("#people-invites")
	p.click(`#invites-table .button`)
	p.wait(`document.querySelector("#invites-table").innerText.includes("revoked")`)
	w.as(w.stranger(), func() {
		late := w.door(link)
		late.wait(`!!document.querySelector("#door-shut")`)
	})
}

// A member sees no administration, and their page asks for none of it.
func TestAMemberSeesNoAdministration(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	admin := w.tab("/")
	link := admin.invited("member")
	ben := w.join(link, "Ben", benMail)
	ben.must(ben.tab.Before(`window.asked = []; const fetched = fetch; window.fetch = (path, ...a) => { asked.push(String(path)); return fetched(path, ...a) }`))
	for _, path := range []string{"/settings", "/settings/people", "/settings/teams", "/settings/audit", "/settings/instance", "/settings/people?invitations"} {
		ben.open(path)
		if path != "/settings" {
			ben.wait(`document.querySelector(".settings-inner").innerText.includes("nothing at this address")`)
		}
		for _, way := range []string{"people", "teams", "audit", "instance"} {
			if ben.has("#to-" + way) {
				t.Errorf("%s: there is a way to %s", path, way)
			}
		}
		if asked := ben.text(`asked.filter(path => /people|teams|invites|audit|instance/.test(path)).join()`); asked != "" {
			t.Errorf("%s: the page asks for %s", path, asked)
		}
	}
	ben.palette("audit")
	ben.keys("\x1b")
	for _, address := range []string{"/api/people", "/api/invites", "/api/audit", "/api/instance"} {
		if status := ben.text(`fetch("` + address + `").then(r => String(r.status))`); status != "404" {
			t.Errorf("%s answers a member with %s", address, status)
		}
	}
	w.allow = append(w.allow, "404 (Not Found)")

	// What is kept of their own is theirs to say; what everybody's takes up they
	// aren't told.
	ben.open("/settings/storage")
	ben.wait(`!!document.querySelector("#keep-save:not([disabled])")`)
	if ben.has("#storage-use") {
		t.Error("a member sees what the data folder holds")
	}

	// Made an admin, they see it at once; and no longer, when that is taken back.
	ben.open("/settings")
	role := func(role string) {
		t.Helper()
		status := admin.text(`fetch("/api/people").then(r => r.json()).then(l => fetch("/api/people/" + l.find(p => p.name === "Ben").id,
			{method: "PATCH", headers: {"Content-Type": "application/json"}, body: JSON.stringify({role: "` + role + `"})})).then(r => String(r.status))`)
		if status != "200" {
			t.Fatalf("the role of %s: %s", role, status)
		}
	}
	role("admin")
	ben.wait(`!!document.querySelector("#to-audit")`)
	ben.must(ben.tab.Front())
	ben.click("#to-people")
	ben.wait(`document.querySelectorAll("#people-table tbody tr").length === 2`)
	role("member")
	ben.wait(`!document.querySelector("#people-table") && !document.querySelector("#to-people")`)
}
