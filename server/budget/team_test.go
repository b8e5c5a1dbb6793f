package budget_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/budget"
	"screentest/server/payer"
	"screentest/server/run"
	"screentest/server/store/storetest"
	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// directory has the limits of the world's people and teams. Ann runs the server,
// and Lea leads each team.
type directory struct{ w *world }

func (d directory) Limits(ctx context.Context, owner string) (wire.Limits, error) {
	return d.w.db.Limits(ctx, owner)
}

func (d directory) Team(ctx context.Context, id string) (budget.Team, error) {
	t, err := d.w.db.Team(ctx, id)
	return budget.Team{ID: t.ID, Name: t.Name, Limits: t.Limits, Leads: []budget.Person{{Owner: "lea", Name: "Lea"}}}, err
}

func (d directory) TeamsOf(ctx context.Context, owner string) (teams []budget.Team, err error) {
	all, err := d.w.db.TeamsOf(ctx, owner)
	for _, t := range all {
		teams = append(teams, budget.Team{ID: t.ID, Name: t.Name, Limits: t.Limits})
	}
	return teams, err
}

func (directory) Admins() []budget.Person { return []budget.Person{{Owner: "ann", Name: "Ann"}} }

// newTeamWorld has accounts.
func newTeamWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.directory = directory{w}
	w.open()
	return w
}

// limit is what an admin lets a person spend.
func (w *world) limit(owner string, l wire.Limits) {
	w.t.Helper()
	if err := w.db.ChangePerson(w.t.Context(), owner, wire.PersonChange{Limits: &l}); err != nil {
		w.t.Fatal(err)
	}
}

// spendBy books a run of somebody's that a team pays, and has it looked at.
func (w *world) spendBy(owner, team string, nano int64) {
	w.t.Helper()
	r := wire.Run{ID: uuid.NewString(), State: wire.Done, Model: "m", StartedMS: w.now.UnixMilli(), CostNanoUSD: nano, CostSource: "reported", Team: team, PaidBy: "label"}
	if err := w.db.FinishRun(w.t.Context(), owner, r, "", nil, nil, nil); err != nil {
		w.t.Fatal(err)
	}
	w.Booked(owner, team)
}

