package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"

	"screentest/server/rights"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// walkAddress is an address about somebody's things.
type walkAddress struct {
	address string
	path    func(h things) string // nil: that of the address
	kind    string                // of the body; "" is JSON
	body    func(h things) string // nil: none, or {}
	others  string                // what comes of it about others'
	team    func(h things) string // that it names, where it asks for a lead
}

func said(text string) func(things) string { return func(things) string { return text } }

// walkAddresses are all addresses, what destroys last.
func walkAddresses() []walkAddress {
	at := func(before string, of func(h things) string, after string) func(things) string {
		return func(h things) string { return before + of(h) + after }
	}
	clip := func(h things) string { return h.clip }
	session := func(h things) string { return h.session }
	passkey := func(h things) string { return h.passkey }
	share := func(h things) string { return h.share }
	shown := func(after string) func(h things) string {
		return func(h things) string { return "/s/" + cmp.Or(h.share, "x") + after }
	}
	shownClip := func(after string) func(h things) string {
		return func(h things) string { return "/s/" + cmp.Or(h.clipShare, "x") + after }
	}
	team := func(h things) string { return h.team }
	spareTeam := func(h things) string { return h.spareTeam }
	spare := func(h things) string { return h.sparePerson }
	mates := func(h things) string { return "/api/teams/" + h.team + "/people/" + h.sparePerson }
	return []walkAddress{
		{address: "GET /ws", others: apart}, // by a request that is no handshake
		{address: "GET /api/conversations/{file}", path: at("/api/conversations/", func(h things) string { return h.start.Conversation }, ".json"), others: unseen},
		{address: "GET /api/export.json", others: apart},
		{address: "POST /api/import", body: said(`{"no": "export"}`), others: apart},
		{address: "GET /api/ledger.csv", others: apart},
		{address: "GET /api/ledger.json", others: apart},
		{address: "GET /u/{name}", path: func(h things) string { return h.upload }, others: asWell},
		{address: "POST /api/uploads", path: said("/api/uploads?name=a.png"), kind: "image/png", body: said(onePixel), others: apart},
		{address: "POST /api/images", kind: "image/png", body: said(onePixel), others: apart},
		{address: "GET /api/images/{image}", path: at("/api/images/", func(h things) string { return h.image }, ""), others: unseen},
		{address: "GET /media/{task}/{index}", path: at("/media/", clip, "/0"), others: unseen},
		{address: "GET /api/posters/{task}/{index}", path: at("/api/posters/", clip, "/0"), others: unseen},
		{address: "POST /api/posters/{task}/{index}", path: at("/api/posters/", clip, "/0"), kind: "image/png", body: said(onePixel), others: unseen},
		{address: "GET /api/videos.zip", path: at("/api/videos.zip?ids=", clip, ""), others: unseen},

		{address: "GET /api/reviews/{file}", path: at("/api/reviews/", func(h things) string { return h.review }, ".md"), others: unseen},
		{address: "GET /s/{key}", path: shown(""), others: apart},
		{address: "GET /s/{key}/live", path: shown("/live?from=x"), others: unseen},
		{address: "GET /s/{key}/wire/{run}", path: func(h things) string { return shown("/wire/")(h) + cmp.Or(h.start.Run, "x") }, others: unseen},
		{address: "GET /s/{key}/media/{version}/{index}", path: shownClip("/media/0/0"), others: unseen},
		{address: "GET /s/{key}/poster/{version}/{index}", path: shownClip("/poster/0/0"), others: unseen},

		{address: "GET /api/me", others: apart},
		{address: "GET /api/ways", others: apart},
		{address: "POST /api/link", body: said(`{"token":"guessed"}`), others: apart},
		{address: "POST /api/setup", body: said(`{"token":"guessed","name":"a","email":"a@example.com","password":"long enough it is"}`), others: apart},
		{address: "POST /api/join", body: said(`{"token":"guessed","name":"a","email":"a@example.com","password":"long enough it is"}`), others: apart},
		{address: "POST /api/reset", body: said(`{"token":"guessed","password":"long enough it is"}`), others: apart},
		{address: "POST /api/signin", body: said(`{"email":"nobody@example.com","password":"guessed"}`), others: apart},
		{address: "POST /api/signin/passkey/begin", others: apart},
		{address: "POST /api/signin/passkey/finish", others: apart},
		{address: "GET /api/oidc/start", others: apart},
		{address: "GET /api/oidc/callback", others: apart},

		{address: "GET /api/sessions", others: apart},
		{address: "GET /api/security", others: apart},
		{address: "POST /api/password", body: said(`{"old":"x","new":"short"}`), others: apart},
		{address: "GET /api/passkeys", others: apart},
		{address: "POST /api/passkeys/begin", others: apart},
		{address: "POST /api/passkeys/finish", others: apart},
		{address: "POST /api/totp/begin", others: apart},
		{address: "POST /api/totp/finish", others: apart},
		{address: "POST /api/recovery", others: apart},
		{address: "POST /api/key", body: said(`{"key":"sk-something-0123456789"}`), others: apart},
		{address: "DELETE /api/key", others: apart},

		{address: "GET /api/people", others: asWell},
		{address: "PATCH /api/people/{id}", path: at("/api/people/", spare, ""), body: said(`{"name":"another"}`), others: asWell},
		{address: "POST /api/people/{id}/reset", path: at("/api/people/", spare, "/reset"), others: asWell},
		{address: "GET /api/invites", others: asWell},
		{address: "POST /api/invites", body: said(`{}`), others: asWell},
		{address: "DELETE /api/invites/{id}", path: at("/api/invites/", func(h things) string { return h.invite }, ""), others: asWell},
		{address: "GET /api/teams", others: apart},
		{address: "POST /api/teams", body: said(`{"name":" "}`), others: asWell},
		{address: "PATCH /api/teams/{id}", path: at("/api/teams/", team, ""), body: said(`{"models":[]}`), others: asWell},
		{address: "PUT /api/teams/{id}/people/{person}", path: mates, body: said(`{"lead":false}`), others: asWell, team: team},
		{address: "DELETE /api/teams/{id}/people/{person}", path: mates, others: asWell, team: team},
		{address: "POST /api/teams/{id}/key", path: at("/api/teams/", team, "/key"), body: said(`{"key":"sk-something-0123456789"}`), others: asWell, team: team},
		{address: "DELETE /api/teams/{id}/key", path: at("/api/teams/", team, "/key"), others: asWell, team: team},
		{address: "GET /api/audit", others: asWell},
		{address: "GET /api/instance", others: asWell},
		{address: "POST /api/shares", body: func(h things) string {
			return `{"kind":"conversation","audience":"people","to":"` + h.sparePerson + `","id":"` + h.start.Conversation + `"}`
		}, others: unseen},
		{address: "GET /api/shares", path: at("/api/shares?kind=clip&id=", clip, ""), others: apart},
		{address: "POST /api/shares/{id}/copy", path: at("/api/shares/", share, "/copy"), others: unseen},
		{address: "POST /api/shares/{id}/reuse", path: at("/api/shares/", func(h things) string { return h.clipShare }, "/reuse"), others: unseen},
		{address: "DELETE /api/shares/{id}", path: at("/api/shares/", share, ""), others: unseen},
		{address: "PUT /api/instance", body: said(`{"name":"Lab"}`), others: asWell},

		{address: "POST /api/gateway/test", body: said(`{"address":" "}`), others: asWell},
		{address: "PUT /api/gateway", body: said(`{"address":" "}`), others: asWell},
		{address: "DELETE /api/gateway", others: asWell},

		{address: "DELETE /api/teams/{id}", path: at("/api/teams/", spareTeam, ""), others: asWell},
		{address: "POST /api/people/{id}/hand_over", path: at("/api/people/", spare, "/hand_over"), others: asWell},
		{address: "POST /api/people/{id}/erase", path: at("/api/people/", spare, "/erase"), body: said(`{"dry_run":true}`), others: asWell},
		{address: "DELETE /api/totp", others: apart},
		{address: "DELETE /api/passkeys/{id}", path: at("/api/passkeys/", passkey, ""), others: unseen},
		{address: "DELETE /api/sessions", others: apart},
		{address: "DELETE /api/sessions/{id}", path: at("/api/sessions/", session, ""), others: unseen},
		// The session of before has ended; with another one:
		{address: "POST /api/signout", others: apart},
	}
}

