package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// clipPrice is what clipRequest costs, in nano-USD.
const clipPrice = 180_000_000

// gate is an instance with a gateway that is looked at, whose team Red is asked
// about clips above ten cents.
type gate struct {
	*instance
	*stage
	t *testing.T
}

func newGate(t *testing.T) *gate {
	t.Helper()
	g := &gate{stage: newStage(t), t: t}
	g.instance = newInstance(t, serveConfig{gateway: g.stage.url})
	for _, team := range []string{g.red, g.blue} {
		g.does(g.admin, 204, "POST /api/teams/"+team+"/key", `{"key":"`+canary+`"}`, nil)
	}
	g.above(100_000_000)
	return g
}

// above sets the amount of the team Red.
func (g *gate) above(nanoUSD int64) {
	g.t.Helper()
	g.does(g.admin, 200, "PATCH /api/teams/"+g.red, fmt.Sprintf(`{"approve_nano_usd":%d}`, nanoUSD), nil)
}

// taken says that the gateway has a task.
func taken(t wire.VideoTask) bool { return t.Remote != "" }

func (g *gate) clip(prompt string) wire.VideoCreate {
	c := clipRequest(prompt)
	c.Charge = g.red
	return c
}

// asks has somebody create a clip that waits.
func (g *gate) asks(p *someone, c wire.VideoCreate) wire.Approval {
	g.t.Helper()
	var t wire.VideoTask
	if err := p.tab.Call(g.t.Context(), wire.OpVideoCreate, c, &t); err != nil || t.State != wire.VideoAsks || t.ID != c.ID {
		g.t.Fatalf("%+v, %v", t, err)
	}
	a, err := wiretest.News(g.t.Context(), p.tab, wire.EventApproval, func(a wire.Approval) bool { return a.Clip.ID == c.ID })
	if err != nil {
		g.t.Fatal(err)
	}
	return a
}

func (g *gate) decides(p *someone, a wire.Approval, state, reason string) (v wire.Approval, problem wire.Problem) {
	g.t.Helper()
	var why *wire.Problem
	err := p.tab.Call(g.t.Context(), wire.OpDecide, wire.Decision{ID: a.ID, State: state, Reason: reason, PriceNanoUSD: a.Clip.PriceNanoUSD}, &v)
	if errors.As(err, &why) {
		return v, *why
	}
	g.must(err)
	return v, problem
}

// list is what somebody sees of approvals.
func (g *gate) list(p *someone) (list wire.Approvals) {
	g.t.Helper()
	g.must(p.tab.Call(g.t.Context(), wire.OpApprovals, wire.Page{}, &list))
	return list
}

// told is a notice that somebody was told.
func (g *gate) told(p *someone, says string) wire.Notice {
	g.t.Helper()
	n, err := wiretest.News(g.t.Context(), p.tab, wire.EventNotice, func(n wire.Notice) bool { return strings.Contains(n.Text, says) })
	if err != nil {
		g.t.Fatalf("%s isn't told %q: %v", p.name, says, err)
	}
	return n
}

// creations is how often the gateway was asked for a clip.
func (g *gate) creations() (n int) {
	var log struct {
		Requests []struct{ Method, Path string }
	}
	g.stage.ask("/sandbox/requests", &log)
	for _, r := range log.Requests {
		if r.Method == "POST" {
			n++
		}
	}
	return n
}

// untouched fails if anything of a clip that waits was sent, booked, held or made.
func (g *gate) untouched(p *someone) {
	g.t.Helper()
	var ledger wire.LedgerPage
	var clips wire.VideoPage
	var b wire.Budgets
	g.must(p.tab.Call(g.t.Context(), wire.OpLedger, wire.LedgerQuery{}, &ledger), p.tab.Call(g.t.Context(), wire.OpVideoTasks, wire.VideoQuery{}, &clips),
		p.tab.Call(g.t.Context(), wire.OpBudgets, nil, &b))
	if n := g.creations(); n != 0 || len(ledger.Rows) != 0 || len(clips.Tasks) != 0 {
		g.t.Errorf("%d were sent, %d booked, %d made", n, len(ledger.Rows), len(clips.Tasks))
	}
	for _, s := range b.States {
		if s.ReservedNanoUSD != 0 || s.SpentNanoUSD != 0 {
			g.t.Errorf("held is %+v", s)
		}
	}
}

