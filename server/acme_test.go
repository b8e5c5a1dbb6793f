package main

import (
	"crypto/x509"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/letsencrypt/pebble/v2/ca"
	"github.com/letsencrypt/pebble/v2/db"
	"github.com/letsencrypt/pebble/v2/va"
	"github.com/letsencrypt/pebble/v2/wfe"
	"github.com/miekg/dns"
)

// pebble is an ACME issuer in this process, Let's Encrypt's own for tests. It
// answers only once it knows the port of the server that it certifies, which
// stands for 443.
type pebble struct {
	*httptest.Server
	port   chan int
	orders atomic.Int32
	root   *x509.Certificate
}

func newPebble(t *testing.T) *pebble {
	t.Helper()
	t.Setenv("PEBBLE_VA_NOSLEEP", "1")
	t.Setenv("PEBBLE_WFE_NONCEREJECT", "0") // each order is one request, then
	names := &dns.Server{Net: "tcp", Handler: dns.HandlerFunc(everyNameIsHere)}
	var err error
	if names.Listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go func() { _ = names.ActivateAndServe() }()
	t.Cleanup(func() { _ = names.Shutdown() })

	quiet := log.New(io.Discard, "", 0)
	store := db.NewMemoryStore()
	authority := ca.New(quiet, store, "", "ecdsa", 0, 1, map[string]ca.Profile{"default": {}})
	p := &pebble{port: make(chan int, 1), root: authority.GetRootCert(0).Cert}
	var front http.Handler
	p.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if port, more := <-p.port; more {
			validator := va.New(quiet, 1, port, false, names.Listener.Addr().String(), store)
			endpoints := wfe.New(quiet, store, validator, authority, []string{"pebble.test"}, false, false, 1, 1)
			front = endpoints.Handler()
			close(p.port)
		}
		if strings.Contains(r.URL.Path, "order-plz") {
			p.orders.Add(1)
		}
		front.ServeHTTP(w, r)
	}))
	t.Cleanup(p.Close)
	return p
}

// everyNameIsHere is a name server by which every name is this machine's.
func everyNameIsHere(w dns.ResponseWriter, q *dns.Msg) {
	answer := new(dns.Msg)
	answer.SetReply(q)
	if len(q.Question) == 1 && q.Question[0].Qtype == dns.TypeA {
		answer.Answer = append(answer.Answer, &dns.A{
			Hdr: dns.RR_Header{Name: q.Question[0].Name, Rrtype: dns.TypeA, Class: dns.ClassINET, Ttl: 1}, A: net.IPv4(127, 0, 0, 1),
		})
	}
	_ = w.WriteMsg(answer)
}

// With -acme the server gets a certificate for the host of its public address by
// itself, keeps it, and asks for no other name's.
func TestCertificatesByACME(t *testing.T) {
	p, dir := newPebble(t), t.TempDir()
	config := serveConfig{data: dir, reach: reachConfig{
		acme: true, acmeDirectory: p.URL + "/dir", acmeClient: p.Client(), publicURL: "https://play.example.com",
	}}
	d := newPlayground(t, config)
	addr := d.bff.Addr
	_, port, _ := net.SplitHostPort(addr)
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	p.port <- n

	client := (&issuer{t: t, cert: p.root}).client(addr)
	client.Timeout = time.Minute
	res := fetch(t, client, "https://play.example.com/healthz")
	if leaf := res.TLS.PeerCertificates[0]; res.StatusCode != 200 || leaf.VerifyHostname("play.example.com") != nil {
		t.Errorf("%s, with a certificate for %q", res.Status, leaf.DNSNames)
	}
	if res, err := client.Get("https://other.example.com/healthz"); err == nil {
		t.Errorf("another name: %s", res.Status)
	}
	if got := p.orders.Load(); got != 1 {
		t.Errorf("%d certificates were ordered", got)
	}
	kept, err := filepath.Glob(filepath.Join(dir, "acme", "*"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("nothing is kept: %v", err)
	}
	for _, name := range kept {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s may be read by others: %v, %v", name, info.Mode(), err)
		}
	}

	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	d = newPlayground(t, config)
	again := (&issuer{t: t, cert: p.root}).client(d.bff.Addr)
	if serial := fetch(t, again, "https://play.example.com/healthz").TLS.PeerCertificates[0].SerialNumber; serial.Cmp(res.TLS.PeerCertificates[0].SerialNumber) != 0 || p.orders.Load() != 1 {
		t.Errorf("after a restart another certificate was ordered")
	}
}

// An issuer that is out of reach is told of, and the server goes on.
func TestAnIssuerOutOfReachIsTold(t *testing.T) {
	gone := httptest.NewTLSServer(http.NotFoundHandler())
	gone.Close()
	dir := t.TempDir()
	var out watched
	s, err := start(t.Context(), serveConfig{
		addr: "127.0.0.1:0", data: dir, sandboxSpeed: 1, signIn: signInConfig{password: true, groupsClaim: defaultGroupsClaim},
		reach: reachConfig{acme: true, acmeDirectory: gone.URL, publicURL: "https://play.example.com"},
	}, slog.New(slog.NewTextHandler(&out, nil)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.close(); err != nil {
			t.Error(err)
		}
	}()
	if _, ok := out.wait("there is no certificate yet: the issuer must reach this server at port 443", nil); !ok {
		t.Errorf("the log says %s", &out)
	}
}
