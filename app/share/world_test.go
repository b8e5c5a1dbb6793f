package share

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"screentest/app/session"
	"screentest/shared/wire"
)

// addresses answer a Desk as the server does: with JSON by method and path, and
// notes what was asked. What is held is answered by answer.
type addresses struct {
	t       *testing.T
	answers map[string]any // "GET /api/shares"; a *wire.Problem is one
	asked   []string       // "POST /api/shares {…}"
	hold    bool
	held    []func()
}

func (a *addresses) Ask(method, path string, in any, done session.Done) {
	a.t.Helper()
	asked := method + " " + path
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			a.t.Fatal(err)
		}
		asked += " " + string(data)
	}
	a.asked = append(a.asked, asked)
	answer := func() {
		switch v := a.answers[method+" "+path].(type) {
		case *wire.Problem:
			done(nil, v)
		case nil:
			done(nil, nil)
		default:
			data, err := json.Marshal(v)
			if err != nil {
				a.t.Fatal(err)
			}
			done(data, nil)
		}
	}
	if a.hold {
		a.held = append(a.held, answer)
		return
	}
	answer()
}

// times counts what was asked with a beginning.
func (a *addresses) times(begins string) (n int) {
	for _, one := range a.asked {
		if strings.HasPrefix(one, begins) {
			n++
		}
	}
	return n
}

// last is what was asked last with a beginning.
func (a *addresses) last(begins string) string {
	a.t.Helper()
	for _, one := range slices.Backward(a.asked) {
		if strings.HasPrefix(one, begins) {
			return one
		}
	}
	a.t.Fatalf("%s was not asked: %q", begins, a.asked)
	return ""
}

// world is a Desk with the time that it has.
type world struct {
	*Desk
	a     *addresses
	now   time.Time
	timer func()
	waits time.Duration
	drawn int
	said  string
	wrong int
}

func (w *world) hello(h wire.Hello) {
	w.a.t.Helper()
	data, err := json.Marshal(h)
	if err != nil {
		w.a.t.Fatal(err)
	}
	n, err := w.Session.Hear(wire.Push{Event: wire.EventHello, Data: data})
	if err != nil {
		w.a.t.Fatal(err)
	}
	w.News(n)
}

var (
	ann = &wire.Me{ID: "p-ann", Name: "Ann", Role: wire.RoleMember, Teams: []wire.MyTeam{{ID: "t-all", Name: "Everyone"}, {ID: "t-lab", Name: "Lab"}}}
	gus = &wire.Me{ID: "p-gus", Name: "Gus", Role: wire.RoleGuest, Teams: []wire.MyTeam{{ID: "t-all", Name: "Everyone"}}}
)

// everyone is GET /api/teams of an admin, who sees the Board too.
func everyone() []wire.Team {
	mate := func(id, name string) wire.TeamMate { return wire.TeamMate{ID: id, Name: name} }
	return []wire.Team{
		{ID: "t-all", Name: "Everyone", Everyone: true, People: []wire.TeamMate{mate("p-ann", "Ann"), mate("p-cle", "Cleo"), mate("p-bob", "bob marsh")}},
		{ID: "t-lab", Name: "Lab", People: []wire.TeamMate{mate("p-ann", "Ann"), mate("p-bob", "bob marsh")}},
		{ID: "t-boa", Name: "Board"},
	}
}

func newWorld(t *testing.T, h wire.Hello, shares wire.Shares) *world {
	t.Helper()
	w := &world{
		a:   &addresses{t: t, answers: map[string]any{"GET /api/shares": shares, "GET /api/teams": everyone()}},
		now: time.Date(2026, 11, 3, 12, 0, 0, 0, time.UTC),
	}
	w.Desk = New(Options{
		API: w.a, Session: session.New("b1"), Now: func() time.Time { return w.now },
		Midnight: func(y int, m time.Month, d int) int64 { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC).UnixMilli() },
		After: func(d time.Duration, f func()) func() {
			w.waits, w.timer = d, f
			return func() { w.timer = nil }
		},
		Changed: func() { w.drawn++ }, Shared: func() {}, Mistaken: func() { w.wrong++ }, Say: func(s string) { w.said = s },
	})
	if h.Catalogue == nil {
		h.Catalogue = json.RawMessage(`{}`)
	}
	w.hello(h)
	return w
}
