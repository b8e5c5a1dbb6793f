package main

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

const proxyHeader = "X-Forwarded-Email"

// behindProxy is a team's server that believes the header of who comes from a
// network; the test's own is 127.0.0.0/8.
func behindProxy(t *testing.T, network string) *playground {
	t.Helper()
	return newPlayground(t, asTeam(serveConfig{signIn: signInConfig{
		password: true, groupsClaim: defaultGroupsClaim, trustHeader: proxyHeader, trustFrom: network, allowDomains: "example.com",
	}}))
}

// named is a browser that comes by a proxy, which names an address of mail.
func (d *playground) named(email string) *visitor {
	v := d.visitor()
	v.http.Transport = naming{v.http.Transport, &email}
	return v
}

type naming struct {
	next  http.RoundTripper
	email *string // "": the proxy names nobody
}

func (n naming) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if *n.email != "" {
		r.Header.Set(proxyHeader, *n.email)
	}
	next := n.next
	if next == nil {
		next = http.DefaultTransport
	}
	return next.RoundTrip(r)
}

func TestAProxySaysWhoIsAsking(t *testing.T) {
	d := behindProxy(t, "127.0.0.0/8")
	d.admin() // by a password, where the proxy names nobody
	email := "ann@example.com"
	v := d.visitor()
	v.http.Transport = naming{v.http.Transport, &email}
	if me := v.me(); me.Email != email || me.Role != wire.RoleAdmin {
		t.Fatalf("%+v", me)
	}
	if r := v.want(200, "GET", "/api/me", nil); len(r.Cookies()) > 0 {
		t.Errorf("a cookie: %v", r.Cookies())
	}
	s := v.sessions()
	if len(s) != 1 || s[0].How != "proxy" || !s[0].Current {
		t.Errorf("%+v", s)
	}

	email = " Zoe@Example.COM "
	zoe := v.me()
	if zoe.Email != "zoe@example.com" || zoe.Role != wire.RoleMember {
		t.Errorf("somebody new: %+v", zoe)
	}
	v.want(404, "GET", "/api/people", nil)
	for nobody, why := range map[string]string{"yan@other.example": wire.CodeDomainNotAllowed, "no address": wire.CodeEmailUnverified, "": ""} {
		email = nobody
		v.want(401, "GET", "/api/me", nil)
		var ways wire.Ways
		v.into("/api/ways", &ways)
		if (why == "") != (ways.Refused == nil) || why != "" && ways.Refused.Code != why {
			t.Errorf("%q: %+v", nobody, ways.Refused)
		}
	}
	email = "zoe@example.com, ann@example.com"
	v.want(400, "GET", "/api/me", nil)

	// Who is invited takes the address that the proxy names them by.
	email = "ann@example.com"
	var made wire.Invite
	if err := json.Unmarshal([]byte(v.ask("POST", "/api/invites", wire.Invite{Role: wire.RoleGuest}).body), &made); err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(made.Link, "#")
	email = "yan@other.example"
	join := wire.Join{Token: token, Name: "Yan", Email: "y@other.example", Password: goodPassword}
	if r := v.ask("POST", "/api/join", join); r.StatusCode != 400 || r.problem().Field != "email" {
		t.Errorf("by another address: %d %s", r.StatusCode, r.body)
	}
	join.Email = "Yan@other.example"
	v.want(201, "POST", "/api/join", join)
	if me := v.me(); me.Name != "Yan" || me.Role != wire.RoleGuest {
		t.Errorf("%+v", me)
	}
	if r := d.visitor().signIn("yan@other.example", goodPassword); r.StatusCode != 204 {
		t.Errorf("by the password that they joined with through the proxy: %d %s", r.StatusCode, r.body)
	}

	// The header counts, and not the cookie that comes with it.
	email = "ann@example.com"
	v.want(204, "POST", "/api/password", map[string]string{"new": goodPassword})
	both := d.visitor()
	if r := both.signIn("ann@example.com", goodPassword); r.StatusCode != 204 {
		t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	if r := both.want(200, "GET", "/api/me", nil, proxyHeader, "zoe@example.com"); !strings.Contains(r.body, zoe.ID) {
		t.Errorf("with Ann's cookie: %s", r.body)
	}
	if both.me().Email != "ann@example.com" {
		t.Error("and without the header it is Ann")
	}
}

// Who joined past the proxy by somebody else's address has no way in any more once
// the proxy has named whose it is; who has chosen a password since keeps it.
func TestTheProxyHasTheLastWordOnWhoseAnAccountIs(t *testing.T) {
	d := behindProxy(t, "127.0.0.0/8")
	ann := d.admin()
	mallory := ann.join(wire.RoleAdmin, "ceo@example.com")
	mallory.want(200, "GET", "/api/people", nil)
	var made wire.Invite
	if err := json.Unmarshal([]byte(mallory.want(200, "POST", "/api/invites", wire.Invite{Role: wire.RoleAdmin}).body), &made); err != nil {
		t.Fatal(err)
	}
	_, token, _ := strings.Cut(made.Link, "#")
	c := mallory.dial()
	if _, err := c.Hello(t.Context()); err != nil {
		t.Fatal(err)
	}

	ceo := d.named("ceo@example.com")
	var all sync.WaitGroup
	for range 10 {
		all.Go(func() {
			if r := ceo.ask("GET", "/api/me", nil); r.StatusCode != 200 {
				t.Errorf("%d %s", r.StatusCode, r.body)
			}
		})
	}
	all.Wait()
	wantEnded(t, c)
	mallory.want(401, "GET", "/api/me", nil)
	if r := d.visitor().signIn("ceo@example.com", goodPassword); r.problem().Code != wire.CodeWrong {
		t.Errorf("by the password that was typed: %d %s", r.StatusCode, r.body)
	}
	if r := d.visitor().ask("POST", "/api/link", map[string]string{"token": token}); r.StatusCode == 200 {
		t.Errorf("by an invitation to oneself: %s", r.body)
	}
	if s := ceo.sessions(); len(s) != 1 || s[0].How != account.ByProxy {
		t.Errorf("%+v", s)
	}
	if n := strings.Count(ann.audit(), `"proxy.linked"`); n != 1 {
		t.Errorf("the audit says %d times that the account was linked", n)
	}
	ceo.want(204, "POST", "/api/password", map[string]string{"new": "of the one who is it"})
	ceo.want(200, "GET", "/api/me", nil)
	if r := d.visitor().signIn("ceo@example.com", "of the one who is it"); r.StatusCode != 204 {
		t.Errorf("by a password chosen since: %d %s", r.StatusCode, r.body)
	}
	ann.want(200, "GET", "/api/people", nil)
}

// From elsewhere than the proxy the header says nothing.
func TestOnlyTheProxyIsBelieved(t *testing.T) {
	d := behindProxy(t, "10.0.0.0/8")
	ann := d.admin()
	d.named("ann@example.com").want(401, "GET", "/api/me", nil)
	if me := ann.want(200, "GET", "/api/me", nil, proxyHeader, "zoe@example.com"); !strings.Contains(me.body, "ann@example.com") {
		t.Errorf("%s", me.body)
	}
	r := d.visitor().want(401, "GET", "/api/me", nil, proxyHeader, "ann@example.com", "X-Forwarded-For", "10.1.2.3")
	if r.problem().Code != wire.CodeSignedOut {
		t.Errorf("%s", r.body)
	}
}

// Many requests at once of one page are one session; it ends with its account, and
// so do its sockets.
func TestASessionByProxy(t *testing.T) {
	d := behindProxy(t, "127.0.0.0/8")
	ann := d.admin()
	v := d.named("zoe@example.com")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { v.ask("GET", "/api/me", nil) })
	}
	all.Wait()
	if s := v.sessions(); len(s) != 1 {
		t.Errorf("%d sessions", len(s))
	}
	if n := len(d.people.All()); n != 2 {
		t.Errorf("%d accounts", n)
	}
	c := v.dial()
	if h, err := c.Hello(t.Context()); err != nil || h.Me == nil || h.Me.Email != "zoe@example.com" {
		t.Fatalf("%+v, %v", h.Me, err)
	}
	first := v.sessions()[0].ID
	v.want(204, "POST", "/api/signout", nil)
	wantEnded(t, c)
	if s := v.sessions(); len(s) != 1 || s[0].ID == first {
		t.Errorf("after signing out the proxy names them again: %+v", s)
	}

	c, off := v.dial(), false
	id := v.me().ID
	ann.want(200, "PATCH", "/api/people/"+id, wire.PersonChange{Active: &off})
	wantEnded(t, c)
	v.want(401, "GET", "/api/me", nil)
}

// wantEnded waits for a socket to be closed because its session has ended.
func wantEnded(t *testing.T, c *wiretest.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if closed, err := c.Ended(ctx); err != nil || closed.Code != wire.StatusSignedOut {
		t.Errorf("closed with %v, %v", closed, err)
	}
}
