package bff_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// A server that ends and has others beside it has its tabs connect to one of them.
// What they ask meanwhile is not refused: it isn't answered, so it is asked again.
func TestTabsAreSentToAnotherReplica(t *testing.T) {
	w := keyed(t, nil)
	w.stream = func(pw *io.PipeWriter, _ string, _ []byte) {} // lasts
	c := w.dial()
	w.runs.Refuse()
	w.bff.Drain()
	err := c.Call(t.Context(), wire.OpStart, turn(), nil)
	var p *wire.Problem
	if err == nil || errors.As(err, &p) {
		t.Errorf("a start is answered: %v", err)
	}
	if ce, err := c.Ended(t.Context()); ce.Code != websocket.StatusGoingAway {
		t.Errorf("the socket ended with %v, %v", ce, err)
	}
	_, res, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+wire.Path, &websocket.DialOptions{HTTPClient: wiretest.NewHTTP()})
	if err == nil || res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("a new socket gets %v, %v", res, err)
	}
	if page, err := http.Get(w.url + "/"); err != nil || page.StatusCode != http.StatusOK {
		t.Errorf("the page gets %v, %v", page, err)
	} else {
		page.Body.Close()
	}
}

// A browser that was shown more of an answer by a replica that is gone waits for the
// rest, and is told of the end that there is.
func TestAReaderFromBeyondWhatThereIs(t *testing.T) {
	w := keyed(t, nil)
	pipes := make(chan *io.PipeWriter, 1)
	w.stream = func(pw *io.PipeWriter, _ string, _ []byte) { pipes <- pw }
	c := w.dial()
	for _, lost := range []bool{false, true} {
		s := turn()
		if err := c.Call(t.Context(), wire.OpStart, s, nil); err != nil {
			t.Fatal(err)
		}
		pw := <-pipes
		said := chunk("Hello ") + chunk("there") + usage + done
		from := int64(len(chunk("Hello ")))
		if lost {
			from = int64(len(said)) + 1000
		}
		if err := c.Call(t.Context(), wire.OpRead, wire.Read{Run: s.Run, From: from}, nil); err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(pw, said)
		pw.Close()
		want := said[min(from, int64(len(said))):]
		l, err := c.Log(t.Context(), s.Run, wiretest.Whole)
		if err != nil || string(l.Bytes) != want || l.From != int64(len(said)-len(want)) {
			t.Errorf("from %d on come %q from %d, %v", from, l.Bytes, l.From, err)
		}
	}
}
