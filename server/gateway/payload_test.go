package gateway

import (
	"fmt"
	"net/http"
	"runtime"
	"testing"
	"time"
	"weak"

	"screentest/shared/gateway"
)

// What was sent is let go while the reply still comes.
func TestARequestIsNotKeptForItsReply(t *testing.T) {
	end := make(chan struct{})
	p := newPeer(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {}\n\n")
		w.(http.Flusher).Flush()
		<-end
	})
	defer close(end)
	c := newClient(t, p.URL, Options{})
	send := func() (weak.Pointer[[1 << 20]byte], func() error) {
		body := new([1 << 20]byte)
		for i := range body {
			body[i] = ' '
		}
		copy(body[:], `{"stream":true}`)
		rep, err := c.Stream(t.Context(), testKey, gateway.Chat, body[:])
		if err != nil {
			t.Fatal(err)
		}
		return weak.Make(body), rep.Body.Close
	}
	sent, closeReply := send()
	for deadline := time.Now().Add(10 * time.Second); sent.Value() != nil; runtime.GC() {
		if time.Now().After(deadline) {
			t.Fatal("the request is still in memory")
		}
	}
	if err := closeReply(); err != nil {
		t.Error(err)
	}
}
