package admin

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// asked is a request that a Desk has made.
type asked struct{ method, path, body string }

// address answers a Desk as the server does: with JSON by method and path, and
// notes what was asked.
type address struct {
	t       *testing.T
	answers map[string]any // "GET /api/people"; a *wire.Problem is one
	asked   []asked
}

func (a *address) Ask(method, path string, in any, done session.Done) {
	a.t.Helper()
	body := ""
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			a.t.Fatal(err)
		}
		body = string(data)
	}
	a.asked = append(a.asked, asked{method, path, body})
	bare, _, _ := strings.Cut(path, "?")
	switch answer := a.answers[method+" "+bare].(type) {
	case *wire.Problem:
		done(nil, answer)
	case string:
		done(json.RawMessage(answer), nil)
	case nil:
		done(nil, nil)
	default:
		data, err := json.Marshal(answer)
		if err != nil {
			a.t.Fatal(err)
		}
		done(data, nil)
	}
}

// last is what was asked last with a method.
func (a *address) last(method string) asked {
	a.t.Helper()
	for _, one := range slices.Backward(a.asked) {
		if one.method == method {
			return one
		}
	}
	a.t.Fatalf("nothing was asked by %s: %v", method, a.asked)
	return asked{}
}

var now = time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC)

func newDesk(t *testing.T, me *wire.Me, answers map[string]any) (*Desk, *address) {
	t.Helper()
	for path, list := range map[string]any{"GET /api/people": people(), "GET /api/teams": teams(), "GET /api/invites": []wire.Invite{}, "GET /api/audit": ""} {
		if _, is := answers[path]; !is {
			answers[path] = list
		}
	}
	a := &address{t: t, answers: answers}
	s := session.New("b1")
	hello, err := json.Marshal(wire.Hello{Me: me, Catalogue: gateway.SampleCatalogue().JSON()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Hear(wire.Push{Event: wire.EventHello, Data: hello}); err != nil {
		t.Fatal(err)
	}
	return New(Options{
		API: a, Session: s, Now: func() time.Time { return now }, Changed: func() {}, Mistaken: func() {},
		Zone: func() string { return "Europe/Berlin" },
		Midnight: func(y int, m time.Month, d int) int64 {
			return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMilli()
		},
	}), a
}

var ada = &wire.Me{ID: "p-ada", Name: "Ada", Role: wire.RoleAdmin}

func people() []wire.Person {
	return []wire.Person{
		{ID: "p-bob", Name: "bob", Email: "bob@example.com", Role: wire.RoleMember, Active: true, Teams: []wire.MyTeam{{ID: "t-all", Name: "Everyone"}, {ID: "t-lab", Name: "Lab", Lead: true}}},
		{ID: "p-ada", Name: "Ada", Email: "ada@example.com", Role: wire.RoleAdmin, Active: true, Teams: []wire.MyTeam{{ID: "t-all", Name: "Everyone"}}},
		{ID: "p-cy", Name: "Cy", Email: "cy@example.org", Role: wire.RoleGuest},
	}
}

func teams() []wire.Team {
	return []wire.Team{
		{ID: "t-lab", Name: "Lab", People: []wire.TeamMate{{ID: "p-bob", Name: "bob", Lead: true}}, Models: []string{"vendor/*"}},
		{ID: "t-all", Name: "Everyone", Everyone: true, People: []wire.TeamMate{{ID: "p-ada", Name: "Ada"}, {ID: "p-bob", Name: "bob"}}},
	}
}

func TestWhoSeesWhichPages(t *testing.T) {
	lead := []wire.MyTeam{{ID: "t-lab", Name: "Lab", Lead: true}}
	for name, c := range map[string]struct {
		me   *wire.Me
		want string
	}{
		"alone":              {nil, ""},
		"a guest":            {&wire.Me{Role: wire.RoleGuest}, ""},
		"a member":           {&wire.Me{Role: wire.RoleMember, Teams: []wire.MyTeam{{ID: "t-all"}}}, ""},
		"a member who leads": {&wire.Me{Role: wire.RoleMember, Teams: lead}, "teams"},
		"an admin":           {ada, "people teams audit instance"},
	} {
		t.Run(name, func(t *testing.T) {
			d, a := newDesk(t, c.me, map[string]any{})
			if got := strings.Join(d.Pages(), " "); got != c.want {
				t.Errorf("pages %q, want %q", got, c.want)
			}
			for _, page := range []string{PagePeople, PageTeams, PageAudit, PageInstance} {
				d.Go(page, url.Values{})
			}
			for _, one := range a.asked {
				if one.path != "/api/teams" && (c.me == nil || c.me.Role != wire.RoleAdmin) {
					t.Errorf("%s is asked for", one.path)
				}
			}
		})
	}
}

func TestPeopleAreFoundByEveryWord(t *testing.T) {
	d, _ := newDesk(t, ada, map[string]any{})
	d.Go(PagePeople, url.Values{})
	for query, want := range map[string]string{
		"": "Ada bob Cy", "ADA": "Ada", "example.com member": "bob", "lab": "bob", "deactivated": "Cy", "guest example.com": "",
	} {
		d.People.Search(query)
		var names []string
		for _, p := range d.People.Found() {
			names = append(names, p.Name)
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%q finds %q, want %q", query, got, want)
		}
	}
	if names := d.People.TeamNames(*d.People.Find("p-bob")); names != "Lab (lead)" {
		t.Errorf("bob is in %q", names)
	}
}

// Only what was changed is sent, and a list that comes anew takes nothing from
// what is typed.
func TestAPersonIsChanged(t *testing.T) {
	d, a := newDesk(t, ada, map[string]any{})
	d.Go(PagePeople, url.Values{"person": {"p-bob"}})
	f := &d.People.Form
	f.Type(FieldName, "Bob", "bob")
	f.Type(Day, "2.50", "")
	d.Go(PagePeople, url.Values{"person": {"p-bob"}}) // greeted again
	if f.Value(FieldName, "bob") != "Bob" {
		t.Error("what was typed is gone")
	}
	d.People.Save()
	if got := a.last("PATCH"); got.path != "/api/people/p-bob" ||
		got.body != `{"role":null,"active":null,"name":"Bob","limits":{"day_nano_usd":2500000000,"warn_percent":80,"zone":"Europe/Berlin"}}` {
		t.Errorf("sent %+v", got)
	}
	if !f.Saved || f.Touched() {
		t.Errorf("after it: %+v", f)
	}
}

func TestMistakesStandAtTheirFields(t *testing.T) {
	d, a := newDesk(t, ada, map[string]any{"PATCH /api/people/p-ada": &wire.Problem{Code: wire.CodeLastAdmin, Field: "role", Message: "Ada is the last admin.", Hint: "Make another one first."}})
	d.Go(PagePeople, url.Values{"person": {"p-ada"}})
	f := &d.People.Form
	f.Type(Month, "much", "")
	f.Type(Warn, "0", "80")
	d.People.Save()
	if f.Wrong[Month] == "" || f.Wrong[Warn] == "" || slices.ContainsFunc(a.asked, func(one asked) bool { return one.method == "PATCH" }) {
		t.Errorf("wrong %v, asked %v", f.Wrong, a.asked)
	}
	f.Reset()
	f.Type(FieldRole, wire.RoleMember, wire.RoleAdmin)
	d.People.Save()
	if f.Wrong[FieldRole] != "Ada is the last admin. Make another one first." || f.Problem != nil {
		t.Errorf("the last admin: %+v", f)
	}

	for field, at := range map[string]string{"limits.day_nano_usd": Day, "limits.zone": Zone, "models[2]": "models", "other": "", "": ""} {
		var f Form
		f.begin()
		f.end(&wire.Problem{Field: field, Message: "No."}, Day, Zone, "models")
		if at == "" && f.Problem == nil || at != "" && f.Wrong[at] == "" {
			t.Errorf("a problem with %q is %+v", field, f)
		}
	}
}
