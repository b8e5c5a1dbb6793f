package e2e

import "testing"

// Who reaches a limit that others set is told whom to ask, and led to where it
// stands, not to a form that doesn't change it.
func TestALimitOfOthers(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ana := w.tab("/")
	const mail = "benedict.maximilian.oldenburg.featherstone@example.com"
	p := w.join(ana.invited("member"), "Benedict", mail)
	id := p.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
	ana.asked("PATCH", "/api/people/"+id, `{"limits":{"day_nano_usd":100}}`)
	p.must(p.tab.Front())
	p.send("too much")
	p.settled()
	p.wait(`document.querySelector(".problem")?.innerText.includes("Ask Ana Lima to raise it") && document.querySelector(".problem .remedy").innerText === "See budgets"`)
	p.click(".problem .remedy")
	p.wait(`document.querySelector(".budget-states")?.innerText.includes("ask Ana Lima for more")`)

	// Who set it finds the account on a phone, whatever its address.
	ana.must(ana.tab.Front())
	ana.open("/settings/people?person=" + id)
	ana.wait(`!!document.querySelector("#person-day")`)
	ana.looks(320, 700, true)
	if right := ana.number(`(r => { const x = document.createRange(); x.selectNodeContents(r); return x.getBoundingClientRect().right })([...document.querySelectorAll("#person p")].find(e => e.textContent === "` + mail + `"))`); right > 320 {
		t.Errorf("the e-mail address ends at %v px", right)
	}
	ana.looks(1440, 900, true)
	ana.asked("PATCH", "/api/people/"+ana.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`), `{"limits":{"day_nano_usd":100}}`)
	ana.open("/")
	ana.send("too much of one's own")
	ana.settled()
	ana.wait(`document.querySelector(".problem")?.innerText.includes("Raise it in the settings, under People")`)
}

// Without a key each is led to where they can enter it, or told who can.
func TestWhoEntersTheKey(t *testing.T) {
	t.Parallel()
	w := newTeam(t, startSandbox(t).URL)
	ana := w.tab("/")
	ben := w.join(ana.invited("member"), "Ben", benMail)
	ben.must(ben.tab.Front())
	ben.wait(`document.querySelector("#key-wanted")?.innerText.includes("Ask an admin")`)
	if ben.has("#key-wanted a") {
		t.Error("a member is led to where they can enter no key")
	}
	ben.click(composer)
	ben.keys("without a key\r")
	ben.wait(`document.querySelector("#refusal")?.innerText.includes("Ask an admin")`)

	ana.must(ana.tab.Front())
	ana.click(composer)
	ana.keys("without a key\r")
	ana.wait(`document.querySelector("#refusal")?.innerText.includes("Enter it in Settings")`)
	ana.click("#key-wanted a")
	ana.wait(`!!document.querySelector("#team-key-field")`)
}
