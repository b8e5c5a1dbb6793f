package e2e

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"screentest/server/clustertest"
	"screentest/server/e2e/rig"
	"screentest/shared/gateway"
)

// world is one server with its data folder, and a person's browser.
type world struct {
	t       *testing.T
	data    string
	gateway string // URL; "" is the sandbox inside the server
	args    []string
	server  *rig.Program
	profile *rig.Profile
	pages   []*page
	allow   []string // console errors that the test causes on purpose

	cluster *clustertest.Cluster // of which server is the first, where there are replicas
	lent    bool                 // the gateway is a sandbox of the world's own, with a key
}

// newWorld starts a server in front of the gateway ("" for the sandbox inside
// it). When the test ends it checks that no page complained in its console.
func newWorld(t *testing.T, gateway string) *world {
	t.Helper()
	return newWorldWith(t, gateway)
}

// newWorldWith is newWorld with more arguments for the server.
func newWorldWith(t *testing.T, gateway string, args ...string) *world {
	t.Helper()
	w := &world{t: t, data: t.TempDir(), gateway: gateway, args: args}
	w.start("127.0.0.1:0")
	var err error
	if w.profile, err = browser.Profile(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.end)
	w.lendPerson(w.server.URL)
	return w
}

func (w *world) start(addr string) {
	w.t.Helper()
	if n := replicas(w.t); n > 0 {
		w.startReplicas(n)
		return
	}
	args := []string{"serve", "-addr", addr, "-data", w.data}
	if w.gateway != "" {
		args = append(args, "-gateway", w.gateway, "-catalog", w.sampleFile())
	}
	args = append(args, w.args...)
	server, err := rig.Start(context.Background(), bin, nil, args...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.server = server
}

// away is what the console says while there is no server, or no network. The service
// worker is asked for a moment after the start, when there may be none.
var away = []string{"net::ERR", "WebSocket connection to", "fetching the script", "service worker registration failed"}

// sampleFile is the sample as a file of -catalog, for a gateway that lists no models.
func (w *world) sampleFile() string {
	w.t.Helper()
	file := filepath.Join(w.t.TempDir(), "catalogue.json")
	if err := os.WriteFile(file, gateway.SampleCatalogue().JSON(), 0o600); err != nil {
		w.t.Fatal(err)
	}
	return file
}

// restart starts the server again where it was, after it was killed.
func (w *world) restart() {
	w.t.Helper()
	w.start(w.server.Host())
}

func (w *world) end() {
	for i, p := range w.pages {
		for _, e := range p.tab.Errors(w.allow...) {
			w.t.Errorf("console of tab %d: %s", i+1, e)
		}
	}
	if w.t.Failed() {
		w.report()
	}
	w.profile.Close()
	if w.cluster != nil {
		for _, r := range w.cluster.Replicas {
			r.Stop()
		}
		return
	}
	if err := w.server.Stop(); err != nil {
		w.t.Errorf("the server's end: %v", err)
	}
}

// report keeps what helps to understand a failure.
func (w *world) report() {
	root, err := rig.Root()
	if err != nil {
		return
	}
	dir := filepath.Join(root, "build", "e2e")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return
	}
	for i, p := range w.pages {
		path, _ := p.tab.Path()
		w.t.Logf("tab %d is at %s", i+1, path)
		picture, err := p.tab.Screenshot()
		if err != nil {
			continue
		}
		name := filepath.Join(dir, fmt.Sprintf("%s-%d.png", strings.ReplaceAll(w.t.Name(), "/", "_"), i+1))
		if os.WriteFile(name, picture, 0o644) == nil {
			w.t.Logf("tab %d looked like %s", i+1, name)
		}
	}
	w.t.Logf("the server wrote:\n%s", w.server.Log())
}

// startSandbox starts a gateway at a readable pace, in a process of its own.
func startSandbox(t *testing.T) *rig.Program {
	t.Helper()
	return startSandboxAt(t, "127.0.0.1:0", "60")
}

func startSandboxAt(t *testing.T, addr, tokensPerSecond string, more ...string) *rig.Program {
	t.Helper()
	args := append([]string{"sandbox", "-addr", addr, "-key", sandboxKey, "-tokens-per-second", tokensPerSecond}, more...)
	p, err := rig.Start(context.Background(), bin, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop(); err != nil {
			t.Errorf("the sandbox's end: %v", err)
		}
	})
	return p
}

const sandboxKey = "sk-canary-5f1d0b7c93e24a68"

// get fetches a path of the server as a program would, without a browser.
func (w *world) get(path string) *http.Response {
	w.t.Helper()
	res, err := http.Get(w.server.URL + path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { res.Body.Close() })
	return res
}
