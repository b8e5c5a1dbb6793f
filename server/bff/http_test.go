package bff_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"screentest/server/bff"
	"screentest/server/wiretest"
	"screentest/shared/wire"
)

// address of an asset in the page.
func address(t *testing.T, page, path string) string {
	t.Helper()
	m := regexp.MustCompile(regexp.QuoteMeta(path) + `\?v=[0-9a-f]+`).FindString(page)
	if m == "" {
		t.Fatalf("the page does not name %s: %s", path, page)
	}
	return m
}

func TestSecurityHeadersAreOnEveryAnswer(t *testing.T) {
	w := newWorld(t, nil)
	wasm := address(t, w.do(nil, "GET", "/", "").body, "/web/app.wasm")
	for _, tt := range []struct {
		method, path string
		status       int
		headers      []string
	}{
		{"GET", "/", 200, nil},
		{"HEAD", "/", 200, nil},
		{"GET", "/c/4711", 200, nil},
		{"GET", "/settings", 200, nil},
		{"GET", "/video", 200, nil},
		{"GET", "/video/compare", 200, nil},
		{"GET", "/healthz", 200, nil},
		{"GET", "/robots.txt", 200, nil},
		{"GET", "/sitemap.xml", 404, nil},
		{"GET", "/ads.txt", 404, nil},
		{"GET", "/app.js", 200, nil},
		{"GET", "/wasm_exec.js", 200, nil},
		{"GET", "/app-worker.js", 200, nil},
		{"GET", "/manifest.webmanifest", 200, nil},
		{"GET", "/web/app.css", 200, nil},
		{"GET", wasm, 200, nil},
		{"GET", "/web/embed.go", 404, nil},
		{"GET", "/web/app.wasm.md", 404, nil},
		{"GET", "/web/../config.go", 404, nil},
		{"GET", "/nowhere", 404, nil},
		{"GET", "/nowhere", 404, []string{"Sec-Fetch-Mode", "navigate"}},
		{"POST", "/", 405, []string{"Origin", w.url}},
		{"POST", "/web/app.wasm", 405, []string{"Origin", w.url}},
		{"GET", "/api/key", 405, nil},
		{"POST", "/api/key", 415, []string{"Origin", w.url}},
		{"POST", "/api/key", 403, []string{"Origin", "https://evil.example"}},
		{"DELETE", "/api/key", 403, []string{"Sec-Fetch-Site", "cross-site"}},
		{"GET", "/ws", 426, nil},
		{"GET", "/", 421, []string{"Host", "evil.example"}},
	} {
		t.Run(tt.method+" "+tt.path, func(t *testing.T) {
			client := wiretest.NewHTTP()
			client.CheckRedirect = func(*http.Request, []*http.Request) error { return nil }
			res := w.do(client, tt.method, tt.path, "", tt.headers...)
			if res.StatusCode != tt.status {
				t.Errorf("status %d: %s", res.StatusCode, res.body)
			}
			h := res.Header
			for name, want := range map[string]string{
				"X-Content-Type-Options":       "nosniff",
				"Cross-Origin-Opener-Policy":   "same-origin",
				"Cross-Origin-Resource-Policy": "same-origin",
				"Referrer-Policy":              "same-origin",
				"X-Frame-Options":              "DENY",
				"Content-Security-Policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob:; " +
					"media-src 'self' blob:; connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			} {
				if got := h.Get(name); got != want {
					t.Errorf("%s: %q", name, got)
				}
			}
			if !strings.Contains(h.Get("Permissions-Policy"), "camera=()") {
				t.Error("no Permissions-Policy")
			}
			if tt.method == "HEAD" && res.body != "" {
				t.Error("HEAD has a body")
			}
			if h.Get("Access-Control-Allow-Origin") != "" {
				t.Error("other sites may read it")
			}
		})
	}
}

func TestOnlyOurNamesAreAnswered(t *testing.T) {
	w := newWorld(t, func(c *bff.Config) { c.PublicURL = mustParse(t, "https://Play.Example.com") })
	_, port, _ := strings.Cut(strings.TrimPrefix(w.url, "http://"), ":")
	for host, ok := range map[string]bool{
		"localhost":               true,
		"localhost:" + port:       true,
		"LOCALHOST:1":             true, // a forwarded port
		"127.0.0.1":               true,
		"[::1]:" + port:           true,
		"play.example.com":        true,
		"play.example.com.:443":   true,
		"evil.example":            false,
		"evil.example:" + port:    false,
		"localhost.evil.example":  false,
		"127.0.0.1.evil.example":  false,
		"xplay.example.com":       false,
		"evil.example#localhost":  false,
		"0.0.0.0":                 false,
		"169.254.169.254":         false,
		"evil.example, localhost": false,
	} {
		res := w.do(nil, "GET", "/healthz", "", "Host", host)
		if got := res.StatusCode == 200; got != ok || !ok && res.StatusCode != 421 && res.StatusCode != 400 {
			t.Errorf("Host %q: %s", host, res.Status)
		}
	}
}

