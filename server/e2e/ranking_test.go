package e2e

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"screentest/server/store/storetest"

	"screentest/server/store"
)

// votes has the person of a page compare models that a team pays for, without their
// names, and press a button of the vote bar.
func (p *page) votes(team, button string, models ...string) {
	p.w.t.Helper()
	p.open("/")
	p.wait(`document.querySelectorAll("#charge option").length > 1`)
	p.charge("charge", team)
	p.compare(models...)
	p.tool("#blind")
	p.wait(`document.querySelector("#blind").getAttribute("aria-pressed") === "true"`)
	p.sendAll("hello")
	p.allSettled()
	p.wait(fmt.Sprintf(`!!document.querySelector("#%s:not([disabled])")`, button))
	p.click("#" + button)
	p.wait(`!!document.querySelector("#ballot-ranking")`)
}

// Three people of a team vote without knowing whom for; the team's ranking shows it to
// all in the team, while it is looked at too, and to nobody else.
func TestATeamRanksModelsByItsVotes(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ana := w.tab("/")
	lab := ana.team("Lab", `["*"]`)
	people := map[string]*page{}
	for name, mail := range map[string]string{"Ben": benMail, "Cleo": "cleo@example.com", "Dan": "dan@example.com"} {
		people[name] = w.join(ana.invited("member"), name, mail)
		if name == "Dan" {
			continue
		}
		id := people[name].text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
		if got := ana.asked("PUT", "/api/teams/"+lab+"/people/"+id, `{"lead":false}`); strings.HasPrefix(got, "REFUSED") {
			t.Fatal(got)
		}
	}
	const a, b = "vendor/model-a", "vendor/model-b"
	ana.must(ana.tab.Front())

	// Before the first vote the page says how one votes.
	ana.open("/ranking?team=" + lab)
	ana.wait(`document.querySelector(".ranking .empty")?.innerText.includes("Nobody of Lab has voted blind yet")`)

	// What the vote is about stands on it, and stays for the next one.
	ben := people["Ben"]
	ben.must(ben.tab.Front())
	ben.open("/")
	ben.wait(`document.querySelectorAll("#charge option").length > 1`)
	ben.charge("charge", lab)
	ben.compare(a, b)
	ben.tool("#blind")
	ben.sendAll("hello")
	ben.wait(`!!document.querySelector("#vote-tags")`)
	ben.click("#vote-tags")
	ben.wait(`document.activeElement.id === "vote-tags-typed"`)
	ben.keys("Mail, 1, 2, 3, 4, 5\r")
	ben.wait(`document.querySelector("#vote-tags-wrong").innerText.includes("at most 5")`)
	ben.over("#vote-tags-typed", "Mail, code")
	ben.keys("\r")
	ben.wait(`document.activeElement.id === "vote-tags" && document.activeElement.innerText === "#code #mail"`)
	ben.allSettled()
	ben.click("#vote-A")
	ben.wait(`document.querySelector("#ballot").innerText.includes("You voted for A")`)
	ben.wait(`!!document.querySelector(".lane .model-name")`)
	first := ben.text(`document.querySelector(".lane .model-name").textContent`)

	// Who has the page open sees it come.
	ana.must(ana.tab.Front())
	ana.wait(`document.querySelector("#ranking-basis")?.innerText.includes("Based on 1 vote by Lab, blind.")`)

	cleo := people["Cleo"]
	cleo.must(cleo.tab.Front())
	cleo.votes(lab, "vote-bad", a, b)
	cleo.wait(`document.querySelector("#ballot").innerText.includes("You found neither answer good enough.")`)
	cleo.votes(lab, "vote-Tie", a, b)
	cleo.click("#ballot-ranking")
	cleo.wait(`location.pathname === "/ranking" && document.querySelector("#ranking-basis")?.innerText.includes("Based on 3 votes by Lab, blind. Of these 1 was a tie; by 1 (33 %) no answer was good enough.")`)
	cells := `[...document.querySelectorAll("#ranking-table tbody tr")].map(r => [...r.cells].map(c => c.innerText).slice(0, 6).join(" ").replace(/\d+ ± \d+/, "S")).join("|")`
	second := a
	if first == a {
		second = b
	}
	if got, want := cleo.text(cells), first+" S 3 1 1 1|"+second+" S 3 0 1 1"; got != want {
		t.Errorf("the table is %q, want %q", got, want)
	}
	if got := cleo.count("#ranking-chart .interval-plot"); got != 2 {
		t.Errorf("%d models are drawn", got)
	}
	if !strings.Contains(cleo.inner("#ranking-basis"), "too close to call") {
		t.Error("one vote is said to tell them apart")
	}

	// By tag, in the address, and kept with a reload.
	cleo.chooses("#ranking-tag", "mail")
	cleo.wait(`document.querySelector("#ranking-basis")?.innerText.includes("Based on 1 vote by Lab, blind, on #mail.") && location.search.includes("tag=mail")`)
	cleo.reload()
	cleo.wait(`document.querySelector("#ranking-basis")?.innerText.includes("on #mail.")`)
	if got := cleo.text(`new Promise(done => {
		const made = URL.createObjectURL
		URL.createObjectURL = blob => { blob.text().then(done); return made(blob) }
		document.querySelector("#ranking-csv").click()
	})`); !strings.Contains(got, "\""+first+"\",") || !strings.HasPrefix(got, "model,score,low,high,votes") {
		t.Errorf("as CSV it is %q", got)
	}

	// Dan is in no team but everybody's: of Lab there is nothing for him.
	dan := people["Dan"]
	dan.must(dan.tab.Front())
	dan.open("/ranking")
	dan.wait(`document.querySelector(".ranking .empty")?.innerText.includes("Nobody of Everyone has voted blind yet")`)
	if dan.has("#ranking-team") {
		t.Error("of one team there is a choice")
	}
	dan.open("/ranking?team=" + lab)
	dan.wait(`document.querySelector(".ranking .notice")?.innerText.includes("There is no such team")`)
	if page := dan.text(`document.querySelector("#main").innerText`); strings.Contains(page, "Lab") || strings.Contains(page, "model-a") {
		t.Errorf("he sees %q", page)
	}
}

