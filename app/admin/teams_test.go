package admin

import (
	"net/url"
	"testing"

	"screentest/shared/wire"
)

func TestUntilThereIsASecondTeamThereIsNone(t *testing.T) {
	all := teams()[1]
	d, _ := newDesk(t, ada, map[string]any{"GET /api/teams": []wire.Team{all}})
	d.Go(PageTeams, url.Values{})
	if s := d.Teams.Shown(); !d.Teams.Single() || d.Teams.Several() || s == nil || s.ID != all.ID {
		t.Errorf("with Everyone alone %v is shown", s)
	}
	d, _ = newDesk(t, ada, map[string]any{})
	d.Go(PageTeams, url.Values{})
	if d.Teams.Single() || !d.Teams.Several() || d.Teams.Shown() != nil || !d.Teams.List[0].Everyone {
		t.Errorf("with two: %+v", d.Teams.List)
	}
}

// A lead doesn't see the accounts, and finds people among Everyone.
func TestWhoMayComeIntoATeam(t *testing.T) {
	lead := &wire.Me{ID: "p-bob", Role: wire.RoleMember, Teams: []wire.MyTeam{{ID: "t-lab", Name: "Lab", Lead: true}}}
	for name, me := range map[string]*wire.Me{"an admin": ada, "a lead": lead} {
		d, a := newDesk(t, me, map[string]any{})
		d.Go(PageTeams, url.Values{"team": {"t-lab"}})
		for query, want := range map[string]string{"": "", "AD": "p-ada", "bob": "", "cy": ""} { // in it already; deactivated
			d.Teams.Offer(query)
			got := ""
			for _, c := range d.Teams.Candidates() {
				got += c.ID
			}
			if got != want {
				t.Errorf("%s: %q finds %q, want %q", name, query, got, want)
			}
		}
		d.Teams.Put("p-ada", true)
		if got := a.last("PUT"); got.path != "/api/teams/t-lab/people/p-ada" || got.body != `{"lead":true}` {
			t.Errorf("%s: sent %+v", name, got)
		}
	}
}

func TestPatternsAreCounted(t *testing.T) {
	models := []string{"vendor/a", "vendor/b", "other/c"}
	got, together := Counted("vendor/*\nvendor/a, none/*", models)
	if len(got) != 3 || got[0].Models != 2 || got[1].Models != 1 || got[2].Models != 0 || together != 2 {
		t.Errorf("%+v, together %d", got, together)
	}
	if _, together := Counted(" \n", models); together != 3 {
		t.Errorf("without a pattern %d are allowed", together)
	}
}

func TestAKeyIsSentAndNotKept(t *testing.T) {
	d, a := newDesk(t, ada, map[string]any{"POST /api/teams/t-lab/key": &wire.Problem{Code: "invalid_key", Field: "key", Message: "It has a space."}})
	d.Go(PageTeams, url.Values{"team": {"t-lab"}})
	emptied := false
	d.Teams.SetKey("", func() { emptied = true })
	if d.Teams.Key.Wrong == "" || emptied {
		t.Error("nothing is taken for a key")
	}
	d.Teams.SetKey("a b", func() { emptied = true })
	if d.Teams.Key.Wrong != "It has a space." || emptied {
		t.Errorf("refused: %+v, emptied %v", d.Teams.Key, emptied)
	}
	delete(a.answers, "POST /api/teams/t-lab/key")
	d.Teams.SetKey("sk-1", func() { emptied = true })
	if got := a.last("POST"); got.body != `{"key":"sk-1"}` || !emptied || d.Teams.Key.Wrong != "" || d.Teams.Key.Done == "" {
		t.Errorf("sent %+v, emptied %v, %+v", got, emptied, d.Teams.Key)
	}
}
