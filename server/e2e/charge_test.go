package e2e

import (
	"fmt"
	"strings"
	"testing"
)

// asked sends JSON to an address as the person of the page does, and returns what
// it answers.
func (p *page) asked(method, path, body string) string {
	p.w.t.Helper()
	return p.text(fmt.Sprintf(`fetch(%q, {method: %q, headers: {"Content-Type": "application/json"}, body: %q || undefined})
		.then(async r => r.ok ? await r.text() : "REFUSED " + r.status + " " + await r.text())`, path, method, body))
}

// team makes a team with its maker in it, and returns its id.
func (p *page) team(name, models string) string {
	p.w.t.Helper()
	me := p.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
	id := p.text(fmt.Sprintf(`fetch("/api/teams", {method: "POST", headers: {"Content-Type": "application/json"}, body: %q}).then(r => r.json()).then(t => t.id ?? JSON.stringify(t))`,
		fmt.Sprintf(`{"name":%q,"models":%s}`, name, models)))
	if got := p.asked("PUT", "/api/teams/"+id+"/people/"+me, `{"lead":true}`); strings.HasPrefix(got, "REFUSED") {
		p.w.t.Fatalf("nobody gets into the team %s: %s", name, got)
	}
	return id
}

// charge chooses what a send is charged to.
func (p *page) charge(id, to string) {
	p.w.t.Helper()
	p.must(p.tab.Eval(nil, fmt.Sprintf(`{ const s = document.getElementById(%q); s.value = %q; s.dispatchEvent(new Event("change", {bubbles: true})) }`, id, to)))
}

// Who pays is chosen where its price stands: it decides which
// models are offered, is remembered, and the Spend page tells it apart.
func TestASendIsChargedToATeam(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/")
	if p.has("#charge") {
		t.Error("with one team there is a choice of what to charge")
	}
	p.choose("vendor/model-a")
	p.send("Charged to Everyone")
	p.settled()
	lab := p.team("Lab", `["vendor/epsilon-*","beta-video-*"]`)
	p.wait(`document.querySelectorAll("#charge option").length === 2`)

	// A model that the team doesn't pay for stays chosen, and is refused in words
	// before it is sent; what was written stays.
	p.charge("charge", lab)
	p.click(composer)
	p.keys("Charged to the lab\r")
	p.wait(`document.querySelector("#refusal")?.innerText.includes("Lab doesn’t pay for vendor/model-a")`)
	if n := p.count(answers); n != 1 || p.text(`document.querySelector("#composer").value`) != "Charged to the lab" {
		t.Errorf("it was sent all the same: %d answers", n)
	}
	p.click("#model")
	p.wait(`document.querySelectorAll("#picker-list .option").length > 0`)
	if other := p.text(`String([...document.querySelectorAll("#picker-list .option")].filter(o => !o.dataset.model.startsWith("vendor/epsilon-")).length)`); other != "0" {
		t.Errorf("%s models are offered that the team doesn't pay for", other)
	}
	p.keys("\r")
	p.wait(`document.querySelector("#model .model-name").textContent.startsWith("vendor/epsilon-")`)
	p.click("#send")
	p.settled()
	p.reload()
	p.wait(fmt.Sprintf(`document.querySelector("#charge")?.value === %q`, lab))

	// The video form keeps to it too.
	p.open("/video")
	p.wait(fmt.Sprintf(`document.querySelector("#clip-charge")?.value === %q`, lab))
	p.wait(`[...document.querySelectorAll("#model-select option")].length > 0 && [...document.querySelectorAll("#model-select option")].every(o => o.value.startsWith("beta-video-"))`)

	p.open("/spend?who=everybody&split=team")
	p.wait(`document.querySelector(".spend-payers")?.innerText.includes("Lab") && document.querySelectorAll("#ledger tbody tr").length === 2`)
	p.must(p.tab.Eval(nil, `[...document.querySelectorAll(".spend-payers a")].find(a => a.textContent === "Lab").click()`))
	p.wait(`document.querySelectorAll("#ledger tbody tr").length === 1 && [...document.querySelectorAll(".chip")].some(c => c.textContent.startsWith("Lab"))`)
	for _, size := range [][2]int64{{1440, 900}, {390, 844}, {320, 700}} {
		p.looks(size[0], size[1], size[0] == 390)
		if wide := p.text(`String(document.documentElement.scrollWidth)`); wide != fmt.Sprint(size[0]) {
			t.Errorf("at %d px the page is %s px wide", size[0], wide)
		}
	}
}

// Somebody else's spend is seen by who answers for it, and nothing of what they
// wrote.
func TestSpendOfOthers(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ana := w.tab("/")
	link := ana.invited("member")
	w.as(w.stranger(), func() {
		p := w.door(link)
		p.enter("Ben", benMail)
		p.wait(ready)
		p.send("canary of Ben's")
		p.settled()
		p.open("/spend?who=everybody")
		p.wait(`document.body.innerText.includes("You may see only what you spent yourself")`)
		p.open("/spend")
		p.wait(`document.querySelectorAll("#ledger tbody tr").length === 1`)
		if p.count("#ledger .what a") != 1 {
			t.Error("one's own row leads nowhere")
		}
		if p.count("#ledger .act button") != 0 {
			t.Error("a member may correct what they spent")
		}
	})
	ana.send("Ana's own")
	ana.settled()
	ana.open("/spend?who=everybody")
	ana.wait(`document.querySelectorAll("#ledger tbody tr").length === 2 && document.querySelector(".spend-payers")?.innerText.includes("Ben")`)
	ana.must(ana.tab.Eval(nil, `[...document.querySelectorAll(".spend-payers a")].find(a => a.textContent === "Ben").click()`))
	ana.wait(`document.querySelectorAll("#ledger tbody tr").length === 1 && document.querySelector("#ledger .payer")?.innerText.includes("Ben")`)
	if ana.count("#ledger .what a") != 0 || ana.count("#ledger .act button") != 0 {
		t.Error("somebody else's row leads to what was written, or can be corrected")
	}
	ana.mustNotHold("canary of Ben's")
}
