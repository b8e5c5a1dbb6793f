package gateway

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/reply"
)

// hijack ends a handler's connection after what it has written.
func hijack(t *testing.T, w http.ResponseWriter) net.Conn {
	t.Helper()
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Errorf("hijack: %v", err)
		return nil
	}
	return conn
}

func TestMisbehaviour(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	wait := make(chan struct{})
	defer close(wait)
	hang := func(r *http.Request) {
		select {
		case <-wait:
		case <-r.Context().Done():
		}
	}
	raw := func(s string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if conn := hijack(t, w); conn != nil {
				_, _ = io.WriteString(conn, s)
				conn.Close()
			}
		}
	}
	short := Options{SilenceTimeout: 300 * time.Millisecond, JSONTimeout: 400 * time.Millisecond}
	tests := []struct {
		name  string
		opt   Options
		serve http.HandlerFunc
		text  string // what comes before the error
		code  string
		kind  reply.Kind
		maybe bool // it may have been billed
	}{
		{name: "S a header that never comes", opt: Options{HeaderTimeout: 80 * time.Millisecond}, serve: func(_ http.ResponseWriter, r *http.Request) { hang(r) },
			code: reply.CodeSilent, kind: reply.Broken, maybe: true},
		{name: "S silence in mid-stream", opt: short, serve: func(w http.ResponseWriter, r *http.Request) { write(w, "data: {}\n\n"); hang(r) },
			text: "data: {}\n\n", code: reply.CodeSilent, kind: reply.Broken, maybe: true},
		{name: "S the connection breaks in mid-stream", serve: raw(head + "Transfer-Encoding: chunked\r\n\r\na\r\ndata: {}\n\n\r\n"),
			text: "data: {}\n\n", code: reply.CodeDropped, kind: reply.Broken, maybe: true},
		{name: "S the connection breaks before its Content-Length", serve: raw(head + "Content-Length: 100\r\n\r\ndata: {}\n\n"),
			text: "data: {}\n\n", code: reply.CodeDropped, kind: reply.Broken, maybe: true},
		{name: "S the connection closes without a word", serve: raw(""), code: reply.CodeDropped, kind: reply.Broken, maybe: true},
		{name: "S no HTTP", serve: raw("SSH-2.0-OpenSSH_9.6\r\n"), code: reply.CodeDropped, kind: reply.Broken, maybe: true},
		{name: "S a chunk's length that is none", serve: raw(head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"), code: reply.CodeDropped, kind: reply.Broken, maybe: true},
		{name: "S a header without end", serve: func(w http.ResponseWriter, r *http.Request) {
			conn := hijack(t, w)
			defer conn.Close()
			out := bufio.NewWriter(conn)
			fmt.Fprint(out, head)
			for i := range 100_000 {
				if _, err := fmt.Fprintf(out, "X-%d: %s\r\n", i, strings.Repeat("x", 1000)); err != nil {
					return
				}
			}
		}, code: reply.CodeDropped, kind: reply.Broken, maybe: true},
		{name: "S a stream without end", opt: Options{MaxReply: 1 << 20}, serve: func(w http.ResponseWriter, r *http.Request) {
			for range 3 << 10 {
				if _, err := io.WriteString(w, ":"+strings.Repeat("x", 1022)+"\n"); err != nil {
					return
				}
			}
		}, text: strings.Repeat(":"+strings.Repeat("x", 1022)+"\n", 1<<10), code: reply.CodeTooLong, kind: reply.Other},
		{name: "S a packed reply that nobody asked for", serve: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, "data: {}\n\n")
			z.Close()
		}, code: reply.CodeNotUnderstood, kind: reply.Misread, maybe: true},
		{name: "S 401 that repeats the key", serve: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(401)
			fmt.Fprintf(w, `{"error":{"message":"Invalid token %s","type":"new_api_error","code":""}}`, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
		}, code: reply.CodeBadKey, kind: reply.Key},
		{name: "S 403 quota", serve: status(403, `{"error":{"message":"no","code":"insufficient_user_quota"}}`), code: "insufficient_user_quota", kind: reply.Quota},
		{name: "S 404", serve: status(404, `{"error":{"message":"Invalid URL (POST /v1/chat/completions)"}}`), code: reply.CodeNotFound, kind: reply.Missing},
		{name: "F116 400 wrong_endpoint", serve: status(400, `{"error":{"message":"use POST /v1/responses","code":"wrong_endpoint"}}`), code: "wrong_endpoint", kind: reply.Request},
		{name: "S 429 with an empty body", serve: status(429, ""), code: reply.CodeRateLimited, kind: reply.Busy},
		{name: "S 500", serve: status(500, `{"error":{"message":"boom"}}`), code: reply.CodeServerError, kind: reply.Server},
		{name: "G3 503 model_not_found", serve: status(503, `{"error":{"message":"no channel","code":"model_not_found"}}`), code: "model_not_found", kind: reply.NoModel},
		{name: "S 502 as a web page", serve: status(502, "<html><title>502 Bad Gateway</title></html>"), code: reply.CodeServerError, kind: reply.Server, maybe: true},
		{name: "S 504", serve: status(504, ""), code: reply.CodeTimeout, kind: reply.Busy, maybe: true},
		{name: "S an error body without end", opt: short, serve: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(500)
			for {
				if _, err := io.WriteString(w, strings.Repeat("x", 32<<10)); err != nil {
					return
				}
			}
		}, code: reply.CodeServerError, kind: reply.Server, maybe: true},
		{name: "S an error body that stops", opt: short, serve: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(429)
			write(w, `{"error":`)
			hang(r)
		}, code: reply.CodeRateLimited, kind: reply.Busy},
		{name: "S an error body that drips", opt: short, serve: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(429)
			tick := time.NewTicker(10 * time.Millisecond)
			defer tick.Stop()
			for {
				select {
				case <-tick.C:
					write(w, "x")
				case <-r.Context().Done():
					return
				}
			}
		}, code: reply.CodeRateLimited, kind: reply.Busy},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPeer(t, tt.serve)
			c := newClient(t, p.URL, tt.opt)
			var text []byte
			r, err := c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
			if err == nil {
				text, err = io.ReadAll(r.Body)
				if _, again := r.Body.Read(make([]byte, 9)); again != err {
					t.Errorf("the next Read says %v, the one before %v", again, err)
				}
				r.Body.Close()
			}
			got := problem(t, err)
			if string(text) != tt.text {
				t.Errorf("text of %d bytes, want %d", len(text), len(tt.text))
			}
			if got.Code != tt.code || reply.KindOf(got) != tt.kind {
				t.Errorf("%v, kind %d, want %s, kind %d", err, reply.KindOf(got), tt.code, tt.kind)
			}
			if tt.text == "" && certain(t, err) == tt.maybe {
				t.Errorf("G35 may have been billed: want %v: %v", tt.maybe, err)
			}
			if n := len(p.requests()); n != 1 {
				t.Errorf("G35 the POST went out %d times", n)
			}
		})
	}
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// A stream that keeps speaking, if only in comments, may last as long as it
// likes, and a reader that takes its time is not the gateway's silence.
func TestNoTimeoutForTheLengthOfAStream(t *testing.T) {
	const silence = 400 * time.Millisecond
	p := newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		for range 12 {
			write(w, ": PING\n\n")
			time.Sleep(silence / 8)
		}
		write(w, "data: [DONE]\n\n")
	})
	c := newClient(t, p.URL, Options{SilenceTimeout: silence, HeaderTimeout: silence})
	r, err := c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	buf := make([]byte, 9)
	if _, err := io.ReadFull(r.Body, buf); err != nil {
		t.Fatal(err)
	}
	time.Sleep(2 * silence)
	rest, err := io.ReadAll(r.Body)
	if err != nil || !strings.HasSuffix(string(rest), "data: [DONE]\n\n") {
		t.Errorf("%q, %v", rest, err)
	}
}

