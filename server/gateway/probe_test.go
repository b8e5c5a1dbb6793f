package gateway

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"screentest/server/sandbox"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

func TestTidy(t *testing.T) {
	for in, want := range map[string]string{
		"https://gw.test":                                   "https://gw.test",
		"gw.test":                                           "https://gw.test",
		"gw.test/v1/":                                       "https://gw.test",
		"localhost:11434":                                   "http://localhost:11434",
		"192.168.1.7:8000/v1":                               "http://192.168.1.7:8000",
		"[::1]:8000":                                        "http://[::1]:8000",
		"https://gw.test/v1/v1":                             "https://gw.test",
		"https://gw.test/v1/chat/completions":               "https://gw.test",
		"https://gw.test/api/v1/models/":                    "https://gw.test/api",
		"https://gw.test/api/v1/responses":                  "https://gw.test/api",
		" https://gw.test/openai/v1/chat/completions ":      "https://gw.test/openai",
		"https://gw.test/mymodels":                          "https://gw.test/mymodels",
		"https://gw.test/v1/chat/completions?key=sk-canary": "",
		"": "",
	} {
		u, _, err := Tidy(in)
		got := ""
		if err == nil {
			got = u.String()
		}
		if got != want {
			t.Errorf("Tidy(%q) = %q, %v, want %q", in, got, err, want)
		}
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the error tells what was in the address: %v", err)
		}
	}
	if _, note, _ := Tidy("https://gw.test/v1/chat/completions"); !strings.Contains(note, "/v1/chat/completions was taken off") {
		t.Errorf("what was taken off isn't said: %q", note)
	}
}

// asked notes what a test sends.
type asked struct {
	mu    sync.Mutex
	lines []string
	keys  map[string]bool
}

func (a *asked) note(r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lines = append(a.lines, r.Method+" "+r.URL.Path+" "+string(body))
	if a.keys == nil {
		a.keys = map[string]bool{}
	}
	a.keys[r.Header.Get("Authorization")] = true
}

func answers(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// likeOllama asks for no key, and lists models.
func likeOllama() http.Handler {
	m := http.NewServeMux()
	m.HandleFunc("GET /v1/models", answers(200, "application/json", `{"object":"list","data":[{"id":"llama3"},{"id":"qwen3"}]}`))
	m.HandleFunc("POST /v1/chat/completions", answers(400, "application/json", `{"error":{"message":"model is required"}}`))
	return m
}

// guarded asks for a key before anything else, but for a public list of models.
func guarded(next http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.Header.Get("Authorization") != "Bearer "+testKey {
			answers(401, "application/json", `{"error":{"message":"No auth credentials found"}}`)(w, r)
			return
		}
		next.ServeHTTP(w, r)
	}
}

