package door

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"screentest/app/session"
	"screentest/shared/wire"
)

// server answers by address; what is asked of an address that it doesn't have
// is never answered.
type server struct {
	t       *testing.T
	answers map[string]any // by "POST /api/signin": data, a *wire.Problem, or a func(body) of either
	asked   []string
	bodies  []string
}

func (s *server) Knock(method, path string, in any, done session.Done) {
	body, err := json.Marshal(in)
	if err != nil {
		s.t.Fatal(err)
	}
	address := method + " " + path
	s.asked, s.bodies = append(s.asked, address), append(s.bodies, string(body))
	answer, is := s.answers[address]
	if !is {
		return
	}
	if f, is := answer.(func(body string) any); is {
		answer = f(string(body))
	}
	switch a := answer.(type) {
	case nil:
		done(nil, nil)
	case *wire.Problem:
		p := *a
		done(nil, &p)
	default:
		data, err := json.Marshal(a)
		if err != nil {
			s.t.Fatal(err)
		}
		done(data, nil)
	}
}

func (s *server) Ask(method, path string, in any, done session.Done) { s.Knock(method, path, in, done) }

// device has passkeys, unless why says why not.
type device struct {
	none bool
	why  string
	got  string
}

func (d *device) There() bool { return !d.none }
func (d *device) Use(options json.RawMessage, done func(json.RawMessage, string)) {
	d.got = string(options)
	if d.why != "" {
		done(nil, d.why)
		return
	}
	done(json.RawMessage(`{"id":"k"}`), "")
}
func (d *device) Make(options json.RawMessage, done func(json.RawMessage, string)) {
	d.Use(options, done)
}

var allWays = wire.Ways{Team: true, SetUp: true, Password: true, Passkey: true, OIDC: "Sign in with Acme", Instance: "Lab"}

// at opens the gate at an address.
func at(t *testing.T, address string, answers map[string]any) (g *Gate, s *server, in *int) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	s = &server{t: t, answers: map[string]any{"GET /api/ways": allWays}}
	for k, v := range answers {
		s.answers[k] = v
	}
	in = new(int)
	g = NewGate(u, Options{Server: s, Passkeys: &device{}, Changed: func() {}, In: func() { *in++ }})
	g.Start()
	return g, s, in
}

func TestSigningIn(t *testing.T) {
	g, s, in := at(t, "/signin", map[string]any{"POST /api/signin": func(body string) any {
		var got wire.SignIn
		if err := json.Unmarshal([]byte(body), &got); err != nil {
			t.Fatal(err)
		}
		switch {
		case got.Password != "right horse":
			return &wire.Problem{Code: wire.CodeWrong, Message: "The e-mail or the password is wrong."}
		case got.Code == "":
			return &wire.Problem{Code: wire.CodeCodeNeeded, Message: "A code is needed."}
		case got.Code != "123456":
			return &wire.Problem{Code: wire.CodeWrong, Message: "The code is wrong."}
		}
		return nil
	}})
	if g.Stage != Open || g.Focus != FieldEmail || !g.WithPasskey() || !g.WithSingleSignOn() || g.Heading() != "Sign in to Lab" {
		t.Fatalf("at first %+v", g)
	}
	g.Submit()
	if g.Wrong(FieldEmail) == "" || g.Focus != FieldEmail {
		t.Errorf("without an e-mail: %+v", g.Problem)
	}
	g.Fill(FieldEmail, " ana@example.com ")
	g.Submit()
	if g.Wrong(FieldPassword) == "" || g.Focus != FieldPassword || len(s.asked) != 1 {
		t.Errorf("without a password: %+v, asked %q", g.Problem, s.asked)
	}
	g.Fill(FieldPassword, "wrong horse")
	g.Submit()
	if g.Wrong("") != "The e-mail or the password is wrong." || g.Wrong(FieldPassword) != "" || g.Focus != FieldPassword || g.Busy {
		t.Errorf("a wrong password: %+v", g)
	}
	g.Fill(FieldPassword, "right horse")
	g.Submit()
	if !g.NeedsCode || g.Focus != FieldCode || g.Wrong("") != "" || g.Has(FieldPassword) || !g.Has(FieldCode) {
		t.Errorf("a code is needed: %+v", g)
	}
	g.Fill(FieldCode, "654321")
	g.Submit()
	if g.Wrong("") != "The code is wrong." || g.Code != "" || g.Focus != FieldCode || *in != 0 {
		t.Errorf("a wrong code: %+v", g)
	}
	g.Fill(FieldCode, "123 456")
	g.Submit()
	if *in != 1 || g.Stage != Entered || g.Password != "" || g.Code != "" {
		t.Errorf("in %d times: %+v", *in, g)
	}
	if last := s.bodies[len(s.bodies)-1]; last != `{"email":"ana@example.com","password":"right horse","code":"123456"}` {
		t.Errorf("sent %s", last)
	}
}

