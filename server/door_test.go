package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Of twelve who claim the first account at once one gets it.
func TestTwelveClaimTheSetUp(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	var mu sync.Mutex
	got := map[string]int{}
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			v := d.visitor()
			r := v.ask("POST", "/api/setup", wire.Join{Token: d.setUpToken(), Name: "Ann", Email: fmt.Sprintf("ann%d@example.com", i), Password: goodPassword})
			mu.Lock()
			defer mu.Unlock()
			got[fmt.Sprint(r.StatusCode, " ", r.problem().Code)]++
			if r.StatusCode == 201 && v.me().Role != wire.RoleAdmin {
				t.Errorf("%+v", v.me())
			}
		})
	}
	all.Wait()
	if got["201 "] != 1 || got["410 link_used"] != 11 || len(got) != 2 {
		t.Errorf("%v", got)
	}
}

// What was there of one person alone belongs to the first admin, whom the cookie
// of before isn't.
func TestAFolderOfOnePersonBecomesATeams(t *testing.T) {
	dir, gw := storetest.Folder(t), outside(t, nil)
	before := newPlayground(t, serveConfig{data: dir, gateway: gw})
	v := before.visitor()
	tab := v.dial()
	if err := tab.SetKey(t.Context(), canary); err != nil {
		t.Fatal(err)
	}
	turn := turn(gateway.Chat, "Before there were accounts")
	play(t, tab, turn)
	end(t, tab, turn)
	if me := v.me(); me.Role != wire.RoleAdmin || me.ID == "" || me.Email != "" {
		t.Errorf("alone: %+v", me)
	}
	tab.Close()
	if err := before.close(); err != nil {
		t.Fatal(err)
	}

	d := newPlayground(t, asTeam(serveConfig{data: dir, gateway: gw}))
	// The name of the cookie has the port in it, which is another by now.
	_, port, _ := strings.Cut(strings.TrimPrefix(d.url, "http://"), ":")
	old := v.cookie(before.url)
	v.base, old.Name = d.url, "screentest-"+port
	at, err := url.Parse(d.url)
	if err != nil {
		t.Fatal(err)
	}
	v.http.Jar.SetCookies(at, []*http.Cookie{old})
	for _, address := range []string{"/api/me", "/api/sessions", "/api/export.json", "/api/conversations/" + turn.Conversation + ".json"} {
		if r := v.ask("GET", address, nil); r.StatusCode != 401 || r.problem().Code != wire.CodeSignedOut {
			t.Errorf("%s with the cookie of before: %d %s", address, r.StatusCode, r.body)
		}
	}
	ann := d.admin()
	var page wire.ConversationPage
	if err := ann.dial().Call(t.Context(), wire.OpConversations, wire.Page{}, &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Conversations) != 1 || page.Conversations[0].ID != turn.Conversation {
		t.Errorf("the first admin has %+v", page.Conversations)
	}
	if n := len(ann.sessions()); n != 1 {
		t.Errorf("the first admin has %d sessions", n)
	}
	// Somebody else has nothing of it, and with two accounts there is no way back.
	bob := ann.join(wire.RoleMember, "bob@example.com")
	if r := bob.ask("GET", "/api/conversations/"+turn.Conversation+".json", nil); r.StatusCode != 404 {
		t.Errorf("another's conversation: %d", r.StatusCode)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	if _, err := start(t.Context(), serveConfig{data: dir, cluster: d.config.cluster, addr: "127.0.0.1:0", sandboxSpeed: 20, signIn: d.config.signIn}, d.server.log); err == nil || !strings.Contains(err.Error(), "with -team") {
		t.Errorf("alone again: %v", err)
	}
}

// Alone there is nobody to sign in.
func TestAloneNothingIsAtTheDoor(t *testing.T) {
	d := newPlayground(t, serveConfig{})
	v := d.visitor()
	if r := v.want(200, "GET", "/api/ways", nil); r.body != "{\"team\":false,\"set_up\":false,\"password\":false,\"passkey\":false}\n" {
		t.Errorf("%s", r.body)
	}
	if d.setUp != "" {
		t.Error("there is a link to a first account")
	}
	for _, address := range []string{
		"GET /signin", "GET /setup", "GET /join", "GET /reset", "POST /api/signin", "POST /api/signout", "POST /api/setup", "POST /api/join", "POST /api/reset",
		"POST /api/link", "POST /api/password", "GET /api/sessions", "DELETE /api/sessions", "GET /api/people", "GET /api/invites", "GET /api/teams", "GET /api/instance",
	} {
		method, path, _ := strings.Cut(address, " ")
		if r := v.ask(method, path, map[string]string{}); r.StatusCode != 404 {
			t.Errorf("%s: %d %s", address, r.StatusCode, r.body)
		}
	}
}

// A cookie from before a sign-in, planted or stolen, is nobody's after it.
func TestASignInHasANewSession(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	first := *ann.cookie(d.url)
	if r := ann.want(204, "POST", "/api/signin", wire.SignIn{Email: "ann@example.com", Password: goodPassword}); len(r.Cookies()) != 1 ||
		!r.Cookies()[0].HttpOnly || r.Cookies()[0].SameSite != http.SameSiteStrictMode || r.Cookies()[0].Path != "/" || r.Cookies()[0].Domain != "" || r.Cookies()[0].MaxAge != 30*24*3600 {
		t.Errorf("%+v", r.Cookies())
	}
	if ann.cookie(d.url).Value == first.Value {
		t.Error("a sign-in keeps the cookie")
	}
	thief := d.visitor()
	thief.want(401, "GET", "/api/me", nil, "Cookie", first.Name+"="+first.Value)
	if n := len(ann.sessions()); n != 1 {
		t.Errorf("%d sessions", n)
	}
	// One that the server never gave is none, whoever signs in with it.
	planted := d.visitor()
	planted.want(204, "POST", "/api/signin", wire.SignIn{Email: "ann@example.com", Password: goodPassword}, "Cookie", first.Name+"="+first.Value)
	thief.want(401, "GET", "/api/me", nil, "Cookie", first.Name+"="+first.Value)
	// A forged signature is nobody's.
	now := planted.cookie(d.url)
	thief.want(401, "GET", "/api/me", nil, "Cookie", now.Name+"="+now.Value[:len(now.Value)-4]+"AAAA")
	// What people see of a session opens nothing.
	thief.want(401, "GET", "/api/me", nil, "Cookie", now.Name+"="+planted.sessions()[0].ID)

	secure := newPlayground(t, asTeam(serveConfig{reach: reachConfig{publicURL: "https://try.example.com"}}))
	v := secure.visitor()
	r := v.want(201, "POST", "/api/setup", wire.Join{Token: secure.setUpToken(), Name: "Ann", Email: "ann@example.com", Password: goodPassword})
	if c := r.Cookies()[0]; c.Name != "__Host-screentest" || !c.Secure || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode {
		t.Errorf("behind https: %+v", c)
	}
	if !strings.HasPrefix(secure.setUp, "https://try.example.com/setup#") {
		t.Errorf("the link is %q", secure.setUp)
	}
}

// What changes something comes from the page's own origin, at the door too.
func TestAnotherSiteCantSignIn(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	for _, headers := range [][]string{{"Origin", "https://evil.example.com"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}} {
		for _, address := range []string{"POST /api/signin", "POST /api/signout", "POST /api/reset", "DELETE /api/sessions", "GET /api/me", "GET /api/sessions"} {
			method, path, _ := strings.Cut(address, " ")
			r := ann.ask(method, path, wire.SignIn{Email: "ann@example.com", Password: goodPassword}, headers...)
			if r.StatusCode != 403 || r.problem().Code != "cross_origin" || len(r.Cookies()) != 0 {
				t.Errorf("%s with %v: %d %s", address, headers, r.StatusCode, r.body)
			}
		}
	}
	// A form can't send JSON; as it would, it is refused for its type.
	if r := ann.ask("POST", "/api/signin", wire.SignIn{Email: "ann@example.com", Password: goodPassword}, "Content-Type", "text/plain"); r.StatusCode != 415 {
		t.Errorf("as plain text: %d", r.StatusCode)
	}
	if ann.me().Email != "ann@example.com" {
		t.Error("somebody else's request did something")
	}
}

func TestNobodyHasASocket(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	_, res, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(d.url, "http")+wire.Path, &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {d.url}}})
	if err == nil || res == nil || res.StatusCode != 401 {
		t.Errorf("%v, %+v", err, res)
	}
	if len(res.Cookies()) != 0 {
		t.Error("nobody got a cookie")
	}
}

