package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// Refused with a reason, it is asked for anew with an id of its own; withdrawn, it
// can't be released. The same creation again says what became of it.
func TestAClipIsNotReleased(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	c := g.clip("a harbour")
	a := g.asks(g.member, c)
	for _, reason := range []string{"", " \n", strings.Repeat("x", wire.MaxReason+1)} {
		if _, p := g.decides(g.lead, a, wire.ApprovalRefused, reason); p.Code != "bad_reason" || p.Field != "reason" || !strings.Contains(p.Message, "1 to 500") {
			t.Errorf("refused by %.9q: %+v", reason, p)
		}
	}
	if _, p := g.decides(g.lead, a, "approved", ""); p.Field != "state" || len(p.Allowed) != 3 {
		t.Errorf("%+v", p)
	}
	if v, p := g.decides(g.lead, a, wire.ApprovalRefused, " Six seconds are too long. "); v.State != wire.ApprovalRefused || v.Reason != "Six seconds are too long." || v.Decides {
		t.Errorf("%+v, %+v", v, p)
	}
	g.told(g.member, "does not release your clip: $0.18")
	v, err := wiretest.News(t.Context(), g.member.tab, wire.EventApproval, func(v wire.Approval) bool { return v.State == wire.ApprovalRefused })
	if err != nil || v.Reason != "Six seconds are too long." || !v.Mine || v.By != "lead" || string(v.Clip.Body) != string(c.Body) {
		t.Errorf("%+v, %v", v, err)
	}
	if err := g.member.tab.Call(t.Context(), wire.OpVideoCreate, c, nil); codeOf(err) != "not_released" || !strings.Contains(err.Error(), "lead has not released it: Six seconds") {
		t.Errorf("the same again: %v", err)
	}
	anew := g.clip("a harbour, shorter")
	b := g.asks(g.member, anew)
	if _, p := g.decides(g.lead, b, wire.ApprovalWithdrawn, ""); p.Code != wire.CodeNotFound {
		t.Errorf("withdrawn by a lead: %+v", p)
	}
	if v, p := g.decides(g.member, b, wire.ApprovalWithdrawn, "x"); v.State != wire.ApprovalWithdrawn || v.Reason != "" {
		t.Errorf("%+v, %+v", v, p)
	}
	if v, p := g.decides(g.member, b, wire.ApprovalWithdrawn, ""); v.State != wire.ApprovalWithdrawn {
		t.Errorf("again: %+v, %+v", v, p)
	}
	if _, p := g.decides(g.lead, b, wire.ApprovalReleased, ""); p.Code != "conflict" || p.Message != "member has withdrawn it." {
		t.Errorf("released after it: %+v", p)
	}
	if err := g.member.tab.Call(t.Context(), wire.OpVideoCreate, anew, nil); codeOf(err) != "withdrawn" {
		t.Errorf("the same again: %v", err)
	}
	g.untouched(g.member)
	if list := g.list(g.member); len(list.Approvals) != 2 || list.Approvals[0].State != wire.ApprovalWithdrawn || list.Approvals[1].State != wire.ApprovalRefused {
		t.Errorf("%+v", list)
	}
	g.audited("approval.asked", "member", "approval.refused", "lead", "approval.asked", "member", "approval.withdrawn", "member")
}