// Alone there is nobody to vote with: nothing of it is there.
func TestAloneThereIsNoRanking(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	p := w.tab("/")
	if p.has(`.rail-item[href="/ranking"]`) {
		t.Error("the rail leads to a ranking")
	}
	p.compare("vendor/model-a", "vendor/model-b")
	p.tool("#blind")
	p.sendAll("hello")
	p.allSettled()
	p.wait(`!!document.querySelector("#vote-Tie:not([disabled])")`)
	if p.has("#vote-bad") || p.has("#vote-tags") {
		t.Error("the vote bar has what is for teams")
	}
	if res := w.get("/ranking"); res.StatusCode != 404 {
		t.Errorf("its page answers %s", res.Status)
	}
}

// vote stores a team's votes as its people would cast them, while the server rests.
func (w *world) vote(mail, team string, n int) {
	w.t.Helper()
	if err := w.server.Stop(); err != nil {
		w.t.Fatal(err)
	}
	db, err := store.Open(w.t.Context(), w.data, store.Options{})
	if err != nil {
		w.t.Fatal(err)
	}
	accounts, err := db.Accounts(w.t.Context())
	storetest.Must(w.t, err)
	owner := ""
	for _, a := range accounts {
		if a.Me.Email == mail {
			owner = a.Owner
		}
	}
	models := []string{"vendor/model-a", "vendor/a-rather-long-name-of-a-model-4.6-preview", "zeta-1", "vendor/epsilon-mini", "vendor/model-b"}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range n {
		rnd.Shuffle(len(models), func(i, j int) { models[i], models[j] = models[j], models[i] })
		of := append([]string{}, models[:2+rnd.IntN(2)]...)
		won := rnd.IntN(len(of)+2) - 2
		for i, m := range of {
			if strings.HasSuffix(m, "preview") && rnd.IntN(3) > 0 {
				won = i
			}
		}
		storetest.Voted(w.t, db, owner, team, won, []string{"code", "summaries"}[:rnd.IntN(3)], of...)
	}
	storetest.Voted(w.t, db, owner, team, 0, nil, "other/one", "other/two")
	storetest.Must(w.t, db.Close())
	w.restart()
}

func TestAxeFindsNothingInARanking(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	w := newTeam(t, "")
	p := w.tab("/")
	lab := p.team("Lab", `["*"]`)
	p.tab.Close()
	w.pages = w.pages[:0]
	w.vote(anaMail, lab, 60)
	p = w.tab("/")
	views := []axeView{
		{name: "ranking", path: "/ranking?team=" + lab, wait: `document.querySelectorAll("#ranking-table tbody tr").length === 7`},
		{name: "ranking of a tag", path: "/ranking?team=" + lab + "&tag=code", wait: `document.querySelectorAll("#ranking-table tbody tr").length === 5`},
		{name: "ranking without votes", path: "/ranking?team=" + lab + "&tag=none", wait: `!!document.querySelector(".ranking .empty") && document.querySelector("#ranking-tag").selectedOptions[0].innerText === "#none"`},
		{name: "vote bar", path: "/", wait: `!!document.querySelector("#blind, #composer")`, do: func(p *page) {
			if p.has("#vote-tags-typed") {
				return
			}
			p.compare("vendor/model-a", "vendor/model-b", "zeta-1")
			p.tool("#blind")
			p.sendAll("hello")
			p.allSettled()
			p.click("#vote-tags")
			p.wait(`!!document.querySelector("#vote-tags-typed")`)
		}},
	}
	p.axeFindsNothing(source, views)
	for _, v := range views[:3] {
		p.open(v.path)
		p.wait(v.wait)
		p.looks(320, 640, true)
		for what, js := range map[string]string{"": sideways, ", its tips": tips} {
			if bad := p.text(js); bad != "" {
				t.Errorf("%s%s, 320 px wide: %s", v.name, what, bad)
			}
		}
	}

	// On paper it is light, whole, and without what can be pressed.
	p.open(views[0].path)
	p.wait(views[0].wait)
	p.must(p.tab.Eval(nil, `document.documentElement.dataset.theme = "dark"`))
	p.must(p.tab.Print(794, 1123))
	p.picture("ranking-on-paper")
	if bad := p.text(`[...document.querySelectorAll(".rail, .bar, .ranking-controls")].filter(e => e.checkVisibility()).map(e => e.className).join(" ")`); bad != "" {
		t.Errorf("%s is printed", bad)
	}
	if cut := p.text(`[...document.querySelectorAll(".main, .ranking, .ranking .scroll")].filter(e => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1).map(e => e.className).join(" ")`); cut != "" {
		t.Errorf("of %s a part is not printed", cut)
	}
	if colour := p.text(`getComputedStyle(document.documentElement).colorScheme`); colour != "light" {
		t.Errorf("it is printed %s", colour)
	}
}
