package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// greeted waits for a greeting that matches.
func greeted(t *testing.T, p *someone, what string, matches func(wire.Hello) bool) {
	t.Helper()
	if _, err := wiretest.News(t.Context(), p.tab, wire.EventHello, matches); err != nil {
		t.Fatalf("%s isn't told that %s: %v", p.name, what, err)
	}
}

func TestInvitations(t *testing.T) {
	w := newInstance(t, serveConfig{})
	for body, field := range map[string]string{
		`{"role":"owner"}`: "role", `{"hours":-1}`: "hours", `{"hours":2161}`: "hours", `{"uses":1001}`: "uses", `{"uses":"1"}`: "uses",
	} {
		if p := w.does(w.admin, 400, "POST /api/invites", body, nil); p.Field != field || p.Message == "" {
			t.Errorf("%s: %+v", body, p)
		}
	}
	w.does(w.admin, 404, "POST /api/invites", `{"teams":["nowhere"]}`, nil)

	var made wire.Invite
	w.does(w.admin, 200, "POST /api/invites", fmt.Sprintf(`{"role":"guest","teams":[%q],"uses":2}`, w.blue), &made)
	token, ok := strings.CutPrefix(made.Link, w.url+"/join#")
	week := time.Until(time.UnixMilli(made.ExpiresMS))
	if !ok || len(token) < 20 || made.ID == "" || made.Hours != 168 || week < 167*time.Hour || week > 168*time.Hour || made.By != "admin" {
		t.Errorf("%+v", made)
	}
	joins := func(email string, status int) wire.Problem {
		t.Helper()
		return w.does(&someone{name: email, http: wiretest.NewHTTP()}, status, "POST /api/join",
			fmt.Sprintf(`{"token":%q,"name":"New","email":%q,"password":"rather long and odd"}`, token, email), nil)
	}
	joins("first@example.com", 201)
	joins("second@example.com", 201)
	if p := joins("third@example.com", 410); p.Code != wire.CodeLinkUsed {
		t.Errorf("once too often: %+v", p)
	}
	var all []wire.Person
	w.does(w.admin, 200, "GET /api/people", "", &all)
	i := slices.IndexFunc(all, func(p wire.Person) bool { return p.Email == "first@example.com" })
	if i < 0 || all[i].Role != wire.RoleGuest || len(all[i].Teams) != 2 || all[i].Teams[1].ID != w.blue || !all[i].Password || !all[i].Active {
		t.Errorf("who joined is %+v", all)
	}

	var other wire.Invite
	w.does(w.admin, 200, "POST /api/invites", `{}`, &other)
	w.does(w.admin, 204, "DELETE /api/invites/"+other.ID, "", nil)
	var list []wire.Invite
	w.does(w.admin, 200, "GET /api/invites", "", &list)
	if list[0].ID != other.ID || !list[0].Revoked || list[0].Role != wire.RoleMember || list[1].Used != 2 || list[1].Link != "" {
		t.Errorf("%+v", list[:2])
	}
	token = strings.TrimPrefix(other.Link, w.url+"/join#")
	joins("late@example.com", 410)
	w.does(w.admin, 404, "DELETE /api/invites/"+w.red, "", nil)
	w.inNoFile(token)
}

// inNoFile fails if a secret stands anywhere in the data folder or the log.
func (w *instance) inNoFile(secret string) {
	w.t.Helper()
	if strings.Contains(w.log.String(), secret) {
		w.t.Error("it is in the log")
	}
	w.must(filepath.WalkDir(w.config.data, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		p, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // it was a temporary one
		}
		if strings.Contains(string(p), secret) {
			w.t.Errorf("it is in %s", path)
		}
		return err
	}))
}

