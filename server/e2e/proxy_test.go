package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"
)

// newProxy returns a proxy to the server at an address. A request has come whole
// before it is passed on: a server closes a request's body when the reply begins,
// and a proxy that still reads there for the end of it breaks its connection.
func newProxy(t *testing.T, address string) *httputil.ReverseProxy {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
		if r.Out.Body == nil {
			return
		}
		body, err := io.ReadAll(r.Out.Body)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		r.Out.Body = io.NopCloser(bytes.NewReader(body))
	}}
}
