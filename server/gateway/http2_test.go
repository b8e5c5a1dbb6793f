package gateway

import (
	"context"
	"errors"
	"io"
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

// Over https gateways speak HTTP/2, where many streams share a connection:
// what holds for one must not depend on it, nor harm the others.
func TestHTTP2(t *testing.T) {
	var posts atomic.Int32
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("%s %s over %s", r.Method, r.URL.Path, r.Proto)
		}
		if r.Method == http.MethodPost {
			posts.Add(1)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		write(w, "data: {}\n\n")
		switch {
		case strings.Contains(string(body), "hang"):
			<-r.Context().Done()
		case strings.Contains(string(body), "drop"):
			panic(http.ErrAbortHandler)
		default:
			time.Sleep(20 * time.Millisecond)
			write(w, "data: [DONE]\n\n")
		}
	}))
	srv.EnableHTTP2 = true
	srv.StartTLS()
	defer srv.Close()
	c := newClient(t, srv.URL, Options{SilenceTimeout: 300 * time.Millisecond})
	trust := srv.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	trust.NextProtos = nil
	c.api.Transport.(*http.Transport).TLSClientConfig = trust

	open := func(ctx context.Context, what string) *upstream.Reply {
		t.Helper()
		r, err := c.Stream(ctx, testKey, gateway.Chat, []byte(`{"stream":true,"x":"`+what+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	ctx, cancel := context.WithCancel(t.Context())
	stopped, silent, dropped := open(ctx, "hang"), open(t.Context(), "hang"), open(t.Context(), "drop")
	if got := finish(t, open(t.Context(), "")); got != "data: {}\n\ndata: [DONE]\n\n" {
		t.Errorf("F117 a stream beside others: %q", got)
	}
	cancel()
	if _, err := io.ReadAll(stopped.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("ended from our side: %v", err)
	}
	if text, err := io.ReadAll(silent.Body); problem(t, err).Code != reply.CodeSilent || string(text) != "data: {}\n\n" {
		t.Errorf("S silence: %q, %v", text, err)
	}
	if text, err := io.ReadAll(dropped.Body); problem(t, err).Code != reply.CodeDropped || string(text) != "data: {}\n\n" {
		t.Errorf("S dropped: %q, %v", text, err)
	}
	for _, r := range []*upstream.Reply{stopped, silent, dropped} {
		r.Body.Close()
	}
	if n := posts.Load(); n != 4 {
		t.Errorf("G35 four POSTs went out %d times", n)
	}
}
