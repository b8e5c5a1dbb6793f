package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// A film team: Ana runs the instance, Lea leads the team, Ben and Cid are in it. A
// clip above ten cents waits.
type filmTeam struct {
	w                  *world
	id                 string
	ana, lea, ben, cid *page
}

func newFilmTeam(t *testing.T) *filmTeam {
	t.Helper()
	f := &filmTeam{w: newTeam(t, "")}
	f.ana = f.w.tab("/")
	f.id = f.ana.team("Film", `[]`)
	for name, to := range map[string]**page{"Lea": &f.lea, "Ben": &f.ben, "Cid": &f.cid} {
		f.must(f.ana.tab.Front())
		p := f.w.join(f.ana.invited("member"), name, strings.ToLower(name)+"@example.com")
		me := p.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
		f.asked("PUT", "/people/"+me, fmt.Sprintf(`{"lead":%v}`, name == "Lea"))
		*to = p
	}
	f.asked("PATCH", "", `{"approve_nano_usd":100000000}`)
	return f
}

func (f *filmTeam) must(err error) {
	f.w.t.Helper()
	if err != nil {
		f.w.t.Fatal(err)
	}
}

// asked has Ana change something of the team.
func (f *filmTeam) asked(method, path, body string) {
	f.w.t.Helper()
	if got := f.ana.asked(method, "/api/teams/"+f.id+path, body); strings.HasPrefix(got, "REFUSED") {
		f.w.t.Fatal(got)
	}
}

// asks fills in the form and asks for approval of a clip.
func (f *filmTeam) asks(p *page, prompt string) {
	f.w.t.Helper()
	f.must(p.tab.Front())
	p.open("/video")
	p.wait(fmt.Sprintf(`[...document.querySelectorAll("#clip-charge option")].some(o => o.value === %q)`, f.id))
	p.charge("clip-charge", f.id)
	p.videoModel("beta-video-480p")
	p.write(prompt)
	p.verb("Ask for approval")
	if says := p.text(`document.querySelector("#asks").textContent`); !strings.HasPrefix(says, "Over $0.10:") {
		f.w.t.Errorf("before it is sent the form says %q", says)
	}
	p.click("#create")
	p.wait(waiting(prompt))
}

// write puts a prompt into the form, in place of what is there.
func (p *page) write(prompt string) {
	p.w.t.Helper()
	p.click("#f-prompt")
	p.must(p.tab.Eval(nil, `document.querySelector("#f-prompt").select()`))
	p.keys(prompt)
	p.wait(fmt.Sprintf(`document.querySelector("#f-prompt").value === %q`, prompt))
}

