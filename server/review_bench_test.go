package main

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// benched is a team's server whose admin looks at a review.
type benched struct {
	*server
	http         *http.Client
	tab          *wiretest.Client
	clip, review string
}

func newBench(b *testing.B) *benched {
	b.Helper()
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	s, err := start(b.Context(), asTeam(serveConfig{addr: "127.0.0.1:0", data: b.TempDir(), sandboxSpeed: 20, signIn: signInConfig{password: true, groupsClaim: defaultGroupsClaim}}), slog.New(slog.DiscardHandler))
	must(err)
	b.Cleanup(func() { must(s.close()) })
	ctx := b.Context()
	must(s.store.MakeLink(ctx, "setup", "", "test", account.Hash("setup"), time.Hour))
	owner, err := s.store.SetUp(ctx, account.Hash("setup"), "admin", "admin@example.com", "")
	must(err)
	must(s.people.Changed(ctx))
	answer := httptest.NewRecorder()
	_, err = s.people.SignInAs(answer, httptest.NewRequest("POST", s.url+"/api/signin", nil), owner, account.ByPassword)
	must(err)
	w := &benched{server: s, http: wiretest.NewHTTP()}
	u, err := url.Parse(s.url)
	must(err)
	w.http.Jar.SetCookies(u, answer.Result().Cookies())
	w.tab = w.dial(b)
	clip := clipRequest("a fox")
	w.clip = clip.ID
	must(w.tab.Call(ctx, wire.OpVideoCreate, clip, nil))
	var r wire.Review
	must(w.tab.Call(ctx, wire.OpLook, wire.Look{Clip: clip.ID}, &r))
	w.review = r.ID
	return w
}

func (w *benched) dial(b *testing.B) *wiretest.Client {
	b.Helper()
	c, err := wiretest.Dial(b.Context(), w.url, w.http)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(c.Close)
	return c
}
