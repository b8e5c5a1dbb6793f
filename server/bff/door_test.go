package bff_test

import (
	"context"
	"net/http/httptest"
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
