package people

import (
	"log/slog"
	"net/http"
	"net/netip"
	"testing"
)

func TestAddress(t *testing.T) {
	named := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	for _, test := range []struct {
		name, peer, passed string
		behind             bool
		from               []netip.Prefix
		want               string
	}{
		{"nobody in between", "203.0.113.7:5", "", false, nil, "203.0.113.7"},
		{"who only pretends", "203.0.113.7:5", "198.51.100.1", false, nil, "203.0.113.7"},
		{"who only pretends to come by the proxy", "203.0.113.7:5", "198.51.100.1", true, nil, "203.0.113.7"},
		{"on this machine, without a proxy", "127.0.0.1:5", "198.51.100.1", false, nil, "127.0.0.1"},
		{"a proxy on this machine", "127.0.0.1:5", "198.51.100.1", true, nil, "198.51.100.1"},
		{"a proxy that says nothing", "127.0.0.1:5", "", true, nil, "127.0.0.1"},
		{"a proxy that says nonsense", "127.0.0.1:5", "unknown", true, nil, "127.0.0.1"},
		{"a proxy appends to what was sent", "172.18.0.2:5", "1.1.1.1, 198.51.100.1", true, nil, "198.51.100.1"},
		{"a colleague's own header", "172.18.0.2:5", "1.1.1.1, 192.168.1.9", true, nil, "192.168.1.9"},
		{"two named proxies", "10.0.0.1:5", "1.1.1.1, 198.51.100.1, 10.2.3.4", false, named, "198.51.100.1"},
		{"an address of six in four", "[::ffff:127.0.0.1]:5", "2001:db8::1", true, nil, "2001:db8::1"},
		{"no peer", "", "198.51.100.1", true, nil, ""},
	} {
		d := &Directory{Config: Config{BehindProxy: test.behind, TrustFrom: test.from, Logger: slog.New(slog.DiscardHandler)}}
		r := &http.Request{RemoteAddr: test.peer, Header: http.Header{}}
		if test.passed != "" {
			r.Header.Set("X-Forwarded-For", test.passed)
		}
		if got := d.Address(r); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestDevice(t *testing.T) {
	for agent, want := range map[string]string{
		"Mozilla/5.0 (X11; Linux x86_64; rv:141.0) Gecko/20100101 Firefox/141.0":                                                                  "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0 Safari/537.36 Edg/139.0":                   "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15":                   "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0 Mobile Safari/537.36":                             "Chrome on Android",
		"Go-http-client/1.1": "Go-http-client",
		"":                   "",
	} {
		if got := device(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}