// What holds of a send holds when it is released: the price, the asker's right to
// the team, its models, the limits. What refuses it is told to both, it waits on, and
// is released when that is mended.
func TestWhatAReleaseIsHeldTo(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	c := g.clip("a harbour")
	a := g.asks(g.member, c)
	waits := func(what, code, says string) {
		t.Helper()
		v, p := g.decides(g.lead, a, wire.ApprovalReleased, "")
		if p.Code != code || !strings.Contains(p.Message, says) || p.Hint == "" {
			t.Errorf("%s: %+v, %+v", what, v, p)
		}
		if list := g.list(g.lead); len(list.Approvals) != 1 || !list.Approvals[0].Decides {
			t.Errorf("%s: it waits no more: %+v", what, list)
		}
		g.untouched(g.member)
	}
	a.Clip.PriceNanoUSD = clipPrice - 1 // as it was seen
	waits("dearer", wire.CodePriceChanged, "It costs $0.18 by now, and not $0.17")
	a.Clip.PriceNanoUSD = clipPrice

	team := "PATCH /api/teams/" + g.red
	g.does(g.admin, 200, team, `{"models":["gamma-*"]}`, nil)
	waits("of another model", wire.CodeModelNotAllowed, "in the name of member")
	g.told(g.member, "can't be sent: The model beta-video-480p")
	g.does(g.admin, 200, team, `{"models":[],"limits":{"day_nano_usd":1000}}`, nil)
	waits("beyond a limit", wire.CodeBudgetReached, "The limit of the team Red")
	g.told(g.member, "can't be sent: The limit of the team Red")
	g.does(g.admin, 200, team, `{"limits":{}}`, nil)
	g.does(g.lead, 204, "DELETE /api/teams/"+g.red+"/key", "", nil)
	waits("without a key", "key_missing", "has no key")
	g.does(g.lead, 204, "POST /api/teams/"+g.red+"/key", `{"key":"`+canary+`"}`, nil)

	person, in := "PATCH /api/people/"+g.member.id(), "/api/teams/"+g.red+"/people/"+g.member.id()
	g.does(g.admin, 200, person, `{"role":"guest"}`, nil)
	waits("of a guest", "asker_gone", "member is a guest now")
	g.does(g.admin, 200, person, `{"role":"member"}`, nil)
	g.does(g.lead, 204, "DELETE "+in, "", nil)
	waits("of who left the team", "asker_gone", "not in the team")
	g.told(g.member, "can't be sent: member is not in the team any more")
	g.does(g.lead, 204, "PUT "+in, "", nil)

	if v, p := g.decides(g.lead, a, wire.ApprovalReleased, ""); v.State != wire.ApprovalReleased {
		t.Errorf("%+v, %+v", v, p)
	}
	awaitTask(t, g.member.tab, c.ID, "taken", taken)

	// Who is not active any more is not sent for, and can be refused.
	a = g.asks(g.member, g.clip("another"))
	g.does(g.admin, 200, person, `{"active":false}`, nil)
	if _, p := g.decides(g.lead, a, wire.ApprovalReleased, ""); p.Code != "asker_gone" {
		t.Errorf("%+v", p)
	}
	if v, p := g.decides(g.lead, a, wire.ApprovalRefused, "gone"); v.State != wire.ApprovalRefused {
		t.Errorf("%+v, %+v", v, p)
	}
	// What waits of who is erased waits no more, and its lead is told.
	g.does(g.admin, 200, person, `{"active":true}`, nil)
	a = g.asks(g.mate, g.clip("of who leaves"))
	g.does(g.admin, 200, "POST /api/people/"+g.mate.id()+"/erase", `{"dry_run":false}`, nil)
	if v, err := wiretest.News(t.Context(), g.lead.tab, wire.EventApproval, func(v wire.Approval) bool { return v.ID == a.ID && v.State != wire.ApprovalAsked }); err != nil || v.Decides {
		t.Errorf("the lead is told %+v, %v", v, err)
	}
	if n := g.creations(); n != 1 {
		t.Errorf("%d were sent", n)
	}
}

// What waits has an end: of one person so many.
func TestHowManyWait(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	for range wire.MaxWaiting {
		g.asks(g.member, g.clip("x"))
	}
	if err := g.member.tab.Call(t.Context(), wire.OpVideoCreate, g.clip("x"), nil); codeOf(err) != "too_many_waiting" || !strings.Contains(err.Error(), "50 of your clips") {
		t.Errorf("%v", err)
	}
	g.asks(g.mate, g.clip("x"))
	if list := g.list(g.lead); len(list.Approvals) != wire.MaxWaiting+1 || list.Next != "" {
		t.Errorf("%d, %q", len(list.Approvals), list.Next)
	}
}

