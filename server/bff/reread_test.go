package bff_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"

	"screentest/server/bff"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// rereadRuns has the first reader of a log meet its end only once a second one
// has come.
type rereadRuns struct {
	bff.Runs
	mu     sync.Mutex
	opens  int
	first  chan struct{} // closed when the first reader looks at the end
	second chan struct{} // closed when the second reader is there
}

func (r *rereadRuns) Open(ctx context.Context, owner, id string) (wire.Run, bff.Log, error) {
	run, log, err := r.Runs.Open(ctx, owner, id)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.opens++; r.opens == 1 {
		return run, waitsAtEnd{log, r}, err
	}
	return run, tellsOfWatch{log, r}, err
}

type waitsAtEnd struct {
	bff.Log
	r *rereadRuns
}

func (l waitsAtEnd) Read(ctx context.Context, dst []byte, from int64, max int) ([]byte, bool, error) {
	p, end, err := l.Log.Read(ctx, dst, from, max)
	close(l.r.first)
	<-l.r.second
	return p, end, err
}

type tellsOfWatch struct {
	bff.Log
	r *rereadRuns
}

func (l tellsOfWatch) Watch(c chan<- struct{}) {
	l.Log.Watch(c)
	close(l.r.second)
}

func TestAStartIsReadWithoutAnotherCall(t *testing.T) {
	w := keyed(t, func(*bff.Config) {})
	c := w.dial()
	s := turn()
	s.Read = true
	if err := c.Call(t.Context(), wire.OpStart, s, nil); err != nil {
		t.Fatal(err)
	}
	l, err := c.Log(t.Context(), s.Run, wiretest.Whole)
	if err != nil || l.From != 0 || !strings.HasSuffix(string(l.Bytes), done) {
		t.Fatalf("%+v, %v", l, err)
	}
	if _, err := c.RunEnd(t.Context(), s.Run); err != nil {
		t.Fatal(err)
	}
	// The same start once more, as a page that heard no answer sends it: the run
	// has ended, and its log is not sent again.
	frames := len(c.Frames())
	var again wire.Run
	if err := c.Call(t.Context(), wire.OpStart, s, &again); err != nil || again.State != wire.Done {
		t.Fatalf("%+v, %v", again, err)
	}
	if err := c.Call(t.Context(), wire.OpPing, nil, nil); err != nil {
		t.Fatal(err)
	}
	if n := len(c.Frames()); n != frames {
		t.Errorf("%d frames more", n-frames)
	}
}

// A page reads an answer anew while the last frame of its first reading is on
// its way: that reading's end took the new one with it, which then waited for
// ever.
func TestReadingAnewWhileTheFirstReadingEnds(t *testing.T) {
	runs := &rereadRuns{first: make(chan struct{}), second: make(chan struct{})}
	w := keyed(t, func(c *bff.Config) {
		runs.Runs = c.Runs
		c.Runs = runs
	})
	starter := w.dial()
	s := turn()
	if err := starter.Call(t.Context(), wire.OpStart, s, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := starter.RunEnd(t.Context(), s.Run); err != nil {
		t.Fatal(err)
	}

	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+wire.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	read := func(id int) {
		if err := conn.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"id":%d,"op":"read","args":{"run":%q}}`, id, s.Run)); err != nil {
			t.Fatal(err)
		}
	}
	read(1)
	<-runs.first
	read(2)
	for ends := 0; ends < 2; {
		kind, msg, err := conn.Read(t.Context())
		if err != nil {
			t.Fatalf("after %d ends of 2: %v", ends, err)
		}
		if kind == websocket.MessageText {
			continue
		}
		if h, _, err := wire.ParseLogFrame(msg); err != nil {
			t.Fatal(err)
		} else if h.End {
			ends++
		}
	}
}
