package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"screentest/server/sandbox/clip"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// issuer is a certificate authority of a test's own.
type issuer struct {
	t    *testing.T
	key  *ecdsa.PrivateKey
	cert *x509.Certificate
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	i := &issuer{t: t, key: newKey(t)}
	i.cert = i.sign(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test Root"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}, nil, i.key)
	return i
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (i *issuer) sign(c, parent *x509.Certificate, key *ecdsa.PrivateKey) *x509.Certificate {
	i.t.Helper()
	if parent == nil {
		parent = c
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, i.key)
	if err != nil {
		i.t.Fatal(err)
	}
	signed, err := x509.ParseCertificate(der)
	if err != nil {
		i.t.Fatal(err)
	}
	return signed
}

// write writes a certificate for names, and its key, into a folder.
func (i *issuer) write(dir string, serial int64, names ...string) (certFile, keyFile string) {
	i.t.Helper()
	key := newKey(i.t)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	for _, name := range names {
		if ip := net.ParseIP(name); ip != nil {
			leaf.IPAddresses = append(leaf.IPAddresses, ip)
		} else {
			leaf.DNSNames = append(leaf.DNSNames, name)
		}
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		i.t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: i.sign(leaf, i.cert, key).Raw}, keyFile: {Type: "PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			i.t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// client trusts the issuer alone, keeps cookies, and finds the server under any name.
func (i *issuer) client(addr string) *http.Client {
	roots := x509.NewCertPool()
	roots.AddCert(i.cert)
	jar, _ := cookiejar.New(nil) // never an error
	tr := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}
	if addr != "" {
		tr.DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, addr)
		}
	}
	i.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Jar: jar, Timeout: 20 * time.Second}
}

func fetch(t *testing.T, c *http.Client, url string) *http.Response {
	t.Helper()
	res, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	return res
}

func bodyOf(t *testing.T, res *http.Response) string {
	t.Helper()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// With a certificate of its own the server is whole by https, and by nothing
// else: its cookie is for https, and the sandbox inside still gets the uploads.
func TestACertificateOfOurOwn(t *testing.T) {
	ca := newIssuer(t)
	cert, key := ca.write(t.TempDir(), 2, "localhost", "play.example.com", "*.lab.example.com")
	d := newPlayground(t, serveConfig{reach: reachConfig{tlsCert: cert, tlsKey: key}})
	if !strings.HasPrefix(d.url, "https://localhost:") {
		t.Fatalf("it is at %s", d.url)
	}
	h := ca.client("")
	res := fetch(t, h, d.url+"/")
	if res.ProtoMajor != 2 || res.Header.Get("Strict-Transport-Security") == "" || res.TLS.Version < tls.VersionTLS12 {
		t.Errorf("the page came by %s, with %v", res.Proto, res.Header)
	}
	c := dial(t, d.url, h)
	var cookies []string
	for _, c := range h.Jar.Cookies(res.Request.URL) {
		cookies = append(cookies, c.Name)
	}
	if len(cookies) != 1 || !strings.HasPrefix(cookies[0], "__Host-") {
		t.Errorf("cookies %q", cookies)
	}
	s := turn(gateway.Chat, "Say something [[pace: 2000]]")
	play(t, c, s)
	if r, m := end(t, c, s); r.State != wire.Done || m.Text == "" {
		t.Errorf("the answer ended %s with %q", r.State, m.Text)
	}

	// A name of the certificate is ours, and another is not.
	addr := strings.TrimPrefix(d.url, "https://")
	_, port, _ := net.SplitHostPort(addr)
	named := ca.client(addr)
	for name, status := range map[string]int{"play.example.com": 200, "a.lab.example.com": 200} {
		if res := fetch(t, named, "https://"+net.JoinHostPort(name, port)+"/healthz"); res.StatusCode != status {
			t.Errorf("by the name %s: %s", name, res.Status)
		}
	}
	req, _ := http.NewRequest("GET", d.url+"/healthz", nil)
	req.Host = "evil.example"
	if res, err := h.Do(req); err != nil || res.StatusCode != http.StatusMisdirectedRequest {
		t.Errorf("by another name: %v, %v", res, err)
	}

	// A page that came by http is another site, whatever its name.
	req, _ = http.NewRequest("POST", d.url+"/api/key", strings.NewReader(`{"key":"x"}`))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Origin", "http://"+addr)
	if res, err := h.Do(req); err != nil || res.StatusCode != http.StatusForbidden {
		t.Errorf("from a page by http: %v, %v", res, err)
	}
	if _, err := tls.Dial("tcp", addr, &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11}); err == nil {
		t.Error("TLS 1.1 is spoken")
	}
	if res := fetch(t, wiretest.NewHTTP(), "http://"+addr+"/healthz"); res.StatusCode != http.StatusBadRequest {
		t.Errorf("by plain http: %s", res.Status)
	}
}