// waiting says that a clip of that prompt waits, on the page of who asked.
func waiting(prompt string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(".approval")].some(a => a.innerText.includes(%q) && a.innerText.includes("Waiting for approval"))`, prompt)
}

// unseen says how many new notices the rail tells of.
func unseen(n string) string {
	return fmt.Sprintf(`(document.querySelector('.rail-item[href="/notices"] .rail-count')?.textContent ?? "") === %q`, n)
}

// booked are the prices that somebody's ledger has.
func (p *page) booked() (rows []struct {
	Team string `json:"team"`
	Cost int64  `json:"cost_nano_usd"`
}) {
	p.w.t.Helper()
	text := p.asked("GET", "/api/ledger.json", "")
	if err := json.Unmarshal([]byte(text), &rows); err != nil {
		p.w.t.Fatalf("%v: %s", err, text)
	}
	return rows
}

// Ben's dear clip waits: Lea is told at once, releases it from her notice, and it
// is made and charged to the team. Another one she refuses with a reason; Ben
// changes it and asks again. Cid hears of none of it.
func TestADearClipIsAskedForAndReleased(t *testing.T) {
	t.Parallel()
	f := newFilmTeam(t)
	ben, lea, cid := f.ben, f.lea, f.cid
	f.must(lea.tab.Front())
	lea.wait(unseen(""))
	f.asks(ben, "A harbour at dawn")
	ben.verb("Asked")
	ben.reload()
	ben.wait(waiting("A harbour at dawn"))
	if n := ben.count(".tile[data-id]"); n != 0 || len(ben.booked()) != 0 {
		t.Errorf("%d clips, booked %+v before it is released", n, ben.booked())
	}

	f.must(lea.tab.Front())
	lea.wait(unseen("1"))
	lea.click(`.rail-item[href="/notices"]`)
	lea.wait(`document.querySelector(".notice-line")?.innerText.includes("Ben asks for approval: $0.18, beta-video-480p")`)
	lea.wait(unseen(""))
	lea.press(`.notice-line [id^="release-"]`)
	lea.wait(`document.querySelectorAll(".approval-acts").length === 0`)

	f.must(ben.tab.Front())
	ben.wait(`document.querySelectorAll(".approval").length === 0 && document.querySelector(".tile[data-id]")?.dataset.state === "done"`)
	if rows := ben.booked(); len(rows) != 1 || rows[0].Team != "Film" || rows[0].Cost != 180_000_000 {
		t.Errorf("booked is %+v", rows)
	}
	ben.wait(unseen("1"))
	ben.click(`.rail-item[href="/notices"]`)
	ben.wait(`document.querySelector(".notice-link")?.innerText.includes("Lea releases your clip")`)
	ben.click(`.notice-link`)
	ben.wait(`location.pathname.startsWith("/video/") && document.body.innerText.includes("A harbour at dawn")`)

	f.asks(ben, "A harbour at night")
	f.must(lea.tab.Front())
	lea.open("/video")
	lea.wait(`document.querySelector(".approval")?.innerText.includes("Ben asks for approval")`)
	lea.press(`.approval [id^="refuse-"]`)
	lea.wait(`document.activeElement?.tagName === "TEXTAREA" && document.activeElement.id.startsWith("reason-")`)
	lea.keys("Too dark. Take the dawn again.")
	lea.press(`.approval [id^="refuse-go-"]`)
	lea.wait(`document.querySelectorAll(".approval").length === 0`)

	f.must(ben.tab.Front())
	ben.wait(`document.querySelector(".approval")?.innerText.includes("Lea declined it") && document.querySelector(".approval").innerText.includes("Too dark. Take the dawn again.")`)
	ben.write("Something else")
	ben.click(`.approval [id^="again-"]`)
	ben.wait(`document.querySelector("#f-prompt").value === "A harbour at night" && document.querySelectorAll(".approval").length === 0`)
	f.asks(ben, "A harbour at dusk")
	ben.press(`.approval [id^="withdraw-"]`)
	ben.wait(`document.querySelectorAll(".approval").length === 0`)
	if rows := ben.booked(); len(rows) != 1 {
		t.Errorf("booked is %+v", rows)
	}

	f.must(cid.tab.Front())
	cid.open("/video")
	cid.wait(`!!document.querySelector("#gallery")`)
	if cid.count(".approval") != 0 || cid.count(".rail-count") != 0 {
		t.Error("Cid is told of it")
	}
	cid.open("/notices")
	cid.wait(`document.body.innerText.includes("No notifications yet.")`)
}

// What waits, and what one is told, for who can't see it well, on a phone, and by
// the keys alone.
func TestAxeFindsNothingInNotices(t *testing.T) {
	t.Parallel()
	source := axeCore(t)
	f := newFilmTeam(t)
	f.asks(f.ben, "A harbour at dawn, with gulls over "+strings.Repeat("the long mole ", 20)+"and back")
	ben := `!!document.querySelector("#asks")`
	f.ben.axeFindsNothing(source, []axeView{{name: "a clip that waits", path: "/video", wait: ben, do: (*page).showClips}})
	f.must(f.lea.tab.Front())
	lea := []axeView{
		{name: "a clip to release", path: "/video", wait: ben, do: (*page).showClips},
		{name: "notices", path: "/notices", wait: `!!document.querySelector(".notice-line [id^=release-]")`},
		{name: "a refusal", path: "/notices", wait: `!!document.querySelector(".notice-line [id^=refuse-]")`, do: func(p *page) {
			p.press(`[id^="refuse-"]`)
			p.wait(`!!document.querySelector("[id^=reason-]")`)
			p.press(`[id^="refuse-go-"]`)
			p.wait(`document.querySelector(".approval-acts .outcome")?.textContent.includes("1 to 500")`)
		}},
	}
	f.lea.axeFindsNothing(source, lea)
	for _, width := range []int64{390, 320} {
		f.lea.looks(width, 700, true)
		for _, v := range lea[1:] {
			f.lea.open(v.path)
			f.lea.wait(v.wait)
			if wide := f.lea.number(`document.documentElement.scrollWidth`); wide != float64(width) {
				t.Errorf("at %d px %s is %v px wide", width, v.name, wide)
			}
		}
	}
	f.must(f.cid.tab.Front())
	f.cid.axeFindsNothing(source, []axeView{{name: "no notices", path: "/notices", wait: `document.body.innerText.includes("No notifications yet.")`}})
	f.must(f.ana.tab.Front())
	f.ana.axeFindsNothing(source, []axeView{{name: "a team's amount", path: "/settings/teams?team=" + f.id, wait: `document.querySelector("#approve-approve")?.value === "0.1"`, do: func(p *page) {
		p.must(p.tab.Eval(nil, `document.querySelector("#team-approve").scrollIntoView()`))
	}}})
}

// showClips shows the clips, which on a phone stand behind the form.
func (p *page) showClips() {
	p.w.t.Helper()
	if p.count("#video-tab-results") > 0 && p.text(`getComputedStyle(document.querySelector(".video-tabs")).display`) != "none" {
		p.press("#video-tab-results")
	}
	p.wait(`!!document.querySelector("#approvals .approval")`)
}
