package bff_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"screentest/server/bff"
	"screentest/shared/wire"
)

// longAnswer stores a conversation whose one answer is n bytes long.
func (w *world) longAnswer(n int) wire.Start {
	w.t.Helper()
	w.stream = func(pw *io.PipeWriter, _ string, _ []byte) {
		for i := 0; i < n; i += 64 << 10 {
			fmt.Fprint(pw, chunk(strings.Repeat("0123456 ", 8<<10)))
		}
		fmt.Fprint(pw, done)
		pw.Close()
	}
	c := w.dial()
	s := turn()
	if err := c.Call(w.t.Context(), wire.OpStart, s, nil); err != nil {
		w.t.Fatal(err)
	}
	if r, err := c.RunEnd(w.t.Context(), s.Run); err != nil || r.State != wire.Done {
		w.t.Fatalf("%+v, %v", r, err)
	}
	return s
}

type conversations = bff.Conversations

type countedOpens struct {
	conversations
	n *atomic.Int64
}

func (c countedOpens) OpenConversation(ctx context.Context, owner string, p wire.Page) (wire.Opened, error) {
	defer c.n.Add(1)
	return c.conversations.OpenConversation(ctx, owner, p)
}

// A tab that asks for a long answer again and again and reads none made the
// server hold all of them: 600 MB for 80 of 8 MiB.
func TestATabThatDoesNotReadHoldsLittle(t *testing.T) {
	const opens, size = 15, 2 << 20
	var opened atomic.Int64
	w := keyed(t, func(c *bff.Config) {
		c.Conversations = countedOpens{c.Conversations, &opened}
	})
	s := w.longAnswer(size)
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+wire.Path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	conn.SetReadLimit(32 << 20)
	args, _ := json.Marshal(wire.Page{Conversation: s.Conversation})
	for i := range opens {
		if err := conn.Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"id":%d,"op":"open","args":%s}`, i+1, args)); err != nil {
			t.Fatal(err)
		}
	}
	// Nothing is read until the calls are held up, or all are answered.
	for up := 0; up < 1000 && opened.Load() < opens; up++ {
		if !bff.HeldUp(w.bff) {
			up = 0
		}
		runtime.Gosched()
	}
	for answers := 0; answers < opens; {
		_, msg, err := conn.Read(t.Context())
		if err != nil {
			t.Fatalf("after %d answers: %v", answers, err)
		}
		if strings.HasPrefix(string(msg[:8]), `{"id":`) {
			answers++
		}
	}
	// One is on its way, one waits.
	if peak := bff.PeakHeld(w.bff); peak > 3*size {
		t.Errorf("up to %d bytes were held of answers of %d", peak, size)
	}
	// A browser that reads them all is none the worse for it, and nothing is
	// left.
	if err := w.dial().Call(t.Context(), wire.OpPing, nil, nil); err != nil {
		t.Error(err)
	}
	for bff.Held(w.bff) != 0 {
		runtime.Gosched() // until the writer has counted what it sent
	}
}

// More files than a few at a time are refused with when to ask again; those
// under way come whole.
func TestExportsAreLimitedInNumber(t *testing.T) {
	w := keyed(t, nil)
	w.longAnswer(7 << 20) // more than the kernel takes for a reader that does not read and has little room
	narrow := func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = c.(*net.TCPConn).SetReadBuffer(256 << 10)
		}
		return c, err
	}
	reader := &http.Client{Transport: &http.Transport{DialContext: narrow, DisableKeepAlives: true}}
	path := w.url + wire.ExportAllPath
	get := func() *http.Response {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := reader.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	var unread []*http.Response
	for {
		res := get()
		if res.StatusCode == http.StatusOK {
			unread = append(unread, res)
			if len(unread) > 20 {
				t.Fatal("exports are not limited")
			}
			continue
		}
		var p wire.Problem
		err := json.NewDecoder(res.Body).Decode(&p)
		res.Body.Close()
		if res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" || err != nil || p.Code != "too_many_exports" || p.Hint == "" {
			t.Errorf("one more is answered %s, %+v, %v", res.Status, p, err)
		}
		break
	}
	for _, res := range unread {
		n, err := io.Copy(io.Discard, res.Body)
		res.Body.Close()
		if err != nil || n < 7<<20 {
			t.Errorf("an export has %d bytes, %v", n, err)
		}
	}
	for {
		res := get() // until the last one has given its place up
		res.Body.Close()
		if res.StatusCode == http.StatusOK {
			return
		}
	}
}