func TestResetLink(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	bob := ann.join(wire.RoleMember, "bob@example.com")
	tab := bob.dial()
	var made struct{ Link string }
	r := ann.ask("POST", "/api/people/"+bob.me().ID+"/reset", map[string]string{})
	if err := json.Unmarshal([]byte(r.body), &made); err != nil || !strings.HasPrefix(made.Link, d.url+"/reset#") {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	_, token, _ := strings.Cut(made.Link, "#")
	v := d.visitor()
	if r := v.want(200, "POST", "/api/link", map[string]string{"token": token}); !strings.Contains(r.body, `"kind":"reset"`) || !strings.Contains(r.body, "bob@example.com") {
		t.Errorf("%s", r.body)
	}
	v.want(201, "POST", "/api/reset", wire.Join{Token: token, Password: "another four words"})
	if closed, err := tab.Ended(t.Context()); err != nil || closed.Code != wire.StatusSignedOut {
		t.Errorf("%v, %v", closed, err)
	}
	if v.me().Email != "bob@example.com" || v.sessions()[0].How != "link" {
		t.Errorf("%+v", v.sessions())
	}
	if r := v.ask("POST", "/api/reset", wire.Join{Token: token, Password: goodPassword}); r.StatusCode != 410 || r.problem().Code != wire.CodeLinkUsed {
		t.Errorf("again: %d %s", r.StatusCode, r.body)
	}
	if r := v.ask("POST", "/api/reset", wire.Join{Token: "NOSUCHTOKEN", Password: goodPassword}); r.StatusCode != 404 || r.problem().Code != wire.CodeLinkUnknown {
		t.Errorf("none: %d %s", r.StatusCode, r.body)
	}

	// Who made the link, and who used it.
	for action, whose := range map[string]string{"person.reset": ann.me().ID, "person.reset_used": v.me().ID} {
		var line string
		for until := time.Now().Add(10 * time.Second); line == "" && time.Now().Before(until); { // lines are written behind the change
			line = ann.ask("GET", "/api/audit?action="+action, nil).body
		}
		var row wire.AuditRow
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Person != whose {
			t.Errorf("%s: %v: %s", action, err, line)
		}
	}
}

// Guesses are held up, with the time to wait; who is signed in isn't.
func TestGuessesAreHeldUp(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	v := d.visitor()
	for i := range 40 {
		r := v.signIn("ann@example.com", fmt.Sprint("not the password ", i))
		if r.StatusCode == 429 {
			if i < 5 || r.problem().Code != wire.CodeTooMany || r.Header.Get("Retry-After") == "" || r.Header.Get("Retry-After") == "0" {
				t.Errorf("at attempt %d: %s %q", i, r.body, r.Header.Get("Retry-After"))
			}
			ann.me()
			return
		}
		if r.StatusCode != 401 || r.problem().Code != wire.CodeWrong {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
	}
	t.Error("forty guesses were looked at")
}

// Nothing by which somebody gets in is in a file, in the log, or in what a
// browser is told.
func TestWhatOpensTheDoorIsNowhere(t *testing.T) {
	const password = "canary-password-6h2f9"
	d := newPlayground(t, asTeam(serveConfig{}))
	setUp := d.setUpToken()
	ann := d.admin()
	var link struct{ Link string }
	_ = json.Unmarshal([]byte(ann.ask("POST", "/api/invites", wire.Invite{Role: wire.RoleMember}).body), &link)
	_, invite, _ := strings.Cut(link.Link, "#")
	bob := d.visitor()
	bob.want(201, "POST", "/api/join", wire.Join{Token: invite, Name: "Bob", Email: "bob@example.com", Password: password})
	_ = json.Unmarshal([]byte(ann.ask("POST", "/api/people/"+bob.me().ID+"/reset", map[string]string{}).body), &link)
	_, reset, _ := strings.Cut(link.Link, "#")
	if setUp == "" || invite == "" || reset == "" {
		t.Fatal("there are no links")
	}
	for _, in := range []wire.SignIn{{Email: "bob@example.com", Password: password}, {Email: "bob@example.com", Password: password + "-wrong"}, {Email: password, Password: "x"}} {
		d.visitor().ask("POST", "/api/signin", in)
	}
	bob.ask("POST", "/api/password", map[string]string{"old": password + "-wrong", "new": "short"})
	tab := bob.dial()
	if _, err := tab.Hello(t.Context()); err != nil {
		t.Fatal(err)
	}
	var told strings.Builder
	for _, path := range []string{"/api/me", "/api/sessions", "/api/ways", "/api/teams"} {
		told.WriteString(bob.want(200, "GET", path, nil).body)
	}
	for _, path := range []string{"/api/people", "/api/invites", "/api/audit", "/api/instance"} {
		told.WriteString(ann.want(200, "GET", path, nil).body)
	}
	told.Write(tab.Raw())
	cookie := bob.cookie(d.url).Value
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	for name, secret := range map[string]string{"the set-up's token": setUp, "the invitation's": invite, "the reset's": reset, "a password": password, "a cookie": cookie} {
		if strings.Contains(told.String(), secret) {
			t.Errorf("%s is told", name)
		}
		if strings.Contains(d.log.String(), secret) {
			t.Errorf("%s is in the log", name)
		}
		if found := storetest.FilesWith(t, d.config.data, secret); len(found) > 0 {
			t.Errorf("%s is in %q", name, found)
		}
	}
	// That the search finds what is there: names are not sealed.
	if found := storetest.FilesWith(t, d.config.data, "bob@example.com"); len(found) == 0 {
		t.Error("the search finds nothing")
	}
	if !strings.Contains(told.String(), "bob@example.com") {
		t.Error("nothing was told")
	}
}
