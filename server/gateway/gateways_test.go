package gateway

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// What calls meet tells whether the gateway can be reached; one that can't is asked
// until it can, seldom and without a key, and not any more then.
func TestAGatewayComesBackByItself(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "" && r.Method == http.MethodGet {
			t.Error("the look has the key")
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer s.Close()
	told := make(chan struct{}, 100)
	g := NewGateways(func(string) Options { return Options{} }, func() { told <- struct{}{} })
	defer g.Close()
	if err := g.Connect("one", s.URL, false); err != nil {
		t.Fatal(err)
	}
	<-told
	if h := g.Health(); h.Met || h.Why != nil {
		t.Errorf("before a call: %+v", h)
	}
	call := func() { _, _ = g.Now().Stream(t.Context(), testKey, gateway.Chat, []byte("{}")) }
	call()
	<-told
	call()
	if h := g.Health(); !h.Met || len(told) != 0 {
		t.Errorf("reached: %+v, told %d times more", h, len(told))
	}
	g.met("another", away())
	if h := g.Health(); h.Why != nil {
		t.Errorf("another one's state was taken: %+v", h)
	}
	g.met("one", away())
	<-told
	if h := g.Health(); h.Why == nil || h.Since.IsZero() {
		t.Errorf("not reachable: %+v", h)
	}
	select {
	case <-told:
	case <-time.After(4 * lookFirst):
		t.Fatal("it was not asked again")
	}
	if h := g.Health(); h.Why != nil || !h.Met {
		t.Errorf("back: %+v", h)
	}
}

// A call that its caller gave up says nothing about the gateway.
func TestACallGivenUpSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := NewGateways(func(string) Options { return Options{} }, func() {})
		defer g.Close()
		if err := g.Connect("one", "http://127.0.0.1:1", false); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = g.Now().Stream(ctx, testKey, gateway.Chat, []byte("{}"))
		if h := g.Health(); h.Why != nil {
			t.Errorf("%+v", h)
		}
	})
}

func away() *wire.Problem { return &wire.Problem{Code: "gateway_unreachable", Message: "It is away."} }