// What is dearer than the team's amount waits, and nothing of it is sent, held or
// booked. A lead is told, sees it and releases it: it is the asker's, and the team
// pays for it. Nobody else hears of it.
func TestAClipWaitsForALead(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	greeted(t, g.member, "there is an amount", func(h wire.Hello) bool {
		return slices.ContainsFunc(h.Charges, func(c wire.Charge) bool { return c.ID == g.red && c.ApproveNanoUSD == 100_000_000 })
	})
	g.does(g.admin, 200, "PATCH /api/people/"+g.member.id(), `{"limits":{"day_nano_usd":5000000000}}`, nil)
	c := g.clip("a harbour")
	c.Title, c.Tags = "Harbour", []string{"sea"}
	a := g.asks(g.member, c)
	if !a.Mine || a.Decides || a.Team != g.red || a.TeamName != "Red" || a.Asker != "member" || a.State != wire.ApprovalAsked || a.Clip.PriceNanoUSD != clipPrice ||
		a.Clip.Title != "Harbour" || a.Clip.Prompt != "a harbour" || string(a.Clip.Body) != string(c.Body) || a.Clip.Team != g.red {
		t.Errorf("%+v", a)
	}
	n := g.told(g.lead, "asks for approval: $0.18, beta-video-480p")
	if n.By != "member" || n.Path != "/video" || n.Subject != a.ID || n.Kind != wire.NoticeApproval {
		t.Errorf("%+v", n)
	}
	for _, p := range []*someone{g.lead, g.admin} {
		seen, err := wiretest.News(t.Context(), p.tab, wire.EventApproval, func(v wire.Approval) bool { return v.ID == a.ID })
		if list := g.list(p); err != nil || !seen.Decides || seen.Mine || len(list.Approvals) != 1 || !list.Approvals[0].Decides {
			t.Errorf("%s: %+v, %v, %+v", p.name, seen, err, list)
		}
	}
	// The same again, and after a lost answer, is the same.
	var again wire.VideoTask
	g.must(g.member.tab.Call(t.Context(), wire.OpVideoCreate, c, &again))
	if list := g.list(g.member); again.State != wire.VideoAsks || len(list.Approvals) != 1 || list.Approvals[0].ID != a.ID || !list.Approvals[0].Mine || list.Approvals[0].Decides {
		t.Errorf("%+v, %+v", again, list)
	}
	g.untouched(g.member)
	for _, p := range []*someone{g.mate, g.stranger, g.guest} {
		if list := g.list(p); len(list.Approvals) != 0 {
			t.Errorf("%s sees %+v", p.name, list)
		}
		if _, problem := g.decides(p, a, wire.ApprovalReleased, ""); problem.Code != wire.CodeNotFound {
			t.Errorf("%s releases it: %+v", p.name, problem)
		}
	}
	if _, problem := g.decides(g.mate, wire.Approval{ID: uuid.NewString()}, wire.ApprovalReleased, ""); problem.Code != wire.CodeNotFound || problem.Message != "There is no such request for approval." {
		t.Errorf("what nobody asked for: %+v", problem)
	}
	if _, problem := g.decides(g.member, a, wire.ApprovalReleased, ""); problem.Code != wire.CodeNotAllowed {
		t.Errorf("who asked releases it: %+v", problem)
	}
	g.untouched(g.member)

	v, problem := g.decides(g.lead, a, wire.ApprovalReleased, "")
	if v.State != wire.ApprovalReleased || v.By != "lead" || v.Decides {
		t.Fatalf("%+v, %+v", v, problem)
	}
	if n := g.told(g.member, "releases your clip: $0.18"); n.By != "lead" || n.Path != "/video/"+c.ID {
		t.Errorf("%+v", n)
	}
	made := awaitTask(t, g.member.tab, c.ID, "taken", taken)
	if made.Team != g.red || made.Title != "Harbour" || string(made.Body) != string(c.Body) || !made.Charged {
		t.Errorf("%+v", made)
	}
	var ledger wire.LedgerPage
	g.must(g.member.tab.Call(t.Context(), wire.OpLedger, wire.LedgerQuery{}, &ledger))
	if len(ledger.Rows) != 1 || ledger.Rows[0].TeamID != g.red || ledger.Rows[0].PersonID != g.member.id() || ledger.Rows[0].CostNanoUSD != clipPrice {
		t.Errorf("%+v", ledger.Rows)
	}
	if v, _ := g.decides(g.admin, a, wire.ApprovalReleased, ""); v.State != wire.ApprovalReleased || v.By != "lead" {
		t.Errorf("released again: %+v", v)
	}
	if _, problem := g.decides(g.lead, a, wire.ApprovalRefused, "late"); problem.Code != "conflict" || !strings.Contains(problem.Message, "lead has released it") {
		t.Errorf("refused after it: %+v", problem)
	}
	if n := g.creations(); n != 1 {
		t.Errorf("%d were sent", n)
	}
	for _, p := range []*someone{g.mate, g.stranger, g.guest} {
		for _, push := range p.tab.Pushes() {
			if push.Event == wire.EventApproval || push.Event == wire.EventNotice {
				t.Errorf("%s was told %s %s", p.name, push.Event, push.Data)
			}
		}
	}
	if slices.ContainsFunc(g.admin.tab.Pushes(), func(p wire.Push) bool { return p.Event == wire.EventNotice }) {
		t.Error("an admin has a notice, though there is a lead")
	}
	g.audited("approval.asked", "member", "approval.released", "lead")
}

