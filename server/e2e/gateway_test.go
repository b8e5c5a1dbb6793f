package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// badGateway is a gateway that goes wrong in the way that the prompt names, as
// real ones and the proxies in front of them do.
type badGateway struct {
	*httptest.Server

	mu    sync.Mutex
	seen  map[string]int // requests by fault
	leave chan struct{}  // closed when the test ends, for the ones that hang
}

func newBadGateway(t *testing.T) *badGateway {
	g := &badGateway{seen: map[string]int{}, leave: make(chan struct{})}
	g.Server = httptest.NewServer(g)
	t.Cleanup(func() {
		close(g.leave)
		g.Server.Close()
	})
	return g
}

// count returns how many requests came with that fault.
func (g *badGateway) count(fault string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.seen[fault]
}

func (g *badGateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Messages []struct{ Content string }
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(raw, &body) != nil || len(body.Messages) == 0 {
		http.Error(w, "not a chat request", http.StatusTeapot)
		return
	}
	fault := strings.TrimSpace(body.Messages[len(body.Messages)-1].Content)
	g.mu.Lock()
	g.seen[fault]++
	g.mu.Unlock()

	answer := func(status int, contentType, text string) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("X-Request-Id", "req-7731")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
	failure := func(status int, code, message string) {
		answer(status, "application/json", fmt.Sprintf(`{"error":{"message":%q,"type":"error","code":%q}}`, message, code))
	}
	switch fault {
	case "unauthorized":
		failure(401, "invalid_api_key", "Incorrect API key provided: "+r.Header.Get("Authorization"))
	case "limited":
		w.Header().Set("Retry-After", "17")
		failure(429, "rate_limit_exceeded", "Rate limit reached")
	case "broken":
		failure(500, "server_error", "The server had an error")
	case "page":
		answer(200, "text/html", "<!doctype html><title>Welcome to nginx!</title><script>alert(1)</script>")
	case "bad gateway":
		answer(502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>")
	case "empty":
		answer(200, "text/event-stream", "")
	case "hang up":
		panic(http.ErrAbortHandler)
	case "stop":
		half(w)
		panic(http.ErrAbortHandler)
	case "end early":
		half(w)
	case "hang":
		half(w)
		select {
		case <-r.Context().Done():
		case <-g.leave:
		}
	default:
		half(w)
		_, _ = io.WriteString(w, chunk(" world.")+
			`data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+
			"\n\ndata: [DONE]\n\n")
	}
}

// half starts an answer and leaves it there.
func half(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, chunk("Hello"))
	w.(http.Flusher).Flush()
}

func chunk(text string) string {
	return fmt.Sprintf(`data: {"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":%q}}]}`, text) + "\n\n"
}
