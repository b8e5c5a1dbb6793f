package clustertest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"screentest/shared/wire"
)

// chaos is how many kills there are: SCREENTEST_CHAOS=100 has a hundred of them.
func chaos(t *testing.T) int {
	text := os.Getenv("SCREENTEST_CHAOS")
	if text == "" {
		return 12
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("SCREENTEST_CHAOS=%s: %v", text, err)
	}
	return n
}

// seed is another one each time, unless SCREENTEST_SEED gives one that failed.
func seed(t *testing.T) uint64 {
	n := uint64(time.Now().UnixNano())
	if text := os.Getenv("SCREENTEST_SEED"); text != "" {
		var err error
		if n, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("SCREENTEST_SEED=%s: %v", text, err)
		}
	}
	t.Logf("SCREENTEST_SEED=%d", n)
	return n
}

// The moments at which a replica is killed that asks the gateway for something.
var moments = []struct {
	name string
	at   func(Moment, *Asked) bool
	late bool // a few milliseconds after it
}{
	{"in mid-stream", func(m Moment, a *Asked) bool {
		_, answer, _ := a.Answer()
		return m == Passed && a.Text() && len(answer) > 5000
	}, false},
	{"before the gateway has heard of a clip", func(m Moment, a *Asked) bool { return m == Came && a.Creates() }, false},
	{"when the gateway has made a clip", func(m Moment, a *Asked) bool { return m == Answered && a.Creates() }, false},
	{"in mid-archive", func(m Moment, a *Asked) bool { return m == Passed && a.File() }, false},
	{"when an answer has come to its end", func(m Moment, a *Asked) bool { return m == Over && a.Text() }, true},
	{"when a text is asked for", func(m Moment, a *Asked) bool { return m == Came && a.Text() }, true},
}

// kill -9 of one replica after the other, at the moments that matter, while many send:
// nothing that anybody was shown is lost, every text is the gateway's to the byte, the
// ledger is the gateway's account, and nothing was sent twice.
func TestKillsLoseNothing(t *testing.T) {
	t.Parallel()
	n := seed(t)
	r := rand.New(rand.NewPCG(n, 1))
	c := New(t, 3)
	ann := c.SetUp()
	bob := ann.Invites("bob")
	l := c.NewLoad(ann, n, nil)
	words := func(r *rand.Rand) string {
		return fmt.Sprintf("[[repeat: %d]] [[pace: 150]] question %d", 50+r.IntN(400), r.IntN(1000))
	}
	l.Sides(ann, 5, words)
	l.Sides(bob, 4, words)
	l.Clips(bob, 2)
	for i := range chaos(t) {
		m := moments[i%len(moments)]
		killed := c.killAt(m.at, time.Duration(r.IntN(30))*time.Millisecond, m.late)
		// Sometimes it is back before anybody misses it, and takes up its own; sometimes
		// another one has taken over by then.
		away := time.Duration(r.IntN(1500)) * time.Millisecond
		if i%3 == 2 {
			away = 12 * time.Second
		}
		t.Logf("%d: replica %s was killed %s, and is away for %v", i+1, killed.Name, m.name, away)
		time.Sleep(away)
		killed.Start()
	}
	l.End()
	if states := l.States(); states[wire.Done] == 0 || states[wire.Interrupted] == 0 {
		t.Errorf("the answers are %v: both ends are wanted", states)
	}
	l.Check()
}

// killAt kills the replica whose request comes to a moment.
func (c *Cluster) killAt(at func(Moment, *Asked) bool, after time.Duration, late bool) *Replica {
	c.t.Helper()
	killed := make(chan *Replica, 1)
	var once sync.Once
	kill := func(r *Replica) {
		once.Do(func() {
			r.Kill()
			killed <- r
		})
	}
	c.Gateway.Watch(func(m Moment, a *Asked) {
		if !at(m, a) {
			return
		}
		r := c.Holder(a)
		switch {
		case r == nil:
		case late:
			time.AfterFunc(after, func() { kill(r) })
		default:
			kill(r)
		}
	})
	defer c.Gateway.Watch(nil)
	select {
	case r := <-killed:
		return r
	case <-time.After(time.Minute):
		c.t.Fatal("the moment did not come")
		panic("unreachable")
	}
}
