package share

import (
	"fmt"
	"strings"
	"testing"

	"screentest/shared/wire"
)

const posted = "POST /api/shares "

func open(t *testing.T, h wire.Hello) *world {
	t.Helper()
	w := newWorld(t, h, wire.Shares{})
	w.a.answers["POST /api/shares"] = wire.Share{ID: "s9", Link: "http://here/s/s9"}
	w.Open(wire.ShareConversation, "c1", "Harbour")
	return w
}

func TestWhomOneMayShareWith(t *testing.T) {
	single := *ann
	single.Teams = ann.Teams[:1]
	for _, c := range []struct {
		name      string
		h         wire.Hello
		audiences string
	}{
		{"one team only", wire.Hello{Me: &single}, "people everyone"},
		{"in a second team", wire.Hello{Me: ann}, "people team everyone"},
		{"links are allowed", wire.Hello{Me: &single, LinkShares: true}, "people everyone link"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, c.h)
			if got := strings.Join(w.Dialog.Audiences(), " "); got != c.audiences {
				t.Errorf("audiences %q, want %q", got, c.audiences)
			}
			list, more := w.Dialog.Found()
			if got := fmt.Sprint(list, more); got != "[{p-bob bob marsh} {p-cle Cleo}] 0" { // not oneself
				t.Errorf("people %s", got)
			}
			for _, one := range w.Dialog.Teams() {
				if one.Name != "Lab" {
					t.Errorf("the team %s is offered", one.Name)
				}
			}
		})
	}
}

func TestPeopleAreChosenByTyping(t *testing.T) {
	w := open(t, wire.Hello{Me: ann})
	g := &w.Dialog
	g.Change(func(g *Dialog) { g.Filter = "MARSH bo" })
	if list, _ := g.Found(); len(list) != 1 || list[0].ID != "p-bob" {
		t.Fatalf("found %v", list)
	}
	if !g.PickFirst() || !g.Has("p-bob") || g.Filter != "" {
		t.Errorf("the first is not chosen: %v, %q", g.Picked(), g.Filter)
	}
	if g.PickFirst() { // nothing is typed
		t.Error("somebody was chosen of whom nothing is typed")
	}
	g.Pick("p-cle", true)
	g.Pick("p-cle", true)
	g.Pick("nobody", true)
	g.Pick("p-bob", false)
	if got := fmt.Sprint(g.Picked()); got != "[{p-cle Cleo}]" {
		t.Errorf("chosen %s", got)
	}
}

func TestManyPeopleAreNotAllListed(t *testing.T) {
	w := newWorld(t, wire.Hello{Me: ann}, wire.Shares{})
	all := wire.Team{ID: "t-all", Everyone: true}
	for i := range 200 {
		all.People = append(all.People, wire.TeamMate{ID: fmt.Sprint("p", i), Name: fmt.Sprintf("Person %03d", i)})
	}
	w.a.answers["GET /api/teams"] = []wire.Team{all}
	w.Open(wire.ShareClip, "v1", "Boat")
	if list, more := w.Dialog.Found(); len(list) != Offered || more != 200-Offered {
		t.Errorf("%d listed and %d more", len(list), more)
	}
	w.Dialog.Change(func(g *Dialog) { g.Filter = "19" })
	if list, more := w.Dialog.Found(); len(list) != 12 || more != 0 { // 019, 119, 190 to 199
		t.Errorf("%d fit, %d more", len(list), more)
	}
}

