package e2e

import (
	"fmt"
	"testing"
)

// Until there is a second team the page speaks of none; then each has its
// people, key, models and limits, and who leads one sees that.
func TestTeams(t *testing.T) {
	t.Parallel()
	sandbox := startSandbox(t)
	w := newTeam(t, sandbox.URL)
	w.allow = append(w.allow, "400 (Bad Request)") // the key that is none
	p := w.tab("/settings/teams")
	ben := w.join(p.invited("member"), "Ben", benMail)
	p.must(p.tab.Front())
	p.reload()
	p.wait(`!!document.querySelector("#team-key") && !document.querySelector("#team-people")`)
	if words := p.inner("#to-teams"); words != "Shared key and limits" {
		t.Errorf("with Everyone alone the way is called %q", words)
	}

	// The key.
	p.click("#team-key-save")
	p.wait(`document.activeElement.id === "team-key-field" && document.querySelector("#team-key-outcome").innerText.includes("first")`)
	p.keys("with space\r")
	p.wait(`document.querySelector("#team-key-outcome.bad").innerText.includes("visible ASCII")`)
	p.over("#team-key-field", sandboxKey)
	p.keys("\r")
	last4 := sandboxKey[len(sandboxKey)-4:]
	p.wait(fmt.Sprintf(`document.querySelector("#team-key-state").innerText.includes("ends in %s") && document.querySelector("#team-key-field").value === ""`, last4))
	p.mustNotHold(sandboxKey)
	ben.must(ben.tab.Front())
	ben.open("/")
	ben.send("with the key of all")
	if state := ben.settled(); state != "done" {
		t.Errorf("with the team's key: %s: %s", state, ben.problem())
	}
	ben.mustNotHold(sandboxKey)

	// Allowed models, counted as they are typed.
	p.must(p.tab.Front())
	p.click("#models-models")
	p.keys("vendor/beta*\nnone/such")
	p.wait(`document.querySelector("#models-together").innerText.includes("may be used") && document.querySelector(".patterns").innerText.includes("none/such no model")`)
	p.click("#models-save")
	p.wait(`document.querySelector("#models-outcome").innerText.includes("Saved")`)
	p.reload()
	p.wait(`document.querySelector("#models-models")?.value === "vendor/beta*\nnone/such"`)

	// Limits.
	p.over("#limits-month", "100")
	p.over("#limits-zone", "Nowhere/At_all")
	p.click("#limits-save")
	p.wait(`document.activeElement.id === "limits-zone" && !document.querySelector("#limits-zone-wrong").hidden`)
	p.over("#limits-zone", "Europe/Berlin")
	p.click("#limits-save")
	p.wait(`document.querySelector("#limits-outcome").innerText.includes("saved")`)

	// A second team.
	p.fill("#make-name", "Research lab")
	p.keys("\r")
	p.wait(`document.querySelectorAll("#teams-table tbody tr").length === 2 && document.querySelector("#to-teams").innerText === "Teams"`)
	if row := p.inner("#teams-table tbody tr"); row == "" || !p.has("#make-save") {
		t.Errorf("the list begins with %q", row)
	}
	p.click("#teams-table tr:nth-child(2) a")
	p.wait(`document.querySelector("#team h2").innerText === "Research lab"`)
	p.over("#team-name", "Lab")
	p.click("#team-save")
	p.wait(`document.querySelector("#team h2").innerText === "Lab"`)

	// Its people: found by name, put in, made a lead.
	p.fill("#add-mate", "be")
	p.wait(`document.querySelectorAll("#candidates .chip").length === 1`)
	p.click("#candidates .chip")
	p.wait(`document.querySelector("#mates")?.innerText.includes("Ben") && document.activeElement.id === "add-mate"`)
	p.click("#mates .switch")
	ben.must(ben.tab.Front())
	ben.open("/settings/appearance")
	ben.wait(`!!document.querySelector("#to-teams") && !document.querySelector("#to-people")`)
	ben.click("#to-teams")
	ben.wait(`document.querySelectorAll("#teams-table tbody tr").length === 1 && !document.querySelector("#make-save")`)
	ben.click("#teams-table a")
	ben.wait(`!!document.querySelector("#team-key-save") && !!document.querySelector("#add-mate")`)
	for _, admins := range []string{"#team-save", "#models-save", "#limits-save", "#team-delete"} {
		if ben.has(admins) {
			t.Errorf("a lead has %s", admins)
		}
	}
	ben.fill("#add-mate", "ana")
	ben.click("#candidates .chip")
	ben.wait(`document.querySelectorAll("#mates tbody tr").length === 2`)
	ben.click(`#mates tr:nth-child(2) .icon-button`)
	ben.wait(`document.querySelectorAll("#mates tbody tr").length === 1`)

	// Its end wants its name.
	p.must(p.tab.Front())
	p.click("#team-delete")
	p.wait(`document.querySelector("#delete-go").disabled`)
	p.fill("#delete-name", "Lab")
	p.wait(`!document.querySelector("#delete-go").disabled`)
	p.keys("\r")
	p.wait(`location.search === "" && !!document.querySelector("#team-key") && document.querySelector("#to-teams").innerText === "Shared key and limits"`)
	ben.wait(`!document.querySelector("#to-teams")`)

	// And without the key nothing more goes.
	p.click("#team-key-remove")
	p.click("#team-key-remove-go")
	p.wait(`document.querySelector("#team-key-state").innerText === "no key"`)
}
