package clustertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// An update ends and starts one replica after the other, while answers come: each is
// read to its end, and none is broken off.
func TestARollingUpdateBreaksNothingOff(t *testing.T) {
	t.Parallel()
	c := New(t, 3)
	ann := c.SetUp()
	l := c.NewLoad(ann, 1, nil)
	begun := make(chan struct{}, 20)
	c.Gateway.Watch(func(m Moment, a *Asked) {
		if m == Answered && a.Text() {
			begun <- struct{}{}
		}
	})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { l.Play(ann, Turn(gateway.Chat, "[[repeat: 600]] [[pace: 50]]")) })
	}
	for range 20 {
		<-begun
	}
	c.Gateway.Watch(nil)
	for _, r := range c.Replicas {
		r.Stop()
		r.Start()
	}
	all.Wait()
	l.End()
	if states := l.States(); states[wire.Done] != 20 {
		t.Errorf("the answers are %v", states)
	}
	l.Check()
}

// A session that is ended, and a person who may not come in any more, have no socket
// on any replica soon after.
func TestASignOutEndsSocketsOnEveryReplica(t *testing.T) {
	t.Parallel()
	c := New(t, 3)
	ann := c.SetUp()
	bob := ann.Invites("bob")
	again := bob.Elsewhere("bob@example.com")
	// Sockets look at their session now and then by themselves, every few minutes: what
	// ends them within this bound was told.
	const soon = 3 * time.Second
	for _, out := range []struct {
		name string
		do   func()
		who  *Person
	}{
		{"a sign-out", func() { bob.Want(204, "POST", "/api/signout", nil, nil) }, bob},
		{"the end of an account", func() {
			ann.Want(200, "PATCH", "/api/people/"+bob.ID, map[string]any{"active": false}, nil)
		}, again},
	} {
		var wait []func(context.Context) error
		for _, r := range c.Replicas {
			s, err := out.who.At(r).Dial(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Hello(t.Context()); err != nil {
				t.Fatal(err)
			}
			wait = append(wait, func(ctx context.Context) error { _, err := s.Ended(ctx); return err })
		}
		began := time.Now()
		out.do()
		ctx, cancel := context.WithTimeout(t.Context(), soon)
		for i, ended := range wait {
			if err := ended(ctx); ctx.Err() != nil {
				t.Errorf("after %s its socket on replica %d is still there: %v", out.name, i+1, err)
			}
		}
		cancel()
		t.Logf("%s ended all sockets after %v", out.name, time.Since(began).Round(time.Millisecond))
		if out.who == bob {
			var me wire.Me
			again.Want(200, "GET", "/api/me", nil, &me) // the other session is another
		}
	}
}
