package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// newOffice is a team's server with people who have nothing yet.
func newOffice(t *testing.T) *instance {
	w := &instance{playground: newPlayground(t, serveConfig{reach: reachConfig{team: triState{given: true, value: true}}})}
	ctx := t.Context()
	w.must(w.store.MakeLink(ctx, "setup", "", "test", account.Hash("setup"), time.Hour))
	_, err := w.store.SetUp(ctx, account.Hash("setup"), "admin", "admin@example.com", "")
	w.must(err, w.people.Changed(ctx))
	for name, to := range map[string]*string{"Red": &w.red, "Blue": &w.blue} {
		*to, err = w.store.MakeTeam(ctx, wire.TeamChange{Name: &name})
		w.must(err)
	}
	for name, p := range map[string]struct {
		to   **someone
		team string
	}{"admin": {&w.admin, w.red}, "lead": {&w.lead, w.red}, "member": {&w.member, w.red}, "mate": {&w.mate, w.red}, "stranger": {&w.stranger, w.blue}} {
		owner := w.people.Owner // who set it up
		if name != "admin" {
			owner = w.joins(name)
		}
		s := &someone{name: name}
		s.http, s.who = w.signsIn(owner)
		w.must(w.store.PutInTeam(ctx, p.team, s.who.Me.ID, name == "lead"), w.people.Changed(ctx))
		s.tab = dial(t, w.url, s.http)
		*p.to = s
	}
	return w
}

// sends has somebody ask something that a team pays.
func (w *instance) sends(p *someone, team, prompt string) (wire.Run, error) {
	w.t.Helper()
	s := turn(gateway.Chat, prompt)
	s.Charge = team
	if err := p.tab.Call(w.t.Context(), wire.OpStart, s, nil); err != nil {
		return wire.Run{}, err
	}
	return p.tab.RunEnd(w.t.Context(), s.Run)
}

// spend is somebody's Spend page.
func (w *instance) spend(p *someone, of wire.Of) (page wire.Spend, err error) {
	w.t.Helper()
	q := wholeTime
	q.Of, q.Split = of, wire.SplitByPerson
	err = p.tab.Call(w.t.Context(), wire.OpSpend, q, &page)
	return page, err
}

func codeOf(err error) string {
	var p *wire.Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return ""
}

