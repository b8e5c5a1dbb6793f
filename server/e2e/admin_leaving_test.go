package e2e

import (
	"testing"
)

// Somebody leaves: what would go is counted, and what can't be taken back wants
// the name typed.
func TestSomebodyLeaves(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/settings/people")
	ben := w.join(p.invited("member"), "Ben", benMail)
	ben.must(ben.tab.Front())
	ben.send("A word that is handed over")
	if state := ben.settled(); state != "done" {
		t.Fatalf("%s: %s", state, ben.problem())
	}
	ben.tab.Close()
	p.must(p.tab.Front())
	p.reload()
	p.wait(`document.querySelectorAll("#people-table tbody tr").length === 2`)
	p.click(`#people-table tr:not(:has(.pill)) a`)

	// Not while they may be making more.
	p.wait(`document.querySelector("#leave-hand_over")?.disabled`)
	p.click("#leave-deactivate")
	p.click("#leave-go")
	p.wait(`document.querySelector("#leave-outcome").innerText.includes("is deactivated") && !document.querySelector("#leave-hand_over").disabled`)

	// Handed over, the conversation is the admin's.
	p.click("#leave-hand_over")
	p.wait(`document.querySelector("#leave-go").disabled`)
	p.must(p.tab.Eval(nil, `document.querySelector("#leave-to").focus()`))
	ana := p.text(`[...document.querySelector("#leave-to").options].find(o => o.text.includes("Ana")).value`)
	p.chooses("#leave-to", ana)
	p.fill("#leave-name", "Bem")
	if !p.has("#leave-go:disabled") {
		t.Error("with another name it is handed over")
	}
	p.over("#leave-name", "Ben")
	p.click("#leave-go")
	p.wait(`document.querySelector("#leave-outcome").innerText.includes("is Ana Lima’s now")`)

	// Erased, they are nobody here.
	p.click("#leave-erase")
	p.wait(`document.querySelector("#leave-counts")?.innerText.includes("entry of the ledger")`)
	p.fill("#leave-name", "Ben")
	p.wait(`!document.querySelector("#leave-go").disabled`)
	p.keys("\r")
	p.wait(`!document.querySelector("#person-leaving") && document.querySelector(".settings-inner").innerText.includes("Ben is erased: ")`)
	p.click("#back")
	p.wait(`document.querySelector("#people")?.innerText.includes("only one here")`)
	p.open("/")
	p.wait(`document.querySelector(".side-list").innerText.includes("A word that is handed over")`)
	p.open("/settings/audit")
	p.wait(`[...document.querySelectorAll("#audit-table tbody tr")].some(e => e.dataset.action === "person.erased")`)
}
