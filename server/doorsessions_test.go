package main

import (
	"context"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// However a session ends, its sockets are closed with 4401 within a second, and
// those of others are not.
func TestAnEndedSessionsSocketsClose(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	bob := ann.join(wire.RoleMember, "bob@example.com")
	bobAgain := func() *visitor {
		v := d.visitor()
		if r := v.signIn("bob@example.com", goodPassword); r.StatusCode != 204 {
			t.Fatalf("%d %s", r.StatusCode, r.body)
		}
		return v
	}
	annsTab := ann.dial()
	for _, c := range []struct {
		name string
		end  func(of *visitor)
	}{
		{"signed out", func(of *visitor) { of.want(204, "POST", "/api/signout", nil) }},
		{"ended from another browser", func(of *visitor) {
			bob.want(204, "DELETE", "/api/sessions/"+of.sessions()[0].ID, nil)
		}},
		{"all others ended", func(*visitor) { bob.want(204, "DELETE", "/api/sessions", nil) }},
		{"the password changed", func(*visitor) {
			bob.want(204, "POST", "/api/password", map[string]string{"old": goodPassword, "new": goodPassword + "!"})
			bob.want(204, "POST", "/api/password", map[string]string{"old": goodPassword + "!", "new": goodPassword})
		}},
		{"signed in anew", func(of *visitor) {
			of.want(204, "POST", "/api/signin", wire.SignIn{Email: "bob@example.com", Password: goodPassword})
		}},
		{"deactivated", func(*visitor) {
			no := false
			ann.want(200, "PATCH", "/api/people/"+bob.me().ID, wire.PersonChange{Active: &no})
		}},
	} {
		of := bobAgain()
		tab := of.dial()
		if _, err := tab.Hello(t.Context()); err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		c.end(of)
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		closed, err := tab.Ended(ctx)
		cancel()
		if err != nil || closed.Code != wire.StatusSignedOut || time.Since(began) > time.Second+2*workOf(c.name) {
			t.Errorf("%s: %v, %v after %v", c.name, closed, err, time.Since(began))
		}
		if c.name != "signed in anew" {
			of.want(401, "GET", "/api/me", nil)
		}
	}
	if r := d.visitor().signIn("bob@example.com", goodPassword); r.StatusCode != 403 || r.problem().Code != wire.CodeDeactivated {
		t.Errorf("deactivated: %d %s", r.StatusCode, r.body)
	}
	if r := d.visitor().signIn("bob@example.com", "not the password"); r.StatusCode != 401 || r.problem().Code != wire.CodeWrong {
		t.Errorf("deactivated, with a wrong password: %d %s", r.StatusCode, r.body)
	}
	if err := annsTab.Call(t.Context(), wire.OpConversations, wire.Page{}, nil); err != nil {
		t.Errorf("another's socket: %v", err)
	}
}

// workOf is what an end does before the session ends: sums of passwords, on a
// machine that may be busy.
func workOf(name string) time.Duration {
	if name == "the password changed" || name == "signed in anew" {
		return time.Second
	}
	return 0
}

func TestOwnSessions(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	bob := ann.join(wire.RoleMember, "bob@example.com")
	other := d.visitor()
	const agent = "Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0"
	other.want(204, "POST", "/api/signin", wire.SignIn{Email: "ann@example.com", Password: goodPassword}, "User-Agent", agent)
	all := other.sessions()
	if len(all) != 2 || all[0].Device != "Firefox on Linux" || all[0].Address != "127.0.0.1" || all[0].How != "password" || !all[0].Current || all[1].Current ||
		all[0].SeenMS < all[0].CreatedMS || all[0].ExpiresMS <= all[0].CreatedMS {
		t.Errorf("%+v", all)
	}
	// Somebody else's is not there.
	if r := bob.ask("DELETE", "/api/sessions/"+all[0].ID, nil); r.StatusCode != 404 {
		t.Errorf("another's session: %d %s", r.StatusCode, r.body)
	}
	ann.want(204, "DELETE", "/api/sessions/"+all[0].ID, nil)
	other.want(401, "GET", "/api/me", nil)
	if n := len(ann.sessions()); n != 1 {
		t.Errorf("%d sessions are left", n)
	}
	// A restart ends none, and the last thing that was seen is kept.
	seen := ann.sessions()[0].SeenMS
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	again := newPlayground(t, asTeam(serveConfig{data: d.config.data, addr: d.listened()}))
	ann.base = again.url
	if s := ann.sessions()[0]; s.Device == "" || s.SeenMS < seen {
		t.Errorf("after a restart: %+v", s)
	}
	if again.setUp != "" {
		t.Error("there is a link to a first account, and there is one")
	}
}

// Who was a team of one goes on alone with what they had, in the browser in which
// they were signed in.
func TestATeamOfOneGoesOnAlone(t *testing.T) {
	d := newPlayground(t, asTeam(serveConfig{}))
	ann := d.admin()
	tab, s := ann.dial(), turn(gateway.Chat, "In a team of one")
	play(t, tab, s)
	end(t, tab, s)
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	alone := newPlayground(t, serveConfig{data: d.config.data, addr: d.listened()})
	ann.base = alone.url
	if me := ann.me(); me.Role != wire.RoleAdmin || me.Email != "" {
		t.Errorf("%+v", me)
	}
	ann.want(200, "GET", "/api/conversations/"+s.Conversation+".json", nil)
	var page wire.ConversationPage
	if err := ann.dial().Call(t.Context(), wire.OpConversations, wire.Page{}, &page); err != nil || len(page.Conversations) != 1 {
		t.Errorf("%+v, %v", page, err)
	}
}

// listened is the address that a server of before had, for one after it.
func (d *playground) listened() string {
	return strings.TrimPrefix(strings.Replace(d.url, "localhost", "127.0.0.1", 1), "http://")
}