// What a team paid is seen by who leads it and by admins, person by person and row
// by row, and nothing of it says what it was about; others see what it paid for
// themselves.
func TestWhoSeesWhatATeamPaid(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	for _, p := range []*someone{w.lead, w.member, w.mate} {
		if r, err := w.sends(p, w.red, "a secret of "+p.name); err != nil || r.State != wire.Done || r.Team != w.red || r.PaidBy != "sandbox" || r.CostNanoUSD == 0 {
			t.Fatalf("%s: %+v, %v", p.name, r, err)
		}
	}
	if r, err := w.sends(w.stranger, w.blue, "a secret of the stranger"); err != nil || r.Team != w.blue {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := w.sends(w.stranger, w.red, "not theirs to charge"); codeOf(err) != wire.CodeNotFound {
		t.Errorf("charged to a team that one isn't in: %v", err)
	}
	member := w.member.who.Me.ID
	for _, c := range []struct {
		name   string
		by     *someone
		of     wire.Of
		people []string // whose spend it is; none: one's own
		code   string
	}{
		{"her team's, by who leads it", w.lead, wire.Of{Team: w.red}, []string{"lead", "mate", "member"}, ""},
		{"one person's, by who leads the team", w.lead, wire.Of{Team: w.red, Person: member}, []string{"member"}, ""},
		{"a team's, by an admin", w.admin, wire.Of{Team: w.blue}, []string{"stranger"}, ""},
		{"one key's, by an admin", w.admin, wire.Of{Team: w.red, PaidBy: "sandbox"}, []string{"lead", "mate", "member"}, ""},
		{"a team's, by a member", w.member, wire.Of{Team: w.red}, []string{"member"}, ""},
		{"another team's", w.stranger, wire.Of{Team: w.red}, []string{"stranger"}, ""},
		{"a mate's", w.member, wire.Of{Team: w.red, Person: w.mate.who.Me.ID}, nil, wire.CodeNotFound},
		{"somebody's outside her team, by who leads it", w.lead, wire.Of{Person: member}, nil, wire.CodeNotFound},
		{"a team that one doesn't lead", w.lead, wire.Of{Team: w.blue, Person: w.stranger.who.Me.ID}, nil, wire.CodeNotFound},
		{"everybody's, by who leads a team", w.lead, wire.Of{Everybody: true}, nil, wire.CodeNotAllowed},
	} {
		page, err := w.spend(c.by, c.of)
		var ledger wire.LedgerPage
		err2 := c.by.tab.Call(t.Context(), wire.OpLedger, wire.LedgerQuery{Of: c.of, Limit: 500}, &ledger)
		if codeOf(err) != c.code || codeOf(err2) != c.code {
			t.Errorf("%s: %v, %v, want %q", c.name, err, err2, c.code)
			continue
		}
		if err != nil {
			continue
		}
		var people []string
		for _, g := range page.People {
			people = append(people, g.Key)
		}
		if slices.Sort(people); !slices.Equal(people, c.people) {
			t.Errorf("%s: people %q, want %q", c.name, people, c.people)
		}
		var sum int64
		for _, r := range ledger.Rows {
			sum += r.CostNanoUSD
			own := r.PersonID == c.by.who.Me.ID
			if !slices.Contains(c.people, r.Person) || !own && r.Title+r.Conversation+r.Message != "" || c.of.Team != r.TeamID {
				t.Errorf("%s: %+v", c.name, r)
			}
		}
		if page.Range.NanoUSD != sum || ledger.Total.NanoUSD != sum || (sum == 0) != (c.name == "another team's") {
			t.Errorf("%s: the page has %d, the ledger %d, its rows make %d", c.name, page.Range.NanoUSD, ledger.Total.NanoUSD, sum)
		}
	}

	// What something of a member's really cost an admin says, whom it tells no more.
	var ledger wire.LedgerPage
	w.must(w.admin.tab.Call(t.Context(), wire.OpLedger, wire.LedgerQuery{Of: wire.Of{Team: w.red, Person: member}}, &ledger))
	correction := wire.Correction{Subject: ledger.Rows[0].Subject, CostNanoUSD: ledger.Rows[0].CostNanoUSD + 7, Person: member}
	for _, p := range []*someone{w.member, w.lead} {
		if err := p.tab.Call(t.Context(), wire.OpCorrect, correction, nil); err == nil {
			t.Errorf("%s corrects what counts against a limit", p.name)
		}
	}
	var row wire.LedgerRow
	if err := w.admin.tab.Call(t.Context(), wire.OpCorrect, correction, &row); err != nil || row.CostNanoUSD != 7 || row.Person != "member" || row.TeamID != w.red || row.Title+row.Conversation != "" {
		t.Errorf("%+v, %v", row, err)
	}
	if page, err := w.spend(w.lead, wire.Of{Team: w.red, Person: member}); err != nil || page.Range.CorrectedNanoUSD != 7 {
		t.Errorf("%+v, %v", page.Range, err)
	}
	// Two of one name are told apart, not by their addresses of mail.
	w.does(w.admin, 200, "PATCH /api/people/"+w.mate.id(), `{"name":"member"}`, nil)
	namesakes, err := w.spend(w.lead, wire.Of{Team: w.red})
	w.must(err)
	if text, _ := json.Marshal(namesakes); !strings.Contains(string(text), `"member (2)"`) || strings.Contains(string(text), "@") {
		t.Errorf("%s", text)
	}
	correction.Person = ""
	if err := w.admin.tab.Call(t.Context(), wire.OpCorrect, correction, nil); codeOf(err) != wire.CodeNotFound {
		t.Errorf("as one's own: %v", err)
	}

	// As files, with who paid at the end of the columns of always.
	res, body := w.ask(w.lead.http, "GET", wire.LedgerCSV+"?"+url.Values{"team": {w.red}}.Encode(), "", "")
	lines, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(body), "\ufeff"))).ReadAll()
	if err != nil || res.StatusCode != http.StatusOK || len(lines) != 5 || !slices.Equal(lines[0][18:], []string{"n", "person", "team", "paid_by"}) {
		t.Errorf("%s: %q, %v", res.Status, lines, err)
	}
	for _, l := range lines[1:] {
		if l[20] != "Red" || l[21] != "sandbox" || (l[5] != "") != (l[19] == "lead") {
			t.Errorf("%q", l)
		}
	}
	if res, body := w.ask(w.member.http, "GET", wire.LedgerJSON+"?everybody=true", "", ""); res.StatusCode != http.StatusForbidden {
		t.Errorf("%s: %s", res.Status, body)
	}
	var rows []wire.LedgerRow
	if res, body := w.ask(w.admin.http, "GET", wire.LedgerJSON+"?everybody=true", "", ""); res.StatusCode != http.StatusOK || json.Unmarshal(body, &rows) != nil ||
		!slices.ContainsFunc(rows, func(r wire.LedgerRow) bool { return r.Person == "stranger" && r.Team == "Blue" && r.Title == "" }) {
		t.Errorf("%s: %+v", res.Status, rows)
	}
}

