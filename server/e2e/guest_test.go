package e2e

import "testing"

// A guest is told what they are wherever others send from, finds nothing that
// would be refused, and works as soon as they are made a member.
func TestAGuestIsToldWhatTheyAre(t *testing.T) {
	t.Parallel()
	w := newTeam(t, "")
	ana := w.tab("/")
	p := w.join(ana.invited("guest"), "Gus", "gus@example.com")
	p.must(p.tab.Front())
	for _, path := range []string{"/", "/video"} {
		p.open(path)
		p.wait(`document.querySelector(".guest-note")?.innerText.includes("guest here") && document.body.innerText.includes("Nothing has been shared with you yet")`)
		for _, sends := range []string{composer, ".example", "#create", "#example"} {
			if p.has(sends) {
				t.Errorf("%s has %s", path, sends)
			}
		}
		for _, width := range []int64{390, 320} {
			p.looks(width, 700, true)
			if wide := p.number(`document.documentElement.scrollWidth`); wide != float64(width) {
				t.Errorf("at %d px %s is %v px wide", width, path, wide)
			}
		}
		p.looks(1440, 900, true)
	}
	p.open("/settings/data")
	p.wait(`!!document.querySelector("#import")`)
	if p.count("#import:not([hidden])") != 0 {
		t.Error("a file can be imported")
	}
	p.open("/")
	if p.count("#new-conversation:not([hidden])") != 0 {
		t.Error("a conversation can be begun")
	}
	id := p.text(`fetch("/api/me").then(r => r.json()).then(m => m.id)`)
	ana.asked("PATCH", "/api/people/"+id, `{"role":"member"}`)
	p.wait(`!document.querySelector(".guest-note") && !!document.querySelector("#composer")`)
	p.send("as a member")
	if state := p.settled(); state != "done" {
		t.Errorf("the first answer is %s: %s", state, p.problem())
	}

	// Made a guest again in mid-answer, they can still stop that.
	p.underWay(func() bool {
		ana.asked("PATCH", "/api/people/"+id, `{"role":"guest"}`)
		p.wait(`!!document.querySelector(".guest-note")`)
		if p.text(last+`.dataset.state`) == "running" && p.count(stopButton+":not([hidden])") == 1 {
			p.click(stopButton)
			return true
		}
		ana.asked("PATCH", "/api/people/"+id, `{"role":"member"}`)
		p.wait(`!!document.querySelector("#composer")`)
		return false
	})
	if state := p.settled(); state != "stopped" {
		t.Errorf("the answer is %s", state)
	}
}