// The sandbox fetches uploads by plain http from a port of this machine, which
// has nothing else.
func TestTheSandboxGetsUploadsBesideOurOwnCertificate(t *testing.T) {
	ca := newIssuer(t)
	cert, key := ca.write(t.TempDir(), 2, "play.example.com", "localhost")
	d := newPlayground(t, serveConfig{reach: reachConfig{tlsCert: cert, tlsKey: key}})
	c := dial(t, d.url, ca.client(""))
	film, err := clip.Spec{Width: 854, Height: 480, Segments: []clip.Segment{{Look: 1, Frames: 5 * clip.FPS}}}.Encode()
	if err != nil {
		t.Fatal(err)
	}
	res, err := c.HTTP.Post(d.url+wire.UploadsPath+"?name=dance.mp4", "video/mp4", bytes.NewReader(film))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var up wire.Upload
	if err := json.NewDecoder(res.Body).Decode(&up); err != nil || res.StatusCode >= 300 {
		t.Fatalf("%s, %v", res.Status, err)
	}
	if fetched := fetch(t, wiretest.NewHTTP(), up.URL); fetched.StatusCode != 200 || !strings.HasPrefix(up.URL, "http://127.0.0.1:") {
		t.Errorf("%s: %s", up.URL, fetched.Status)
	}
	base, _, _ := strings.Cut(up.URL, wire.UploadedPath)
	for _, path := range []string{"/", "/api/export.json", "/healthz"} {
		if res := fetch(t, wiretest.NewHTTP(), base+path); res.StatusCode != 404 {
			t.Errorf("%s there: %s", path, res.Status)
		}
	}
}

// A new certificate is taken on SIGHUP; with a mistake in its files the old one
// stays.
func TestTheCertificateIsReadAgain(t *testing.T) {
	ca, dir := newIssuer(t), t.TempDir()
	cert, key := ca.write(dir, 2, "localhost")
	d := newPlayground(t, serveConfig{reach: reachConfig{tlsCert: cert, tlsKey: key}})
	serial := func() int64 {
		t.Helper()
		return fetch(t, ca.client(""), d.url+"/healthz").TLS.PeerCertificates[0].SerialNumber.Int64()
	}
	if got := serial(); got != 2 {
		t.Fatalf("the first certificate is %d", got)
	}
	ca.write(dir, 3, "localhost")
	d.reload()
	if got := serial(); got != 3 {
		t.Errorf("the second certificate is %d", got)
	}
	for name, breakIt := range map[string]func() error{
		"another's key": func() error {
			_, other := ca.write(t.TempDir(), 4, "localhost")
			return os.Rename(other, key)
		},
		"half a file": func() error { return os.Truncate(cert, 40) },
		"no file":     func() error { return os.Remove(cert) },
	} {
		if err := breakIt(); err != nil {
			t.Fatal(err)
		}
		before := strings.Count(d.log.String(), "the old one stays")
		d.reload()
		if got := serial(); got != 3 || strings.Count(d.log.String(), "the old one stays") != before+1 {
			t.Errorf("%s: the certificate is %d, the log %s", name, got, &d.log)
		}
		ca.write(dir, 3, "localhost")
	}
}
