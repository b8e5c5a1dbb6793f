package admin

import (
	"net/url"
	"strings"
	"testing"

	"screentest/shared/wire"
)

// What others were told and shown of somebody goes also where the rest is handed over.
func TestWhatGoesAnyway(t *testing.T) {
	e := wire.Erasing{Clips: 2, Comments: 3, Notices: 1, Approvals: 2}
	if got := strings.Join(CountWords(e), ", "); got != "2 clips, 3 comments, 1 notice, 2 requests for approval" {
		t.Errorf("deleted: %s", got)
	}
	e.HandedOver = true
	if got := strings.Join(CountWords(e), ", ") + "; " + strings.Join(AnywayWords(e), ", "); got != "2 clips; 3 comments, 1 notice, 2 requests for approval" {
		t.Errorf("handed over: %s", got)
	}
}

// What can't be taken back is told before, and wants the name typed.
func TestErasingIsCountedAndNamed(t *testing.T) {
	d, a := newDesk(t, ada, map[string]any{"POST /api/people/p-bob/erase": wire.Erasing{DryRun: true, Conversations: 1, Messages: 12, LedgerRows: 7}})
	d.Go(PagePeople, url.Values{"person": {"p-bob"}})
	p := &d.People
	p.Leave(Erase)
	if got := a.last("POST"); got.body != `{"dry_run":true}` {
		t.Errorf("first %+v is asked", got)
	}
	if words := strings.Join(CountWords(*p.Leaving.Counts), ", "); words != "1 conversation, 12 messages" {
		t.Errorf("counted: %q", words)
	}
	p.TypeName("bo")
	p.Go()
	if p.Ready() || a.last("POST").body != `{"dry_run":true}` {
		t.Error("it is erased without its name")
	}
	p.Give("p-ada")
	if got := a.last("POST"); got.body != `{"dry_run":true,"hand_over_to":"p-ada"}` {
		t.Errorf("handed over, %+v is counted", got)
	}
	p.TypeName(" bob ")
	p.Go()
	if got := a.last("POST"); got.body != `{"dry_run":false,"hand_over_to":"p-ada"}` {
		t.Errorf("at last %+v is asked", got)
	}
	if !strings.Contains(p.Leaving.Done, "bob is erased") || p.Leaving.Way != "" {
		t.Errorf("after it: %+v", p.Leaving)
	}
}

func TestHandingOverWantsAnHeir(t *testing.T) {
	d, _ := newDesk(t, ada, map[string]any{})
	d.Go(PagePeople, url.Values{"person": {"p-bob"}})
	p := &d.People
	p.Leave(HandOver)
	p.TypeName("bob")
	if p.Ready() {
		t.Error("it is handed over to nobody")
	}
	p.Give("p-ada")
	if !p.Ready() {
		t.Error("with an heir and the name it isn't ready")
	}
	d.Go(PagePeople, url.Values{"person": {"p-cy"}})
	if p.Leaving.Way != "" {
		t.Error("what was begun with one person goes on with another")
	}
}
