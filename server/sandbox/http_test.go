package sandbox

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"screentest/shared/gateway"
)

const chatHi = `{"model":"vendor/model-a",` + hi + `}`

// F159, F160, G1: every endpoint wants the key first, and says 401 in the same
// shape everywhere.
func TestKey(t *testing.T) {
	r := start(t, Config{})
	for _, path := range []string{
		"POST /v1/chat/completions", "POST /v1/responses", "POST /v1/video/generations",
		"GET /v1/video/generations/task_x", "GET /sandbox/account", "GET /sandbox/requests", "POST /sandbox/clock",
	} {
		method, path, _ := strings.Cut(path, " ")
		for name, key := range map[string]string{"no key": "", "a wrong key": "Bearer wrong", "no scheme": DefaultKey, "another scheme": "Basic " + DefaultKey, "an empty key": "Bearer "} {
			t.Run("G1 "+path+" with "+name, func(t *testing.T) {
				// The body is wrong as well: the key is checked before it (G41).
				a := r.do(method, path, "not json", "Authorization", key)
				p := a.problem(t)
				if a.status != http.StatusUnauthorized || p.flat || p.code != "" || p.kind != "new_api_error" || !strings.HasPrefix(p.message, "Invalid token (request id: ") {
					t.Errorf("%d %s", a.status, a.body)
				}
				if strings.Contains(string(a.body), "param") {
					t.Errorf("the shape of a key error has no param: %s", a.body)
				}
			})
		}
	}
	if a := r.do("POST", "/v1/chat/completions", chatHi, "Authorization", "bearer "+DefaultKey); a.status != http.StatusOK {
		t.Errorf("the name of the scheme is compared with case: %d", a.status)
	}
}

// F2: each key has an account of its own.
func TestAccountsAreApart(t *testing.T) {
	r := start(t, Config{MoreKeys: []string{"other"}})
	r.post(gateway.Chat, chatHi)
	if a := r.account(); len(a.Entries) != 1 || a.Balance != int64(DefaultBalance)-a.Charged {
		t.Errorf("%+v", a)
	}
	r.key = "other"
	if a := r.account(); len(a.Entries) != 0 || a.Balance != int64(DefaultBalance) {
		t.Errorf("F2: another key's account has %+v", a)
	}
}

// F119, F1: what is no endpoint of the contract is 404 and nothing else.
func TestUnknownPaths(t *testing.T) {
	r := start(t, Config{})
	for _, c := range []string{
		"GET /v1/models", "GET /v1/foo", "GET /v1/dashboard/billing/subscription", "DELETE /v1/video/generations/task_x",
		"POST /v1/video/generations/task_x/cancel", "GET /v1/video/generations", "GET /v1/video/generations/", "GET /v1/chat/completions",
		"PUT /v1/responses", "POST //v1/chat/completions", "POST /v1/chat/completions/", "POST /v2/chat/completions", "GET /", "POST /sandbox/account",
	} {
		method, path, _ := strings.Cut(c, " ")
		t.Run("F119 "+c, func(t *testing.T) {
			a := r.do(method, path, "{}")
			p := a.problem(t)
			if a.status != http.StatusNotFound || p.kind != "invalid_request_error" || p.message != "Invalid URL ("+c+")" || p.flat {
				t.Errorf("%d %s", a.status, a.body)
			}
		})
	}
}

// G41: the order of checks, each request wrong in two ways.
func TestOrderOfChecks(t *testing.T) {
	r := start(t, Config{Balance: 1})
	for _, c := range []struct{ name, path, key, kind, body, want string }{
		{"G41 key before Content-Type", "/v1/responses", "wrong", "", "{}", ""},
		{"G41 Content-Type before JSON", "/v1/responses", DefaultKey, "text/plain", "no json", "invalid_request"},
		{"G41 JSON before model", "/v1/responses", DefaultKey, "application/json", `{"model":"nobody/knows","model":"x"}`, "invalid_request"},
		{"G41 model before endpoint", "/v1/responses", DefaultKey, "application/json", `{"model":"nobody/knows"}`, "model_not_found"},
		{"G41 endpoint before fields", "/v1/responses", DefaultKey, "application/json", `{"model":"vendor/model-a","input":5}`, "wrong_endpoint"},
		{"G41 fields before balance", "/v1/responses", DefaultKey, "application/json", `{"model":"vendor/beta-4.5","input":5}`, "invalid_request"},
		{"G41 balance last", "/v1/responses", DefaultKey, "application/json", `{"model":"vendor/beta-4.5","input":"x"}`, "insufficient_user_quota"},
		{"G41 fields before source", "/v1/video/generations", DefaultKey, "application/json", `{"model":"alpha-3.1-lite-extend","prompt":"x","seconds":"9","task_id":"123e4567-e89b-12d3-a456-426614174000"}`, "invalid_seconds"},
		{"G41 source before balance", "/v1/video/generations", DefaultKey, "application/json", `{"model":"alpha-3.1-lite-extend","prompt":"x","seconds":"8","task_id":"123e4567-e89b-12d3-a456-426614174000"}`, "task_not_exist"},
		{"G41 balance of a video", "/v1/video/generations", DefaultKey, "application/json", `{"model":"alpha-3.1-lite","prompt":"x","seconds":"8"}`, "insufficient_user_quota"},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := r.do("POST", c.path, c.body, "Authorization", "Bearer "+c.key, "Content-Type", c.kind)
			if p := a.problem(t); p.code != c.want {
				t.Errorf("%d %s; want %q", a.status, a.body, c.want)
			}
		})
	}
}

