package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"screentest/server/store/storetest"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// Two servers on one database, behind a proxy that sends each request, and each
// socket, to the other one than the last.

type pair struct {
	a, b  *playground
	front string // of the proxy
	next  atomic.Int64
}

func newPair(t *testing.T, change ...func(*serveConfig)) *pair {
	t.Helper()
	t.Setenv("SCREENTEST_SEAL_KEY", storetest.SealKey)
	p := &pair{}
	var bases [2]http.Handler
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		bases[p.next.Add(1)%2].ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	p.front = front.URL
	database, files := storetest.Database(t), t.TempDir()
	for i, d := range []**playground{&p.a, &p.b} {
		c := asTeam(serveConfig{files: files, cluster: clusterConfig{database: database, replica: replicaAddress(t)}, data: t.TempDir()})
		c.reach.publicURL = front.URL
		for _, f := range change {
			f(&c)
		}
		*d = newPlayground(t, c)
		to, err := url.Parse("http://" + (*d).addr)
		if err != nil {
			t.Fatal(err)
		}
		bases[i] = httputil.NewSingleHostReverseProxy(to)
	}
	return p
}

func (p *pair) visitor(t *testing.T) *visitor { return &visitor{t, p.front, wiretest.NewHTTP()} }

// want makes a request at each of them in turn that must be answered with a status.
func (p *pair) want(v *visitor, status int, method, path string, body any) {
	v.t.Helper()
	for range 4 {
		v.want(status, method, path, body)
	}
}

// dialAt opens a socket at one of them.
func (v *visitor) dialAt(d *playground) *wiretest.Client {
	v.t.Helper()
	return dial(v.t, "http://"+d.addr, v.http)
}

// What a person does at one replica holds at the other, for the very next request; what
// was shown at either follows.
func TestPeopleOfTwoReplicas(t *testing.T) {
	p := newPair(t)
	for _, d := range []*playground{p.a, p.b} { // both of the links that were printed lead there
		v := p.visitor(t)
		p.want(v, 200, "POST", "/api/link", map[string]string{"token": d.setUpToken()})
	}
	ann := p.visitor(t)
	ann.want(201, "POST", "/api/setup", wire.Join{Token: p.a.setUpToken(), Name: "Ann", Email: "ann@example.com", Password: goodPassword})
	p.want(ann, 200, "GET", "/api/me", nil)
	p.want(p.visitor(t), 410, "POST", "/api/setup", wire.Join{Token: p.b.setUpToken(), Name: "Eve", Email: "eve@example.com", Password: goodPassword})
	ann.cookie(p.front) // one, whichever port each listens on

	for i := range 5 { // in and out, each request elsewhere
		bob := ann.join(wire.RoleMember, fmt.Sprintf("bob%d@example.com", i))
		p.want(bob, 200, "GET", "/api/me", nil)
		if n := len(bob.sessions()); n != 1 {
			t.Errorf("%d sessions", n)
		}
		here, there := bob.dialAt(p.a), bob.dialAt(p.b)
		bob.want(204, "POST", "/api/signout", nil)
		for _, c := range []*wiretest.Client{here, there} {
			if end, err := c.Ended(t.Context()); err != nil || end.Code != wire.StatusSignedOut {
				t.Errorf("a socket ended with %+v, %v", end, err)
			}
		}
		p.want(bob, 401, "GET", "/api/me", nil)
	}

	cleo := ann.join(wire.RoleMember, "cleo@example.com")
	tab := cleo.dialAt(p.b)
	id := cleo.me().ID
	ann.want(200, "PATCH", "/api/people/"+id, map[string]any{"active": false})
	if end, err := tab.Ended(t.Context()); err != nil || end.Code != wire.StatusSignedOut {
		t.Errorf("the socket of who was deactivated ended with %+v, %v", end, err)
	}
	p.want(cleo, 401, "GET", "/api/me", nil)

	eve := p.visitor(t)
	for range 10 {
		if r := eve.signIn("ann@example.com", "guess at a password"); r.problem().Code != wire.CodeWrong {
			t.Errorf("a guess: %d %s", r.StatusCode, r.body)
		}
	}
	if r := eve.signIn("ann@example.com", "guess at a password"); r.problem().Code != wire.CodeTooMany {
		t.Errorf("one guess more: %d %s", r.StatusCode, r.body)
	}
}

