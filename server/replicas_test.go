package main

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"screentest/server/freeport"
	"screentest/server/pgtest"
	"screentest/server/replica"
	"screentest/server/tails"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// paced is a gateway that streams what the test hands it.
type paced struct {
	url   string
	calls chan chan<- string
}

func newPaced(t *testing.T) *paced {
	t.Helper()
	p := &paced{calls: make(chan chan<- string, 16)}
	p.url = outside(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r) // it lists no models
			return
		}
		pieces := make(chan string)
		p.calls <- pieces
		w.Header().Set("Content-Type", "text/event-stream")
		flush := http.NewResponseController(w).Flush
		if flush() != nil {
			return
		}
		for {
			select {
			case piece, more := <-pieces:
				if _, err := fmt.Fprint(w, piece); err != nil || !more || flush() != nil {
					return
				}
			case <-r.Context().Done():
				return
			}
		}
	}))
	return p
}

// answering is a call of the gateway: what was sent for it so far.
type answering struct {
	t      *testing.T
	pieces chan<- string
	sent   strings.Builder
}

func (p *paced) call(t *testing.T) *answering {
	t.Helper()
	select {
	case c := <-p.calls:
		return &answering{t: t, pieces: c}
	case <-time.After(20 * time.Second):
		t.Fatal("the gateway is not called")
	}
	panic("unreachable")
}

func (a *answering) send(text string) {
	a.t.Helper()
	select {
	case a.pieces <- text:
		a.sent.WriteString(text)
	case <-time.After(20 * time.Second):
		a.t.Fatal("the gateway's call is not read")
	}
}

