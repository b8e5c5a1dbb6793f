package gateway

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"code.dny.dev/ssrf"

	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/reply"
	"screentest/shared/wire"
)

// Another origin never sees a request of ours, let alone the key.
func TestRedirects(t *testing.T) {
	other := newPeer(t, func(w http.ResponseWriter, r *http.Request) { write(w, `{"id":"task_stolen"}`) })
	var gw *peer
	gw = newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/task_away"):
			http.Redirect(w, r, other.URL+"/v1/video/generations/task_away?sig=1", http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/task_same"):
			http.Redirect(w, r, "/elsewhere/task", http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/task_round"):
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		case r.URL.Path == "/elsewhere/task":
			write(w, `{"code":"success","data":{"task_id":"task_same","status":"QUEUED"}}`)
		case r.URL.Path == "/v1/responses":
			http.Redirect(w, r, gw.URL+"/v2/responses", http.StatusTemporaryRedirect)
		default:
			w.Header().Set("Location", other.URL+"/login?k="+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
			w.WriteHeader(http.StatusPermanentRedirect)
		}
	})
	c := newClient(t, gw.URL, Options{})

	task, err := c.Task(t.Context(), testKey, "task_same")
	if err != nil || task.State != reply.TaskQueued {
		t.Errorf("G40 a GET within the origin: %+v, %v", task, err)
	}
	seen := gw.requests()
	if a := seen[len(seen)-1].Header.Get("Authorization"); a != "Bearer "+testKey {
		t.Errorf("F160 after a redirect: Authorization %q", a)
	}
	before := len(seen)
	_, err = c.Task(t.Context(), testKey, "task_away")
	if p := problem(t, err); p.Code != reply.CodeRedirect || p.Status != 302 || !strings.Contains(p.Message, other.URL) || strings.Contains(p.Message, "sig=") {
		t.Errorf("G40 a GET to another origin: %v", err)
	}
	if _, err = c.Task(t.Context(), testKey, "task_round"); problem(t, err).Code != reply.CodeRedirect {
		t.Errorf("G40 a GET in a circle: %v", err)
	}
	if n := len(gw.requests()) - before; n > 2+maxRedirects {
		t.Errorf("G40 %d requests for a circle", n)
	}
	before = len(gw.requests())
	for _, ep := range []gateway.Endpoint{gateway.Chat, gateway.Responses} {
		_, err = c.Stream(t.Context(), testKey, ep, []byte(testBody))
		if p := problem(t, err); p.Code != reply.CodeRedirect || !certain(t, err) {
			t.Errorf("G35 G40 a POST that is redirected: %v", err)
		}
	}
	if _, err = c.CreateVideo(t.Context(), testKey, []byte(`{}`)); problem(t, err).Code != reply.CodeRedirect || !certain(t, err) {
		t.Errorf("G35 G40 a creation that is redirected: %v", err)
	}
	if n := len(gw.requests()) - before; n != 3 {
		t.Errorf("G35 three POSTs went out %d times", n)
	}
	if n := len(other.requests()); n != 0 {
		t.Errorf("G40 another origin got %d requests: %+v", n, other.requests())
	}
}

// The environment's proxy sees no key: it is used for https only.
func TestProxyIsForHTTPSOnly(t *testing.T) {
	proxied := newPeer(t, func(http.ResponseWriter, *http.Request) {})
	t.Setenv("HTTP_PROXY", proxied.URL)
	t.Setenv("http_proxy", proxied.URL)
	req, err := http.NewRequest(http.MethodGet, "http://gw.test/v1", nil)
	if err != nil {
		t.Fatal(err)
	}
	if u, err := proxy(req); u != nil || err != nil {
		t.Errorf("G40 a call over plain http goes through %v, %v", u, err)
	}
}

