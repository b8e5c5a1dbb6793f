package peer

import (
	"bytes"
	"io"
	"log/slog"
	"net/http"
	"testing"
)

// While a key is replaced, each replica signs with its first, and takes the others'.
func TestReplicasAcceptEachOtherWhileTheKeyIsReplaced(t *testing.T) {
	key := func(k byte) []byte { return bytes.Repeat([]byte{k}, 32) }
	quiet := slog.New(slog.DiscardHandler)
	links := map[string]*Link{
		"older": New("", key(1), quiet), "older, newer": New("", key(1), quiet, key(2)),
		"newer, older": New("", key(2), quiet, key(1)), "newer": New("", key(2), quiet),
	}
	strangers := map[[2]string]bool{
		{"older", "newer"}: true, {"newer", "older"}: true,
		{"newer, older", "older"}: true, // has to be given both before
		{"older, newer", "newer"}: true, // has to be given the newer one first before
	}
	for to, l := range links {
		l.Handle("GET /x", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "y") })
		srv := serve(l)
		for from, by := range links {
			resp, err := by.Ask(t.Context(), srv.URL, "GET", "/x", nil)
			if err == nil {
				resp.Body.Close()
			}
			if refused := err != nil; refused != strangers[[2]string{from, to}] {
				t.Errorf("one with %q asks one with %q: %v", from, to, err)
			}
			by.Close()
		}
		srv.Close()
	}
}
