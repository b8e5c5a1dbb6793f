package e2e

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

// A passkey is made on the page, signs in without a password, and is removed.
func TestPasskeyOnThePage(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/")
	p.must(p.tab.Authenticator())
	p.open("/settings/security")
	p.click("#security-passkey-name")
	p.keys("\r")
	p.wait(`document.querySelector("#security-passkey-name[aria-invalid=true]") === document.activeElement`)
	p.keys("My laptop\r")
	p.wait(`document.querySelector("[data-passkey]")?.innerText.includes("My laptop")`)
	if p.has("#security-recovery-codes") {
		p.click("#codes-done")
	}
	p.click("#signout")
	p.wait(`location.pathname === "/signin" && ` + atDoor)
	p.click("#door-passkey")
	p.wait(ready)
	p.open("/settings/security")
	p.wait(`document.querySelector("[data-session] .security-what")?.innerText.includes("by passkey")`)
	p.click("[data-passkey] button")
	p.wait(`!document.querySelector("[data-passkey]") && document.querySelector("#security-passkeys-outcome").innerText !== ""`)
}

// An authenticator app is set up, asked for, and a recovery code stands in for
// it.
func TestAuthenticatorAppOnThePage(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/settings/security")
	p.click("#app-begin")
	p.wait(`document.querySelector(".security-qr path")?.getAttribute("d").length > 100 && document.activeElement.id === "security-app-code"`)
	secret := strings.ReplaceAll(p.text(`document.querySelector("#app-secret").innerText`), " ", "")
	p.keys("000000\r")
	p.wait(`!!document.querySelector("#security-app-code[aria-invalid=true]")`)
	code, err := totp.GenerateCode(secret, time.Now())
	p.must(err)
	p.over("#security-app-code", code)
	p.keys("\r")
	p.wait(`document.activeElement.id === "security-recovery-codes"`)
	codes := strings.Fields(p.text(`[...document.querySelectorAll(".security-codes li")].map(e => e.innerText).join("\n")`))
	if len(codes) != 10 {
		t.Fatalf("recovery codes: %q", codes)
	}
	p.open("/settings/security") // they are shown once
	p.wait(`!!document.querySelector("#codes-new")`)
	p.mustNotHold(codes[0], secret)

	w.as(w.stranger(), func() {
		b := w.door("/signin")
		b.fill("#door-email", anaMail)
		b.fill("#door-password", goodPassword)
		b.keys("\r")
		b.wait(`document.activeElement.id === "door-code"`)
		b.keys("123\r")
		b.wait(`document.querySelector("#door-code-wrong").innerText !== "" && document.activeElement.id === "door-code"`)
		b.over("#door-code", codes[3])
		b.keys("\r")
		b.wait(ready)
		b.open("/settings/security")
		b.wait(`document.querySelector("#security-codes").innerText.includes("9 recovery codes left")`)
	})
	w.allow = append(w.allow, "status of 400")
}

// The password is changed, and who was signed in elsewhere is asked for it.
func TestPasswordAndSessionsOnThePage(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	w.allow = append(w.allow, "status of 400")
	p := w.tab("/settings/security")
	elsewhere := w.stranger()
	w.as(elsewhere, func() { w.door("/signin").signIn(anaMail, goodPassword) })
	other := w.pages[len(w.pages)-1]
	p.must(p.tab.Front())
	p.open("/settings/security")
	p.wait(`document.querySelectorAll("[data-session]").length === 2 && document.querySelector("[data-session] .pill")?.innerText === "this one"`)

	p.fill("#security-old", "not the password")
	p.fill("#security-new", goodPassword+" anew")
	p.keys("\r")
	p.wait(`document.querySelector("#security-old-wrong").innerText !== "" && document.activeElement.id === "security-old"`)
	p.over("#security-old", goodPassword)
	p.keys("\r")
	p.wait(`document.querySelector("#security-password-outcome").innerText.includes("changed") && document.querySelectorAll("[data-session]").length === 1`)
	other.must(other.tab.Front())
	other.wait(`!!document.querySelector("#again[open]") && document.activeElement.id === "door-password"`)
	other.keys(goodPassword + " anew\r")
	other.wait(`!document.querySelector("#again[open]")`)

	p.must(p.tab.Front())
	p.open("/settings/security")
	p.wait(`document.querySelectorAll("[data-session]").length === 2`)
	p.click(`[data-session]:not(:has(.pill)) button`)
	p.wait(`document.querySelectorAll("[data-session]").length === 1`)
	other.wait(`!!document.querySelector("#again[open]")`)
}

// An admin of an instance that asks for two factors is told so, and runs it once
// there is a passkey.
func TestAnAdminIsAskedForASecondFactor(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/")
	p.must(p.tab.Authenticator())
	p.open("/")
	set := p.text(`fetch("/api/instance").then(r => r.json()).then(i => fetch("/api/instance", {method: "PUT", headers: {"Content-Type": "application/json"},
		body: JSON.stringify({...i, two_factors: true})})).then(r => String(r.status))`)
	if set != "200" && set != "204" {
		t.Fatalf("the policy was not set: %s", set)
	}
	p.wait(`!!document.querySelector("#factor-needed")`)
	p.click("#factor-needed a")
	p.fill("#security-passkey-name", "My laptop")
	p.keys("\r")
	p.wait(`!!document.querySelector("[data-passkey]") && !document.querySelector("#factor-needed")`)
}