func TestCrossSiteRequestsAreRefused(t *testing.T) {
	w := newWorld(t, nil)
	c := w.dial()
	w.key(c, canary)
	for name, headers := range map[string][]string{
		"Sec-Fetch-Site cross-site": {"Sec-Fetch-Site", "cross-site"},
		"Sec-Fetch-Site same-site":  {"Sec-Fetch-Site", "same-site", "Origin", w.url},
		"another Origin":            {"Origin", "https://evil.example"},
		"another port":              {"Origin", "http://127.0.0.1:1"},
		"Origin null":               {"Origin", "null"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, method := range []string{"POST", "DELETE"} {
				res := w.do(c.HTTP, method, "/api/key", `{"key":"sk-other-0123456789"}`, append(headers, "Content-Type", "application/json")...)
				if res.StatusCode != 403 || !strings.Contains(res.body, "cross_origin") {
					t.Errorf("%s: %s: %s", method, res.Status, res.body)
				}
			}
		})
	}
	// The key is still there.
	hello, err := wiretest.News(t.Context(), w.tab(c.HTTP), wire.EventHello, func(wire.Hello) bool { return true })
	if err != nil || hello.Gateway.KeyLast4 != canary[len(canary)-4:] {
		t.Errorf("the key is %+v, %v", hello.Gateway, err)
	}
}

// What comes by plain http may have been written by whoever is on the way, so
// behind https it is another site.
func TestBehindHTTPSAnHTTPPageIsAnotherSite(t *testing.T) {
	w := newWorld(t, func(c *bff.Config) { c.PublicURL = mustParse(t, "https://Play.Example.com") })
	for origin, want := range map[string]int{
		"http://play.example.com":     403,
		"http://play.example.com:80":  403,
		"http://PLAY.example.com":     403,
		"https://play.example.com":    204,
		"http://localhost:8080":       403, // of a request to the public name
		"https://play.example.com:81": 403,
	} {
		for _, site := range []string{"", "same-origin"} {
			headers := []string{"Host", "play.example.com", "Origin", origin, "Content-Type", "application/json"}
			if site != "" {
				headers = append(headers, "Sec-Fetch-Site", site)
			}
			res := w.do(nil, "POST", "/api/key", `{"key":"sk-other-0123456789"}`, headers...)
			if site != "" && want == 403 && !strings.Contains(strings.ToLower(origin), "http://play.example.com") {
				continue // no browser says both
			}
			if res.StatusCode != want {
				t.Errorf("Origin %s, Sec-Fetch-Site %q: %s %s, want %d", origin, site, res.Status, res.body, want)
			}
			if got := res.Header.Get("Strict-Transport-Security"); got != "max-age=31536000" {
				t.Errorf("Strict-Transport-Security is %q", got)
			}
		}
	}
	plain := newWorld(t, nil)
	if h := plain.do(nil, "GET", "/", "").Header; h.Get("Strict-Transport-Security") != "" {
		t.Error("without https the page asks for nothing but https")
	}
}

// A page of another site can't even have the server read for it: a download
// that it starts would be the person's whole history on the person's disk. A
// link to one of our pages can be followed from anywhere.
func TestOtherSitesReadNothing(t *testing.T) {
	w := newWorld(t, nil)
	c := w.dial()
	for _, path := range []string{
		wire.ExportAllPath, wire.ExportPath + "4711.json", wire.LedgerCSV, wire.LedgerJSON, wire.VideosZip + "?ids=4711",
		wire.PostersPath + "4711/0", wire.MediaPath + "4711/0", "/api/nowhere",
		wire.SharePath + "4711/live", wire.SharePath + "4711/media/0/0", wire.SharePath + "4711/wire/4711",
	} {
		for site, refused := range map[string]bool{"cross-site": true, "same-site": true, "same-origin": false, "none": false, "": false} {
			var headers []string
			if site != "" {
				headers = []string{"Sec-Fetch-Site", site, "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
			}
			res := w.do(c.HTTP, "GET", path, "", headers...)
			if got := res.StatusCode == 403 && strings.Contains(res.body, "cross_origin"); got != refused {
				t.Errorf("%s from %q: %s: %s", path, site, res.Status, res.body)
			}
		}
	}
	for _, path := range []string{"/", "/c/4711", "/spend"} {
		if res := w.do(nil, "GET", path, "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"); res.StatusCode != 200 {
			t.Errorf("a link to %s: %s", path, res.Status)
		}
	}
	// What is shared can be linked to, and is not to be read or framed from there.
	for dest, status := range map[string]int{"document": 404, "iframe": 403, "empty": 403} { // nothing is shared here
		mode := map[bool]string{true: "cors", false: "navigate"}[dest == "empty"]
		if res := w.do(nil, "GET", wire.SharePath+"4711", "", "Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode", mode, "Sec-Fetch-Dest", dest); res.StatusCode != status {
			t.Errorf("a shared page as %s of another site: %s", dest, res.Status)
		}
	}
}
