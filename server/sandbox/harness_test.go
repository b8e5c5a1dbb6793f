package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/shared/gateway"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testClock is a clock that only moves when told to.
type testClock struct {
	mu sync.Mutex
	at time.Time
}

func newTestClock() *testClock { return &testClock{at: time.Unix(1795219200, 0).UTC()} }

func (c *testClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *testClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// rig is a sandbox on a real loopback port, and a client of it.
type rig struct {
	t      testing.TB
	server *Server
	http   *httptest.Server
	clock  *testClock
	key    string
}

// start runs a sandbox with a standing clock and text flat out, as cfg says
// otherwise.
func start(t testing.TB, cfg Config) *rig {
	t.Helper()
	r := &rig{t: t, clock: newTestClock(), key: DefaultKey}
	if cfg.Catalogue == nil {
		cfg.Catalogue = gateway.SampleCatalogue()
	}
	if cfg.Now == nil {
		cfg.Now = r.clock.now
	}
	if cfg.TokensPerSecond == 0 {
		cfg.TokensPerSecond = -1
	}
	s, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	r.server = s
	r.http = httptest.NewServer(s)
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		r.http.Client().CloseIdleConnections()
		r.http.Close()
	})
	return r
}

// answered is a reply that was read whole.
type answered struct {
	status int
	header http.Header
	body   []byte
	err    error // of reading the body
}

func (r *rig) do(method, path, body string, header ...string) answered {
	r.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, r.http.URL+path, strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+r.key)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		if header[i+1] == "" {
			req.Header.Del(header[i])
		} else {
			req.Header.Set(header[i], header[i+1])
		}
	}
	reply, err := r.http.Client().Do(req)
	if err != nil {
		return answered{err: err}
	}
	defer func() { _ = reply.Body.Close() }()
	b, err := io.ReadAll(reply.Body)
	return answered{reply.StatusCode, reply.Header, b, err}
}

func (r *rig) post(ep gateway.Endpoint, body string) answered {
	r.t.Helper()
	return r.do(http.MethodPost, ep.Path(), body)
}

// get reads an endpoint into v.
func (r *rig) get(path string, v any) {
	r.t.Helper()
	a := r.do(http.MethodGet, path, "")
	if a.status != http.StatusOK || a.err != nil {
		r.t.Fatalf("GET %s: %d %s %v", path, a.status, a.body, a.err)
	}
	if err := json.Unmarshal(a.body, v); err != nil {
		r.t.Fatalf("GET %s: %v: %s", path, err, a.body)
	}
}

// problem is an error in either shape.
type problem struct {
	flat                       bool
	code, message, kind, param string
}

func (a answered) problem(t testing.TB) problem {
	t.Helper()
	var nested struct {
		Error *struct {
			Message, Type, Param, Code string
		} `json:"error"`
	}
	if err := json.Unmarshal(a.body, &nested); err != nil {
		t.Fatalf("status %d, not JSON: %.300s", a.status, a.body)
	}
	if e := nested.Error; e != nil {
		return problem{code: e.Code, message: e.Message, kind: e.Type, param: e.Param}
	}
	var flat map[string]any
	if err := json.Unmarshal(a.body, &flat); err != nil {
		t.Fatal(err)
	}
	data, has := flat["data"]
	code, _ := flat["code"].(string)
	message, _ := flat["message"].(string)
	if len(flat) != 3 || !has || data != nil {
		t.Fatalf("not an error of the task shape: %s", a.body)
	}
	return problem{flat: true, code: code, message: message}
}

// account is what GET /sandbox/account says.
type accountReply struct {
	Balance  int64   `json:"balance_nano_usd"`
	Charged  int64   `json:"charged_nano_usd"`
	Returned int64   `json:"returned_nano_usd"`
	Entries  []entry `json:"entries"`
}

func (r *rig) account() (a accountReply) {
	r.t.Helper()
	r.get("/sandbox/account", &a)
	return a
}

// event is one server-sent event.
type event struct {
	name string
	data string
}

// events reads a stream as the plainest possible reader would: this server
// writes each event as it is documented, so nothing cleverer is needed.
func events(t testing.TB, b []byte) (out []event) {
	t.Helper()
	for block := range strings.SplitSeq(string(b), "\n\n") {
		if block == "" || strings.HasPrefix(block, ": ") {
			continue
		}
		var e event
		for line := range strings.SplitSeq(block, "\n") {
			name, value, ok := strings.Cut(line, ": ")
			switch {
			case ok && name == "event":
				e.name = value
			case ok && name == "data":
				e.data = value
			default:
				t.Fatalf("a line that is neither event nor data: %q", line)
			}
		}
		out = append(out, e)
	}
	return out
}

// field reads a dotted path of a JSON text: objects by name, arrays by number.
func field(t testing.TB, text, path string) any {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v: %.300s", err, text)
	}
	for name := range strings.SplitSeq(path, ".") {
		switch x := v.(type) {
		case map[string]any:
			v = x[name]
		case []any:
			n := int(name[0] - '0')
			if n >= len(x) {
				return nil
			}
			v = x[n]
		default:
			return nil
		}
	}
	return v
}

func str(v any) string {
	s, _ := v.(string)
	return s
}

// anyone wants the requests of every account.
func anyone(*account) bool { return true }
