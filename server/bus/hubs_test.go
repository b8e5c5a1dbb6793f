package bus_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"testing"

	"screentest/server/bus"
	"screentest/server/news"
	"screentest/server/peer"
	"screentest/shared/wire"
)

// tab writes down what it was told.
type tab struct {
	mu     sync.Mutex
	told   []string
	greets int
}

func (t *tab) Tell(_ string, push []byte) {
	var p wire.Push
	if err := json.Unmarshal(push, &p); err != nil {
		panic(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.told = append(t.told, fmt.Sprintf("%s %s", p.Event, p.Data))
}

func (t *tab) Greet() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.greets++
}

func (t *tab) count(told string) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.told {
		if s == told {
			n++
		}
	}
	return n
}

func (t *tab) greeted() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.greets
}

type conversations struct{}

func (conversations) Conversation(_ context.Context, _, id string) (wire.Summary, error) {
	return wire.Summary{ID: id}, nil
}

// replica is a hub with its bus and a tab.
type replica struct {
	hub  *news.Hub
	bus  *bus.Bus
	link *peer.Link
	tab  tab
	at   bus.Peer
	wait sync.WaitGroup
}

func newReplica(t *testing.T, n int64) *replica {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &replica{hub: news.New(conversations{}, log), link: peer.New(l.Addr().String(), bytes.Repeat([]byte{1}, 32), log)}
	r.bus = bus.New(bus.Config{Link: r.link, Self: n, Heard: r.hub.Hear, Missed: r.hub.Missed})
	r.hub.Connect(r.bus, nil)
	r.hub.Join("me", &r.tab)
	r.link.Handle("GET "+bus.Path, r.bus.Hear)
	r.at = bus.Peer{N: n, Address: "http://" + l.Addr().String()}
	r.wait.Go(func() {
		if err := r.link.Serve(l); err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	t.Cleanup(func() {
		if err := r.bus.Close(context.Background()); err != nil {
			t.Error(err)
		}
		r.link.Close()
		r.wait.Wait()
		r.hub.Close()
	})
	return r
}

func TestThreeHubsTellTheTabsOfAll(t *testing.T) {
	a, b, c := newReplica(t, 1), newReplica(t, 2), newReplica(t, 3)
	a.bus.Peers([]bus.Peer{b.at, c.at})
	b.bus.Peers([]bus.Peer{a.at, c.at})
	c.bus.Peers([]bus.Peer{a.at, b.at})

	const rounds = 200
	var telling sync.WaitGroup
	for i, r := range []*replica{a, b, c} {
		telling.Go(func() {
			for n := range rounds {
				r.hub.TaskDeleted("me", wire.TaskGone{ID: fmt.Sprintf("%d-%d", i, n)})
			}
			r.hub.ConversationChanged("me", fmt.Sprint(i))
		})
	}
	telling.Wait()
	for _, r := range []*replica{a, b, c} {
		for i := range 3 {
			last := fmt.Sprintf(`task_deleted {"id":"%d-%d"}`, i, rounds-1)
			until(t, "the last is told", func() bool { return r.tab.count(last) == 1 })
			for n := range rounds {
				if got := r.tab.count(fmt.Sprintf(`task_deleted {"id":"%d-%d"}`, i, n)); got != 1 {
					t.Fatalf("%d-%d was told %d times", i, n, got)
				}
			}
			changed, err := json.Marshal(wire.Summary{ID: fmt.Sprint(i)})
			if err != nil {
				t.Fatal(err)
			}
			until(t, "the conversation is told", func() bool { return r.tab.count("conversation "+string(changed)) >= 1 })
		}
		if r.tab.greeted() != 0 {
			t.Error("tabs read everything again where nothing is missing")
		}
	}

	// One dies: the tabs of the others read everything again.
	c.bus.Cut()
	c.link.Close()
	a.bus.Peers([]bus.Peer{b.at})
	b.bus.Peers([]bus.Peer{a.at})
	until(t, "their tabs read again", func() bool {
		return a.tab.count("missed ") > 0 && b.tab.count("missed ") > 0 && a.tab.greeted() > 0 && b.tab.greeted() > 0
	})
}
