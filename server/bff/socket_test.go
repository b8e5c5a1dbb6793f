package bff_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/google/uuid"

	"screentest/server/bff"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

func TestForeignOriginsAreRefused(t *testing.T) {
	w := newWorld(t, func(c *bff.Config) { c.PublicURL = mustParse(t, "https://Play.example.com:443") })
	for origin, ok := range map[string]bool{
		w.url:                           true,
		"https://play.example.com":      true,
		"":                              true, // no browser
		"https://evil.example":          false,
		"http://play.example.com":       false,
		"https://play.example.com:8443": false,
		"http://127.0.0.1:1":            false,
		"null":                          false,
		"file://":                       false,
	} {
		header := http.Header{}
		if origin != "" {
			header.Set("Origin", origin)
		}
		h := wiretest.NewHTTP()
		conn, res, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+wire.Path, &websocket.DialOptions{HTTPClient: h, HTTPHeader: header})
		if (err == nil) != ok {
			t.Errorf("Origin %q: %v", origin, err)
		}
		if err == nil {
			_ = conn.CloseNow()
		} else if res.StatusCode != http.StatusForbidden {
			t.Errorf("Origin %q: %s", origin, res.Status)
		} else if cookies := res.Header["Set-Cookie"]; len(cookies) > 0 {
			// It would take the place of the session that holds the key.
			t.Errorf("Origin %q was given the session %q", origin, cookies)
		}
	}
}

func TestGreetingIsTheFirstMessage(t *testing.T) {
	w := keyed(t, nil)
	for range 20 {
		conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.url, "http")+wire.Path, nil)
		if err != nil {
			t.Fatal(err)
		}
		// A call at once, as fast as the handshake lets it.
		if err := conn.Write(t.Context(), websocket.MessageText, []byte(`{"id":1,"op":"ping"}`)); err != nil {
			t.Fatal(err)
		}
		conn.SetReadLimit(1 << 20)
		_, msg, err := conn.Read(t.Context())
		if err != nil || !bytes.Contains(msg, []byte(`"event":"hello"`)) {
			t.Fatalf("first comes %s, %v", msg, err)
		}
		_ = conn.CloseNow()
	}
}

func TestMessagesThatNoPageSends(t *testing.T) {
	w := keyed(t, nil)
	for _, tt := range []struct {
		name string
		kind websocket.MessageType
		msg  []byte
		code websocket.StatusCode
	}{
		{"binary", websocket.MessageBinary, []byte("x"), websocket.StatusUnsupportedData},
		{"no JSON", websocket.MessageText, []byte("hello"), websocket.StatusPolicyViolation},
		{"no id", websocket.MessageText, []byte(`{"op":"ping"}`), websocket.StatusPolicyViolation},
		{"a list", websocket.MessageText, []byte(`[]`), websocket.StatusPolicyViolation},
		{"too long", websocket.MessageText, bytes.Repeat([]byte(" "), wire.MaxCall+1), websocket.StatusMessageTooBig},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := w.dial()
			if err := c.Conn().Write(t.Context(), tt.kind, tt.msg); err != nil {
				t.Fatal(err)
			}
			ce, err := c.Ended(t.Context())
			if err != nil || ce.Code != tt.code || ce.Reason == "" {
				t.Errorf("closed with %+v, %v", ce, err)
			}
		})
	}
}

func TestTooManyCallsCloseTheSocket(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	for i := range 10_000 {
		if c.Conn().Write(t.Context(), websocket.MessageText, fmt.Appendf(nil, `{"id":%d,"op":"ping"}`, i+1)) != nil {
			break
		}
	}
	ce, err := c.Ended(t.Context())
	// A close frame may be lost where the client is still writing.
	if err == nil && ce.Code != websocket.StatusPolicyViolation {
		t.Errorf("closed with %+v", ce)
	}
}

func TestCallsThatAreRefused(t *testing.T) {
	w := keyed(t, nil)
	c := w.dial()
	for _, tt := range []struct {
		name string
		op   wire.Op
		args any
		code string
	}{
		{"an unknown call", "dance", nil, "unknown_call"},
		{"arguments of another type", wire.OpRename, []int{1}, "invalid_call"},
		{"a run that is not there", wire.OpRead, wire.Read{Run: uuid.NewString()}, "run_not_found"},
		{"a run whose id is none", wire.OpRead, wire.Read{Run: "../x"}, "run_not_found"},
		{"a conversation that is not there", wire.OpOpen, wire.Page{Conversation: uuid.NewString()}, "not_found"},
		{"a title for one that is not there", wire.OpRename, wire.Rename{ID: uuid.NewString(), Title: "x"}, "not_found"},
		{"the end of one that is not there", wire.OpStop, wire.Target{ID: uuid.NewString()}, "run_not_found"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := c.Call(t.Context(), tt.op, tt.args, nil)
			var p *wire.Problem
			if !errors.As(err, &p) || p.Code != tt.code || p.Message == "" {
				t.Errorf("the answer is %v", err)
			}
		})
	}
	if err := c.Call(t.Context(), wire.OpPing, nil, nil); err != nil {
		t.Errorf("after all that, a ping: %v", err)
	}
}

