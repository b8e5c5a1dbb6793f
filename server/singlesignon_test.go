package main

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/oauth2-proxy/mockoidc"

	"screentest/server/store/storetest"
	"screentest/shared/wire"
)

// provider is one of single sign-on in this process, with what it gave out.
type provider struct {
	*mockoidc.MockOIDC
	mu     sync.Mutex
	tokens []string
}

func newProvider(t *testing.T) *provider {
	t.Helper()
	p := &provider{}
	var err error
	if p.MockOIDC, err = mockoidc.NewServer(nil); err != nil {
		t.Fatal(err)
	}
	p.ClientSecret = "client-canary-9c1f7be204"
	if err := p.AddMiddleware(p.note); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(l, nil); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Shutdown() })
	return p
}

// note keeps the tokens that were given out.
func (p *provider) note(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != mockoidc.TokenEndpoint {
			next.ServeHTTP(w, r)
			return
		}
		rec := httptest.NewRecorder()
		next.ServeHTTP(rec, r)
		var got struct {
			ID     string `json:"id_token"`
			Access string `json:"access_token"`
		}
		if json.Unmarshal(rec.Body.Bytes(), &got) == nil && got.ID != "" {
			p.mu.Lock()
			p.tokens = append(p.tokens, got.ID, got.Access)
			p.mu.Unlock()
		}
		w.Header().Set("Content-Type", rec.Header().Get("Content-Type"))
		w.WriteHeader(rec.Code)
		io.Copy(w, rec.Body)
	})
}

func (p *provider) config() signInConfig {
	return signInConfig{password: true, issuer: p.Issuer(), clientID: p.ClientID, clientSecret: p.ClientSecret, allowDomains: "example.com", groupsClaim: "groups"}
}

// comes has somebody come by single sign-on, and tells where they end.
func (v *visitor) comes(p *provider, query string, u mockoidc.MockUser) reply {
	v.t.Helper()
	u.EmailVerified = true
	p.QueueUser(&u)
	return v.ask("GET", "/api/oidc/start"+query, nil)
}

// at is the page that somebody ends at.
func (r reply) at() string {
	u := *r.Request.URL
	u.Scheme, u.Host = "", ""
	return u.String()
}

func (v *visitor) instance(change func(*wire.Instance)) {
	v.t.Helper()
	var all wire.Instance
	v.into("/api/instance", &all)
	change(&all)
	v.want(200, "PUT", "/api/instance", all)
}

func (v *visitor) audit() string {
	v.t.Helper()
	return v.want(200, "GET", "/api/audit?limit=100", nil).body
}

