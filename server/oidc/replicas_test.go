package oidc

import (
	"crypto/rand"
	"slices"
	"testing"
	"time"

	"github.com/oauth2-proxy/mockoidc"

	"screentest/server/store/storetest"
	"screentest/server/ticket"
	"screentest/shared/wire"
)

// A flow that is begun at one replica is finished at another, once.
func TestAFlowIsBegunHereAndFinishedThere(t *testing.T) {
	dbs, _ := storetest.Replicas(t, 2)
	v := newVisit(t)
	var key [ticket.KeySize]byte
	rand.Read(key[:])
	replica := func(i int) *Provider {
		c := v.us.Config
		c.Shared = &ticket.Shared{Key: key, Used: dbs[i]}
		return New(c)
	}
	a, b, alone := replica(0), replica(1), v.us
	v.us = a
	v.provider.QueueUser(&mockoidc.MockUser{Subject: "s-1", Email: "jane@example.com", EmailVerified: true})
	callback := v.begin("/c/abc")
	cookies := slices.Clone(v.cookies)
	v.us = alone
	if _, _, err := v.finish(callback); codeOf(err) != wire.CodeOIDCExpired {
		t.Errorf("at a server of its own: %v", err)
	}
	v.us, v.cookies = b, slices.Clone(cookies)
	s, back, err := v.finish(callback)
	if err != nil || s.Subject != "s-1" || s.As != "7" || back != "/c/abc" {
		t.Fatalf("%+v, %q, %v", s, back, err)
	}
	for _, us := range []*Provider{a, b} {
		v.us, v.cookies = us, slices.Clone(cookies)
		if _, _, err := v.finish(callback); codeOf(err) != wire.CodeOIDCExpired {
			t.Errorf("again: %v", err)
		}
	}
	v.us, v.cookies = a, nil
	late := v.begin("/")
	v.us, v.now = b, v.now.Add(time.Hour)
	if _, _, err := v.finish(late); codeOf(err) != wire.CodeOIDCExpired {
		t.Errorf("an hour later: %v", err)
	}
}
