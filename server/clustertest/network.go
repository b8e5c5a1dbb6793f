package clustertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"
)

// A network is what lies between the replicas and what they stand on: toxiproxy,
// which cuts it and makes it slow.
type network struct{ api string }

func newNetwork(t testing.TB) *network {
	t.Helper()
	path, port := tool(t, "toxiproxy"), freePorts(t, 1)[0]
	helper(t, at(port), path, "-host", "127.0.0.1", "-port", strconv.Itoa(port))
	return &network{"http://" + at(port)}
}

// A Line passes on, from a port of its own.
type Line struct {
	network *network
	name    string
	Port    int
}

// line makes a line to an address.
func (n *network) line(t testing.TB, name, to string) *Line {
	t.Helper()
	l := &Line{n, name, freePorts(t, 1)[0]}
	n.do(t, "POST", "/proxies", map[string]any{"name": name, "listen": at(l.Port), "upstream": to, "enabled": true})
	return l
}

// Cut breaks all that goes over the line, and takes nothing more.
func (l *Line) Cut(t testing.TB) { t.Helper(); l.set(t, map[string]any{"enabled": false}) }

// Mend takes back a Cut.
func (l *Line) Mend(t testing.TB) { t.Helper(); l.set(t, map[string]any{"enabled": true}) }

// Lead has the line lead elsewhere from now on; what goes over it breaks.
func (l *Line) Lead(t testing.TB, port int) {
	t.Helper()
	l.set(t, map[string]any{"enabled": false})
	l.set(t, map[string]any{"enabled": true, "upstream": at(port)})
}

// Slow has all that comes back take so much longer; 0: no longer.
func (l *Line) Slow(t testing.TB, by time.Duration) {
	t.Helper()
	toxics := "/proxies/" + l.name + "/toxics"
	if by == 0 {
		l.network.do(t, "DELETE", toxics+"/slow", nil)
		return
	}
	l.network.do(t, "POST", toxics, map[string]any{
		"name": "slow", "type": "latency", "stream": "downstream", "attributes": map[string]any{"latency": by.Milliseconds()},
	})
}

func (l *Line) set(t testing.TB, what map[string]any) {
	t.Helper()
	l.network.do(t, "POST", "/proxies/"+l.name, what)
}

func (n *network) do(t testing.TB, method, path string, body any) {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequest(method, n.api+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		text, _ := io.ReadAll(res.Body)
		t.Fatal(fmt.Errorf("toxiproxy: %s %s: %s: %s", method, path, res.Status, text))
	}
}