// What an admin lets a team and a person use and spend holds from the next send
// on, and a refusal says whose it is and whom to ask.
func TestWhatATeamMayUseAndSpend(t *testing.T) {
	t.Parallel()
	w := newOffice(t)
	change := func(path string, c any) {
		t.Helper()
		body, err := json.Marshal(c)
		w.must(err)
		if res, answer := w.ask(w.admin.http, "PATCH", path, "application/json", string(body)); res.StatusCode >= 300 {
			t.Fatalf("%s: %s", res.Status, answer)
		}
	}
	team, person := "/api/teams/"+w.red, "/api/people/"+w.member.who.Me.ID
	change(team, wire.TeamChange{Models: &[]string{"other/*"}})
	_, err := w.sends(w.member, w.red, "with a model that isn't for it")
	var p *wire.Problem
	if !errors.As(err, &p) || p.Code != wire.CodeModelNotAllowed || p.Field != "model" || !strings.Contains(p.Message, "the team Red") || !strings.Contains(p.Hint, "lead") {
		t.Errorf("%+v", err)
	}
	clip := clipRequest("with a model that isn't for it")
	clip.Charge = w.red
	if err := w.member.tab.Call(t.Context(), wire.OpVideoCreate, clip, nil); codeOf(err) != wire.CodeModelNotAllowed {
		t.Errorf("%v", err)
	}
	change(team, wire.TeamChange{Models: &[]string{"vendor/*"}, Limits: &wire.Limits{DayNanoUSD: 1}})
	refused := func(by *someone, says, ask string) {
		t.Helper()
		r, err := w.sends(by, w.red, "beyond it")
		if err != nil || r.State != wire.Failed || r.Problem == nil || r.Problem.Code != wire.CodeBudgetReached ||
			!strings.Contains(r.Problem.Message, says) || !strings.Contains(r.Problem.Hint, ask) {
			t.Errorf("%+v, %+v, %v", r.State, r.Problem, err)
		}
	}
	refused(w.member, "The limit of the team Red for this day is $0.000000001", "Ask lead about it")
	change(team, wire.TeamChange{Limits: &wire.Limits{}})
	if r, err := w.sends(w.member, w.red, "within it"); err != nil || r.State != wire.Done {
		t.Errorf("%+v, %v", r, err)
	}
	change(person, wire.PersonChange{Limits: &wire.Limits{MonthNanoUSD: 1}})
	refused(w.member, "Your limit for this month, which an admin has set, is", "Ask admin to raise it")
	if r, err := w.sends(w.mate, w.red, "within it"); err != nil || r.State != wire.Done {
		t.Errorf("%+v, %v", r, err)
	}
	var b wire.Budgets
	w.must(w.member.tab.Call(t.Context(), wire.OpBudgets, nil, &b))
	if len(b.States) != 1 || b.States[0].Scope != wire.ScopeLimit || !b.States[0].Reached || !slices.Equal(b.States[0].Ask, []string{"admin"}) || b.MayEverybody {
		t.Errorf("%+v", b)
	}
	// Everybody's is an admin's to change.
	all := b.Settings
	all.EverybodyDayNanoUSD = 1
	if err := w.member.tab.Call(t.Context(), wire.OpSetBudget, all, nil); codeOf(err) != wire.CodeNotAllowed {
		t.Errorf("%v", err)
	}
	w.must(w.admin.tab.Call(t.Context(), wire.OpSetBudget, all, nil))
	refused(w.mate, "The budget of everybody for this day", "Ask admin to raise it")
}

