package bff_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"screentest/server/bff"
	"screentest/server/people"
	"strings"
	"testing"
)

// A browser lets go of a clip with each jump in it, which is no fault of the
// sessions.
func TestWhoLetsGoIsNoFaultOfTheSessions(t *testing.T) {
	w := newWorld(t, nil)
	c := w.dial()
	ctx, gone := context.WithCancel(t.Context())
	gone()
	r := httptest.NewRequestWithContext(ctx, "GET", w.url+"/media/clip/0", nil)
	for _, cookie := range c.HTTP.Jar.Cookies(mustParse(t, w.url)) {
		r.AddCookie(cookie)
	}
	if len(r.Cookies()) == 0 {
		t.Fatal("there is no session")
	}
	answer := httptest.NewRecorder()
	w.bff.ServeHTTP(answer, r)
	if log := w.log.String(); strings.Contains(log, "level=ERROR") {
		t.Errorf("answered with %d, and the log has %s", answer.Code, log)
	}
}

// An address that isn't in the table of rights can't be served, nor one of which
// nobody says who is asking.
func TestAnAddressWithoutARightIsNotServed(t *testing.T) {
	var config bff.Config
	w := newWorld(t, func(c *bff.Config) { config = *c })
	config.People = w.people
	nothing := func(http.ResponseWriter, *http.Request, people.Person) error { return nil }
	for address, refused := range map[string]bool{
		"GET /api/anything": true, "POST /api/me": true, "GET /api/people/{id}": true, "get /api/me": true, "GET /api/me": false,
	} {
		func() {
			defer func() {
				if r := recover(); (r != nil) != refused {
					t.Errorf("%s: %v", address, r)
				}
			}()
			config.API = map[string]bff.Handler{address: nothing}
			bff.New(config).Close(t.Context())
		}()
	}
}

// A provider's page leads back here from its own site: to this address alone.
func TestOnlySingleSignOnComesFromElsewhere(t *testing.T) {
	w := newWorld(t, func(c *bff.Config) {
		done := func(w http.ResponseWriter, _ *http.Request, _ people.Person) error {
			w.WriteHeader(http.StatusNoContent)
			return nil
		}
		c.API = map[string]bff.Handler{"GET /api/oidc/start": done, "GET /api/oidc/callback": done, "POST /api/signin": done, "GET /api/me": done}
	})
	for address, status := range map[string]int{
		"GET /api/oidc/callback": http.StatusNoContent, "GET /api/oidc/start": http.StatusForbidden, "GET /api/me": http.StatusForbidden, "POST /api/signin": http.StatusForbidden,
		"POST /api/oidc/callback": http.StatusForbidden,
	} {
		method, path, _ := strings.Cut(address, " ")
		if res := w.do(nil, method, path, "", "Sec-Fetch-Site", "cross-site"); res.StatusCode != status {
			t.Errorf("%s from another site: %s", address, res.Status)
		}
	}
}