func TestProbe(t *testing.T) {
	sb, err := sandbox.New(sandbox.Config{Key: testKey, Catalogue: gateway.SampleCatalogue()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sb.Close() })
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect was followed") }))
	t.Cleanup(elsewhere.Close)
	for _, c := range []struct {
		name  string
		serve http.Handler
		key   string
		ok    bool
		says  string // the verdict on the key
		words []string
	}{
		{"the contract, right key", sb, testKey, true, wire.KeyAccepted, []string{"on the machine of this server", "The key is accepted.", "There are /v1/chat/completions, /v1/responses and /v1/video/generations.", "It lists no models"}},
		{"the contract, wrong key", sb, "sk-wrong-0123456789", false, wire.KeyRefused, []string{"The key is refused.", "can’t be told before a key is accepted"}},
		{"the contract, no key", sb, "", false, wire.KeyWanted, []string{"The gateway asks for a key."}},
		{"no key is asked for", likeOllama(), "", true, wire.KeyNotAsked, []string{"No key is asked for.", "There is /v1/chat/completions. There is no /v1/responses or /v1/video/generations.", "It lists 2 models."}},
		{"a key nobody asked for", likeOllama(), testKey, true, wire.KeyUnsure, []string{"requests without a key get the same answers"}},
		{"public models, right key", guarded(likeOllama()), testKey, true, wire.KeyAccepted, []string{"The key is accepted.", "It lists 2 models."}},
		{"public models, wrong key", guarded(likeOllama()), "sk-wrong-0123456789", false, wire.KeyRefused, nil},
		{"public models, no key", guarded(likeOllama()), "", false, wire.KeyWanted, nil},
		{"a web page", answers(200, "text/html", "<!doctype html><title>Dashboard</title>"), testKey, false, "", []string{"A web page answers there, no gateway."}},
		{"a web page's 404", answers(404, "text/html; charset=utf-8", "<html>no</html>"), testKey, false, "", []string{"A web page answers there"}},
		{"a redirect", http.RedirectHandler(elsewhere.URL+"/login", http.StatusFound), testKey, false, "", []string{"It redirects to another address, and no key is sent along.", elsewhere.URL + "/login"}},
		{"nothing at all", http.NotFoundHandler(), testKey, true, wire.KeyUnsure, []string{"None of the endpoints is there"}},
		{"a proxy without its gateway", answers(502, "text/html", "<html>502</html>"), testKey, false, "", []string{"A proxy answers"}},
		{"all fails", answers(500, "application/json", `{"error":"down"}`), testKey, true, wire.KeyUnsure, []string{"it can’t be told"}},
		{"a list that is none", answers(200, "application/json", `"hello"`), testKey, true, wire.KeyUnsure, []string{"Its list of models can’t be read."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got asked
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got.note(r)
				r.Body = io.NopCloser(strings.NewReader("{}"))
				c.serve.ServeHTTP(w, r)
			}))
			defer s.Close()
			client, err := New(s.URL, Options{Judged: func(string, bool) { t.Error("a test judged a key by itself") }})
			if err != nil {
				t.Fatal(err)
			}
			found := client.Probe(t.Context(), c.key, nil)
			var said strings.Builder
			for _, l := range found.Lines {
				said.WriteString(l.Mark + ": " + l.Text + " " + l.Hint + "\n")
			}
			if c.name == "nothing at all" { // none of the endpoints
				c.ok = false
			}
			if found.OK != c.ok || found.Key != c.says {
				t.Errorf("ok %v, key %q, want %v, %q:\n%s", found.OK, found.Key, c.ok, c.says, said.String())
			}
			for _, want := range c.words {
				if !strings.Contains(said.String(), want) {
					t.Errorf("it doesn't say %q:\n%s", want, said.String())
				}
			}
			if strings.Contains(said.String(), testKey) {
				t.Errorf("the key is told: %s", said.String())
			}
			for _, line := range got.lines {
				if line != "GET /v1/models " && !(strings.HasPrefix(line, "POST /v1/") && strings.HasSuffix(line, " {}")) {
					t.Errorf("a test sent %s", line)
				}
			}
			if c.key == "" && len(got.keys) != 1 || got.keys["Bearer "+gateway.NoKey] {
				t.Errorf("without a key it sent %v", got.keys)
			}
		})
	}
}

func TestProbeWhereNothingAnswers(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	secure := httptest.NewTLSServer(likeOllama())
	defer secure.Close()
	plain := httptest.NewServer(likeOllama())
	defer plain.Close()
	for name, c := range map[string]struct{ base, says string }{
		"refused":         {"http://" + closed.Addr().String(), "Nothing answers at its address and port. See whether the gateway runs"},
		"unknown name":    {"https://no-such-host.invalid", "The name of its host is not known. Check the spelling"},
		"unknown issuer":  {secure.URL, "Its certificate is not accepted. It is signed by nobody"},
		"no https there":  {strings.Replace(plain.URL, "http:", "https:", 1), "It does not speak https there; perhaps http is meant. Begin the address with http://."},
		"https, as plain": {strings.Replace(secure.URL, "https:", "http:", 1), "It speaks https there. Begin the address with https://."},
	} {
		client, err := New(c.base, Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := client.Probe(t.Context(), testKey, nil)
		if found.OK || len(found.Lines) != 1 || found.Lines[0].Mark != wire.MarkBad || !strings.HasPrefix(found.Lines[0].Text+" "+found.Lines[0].Hint, c.says) {
			t.Errorf("%s: %+v, want %q", name, found, c.says)
		}
	}
}

// A gateway that never answers doesn't hold a test.
func TestProbeOfASilentGateway(t *testing.T) {
	t.Parallel()
	leave := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-leave:
		case <-r.Context().Done():
		}
	}))
	defer s.Close()
	defer close(leave)
	client, err := New(s.URL, Options{HeaderTimeout: 1})
	if err != nil {
		t.Fatal(err)
	}
	if found := client.Probe(t.Context(), testKey, nil); found.OK || len(found.Lines) != 1 || !strings.HasPrefix(found.Lines[0].Text, "Nothing came back in 6s.") {
		t.Errorf("%+v", found)
	}
}