// What a limit can't count doesn't pass it: an answer and a clip of a model that is
// not in the catalogue, also in another case than there, are refused where a limit
// holds, kept with the reason, and sent where none does.
func TestALimitIsNotPassedByAModelWithoutAPrice(t *testing.T) {
	w := newOffice(t)
	ctx := t.Context()
	ask := func(model string) wire.Run {
		t.Helper()
		s := turn(gateway.Chat, "of "+model)
		s.Charge, s.Body = w.red, json.RawMessage(strings.Replace(string(s.Body), "vendor/model-a", model, 1))
		w.must(w.member.tab.Call(ctx, wire.OpStart, s, nil))
		r, err := w.member.tab.RunEnd(ctx, s.Run)
		w.must(err)
		return r
	}
	clip := clipRequest("x")
	clip.Charge, clip.Body = w.red, gateway.VideoRequest{Model: "new-video", Prompt: "x", Seconds: "6"}.Body()

	w.must(w.store.ChangeTeam(ctx, w.red, wire.TeamChange{Models: &[]string{"vendor/*", "new-*"}, Limits: &wire.Limits{DayNanoUSD: 5e9}}), w.people.Changed(ctx))
	for _, model := range []string{"vendor/new", "Vendor/model-a"} {
		r := ask(model)
		if p := r.Problem; r.State != wire.Failed || p == nil || p.Code != wire.CodePriceUnknown || !strings.Contains(p.Message, model) ||
			!strings.Contains(p.Message, "The limit of the team Red for this day is $5.00") || !strings.Contains(p.Hint, "Ask admin to give this one a price") {
			t.Errorf("%s: %s, %+v", model, r.State, r.Problem)
		}
	}
	var p *wire.Problem
	if err := w.member.tab.Call(ctx, wire.OpVideoCreate, clip, nil); !errors.As(err, &p) || p.Code != wire.CodePriceUnknown || !strings.Contains(p.Message, "new-video") {
		t.Errorf("%v", err)
	}
	if r := ask("vendor/model-a"); r.State != wire.Done || r.CostNanoUSD == 0 {
		t.Errorf("%+v", r)
	}
	w.must(w.store.ChangeTeam(ctx, w.red, wire.TeamChange{Limits: &wire.Limits{}}), w.people.Changed(ctx))
	if r := ask("vendor/new"); r.Problem != nil && r.Problem.ByBudget() {
		t.Errorf("where no limit holds: %+v", r.Problem)
	}
}

