package run_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"screentest/server/payer"
	"screentest/server/run"
	"screentest/shared/wire"
)

func TestARunIsReadAtAnotherReplica(t *testing.T) {
	w := newTwins(t, nil)
	s := turn()
	w.a.start(s)
	c := w.a.call()
	c.stream(events)
	c.send(t, "%s", chunk("Begun "))
	w.a.reader(s.Run).have(t, chunk("Begun "))

	var readers []*reader
	for range 20 {
		r := w.b.reader(s.Run)
		r.have(t, chunk("Begun "))
		readers = append(readers, r)
	}
	want := chunk("Begun ")
	for i := range 200 {
		text := chunk(fmt.Sprint("piece ", i, " "))
		c.send(t, "%s", text)
		want += text
		if i%50 == 0 {
			readers[i%20].have(t, want)
		}
	}
	want += finish + usage + done
	c.send(t, "%s", finish+usage+done)
	c.pipe.Close()
	for i, r := range readers {
		if got := r.toEnd(t); got != want {
			t.Fatalf("reader %d has %d bytes that differ from the %d sent", i, len(got), len(want))
		}
		if r.log.ContentType() != events {
			t.Errorf("its type is %q", r.log.ContentType())
		}
	}
	if n := w.a.feeds.Load(); n != 1 {
		t.Errorf("20 readers made %d requests", n)
	}
	w.a.wait(s.Run)
	if r, _, err := w.b.Open(t.Context(), w.owner, s.Run); err != nil || r.State != wire.Done {
		t.Errorf("afterwards it is %s, %v", r.State, err)
	}
	if got := w.b.read(s.Run, 0); string(got) != want {
		t.Errorf("stored are %d bytes, sent were %d", len(got), len(want))
	}
}

func TestARunIsStoppedFromAnotherReplica(t *testing.T) {
	w := newTwins(t, nil)
	stops := map[string]func(s wire.Start) error{
		"by its id":           func(s wire.Start) error { return w.b.Manager.Stop(t.Context(), w.owner, s.Run) },
		"by its conversation": func(s wire.Start) error { return w.b.StopConversation(t.Context(), w.owner, s.Conversation) },
		"by its owner":        func(s wire.Start) error { return w.b.StopOwner(t.Context(), w.owner) },
	}
	for name, stop := range stops {
		t.Run(name, func(t *testing.T) {
			s := turn()
			w.a.start(s)
			c := w.a.call()
			c.stream(events)
			c.send(t, "%s", chunk("So far"))
			w.b.reader(s.Run).have(t, chunk("So far"))
			if err := stop(s); err != nil {
				t.Fatal(err)
			}
			if r := w.a.wait(s.Run); r.State != wire.Stopped {
				t.Errorf("it ended as %s", r.State)
			}
			if err := w.b.Manager.Stop(t.Context(), w.owner, s.Run); err != nil {
				t.Errorf("stopped again: %v", err)
			}
		})
	}
}

func TestTheSameStartAtBothReplicasCallsTheGatewayOnce(t *testing.T) {
	w := newTwins(t, nil)
	for range 10 {
		s := turn()
		var both sync.WaitGroup
		for _, x := range []*twin{w.a, w.b} {
			both.Go(func() {
				r, err := x.Start(t.Context(), payer.Payer{Owner: w.owner, Secret: canary}, s)
				if err != nil || r.ID != s.Run || r.State != wire.Running {
					t.Errorf("started: %v %v", r, err)
				}
			})
		}
		both.Wait()
		x := w.a
		var c *call
		select {
		case c = <-w.a.calls:
		case c = <-w.b.calls:
			x = w.b
		case <-time.After(20 * time.Second):
			t.Fatal("the gateway is not called")
		}
		r := x.other.reader(s.Run)
		c.stream(events)
		c.send(t, "%s", chunk("once")+finish+done)
		c.pipe.Close()
		if got := r.toEnd(t); got != chunk("once")+finish+done {
			t.Errorf("read at the other: %q", got)
		}
		x.wait(s.Run)
		if n := len(w.a.calls) + len(w.b.calls); n != 0 {
			t.Fatalf("the gateway was called %d times more", n)
		}
	}
}

// What readers of either replica were shown when the one that held the run was gone
// is in what is stored, though nothing of it was stored before.
func TestNothingThatWasShownIsLostWithAReplica(t *testing.T) {
	for _, ended := range []bool{false, true} {
		t.Run(fmt.Sprint("its end had come: ", ended), func(t *testing.T) {
			w := newTwins(t, func(c *run.Config) { c.FlushEvery = time.Hour })
			s := turn()
			w.a.start(s)
			c := w.a.call()
			c.stream(events)
			here, there := w.a.reader(s.Run), w.b.reader(s.Run)
			want := ""
			for i := range 20 {
				text := chunk(fmt.Sprint("piece ", i, " "))
				c.send(t, "%s", text)
				want += text
				here.have(t, want)
			}
			state := wire.Interrupted
			if ended {
				// The end mark has come, and the gateway keeps the connection open.
				state = wire.Done
				want += finish + usage + done
				c.send(t, "%s", finish+usage+done)
				here.have(t, want)
			}
			there.have(t, want)
			w.a.cutOff()
			if won, err := w.b.db.Replicas().TakeOver(t.Context(), w.a.n); !won || err != nil {
				t.Fatalf("taken over: %v %v", won, err)
			}
			if err := w.b.TakeOver(t.Context()); err != nil {
				t.Fatal(err)
			}
			if r := w.b.wait(s.Run); r.State != state || r.Bytes != int64(len(want)) {
				t.Errorf("ended %s with %d bytes, %d were shown", r.State, r.Bytes, len(want))
			}
			if got := there.toEnd(t); got != want {
				t.Errorf("the reader at the other has %q", got)
			}
			if got := w.b.read(s.Run, 0); string(got) != want {
				t.Errorf("stored is %q", got)
			}
			if ms, err := w.b.Times(t.Context(), w.owner, s.Run); err != nil || !ms.Ended || len(ms.Reads) < 2 {
				t.Errorf("its times: %v %v", ms, err)
			}
			// The replica that is gone is not: it was stopped, and goes on.
			if !ended {
				fmt.Fprint(c.pipe, chunk("too late")) // an error: the call was given up already
				<-c.ctx.Done()
				here.until(t, func() bool { return true })
				if here.end || string(here.got) != want {
					t.Errorf("who is gone goes on showing: end %v, %q", here.end, here.got)
				}
			}
			select {
			case r := <-w.a.end(s.Run):
				t.Errorf("who is gone tells of an end: %v", r)
			default:
			}
		})
	}
}