// A key that is entered at one replica is its browser's at the other, whose tab goes on.
func TestABrowsersTabsFollowItsKey(t *testing.T) {
	gateway := outside(t, nil)
	p := newPair(t, func(c *serveConfig) { c.reach.team, c.gateway = triState{given: true}, gateway })
	v := p.visitor(t)
	here, there := v.dialAt(p.a), v.dialAt(p.b)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for i, key := range []string{canary, "sk-another-0123456789"} {
		setKey(t, here, key)
		for _, c := range []*wiretest.Client{here, there} {
			if _, err := c.Push(ctx, func(push wire.Push) bool {
				return push.Event == wire.EventHello && strings.Contains(string(push.Data), `"key_last4":"`+key[len(key)-4:]+`"`)
			}); err != nil {
				t.Fatalf("key %d: no greeting with it: %v", i, err)
			}
		}
	}
}

// A key that was entered while a replica heard nothing is its browser's there, too: its
// tabs connect again with what the browser knows by now.
func TestAKeyThatAReplicaDidNotHearOf(t *testing.T) {
	address := outside(t, nil)
	p := newPair(t, func(c *serveConfig) { c.reach.team, c.gateway = triState{given: true}, address })
	v := p.visitor(t)
	here, there := v.dialAt(p.a), v.dialAt(p.b)
	p.b.ear.Close()
	setKey(t, here, canary)
	if err := p.b.readAll(t.Context()); err != nil { // as when it hears again
		t.Fatal(err)
	}
	if end, err := there.Ended(t.Context()); err != nil || end.Code != websocket.StatusGoingAway {
		t.Errorf("a tab of before ended with %+v, %v", end, err)
	}
	s := turn(gateway.Chat, "Hello")
	again := v.dialAt(p.b)
	play(t, again, s)
	if r, _ := end(t, again, s); r.State != wire.Done {
		t.Errorf("%s, %v", r.State, r.Problem)
	}
}

// A gateway that is connected at one replica is at the other, whose tabs hear of it.
func TestAGatewayIsConnectedAtAllReplicas(t *testing.T) {
	p := newPair(t, func(c *serveConfig) { c.catalog = sampleFile(t) })
	ann := p.visitor(t)
	ann.want(201, "POST", "/api/setup", wire.Join{Token: p.b.setUpToken(), Name: "Ann", Email: "ann@example.com", Password: goodPassword})
	here, there := ann.dialAt(p.a), ann.dialAt(p.b)
	team := ann.me().Teams[0].ID
	address := outside(t, nil)
	if r := ann.want(200, "PUT", wire.GatewayPath, wire.GatewayAt{Address: address, Key: canary, Team: team}); !strings.Contains(r.body, `"connected":true`) {
		t.Fatal(r.body)
	}
	hears := func(c *wiretest.Client, base string, key bool) {
		t.Helper()
		if _, err := c.Push(t.Context(), func(push wire.Push) bool {
			return push.Event == wire.EventHello && strings.Contains(string(push.Data), base) && strings.Contains(string(push.Data), `"has_key":true`) == key
		}); err != nil {
			t.Fatalf("no tab hears of %s: %v", base, err)
		}
	}
	for _, c := range []*wiretest.Client{here, there} {
		hears(c, address, true)
	}
	for _, d := range []*playground{p.a, p.b} {
		eventually(t, func() bool { return d.gateways.Now().Name == address && d.gateways.Health().Met }, func() string { return "it is " + d.gatewayName() })
	}
	ann.want(200, "DELETE", wire.GatewayPath, nil)
	for _, d := range []*playground{p.a, p.b} {
		eventually(t, d.sandboxed, func() string { return "it is " + d.gatewayName() })
	}
}