func TestAnswerComesToEveryTab(t *testing.T) {
	w := keyed(t, nil)
	a, b := w.dial(), w.dial()
	s := turn()
	w.start(a, s)
	l, err := a.Log(t.Context(), s.Run, wiretest.Whole)
	if err != nil {
		t.Fatal(err)
	}
	if want := chunk("Hello ") + chunk("there") + usage + done; string(l.Bytes) != want || l.Type != "text/event-stream" || l.From != 0 {
		t.Errorf("read %q of type %q", l.Bytes, l.Type)
	}
	for name, c := range map[string]*wiretest.Client{"its own": a, "the other": b} {
		r, err := c.RunEnd(t.Context(), s.Run)
		if err != nil || r.State != wire.Done || r.CostNanoUSD == 0 {
			t.Errorf("%s tab: %+v, %v", name, r, err)
		}
		sum, err := wiretest.News(t.Context(), c, wire.EventConversation, func(x wire.Summary) bool { return x.ID == s.Conversation && x.Running == 0 && x.CostNanoUSD > 0 })
		if err != nil || sum.Title != "Hello there" {
			t.Errorf("%s tab: %+v, %v", name, sum, err)
		}
	}
	var opened wire.Opened
	if err := b.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: s.Conversation}, &opened); err != nil {
		t.Fatal(err)
	}
	if len(opened.Messages) != 2 || opened.Messages[1].Text != "Hello there" || opened.Messages[1].Run.State != wire.Done {
		t.Errorf("opened %+v", opened)
	}

	var sum wire.Summary
	if err := a.Call(t.Context(), wire.OpRename, wire.Rename{ID: s.Conversation, Title: "Another"}, &sum); err != nil || sum.Title != "Another" {
		t.Errorf("renamed: %+v, %v", sum, err)
	}
	if _, err := wiretest.News(t.Context(), b, wire.EventConversation, func(x wire.Summary) bool { return x.Title == "Another" }); err != nil {
		t.Error(err)
	}
	if err := a.Call(t.Context(), wire.OpDelete, wire.Target{ID: s.Conversation}, nil); err != nil {
		t.Error(err)
	}
	if _, err := wiretest.News(t.Context(), b, wire.EventDeleted, func(x wire.Target) bool { return x.ID == s.Conversation }); err != nil {
		t.Error(err)
	}
	var page wire.ConversationPage
	if err := b.Call(t.Context(), wire.OpConversations, wire.Page{}, &page); err != nil || len(page.Conversations) != 0 {
		t.Errorf("the list: %+v, %v", page, err)
	}
}

func TestConversationIsDeletedWhileItIsAnswered(t *testing.T) {
	w := keyed(t, nil)
	w.stream = func(pw *io.PipeWriter, _ string, _ []byte) { fmt.Fprint(pw, chunk("never ends ")) }
	c := w.dial()
	s := turn()
	w.start(c, s)
	if _, err := c.Log(t.Context(), s.Run, func(l wiretest.Log) bool { return len(l.Bytes) > 0 }); err != nil {
		t.Fatal(err)
	}
	if err := c.Call(t.Context(), wire.OpDelete, wire.Target{ID: s.Conversation}, nil); err != nil {
		t.Fatal(err)
	}
	if r, err := c.RunEnd(t.Context(), s.Run); err != nil || r.State != wire.Stopped {
		t.Errorf("ended %s, %v", r.State, err)
	}
	if err := c.Call(t.Context(), wire.OpOpen, wire.Page{Conversation: s.Conversation}, nil); err == nil {
		t.Error("it can still be opened")
	}
}

// One tab goes, another comes, a third starts in the middle, one stops reading
// and starts again: all see the same bytes, and the run does not notice.
// The longest header of a log frame is one whose every character is escaped.
func TestAnyContentTypeIsReadOverTheSocket(t *testing.T) {
	w := keyed(t, nil)
	for _, kind := range []string{strings.Repeat("<", 500), strings.Repeat("\"", 500), strings.Repeat("\xff", 500), "text/html\t;\u2028"} {
		w.kind = kind
		c := w.dial()
		s := turn()
		w.start(c, s)
		if l, err := c.Log(t.Context(), s.Run, wiretest.Whole); err != nil || !bytes.Contains(l.Bytes, []byte("Hello")) {
			t.Errorf("%.20q: %v", kind, err)
		}
		if err := c.Call(t.Context(), wire.OpPing, nil, nil); err != nil {
			t.Errorf("%.20q: the socket is closed: %v", kind, err)
		}
	}
}

func TestShutdownTellsThePage(t *testing.T) {
	w := keyed(t, nil)
	w.stream = func(pw *io.PipeWriter, _ string, _ []byte) { fmt.Fprint(pw, chunk("never ends ")) }
	c := w.dial()
	s := turn()
	w.start(c, s)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	w.bff.Close(ctx)
	if ctx.Err() != nil {
		t.Error("the sockets were not closed in time")
	}
	if ce, err := c.Ended(ctx); err != nil || ce.Code != websocket.StatusServiceRestart {
		t.Errorf("closed with %+v, %v", ce, err)
	}
	// Nobody comes in any more.
	late, err := wiretest.Dial(ctx, w.url, wiretest.NewHTTP())
	if err == nil {
		if ce, err := late.Ended(ctx); err != nil || ce.Code != websocket.StatusTryAgainLater {
			t.Errorf("a late one is closed with %+v, %v", ce, err)
		}
		late.Close()
	}
}