func TestWhatIsSent(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(g *Dialog)
		want string
	}{
		{"people, live", func(g *Dialog) { g.Pick("p-cle", true); g.Pick("p-bob", true) },
			`{"kind":"conversation","id":"c1","audience":"people","to":["p-bob","p-cle"],"live":true,"wire":false}`},
		{"a team for a week", func(g *Dialog) { g.Audience, g.Ends = wire.ShareWithTeam, EndsWeek },
			`{"kind":"conversation","id":"c1","audience":"team","to":["t-lab"],"live":true,"wire":false,"hours":168}`},
		{"everybody, as it is, with the wire", func(g *Dialog) { g.Audience, g.Live, g.Wire = wire.ShareWithAll, false, true },
			`{"kind":"conversation","id":"c1","audience":"everyone","live":false,"wire":true}`},
		{"whoever was chosen before is not sent to everybody's", func(g *Dialog) { g.Pick("p-cle", true); g.Audience = wire.ShareWithAll },
			`{"kind":"conversation","id":"c1","audience":"everyone","live":true,"wire":false}`},
		{"by link to the end of a day", func(g *Dialog) { g.Audience, g.Ends, g.Date = wire.ShareByLink, EndsOn, "2026-11-05" },
			`{"kind":"conversation","id":"c1","audience":"link","live":true,"wire":false,"hours":60}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, wire.Hello{Me: ann, LinkShares: true})
			c.do(&w.Dialog)
			w.Dialog.Send()
			if got := strings.TrimPrefix(w.a.last(posted), posted); got != c.want {
				t.Errorf("sent %s\nwant %s", got, c.want)
			}
			if m := w.Dialog.Made; m == nil || m.Link != "http://here/s/s9" || w.Dialog.Busy {
				t.Errorf("made %+v, busy %v", m, w.Dialog.Busy)
			}
		})
	}
}

func TestWhatIsWrongIsNotSent(t *testing.T) {
	for _, c := range []struct {
		name, field string
		do          func(g *Dialog)
	}{
		{"nobody is chosen", FieldTo, func(*Dialog) {}},
		{"no day", FieldDate, func(g *Dialog) { g.Audience, g.Ends = wire.ShareWithAll, EndsOn }},
		{"a day that is over", FieldDate, func(g *Dialog) { g.Audience, g.Ends, g.Date = wire.ShareWithAll, EndsOn, "2026-11-02" }},
		{"a day too late", FieldDate, func(g *Dialog) { g.Audience, g.Ends, g.Date = wire.ShareWithAll, EndsOn, "2027-11-05" }},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, wire.Hello{Me: ann})
			c.do(&w.Dialog)
			w.Dialog.Send()
			if w.a.times(posted) != 0 || w.Dialog.Wrong[c.field] == "" || w.wrong != 1 || w.Dialog.Made != nil {
				t.Errorf("sent %d times, wrong %v", w.a.times(posted), w.Dialog.Wrong)
			}
			w.Dialog.Change(func(g *Dialog) { g.Live = false })
			if len(w.Dialog.Wrong) != 0 {
				t.Errorf("after a change: %v", w.Dialog.Wrong)
			}
		})
	}
}

func TestWhatTheServerRefusesStandsAtItsField(t *testing.T) {
	for field, at := range map[string]string{"to": FieldTo, "hours": FieldDate, "": ""} {
		w := open(t, wire.Hello{Me: ann})
		w.a.answers["POST /api/shares"] = &wire.Problem{Code: "invalid", Field: field, Message: "No.", Hint: "Do."}
		w.Dialog.Pick("p-bob", true)
		w.Dialog.Send()
		if g := w.Dialog; g.Busy || g.Made != nil || at == "" && g.Problem == nil || at != "" && g.Wrong[at] != "No. Do." {
			t.Errorf("field %q: wrong %v, problem %v", field, g.Wrong, g.Problem)
		}
		if !w.Dialog.Has("p-bob") {
			t.Error("who was chosen is gone")
		}
	}
}

// A second click sends nothing, and what comes for a dialog that is another's by
// now does not stand in it.
func TestAnAnswerBelongsToItsDialog(t *testing.T) {
	w := open(t, wire.Hello{Me: ann})
	w.Dialog.Change(func(g *Dialog) { g.Audience = wire.ShareWithAll })
	w.a.hold = true
	w.Dialog.Send()
	w.Dialog.Send()
	if n := w.a.times(posted); n != 1 {
		t.Errorf("two clicks sent it %d times", n)
	}
	w.Open(wire.ShareClip, "v1", "Boat")
	w.a.hold = false
	for _, answer := range w.a.held {
		answer()
	}
	if w.Dialog.Made != nil || w.Dialog.Kind != wire.ShareClip {
		t.Errorf("the clip's dialog has %+v", w.Dialog.Made)
	}

	// Nor in the next one of the same.
	w.a.hold, w.a.held = true, nil
	w.Dialog.Change(func(g *Dialog) { g.Audience = wire.ShareWithAll })
	w.Dialog.Send()
	w.Dialog.Close()
	w.Open(wire.ShareClip, "v1", "Boat")
	w.a.hold = false
	for _, answer := range w.a.held {
		answer()
	}
	if w.Dialog.Made != nil {
		t.Errorf("the next dialog has %+v", w.Dialog.Made)
	}
}

// A team is chosen as soon as there is one, also before the teams came anew.
func TestATeamIsChosen(t *testing.T) {
	w := open(t, wire.Hello{Me: ann})
	team := w.Dialog.Team
	w.Dialog.Close()
	w.a.hold = true
	w.Open(wire.ShareClip, "v1", "Boat")
	if team == "" || w.Dialog.Team != team {
		t.Errorf("chosen is %q, and before %q", w.Dialog.Team, team)
	}
}

// A link is shown once: with the dialog it is gone.
func TestALinkIsForgotten(t *testing.T) {
	w := open(t, wire.Hello{Me: ann, LinkShares: true})
	w.Dialog.Change(func(g *Dialog) { g.Audience = wire.ShareByLink })
	w.Dialog.Send()
	if w.Dialog.Made == nil {
		t.Fatal("no link")
	}
	w.Dialog.Close()
	w.Open(wire.ShareConversation, "c1", "Harbour")
	if w.Dialog.Made != nil {
		t.Errorf("it is there again: %+v", w.Dialog.Made)
	}
}