// audited holds the audit's lines about approvals, each action with who did it,
// against what is wanted, the oldest first.
func (g *gate) audited(want ...string) {
	g.t.Helper()
	_, text := g.instance.ask(g.admin.http, "GET", "/api/audit?action=approval", "", "")
	var got []string
	for line := range strings.Lines(string(text)) {
		var r wire.AuditRow
		g.must(json.Unmarshal([]byte(line), &r))
		if r.Object != g.red || !strings.Contains(string(r.Detail), `"person":"`+g.member.id()+`"`) || strings.Contains(line, "harbour") {
			g.t.Errorf("the audit says %s", line)
		}
		got = append([]string{r.Action, r.Name}, got...)
	}
	if !slices.Equal(got, want) {
		g.t.Errorf("the audit has %q, want %q", got, want)
	}
}

// What isn't dearer, what a lead sends, and what another team pays asks nobody; of
// a model without a price somebody is asked.
func TestWhatAsksNobody(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	for what, send := range map[string]func() (*someone, wire.VideoCreate){
		"by a lead":     func() (*someone, wire.VideoCreate) { return g.lead, g.clip("x") },
		"by an admin":   func() (*someone, wire.VideoCreate) { return g.admin, g.clip("x") },
		"of another":    func() (*someone, wire.VideoCreate) { c := g.clip("x"); c.Charge = g.blue; return g.stranger, c },
		"of that price": func() (*someone, wire.VideoCreate) { g.above(clipPrice); return g.member, g.clip("x") },
	} {
		p, c := send()
		var made wire.VideoTask
		if err := p.tab.Call(t.Context(), wire.OpVideoCreate, c, &made); err != nil || made.State == wire.VideoAsks {
			t.Errorf("%s: %+v, %v", what, made, err)
		}
	}
	c := g.clip("x")
	c.Body = gateway.VideoRequest{Model: "new-video", Prompt: "x", Seconds: "6"}.Body()
	if a := g.asks(g.member, c); a.Clip.PriceNanoUSD != 0 {
		t.Errorf("%+v", a)
	}
	if n := g.told(g.lead, "asks for approval"); n.Text != "asks for approval: unknown price, new-video" {
		t.Errorf("%+v", n)
	}
	for _, body := range []string{`{"approve_nano_usd":-1}`, `{"approve_nano_usd":1000000000000001}`} {
		if p := g.does(g.admin, 400, "PATCH /api/teams/"+g.red, body, nil); p.Field != "approve_nano_usd" || !strings.Contains(p.Message, "$1000000.00") {
			t.Errorf("%s: %+v", body, p)
		}
	}
	if p := g.does(g.lead, 404, "PATCH /api/teams/"+g.red, `{"approve_nano_usd":0}`, nil); p.Code != wire.CodeNotFound {
		t.Errorf("by a lead: %+v", p)
	}
}

// Two leads at once, again and again: one clip, paid once.
func TestLeadsReleaseAtOnce(t *testing.T) {
	t.Parallel()
	g := newGate(t)
	const clips = 8
	var asked []wire.Approval
	for i := range clips {
		asked = append(asked, g.asks(g.member, g.clip(fmt.Sprint("clip ", i))))
	}
	var all sync.WaitGroup
	for _, a := range asked {
		for _, p := range []*someone{g.lead, g.admin, g.lead} {
			all.Go(func() {
				var v wire.Approval
				if err := p.tab.Call(t.Context(), wire.OpDecide, wire.Decision{ID: a.ID, State: wire.ApprovalReleased, PriceNanoUSD: clipPrice}, &v); err != nil || v.State != wire.ApprovalReleased {
					t.Errorf("%s: %+v, %v", p.name, v, err)
				}
			})
		}
	}
	all.Wait()
	for _, a := range asked {
		awaitTask(t, g.member.tab, a.Clip.ID, "taken", taken)
	}
	if n := g.creations(); n != clips {
		t.Errorf("%d were sent for %d clips", n, clips)
	}
	g.balanced(g.member.tab, clips)
	var list wire.Notices
	eventually(t, func() bool { // they wait for no disk
		g.must(g.member.tab.Call(t.Context(), wire.OpNotices, wire.Page{Limit: 100}, &list))
		return list.Unseen >= clips
	}, func() string { return fmt.Sprintf("the asker has %d notices", list.Unseen) })
	if list.Unseen != clips {
		t.Errorf("the asker has %d notices", list.Unseen)
	}
}