// While an answer is awaited nothing is sent again.
func TestAFormIsSentOnce(t *testing.T) {
	g, s, _ := at(t, "/signin", nil)
	g.Fill(FieldEmail, "ana@example.com")
	g.Fill(FieldPassword, "x")
	g.Submit()
	g.Submit()
	g.Passkey()
	if n := len(s.asked); n != 2 || !g.Busy {
		t.Errorf("asked %q", s.asked)
	}
}

func TestLinksLeadIn(t *testing.T) {
	for _, c := range []struct {
		path, kind string
		fields     []string
		sent       string
	}{
		{"/setup", "setup", []string{FieldName, FieldEmail, FieldPassword}, `{"token":"T0","name":"Ana","email":"ana@example.com","password":"ten letters"}`},
		{"/join", "join", []string{FieldName, FieldEmail, FieldPassword}, `{"token":"T0","name":"Ana","email":"ana@example.com","password":"ten letters"}`},
		{"/reset", "reset", []string{FieldPassword}, `{"token":"T0","name":"","email":"","password":"ten letters"}`},
	} {
		t.Run(c.kind, func(t *testing.T) {
			g, s, in := at(t, c.path+"#T0", map[string]any{
				"POST /api/link": wire.Link{Kind: c.kind, Email: "ana@example.com", Role: wire.RoleGuest, Teams: []string{"Red", "Blue"}},
				"POST /api/" + c.kind: func(string) any {
					return nil
				},
				"GET /api/me": wire.Me{ID: "1"},
			})
			var has []string
			for _, f := range []string{FieldName, FieldEmail, FieldPassword, FieldCode} {
				if g.Has(f) {
					has = append(has, f)
				}
			}
			if g.Stage != Open || !slices.Equal(has, c.fields) || g.Focus != c.fields[0] || s.bodies[1] != `{"token":"T0"}` {
				t.Fatalf("%+v has %q", g, has)
			}
			g.Fill(FieldName, "Ana")
			g.Fill(FieldPassword, "too short")
			g.Submit()
			if w := g.Wrong(FieldPassword); !strings.Contains(w, "9 characters") || !strings.Contains(w, "at least 10") {
				t.Errorf("a short password: %q", w)
			}
			g.Fill(FieldPassword, "ten letters")
			g.Submit()
			if *in != 1 || !slices.Contains(s.bodies, c.sent) {
				t.Errorf("in %d times, sent %q", *in, s.bodies)
			}
		})
	}
}

