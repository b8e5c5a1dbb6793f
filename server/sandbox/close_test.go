package sandbox

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"screentest/shared/gateway"
)

// A client that leaves in mid-stream ends the stream, and pays for what it was
// sent and no more.
func TestClientLeaves(t *testing.T) {
	r := start(t, Config{TokensPerSecond: 200, FirstToken: -1})
	ctx, cancel := context.WithCancel(context.Background())
	req, err := http.NewRequestWithContext(ctx, "POST", r.http.URL+"/v1/chat/completions",
		strings.NewReader(`{"model":"vendor/model-a","stream":true,"messages":[{"role":"user","content":"[[repeat: 100000]]"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+DefaultKey)
	req.Header.Set("Content-Type", "application/json")
	reply, err := r.http.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(reply.Body)
	for n := 0; n < 10 && lines.Scan(); {
		if strings.Contains(lines.Text(), `"content":"`) {
			n++
		}
	}
	cancel()
	_ = reply.Body.Close()
	// The charge is booked when the stream has ended.
	deadline := time.Now().Add(10 * time.Second)
	for {
		a := r.account()
		if len(a.Entries) == 1 {
			whole := 100_000 * int64(1_500_000_000) / 1_000_000
			if a.Charged <= 0 || a.Charged >= whole/10 {
				t.Errorf("charged %d; the whole answer costs %d", a.Charged, whole)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the stream did not end")
		}
		time.Sleep(time.Millisecond)
	}
}

// Close ends streams that would go on for long.
func TestCloseEndsStreams(t *testing.T) {
	for _, word := range []string{"[[slow]] [[repeat: 100000]]", "[[silent]]"} {
		r := start(t, Config{TokensPerSecond: 50, FirstToken: -1})
		req, err := http.NewRequest("POST", r.http.URL+"/v1/chat/completions",
			strings.NewReader(`{"model":"vendor/model-a","stream":true,"messages":[{"role":"user","content":"`+word+` say a"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+DefaultKey)
		req.Header.Set("Content-Type", "application/json")
		reply, err := r.http.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		closed := make(chan error, 1)
		go func() { closed <- r.server.Close() }()
		if _, err := io.ReadAll(reply.Body); err == nil {
			t.Errorf("%s: the stream ended as if it were whole", word)
		}
		_ = reply.Body.Close()
		if err := <-closed; err != nil {
			t.Error(err)
		}
		if a := r.post(gateway.Chat, chatHi); a.err == nil {
			t.Errorf("a closed sandbox answered %d", a.status)
		}
	}
}

// Close does not wait for clients that neither send nor read.
func TestCloseIsNotHeldUp(t *testing.T) {
	r := start(t, Config{Balance: 1 << 60})
	for _, request := range []string{
		// Half a body, and a stream of megabytes that nobody reads.
		"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sandbox\r\nContent-Type: application/json\r\nContent-Length: " +
			itoa(len(streamBody(gateway.Chat, 1_000_000))) + "\r\n\r\n" + streamBody(gateway.Chat, 1_000_000),
	} {
		conn, err := net.Dial("tcp", r.http.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		if _, err := io.WriteString(conn, request); err != nil {
			t.Fatal(err)
		}
	}
	for len(r.server.requests.of(anyone)) < 2 {
		time.Sleep(time.Millisecond) // until both are being answered
	}
	before := time.Now()
	if err := r.server.Close(); err != nil {
		t.Error(err)
	}
	if d := time.Since(before); d > bodyTimeout/2 {
		t.Errorf("Close took %v", d)
	}
}