func TestFetchFile(t *testing.T) {
	const clip = "0123456789"
	files := newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/a.mp4":
			w.Header().Set("Content-Type", "video/mp4")
			http.ServeContent(w, r, "a.mp4", serverTime, bytes.NewReader([]byte(clip)))
		case "/gone.mp4":
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<Error><Code>AccessDenied</Code></Error>")
		case "/busy.mp4":
			w.WriteHeader(http.StatusServiceUnavailable)
		case "/moved.mp4":
			http.Redirect(w, r, "/a.mp4", http.StatusFound)
		case "/ftp.mp4":
			w.Header().Set("Location", "ftp://files.test/a.mp4")
			w.WriteHeader(http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	})
	gw := newPeer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/own.mp4" {
			write(w, clip)
			return
		}
		http.Redirect(w, r, files.URL+"/a.mp4", http.StatusFound)
	})
	c := newClient(t, gw.URL, Options{FilesFromPrivate: true})
	read := func(path, span string) (string, *upstream.File, error) {
		t.Helper()
		f, err := c.FetchFile(t.Context(), path, span)
		if err != nil {
			return "", nil, err
		}
		b, err := io.ReadAll(f.Body)
		f.Body.Close()
		return string(b), f, err
	}
	for _, path := range []string{"/a.mp4", "/moved.mp4"} {
		got, f, err := read(files.URL+path, "")
		if err != nil || got != clip || f.Status != 200 || f.ContentType != "video/mp4" || f.Length != 10 || f.LastModified == "" {
			t.Errorf("F106 %s: %q, %+v, %v", path, got, f, err)
		}
	}
	if got, f, err := read(files.URL+"/a.mp4", "bytes=3-5"); err != nil || got != "345" || f.Status != 206 || f.ContentRange != "bytes 3-5/10" || f.Length != 3 {
		t.Errorf("a range: %q, %+v, %v", got, f, err)
	}
	for _, path := range []string{"/gone.mp4", "/none.mp4"} {
		_, _, err := read(files.URL+path, "")
		if p := problem(t, err); p.Code != reply.CodeNoFile || reply.KindOf(p) != reply.Missing {
			t.Errorf("F105 %s: %v, kind %d", path, err, reply.KindOf(p))
		}
	}
	if _, _, err := read(files.URL+"/busy.mp4", ""); reply.KindOf(problem(t, err)) != reply.Server {
		t.Errorf("a busy file host: %v", err)
	}
	if _, _, err := read(files.URL+"/ftp.mp4", ""); err == nil {
		t.Error("a redirect to ftp was followed")
	}
	for _, bad := range []string{"", "/a.mp4", "ftp://x/a", "http://", "javascript:x", "file:///etc/passwd"} {
		if _, err := c.FetchFile(t.Context(), bad, ""); err == nil {
			t.Errorf("fetched %q", bad)
		}
	}

	// Without leave only the gateway's own host and port may be private.
	c = newClient(t, gw.URL, Options{})
	if got, _, err := read(gw.URL+"/own.mp4", ""); err != nil || got != clip {
		t.Errorf("a file of the gateway's own: %q, %v", got, err)
	}
	before := len(files.requests())
	for _, u := range []string{files.URL + "/a.mp4", gw.URL + "/away.mp4", strings.Replace(files.URL, "127.0.0.1", "localhost", 1) + "/a.mp4", strings.Replace(files.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1) + "/a.mp4"} {
		_, _, err := read(u, "")
		if p := problem(t, err); p.Code != "private_address" || !strings.Contains(p.Hint, "private") {
			t.Errorf("%s: %v", u, err)
		}
	}
	// Other ways to write a loopback address. Which of them a resolver takes
	// differs between systems; none of them may lead there.
	port := files.URL[strings.LastIndexByte(files.URL, ':'):]
	for _, host := range []string{
		"2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "127.1", "127.0.1", "0", "0.0.0.0", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]",
		"[::127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:0:127.0.0.1]", "[64:ff9b::127.0.0.1]", "[::1%25lo]", "localhost.", "LOCALHOST", "me@127.0.0.1", "①②⑦.0.0.1",
	} {
		if _, _, err := read("http://"+host+port+"/a.mp4", ""); err == nil {
			t.Errorf("a file was fetched from %s", host)
		}
	}
	if n := len(files.requests()) - before; n != 0 {
		t.Errorf("%d requests reached a private address", n)
	}
	for _, r := range append(files.requests(), gw.requests()...) {
		if r.Header.Get("Authorization") != "" {
			t.Errorf("G40 %s %s carried the key", r.Method, r.Path)
		}
	}
}