// request is the address's request about things.
func (a walkAddress) request(h things) (method, path, kind, body string) {
	method, path, _ = strings.Cut(a.address, " ")
	if a.path != nil {
		path = a.path(h)
	}
	if method != http.MethodGet && method != http.MethodDelete || a.body != nil {
		if kind, body = a.kind, "{}"; kind == "" {
			kind = "application/json"
		}
		if a.body != nil {
			body = a.body(h)
		}
	}
	return method, path, kind, body
}

// pages are the addresses that are for anyone, since they hold nothing of
// anybody's.
func isPage(path string) bool {
	return !strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/media/") && !strings.HasPrefix(path, "/u/") && !strings.HasPrefix(path, "/s/") && path != "/ws"
}

func TestTheWalkOfAddresses(t *testing.T) {
	t.Parallel()
	w := newWalked(t)
	var walked []string
	for _, a := range walkAddresses() {
		walked = append(walked, a.address)
	}
	for _, address := range w.bff.Addresses() {
		method, path, _ := strings.Cut(address, " ")
		if method == http.MethodHead {
			address, method = http.MethodGet+" "+path, http.MethodGet
		}
		if isPage(path) {
			if method != http.MethodGet {
				t.Errorf("the page %s takes %s", path, method)
			}
		} else if !slices.Contains(walked, address) {
			t.Errorf("%s isn't walked", address)
		}
	}
	for address := range rights.Addresses() {
		if !slices.Contains(walked, address) {
			t.Errorf("%s is in the table of rights, and isn't walked", address)
		}
		if !slices.Contains(w.bff.Addresses(), address) {
			t.Errorf("%s is in the table of rights, and nowhere served", address)
		}
	}
	before := w.belongings(w.mate, w.stranger)
	for _, p := range w.everybody() {
		for _, whose := range []*someone{w.mate, w.stranger, p} {
			if whose == w.nobody {
				continue
			}
			for _, a := range walkAddresses() {
				if slices.Contains(w.bff.Addresses(), a.address) {
					w.walkAddress(p, whose, a)
				}
			}
		}
	}
	if after := w.belongings(w.mate, w.stranger); after != before {
		t.Errorf("what others have was changed:\n now %s\n was %s", after, before)
	}
	w.pushesStayAtHome()
}

