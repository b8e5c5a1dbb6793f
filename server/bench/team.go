package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"golang.org/x/sync/errgroup"

	"screentest/server/e2e/rig"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// team is a team's server with its people. The first of them is its admin.
type team struct {
	server *rig.Program
	data   string
	people []*person
}

// setUpLink is what a server prints that nobody has set up yet.
var setUpLink = regexp.MustCompile(`Set up at \S+/setup#(\S+)\n`)

// openTeam starts the server of a team that a gateway is given to, and has its
// people join it.
func openTeam(ctx context.Context, bin, dir, upstream string, people int) (*team, error) {
	models := filepath.Join(dir, "catalogue.json")
	if err := os.WriteFile(models, gateway.SampleCatalogue().JSON(), 0o600); err != nil {
		return nil, err
	}
	t := &team{data: filepath.Join(dir, "data")}
	var err error
	if t.server, err = rig.Start(ctx, bin, nil, "serve", "-team", "-addr", "127.0.0.1:0", "-data", t.data,
		"-gateway", upstream, "-catalog", models, "-fetch-private"); err != nil {
		return nil, err
	}
	if err := t.join(ctx, people); err != nil {
		t.close()
		return nil, fmt.Errorf("%w\n%s", err, t.server.Log())
	}
	return t, nil
}

func (t *team) close() {
	for _, p := range t.people {
		if p.tab != nil {
			p.tab.Close()
		}
	}
	_ = t.server.Stop()
}

// join makes the accounts: the admin's, who gives everybody's team a key and
// invites the others.
func (t *team) join(ctx context.Context, people int) error {
	for n := range people {
		t.people = append(t.people, newPerson(n, t.server.URL))
	}
	var token []string
	for deadline := time.Now().Add(10 * time.Second); token == nil; time.Sleep(10 * time.Millisecond) {
		if token = setUpLink.FindStringSubmatch(t.server.Log()); token == nil && time.Now().After(deadline) {
			return fmt.Errorf("the server printed no set-up link")
		}
	}
	admin := t.people[0]
	if err := admin.ask(ctx, "POST", "/api/setup", admin.account(token[1]), nil); err != nil {
		return err
	}
	var me wire.Me
	if err := admin.ask(ctx, "GET", "/api/me", nil, &me); err != nil {
		return err
	}
	everybody := me.Teams[0].ID
	if err := admin.ask(ctx, "POST", "/api/teams/"+everybody+"/key", map[string]string{"key": key}, nil); err != nil {
		return err
	}
	var invited wire.Invite
	if err := admin.ask(ctx, "POST", "/api/invites", wire.Invite{Uses: people}, &invited); err != nil {
		return err
	}
	link := regexp.MustCompile(`#(.+)$`).FindStringSubmatch(invited.Link)
	if link == nil {
		return fmt.Errorf("an invitation without a token")
	}
	var group errgroup.Group
	group.SetLimit(2) // a password takes its time
	for _, p := range t.people {
		group.Go(func() error {
			p.team = everybody
			if p != admin {
				if err := p.ask(ctx, "POST", "/api/join", p.account(link[1]), nil); err != nil {
					return err
				}
			}
			return p.reopen(ctx)
		})
	}
	return group.Wait()
}

// account is what somebody fills in who comes by a link.
func (p *person) account(token string) wire.Join {
	return wire.Join{Token: token, Name: p.name, Email: p.name + "@example.com", Password: "long and odd, of " + p.name}
}

// ask makes a request as the page does. An answer that isn't a success is an error.
func (p *person) ask(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		raw, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, body)
	if err != nil {
		return err
	}
	req.Header.Set("Origin", p.base)
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := p.browser.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode >= 300 {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 1<<10))
		return fmt.Errorf("%s %s: %s: %s", method, path, res.Status, text)
	}
	if out == nil {
		_, err = io.Copy(io.Discard, res.Body)
		return err
	}
	return json.NewDecoder(res.Body).Decode(out)
}

// reopen closes the tab and opens another, as a person does now and then.
func (p *person) reopen(ctx context.Context) (err error) {
	if p.tab != nil {
		p.tab.Close()
	}
	if p.tab, err = wiretest.Dial(ctx, p.base, p.browser); err != nil {
		return err
	}
	_, err = p.tab.Hello(ctx)
	return err
}
