package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"screentest/shared/wire"
)

// lossyGateway stands before the sandbox and loses the reply of a creation
// whose prompt says so; with "early" the request never gets there either.
type lossyGateway struct {
	*httptest.Server
	mu  sync.Mutex
	ids map[string]string // by prompt: the id in the reply that was lost
	n   map[string]int    // creations by prompt

	locked atomic.Bool // it refuses the key
}

func newLossyGateway(t *testing.T, sandbox string) *lossyGateway {
	t.Helper()
	g := &lossyGateway{ids: map[string]string{}, n: map[string]int{}}
	proxy := newProxy(t, sandbox)
	var prompts sync.Map // by request
	proxy.ModifyResponse = func(res *http.Response) error {
		prompt, ok := prompts.Load(res.Request.Header.Get("X-Prompt"))
		if !ok {
			return nil
		}
		var made struct{ ID string }
		if err := json.NewDecoder(res.Body).Decode(&made); err != nil {
			return err
		}
		g.mu.Lock()
		g.ids[prompt.(string)] = made.ID
		g.mu.Unlock()
		return errLost
	}
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if g.locked.Load() {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"Invalid key","type":"invalid_request_error","code":"invalid_api_key"}}`)
			return
		}
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/video/generations") {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			var asked struct{ Prompt string }
			_ = json.Unmarshal(body, &asked)
			g.mu.Lock()
			g.n[asked.Prompt]++
			g.mu.Unlock()
			switch {
			case strings.HasPrefix(asked.Prompt, "early"):
				panic(http.ErrAbortHandler)
			case strings.HasPrefix(asked.Prompt, "late"):
				key := uuid.NewString()
				prompts.Store(key, asked.Prompt)
				r.Header.Set("X-Prompt", key)
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(g.Server.Close)
	return g
}

var errLost = errors.New("the reply is lost")

// A creation whose reply was lost is never sent again; the person says how it
// ended.
func TestSettleAnUnknownCreation(t *testing.T) {
	t.Parallel()
	g := newLossyGateway(t, startSandboxAt(t, "127.0.0.1:0", "60", "-speed", "40").URL)
	w := newWorld(t, g.URL)
	p := w.keyed("/video")
	m := w.makes()

	through := m.clip("beta-video-480p", "late: a lighthouse", "6", nil)
	p.becomes(through.ID, wire.VideoUnknown)
	p.says("#standing-unsettled", "To settle")
	p.says(tile(through.ID, ".tile-state"), "may have been billed")
	remote := "#card-" + through.ID + "-remote"
	p.click(remote)
	p.keys("not an id\r")
	p.says("#card-"+through.ID+"-settle-problem", "begin with task_")
	p.must(p.tab.Eval(nil, fmt.Sprintf(`document.querySelector(%q).value = ""`, remote)))
	p.click(remote)
	g.mu.Lock()
	id := g.ids["late: a lighthouse"]
	g.mu.Unlock()
	p.keys(id + "\r")
	p.becomes(through.ID, wire.VideoDone)
	if task := m.task(through.ID); !task.Charged || task.Reserved || task.Remote != id {
		t.Errorf("charged %v, reserved %v, as %s", task.Charged, task.Reserved, task.Remote)
	}

	not := m.clip("beta-video-480p", "early: a windmill", "6", nil)
	p.becomes(not.ID, wire.VideoUnknown)
	p.press("#card-" + not.ID + "-did-not")
	p.becomes(not.ID, wire.VideoRefused)
	p.says(tile(not.ID, ".tile-facts"), "not charged")
	if task := m.task(not.ID); task.Charged || task.Reserved {
		t.Errorf("charged %v, reserved %v", task.Charged, task.Reserved)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for prompt, n := range g.n {
		if n != 1 {
			t.Errorf("%q was sent %d times", prompt, n)
		}
	}
}