// A role that is taken away is so at the next call of an open tab.
func TestPeopleChange(t *testing.T) {
	w := newInstance(t, serveConfig{})
	member := "PATCH /api/people/" + w.member.id()
	for body, field := range map[string]string{
		`{"role":"owner"}`: "role", `{"name":" "}`: "name", `{"limits":{"day_nano_usd":-1}}`: "limits.day_nano_usd", `{"limits":{"zone":"Mars"}}`: "limits.zone",
	} {
		if p := w.does(w.admin, 400, member, body, nil); p.Field != field {
			t.Errorf("%s: %+v", body, p)
		}
	}
	var got wire.Person
	w.does(w.admin, 200, member, `{"role":"guest","limits":{"day_nano_usd":5,"zone":"Europe/Berlin"}}`, &got)
	if got.Role != wire.RoleGuest || got.Name != "member" || got.Limits.DayNanoUSD != 5 || got.Limits.Zone != "Europe/Berlin" {
		t.Errorf("%+v", got)
	}
	var p *wire.Problem
	if err := w.member.tab.Call(t.Context(), wire.OpStart, turn(gateway.Chat, "x"), nil); !errors.As(err, &p) || p.Code != wire.CodeNotAllowed {
		t.Errorf("a guest sends: %v", err)
	}
	greeted(t, w.member, "they are a guest", func(h wire.Hello) bool { return h.Me.Role == wire.RoleGuest })

	admin := "PATCH /api/people/" + w.admin.id()
	for _, body := range []string{`{"role":"member"}`, `{"active":false}`} {
		if p := w.does(w.admin, 409, admin, body, nil); p.Code != wire.CodeLastAdmin {
			t.Errorf("the last admin %s: %+v", body, p)
		}
	}
	w.does(w.admin, 404, "PATCH /api/people/"+w.red, `{}`, nil)
	w.does(w.admin, 200, "PATCH /api/people/"+w.mate.id(), `{"role":"admin"}`, nil)
	w.does(w.mate, 200, "GET /api/people", "", nil)
	w.does(w.mate, 200, admin, `{"role":"member"}`, nil)
	w.does(w.admin, 404, "GET /api/people", "", nil)
}

// Who is deactivated is out, and their answer under way ends.
func TestDeactivation(t *testing.T) {
	w := newInstance(t, serveConfig{})
	s := turn(gateway.Chat, "[[repeat: 4000]]")
	w.must(w.member.tab.Call(t.Context(), wire.OpStart, s, nil))
	w.does(w.admin, 200, "PATCH /api/people/"+w.member.id(), `{"active":false}`, nil)
	if ce, err := w.member.tab.Ended(t.Context()); err != nil || ce.Code != wire.StatusSignedOut {
		t.Errorf("their socket: %v, %v", ce, err)
	}
	w.does(w.member, 401, "GET /api/me", "", nil)
	r, err := w.store.Run(t.Context(), w.member.who.Owner, s.Run)
	if err != nil || r.State != wire.Stopped {
		t.Errorf("their answer: %+v, %v", r, err)
	}
	if p := w.does(w.admin, 400, "POST /api/people/"+w.member.id()+"/reset", "{}", nil); p.Code != "deactivated_account" {
		t.Errorf("a link to a new password: %+v", p)
	}
	var link struct{ Link string }
	w.does(w.admin, 200, "POST /api/people/"+w.mate.id()+"/reset", "{}", &link)
	token, ok := strings.CutPrefix(link.Link, w.url+"/reset#")
	if !ok {
		t.Fatalf("%+v", link)
	}
	w.does(w.nobody, 201, "POST /api/reset", fmt.Sprintf(`{"token":%q,"password":"another, and long"}`, token), nil)
	if ce, err := w.mate.tab.Ended(t.Context()); err != nil || ce.Code != wire.StatusSignedOut {
		t.Errorf("the socket of before: %v, %v", ce, err)
	}
	w.inNoFile(token)
}