func (a *answering) say(text string) {
	a.t.Helper()
	a.send(fmt.Sprintf("data: {\"object\":\"chat.completion.chunk\",\"model\":\"vendor/model-a\",\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text))
}

func (a *answering) end() {
	a.t.Helper()
	a.send("data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":[],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":4,\"total_tokens\":14}}\n\ndata: [DONE]\n\n")
	close(a.pieces)
}

// replicaAddress is an address at which a replica may listen.
func replicaAddress(t *testing.T) string {
	t.Helper()
	port, err := freeport.One()
	if err != nil {
		t.Fatal(err)
	}
	return "http://127.0.0.1:" + strconv.Itoa(port)
}

// newReplicas are so many replicas on one database, which all know of each other.
func newReplicas(t *testing.T, n int, gateway string) []*playground {
	t.Helper()
	t.Setenv("SCREENTEST_SEAL_KEY", base64.StdEncoding.EncodeToString([]byte("screentest-screentest-screentest")))
	url, files := pgtest.URL(t), t.TempDir()
	var all []*playground
	for range n {
		all = append(all, newPlayground(t, serveConfig{
			data: t.TempDir(), gateway: gateway, files: files, cluster: clusterConfig{database: url, replica: replicaAddress(t), drain: 20 * time.Second},
		}))
	}
	for _, d := range all {
		eventually(t, func() bool { return len(d.keepers()) == n-1 }, func() string { return fmt.Sprint("a replica knows of ", d.member.Peers()) })
	}
	return all
}

// text waits for what a tab is shown of a run to be as long as want.
func text(t *testing.T, c *wiretest.Client, run, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	l, err := c.Log(ctx, run, func(l wiretest.Log) bool { return len(l.Bytes) >= len(want) })
	if err != nil {
		t.Fatal(err)
	}
	if string(l.Bytes) != want {
		t.Fatalf("a tab has %q, sent was %q", l.Bytes, want)
	}
}

func read(t *testing.T, c *wiretest.Client, run string) {
	t.Helper()
	if err := c.Call(t.Context(), wire.OpRead, wire.Read{Run: run}, nil); err != nil {
		t.Fatal(err)
	}
}

func TestAnAnswerIsReadAndStoppedAtAnotherReplica(t *testing.T) {
	g := newPaced(t)
	all := newReplicas(t, 2, g.url)
	a, b := all[0], all[1]
	tab := dial(t, a.url, wiretest.NewHTTP())
	setKey(t, tab, canary)
	s := turn(gateway.Chat, "Hello")
	play(t, tab, s)
	c := g.call(t)
	c.say("One ")
	text(t, tab, s.Run, c.sent.String())
	var tabs []*wiretest.Client
	for range 20 {
		far := dial(t, b.url, tab.HTTP)
		read(t, far, s.Run)
		tabs = append(tabs, far)
	}
	for i := range 50 {
		c.say(fmt.Sprint("piece ", i, " "))
	}
	for _, far := range tabs {
		text(t, far, s.Run, c.sent.String())
	}
	if err := tabs[0].Call(t.Context(), wire.OpStop, wire.Target{ID: s.Run}, nil); err != nil {
		t.Fatal(err)
	}
	r, err := tab.RunEnd(t.Context(), s.Run)
	if err != nil || r.State != wire.Stopped {
		t.Errorf("stopped, it is %s, %v", r.State, err)
	}
	for _, far := range tabs {
		if l, err := far.Log(t.Context(), s.Run, wiretest.Whole); err != nil || string(l.Bytes) != c.sent.String() {
			t.Errorf("a tab at the other replica has %d bytes of %d, %v", len(l.Bytes), c.sent.Len(), err)
		}
	}
}

func TestTheSameStartAtTwoReplicasIsOneCall(t *testing.T) {
	g := newPaced(t)
	all := newReplicas(t, 2, g.url)
	tab := dial(t, all[0].url, wiretest.NewHTTP())
	setKey(t, tab, canary)
	far := dial(t, all[1].url, wiretest.NewHTTP())
	setKey(t, far, canary)
	s := turn(gateway.Chat, "Hello")
	var both sync.WaitGroup
	for _, c := range []*wiretest.Client{tab, far} {
		both.Go(func() {
			r := wire.Run{}
			if err := c.Call(t.Context(), wire.OpStart, s, &r); err != nil || r.ID != s.Run {
				t.Errorf("started: %+v, %v", r, err)
			}
		})
	}
	both.Wait()
	c := g.call(t)
	read(t, tab, s.Run)
	read(t, far, s.Run)
	c.say("once")
	c.end()
	text(t, tab, s.Run, c.sent.String())
	text(t, far, s.Run, c.sent.String())
	select {
	case <-g.calls:
		t.Error("the gateway was called twice")
	default:
	}
}

// A replica that was stopped, and found gone meanwhile, shows nothing more and ends;
// what tabs were shown is stored.
func TestAReplicaThatWasFoundGone(t *testing.T) {
	g := newPaced(t)
	all := newReplicas(t, 3, g.url)
	a, b := all[0], all[1]
	tab := dial(t, a.url, wiretest.NewHTTP())
	setKey(t, tab, canary)
	s := turn(gateway.Chat, "Hello")
	play(t, tab, s)
	far := dial(t, b.url, tab.HTTP)
	read(t, far, s.Run)
	c := g.call(t)
	for i := range 20 {
		c.say(fmt.Sprint("piece ", i, " "))
	}
	text(t, tab, s.Run, c.sent.String())
	shown := c.sent.String()
	if won, err := b.store.Replicas().TakeOver(t.Context(), a.member.N()); err != nil || !won {
		t.Fatalf("taken over: %v %v", won, err)
	}
	if err := b.takenOver(t.Context(), a.member.N()); err != nil {
		t.Fatal(err)
	}
	l, err := far.Log(t.Context(), s.Run, wiretest.Whole)
	if err != nil || string(l.Bytes) != shown {
		t.Errorf("the tab at the other replica has %q, %v", l.Bytes, err)
	}
	if m := answer(t, far, s); m.Run.State != wire.Interrupted || m.Run.Bytes != int64(len(shown)) {
		t.Errorf("stored is %+v", m.Run)
	}
	select {
	case err := <-a.failed:
		if !strings.Contains(err.Error(), "taken over") {
			t.Errorf("who was found gone ends with: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("who was found gone goes on")
	}
	if n := a.runs.UnderWay(); n != 0 {
		eventually(t, func() bool { return a.runs.UnderWay() == 0 }, func() string { return "its calls go on" })
	}
	if l, _ := tab.Log(t.Context(), s.Run, func(wiretest.Log) bool { return true }); string(l.Bytes) != shown || l.End {
		t.Errorf("it shows %q, end %v", l.Bytes, l.End)
	}
}

func TestAReplicaThatEndsSendsItsTabsToTheOthers(t *testing.T) {
	g := newPaced(t)
	all := newReplicas(t, 2, g.url)
	a, b := all[0], all[1]
	tab := dial(t, a.url, wiretest.NewHTTP())
	setKey(t, tab, canary)
	s := turn(gateway.Chat, "Hello")
	play(t, tab, s)
	c := g.call(t)
	c.say("Before ")
	text(t, tab, s.Run, c.sent.String())
	far := dial(t, b.url, tab.HTTP)
	read(t, far, s.Run)

	left := make(chan error, 1)
	go func() { left <- a.close() }()
	_, err := tab.Log(t.Context(), s.Run, wiretest.Whole)
	var closed websocket.CloseError
	if !errors.As(err, &closed) || closed.Code != websocket.StatusGoingAway {
		t.Errorf("the tab's connection ends with: %v", err)
	}
	_, res, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(a.url, "http")+wire.Path, nil)
	if err == nil || res == nil || res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("a new tab there gets %v, %v", res, err)
	}
	// The tab connects at the other one, and reads on from what it was shown.
	again := dial(t, b.url, tab.HTTP)
	at := int64(c.sent.Len())
	if err := again.Call(t.Context(), wire.OpRead, wire.Read{Run: s.Run, From: at}, nil); err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		c.say(fmt.Sprint("piece ", i, " "))
	}
	text(t, far, s.Run, c.sent.String())
	select {
	case err := <-left:
		t.Fatalf("it ended before its answer: %v", err)
	default:
	}
	c.end()
	if err := <-left; err != nil {
		t.Error(err)
	}
	for name, l := range map[string]*wiretest.Client{"that came": again, "that was there": far} {
		got, err := l.Log(t.Context(), s.Run, wiretest.Whole)
		if want := c.sent.String()[got.From:]; err != nil || string(got.Bytes) != want {
			t.Errorf("the tab %s has %q, %v", name, got.Bytes, err)
		}
	}
	if m := answer(t, again, s); m.Run.State != wire.Done {
		t.Errorf("it ended as %s", m.Run.State)
	}
}

// While another replica that is about to go is there, it may find this one gone: what
// is shown is kept there. One that doesn't say what it keeps may keep something.
func TestAReplicaThatIsAboutToGoIsThere(t *testing.T) {
	all := newReplicas(t, 2, newPaced(t).url)
	a, b := all[0], all[1]
	if err := b.member.Leave(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return a.member.Peers()[0].Leaving }, func() string { return fmt.Sprint("it knows of ", a.member.Peers()) })
	if k := a.keepers(); len(k) != 1 || k[0].N != b.member.N() {
		t.Errorf("its keepers are %v", k)
	}
	if staying := a.ring(false); len(staying) != 0 {
		t.Errorf("those who stay are %v", staying)
	}
	runs := []tails.Run{{Owner: "1", Run: "r"}}
	if err := b.keeper.Keep([]tails.Tail{{Owner: "1", Run: "r", Data: []byte("shown")}}); err != nil {
		t.Fatal(err)
	}
	if found, err := (runsElsewhere{a.server}).Tails(t.Context(), runs); err != nil || len(found) != 1 || string(found[0].Data) != "shown" {
		t.Errorf("kept is %v, %v", found, err)
	}
	if err := b.peers.Close(); err != nil {
		t.Fatal(err)
	}
	if found, err := (runsElsewhere{a.server}).Tails(t.Context(), runs); err == nil {
		t.Errorf("one that is there does not answer, and kept is %v", found)
	}
}

// A part that waits for what never answers holds up the end of a replica for a time
// only, and the parts after it for less.
func TestAPartThatHangsDoesNotHoldUpTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &server{member: &replica.Member{}}
		never := make(chan struct{})
		defer close(never)
		hangs := func(context.Context) error {
			<-never
			return nil
		}
		began := time.Now()
		if err := s.ended(hangs); err == nil {
			t.Error("it ended")
		}
		if err := s.ended(hangs); err == nil {
			t.Error("the next one ended")
		}
		if took := time.Since(began); took > 2*closeTimeout {
			t.Errorf("they took %s", took)
		}
		refused := errors.New("refused")
		if err := s.ended(func(context.Context) error { return refused }); err != refused {
			t.Errorf("one that ends: %v", err)
		}
	})
}
