package main

import (
	"os/exec"
	"strings"
	"sync"
	"testing"

	"screentest/server/store/storetest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// accountLink is the link that the command prints for the instance in a data folder.
func accountLink(t *testing.T, data string, args ...string) (link string) {
	t.Helper()
	args = append([]string{"account", "link", "-data", data}, args...)
	if storetest.OnPostgres() {
		args = append(args, "-database", storetest.URLOf(t, data))
	}
	out, err := exec.Command("screentest", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line[strings.LastIndex(line, " ")+1:]
}

// Beside a server that runs, and writes, a link is made that the server takes.
func TestAccountLinkBesideAServer(t *testing.T) {
	t.Parallel()
	d := newPlayground(t, asTeam(serveConfig{}))
	link := accountLink(t, d.config.data)
	if !strings.HasPrefix(link, d.url+"/setup#") || link == d.setUp {
		t.Fatalf("%q, and the server's own is %q", link, d.setUp)
	}
	_, token, _ := strings.Cut(link, "#")
	ann := d.visitor()
	ann.want(201, "POST", "/api/setup", wire.Join{Token: token, Name: "Ann", Email: "ann@example.com", Password: goodPassword})
	if r := ann.ask("POST", "/api/setup", wire.Join{Token: d.setUpToken(), Name: "Eve", Email: "eve@example.com", Password: goodPassword}); r.StatusCode != 410 {
		t.Errorf("the server's own link, after that: %d %s", r.StatusCode, r.body)
	}

	tab := ann.dial()
	var writing sync.WaitGroup
	writing.Go(func() {
		for range 6 {
			s := turn(gateway.Chat, "Hello")
			play(t, tab, s)
			if r, _ := end(t, tab, s); r.State != wire.Done {
				t.Errorf("%s, %v", r.State, r.Problem)
			}
		}
	})
	var last string
	for range 4 {
		link = accountLink(t, d.config.data)
		if _, token, _ = strings.Cut(link, "/reset#"); token == "" || token == last {
			t.Fatalf("%q", link)
		}
		if last != "" {
			if r := d.visitor().ask("POST", "/api/link", map[string]string{"token": last}); r.StatusCode != 404 {
				t.Errorf("the link before it: %d %s", r.StatusCode, r.body)
			}
		}
		last = token
	}
	writing.Wait()
	v := d.visitor()
	v.want(201, "POST", "/api/reset", wire.Join{Token: last, Password: "another four words"})
	if v.me().Email != "ann@example.com" {
		t.Errorf("%+v", v.me())
	}
}