func TestTeamsOverHTTP(t *testing.T) {
	w := newInstance(t, serveConfig{})
	for body, field := range map[string]string{
		`{}`: "name", `{"name":"` + strings.Repeat("x", 61) + `"}`: "name", `{"name":"A","models":["a b"]}`: "models[0]", `{"name":"A","limits":{"month_nano_usd":-1}}`: "limits.month_nano_usd",
	} {
		if p := w.does(w.admin, 400, "POST /api/teams", body, nil); p.Field != field {
			t.Errorf("%s: %+v", body, p)
		}
	}
	if p := w.does(w.admin, 409, "POST /api/teams", `{"name":"red"}`, nil); p.Field != "name" {
		t.Errorf("a name twice: %+v", p)
	}
	var made wire.Team
	w.does(w.admin, 200, "POST /api/teams", `{"name":" Film ","models":["vendor/*"],"limits":{"day_nano_usd":7}}`, &made)
	if made.Name != "Film" || !slices.Equal(made.Models, []string{"vendor/*"}) || made.Limits.DayNanoUSD != 7 || made.Everyone || !made.Lead {
		t.Errorf("%+v", made)
	}
	film := "/api/teams/" + made.ID
	w.does(w.admin, 204, "PUT "+film+"/people/"+w.member.id(), `{"lead":true}`, nil)
	greeted(t, w.member, "they lead a team", func(h wire.Hello) bool {
		return h.Me.Leads(made.ID) && slices.ContainsFunc(h.Charges, func(c wire.Charge) bool { return c.ID == made.ID && c.HasKey && slices.Equal(c.Models, made.Models) })
	})
	w.does(w.member, 204, "PUT "+film+"/people/"+w.stranger.id(), "", nil)
	w.does(w.member, 404, "PATCH "+film, `{"name":"Mine"}`, nil)
	w.does(w.admin, 200, "PATCH "+film, `{"name":"Films"}`, nil)
	seenBy := func(p *someone) (names []string, of wire.Team) {
		var all []wire.Team
		w.does(p, 200, "GET /api/teams", "", &all)
		for _, t := range all {
			names = append(names, t.Name)
			if t.ID == made.ID {
				of = t
			}
		}
		return names, of
	}
	if names, of := seenBy(w.admin); !slices.Equal(names, []string{"Everyone", "Blue", "Films", "Red"}) || len(of.People) != 2 || !of.Lead {
		t.Errorf("an admin sees %q, %+v", names, of)
	}
	if names, of := seenBy(w.member); !slices.Equal(names, []string{"Everyone", "Films", "Red"}) || !of.Lead || of.Limits.DayNanoUSD != 7 {
		t.Errorf("who leads it sees %q, %+v", names, of)
	}
	if names, of := seenBy(w.stranger); !slices.Equal(names, []string{"Everyone", "Blue", "Films"}) || of.Lead || of.Limits.DayNanoUSD != 0 || len(of.People) != 2 {
		t.Errorf("who is in it sees %q, %+v", names, of)
	}
	w.does(w.admin, 200, "PATCH /api/people/"+w.stranger.id(), `{"role":"guest"}`, nil)
	if _, of := seenBy(w.stranger); len(of.People) != 2 || !of.People[0].Lead && !of.People[1].Lead { // who leads it and they
		t.Errorf("a guest in it sees %+v", of)
	}
	var everyone []wire.Team
	w.does(w.stranger, 200, "GET /api/teams", "", &everyone)
	if len(everyone[0].People) != 2 {
		t.Errorf("a guest sees %+v of everybody", everyone[0].People)
	}
	w.does(w.member, 204, "DELETE "+film+"/people/"+w.stranger.id(), "", nil)
	w.does(w.member, 404, "DELETE "+film+"/people/"+w.stranger.id(), "", nil)

	var all []wire.Team
	w.does(w.admin, 200, "GET /api/teams", "", &all)
	w.does(w.admin, 409, "DELETE /api/teams/"+all[0].ID, "", nil)
	w.does(w.admin, 409, "DELETE /api/teams/"+all[0].ID+"/people/"+w.mate.id(), "", nil)
	w.does(w.admin, 200, "PUT /api/instance", fmt.Sprintf(`{"groups":[{"group":"film","teams":[%q],"lead":true}]}`, made.ID), nil)
	w.does(w.admin, 204, "DELETE "+film, "", nil)
	greeted(t, w.member, "the team is gone", func(h wire.Hello) bool { return len(h.Me.Teams) == 2 && len(h.Charges) == 2 })
	var instance wire.Instance
	w.does(w.admin, 200, "GET /api/instance", "", &instance)
	if len(instance.Groups) != 1 || len(instance.Groups[0].Teams) != 0 || instance.Groups[0].Lead {
		t.Errorf("a group is mapped to a team that is gone: %+v", instance.Groups)
	}
}