// A guest, who may come from elsewhere, sees nothing of what the others spend: no
// budget of a team or of everybody, no word that much of one is spent, no end of a
// key, and not the books of a team that they led before they were a guest.
func TestAGuestSeesNoSpendOfOthers(t *testing.T) {
	w := newOffice(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	guest, role := w.lead, wire.RoleGuest
	w.must(w.store.ChangeTeam(ctx, w.red, wire.TeamChange{Limits: &wire.Limits{DayNanoUSD: 5e9}}),
		w.store.ChangePerson(ctx, guest.who.Owner, wire.PersonChange{Role: &role}), w.people.Changed(ctx))
	var b wire.Budgets
	w.must(w.admin.tab.Call(ctx, wire.OpBudgets, nil, &b))
	b.Settings.EverybodyDayNanoUSD, b.Settings.EverybodyWarnPercent = 5e8, 1
	w.must(w.admin.tab.Call(ctx, wire.OpSetBudget, b.Settings, nil))
	body := strings.Replace(string(turn(gateway.Chat, "x").Body), `"x"`, `"`+strings.Repeat("words ", 20_000)+`"`, 1)
	s := turn(gateway.Chat, "x")
	s.Charge, s.Body = w.red, json.RawMessage(body)
	w.must(w.mate.tab.Call(ctx, wire.OpStart, s, nil))
	if r, err := w.mate.tab.RunEnd(ctx, s.Run); err != nil || r.State != wire.Done {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := wiretest.News(ctx, w.mate.tab, wire.EventBudget, func(b wire.BudgetState) bool { return b.Scope == wire.ScopeEverybody }); err != nil {
		t.Fatalf("nobody is told of everybody's budget: %v", err)
	}

	w.must(guest.tab.Call(ctx, wire.OpBudgets, nil, &b))
	if len(b.States) > 0 {
		t.Errorf("a guest sees %+v", b.States)
	}
	if page, err := w.spend(guest, wire.Of{}); err != nil || len(page.Budgets) > 0 {
		t.Errorf("a guest's page has %+v, %v", page.Budgets, err)
	}
	var rows wire.LedgerPage
	w.must(guest.tab.Call(ctx, wire.OpLedger, wire.LedgerQuery{Of: wire.Of{Team: w.red}, Limit: 10}, &rows))
	if len(rows.Rows) > 0 {
		t.Errorf("a guest who led the team sees its rows: %+v", rows.Rows)
	}
	h, err := wiretest.News(ctx, guest.tab, wire.EventHello, func(h wire.Hello) bool { return h.Me.Role == wire.RoleGuest })
	if err != nil || len(h.Charges) == 0 || slices.ContainsFunc(h.Charges, func(c wire.Charge) bool { return c.KeyLast4 != "" }) || h.Gateway.KeyLast4 != "" {
		t.Errorf("a guest is greeted with %+v, %+v, %v", h.Charges, h.Gateway, err)
	}
	for _, push := range guest.tab.Pushes() {
		if push.Event == wire.EventBudget {
			t.Errorf("a guest is told %s", push.Data)
		}
	}
}

// Everybody's budget is changed by an admin who has the second factor that admins
// must have, and the audit says whose budget it was.
func TestWhoChangesEverybodysBudget(t *testing.T) {
	w := newOffice(t)
	ctx := t.Context()
	var b wire.Budgets
	set := func(change func(*wire.BudgetSettings)) error {
		w.must(w.admin.tab.Call(ctx, wire.OpBudgets, nil, &b))
		change(&b.Settings)
		return w.admin.tab.Call(ctx, wire.OpSetBudget, b.Settings, nil)
	}
	w.must(set(func(s *wire.BudgetSettings) {}), set(func(s *wire.BudgetSettings) { s.EverybodyDayNanoUSD = 5e9 }), set(func(s *wire.BudgetSettings) { s.DayNanoUSD = 3e9 }),
		w.people.SetPolicies(ctx, account.Policies{TwoFactors: true}))
	for name, change := range map[string]func(*wire.BudgetSettings){
		"the day":   func(s *wire.BudgetSettings) { s.EverybodyDayNanoUSD = 0 },
		"the month": func(s *wire.BudgetSettings) { s.EverybodyMonthNanoUSD = 7e9 },
		"the share": func(s *wire.BudgetSettings) { s.EverybodyWarnPercent = 99 },
		"the zone":  func(s *wire.BudgetSettings) { s.EverybodyZone = "Europe/Berlin" },
	} {
		if err := set(change); codeOf(err) != wire.CodeFactorNeeded {
			t.Errorf("%s, by an admin without a second factor: %v", name, err)
		}
	}
	w.must(set(func(s *wire.BudgetSettings) { s.DayNanoUSD, s.EverybodyWarnPercent, s.EverybodyZone = 2e9, 0, "" }))
	w.must(w.people.SetPolicies(ctx, account.Policies{}))
	want := []string{wire.ScopeEverybody, w.admin.who.Me.ID, w.admin.who.Me.ID}
	var got []string
	for until := time.Now().Add(10 * time.Second); len(got) < len(want) && time.Now().Before(until); { // lines are written behind the change
		got = nil
		_, text := w.ask(w.admin.http, "GET", "/api/audit?limit=100&action=limits.changed", "", "")
		for line := range strings.Lines(string(text)) {
			var row wire.AuditRow
			w.must(json.Unmarshal([]byte(line), &row))
			got = append([]string{row.Object}, got...)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("the audit has budgets of %q changed, want %q", got, want)
	}
}