func (w *walked) walkAddress(p, whose *someone, a walkAddress) {
	w.t.Helper()
	who := w.asking(p)
	if who.SignedIn() {
		if res, _ := w.ask(p.http, "GET", "/api/me", "", ""); res.StatusCode == http.StatusUnauthorized {
			p.http, p.who = w.signsIn(who.Owner) // one of the addresses has ended the session
			p.has.session = p.who.Session
		}
	}
	method, path, kind, body := a.request(whose.has)
	res, got := w.ask(p.http, method, path, kind, body)
	code := ""
	var problem wire.Problem
	if res.StatusCode >= 400 && json.Unmarshal(got, &problem) == nil {
		code = problem.Code
	}
	team := ""
	if a.team != nil {
		team = a.team(whose.has)
	}
	right := rights.OfAddress(a.address)
	want := rights.Refuse(who, right, team)
	own := whose == p && who.SignedIn()
	if right == rights.Lead {
		own = want == nil // it is their team's, whoever is in it
	}
	if a.address == "GET /api/me" && !who.SignedIn() {
		want = &wire.Problem{Code: wire.CodeSignedOut}
	}
	if want != nil && want.Code == wire.CodeNotFound && res.StatusCode != http.StatusNotFound ||
		want != nil && want.Code == wire.CodeSignedOut && res.StatusCode != http.StatusUnauthorized {
		w.t.Errorf("%s of %s by %s: %s, want %s", a.address, whose.name, p.name, res.Status, want.Code)
	}
	if wrong := judge(want, own, a.others, code, got, whose.has, p.has); wrong != "" {
		w.t.Errorf("%s of %s by %s: %s: %s (%.200s)", a.address, whose.name, p.name, res.Status, wrong, got)
	}
}

// Alone there is none of the addresses of accounts, and nobody is asked who they
// are.
func TestTheWalkAlone(t *testing.T) {
	w := &instance{playground: newPlayground(t, serveConfig{})}
	tab := dial(t, w.url, wiretest.NewHTTP())
	alone := []string{"GET /api/me", "GET /api/ways", "GET /ws", "POST /api/key", "DELETE /api/key", "GET /api/conversations/{file}", "GET /api/export.json", "POST /api/import",
		"GET /api/ledger.csv", "GET /api/ledger.json", "GET /u/{name}", "POST /api/uploads", "POST /api/images", "GET /api/images/{image}", "GET /media/{task}/{index}", "GET /api/posters/{task}/{index}",
		"POST /api/posters/{task}/{index}", "GET /api/videos.zip", "POST /api/gateway/test", "PUT /api/gateway", "DELETE /api/gateway"}
	for _, address := range w.bff.Addresses() {
		method, path, _ := strings.Cut(address, " ")
		if !isPage(path) && method != http.MethodHead && !slices.Contains(alone, address) {
			t.Errorf("%s is there alone", address)
		}
	}
	for _, a := range walkAddresses() {
		method, path, kind, body := a.request(things{clip: "x", share: "x", clipShare: "x", upload: "/u/x", session: "x", passkey: "x", team: "x", spareTeam: "x", sparePerson: "x", invite: "x"})
		res, got := w.ask(tab.HTTP, method, path, kind, body)
		var problem wire.Problem
		if res.StatusCode >= 400 && path != wire.Path { // what is no handshake is refused in words
			w.must(json.Unmarshal(got, &problem))
		}
		if there := slices.Contains(alone, a.address); there && (problem.Code == wire.CodeSignedOut || problem.Code == wire.CodeNotAllowed) ||
			!there && problem.Code != wire.CodeNotFound && problem.Code != "method_not_allowed" {
			t.Errorf("%s: %s %.200s", a.address, res.Status, got)
		}
	}
	for _, c := range walkCalls() {
		var problem *wire.Problem
		if err := tab.Call(t.Context(), c.op, c.args(things{start: turn("chat", "x")}), nil); errors.As(err, &problem) && (problem.Code == wire.CodeSignedOut || problem.Code == wire.CodeNotAllowed) {
			t.Errorf("%s: %v", c.op, problem)
		}
	}
	for _, page := range []string{"/signin", "/setup", "/join", "/reset"} {
		if res, _ := w.ask(tab.HTTP, "GET", page, "", ""); res.StatusCode != http.StatusNotFound {
			t.Errorf("%s is there alone: %s", page, res.Status)
		}
	}
}