func TestOnlyPublicAddressesAreDialled(t *testing.T) {
	for _, host := range []string{
		"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.0.1.1", "198.17.0.1", "223.255.255.255",
		"2606:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "2400:cb00::1",
	} {
		if err := public.Safe(networkOf(host), net.JoinHostPort(host, "8443"), nil); err != nil {
			t.Errorf("%s is public: %v", host, err)
		}
	}
	for why, hosts := range map[string][]string{
		"none":                     {"0.0.0.0", "0.1.2.3", "::"},
		"this machine":             {"127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"},
		"private":                  {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1", "fec0::1", "::ffff:10.0.0.1"},
		"link-local":               {"169.254.169.254", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254"},
		"a public one with a zone": {"2606:4700::1111%eth0"},
		"of a provider":            {"100.64.0.1", "100.127.255.255"},
		"multicast":                {"224.0.0.1", "239.255.255.250", "ff02::1"},
		"broadcast and reserved":   {"255.255.255.255", "240.0.0.1", "4000::1", "5f00::1", "100::1"},
		"of no machine":            {"192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "3fff::1"},
		"another address inside":   {"::127.0.0.1", "::8.8.8.8", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001::1", "192.88.99.1"},
	} {
		for _, host := range hosts {
			if err := public.Safe(networkOf(host), net.JoinHostPort(host, "443"), nil); !errors.Is(err, ssrf.ErrProhibitedIP) {
				t.Errorf("%s (%s) is taken for public: %v", host, why, err)
			}
		}
	}
	for _, address := range []string{"@/run/docker.sock", "example.com:443", ""} {
		if public.Safe("tcp4", address, nil) == nil || public.Safe("unix", address, nil) == nil {
			t.Errorf("%q is taken for public", address)
		}
	}
}

// networkOf is what the dialler calls the network of an address.
func networkOf(host string) string {
	if strings.Contains(host, ":") {
		return "tcp6"
	}
	return "tcp4"
}

func TestMask(t *testing.T) {
	key := "sk-aab-aab-aabc"
	stars := strings.Repeat("*", len(key))
	for in, want := range map[string]string{
		"no key here":                "no key here",
		key:                          stars,
		"x" + key + "y" + key:        "x" + stars + "y" + stars,
		key[:5] + key + key[:7]:      key[:5] + stars + key[:7],
		"sk-aab-aab-aab-aab-aabc":    "sk-aab-aab-aab-aab-aabc",
		"sk-aask-aab-aab-aabc":       "sk-aa" + stars,
		"":                           "",
		strings.Repeat(key, 3) + "s": strings.Repeat(stars, 3) + "s",
	} {
		for _, n := range []int{1, 2, 5, 14, 15, 16, 1000} {
			if got := maskBy(newMask(key), in, n); got != want {
				t.Errorf("G40 %q in pieces of %d: %q, want %q", in, n, got, want)
			}
		}
	}
	if got := maskBy(newMask("sandbox"), "the sandbox answers", 5); got != "the sandbox answers" {
		t.Errorf("a short key was masked: %q", got)
	}
	m := newMask(testKey)
	p := m.problem(&wire.Problem{Code: testKey, Message: "a " + testKey, Hint: testKey, Field: testKey, Request: testKey, Raw: testKey, Allowed: []string{testKey}})
	if s := fmt.Sprintf("%+v", *p); strings.Contains(s, testKey) {
		t.Errorf("G40 %s", s)
	}
}

// maskBy passes s through m in pieces of n bytes.
func maskBy(m mask, s string, n int) string {
	var out strings.Builder
	for {
		k := min(n, len(s))
		p := append(append([]byte(nil), m.held...), s[:k]...)
		m.held = m.held[:0]
		s = s[k:]
		out.Write(p[:m.cover(p, len(s) == 0)])
		if len(s) == 0 {
			return out.String()
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add("xsk-aab-aab-aabcy", "sk-aab-aab-aabc", uint8(3))
	f.Add("aaaaaaaaaaaaaaaaaaa", "aaaaaaaa", uint8(1))
	f.Fuzz(func(t *testing.T, s, key string, n uint8) {
		got := maskBy(newMask(key), s, int(n)+1)
		if len(got) != len(s) {
			t.Fatalf("%d bytes became %d", len(s), len(got))
		}
		if want := maskBy(newMask(key), s, len(s)+1); got != want {
			t.Fatalf("in pieces %q, in whole %q", got, want)
		}
		if len(key) >= minMasked && !strings.Contains(key, "*") && strings.Contains(got, key) {
			t.Fatalf("the key %q is in %q", key, got)
		}
	})
}