// A team's key is taken, used and never shown: the row in the ledger says whose
// it was.
func TestTeamKeys(t *testing.T) {
	w := newInstance(t, serveConfig{gateway: outside(t, nil)})
	var p *wire.Problem
	if err := w.member.tab.Call(t.Context(), wire.OpStart, turn(gateway.Chat, "x"), nil); !errors.As(err, &p) || p.Code != "key_missing" || !strings.Contains(p.Hint, "admin") {
		t.Errorf("without a key: %v", err)
	}
	key := "/api/teams/" + w.red + "/key"
	if p := w.does(w.lead, 400, "POST "+key, `{"key":"with a space"}`, nil); p.Code != "invalid_key" || p.Field != "key" {
		t.Errorf("%+v", p)
	}
	w.does(w.lead, 204, "POST "+key, `{"key":"`+canary+`"}`, nil)
	greeted(t, w.member, "the team has a key", func(h wire.Hello) bool {
		return h.Gateway.HasKey && slices.ContainsFunc(h.Charges, func(c wire.Charge) bool { return c.ID == w.red && c.HasKey && c.KeyLast4 == canary[len(canary)-4:] })
	})
	s := turn(gateway.Chat, "charged to Red")
	s.Charge = w.red
	play(t, w.member.tab, s)
	end(t, w.member.tab, s)
	var page wire.LedgerPage
	w.must(w.member.tab.Call(t.Context(), wire.OpLedger, wire.LedgerQuery{}, &page))
	if len(page.Rows) != 1 || page.Rows[0].TeamID != w.red || page.Rows[0].PaidBy != "Red …"+canary[len(canary)-4:] || page.Rows[0].PersonID != w.member.id() {
		t.Errorf("%+v", page.Rows)
	}
	var teams []wire.Team
	w.does(w.lead, 200, "GET /api/teams", "", &teams)
	if i := slices.IndexFunc(teams, func(t wire.Team) bool { return t.ID == w.red }); teams[i].KeyLast4 != canary[len(canary)-4:] || !teams[i].HasKey || teams[i].KeySetMS == 0 {
		t.Errorf("%+v", teams)
	}
	_, text := w.ask(w.member.http, "GET", "/api/teams", "", "")
	if strings.Contains(string(text), canary[len(canary)-4:]) {
		t.Errorf("a member sees the end of a key: %s", text)
	}

	// The models that the team allows are kept to.
	w.does(w.admin, 200, "PATCH /api/teams/"+w.red, `{"models":["vendor/beta*"]}`, nil)
	s = turn(gateway.Chat, "not allowed")
	s.Charge = w.red
	if err := w.member.tab.Call(t.Context(), wire.OpStart, s, nil); !errors.As(err, &p) || p.Code != "model_not_allowed" || p.Field != "model" {
		t.Errorf("a model that isn't allowed: %v", err)
	}
	v := clipRequest("not allowed")
	v.Charge = w.red
	if err := w.member.tab.Call(t.Context(), wire.OpVideoCreate, v, nil); !errors.As(err, &p) || p.Code != "model_not_allowed" {
		t.Errorf("a clip by a model that isn't allowed: %v", err)
	}

	if p := w.does(w.member, 403, "POST /api/key", `{"key":"sk-my-own-0123456789"}`, nil); p.Code != wire.CodeNotAllowed {
		t.Errorf("a personal key where there are none: %+v", p)
	}
	w.does(w.admin, 200, "PUT /api/instance", `{"personal_keys":true}`, nil)
	w.does(w.member, 204, "POST /api/key", `{"key":"sk-my-own-0123456789"}`, nil)
	greeted(t, w.member, "they have a key of their own", func(h wire.Hello) bool {
		return slices.ContainsFunc(h.Charges, func(c wire.Charge) bool { return c.ID == wire.ChargePersonal && c.KeyLast4 == "6789" })
	})
	w.does(w.lead, 204, "DELETE "+key, "", nil)
	for _, p := range []*someone{w.admin, w.lead, w.member, w.mate} {
		if strings.Contains(string(p.tab.Raw()), canary) {
			t.Errorf("%s was sent the key", p.name)
		}
	}
	w.inNoFile(canary)
	w.inNoFile("sk-my-own-0123456789")
}

func TestInstanceSettings(t *testing.T) {
	w := newInstance(t, serveConfig{})
	for body, field := range map[string]string{
		`{"name":"` + strings.Repeat("x", 61) + `"}`:                                        "name",
		`{"groups":[{"group":""}]}`:                                                         "groups[0].group",
		`{"groups":[{"group":"a"},{"group":"a"}]}`:                                          "groups[1].group",
		`{"groups":[{"group":"a","role":"owner"}]}`:                                         "groups[0].role",
		`{"groups":[{"group":"a","teams":["gone"]}]}`:                                       "groups[0].teams",
		`{"groups":[{"group":"a","lead":true}]}`:                                            "groups[0].lead",
		`{"everybody":{"warn_percent":101}}`:                                                "everybody.warn_percent",
		`{"everybody":{"day_nano_usd":` + fmt.Sprint(int64(wire.MaxBudgetNanoUSD)+1) + `}}`: "everybody.day_nano_usd",
	} {
		if p := w.does(w.admin, 400, "PUT /api/instance", body, nil); p.Field != field {
			t.Errorf("%s: %+v", body, p)
		}
	}
	// What a change doesn't speak of stays, whoever else changes something.
	var set, got wire.Instance
	w.does(w.admin, 200, "PUT /api/instance", fmt.Sprintf(`{"groups":[{"group":"staff","teams":[%q]}]}`, w.red), &set)
	var all sync.WaitGroup
	for _, part := range []string{`{}`, `{"name":"Lab 2"}`, `{"personal_keys":true}`, `{"everybody":{"day_nano_usd":10}}`} {
		all.Go(func() { w.does(w.admin, 200, "PUT /api/instance", part, nil) })
	}
	all.Wait()
	w.does(w.admin, 200, "GET /api/instance", "", &got)
	set.Name, set.PersonalKeys, set.Everybody.DayNanoUSD = "Lab 2", true, 10
	if got.Everybody.Zone, got.Everybody.WarnPercent = set.Everybody.Zone, set.Everybody.WarnPercent; !reflect.DeepEqual(got, set) {
		t.Errorf("%+v, want %+v", got, set)
	}

	w.does(w.admin, 200, "PUT /api/instance", fmt.Sprintf(`{"name":" Lab ","personal_keys":false,"two_factors":true,"everybody":{"day_nano_usd":9,"month_nano_usd":90,"warn_percent":50,"zone":"Europe/Berlin"},
		"groups":[{"group":"staff","role":"member","teams":[%q],"lead":true}],"password":false}`, w.red), &got)
	if got.Name != "Lab" || !got.TwoFactors || got.PersonalKeys || got.Everybody != (wire.Limits{DayNanoUSD: 9, MonthNanoUSD: 90, WarnPercent: 50, Zone: "Europe/Berlin"}) || len(got.Groups) != 1 || !got.Password {
		t.Errorf("%+v; what comes with flags isn't changed here", got)
	}
	var ways wire.Ways
	w.does(w.nobody, 200, "GET /api/ways", "", &ways)
	if ways.Instance != "Lab" || !ways.Team || !ways.SetUp {
		t.Errorf("%+v", ways)
	}
}

