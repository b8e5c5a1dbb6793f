package bff_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

func TestRunOutlivesItsReaders(t *testing.T) {
	w := keyed(t, nil)
	next := make(chan string)
	w.stream = func(pw *io.PipeWriter, _ string, _ []byte) {
		for p := range next {
			fmt.Fprint(pw, p)
		}
		pw.Close()
	}
	var sent bytes.Buffer
	send := func(n int) {
		for range n {
			p := chunk(fmt.Sprintf("word %d ", sent.Len()))
			sent.WriteString(p)
			next <- p
		}
	}
	reached := func(c *wiretest.Client, run string) {
		t.Helper()
		if _, err := c.Log(t.Context(), run, func(l wiretest.Log) bool { return l.From+int64(len(l.Bytes)) == int64(sent.Len()) }); err != nil {
			t.Fatal(err)
		}
	}
	a := w.dial()
	s := turn()
	w.start(a, s)
	send(50)
	reached(a, s.Run)
	if err := a.Call(t.Context(), wire.OpUnread, wire.Target{ID: s.Run}, nil); err != nil {
		t.Fatal(err)
	}
	send(50)
	b := w.dial()
	w.read(b, s.Run, 777)
	reached(b, s.Run)
	l, _ := a.Log(t.Context(), s.Run, func(wiretest.Log) bool { return true })
	w.read(a, s.Run, int64(len(l.Bytes))) // goes on where it was
	reached(a, s.Run)
	b.Close()
	send(200)
	c := w.dial()
	w.read(c, s.Run, 0)
	sent.WriteString(done)
	next <- done
	close(next)
	for name, c := range map[string]*wiretest.Client{"the first": a, "the last": c} {
		l, err := c.Log(t.Context(), s.Run, wiretest.Whole)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if !bytes.Equal(l.Bytes, sent.Bytes()) {
			t.Errorf("%s has other bytes", name)
		}
	}
	if r, err := c.RunEnd(t.Context(), s.Run); err != nil || r.State != wire.Done {
		t.Errorf("ended %+v, %v", r, err)
	}
	// Long after the end, from the store.
	d := w.dial()
	w.read(d, s.Run, 5)
	if l, err := d.Log(t.Context(), s.Run, wiretest.Whole); err != nil || !bytes.Equal(l.Bytes, sent.Bytes()[5:]) {
		t.Errorf("after the end: %d bytes, %v", len(l.Bytes), err)
	}
	for _, from := range []int64{-1, int64(sent.Len()) + 1} {
		if err := d.Call(t.Context(), wire.OpRead, wire.Read{Run: s.Run, From: from}, nil); err == nil {
			t.Errorf("offset %d is read", from)
		}
	}
}

// gatedConn reads only while its gate is open.
type gatedConn struct {
	net.Conn
	gate *sync.RWMutex // locked: closed
}

func (g gatedConn) Read(p []byte) (int, error) {
	g.gate.RLock()
	defer g.gate.RUnlock()
	_ = g.Conn.SetReadDeadline(time.Now().Add(20 * time.Millisecond)) // to look at the gate again
	n, err := g.Conn.Read(p)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return n, err
}

// A reader that does not keep up holds nothing up: the run ends, another reader
// has it all, and the slow one gets it in few large frames when it reads again.
func TestSlowReaderGetsLargerFramesAndHoldsNothingUp(t *testing.T) {
	w := keyed(t, nil)
	const size = 10 << 20 // more than the kernel keeps for the two
	word := `data: {"choices":[{"index":0,"delta":{"content":"word "}}],"padding":"` + strings.Repeat("x", 1000) + "\"}\n\n"
	w.stream = func(pw *io.PipeWriter, _ string, _ []byte) {
		for n := 0; n < size; n += len(word) {
			fmt.Fprint(pw, word)
		}
		fmt.Fprint(pw, usage, done)
		pw.Close()
	}
	var gate sync.RWMutex
	open := sync.OnceFunc(gate.Unlock)
	h := wiretest.NewHTTP()
	h.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
		var d net.Dialer
		c, err := d.DialContext(ctx, network, addr)
		if tcp, ok := c.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(128 << 10)
		}
		return gatedConn{c, &gate}, err
	}}
	slow := w.tab(h)
	quick := w.dial()
	s := turn()
	w.start(quick, s)
	w.read(slow, s.Run, 0)
	gate.Lock()
	defer open()
	if r, err := quick.RunEnd(t.Context(), s.Run); err != nil || r.State != wire.Done {
		t.Fatalf("the run ended %s, %v, %v", r.State, r.Problem, err)
	}
	whole, err := quick.Log(t.Context(), s.Run, wiretest.Whole)
	if err != nil {
		t.Fatal(err)
	}
	open()
	late, err := slow.Log(t.Context(), s.Run, wiretest.Whole)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(whole.Bytes, late.Bytes) || len(whole.Bytes) < size {
		t.Error("the slow reader has other bytes")
	}
	frames := slow.Frames()
	if most := len(whole.Bytes)/wire.MaxLogFrame + 1000; len(frames) > most {
		t.Errorf("%d frames", len(frames))
	}
	if mean := len(whole.Bytes) / len(frames); mean < 32<<10 {
		t.Errorf("%d frames of %d bytes", len(frames), mean)
	}
}

func TestStateNeverRunsBackwards(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	for range 50 {
		s := turn()
		w.start(c, s)
		r, err := c.RunEnd(t.Context(), s.Run)
		if err != nil || r.State != wire.Done {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	// The last word on each run, in the order of the messages, is its end.
	last := map[string]wire.RunState{}
	for _, p := range c.Pushes() {
		if p.Event != wire.EventRun {
			continue
		}
		var r wire.Run
		if err := json.Unmarshal(p.Data, &r); err != nil {
			t.Fatal(err)
		}
		last[r.ID] = r.State
	}
	if len(last) != 50 {
		t.Errorf("news of %d runs", len(last))
	}
	for id, state := range last {
		if state != wire.Done {
			t.Errorf("run %s is left as %s", id, state)
		}
	}
}
