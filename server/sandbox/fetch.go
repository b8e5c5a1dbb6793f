package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"

	"code.dny.dev/ssrf"
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
// addresses only, unless private says otherwise: the address that is really
// dialled is looked at. own is one more address that may be dialled. It sends
// no key, keeps no connection and uses no proxy.
func newFetcher(private bool, own string) *http.Client {
	d := &net.Dialer{Timeout: 5 * time.Second}
	if !private {
		public := ssrf.New(ssrf.WithAnyPort())
		d.Control = func(network, address string, c syscall.RawConn) error {
			if address == own {
				return nil
			}
			return public.Safe(network, address, c)
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
	case errors.Is(err, ssrf.ErrProhibitedIP):
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