// kill -9 when a lead has released: what waited before still does, and what was
// released is released, sent once, and not again by whoever clicks again.
func TestKillWhileAClipIsReleased(t *testing.T) {
	t.Parallel()
	s, dir := newStage(t), storetest.Folder(t)
	reached, gone := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.set(func(_ int, w http.ResponseWriter, r *http.Request, next http.Handler) bool {
		if !isCreation(r) {
			return false
		}
		next.ServeHTTP(httptest.NewRecorder(), r) // it took it, and nobody hears of it
		once.Do(func() { close(reached) })
		<-gone
		return true
	})
	proc, url := killed(t, dir, "-gateway", s.url, "-catalog", sampleFile(t), "-team")
	lead, member, team := teamOf(t, url, proc)
	c, waits := clipRequest("released"), clipRequest("waits")
	c.Charge, waits.Charge = team, team
	tab, leads := member.dial(), lead.dial()
	for _, c := range []wire.VideoCreate{c, waits} {
		var v wire.VideoTask
		if err := tab.Call(t.Context(), wire.OpVideoCreate, c, &v); err != nil || v.State != wire.VideoAsks {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	list := func(tab *wiretest.Client) (l wire.Approvals) {
		if err := tab.Call(t.Context(), wire.OpApprovals, wire.Page{}, &l); err != nil {
			t.Fatal(err)
		}
		return l
	}
	l := list(leads)
	if len(l.Approvals) != 2 || l.Approvals[1].Clip.ID != c.ID {
		t.Fatalf("%+v", l)
	}
	release := wire.Decision{ID: l.Approvals[1].ID, State: wire.ApprovalReleased, PriceNanoUSD: clipPrice}
	if err := leads.Call(t.Context(), wire.OpDecide, release, nil); err != nil {
		t.Fatal(err)
	}
	<-reached
	proc.end(os.Kill)
	close(gone)

	s.set(nil)
	_, url = killed(t, dir, "-gateway", s.url, "-catalog", sampleFile(t), "-team")
	lead, member = again(t, url, "ann@example.com"), again(t, url, "bob@example.com")
	tab, leads = member.dial(), lead.dial()
	if l := list(tab); len(l.Approvals) != 2 || l.Approvals[0].State != wire.ApprovalAsked || l.Approvals[0].Clip.ID != waits.ID || l.Approvals[1].State != wire.ApprovalReleased {
		t.Errorf("after the restart: %+v", l)
	}
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if err := leads.Call(t.Context(), wire.OpDecide, release, nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	var v wire.VideoTask
	if err := tab.Call(t.Context(), wire.OpVideoCreate, c, &v); err != nil || v.State != wire.VideoUnknown {
		t.Errorf("the same creation again: %+v, %v", v, err)
	}
	s.settle(tab)
	awaitTask(t, tab, c.ID, "taken", taken)
	s.balanced(tab, 1)
	release.ID = list(leads).Approvals[0].ID
	if err := leads.Call(t.Context(), wire.OpDecide, release, nil); err != nil {
		t.Error(err)
	}
	awaitTask(t, tab, waits.ID, "taken", taken)
	s.balanced(tab, 2)
}

// teamOf sets a new server up: Ann runs it, Bob is in its one team, whose amount
// is ten cents.
func teamOf(t *testing.T, url string, c *child) (ann, bob *visitor, team string) {
	t.Helper()
	ann = &visitor{t, url, wiretest.NewHTTP()}
	token, ok := c.stdout.wait(`/setup#(\S+)`, c.ended)
	if !ok {
		t.Fatal("no link to the first account was printed")
	}
	ann.want(201, "POST", "/api/setup", wire.Join{Token: token, Name: "Ann", Email: "ann@example.com", Password: goodPassword})
	bob = ann.join(wire.RoleMember, "bob@example.com")
	var teams []wire.Team
	ann.into("/api/teams", &teams)
	team = teams[0].ID
	ann.want(204, "POST", "/api/teams/"+team+"/key", map[string]string{"key": canary})
	ann.want(200, "PATCH", "/api/teams/"+team, json.RawMessage(`{"approve_nano_usd":100000000}`))
	return ann, bob, team
}

// again is somebody who signs in at a server that was started again.
func again(t *testing.T, url, email string) *visitor {
	t.Helper()
	v := &visitor{t, url, wiretest.NewHTTP()}
	if r := v.signIn(email, goodPassword); r.StatusCode >= 300 {
		t.Fatalf("%s: %s", r.Status, r.body)
	}
	return v
}
