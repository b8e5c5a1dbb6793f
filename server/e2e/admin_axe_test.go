package e2e

import (
	"fmt"
	"strconv"
	"testing"
)

// The pages of the administration, with somebody in them.
func TestAxeFindsNothingInTheAdministration(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w := newTeam(t, "")
	p := w.tab("/settings/people")
	w.join(p.invited("member"), "Benedicta Olatunji-Featherstonehaugh", benMail).tab.Close()
	p.must(p.tab.Front())
	p.invited("member")
	made := p.text(`(async () => {
		const ask = (method, path, body) => fetch(path, {method, headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)})
		await ask("POST", "/api/teams", {name: "Research and development of lighthouses", models: ["vendor/*", "none/such"], limits: {day_nano_usd: 5e9}})
		const team = (await (await fetch("/api/teams")).json()).find(t => !t.everyone).id
		const ben = (await (await fetch("/api/people")).json()).find(p => p.name.startsWith("Ben")).id
		await ask("PUT", "/api/teams/" + team + "/people/" + ben, {lead: true})
		return team + " " + ben
	})()`)
	var team, ben string
	if _, err := fmt.Sscan(made, &team, &ben); err != nil {
		t.Fatalf("%v: %s", err, made)
	}
	views := []axeView{
		{name: "people", path: "/settings/people", wait: `document.querySelectorAll("#people-table tbody tr").length === 2`},
		{name: "invitations", path: "/settings/people?invitations", wait: `!!document.querySelector("#invites-table .button")`,
			do: func(p *page) {
				p.fill("#invite-uses", "x")
				p.click("#invite-make")
				p.wait(`!!document.querySelector("#invite-uses-wrong:not([hidden])")`)
			}},
		{name: "an invitation's link", path: "/settings/people?invitations", wait: `!!document.querySelector("#invite-make")`,
			do: func(p *page) { p.click("#invite-make"); p.wait(`!!document.querySelector("#invite-link-url")`) }},
		{name: "a person", path: "/settings/people?person=" + ben, wait: `!!document.querySelector("#person-signin")`},
		{name: "a person who is erased", path: "/settings/people?person=" + ben, wait: `!!document.querySelector("#leave-erase")`,
			do: func(p *page) { p.press("#leave-erase"); p.wait(`!!document.querySelector("#leave-counts")`) }},
		{name: "teams", path: "/settings/teams", wait: `document.querySelectorAll("#teams-table tbody tr").length === 2`},
		{name: "a team", path: "/settings/teams?team=" + team, wait: `!!document.querySelector("#mates .switch")`,
			do: func(p *page) {
				p.fill("#add-mate", "a")
				p.wait(`!!document.querySelector("#candidates .chip")`)
				p.click("#team-delete")
				p.wait(`!!document.querySelector("#delete-go")`)
			}},
		{name: "audit", path: "/settings/audit", wait: `!!document.querySelector("#audit-table tbody tr")`},
		{name: "instance", path: "/settings/instance", wait: `!!document.querySelector("#instance-flags")`},
		{name: "settings of an admin", path: "/settings", wait: `!!document.querySelector("#to-audit")`},
	}
	p.axeFindsNothing(source, views)

	// Nothing of it is wider than a narrow phone.
	for _, v := range views {
		p.open(v.path)
		p.wait(v.wait)
		if v.do != nil {
			v.do(p)
		}
		p.looks(320, 640, true)
		for what, js := range map[string]string{"": sideways, ", its tips": tips} {
			if bad := p.text(js); bad != "" {
				t.Errorf("%s%s, 320 px wide: %s", v.name, what, bad)
			}
		}
	}
}

// Somebody is invited without a pointer.
func TestInvitingByKeyboard(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/settings/appearance")
	p.must(p.tab.Eval(nil, `document.querySelector("#to-appearance").focus()`))
	tab := func(id string) {
		t.Helper()
		for range 60 {
			if p.text(`document.activeElement.id`) == id {
				if p.text(`getComputedStyle(document.activeElement).outlineStyle`) == "none" {
					t.Errorf("%s has the focus and doesn't show it", id)
				}
				return
			}
			p.keys("\t")
		}
		t.Fatalf("by Tab one doesn't get to %s", id)
	}
	tab("to-people")
	p.keys("\r")
	p.wait(`!!document.querySelector("#invite")`)
	tab("invite")
	p.keys("\r")
	p.wait(`!!document.querySelector("#invite-uses")`)
	p.must(p.tab.Eval(nil, `document.activeElement.blur()`))
	tab("invite-uses")
	p.keys("\r")
	p.wait(`!!document.querySelector("#invite-link-url")`)
	tab("invite-link-copy")
}

// With two hundred people the list shows the first of them, and finds the rest
// while one types. The people are the test's: two hundred passwords would take
// longer than all of it.
func TestTwoHundredPeople(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	p := w.tab("/settings/people")
	p.must(p.tab.Before(`{
		const fetched = fetch
		window.fetch = async (path, ...a) => {
			const answer = await fetched(path, ...a)
			if (path !== "/api/people" || a[0]?.method !== "GET") return answer
			const list = await answer.json()
			for (let i = 1; i < 200; i++) list.push({...list[0], id: "p" + i, name: "Person " + i, email: "p" + i + "@example.com", role: "member"})
			return new Response(JSON.stringify(list))
		}
	}`))
	p.open("/settings/people")
	rows := `document.querySelectorAll("#people-table tbody tr").length`
	p.wait(rows + ` === 100 && document.querySelector("#people-found").innerText === "200 people"`)
	p.click("#people-more")
	p.wait(rows + ` === 200`)
	var took []float64
	for _, letter := range "person 17" {
		took = append(took, p.number(`new Promise(done => {
			const e = document.querySelector("#people-search"), before = document.querySelector("#people-found").innerText, from = performance.now()
			e.focus(); e.value += `+strconv.Quote(string(letter))+`; e.dispatchEvent(new Event("input", {bubbles: true}))
			requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - from)))
		})`))
	}
	t.Logf("from a letter typed to the list drawn: %.0f ms", took)
	p.wait(rows + ` === 12 && document.querySelector("#people-found").innerText === "12 people of 200"`)
}
