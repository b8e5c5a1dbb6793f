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

// A refused key is to be seen at the gateway, in every tab and after a reload,
// until the gateway takes one.
func TestARefusedKeyIsSeenAtTheGateway(t *testing.T) {
	t.Parallel()
	g := newLossyGateway(t, startSandbox(t).URL)
	w := newWorld(t, g.URL)
	p := w.keyed("/")
	p.send("Hello")
	p.settled()
	p.wait(`!!document.querySelector("#gateway .dot.good")`)
	g.locked.Store(true)
	p.send("Hello again")
	p.says("#gateway", "Key refused")
	p.says("#key-refused", "The gateway refused the key.")
	p.wait(`!!document.querySelector("#gateway .dot.bad")`)
	p.picture("key-refused")
	p.reload()
	p.says("#gateway", "Key refused")
	p.must(p.tab.Look(390, 844, true))
	p.wait(`document.querySelector("#gateway .key-refused").offsetWidth > 0`)
	p.picture("key-refused-phone")
	p.open("/settings")
	p.says("#refused-key", "The gateway refused the key that is held.")
	p.must(p.tab.Look(1440, 900, true))
	g.locked.Store(false)
	p.open("/")
	p.send("And now")
	p.wait(`!!document.querySelector("#gateway .dot.good") && !document.querySelector("#key-refused")`)
}