// Each change has its line in the audit, which names people and things by their
// ids alone.
func TestChangesAreAudited(t *testing.T) {
	w := newInstance(t, serveConfig{gateway: outside(t, nil)})
	red := "/api/teams/" + w.red
	var made wire.Invite
	w.does(w.admin, 200, "POST /api/invites", "{}", &made)
	w.does(w.admin, 204, "DELETE /api/invites/"+made.ID, "", nil)
	w.does(w.admin, 200, "PATCH "+red, `{"name":"Canary","limits":{"day_nano_usd":5}}`, nil)
	w.does(w.lead, 204, "PUT "+red+"/people/"+w.stranger.id(), `{"lead":true}`, nil)
	w.does(w.lead, 204, "PUT "+red+"/people/"+w.stranger.id(), `{"lead":false}`, nil)
	w.does(w.lead, 204, "DELETE "+red+"/people/"+w.stranger.id(), "", nil)
	w.does(w.lead, 204, "POST "+red+"/key", `{"key":"`+canary+`"}`, nil)
	w.does(w.lead, 204, "DELETE "+red+"/key", "", nil)
	w.does(w.admin, 200, "PUT /api/instance", `{"name":"Canary"}`, nil)
	w.does(w.admin, 200, "PATCH /api/people/"+w.stranger.id(), `{"role":"guest","name":"Canary"}`, nil)
	w.does(w.admin, 200, "POST /api/people/"+w.stranger.id()+"/reset", "{}", nil)
	w.does(w.admin, 200, "PATCH /api/people/"+w.stranger.id(), `{"active":false}`, nil)
	w.does(w.admin, 204, "DELETE "+red, "", nil)
	want := []string{"invite.made", "invite.revoked", "team.changed", "limits.changed", "team.person_added", "team.lead_changed", "team.person_removed",
		"key.set", "key.removed", "instance.changed", "person.changed", "person.reset", "person.deactivated", "team.deleted"}

	var got []string
	for until := time.Now().Add(10 * time.Second); len(got) < len(want) && time.Now().Before(until); { // lines are written behind the change
		got = w.audited()
	}
	if !slices.Equal(got, want) {
		t.Errorf("the audit has\n\t%q, want\n\t%q", got, want)
	}
}

// audited are the actions that the audit has of people, the oldest first.
func (w *instance) audited() (actions []string) {
	w.t.Helper()
	res, text := w.ask(w.admin.http, "GET", "/api/audit?limit=100", "", "")
	if res.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s", res.Status, text)
	}
	for line := range strings.Lines(string(text)) {
		var row wire.AuditRow
		w.must(json.Unmarshal([]byte(line), &row))
		if row.Action == "ledger.chained" { // by the server itself
			continue
		}
		if row.Person == "" || row.Address != "127.0.0.1" {
			w.t.Errorf("nobody did %s, from %q", row.Action, row.Address)
		}
		if detail := strings.ToLower(string(row.Detail)); strings.Contains(detail, "canary") || strings.Contains(detail, "example.com") {
			w.t.Errorf("%s has %s", row.Action, detail)
		}
		actions = append(actions, row.Action)
	}
	slices.Reverse(actions)
	return actions
}
