// Package ops answers those who keep a server running, not those who use it:
// is the process there (/livez), may it be sent requests (/readyz), and how is it
// doing (/metrics, for Prometheus). Make a [Monitor] with [New], put it in front
// of the page's handler with [Monitor.Before], and tell it what happens by its
// methods; the rest it asks for when it is read.
//
// Nothing here names a person or holds what one wrote. A model's name is a label
// only where the catalogue has it, so that nobody can make up new ones.
package ops

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"screentest/shared/wire"
)

// The addresses.
const (
	LivePath    = "/livez"
	ReadyPath   = "/readyz"
	MetricsPath = "/metrics"
)

// Check is something without which the server can't work.
type Check struct {
	// Code names the check, and Hint says what to do when it fails.
	Code, Hint string
	// Do looks. It must end when ctx does; what it returns goes to the log alone.
	Do func(ctx context.Context) error
}

// Config is what a Monitor works with.
type Config struct {
	Checks []Check
	Gauges Gauges
	// KnownModel says whether a model is in the catalogue.
	KnownModel func(id string) bool
	Version    string

	// Token is what /metrics is read with from anywhere; "": from nowhere else.
	Token string
	// Here says that who connects from this machine, and asks for it by name, is
	// on it, so that /metrics needs no token then. It isn't so behind a proxy.
	Here bool

	// Failed is told why a check has failed. nil: nobody is.
	Failed func(code string, err error)
	Now    func() time.Time
}

// Monitor watches one server.
type Monitor struct {
	Config
	*metrics
	draining atomic.Bool
	probe    probe
}

// New returns a Monitor.
func New(c Config) *Monitor {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Failed == nil {
		c.Failed = func(string, error) {}
	}
	if c.KnownModel == nil {
		c.KnownModel = func(string) bool { return false }
	}
	m := &Monitor{Config: c}
	m.metrics = newMetrics(c)
	return m
}

// Drain says that the server is ending: /readyz says so from now on.
func (m *Monitor) Drain() { m.draining.Store(true) }

// Before answers the addresses of this package and hands all others on. They
// come before the guard of names: who watches a server asks for it by whatever
// address it has there, and none of them answers by a cookie.
func (m *Monitor) Before(next http.Handler) http.Handler {
	scrape := m.metrics.handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var h http.HandlerFunc
		switch r.URL.Path {
		case LivePath:
			h = live
		case ReadyPath:
			h = m.ready
		case MetricsPath:
			h = func(w http.ResponseWriter, r *http.Request) {
				if !m.mayRead(r) {
					answer(w, http.StatusNotFound, wire.Problem{Code: "not_found", Message: "There is nothing at this address."})
					return
				}
				scrape.ServeHTTP(w, r)
			}
		default:
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			answer(w, http.StatusMethodNotAllowed, wire.Problem{Code: "method_not_allowed", Message: "This address is only read."})
			return
		}
		h(w, r)
	})
}

func live(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("ok")) // an error means that nobody reads it
}

// mayRead says whether a request may see the figures.
func (m *Monitor) mayRead(r *http.Request) bool {
	if token, is := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); is && m.Token != "" {
		// Sums, so that the comparison tells nothing of the length either.
		given, want := sha256.Sum256([]byte(token)), sha256.Sum256([]byte(m.Token))
		return subtle.ConstantTimeCompare(given[:], want[:]) == 1
	}
	return m.Here && fromHere(r)
}

// passedOn are the headers by which a proxy says that it passes on what somebody
// else asks.
var passedOn = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-Ip", "Via"}

// fromHere says whether somebody on this machine asks. By its name too: a page
// of any site could point its own name here.
func fromHere(r *http.Request) bool {
	for _, name := range passedOn {
		if r.Header.Get(name) != "" {
			return false
		}
	}
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() {
		return false
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = strings.Trim(r.Host, "[]")
	}
	named, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && named.IsLoopback()
}

func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // an error means that nobody reads it
}
