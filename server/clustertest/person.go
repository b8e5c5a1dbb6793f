package clustertest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

const password = "four words go together"

// A Person is somebody with an account, and their browser.
type Person struct {
	HTTP *http.Client
	ID   string

	t    testing.TB
	base string
}

// A Reply is an answer over HTTP.
type Reply struct {
	Status  int
	Body    string
	Replica string // the address of who answered
}

// ask makes a request as the page does; body is sent as JSON.
func (p *Person) ask(ctx context.Context, method, path string, body any) (r Reply, err error) {
	raw, err := json.Marshal(body)
	if err != nil {
		return r, err
	}
	return p.send(ctx, method, path, "application/json", raw)
}

func (p *Person) send(ctx context.Context, method, path, kind string, body []byte) (r Reply, err error) {
	req, err := http.NewRequestWithContext(ctx, method, p.base+path, bytes.NewReader(body))
	if err != nil {
		return r, err
	}
	req.Header.Set("Content-Type", kind)
	res, err := p.HTTP.Do(req)
	if err != nil {
		return r, err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	return Reply{res.StatusCode, string(text), res.Header.Get("X-Replica")}, err
}

// Ask makes a request as the page does; body is sent as JSON.
func (p *Person) Ask(method, path string, body any) Reply {
	p.t.Helper()
	r, err := p.ask(p.t.Context(), method, path, body)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	return r
}

// Want is Ask for what must be answered with a status.
func (p *Person) Want(status int, method, path string, body, out any) {
	p.t.Helper()
	r := p.Ask(method, path, body)
	if r.Status != status {
		p.t.Fatalf("%s %s: %d %s, want %d; by %s", method, path, r.Status, r.Body, status, r.Replica)
	}
	if out == nil {
		return
	}
	if err := json.Unmarshal([]byte(r.Body), out); err != nil {
		p.t.Fatalf("%s %s: %v: %s", method, path, err, r.Body)
	}
}

// SetUp makes the first account, by the link that a replica has printed, and gives the
// team that everybody is in the gateway's key.
func (c *Cluster) SetUp() *Person {
	c.t.Helper()
	// The link comes after the line that says that the replica is ready.
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		for _, r := range c.Replicas {
			_, token, ok := strings.Cut(r.SetUpLink(), "/setup#")
			if !ok {
				continue
			}
			p := c.browser()
			p.Want(201, "POST", "/api/setup", wire.Join{Token: token, Name: "Ann", Email: "ann@example.com", Password: password}, nil)
			p.known()
			p.Want(204, "POST", "/api/teams/"+p.everyone()+"/key", map[string]string{"key": Key}, nil)
			return p
		}
	}
	c.t.Fatal("no replica has printed a link to the first account")
	panic("unreachable")
}

// browser is one that is new here.
func (c *Cluster) browser() *Person {
	return &Person{HTTP: wiretest.NewHTTP(), t: c.t, base: c.URL}
}

func (p *Person) known() {
	p.t.Helper()
	var me wire.Me
	p.Want(200, "GET", "/api/me", nil, &me)
	p.ID = me.ID
}

// everyone is the id of the team that everybody is in.
func (p *Person) everyone() string {
	p.t.Helper()
	var teams []wire.Team
	p.Want(200, "GET", "/api/teams", nil, &teams)
	for _, t := range teams {
		if t.Everyone {
			return t.ID
		}
	}
	p.t.Fatal("there is no team of everyone")
	panic("unreachable")
}

// Invites is somebody whom p has invited, signed in.
func (p *Person) Invites(name string) *Person {
	p.t.Helper()
	var made wire.Invite
	r := p.Ask("POST", "/api/invites", wire.Invite{Role: wire.RoleMember})
	if err := json.Unmarshal([]byte(r.Body), &made); err != nil || made.Link == "" {
		p.t.Fatalf("%d %s", r.Status, r.Body)
	}
	_, token, _ := strings.Cut(made.Link, "#")
	other := &Person{HTTP: wiretest.NewHTTP(), t: p.t, base: p.base}
	other.Want(201, "POST", "/api/join", wire.Join{Token: token, Name: name, Email: name + "@example.com", Password: password}, nil)
	other.known()
	return other
}

// Elsewhere is the same person in another browser.
func (p *Person) Elsewhere(email string) *Person {
	p.t.Helper()
	other := &Person{HTTP: wiretest.NewHTTP(), t: p.t, base: p.base, ID: p.ID}
	other.Want(204, "POST", "/api/signin", wire.SignIn{Email: email, Password: password}, nil)
	return other
}

// At is the same person, in the same browser, past nginx at one replica.
func (p *Person) At(r *Replica) *Person {
	there := *p
	there.base = r.URL
	return &there
}

// Dial opens a socket, again and again until one opens.
func (p *Person) Dial(ctx context.Context) (*wiretest.Client, error) {
	for {
		one, cancel := context.WithTimeout(ctx, 5*time.Second)
		c, err := wiretest.Dial(one, p.base, p.HTTP)
		cancel()
		if err == nil {
			return c, nil
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("no socket opens: %w", err)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// Tab is a socket that lasts as long as the test, if nothing ends it.
func (p *Person) Tab() *wiretest.Client {
	p.t.Helper()
	c, err := p.Dial(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(c.Close)
	return c
}

// Call makes a call on a socket of its own, and again on another one where that ended
// before the answer: as a browser does, so it must be one that may be repeated.
func (p *Person) Call(ctx context.Context, op wire.Op, args, out any) error {
	for {
		c, err := p.Dial(ctx)
		if err != nil {
			return err
		}
		err = c.Call(ctx, op, args, out)
		c.Close()
		if err == nil || isProblem(err) || ctx.Err() != nil {
			return err
		}
	}
}
