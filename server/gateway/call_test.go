package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/reply"
)

func TestRequests(t *testing.T) {
	p := newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		write(w, `{"id":"task_1","code":"success","data":{"task_id":"task_1","status":"QUEUED"}}`)
	})
	odd := "{ \"model\" : \"x\",\n\"messages\":[],\t\"stream\":true }"
	for base, prefix := range map[string]string{p.URL: "", p.URL + "/api/gw/": "/api/gw", p.URL + "/v1": ""} {
		c := newClient(t, base, Options{})
		for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
			r, err := c.Stream(t.Context(), testKey, ep, []byte(odd))
			if err != nil {
				t.Fatal(err)
			}
			finish(t, r)
		}
		if _, err := c.CreateVideo(t.Context(), testKey, []byte(odd)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Task(t.Context(), testKey, "task_1"); err != nil {
			t.Fatal(err)
		}
		got := p.requests()
		p.seen = nil
		want := []string{
			"F3 POST " + prefix + "/v1/chat/completions", "F4 POST " + prefix + "/v1/responses",
			"F5 POST " + prefix + "/v1/video/generations", "F118 F160 GET " + prefix + "/v1/video/generations/task_1",
		}
		for i, w := range want {
			g := got[i]
			if !strings.HasSuffix(w, " "+g.Method+" "+g.Path) {
				t.Errorf("F1 F170 %s: got %s %s", w, g.Method, g.Path)
			}
			if a := g.Header.Get("Authorization"); a != "Bearer "+testKey {
				t.Errorf("F159 F160 %s: Authorization %q", w, a)
			}
			if g.Header.Get("Accept-Encoding") != "identity" {
				t.Errorf("%s: Accept-Encoding %q", w, g.Header.Get("Accept-Encoding"))
			}
			kind, body := "application/json", odd
			if g.Method == "GET" {
				kind, body = "", ""
			}
			if g.Header.Get("Content-Type") != kind || g.Body != body {
				t.Errorf("F115 F118 %s: Content-Type %q, body %q", w, g.Header.Get("Content-Type"), g.Body)
			}
		}
	}
	c := newClient(t, p.URL, Options{})
	if _, err := c.Stream(t.Context(), testKey, gateway.Video, nil); err == nil {
		t.Error("F5 a video was streamed")
	}
	for _, id := range []string{"", "6f1c2d3e-4a5b-4c6d-8e7f-001122334455", "task_../../x", "task_1?x"} {
		if _, err := c.Task(t.Context(), testKey, id); err == nil {
			t.Errorf("F118 asked for the task %q", id)
		}
	}
	if n := len(p.requests()); n > 0 {
		t.Errorf("F118 F119 %d requests went out", n)
	}
}

// net/http sends a request again on another connection if it can read its body
// again or is told that it may: it must have neither.
func TestRequestsCannotBeReplayed(t *testing.T) {
	c := newClient(t, "http://gw.invalid", Options{})
	n := 0
	c.api.Transport = roundTripper(func(r *http.Request) (*http.Response, error) {
		n++
		if r.GetBody != nil || r.Header.Get("Idempotency-Key") != "" || r.Header.Get("X-Idempotency-Key") != "" {
			t.Errorf("G35 %s %s can be sent again", r.Method, r.URL)
		}
		return nil, errors.New("not sent")
	})
	_, _ = c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	_, _ = c.CreateVideo(t.Context(), testKey, []byte(testBody))
	if n != 2 {
		t.Errorf("G35 %d round trips, want 2", n)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A stream's bytes come as they are sent, and its time is not bounded.
func TestStream(t *testing.T) {
	pieces := []string{": PING\n\n", "data: {\"choices\":[{\"delta\":{\"con", "tent\":\"\xf0\x9f", "\x98\x80\"}}]}\n\n", "data: [DONE]\n\n"}
	next := make(chan struct{})
	p := newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("X-Oneapi-Request-Id", "req-1")
		w.Header().Set("X-Request-Id", "req-2")
		for _, s := range pieces {
			write(w, s)
			<-next
		}
	})
	c := newClient(t, p.URL, Options{})
	r, err := c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.Status != 200 || r.ContentType != "text/event-stream; charset=utf-8" || r.RequestID != "req-1" {
		t.Errorf("F117 S reply %+v", r)
	}
	buf := make([]byte, 4096)
	for i, want := range pieces {
		n, err := io.ReadAtLeast(r.Body, buf, len(want))
		if err != nil || string(buf[:n]) != want {
			t.Fatalf("piece %d: %q, %v, want %q", i, buf[:n], err, want)
		}
		next <- struct{}{}
	}
	if n, err := r.Body.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("at the end: %d, %v", n, err)
	}
}

func TestBodyWithASmallBuffer(t *testing.T) {
	whole := strings.Repeat("data: x"+testKey+"y\n\n", 50)
	p := newPeer(t, func(w http.ResponseWriter, r *http.Request) { write(w, whole) })
	c := newClient(t, p.URL, Options{})
	for _, size := range []int{1, 3, 40, 4096} {
		r, err := c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		buf := make([]byte, size)
		for {
			n, err := r.Body.Read(buf)
			got.Write(buf[:n])
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		r.Body.Close()
		if want := strings.ReplaceAll(whole, testKey, strings.Repeat("*", len(testKey))); got.String() != want {
			t.Errorf("G40 in reads of %d: %q", size, got.String())
		}
	}
}

func TestContextEndsACallAtOnce(t *testing.T) {
	stop := make(chan struct{})
	p := newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			write(w, "data: {}\n\n")
		}
		select {
		case <-stop:
		case <-r.Context().Done():
		}
	})
	defer close(stop)
	c := newClient(t, p.URL, Options{})
	why := errors.New("the person has stopped it")

	ctx, cancel := context.WithCancelCause(t.Context())
	r, err := c.Stream(ctx, testKey, gateway.Chat, []byte(testBody))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	_, err = io.ReadAll(r.Body)
	if !errors.Is(err, why) || problem(t, err).Code != reply.CodeStopped {
		t.Errorf("in mid-stream: %v", err)
	}
	r.Body.Close()

	ctx, cancel = context.WithCancelCause(t.Context())
	time.AfterFunc(20*time.Millisecond, func() { cancel(why) })
	_, err = c.Stream(ctx, testKey, gateway.Responses, []byte(testBody))
	if !errors.Is(err, why) || problem(t, err).Code != reply.CodeStopped || certain(t, err) {
		t.Errorf("before the header: %v", err)
	}

	r, err = c.Stream(t.Context(), testKey, gateway.Chat, []byte(testBody))
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(20*time.Millisecond, func() { r.Body.Close() })
	if _, err = io.ReadAll(r.Body); err == nil || problem(t, err).Code != reply.CodeStopped {
		t.Errorf("closed while it was read: %v", err)
	}
}
