package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"
)

// The limits of a fetch.
const (
	fetchTimeout = 30 * time.Second // of one clip, all in all
	maxRedirects = 3
	maxClip      = 100_000_000 // bytes (F156)
)

// errPrivate is why an address is not called.
var errPrivate = errors.New("the address is not a public one")

// newFetcher returns the client for clips that somebody names. It calls public
// addresses only, unless private says otherwise: the check is made on the
// address that is really dialled, after the name was looked up, so that a name
// that changes its address between two look-ups gains nothing, and neither
// does a redirect. own is one more address that may be dialled. It sends no key, keeps no connection and uses no proxy.
func newFetcher(private bool, own string) *http.Client {
	d := &net.Dialer{Timeout: 5 * time.Second}
	if !private {
		d.ControlContext = func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err == nil && own == at.String() {
				return nil
			}
			if err != nil || !public(at.Addr()) {
				return errPrivate
			}
			return nil
		}
	}
	return &http.Client{
		Timeout: fetchTimeout,
		Transport: &http.Transport{
			DialContext:            d.DialContext,
			DisableKeepAlives:      true,
			DisableCompression:     true,
			TLSHandshakeTimeout:    5 * time.Second,
			ResponseHeaderTimeout:  10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
		},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return fmt.Errorf("more than %d redirects", maxRedirects)
			}
			if r.URL.Scheme != "http" && r.URL.Scheme != "https" {
				return fmt.Errorf("a redirect to %s", r.URL.Scheme)
			}
			return nil
		},
	}
}

// special are the networks that are not the public internet though Go's own
// tests do not name them (RFC 6890 and its successors), and those that carry
// an IPv4 address inside, which could be any.
var special = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),
	netip.MustParsePrefix("100.64.0.0/10"),
	netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"),
	netip.MustParsePrefix("192.88.99.0/24"),
	netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"),
	netip.MustParsePrefix("203.0.113.0/24"),
	netip.MustParsePrefix("240.0.0.0/4"),
	netip.MustParsePrefix("64:ff9b::/96"),
	netip.MustParsePrefix("64:ff9b:1::/48"),
	netip.MustParsePrefix("100::/64"),
	netip.MustParsePrefix("2001::/23"),
	netip.MustParsePrefix("2001:db8::/32"),
	netip.MustParsePrefix("2002::/16"),
	netip.MustParsePrefix("3fff::/20"),
	netip.MustParsePrefix("fec0::/10"),
}

// public says whether an address is on the public internet.
func public(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Zone() != "" {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// get opens a clip. The reader fails beyond 100 MB, whatever the length that
// was announced (F156).
func (s *Server) get(ctx context.Context, url string) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, errors.New("the link cannot be used")
	}
	r.Header.Set("User-Agent", "screentest-sandbox")
	reply, err := s.fetch.Do(r)
	switch {
	case errors.Is(err, errPrivate):
		return nil, errPrivate
	case err != nil:
		s.log.Debug("a clip could not be fetched", "url", url, "err", err)
		return nil, errors.New("the link could not be fetched")
	case reply.StatusCode != http.StatusOK:
		_ = reply.Body.Close()
		return nil, fmt.Errorf("the link answered with status %d", reply.StatusCode)
	case reply.ContentLength > maxClip:
		_ = reply.Body.Close()
		return nil, errTooLarge
	}
	return &limited{ReadCloser: reply.Body, left: maxClip}, nil
}

var errTooLarge = fmt.Errorf("the file is larger than %d MB", maxClip/1_000_000)

// limited fails, and does not merely end, where a file is too large.
type limited struct {
	io.ReadCloser
	left int64
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}
