package gateway

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// idleTimeout is how long a connection is kept for the next call. It is
// shorter than what servers and address translators allow, so that a call
// rarely meets a connection that is dead: it would not be repeated.
const idleTimeout = 30 * time.Second

// transport is made for many long streams at once: small buffers, because a
// stream's pieces are small and its reader has a buffer of its own, and no
// compression, which would hold them back.
func (c *Client) transport() *http.Transport {
	dialer := &net.Dialer{Timeout: c.opt.ConnectTimeout, KeepAlive: 15 * time.Second}
	return &http.Transport{
		Proxy:                  proxy,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    c.opt.ConnectTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    64,
		MaxResponseHeaderBytes: maxHeader,
		ReadBufferSize:         4 << 10,
		WriteBufferSize:        1 << 10,
		DisableCompression:     true,
		HTTP2: &http.HTTP2Config{
			// One connection carries many streams: notice soon that it died.
			SendPingTimeout:           15 * time.Second,
			PingTimeout:               10 * time.Second,
			MaxReceiveBufferPerStream: 256 << 10,
		},
	}
}

// proxy is the environment's proxy for https only: with plain http it would
// be another host that sees the key (G40).
func proxy(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "https" {
		return nil, nil
	}
	return http.ProxyFromEnvironment(r)
}

// maxRedirects bounds the redirects that a GET follows.
const maxRedirects = 3

// redirect lets a GET go on to another address of the same origin. A POST
// goes nowhere else: it would be sent again. What is not followed becomes the
// reply.
func (c *Client) redirect(req *http.Request, via []*http.Request) error {
	if via[0].Method != http.MethodGet || len(via) > maxRedirects || origin(req.URL) != origin(c.Base) {
		return http.ErrUseLastResponse
	}
	return nil
}

// fileTransport goes out without a proxy, because what it may connect to is
// checked where it connects.
func (c *Client) fileTransport() *http.Transport {
	open := &net.Dialer{Timeout: c.opt.ConnectTimeout, KeepAlive: 15 * time.Second}
	guarded := *open
	guarded.Control = public.Safe
	_, own, _ := strings.Cut(origin(c.Base), "://")
	return &http.Transport{
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if c.opt.FilesFromPrivate || strings.EqualFold(address, own) {
				return open.DialContext(ctx, network, address)
			}
			return guarded.DialContext(ctx, network, address)
		},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    c.opt.ConnectTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConns:           16,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
	}
}

// fileRedirect follows redirects of a file host, to http and https only.
func fileRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > 5 {
		return errors.New("more than 5 redirects")
	}
	if req.URL.Scheme != "http" && req.URL.Scheme != "https" {
		return fmt.Errorf("redirect to the scheme %q", req.URL.Scheme)
	}
	return nil
}

// public lets connections through to the internet at large only: a gateway's
// word must not reach into the local network. It looks at the address that is
// dialled, after the name was looked up, so a name that changes its address
// between two look-ups gains nothing, and neither does a redirect.
var public = ssrf.New(ssrf.WithAnyPort())
