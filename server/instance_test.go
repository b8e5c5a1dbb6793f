package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"screentest/server/account"
	"screentest/server/people"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// someone is one of those who ask.
type someone struct {
	name string
	who  people.Person // when they came; without an account where they have none
	http *http.Client
	tab  *wiretest.Client // nil: not signed in
	has  things           // for the walk
}

// id is what others see of somebody.
func (p *someone) id() string { return p.who.Me.ID }

// instance is a team's server with somebody of each kind.
type instance struct {
	*playground
	red, blue string
	nobody    *someone // has no account, and no things
	guest, member, lead,
	admin *someone
	mate, stranger *someone // in the team of those above; and in none of theirs
}

func newInstance(t *testing.T, c serveConfig) *instance {
	t.Helper()
	c.reach.team = triState{given: true, value: true}
	w := &instance{playground: newPlayground(t, c)}
	ctx := t.Context()
	w.must(w.store.MakeLink(ctx, "setup", "", "test", account.Hash("setup"), time.Hour))
	owner, err := w.store.SetUp(ctx, account.Hash("setup"), "admin", "admin@example.com", "")
	w.must(err, w.people.Changed(ctx))
	for name, to := range map[string]*string{"Red": &w.red, "Blue": &w.blue} {
		*to, err = w.store.MakeTeam(ctx, wire.TeamChange{Name: &name})
		w.must(err)
	}
	w.nobody = &someone{name: "nobody", http: wiretest.NewHTTP()}
	w.admin = w.comes(owner, "admin", w.red)
	for name, to := range map[string]**someone{"guest": &w.guest, "member": &w.member, "lead": &w.lead, "mate": &w.mate, "stranger": &w.stranger} {
		team := w.red
		if name == "stranger" {
			team = w.blue
		}
		*to = w.comes(w.joins(name), name, team)
	}
	w.must(w.store.PutInTeam(ctx, w.red, w.lead.id(), true), w.people.Changed(ctx))
	return w
}

func ptr[T any](v T) *T { return &v }

func (w *instance) must(errs ...error) {
	w.t.Helper()
	if err := errors.Join(errs...); err != nil {
		w.t.Fatal(err)
	}
}

// joins makes an account of a member.
func (w *instance) joins(name string) (owner string) {
	w.t.Helper()
	ctx, token := w.t.Context(), uuid.NewString()
	_, err := w.store.MakeInvite(ctx, "1", token, wire.Invite{Role: wire.RoleMember, Uses: 1, ExpiresMS: time.Now().Add(time.Hour).UnixMilli()})
	w.must(err)
	owner, _, err = w.store.Join(ctx, account.Hash(token), name, name+"@example.com", "")
	w.must(err, w.people.Changed(ctx))
	return owner
}

// signsIn gives a browser a session of an owner's.
func (w *instance) signsIn(owner string) (*http.Client, people.Person) {
	w.t.Helper()
	answer := httptest.NewRecorder()
	who, err := w.people.SignInAs(answer, httptest.NewRequest("POST", w.url+"/api/signin", nil), owner, account.ByPassword)
	w.must(err)
	h := wiretest.NewHTTP()
	u, err := url.Parse(w.url)
	w.must(err)
	h.Jar.SetCookies(u, answer.Result().Cookies())
	return h, who
}

// comes puts an owner into a team, signs them in and opens a tab of theirs.
func (w *instance) comes(owner, name, team string) *someone {
	w.t.Helper()
	p := &someone{name: name}
	p.http, p.who = w.signsIn(owner)
	w.must(w.store.PutInTeam(w.t.Context(), team, p.id(), false), w.people.Changed(w.t.Context()))
	p.tab = dial(w.t, w.url, p.http)
	return p
}

// asking is somebody as the table of rights sees them now.
func (w *instance) asking(p *someone) people.Person {
	if p.who.Me == nil {
		return people.Person{}
	}
	a, err := w.people.Account(p.who.Owner)
	w.must(err)
	if !a.Active {
		return people.Person{}
	}
	return people.Person{Owner: p.who.Owner, Me: &a.Me}
}

// ask makes a request as a page of ours does.
func (w *instance) ask(h *http.Client, method, path, kind, body string) (*http.Response, []byte) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, w.url+path, strings.NewReader(body))
	w.must(err)
	req.Header.Set("Origin", w.url)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	h = &http.Client{Jar: h.Jar, Transport: h.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := h.Do(req)
	w.must(err)
	defer res.Body.Close()
	p, err := io.ReadAll(res.Body)
	w.must(err)
	return res, p
}

// does asks for something in JSON, which must come to status, and reads the
// answer into out, unless that is nil; of a refusal it gives the problem.
func (w *instance) does(p *someone, status int, address, body string, out any) (problem wire.Problem) {
	w.t.Helper()
	method, path, _ := strings.Cut(address, " ")
	kind := "application/json"
	if body == "" {
		kind = ""
	}
	res, got := w.ask(p.http, method, path, kind, body)
	if res.StatusCode != status {
		w.t.Fatalf("%s by %s: %s, want %d: %s", address, p.name, res.Status, status, got)
	}
	if status >= 400 {
		out = &problem
	}
	if out != nil {
		w.must(json.Unmarshal(got, out))
	}
	return problem
}
