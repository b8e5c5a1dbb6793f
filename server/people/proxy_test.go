package people

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
)

// From anybody but the proxy the header is gone before it is read, however it is
// written; of the proxy it counts once.
func TestGuardOfTheTrustedHeader(t *testing.T) {
	h := &TrustedHeader{Name: "X-Forwarded-Email", From: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}}
	for _, test := range []struct {
		name, peer string
		header     http.Header
		status     int
		want       string
	}{
		{"the proxy", "10.1.2.3:5", http.Header{"X-Forwarded-Email": {"ann@example.com"}}, 200, "ann@example.com"},
		{"the proxy by IPv6", "[::1]:5", http.Header{"X-Forwarded-Email": {"ann@example.com"}}, 200, "ann@example.com"},
		{"the proxy's IPv4 in IPv6", "[::ffff:10.1.2.3]:5", http.Header{"X-Forwarded-Email": {"ann@example.com"}}, 200, "ann@example.com"},
		{"somebody else", "192.0.2.1:5", http.Header{"X-Forwarded-Email": {"ann@example.com"}}, 200, ""},
		{"somebody else, twice", "192.0.2.1:5", http.Header{"X-Forwarded-Email": {"a@example.com", "b@example.com"}}, 200, ""},
		{"somebody who says they come by the proxy", "192.0.2.1:5", http.Header{"X-Forwarded-For": {"10.1.2.3"}, "X-Forwarded-Email": {"ann@example.com"}}, 200, ""},
		{"no peer", "", http.Header{"X-Forwarded-Email": {"ann@example.com"}}, 200, ""},
		{"the proxy added its own", "10.1.2.3:5", http.Header{"X-Forwarded-Email": {"evil@example.com", "ann@example.com"}}, 400, ""},
		{"the proxy added its own behind a comma", "10.1.2.3:5", http.Header{"X-Forwarded-Email": {"evil@example.com, ann@example.com"}}, 400, ""},
		{"the proxy says nothing", "10.1.2.3:5", http.Header{}, 200, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := ""
			guarded := h.Guard(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Get("X-Forwarded-Email") }))
			rec := httptest.NewRecorder()
			r := httptest.NewRequest("GET", "/", nil)
			r.RemoteAddr, r.Header = test.peer, test.header
			guarded.ServeHTTP(rec, r)
			if rec.Code != test.status || got != test.want {
				t.Errorf("%d %q, want %d %q", rec.Code, got, test.status, test.want)
			}
		})
	}
}
