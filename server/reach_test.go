package main

import (
	"errors"
	"net/http"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"screentest/server/people"
	"screentest/server/wiretest"
)

var yes, no = triState{given: true, value: true}, triState{given: true}

// Who reaches a server says whether people have accounts, and that it is
// encrypted.
func TestReach(t *testing.T) {
	const here, everywhere, lan = "127.0.0.1:8080", ":8080", "192.0.2.7:8080"
	const https, http = "https://play.example.com", "http://play.example.com"
	for _, tt := range []struct {
		name, addr string
		c          reachConfig
		mode       mode
		secure     bool
		refused    string
	}{
		{name: "one's own machine", addr: here, mode: alone},
		{name: "one's own machine, by name", addr: "localhost:0", mode: alone},
		{name: "one's own machine, said aloud", addr: here, c: reachConfig{team: no}, mode: alone},
		{name: "one's own machine, encrypted", addr: here, c: reachConfig{tlsCert: "c", tlsKey: "k"}, mode: alone, secure: true},
		{name: "a team tried on one's own machine", addr: "[::1]:8080", c: reachConfig{team: yes}, mode: team},
		{name: "a proxy in front", addr: here, c: reachConfig{publicURL: https}, mode: team, secure: true},
		{name: "a proxy in front that doesn't encrypt", addr: here, c: reachConfig{publicURL: http}, mode: team},
		{name: "a proxy in front that asks", addr: here, c: reachConfig{publicURL: https, team: no}, mode: behindGate, secure: true},
		{name: "a proxy on another machine", addr: everywhere, c: reachConfig{publicURL: https}, mode: team, secure: true},
		{name: "certificates of files", addr: everywhere, c: reachConfig{tlsCert: "c", tlsKey: "k"}, mode: team, secure: true},
		{name: "certificates by ACME", addr: ":443", c: reachConfig{acme: true, publicURL: https}, mode: team, secure: true},
		{name: "a closed network", addr: lan, c: reachConfig{plainHTTP: true}, mode: team},
		{name: "a closed network, by name", addr: everywhere, c: reachConfig{plainHTTP: true, publicURL: http}, mode: team},
		{name: "others by plain http", addr: lan, refused: "by plain http"},
		{name: "a team by plain http", addr: everywhere, c: reachConfig{team: yes}, refused: "by plain http"},
		{name: "a name by plain http", addr: everywhere, c: reachConfig{publicURL: http}, refused: "by plain http"},
		{name: "others without accounts", addr: lan, c: reachConfig{team: no, publicURL: https}, refused: "-team=false"},
		{name: "others without accounts, on a closed network", addr: lan, c: reachConfig{team: no, plainHTTP: true}, refused: "-team=false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := tt.c.checked(tt.addr)
			if tt.refused != "" {
				if m := (mistake{}); !errors.As(err, &m) || !strings.Contains(err.Error(), tt.refused) {
					t.Errorf("it says %v", err)
				}
				return
			}
			if err != nil || r.mode != tt.mode || r.secure() != tt.secure {
				t.Errorf("mode %d, secure %v, %v", r.mode, r.secure(), err)
			}
		})
	}
}

func TestTriState(t *testing.T) {
	for text, want := range map[string]triState{"true": yes, "1": yes, "T": yes, "false": no, "0": no, "f": no} {
		var got triState
		if err := got.Set(text); err != nil || got != want {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
	if (&triState{}).String() != "" || (&triState{}).Set("") == nil || (&triState{}).Set("maybe") == nil {
		t.Error("what is not given is neither")
	}
}

// What the flags of signing in come to.
func TestSignIn(t *testing.T) {
	c := signInConfig{
		password: true, issuer: "https://login.example.com/realms/staff/", clientID: "screentest", clientSecret: "s3cret",
		allowDomains: "Example.com, example.org", groupsClaim: "roles",
		trustHeader: "x-forwarded-email", trustFrom: "10.0.0.0/8, 192.0.2.7,2001:db8::/32, ::ffff:192.0.2.9",
	}
	got, err := c.checked(team)
	want := people.Ways{
		Password: true,
		SingleSignOn: &people.SingleSignOn{Issuer: "https://login.example.com/realms/staff/", ClientID: "screentest", ClientSecret: "s3cret",
			AllowDomains: []string{"example.com", "example.org"}, GroupsClaim: "roles"},
		Trusted: &people.TrustedHeader{Name: "X-Forwarded-Email", From: []netip.Prefix{
			netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.7/32"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("192.0.2.9/32"),
		}, AllowDomains: []string{"example.com", "example.org"}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, %+v, %+v, %v", got, got.SingleSignOn, got.Trusted, err)
	}
	for addr, trusted := range map[string]bool{"10.1.2.3": true, "::ffff:10.1.2.3": true, "2001:db8::7": true, "192.0.2.8": false, "::1": false} {
		if got.Trusted.Trusts(netip.MustParseAddr(addr)) != trusted {
			t.Errorf("%s is trusted: %v", addr, !trusted)
		}
	}
	proxyAlone := signInConfig{groupsClaim: defaultGroupsClaim, trustHeader: "X-Email", trustFrom: "10.0.0.1", allowDomains: "example.com"}
	if w, err := proxyAlone.checked(team); err != nil || w.SingleSignOn != nil || len(w.Trusted.AllowDomains) != 1 {
		t.Errorf("a trusted proxy alone: %+v, %v", w, err)
	}
	if none, err := (signInConfig{groupsClaim: defaultGroupsClaim}).checked(team); err != nil || none.Password || none.SingleSignOn != nil || none.Trusted.Trusts(netip.MustParseAddr("127.0.0.1")) {
		t.Errorf("passkeys alone: %+v, %v", none, err)
	}
}

// Where a server listens on all networks it is known by any of its addresses,
// which no page can point elsewhere, and by no name that nobody gave it.
func TestANumberIsNoNameThatSomebodyPointedHere(t *testing.T) {
	for _, tt := range []struct {
		name   string
		c      serveConfig
		host   string
		status int
	}{
		{"on all networks, by an address", serveConfig{addr: "0.0.0.0:0", reach: reachConfig{plainHTTP: true}}, "192.0.2.7:8080", http.StatusOK},
		{"on all networks, by a name", serveConfig{addr: "0.0.0.0:0", reach: reachConfig{plainHTTP: true}}, "evil.example", http.StatusMisdirectedRequest},
		{"on all networks, by its name", serveConfig{addr: "0.0.0.0:0", reach: reachConfig{plainHTTP: true, publicURL: "http://play.example.com"}}, "play.example.com", http.StatusOK},
		{"on this machine, by another address", serveConfig{}, "192.0.2.7:8080", http.StatusMisdirectedRequest},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newPlayground(t, tt.c)
			req, err := http.NewRequestWithContext(t.Context(), "GET", d.url+"/healthz", nil)
			if err != nil {
				t.Fatal(err)
			}
			req.Host = tt.host
			res, err := wiretest.NewHTTP().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			if res.StatusCode != tt.status {
				t.Errorf("%s", res.Status)
			}
			if warned := strings.Contains(d.log.String(), "the page is not reached by https"); warned != (tt.c.addr != "") {
				t.Errorf("it warned: %v", warned)
			}
		})
	}
}
