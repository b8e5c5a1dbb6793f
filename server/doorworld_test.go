package main

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// What a team's server answers at its door, through the real server and its store.

const goodPassword = "four words go together"

// asTeam is the configuration of a team's server on this machine.
func asTeam(c serveConfig) serveConfig {
	c.reach.team = triState{given: true, value: true}
	return c
}

// visitor is a browser.
type visitor struct {
	t    *testing.T
	base string
	http *http.Client
}

func (d *playground) visitor() *visitor {
	return &visitor{d.t, d.url, wiretest.NewHTTP()}
}

type reply struct {
	*http.Response
	body string
}

// problem is what an answer says is wrong.
func (r reply) problem() (p wire.Problem) {
	_ = json.Unmarshal([]byte(r.body), &p) // other answers have no code
	return p
}

// ask makes a request as the page does; headers are names and values in turn.
func (v *visitor) ask(method, path string, body any, headers ...string) reply {
	v.t.Helper()
	var text string
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			v.t.Fatal(err)
		}
		text = string(raw)
	}
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.base+path, strings.NewReader(text))
	if err != nil {
		v.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := v.http.Do(req)
	if err != nil {
		v.t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return reply{res, string(raw)}
}

// want makes a request that must be answered with a status.
func (v *visitor) want(status int, method, path string, body any, headers ...string) reply {
	v.t.Helper()
	r := v.ask(method, path, body, headers...)
	if r.StatusCode != status {
		v.t.Fatalf("%s %s: %d %s, want %d", method, path, r.StatusCode, r.body, status)
	}
	return r
}

// into decodes the answer to a GET.
func (v *visitor) into(path string, out any) {
	v.t.Helper()
	if err := json.Unmarshal([]byte(v.want(200, "GET", path, nil).body), out); err != nil {
		v.t.Fatal(err)
	}
}

func (v *visitor) me() (m wire.Me) {
	v.t.Helper()
	v.into("/api/me", &m)
	return m
}

func (v *visitor) signIn(email, password string) reply {
	v.t.Helper()
	return v.ask("POST", "/api/signin", wire.SignIn{Email: email, Password: password})
}

// sessions are one's own, the current one first.
func (v *visitor) sessions() (all []wire.Session) {
	v.t.Helper()
	v.into("/api/sessions", &all)
	for i, s := range all {
		if s.Current {
			all[0], all[i] = all[i], all[0]
		}
	}
	return all
}

func (v *visitor) dial() *wiretest.Client { return dial(v.t, v.base, v.http) }

// cookie is what the browser holds.
func (v *visitor) cookie(base string) *http.Cookie {
	v.t.Helper()
	req, err := http.NewRequest("GET", base, nil)
	if err != nil {
		v.t.Fatal(err)
	}
	all := v.http.Jar.Cookies(req.URL)
	if len(all) != 1 {
		v.t.Fatalf("%d cookies", len(all))
	}
	return all[0]
}

// setUpToken is that of the link which the server printed.
func (d *playground) setUpToken() string {
	d.t.Helper()
	_, token, ok := strings.Cut(d.setUp, "/setup#")
	if !ok {
		d.t.Fatalf("the link to the first account is %q", d.setUp)
	}
	return token
}

// admin is the first one, signed in: ann@example.com.
func (d *playground) admin() *visitor {
	d.t.Helper()
	v := d.visitor()
	v.want(201, "POST", "/api/setup", wire.Join{Token: d.setUpToken(), Name: "Ann", Email: "ann@example.com", Password: goodPassword})
	return v
}

// join is somebody whom an admin has invited, signed in.
func (v *visitor) join(role, email string) *visitor {
	v.t.Helper()
	var made wire.Invite
	r := v.ask("POST", "/api/invites", wire.Invite{Role: role})
	if err := json.Unmarshal([]byte(r.body), &made); err != nil || made.Link == "" {
		v.t.Fatalf("%d %s", r.StatusCode, r.body)
	}
	_, token, _ := strings.Cut(made.Link, "#")
	name, _, _ := strings.Cut(email, "@")
	other := &visitor{v.t, v.base, wiretest.NewHTTP()}
	other.want(201, "POST", "/api/join", wire.Join{Token: token, Name: name, Email: email, Password: goodPassword})
	return other
}
