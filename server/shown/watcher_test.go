package shown

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A watcher is a page that follows, as its script does.
type watcher struct {
	t      testing.TB
	body   io.ReadCloser
	lines  *bufio.Reader
	raw    strings.Builder // what came, but for beats
	page   *doc
	status int
	last   string // id of the last event
}

// watch loads the page and follows it.
func (w *world) watch(key, who string) *watcher {
	w.t.Helper()
	status, body, _ := w.get(key, who)
	if status != 200 {
		w.t.Fatalf("%d: %s", status, body)
	}
	d := newDoc(w.t, body)
	return w.follow(key, who, d, d.main("data-from"))
}

func (w *world) follow(key, who string, d *doc, from string) *watcher {
	w.t.Helper()
	r, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, w.http.URL+"/s/"+key+"/live?from="+from, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	r.Header.Set("Test-Person", who)
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { res.Body.Close() })
	return &watcher{t: w.t, body: res.Body, lines: bufio.NewReaderSize(res.Body, 1<<20), page: d, status: res.StatusCode}
}

// event reads the next event and its name, and patches the page.
func (v *watcher) event() (name string, ok bool) {
	v.t.Helper()
	name, data := "message", ""
	for {
		line, err := v.lines.ReadString('\n')
		if err != nil {
			return "", false
		}
		if !strings.HasPrefix(line, ":") {
			v.raw.WriteString(line)
		}
		line = strings.TrimSuffix(line, "\n")
		switch field, value, _ := strings.Cut(line, ": "); {
		case line == "" && data == "":
		case line == "":
			if name == "message" {
				var list []patch
				if err := json.Unmarshal([]byte(data), &list); err != nil {
					v.t.Fatalf("%v: %s", err, data)
				}
				for _, p := range list {
					v.page.apply(p)
				}
			}
			return name, true
		case field == "event":
			name = value
		case field == "data":
			data = value
		case field == "id":
			v.last = value
		}
	}
}

// until follows until the page shows something.
func (v *watcher) until(what string) {
	v.t.Helper()
	deadline := time.AfterFunc(10*time.Second, func() { v.body.Close() })
	defer deadline.Stop()
	for !strings.Contains(v.page.text(), what) {
		if name, ok := v.event(); !ok || name != "message" {
			v.t.Fatalf("%q doesn't come: %q, %v; the page is\n%s", what, name, ok, v.page.text())
		}
	}
}