func TestAnInvitationSaysWhatItIsTo(t *testing.T) {
	for want, link := range map[string]wire.Link{
		"You are invited.":             {Role: wire.RoleMember},
		"You are invited as an admin.": {Role: wire.RoleAdmin},
		"You are invited to the teams Red, Green and Blue as a guest: you can see what’s shared with you but not send requests.": {Role: wire.RoleGuest, Teams: []string{"Red", "Green", "Blue"}},
		"You are invited to the team Red.": {Role: wire.RoleMember, Teams: []string{"Red"}},
	} {
		link.Kind = "join"
		g, _, _ := at(t, "/join#T0", map[string]any{"POST /api/link": link})
		if got := g.Lead(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestADeadLinkSaysWhatToDo(t *testing.T) {
	for _, path := range []string{"/setup", "/join", "/reset"} {
		for _, code := range []string{wire.CodeLinkUnknown, wire.CodeLinkUsed} {
			g, _, _ := at(t, path+"#T0", map[string]any{"POST /api/link": &wire.Problem{Code: code, Message: "No."}})
			if g.Stage != Shut || g.Problem.Message == "No." || g.Problem.Message == "" || g.Problem.Hint == "" || g.Retry() {
				t.Errorf("%s %s: %+v", path, code, g.Problem)
			}
			// Between the look and the form somebody else may have used it.
			g, _, _ = at(t, path+"#T0", map[string]any{
				"POST /api/link": wire.Link{Kind: path[1:]}, "POST /api" + path: &wire.Problem{Code: code, Message: "No."},
			})
			for _, f := range []string{FieldName, FieldEmail, FieldPassword} {
				g.Fill(f, "ana@example.com")
			}
			g.Submit()
			if g.Stage != Shut || g.Problem.Message == "No." {
				t.Errorf("%s %s at last: %+v", path, code, g)
			}
		}
		for address, heading := range map[string]string{path: "Open the link again", path + "#T0": "This link leads nowhere"} { // none, and one of another kind
			g, _, _ := at(t, address, map[string]any{"POST /api/link": wire.Link{Kind: "another"}})
			if g.Stage != Shut || g.Heading() != heading || g.Retry() {
				t.Errorf("%s: %q, %+v", address, g.Heading(), g)
			}
		}
	}
}

func TestAServerThatCannotBeReachedIsAskedAgain(t *testing.T) {
	g, s, _ := at(t, "/signin", map[string]any{"GET /api/ways": &wire.Problem{Code: "unreachable", Message: "No."}})
	if g.Stage != Shut || !g.Retry() {
		t.Fatalf("%+v", g)
	}
	s.answers["GET /api/ways"] = allWays
	g.Start()
	if g.Stage != Open || g.Wrong("") != "" {
		t.Errorf("%+v", g)
	}
}

func TestNobodyHasSetItUp(t *testing.T) {
	g, _, _ := at(t, "/signin", map[string]any{"GET /api/ways": wire.Ways{Team: true, Password: true}})
	if g.Stage != Shut || !strings.Contains(g.Problem.Hint, "set-up link") || g.Retry() {
		t.Errorf("%+v", g)
	}
}

func TestWithoutPasswords(t *testing.T) {
	ways := wire.Ways{Team: true, SetUp: true, Passkey: true, OIDC: "Sign in with Acme"}
	g, _, _ := at(t, "/signin", map[string]any{"GET /api/ways": ways})
	if g.Has(FieldEmail) || g.Has(FieldPassword) || !g.WithPasskey() || !g.WithSingleSignOn() || g.Focus != "" {
		t.Errorf("%+v", g)
	}
	g.o.Passkeys.(*device).none = true
	g.Ways.OIDC = ""
	if g.Lead() == "" || g.WithPasskey() {
		t.Error("nothing is said where there is no way in")
	}
}

func TestSigningInByAPasskey(t *testing.T) {
	const begin, finish = "POST /api/signin/passkey/begin", "POST /api/signin/passkey/finish"
	answers := map[string]any{begin: wire.PasskeyBegun{Options: json.RawMessage(`{"challenge":"c"}`)}, finish: func(string) any { return nil }}
	g, s, in := at(t, "/signin", answers)
	d := g.o.Passkeys.(*device)
	d.why = "None was chosen."
	g.Passkey()
	if g.Wrong("") != "None was chosen." || g.Busy || *in != 0 {
		t.Errorf("%+v", g)
	}
	d.why = ""
	g.Passkey()
	if *in != 1 || d.got != `{"challenge":"c"}` || s.bodies[len(s.bodies)-1] != `{"credential":{"id":"k"}}` {
		t.Errorf("in %d times, the device got %s, sent %q", *in, d.got, s.bodies)
	}
}

// A reset with a second factor signs nobody in.
func TestAResetThatDoesNotLetIn(t *testing.T) {
	g, _, in := at(t, "/reset#T0", map[string]any{
		"POST /api/link": wire.Link{Kind: "reset", Email: "ana@example.com"}, "POST /api/reset": func(string) any { return nil },
		"GET /api/me": &wire.Problem{Code: wire.CodeSignedOut, Message: "Nobody."},
	})
	g.Fill(FieldPassword, "ten letters")
	g.Submit()
	if *in != 0 || g.Path != SignInPath || g.Stage != Open || g.Email != "ana@example.com" || g.Focus != FieldPassword || g.Password != "" || g.Lead() == "" {
		t.Errorf("%+v", g)
	}
}

func TestSingleSignOnSaysWhyNot(t *testing.T) {
	seen := map[string]bool{}
	for _, code := range []string{wire.CodeOIDCRefused, wire.CodeOIDCExpired, wire.CodeOIDCUnreachable, wire.CodeEmailUnverified,
		wire.CodeDomainNotAllowed, wire.CodeAccountTaken, wire.CodeNotSetUp, wire.CodeDeactivated, "anything else"} {
		g, _, _ := at(t, "/signin#error="+url.QueryEscape(code), nil)
		if w := g.Wrong(""); w == "" || seen[w] || strings.Contains(w, "anything") {
			t.Errorf("%s: %q", code, w)
		} else {
			seen[w] = true
		}
	}
}

// An account may have a passkey in place of a password.
func TestAnAccountWithAPasskeyInPlaceOfAPassword(t *testing.T) {
	answers := map[string]any{
		"POST /api/link": wire.Link{Kind: "join"}, "POST /api/join": wire.Me{ID: "1"},
		"POST /api/passkeys/begin":  wire.PasskeyBegun{Options: json.RawMessage(`{"challenge":"c"}`)},
		"POST /api/passkeys/finish": wire.PasskeyAdded{Codes: []string{"one"}},
	}
	for _, c := range []struct {
		name      string
		passwords bool
		submit    func(*Gate)
		why       string // the device makes none
		unsafe    bool
	}{
		{"beside passwords", true, (*Gate).SubmitWithPasskey, "", false},
		{"without passwords", false, (*Gate).Submit, "", false},
		{"that comes to nothing", true, (*Gate).SubmitWithPasskey, "None was made.", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			ways := allWays
			ways.Password = c.passwords
			answers["GET /api/ways"] = ways
			g, s, in := at(t, "/join#T0", answers)
			g.o.Passkeys.(*device).why = c.why
			if !g.Has(FieldName) || !g.Has(FieldEmail) || g.Has(FieldPassword) != c.passwords || g.Focus != FieldName {
				t.Fatalf("%+v", g)
			}
			g.Fill(FieldName, "Ben")
			c.submit(g)
			if g.Wrong(FieldEmail) == "" {
				t.Errorf("without an e-mail: %+v", g.Problem)
			}
			g.Fill(FieldEmail, "ben@example.com")
			c.submit(g)
			if g.Unsafe != c.unsafe || !slices.Contains(s.bodies, `{"token":"T0","name":"Ben","email":"ben@example.com","password":"","passkey":true}`) {
				t.Errorf("unsafe %v, sent %q", g.Unsafe, s.bodies)
			}
			if !c.unsafe {
				if *in != 0 || !slices.Equal(g.Codes, []string{"one"}) || g.Heading() != "Recovery codes" {
					t.Errorf("in %d times before the codes were seen: %+v", *in, g)
				}
				g.GoIn()
			}
			if *in != 1 || g.Codes != nil {
				t.Errorf("in %d times", *in)
			}
		})
	}
}
