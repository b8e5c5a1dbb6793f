package socket

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"screentest/shared/wire"
)

// end is the far end of one dialled connection.
type end struct {
	ev     Events
	sent   []wire.Call
	closed bool
}

func (e *end) Send(text []byte) {
	var c wire.Call
	if err := json.Unmarshal(text, &c); err != nil {
		panic(err)
	}
	e.sent = append(e.sent, c)
}
func (e *end) Close() { e.closed = true }

func (e *end) push(p wire.Push) {
	b, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	e.ev.Text(b)
}
func (e *end) hello()           { e.push(wire.Push{Event: wire.EventHello}) }
func (e *end) answer(id uint64) { e.push(wire.Push{ID: id, Data: json.RawMessage(`"yes"`)}) }

func (e *end) ops() []wire.Op {
	var ops []wire.Op
	for _, c := range e.sent {
		ops = append(ops, c.Op)
	}
	return ops
}

// bench is a Socket with its lines and what it told. do runs on the goroutine
// that owns it, as everything must.
type bench struct {
	*Socket
	post   chan func()
	lines  []*end
	dials  []time.Time
	states []State
	news   []wire.Event
	logs   []string
	faults []string
}

func newBench(t *testing.T) *bench {
	b := &bench{post: make(chan func(), 100)}
	go func() {
		for f := range b.post {
			f()
		}
	}()
	b.Socket = New(Options{
		Dial: func(ev Events) Conn {
			l := &end{ev: ev}
			b.lines = append(b.lines, l)
			b.dials = append(b.dials, time.Now())
			return l
		},
		Post:    func(f func()) { b.post <- f },
		Rand:    func() float64 { return 1 },
		OnState: func(s State) { b.states = append(b.states, s) },
		OnNews:  func(p wire.Push) { b.news = append(b.news, p.Event) },
		OnLog: func(h wire.LogFrame, p []byte) {
			b.logs = append(b.logs, h.Run+":"+string(p))
		},
		OnFault: func(what string, err error) { b.faults = append(b.faults, what) },
	})
	t.Cleanup(func() {
		b.do(b.Close)
		close(b.post)
	})
	return b
}

func (b *bench) do(f func()) {
	done := make(chan struct{})
	b.post <- func() { f(); close(done) }
	<-done
	synctest.Wait()
}

func (b *bench) last() *end { return b.lines[len(b.lines)-1] }

func (b *bench) open() {
	b.do(b.Start)
	b.do(func() { b.last().hello() })
}

// after lets d pass, and what it sets off.
func (b *bench) after(d time.Duration) {
	b.do(func() {}) // hands over what the test has read
	time.Sleep(d)   // the bubble's clock
	synctest.Wait()
}

func TestPausesBetweenDialsDoubleUpToTheLongest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(b.Start)
		for len(b.lines) < 9 {
			n := len(b.lines)
			b.do(func() { b.last().ev.Closed(1006) })
			for len(b.lines) == n {
				b.after(100 * time.Millisecond)
			}
		}
		var pauses []time.Duration
		for i := 1; i < len(b.dials); i++ {
			pauses = append(pauses, b.dials[i].Sub(b.dials[i-1]).Round(100*time.Millisecond))
		}
		ms := time.Millisecond
		want := []time.Duration{400 * ms, 800 * ms, 1600 * ms, 3200 * ms, 6400 * ms, 12800 * ms, 15000 * ms, 15000 * ms}
		if !slices.Equal(pauses, want) {
			t.Errorf("pauses %v, want %v", pauses, want)
		}
		if want := []State{Reconnecting}; !slices.Equal(b.states, want) {
			t.Errorf("states %v, want %v", b.states, want)
		}
	})
}

func TestJitterTakesUpToHalfThePause(t *testing.T) {
	for _, r := range []float64{0, 0.5, 0.999} {
		s := New(Options{Rand: func() float64 { return r }})
		s.tries = 3
		full := firstPause << 2
		if d := s.backoff(); d < full/2 || d > full {
			t.Errorf("rand %v: pause %v is not within %v and %v", r, d, full/2, full)
		}
	}
}

func TestDialWithoutAGreetingIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(b.Start)
		b.do(func() { b.last().ev.Open() })
		b.after(dialTimeout + firstPause)
		if len(b.lines) != 2 || !b.lines[0].closed {
			t.Fatalf("%d dials, first closed %v; want a second dial and the first closed", len(b.lines), b.lines[0].closed)
		}
	})
}

func TestCallIsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		var got []string
		b.do(func() {
			b.Call(wire.OpOpen, wire.Page{Conversation: "c"}, func(d json.RawMessage, p *wire.Problem) {
				got = append(got, string(d))
			})
		})
		sent := b.last().sent
		if len(sent) != 1 || sent[0].Op != wire.OpOpen || string(sent[0].Args) != `{"conversation":"c"}` {
			t.Fatalf("sent %v", sent)
		}
		b.do(func() { b.last().answer(sent[0].ID); b.last().answer(sent[0].ID) })
		b.after(callTimeout)
		if !slices.Equal(got, []string{`"yes"`}) {
			t.Errorf("answers %q, want one", got)
		}
	})
}

func TestCallOutlivesADroppedLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		var got []string
		add := func(d json.RawMessage, p *wire.Problem) {
			if p != nil {
				got = append(got, p.Code)
			} else {
				got = append(got, string(d))
			}
		}
		b.do(func() {
			b.Call(wire.OpStart, nil, add)
			b.Once(wire.OpRead, nil, add)
			b.Call(wire.OpStop, nil, add)
		})
		b.do(func() { b.last().ev.Closed(1006) })
		if !slices.Equal(got, []string{"disconnected"}) {
			t.Fatalf("after the drop %q; want only the read to fail", got)
		}
		b.do(func() { b.Call(wire.OpRename, nil, add) }) // made while there is no line
		b.after(firstPause)
		b.do(func() { b.last().hello() })
		if want := []wire.Op{wire.OpStart, wire.OpStop, wire.OpRename}; !slices.Equal(b.last().ops(), want) {
			t.Fatalf("sent again %v, want %v in their order", b.last().ops(), want)
		}
		b.do(func() {
			for _, c := range b.last().sent {
				b.last().answer(c.ID)
			}
		})
		if len(got) != 4 {
			t.Errorf("answers %q, want four", got)
		}
	})
}

func TestCallWithoutAnAnswerFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.do(b.Start) // never greeted
		var code string
		b.do(func() {
			b.Call(wire.OpStart, nil, func(_ json.RawMessage, p *wire.Problem) { code = p.Code })
		})
		b.after(callTimeout)
		if code != "no_answer" {
			t.Errorf("code %q, want no_answer", code)
		}
	})
}

func TestHalfOpenLineIsFoundAndReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		b.after(quietFor)
		if want := []wire.Op{wire.OpPing}; !slices.Equal(b.last().ops(), want) {
			t.Fatalf("after silence %v, want %v", b.last().ops(), want)
		}
		b.after(pongTimeout + firstPause)
		if len(b.lines) != 2 || !b.lines[0].closed {
			t.Fatalf("%d dials, first closed %v; want the dead line replaced", len(b.lines), b.lines[0].closed)
		}
		if want := []State{Open, Reconnecting}; !slices.Equal(b.states, want) {
			t.Errorf("states %v, want %v", b.states, want)
		}
	})
}

func TestAnyMessageIsASignOfLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		frame, err := wire.AppendLogFrame(nil, wire.LogFrame{Run: "r"}, []byte("abc"))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			b.after(quietFor)
			b.do(func() { b.last().ev.Binary(frame) }) // instead of an answer to the ping
		}
		if len(b.lines) != 1 {
			t.Errorf("%d dials, want the first line kept", len(b.lines))
		}
		if len(b.logs) != 5 || b.logs[0] != "r:abc" {
			t.Errorf("logs %q", b.logs)
		}
	})
}

func TestNudge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()

		b.do(b.Nudge)
		if want := []wire.Op{wire.OpPing}; !slices.Equal(b.last().ops(), want) {
			t.Fatalf("on an open line %v, want %v", b.last().ops(), want)
		}
		b.after(probeTimeout)
		if !b.lines[0].closed {
			t.Fatal("the connection that did not answer the probe is still there")
		}

		b.do(b.Nudge)
		if len(b.lines) != 2 {
			t.Fatalf("%d dials, want one at once, without the pause", len(b.lines))
		}
		b.do(b.Nudge) // while dialling: nothing to do
		if len(b.lines) != 2 {
			t.Errorf("%d dials, want the running dial left alone", len(b.lines))
		}
	})
}

func TestOfflineAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		b.do(b.NetworkLost)
		b.do(b.Nudge)
		b.do(func() { b.last().hello() })
		if want := []State{Open, Offline, Reconnecting, Open}; !slices.Equal(b.states, want) {
			t.Errorf("states %v, want %v", b.states, want)
		}
	})
}

func TestLateEventsOfAnOldLineAreIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		old := b.last()
		b.do(func() { old.ev.Closed(1006) })
		b.after(firstPause)
		b.do(func() { b.last().hello() })
		b.do(func() {
			old.push(wire.Push{Event: wire.EventRun})
			old.ev.Closed(1006)
		})
		if b.State() != Open || slices.Contains(b.news, wire.EventRun) {
			t.Errorf("state %v, news %v; want nothing of the old line", b.State(), b.news)
		}
	})
}

func TestUnreadableMessagesAreReportedAndPassedOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		b.do(func() {
			b.last().ev.Text([]byte("{"))
			b.last().ev.Binary([]byte("no header"))
			b.last().push(wire.Push{Event: wire.EventRun})
		})
		if len(b.faults) != 2 || !slices.Contains(b.news, wire.EventRun) {
			t.Errorf("faults %q, news %v", b.faults, b.news)
		}
	})
}

func TestCloseFailsWhatIsUnderWayAndStaysClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		var code string
		b.do(func() {
			b.Call(wire.OpStart, nil, func(_ json.RawMessage, p *wire.Problem) { code = p.Code })
		})
		b.do(b.Close)
		b.do(b.Nudge)
		b.do(b.NetworkLost)
		b.after(time.Minute)
		if code != "disconnected" || len(b.lines) != 1 || b.State() != Closed {
			t.Errorf("code %q, %d dials, state %v", code, len(b.lines), b.State())
		}
	})
}