func TestSingleSignOn(t *testing.T) {
	p := newProvider(t)
	d := newPlayground(t, asTeam(serveConfig{signIn: p.config()}))
	jane := mockoidc.MockUser{Subject: "jane", Email: "jane@example.com", PreferredUsername: "Jane"}

	if r := d.visitor().comes(p, "", jane); r.at() != "/signin#error="+wire.CodeNotSetUp {
		t.Errorf("before anybody set it up: %s", r.at())
	}
	ann := d.admin()
	var team wire.Team
	if err := json.Unmarshal([]byte(ann.want(200, "POST", "/api/teams", map[string]any{"name": "Film"}).body), &team); err != nil {
		t.Fatal(err)
	}
	ann.instance(func(i *wire.Instance) {
		i.Groups = []wire.Group{{Group: "ops", Role: wire.RoleAdmin}, {Group: "film", Teams: []string{team.ID}, Lead: true}}
	})
	if w := d.waysIn(); w.OIDC == "" {
		t.Errorf("%+v", w)
	}

	v := d.visitor()
	jane.Groups = []string{"ops", "film"}
	if r := v.comes(p, "?to=/c/018f3f70-0000-7000-8000-000000000000", jane); r.at() != "/c/018f3f70-0000-7000-8000-000000000000" || r.StatusCode != 200 {
		t.Fatalf("ends at %s, %d", r.at(), r.StatusCode)
	}
	me := v.me()
	if me.Name != "Jane" || me.Role != wire.RoleAdmin || len(me.Teams) != 2 || !slices.ContainsFunc(me.Teams, func(m wire.MyTeam) bool { return m.ID == team.ID && m.Lead }) {
		t.Errorf("%+v", me)
	}
	if s := v.sessions(); len(s) != 1 || s[0].How != "oidc" {
		t.Errorf("%+v", s)
	}
	socket := v.dial()
	if _, err := socket.Hello(t.Context()); err != nil {
		t.Fatal(err)
	}

	// The group is taken away: so are the role and the team, also of a session
	// that is signed in elsewhere.
	jane.Groups = nil
	other := d.visitor()
	if r := other.comes(p, "?to=//evil.example/", jane); r.at() != "/" || r.Request.URL.Host != strings.TrimPrefix(d.url, "http://") {
		t.Errorf("ends at %s", r.Request.URL)
	}
	if me := v.me(); me.Role != wire.RoleMember || len(me.Teams) != 1 {
		t.Errorf("in the first browser: %+v", me)
	}
	v.want(404, "GET", "/api/people", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for role := ""; role != wire.RoleMember; {
		hello, err := socket.Hello(ctx)
		if err != nil || hello.Me == nil {
			t.Fatalf("its tab was not greeted anew: %v", err)
		}
		role = hello.Me.Role
	}

	var all wire.Instance
	ann.into("/api/instance", &all)
	if len(all.Claims) != 1 || all.Claims[0].Person != "Jane" || !strings.Contains(string(all.Claims[0].Claims), "jane@example.com") {
		t.Errorf("claims %+v", all.Claims)
	}
	lines := ann.audit()
	for _, want := range []string{`"person.made"`, `"oidc.mapped"`, `"role_was":"admin"`, team.ID, `"how":"oidc"`, wire.CodeNotSetUp} {
		if !strings.Contains(lines, want) {
			t.Errorf("the audit doesn't say %s:\n%s", want, lines)
		}
	}

	off := false
	ann.want(200, "PATCH", "/api/people/"+me.ID, wire.PersonChange{Active: &off})
	if r := d.visitor().comes(p, "", jane); r.at() != "/signin#error="+wire.CodeDeactivated {
		t.Errorf("who was deactivated ends at %s", r.at())
	}
	v.want(401, "GET", "/api/me", nil)
	for email, code := range map[string]string{"zoe@other.example": wire.CodeDomainNotAllowed, "": wire.CodeEmailUnverified} {
		stranger := d.visitor()
		if r := stranger.comes(p, "", mockoidc.MockUser{Subject: "s" + email, Email: email}); r.at() != "/signin#error="+code {
			t.Errorf("%q ends at %s", email, r.at())
		}
		stranger.want(401, "GET", "/api/me", nil)
	}
	p.holdsNoSecret(t, d, ann)
}

// holdsNoSecret looks for what the provider gave out in the data folder, the log
// and what an admin can read.
func (p *provider) holdsNoSecret(t *testing.T, d *playground, ann *visitor) {
	t.Helper()
	if len(p.tokens) < 4 {
		t.Errorf("only %d tokens were given out", len(p.tokens))
	}
	seen := ann.audit() + ann.want(200, "GET", "/api/instance", nil).body + ann.want(200, "GET", "/api/people", nil).body + d.log.String()
	secrets := []string{p.ClientSecret}
	for _, token := range p.tokens {
		secrets = append(secrets, token[len(token)-40:]) // of its signature
	}
	for _, secret := range secrets {
		if found := storetest.FilesWith(t, d.config.data, secret); found != nil {
			t.Errorf("%q is in %v", secret, found)
		}
		if strings.Contains(seen, secret) {
			t.Errorf("%q is said", secret)
		}
	}
	if !strings.Contains(seen, "jane@example.com") {
		t.Error("the search finds nothing")
	}
	if audit := ann.audit(); strings.Contains(audit, "@example.com") {
		t.Errorf("an address is in the audit:\n%s", audit)
	}
}

// Whoever prepared an account for somebody else's address has no way into it once
// they came; who was signed in keeps theirs.
func TestSingleSignOnTakesAnAccountOver(t *testing.T) {
	p := newProvider(t)
	d := newPlayground(t, asTeam(serveConfig{signIn: p.config()}))
	ann := d.admin()
	prepared := ann.join(wire.RoleMember, "bob@example.com")
	owner := prepared.me().ID

	bob := d.visitor()
	if r := bob.comes(p, "", mockoidc.MockUser{Subject: "bob", Email: "bob@example.com"}); r.at() != "/" || bob.me().ID != owner {
		t.Fatalf("ends at %s", r.at())
	}
	prepared.want(401, "GET", "/api/me", nil)
	if r := d.visitor().signIn("bob@example.com", goodPassword); r.StatusCode != 401 || r.problem().Code != wire.CodeWrong {
		t.Errorf("by the password of before: %d %s", r.StatusCode, r.body)
	}
	if r := d.visitor().comes(p, "", mockoidc.MockUser{Subject: "another", Email: "bob@example.com"}); r.at() != "/signin#error="+wire.CodeAccountTaken {
		t.Errorf("another subject of the same address ends at %s", r.at())
	}

	if r := ann.comes(p, "?to=/settings", mockoidc.MockUser{Subject: "ann", Email: "ann@example.com"}); r.at() != "/settings" {
		t.Fatalf("ends at %s", r.at())
	}
	if me := ann.me(); me.Role != wire.RoleAdmin || me.Email != "ann@example.com" {
		t.Errorf("%+v", me)
	}
	if r := d.visitor().signIn("ann@example.com", goodPassword); r.StatusCode != 204 {
		t.Errorf("who was signed in lost their password: %d %s", r.StatusCode, r.body)
	}
}

// What a browser gets at each step, and whose pages may lead where.
func TestSingleSignOnInABrowser(t *testing.T) {
	p := newProvider(t)
	d := newPlayground(t, asTeam(serveConfig{signIn: p.config()}))
	d.admin()
	v := d.visitor()
	v.http.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if r := v.ask("GET", "/api/oidc/start", nil, "Sec-Fetch-Site", "cross-site"); r.StatusCode != 403 {
		t.Errorf("another site begins a sign-in: %d", r.StatusCode)
	}
	p.QueueUser(&mockoidc.MockUser{Subject: "jane", Email: "jane@example.com", EmailVerified: true})
	r := v.want(303, "GET", "/api/oidc/start", nil)
	if c := r.Cookies(); len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteLaxMode || r.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("%v", r.Header)
	}
	res, err := v.http.Get(r.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	callback := strings.TrimPrefix(res.Header.Get("Location"), d.url)
	stranger := d.visitor()
	stranger.http.CheckRedirect = v.http.CheckRedirect
	if r := stranger.want(303, "GET", callback, nil); r.Header.Get("Location") != "/signin#error="+wire.CodeOIDCExpired {
		t.Errorf("in another browser: %s", r.Header.Get("Location"))
	}
	r = v.want(303, "GET", callback, nil, "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate")
	if r.Header.Get("Location") != "/" {
		t.Errorf("leads to %s", r.Header.Get("Location"))
	}
	signedIn := false
	for _, c := range r.Cookies() {
		signedIn = signedIn || c.MaxAge > 0 && c.HttpOnly && c.SameSite == http.SameSiteStrictMode
	}
	if !signedIn {
		t.Errorf("%v", r.Header["Set-Cookie"])
	}
	if r := v.want(303, "GET", callback, nil); r.Header.Get("Location") != "/signin#error="+wire.CodeOIDCExpired {
		t.Errorf("again: %s", r.Header.Get("Location"))
	}
	before := strings.Count(d.log.String(), "single sign-on let nobody in")
	for range 60 {
		stranger.ask("GET", "/api/oidc/callback", nil)
	}
	if n := strings.Count(d.log.String(), "single sign-on let nobody in") - before; n > 40 {
		t.Errorf("60 requests from outside made %d lines of the log", n)
	}

	// Nobody has the provider asked as often as they like: it may refuse all of us
	// then. A guess at a password isn't stopped by that, nor the other way round.
	stopped := 0
	for range 100 {
		if r := stranger.want(303, "GET", "/api/oidc/callback", nil); r.Header.Get("Location") == "/signin#error="+wire.CodeTooMany {
			stopped++
		}
	}
	if stopped < 50 {
		t.Errorf("%d of 100 more were stopped", stopped)
	}
}

// A server starts while the provider is away, and is left to sign in otherwise.
func TestTheProviderIsAwayAtStart(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	issuer := "http://" + l.Addr().String()
	l.Close()
	d := newPlayground(t, asTeam(serveConfig{signIn: signInConfig{password: true, issuer: issuer, clientID: "c", groupsClaim: "groups"}}))
	ann := d.admin()
	if r := d.visitor().ask("GET", "/api/oidc/start", nil); r.at() != "/signin#error="+wire.CodeOIDCUnreachable {
		t.Errorf("ends at %s", r.at())
	}
	if ann.me().Name != "Ann" {
		t.Error("Ann is not signed in")
	}
}

// Without passwords single sign-on and passkeys are left.
func TestOnlySingleSignOn(t *testing.T) {
	p := newProvider(t)
	c := p.config()
	c.password = false
	d := newPlayground(t, asTeam(serveConfig{signIn: c}))
	ann := d.visitor()
	ann.want(201, "POST", "/api/setup", wire.Join{Token: d.setUpToken(), Name: "Ann", Email: "ann@example.com", Passkey: true})
	if r := d.visitor().signIn("ann@example.com", goodPassword); r.StatusCode != 403 || r.problem().Code != wire.CodeNotAllowed {
		t.Errorf("by a password: %d %s", r.StatusCode, r.body)
	}
	if w := d.waysIn(); w.Password || !w.Passkey || w.OIDC == "" {
		t.Errorf("%+v", w)
	}
	v := d.visitor()
	if r := v.comes(p, "", mockoidc.MockUser{Subject: "ann", Email: "ann@example.com"}); r.at() != "/" || v.me().Role != wire.RoleAdmin {
		t.Errorf("ends at %s", r.at())
	}
}