// Five people send a hundred turns at once, each of which one of two teams pays,
// or their own key, and reserves a dollar. What is let through passes nobody's
// limit, and of what is refused some limit had no room left: nothing was raced
// past and nothing refused in vain.
func TestAHundredSendsOfFivePeopleInTwoTeams(t *testing.T) {
	w := newTeamWorld(t)
	ctx := t.Context()
	model := gateway.Model{ID: "vendor/model-a", Endpoint: gateway.Chat, Price: gateway.Price{Known: true, Input: dollar, Output: dollar}}
	body := []byte(`{"model":"vendor/model-a","messages":[{"role":"user","content":"a question of eighty-one bytes"}]}`)
	output := 1_000_000 - int64(len(body)+2)/3 // with the request's tokens $1
	var people, ids []string
	for i := range 5 {
		owner, id := storetest.Join(t, w.db, fmt.Sprint("person", i), wire.RoleMember)
		people, ids = append(people, owner), append(ids, id)
		own := wire.BudgetSettings{MaxOutput: output}
		if i == 0 {
			own.DayNanoUSD = 2 * dollar
		}
		if _, err := w.SetBudgets(ctx, owner, own); err != nil {
			t.Fatal(err)
		}
	}
	w.limit(people[1], wire.Limits{MonthNanoUSD: 3 * dollar})
	red := storetest.Team(t, w.db, "red", wire.Limits{DayNanoUSD: 4 * dollar}, ids...)
	blue := storetest.Team(t, w.db, "blue", wire.Limits{MonthNanoUSD: 5 * dollar}, ids...)
	w.set(wire.BudgetSettings{EverybodyDayNanoUSD: 12 * dollar})

	type sent struct{ owner, team string }
	var mu sync.Mutex
	through, refused := map[sent]int64{}, map[sent]*wire.Problem{}
	whose := map[string]sent{} // by run
	var decided, ended sync.WaitGroup
	var called atomic.Int64
	open := make(chan struct{})
	m := run.New(run.Config{
		Store: w.db, Catalogue: gateway.SampleCatalogue, Now: w.Now,
		Gateway: func(context.Context, string, gateway.Endpoint, []byte) (*upstream.Reply, error) {
			called.Add(1)
			decided.Done()
			<-open
			return anAnswer(), nil
		},
		Reserve: func(ctx context.Context, by payer.Payer, _ gateway.Model, b []byte) (func(), *wire.Problem) {
			return w.ReserveText(ctx, by, model, b)
		},
		Changed: func(_ string, r wire.Run) {
			if r.State == wire.Running {
				return
			}
			mu.Lock()
			s := whose[r.ID]
			if r.State == wire.Failed {
				refused[s] = r.Problem
				decided.Done()
			} else {
				through[s] += dollar
			}
			mu.Unlock()
			ended.Done()
		},
	})
	defer func() {
		if err := m.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	decided.Add(100)
	ended.Add(100)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 100 {
		by := payer.Payer{Owner: people[i%5], Team: []string{red, blue, ""}[random.IntN(3)], Label: "label", Secret: "key"}
		s := wire.Start{Run: uuid.NewString(), Conversation: uuid.NewString(), Answer: uuid.NewString(),
			User: wire.Message{ID: uuid.NewString(), Role: "user", Text: "a question"}, Endpoint: "chat", Body: body}
		whose[s.Run] = sent{by.Owner, by.Team}
		go func() {
			if _, err := m.Start(ctx, by, s); err != nil {
				t.Error(err)
			}
		}()
	}
	decided.Wait()
	full := map[string]bool{}
	for name, at := range map[string]struct{ now, limit int64 }{
		people[0]: {w.Reserved(people[0]), 2 * dollar}, people[1]: {w.Reserved(people[1]), 3 * dollar},
		red: {w.ReservedByTeam(red), 4 * dollar}, blue: {w.ReservedByTeam(blue), 5 * dollar},
		"everybody": {w.ReservedByEverybody(), 12 * dollar},
	} {
		if at.now > at.limit {
			t.Errorf("%s: %d are reserved of %d", name, at.now, at.limit)
		}
		full[name] = at.now == at.limit
	}
	mu.Lock()
	for s, p := range refused {
		if !full[s.owner] && !full[s.team] && !full["everybody"] {
			t.Errorf("%+v was refused although there was room: %v", s, p)
		}
		if p.Code != wire.CodeBudgetReached {
			t.Errorf("refused with %v", p)
		}
	}
	mu.Unlock()
	if !full["everybody"] || called.Load() != 12 {
		t.Errorf("%d calls of the gateway; everybody's limit is for twelve", called.Load())
	}
	close(open)
	ended.Wait()
	var all int64
	for s, nano := range through {
		all += nano
		if s.team != "" && nano > 5*dollar {
			t.Errorf("%+v: %d", s, nano)
		}
	}
	if all != 12*dollar {
		t.Errorf("%d were let through", all/dollar)
	}
	// What they cost is who paid's, and nothing is reserved any more.
	page, err := w.db.SpendOfEverybody(ctx, wire.SpendQuery{Tomorrow: 1, Days: []int64{0, time.Now().AddDate(1, 0, 0).UnixMilli()}})
	if err != nil {
		t.Fatal(err)
	}
	each := page.Range.NanoUSD / 12
	for s, nano := range through {
		if s.team == "" {
			continue
		}
		at := slices.IndexFunc(people, func(o string) bool { return o == s.owner })
		part, err := w.db.SpendOfEverybody(ctx, wire.SpendQuery{Tomorrow: 1, Days: []int64{0, time.Now().AddDate(1, 0, 0).UnixMilli()}, Of: wire.Of{Person: ids[at], Team: s.team}})
		if err != nil || part.Range.NanoUSD != nano/dollar*each {
			t.Errorf("%+v: %d spent, %v, want %d answers of %d", s, part.Range.NanoUSD, err, nano/dollar, each)
		}
	}
	if n := w.ReservedByEverybody() + w.ReservedByTeam(red) + w.ReservedByTeam(blue); n != 0 {
		t.Errorf("%d stays reserved", n)
	}
}

// A refusal says whose limit it is, how it stands and whom to ask.
func TestARefusalSaysWhoseLimitItIs(t *testing.T) {
	w := newTeamWorld(t)
	ann, annID := storetest.Join(t, w.db, "ann", wire.RoleMember)
	red := storetest.Team(t, w.db, "red", wire.Limits{}, annID)
	blue := storetest.Team(t, w.db, "blue", wire.Limits{}, annID)
	for _, c := range []struct {
		name string
		set  func(nano int64)
		says []string
		hint string
	}{
		{"her own", func(n int64) {
			if _, err := w.SetBudgets(t.Context(), ann, wire.BudgetSettings{DayNanoUSD: n}); err != nil {
				t.Fatal(err)
			}
		}, []string{"Your budget for this day is $2.00", "$0.00 of it is spent"}, "Raise the budget in the settings, under Budgets."},
		{"an admin's", func(n int64) { w.limit(ann, wire.Limits{MonthNanoUSD: n, Zone: "Europe/Berlin"}) },
			[]string{"Your limit for this month, which an admin has set, is $2.00"}, "Ask Ann to raise it. It resets on 1 April 2026 at 00:00 (Europe/Berlin)."},
		{"the team's", func(n int64) {
			if err := w.db.ChangeTeam(t.Context(), red, wire.TeamChange{Limits: &wire.Limits{DayNanoUSD: n}}); err != nil {
				t.Fatal(err)
			}
		}, []string{"The limit of the team red for this day is $2.00"}, "Ask Lea about it, or charge another team."},
		{"everybody's", func(n int64) { w.set(wire.BudgetSettings{EverybodyDayNanoUSD: n}) },
			[]string{"The budget of everybody for this day is $2.00"}, "Ask Ann to raise it."},
	} {
		c.set(2 * dollar)
		p := refusal(w, payer.Payer{Owner: ann, Team: red}, 3*dollar)
		for _, want := range append(c.says, "this clip costs $3.00") {
			if p == nil || !strings.Contains(p.Message, want) {
				t.Errorf("%s: %v does not say %q", c.name, p, want)
			}
		}
		if p != nil && !strings.Contains(p.Hint, c.hint) {
			t.Errorf("%s: the hint is %q, want %q", c.name, p.Hint, c.hint)
		}
		c.set(0)
		if p := refusal(w, payer.Payer{Owner: ann, Team: red}, 3*dollar); p != nil {
			t.Errorf("%s: taken away it refuses still: %v", c.name, p)
		}
	}
	// What a team may spend is nothing to what another pays.
	if err := w.db.ChangeTeam(t.Context(), red, wire.TeamChange{Limits: &wire.Limits{DayNanoUSD: 1}}); err != nil {
		t.Fatal(err)
	}
	for _, by := range []payer.Payer{{Owner: ann}, {Owner: ann, Team: blue}} {
		if p := refusal(w, by, dollar); p != nil {
			t.Errorf("%+v: %v", by, p)
		}
	}
	states, err := w.TeamBudgets(t.Context(), red)
	if err != nil || len(states) != 1 || states[0].Scope != wire.ScopeTeam || states[0].Name != "red" || states[0].Team != red {
		t.Errorf("%+v, %v", states, err)
	}
	if b, err := w.Budgets(t.Context(), ann); err != nil || len(b.States) != 1 || b.States[0].Team != red || b.MayEverybody {
		t.Errorf("%+v, %v", b, err)
	}
}

// Who sets less aside for an answer than is usual doesn't get past the limits of
// others so.
func TestSettingLessAsideDoesNotPassOthersLimits(t *testing.T) {
	w := newTeamWorld(t)
	ann, annID := storetest.Join(t, w.db, "ann", wire.RoleMember)
	red := storetest.Team(t, w.db, "red", wire.Limits{DayNanoUSD: dollar}, annID)
	if _, err := w.SetBudgets(t.Context(), ann, wire.BudgetSettings{MaxOutput: 1}); err != nil {
		t.Fatal(err)
	}
	model := gateway.Model{ID: "m", Endpoint: gateway.Chat, Price: gateway.Price{Known: true, Output: 40 * dollar}}
	by := payer.Payer{Owner: ann, Team: red}
	release, p := w.ReserveText(t.Context(), by, model, nil)
	if p != nil || w.ReservedByTeam(red) != 40*dollar/1_000_000*wire.DefaultMaxOutput {
		t.Fatalf("%v, %d are reserved", p, w.ReservedByTeam(red))
	}
	if _, p := w.ReserveText(t.Context(), by, model, nil); p == nil || strings.Contains(p.Hint, "lower the tokens") {
		t.Errorf("%+v", p)
	}
	release()
	// What a request itself bounds counts: upwards always, downwards where the model
	// is known to keep to it.
	told := model
	told.Family, told.Takes = gateway.Ordinary, []string{"max_tokens"}
	for _, c := range []struct {
		model gateway.Model
		body  string
		want  int64
	}{
		{told, `{"max_tokens":10}`, 10}, {told, `{"max_tokens":10,"n":4}`, 40}, {model, `{"max_tokens":10}`, wire.DefaultMaxOutput},
		{told, `{"max_tokens":20000}`, 20_000}, {model, `{"max_tokens":20000}`, 20_000}, {told, `{"max_tokens":0}`, wire.DefaultMaxOutput},
	} {
		release, p := w.ReserveText(t.Context(), by, c.model, []byte(c.body))
		if got := w.ReservedByTeam(red); p != nil || got != 40*dollar/1_000_000*c.want {
			t.Errorf("%s: %v, %d are reserved", c.body, p, got)
			continue
		}
		release()
	}
}

// refusal is why a clip is refused; nil: it isn't.
func refusal(w *world, by payer.Payer, nano int64) *wire.Problem {
	release, p := w.Reserve(w.t.Context(), by, wire.WhatVideo, nano)
	if p == nil {
		release()
	}
	return p
}

// What is passed of a team's limit its leads are told, once, also after a start;
// what of a person's, that person.
func TestWhoIsWarned(t *testing.T) {
	w := newTeamWorld(t)
	ann, annID := storetest.Join(t, w.db, "ann", wire.RoleMember)
	bob, bobID := storetest.Join(t, w.db, "bob", wire.RoleMember)
	red := storetest.Team(t, w.db, "red", wire.Limits{DayNanoUSD: 100, WarnPercent: 50}, annID, bobID)
	w.limit(bob, wire.Limits{DayNanoUSD: 40})
	w.spendBy(ann, red, 49)
	if len(w.told) > 0 {
		t.Errorf("too early: %q", w.told)
	}
	w.spendBy(bob, red, 10)
	w.spendBy(bob, red, 30)
	w.open()
	w.spendBy(ann, red, 1)
	if want := []string{"lea team day", bob + " limit day"}; !slices.Equal(w.told, want) {
		t.Errorf("told %q, want %q", w.told, want)
	}
}

// Nobody is told to ask themself, to charge a team that there is not, or to go
// where nothing can be changed.
func TestARefusalLeadsToWhoCanRaiseTheLimit(t *testing.T) {
	w := newTeamWorld(t)
	member, memberID := storetest.Join(t, w.db, "ben", wire.RoleMember)
	storetest.Team(t, w.db, "red", wire.Limits{DayNanoUSD: 1}, memberID)
	red := storetest.Team(t, w.db, "blue", wire.Limits{DayNanoUSD: 1})
	for _, c := range []struct {
		name  string
		owner string
		set   func()
		hint  string
	}{
		{"a member of one team", member, func() {}, "Ask Lea about it. "},
		{"who leads it", "lea", func() {}, "Ask Ann about it. "},
		{"who runs the server", w.owner, func() {}, "Raise it in the settings, under Shared key and limits. "},
		{"who runs the server, of everybody's", w.owner, func() {
			if err := w.db.ChangeTeam(t.Context(), red, wire.TeamChange{Limits: &wire.Limits{}}); err != nil {
				t.Fatal(err)
			}
			w.set(wire.BudgetSettings{EverybodyDayNanoUSD: 1})
		}, "Raise it in the settings, under Instance. "},
	} {
		c.set()
		if p := refusal(w, payer.Payer{Owner: c.owner, Team: red}, dollar); p == nil || !strings.HasPrefix(p.Hint, c.hint) {
			t.Errorf("%s: %+v, want the hint %q", c.name, p, c.hint)
		}
	}
}