// G4: what the balance does not cover is refused with 403, in the endpoint's
// shape.
func TestBalance(t *testing.T) {
	r := start(t, Config{Balance: 1})
	text := r.post(gateway.Chat, chatHi)
	if p := text.problem(t); text.status != http.StatusForbidden || p.flat || p.kind != "new_api_error" || p.code != "insufficient_user_quota" {
		t.Errorf("G4: text: %d %s", text.status, text.body)
	}
	video := r.post(gateway.Video, `{"model":"alpha-3.1-lite","prompt":"x","seconds":"4"}`)
	if p := video.problem(t); video.status != http.StatusForbidden || !p.flat || p.code != "insufficient_user_quota" {
		t.Errorf("video: %d %s", video.status, video.body)
	}
	if a := r.account(); a.Balance != 1 || len(a.Entries) != 0 {
		t.Errorf("a refused call changed the account: %+v", a)
	}
}

// An account of nothing has nothing.
func TestNoBalance(t *testing.T) {
	r := start(t, Config{Balance: NoBalance})
	if a := r.account(); a.Balance != 0 {
		t.Errorf("the account has %d", a.Balance)
	}
	if a := r.post(gateway.Chat, chatHi); a.status != http.StatusForbidden || a.problem(t).code != "insufficient_user_quota" {
		t.Errorf("G4: text: %d %s", a.status, a.body)
	}
}

// F115, G38: bodies are JSON and say so.
func TestContentType(t *testing.T) {
	r := start(t, Config{})
	for _, c := range []struct {
		name, kind string
		ok         bool
	}{
		{"F115 application/json", "application/json", true},
		{"F115 with a charset", "application/json; charset=utf-8", true},
		{"G38 missing", "", false},
		{"F115 text/plain", "text/plain", false},
		{"F115 a form", "application/x-www-form-urlencoded", false},
		{"F115 nonsense", ";;;", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := r.do("POST", "/v1/chat/completions", chatHi, "Content-Type", c.kind)
			if (a.status == http.StatusOK) != c.ok {
				t.Fatalf("%d %s", a.status, a.body)
			}
			if !c.ok {
				if p := a.problem(t); a.status != http.StatusBadRequest || p.code != "invalid_request" || !strings.Contains(p.message, "Content-Type") {
					t.Errorf("%d %+v", a.status, p)
				}
			}
		})
	}
}

// A client that stops in the middle of its body, or of its connection, is not
// waited for once the server closes, and leaves nothing behind.
func TestUnfinishedRequest(t *testing.T) {
	r := start(t, Config{})
	conn, err := net.Dial("tcp", r.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", DefaultKey)
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	if a := r.post(gateway.Chat, chatHi); a.status != http.StatusOK {
		t.Errorf("%d", a.status)
	}
}

// A body that nobody here reads is waited for by the HTTP server, but not for
// ever.
func TestAnUnknownPathWaitsForNoBody(t *testing.T) {
	s, err := New(Config{Catalogue: gateway.SampleCatalogue()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	w := &deadlined{ResponseRecorder: httptest.NewRecorder()}
	s.ServeHTTP(w, httptest.NewRequest("POST", "/v1/nowhere", strings.NewReader("{")))
	if w.Code != http.StatusNotFound || w.read.IsZero() || time.Until(w.read) > bodyTimeout {
		t.Errorf("%d, the body may take until %v", w.Code, w.read)
	}
}

// deadlined notes how long it may be read.
type deadlined struct {
	*httptest.ResponseRecorder
	read time.Time
}

func (d *deadlined) SetReadDeadline(t time.Time) error { d.read = t; return nil }

// Many at once: nobody is charged twice or not at all.
func TestManyAtOnce(t *testing.T) {
	r := start(t, Config{Dir: t.TempDir(), Balance: 1 << 50})
	var wg sync.WaitGroup
	for k := range 8 {
		wg.Go(func() {
			for i := range 10 {
				c := r.create(t, clipBody("alpha-3.1-lite", fmt.Sprint("[[fail]] ", k, i), "4", ""))
				r.post(gateway.Chat, chatHi)
				r.clock.advance(time.Minute)
				r.poll(t, c.ID)
				r.account()
				r.do("GET", "/sandbox/requests", "")
			}
		})
	}
	wg.Wait()
	r.clock.advance(time.Hour)
	a := r.account()
	charged, returned, counts := int64(0), int64(0), map[string]int{}
	for _, e := range a.Entries {
		counts[e.Kind+e.Subject]++
		if e.Kind == "charge" {
			charged += int64(e.NanoUSD)
		} else {
			returned += int64(e.NanoUSD)
		}
	}
	if len(a.Entries) != 240 || len(counts) != 240 || charged != a.Charged || returned != a.Returned || returned != 80*200_000_000 || a.Balance != 1<<50-charged+returned {
		t.Errorf("%d entries, %d different; charged %d of %d, returned %d of %d", len(a.Entries), len(counts), charged, a.Charged, returned, a.Returned)
	}
	again := r.again(t, Config{Dir: r.server.cfg.Dir, Balance: 1 << 50}).account()
	if again.Balance != a.Balance || len(again.Entries) != len(a.Entries) {
		t.Errorf("after a restart: %d, %d entries", again.Balance, len(again.Entries))
	}
}