// A connection that the server has closed while it was idle is found out only
// by using it. net/http sends a request again on a new one where it may; a
// POST must not be.
func TestPostIsNotReplayedOnADeadConnection(t *testing.T) {
	var conns, requests atomic.Int32
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			go func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				for first := true; ; first = false {
					req, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, req.Body)
					requests.Add(1)
					if !first {
						return // the second request on a connection gets no answer
					}
					fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 14\r\n\r\ndata: [DONE]\n\n")
				}
			}()
		}
	}()
	defer ln.Close()
	c := newClient(t, "http://"+ln.Addr().String(), Options{})
	r, err := c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if err != nil {
		t.Fatal(err)
	}
	finish(t, r)
	_, err = c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if got := problem(t, err); got.Code != reply.CodeDropped || certain(t, err) {
		t.Errorf("G35 %v", err)
	}
	if conns.Load() != 1 || requests.Load() != 2 {
		t.Errorf("G35 %d requests on %d connections, want 2 on 1: was the POST sent again?", requests.Load(), conns.Load())
	}
}

// A reply that was read to its end leaves its connection to the next call.
func TestConnectionsAreKept(t *testing.T) {
	var conns atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		write(w, "data: [DONE]\n\n")
		write(w, ": bye\n\n")
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	c := newClient(t, srv.URL, Options{})
	for range 3 {
		r, err := c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
		if err != nil {
			t.Fatal(err)
		}
		finish(t, r)
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections for three calls, one after the other", n)
	}
}

func TestUnreachable(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := ln.Addr().String()
	ln.Close()
	c := newClient(t, "http://"+addr, Options{})
	_, err = c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if p := problem(t, err); p.Code != reply.CodeUnreachable || !certain(t, err) || !strings.Contains(p.Message, "Nothing answers") {
		t.Errorf("nothing listens: %v", err)
	}
	c = newClient(t, "http://nowhere.invalid", Options{})
	_, err = c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if p := problem(t, err); p.Code != reply.CodeUnreachable || !certain(t, err) {
		t.Errorf("no such host: %v", err)
	}

	tls := httptest.NewUnstartedServer(http.NotFoundHandler())
	tls.Config.ErrorLog = log.New(io.Discard, "", 0)
	tls.StartTLS()
	defer tls.Close()
	c = newClient(t, tls.URL, Options{})
	_, err = c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if p := problem(t, err); p.Code != reply.CodeUnreachable || !certain(t, err) || !strings.Contains(p.Message, "certificate") {
		t.Errorf("a certificate nobody knows: %v", err)
	}
	var e *upstream.Error
	if errors.As(err, &e); e.Err == nil {
		t.Error("the cause is not kept for the log")
	}
}
