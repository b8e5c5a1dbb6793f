package socket

import (
	"encoding/json"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"screentest/shared/wire"
)

// A session that ended is not dialled for, and what was asked waits for who
// signs in, however long that takes.
func TestNothingIsDialledWhileNobodyIsSignedIn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		answers, failed := 0, ""
		b.do(func() {
			b.Call("before", nil, func(_ json.RawMessage, p *wire.Problem) {
				if p == nil {
					answers++
				}
			})
			b.Once("once", nil, func(_ json.RawMessage, p *wire.Problem) { failed = p.Code })
		})
		b.do(func() { b.last().ev.Closed(wire.StatusSignedOut) })
		b.do(func() {
			b.Call("meanwhile", nil, func(_ json.RawMessage, p *wire.Problem) {
				if p == nil {
					answers++
				}
			})
			b.Nudge()
			b.NetworkLost()
		})
		b.after(time.Hour)
		b.do(b.Nudge)
		if b.State() != SignedOut || len(b.lines) != 1 || answers != 0 || failed != "disconnected" {
			t.Fatalf("%v, %d lines, %d answers, the other failed with %q", b.State(), len(b.lines), answers, failed)
		}

		b.do(b.Resume)
		b.do(func() { b.last().hello() })
		if got := b.last().ops(); b.State() != Open || !slices.Equal(got, []wire.Op{"before", "meanwhile"}) {
			t.Fatalf("%v, sent %q", b.State(), got)
		}
		b.do(func() {
			for _, c := range b.last().sent {
				b.last().answer(c.ID)
			}
		})
		if answers != 2 {
			t.Errorf("%d answers", answers)
		}
		b.do(b.Resume) // nothing: it is open
		if len(b.lines) != 2 {
			t.Errorf("%d lines", len(b.lines))
		}
	})
}

// A call may be answered before the connection is closed.
func TestACallOfNobodyWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		answered := 0
		b.do(func() { b.Call("x", nil, func(json.RawMessage, *wire.Problem) { answered++ }) })
		b.do(func() {
			b.last().push(wire.Push{ID: b.last().sent[0].ID, Problem: &wire.Problem{Code: wire.CodeSignedOut, Message: "Nobody."}})
		})
		if b.State() != SignedOut || answered != 0 {
			t.Fatalf("%v, answered %d times", b.State(), answered)
		}
		b.do(b.Resume)
		b.do(func() { b.last().hello() })
		if got := b.last().ops(); !slices.Equal(got, []wire.Op{"x"}) {
			t.Errorf("sent %q", got)
		}
	})
}

// After it was resumed a call has its time again, and no more.
func TestACallThatWaitedForSomebodyStillExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		b.open()
		code := ""
		b.do(b.SignOut)
		b.do(func() { b.Call("x", nil, func(_ json.RawMessage, p *wire.Problem) { code = p.Code }) })
		b.after(time.Hour)
		if code != "" {
			t.Fatalf("failed with %q while nobody was signed in", code)
		}
		b.do(b.Resume)
		b.after(callTimeout + time.Second)
		if code != "no_answer" {
			t.Errorf("it failed with %q", code)
		}
	})
}

// A browser doesn't say why a handshake was refused, so the page asks.
func TestARefusedConnectionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t)
		refused := 0
		b.o.OnRefused = func() { refused++ }
		b.do(b.Start)
		b.do(func() { b.last().ev.Closed(1006) })
		if refused != 1 || b.State() != Reconnecting {
			t.Fatalf("told %d times, %v", refused, b.State())
		}
		b.after(longestPause)
		b.do(func() { b.last().hello() })
		b.do(func() { b.last().ev.Closed(1006) })
		if refused != 1 {
			t.Error("a connection that had been greeted was refused")
		}
	})
}
