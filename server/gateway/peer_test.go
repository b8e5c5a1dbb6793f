package gateway

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"screentest/server/upstream"
	"screentest/shared/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	testKey  = "sk-canary-0123456789abcdef"
	testBody = `{"model":"vendor/model-a","messages":[{"role":"user","content":"Hi"}],"stream":true}`
)

// sent is a request as a gateway saw it.
type sent struct {
	Method, Path, Body string
	Header             http.Header
}

// peer is a gateway that does what a test tells it.
type peer struct {
	*httptest.Server
	mu   sync.Mutex
	seen []sent
}

func newPeer(t *testing.T, h http.HandlerFunc) *peer {
	t.Helper()
	p := &peer{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Errorf("request body: %v", err)
		}
		p.mu.Lock()
		p.seen = append(p.seen, sent{r.Method, r.RequestURI, string(body), r.Header.Clone()})
		p.mu.Unlock()
		h(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *peer) requests() []sent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]sent(nil), p.seen...)
}

func newClient(t *testing.T, base string, opt Options) *Client {
	t.Helper()
	c, err := New(base, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// problem is the problem in an error.
func problem(t *testing.T, err error) *wire.Problem {
	t.Helper()
	var p *wire.Problem
	if !errors.As(err, &p) {
		t.Fatalf("error %v has no problem in it", err)
	}
	var e *upstream.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no *upstream.Error", err)
	}
	if strings.Contains(err.Error(), testKey) || strings.Contains(p.Raw+p.Message+p.Hint, testKey) {
		t.Errorf("G40 the key is in the error: %v, %+v", err, p)
	}
	return p
}

func certain(t *testing.T, err error) bool {
	t.Helper()
	var e *upstream.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no *upstream.Error", err)
	}
	return !e.Uncertain
}

// finish reads a reply to its end and closes it.
func finish(t *testing.T, r *upstream.Reply) string {
	t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		t.Errorf("read the reply: %v", err)
	}
	r.Body.Close()
	return string(b)
}

func write(w http.ResponseWriter, s string) {
	_, _ = io.WriteString(w, s) // a peer that has gone is part of some tests
	_ = http.NewResponseController(w).Flush()
}