// Who is invited may have a passkey and no password.
func TestJoiningWithAPasskey(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	link := w.tab("/").invited("member")
	w.as(w.stranger(), func() {
		p := w.door("/signin")
		p.must(p.tab.Authenticator())
		p.openDoor(link)
		p.fill("#door-name", "Ben")
		p.fill("#door-email", benMail)
		p.click("#door-new-passkey")
		p.wait(`!!document.querySelector("#codes-done") || (` + ready + `)`)
		if p.has("#codes-done") {
			p.click("#codes-done")
		}
		p.wait(ready)
		p.open("/settings/security")
		p.wait(`!!document.querySelector("[data-passkey]") && document.querySelector("#password-save").innerText === "Set a password"`)
		p.click("#signout")
		p.wait(`location.pathname === "/signin" && ` + atDoor)
		p.click("#door-passkey")
		p.wait(ready)
	})
}

// Who signed in a while ago proves who they are before a way in is added. The
// page is made to believe that it was a while ago; the proof is the server's to
// judge.
func TestAProofIsAskedForOnThePage(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w := newTeam(t, "")
	w.allow = append(w.allow, "status of 400", "status of 403")
	p := w.tab("/")
	p.must(p.tab.Before(`window.real = window.fetch; window.fetch = (path, o) => path === "/api/totp/begin" && o.body === "{}"
		? Promise.resolve(new Response(JSON.stringify({code: "proof_needed", message: "Prove it."}), {status: 403}))
		: real(path, o)`))
	p.open("/settings/security")
	p.click("#app-begin")
	p.wait(`!!document.querySelector("#proof[open]") && document.activeElement.id === "security-proof"`)
	p.keys("not the password\r")
	p.wait(`document.querySelector("#security-proof-wrong").innerText !== "" && document.activeElement.id === "security-proof"`)
	p.must(p.tab.Eval(nil, source+"; true"))
	for _, size := range [][2]int64{{1440, 900}, {390, 844}, {320, 700}} {
		p.looks(size[0], size[1], size[0] != 390)
		if found := p.axe(); len(found) > 0 {
			t.Errorf("%d px: %s", size[0], strings.Join(found, "\n"))
		}
		p.picture("door proof " + strconv.Itoa(int(size[0])))
	}
	p.keys("\x1b") // one may let go of it
	p.wait(`!document.querySelector("#proof[open]") && document.activeElement.id === "app-begin"`)
	p.click("#app-begin")
	p.wait(`!!document.querySelector("#proof[open]") && document.activeElement.id === "security-proof"`)
	p.keys(goodPassword + "\r")
	p.wait(`!document.querySelector("#proof[open]") && !!document.querySelector("#app-secret")`)
}

// Every page of the door, at both sizes in both colours, and no wider than a
// small phone.
func TestAxeFindsNothingAtTheDoor(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w := newDoor(t, "")
	w.allow = append(w.allow, "status of 404", "status of 410")
	p := w.door("/signin") // nobody has set it up
	check := func(name string) {
		t.Helper()
		p.must(p.tab.Eval(nil, source+"; true"))
		for _, size := range [][2]int64{{1440, 900}, {390, 844}, {320, 700}} {
			for _, dark := range []bool{true, false} {
				p.looks(size[0], size[1], dark)
				if found := p.axe(); len(found) > 0 {
					t.Errorf("%s, %d px, dark %v: %d findings:\n%s", name, size[0], dark, len(found), strings.Join(found, "\n"))
				}
				if wide := p.number("document.documentElement.scrollWidth"); wide > float64(size[0]) {
					t.Errorf("%s is %v px wide in a window of %d", name, wide, size[0])
				}
				p.picture("door " + name + map[bool]string{true: " dark ", false: " light "}[dark] + map[int64]string{1440: "wide", 390: "phone", 320: "narrow"}[size[0]])
			}
		}
	}
	check("not set up")
	p.openDoor("/setup#" + w.setUpToken())
	check("set up")
	p.keys("\r")
	p.wait(`!!document.querySelector("#door-name[aria-invalid=true]")`)
	check("set up, wrong")
	p.enter("Ana Lima", anaMail)
	p.wait(ready)
	link := p.invited("guest")
	for _, width := range []int64{390, 320} { // the account has a place on a phone, too
		p.looks(width, 700, true)
		p.open("/")
		p.click("#menu")
		p.wait(`document.activeElement?.id === "new-conversation"`)
		p.must(p.tab.Eval(nil, source+"; true"))
		if found := p.axe(); len(found) > 0 {
			t.Errorf("the list, %d px: %s", width, strings.Join(found, "\n"))
		}
		p.picture("door list " + strconv.Itoa(int(width)))
		p.click(".side .rail-account")
		p.wait(`location.pathname === "/settings/security"`)
	}
	p.open("/settings/security")
	p.wait(`!!document.querySelector("[data-session]")`)
	check("security")
	p.click("#app-begin")
	p.wait(`!!document.querySelector("#app-secret")`)
	check("app")
	p.must(p.tab.Eval(nil, `fetch("/api/signout", {method: "POST", headers: {"Content-Type": "application/json"}, body: "{}"}).then(r => r.status)`))
	p.wait(`!!document.querySelector("#again[open] #door-form")`)
	check("again")
	p.openDoor("/signin")
	check("sign in")
	p.fill("#door-email", anaMail)
	p.fill("#door-password", "not the password")
	p.keys("\r")
	p.wait(`document.querySelector("#door-wrong").innerText !== ""`)
	check("sign in, wrong")
	p.openDoor(link)
	check("join")
	p.openDoor("/reset#nothing")
	check("dead link")
}
