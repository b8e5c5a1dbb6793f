package main

import (
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// encryption is how the server encrypts by itself.
type encryption struct {
	config *tls.Config
	files  *certificate      // from files, or nil
	acme   *autocert.Manager // or from an issuer
}

// newEncryption reads the certificate, or prepares to ask for one. It returns
// nil if somebody else encrypts, or nobody.
func newEncryption(c reachConfig, r reach, data string) (*encryption, error) {
	switch {
	case !r.tls:
		return nil, nil
	case c.acme:
		return acmeEncryption(c, r, data), nil
	}
	files := &certificate{certFile: c.tlsCert, keyFile: c.tlsKey}
	if err := files.read(); err != nil {
		return nil, err
	}
	return &encryption{files: files, config: &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: files.get}}, nil
}

// acmeEncryption gets certificates for the host of the public address and for
// no other name that somebody asks by. The issuer has the host proved on this
// server's own port (tls-alpn-01), so no other one has to be open.
func acmeEncryption(c reachConfig, r reach, data string) *encryption {
	m := &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(filepath.Join(data, "acme")),
		HostPolicy: autocert.HostWhitelist(r.public.Hostname()),
		Client:     &acme.Client{DirectoryURL: c.acmeDirectory, HTTPClient: acmeClient(c), UserAgent: "screentest"},
	}
	config := m.TLSConfig()
	config.MinVersion = tls.VersionTLS12
	return &encryption{acme: m, config: config}
}

// names says whether a host is one that the certificate is for.
func (e *encryption) names(host string) bool {
	return e != nil && e.files != nil && e.files.leaf().VerifyHostname(host) == nil
}

// fetch gets the certificate before the first person comes, and says in the log
// what is in the way. It is tried again whenever somebody comes.
func (e *encryption) fetch(host string, log *slog.Logger) {
	_, err := e.acme.GetCertificate(&tls.ClientHelloInfo{
		ServerName: host,
		// As every browser of today asks, so that it is the one they get.
		SignatureSchemes: []tls.SignatureScheme{tls.ECDSAWithP256AndSHA256},
		SupportedCurves:  []tls.CurveID{tls.CurveP256},
		CipherSuites:     []uint16{tls.TLS_AES_128_GCM_SHA256, tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256},
	})
	if err != nil {
		log.Error("there is no certificate yet: the issuer must reach this server at port 443 of the public address; it is tried again when somebody comes", "host", host, "err", err)
		return
	}
	log.Info("the certificate is there", "host", host)
}

// acmeTimeout bounds one request to the issuer, which is asked for minutes.
const acmeTimeout = 30 * time.Second

func acmeClient(c reachConfig) *http.Client {
	if c.acmeClient != nil {
		return c.acmeClient
	}
	return &http.Client{Timeout: acmeTimeout}
}

// certificate is one of files, read again on SIGHUP.
type certificate struct {
	certFile, keyFile string
	current           atomic.Pointer[tls.Certificate]
}

func (c *certificate) read() error {
	for _, f := range []struct{ flag, name string }{{"-tls-cert", c.certFile}, {"-tls-key", c.keyFile}} {
		if _, err := os.Stat(f.name); err != nil {
			return mistakef("%s %s: %w", f.flag, f.name, err)
		}
	}
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return mistakef("-tls-cert %s and -tls-key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current.Store(&pair)
	return nil
}

// readAgain takes what the files hold now. With a mistake in them the old
// certificate stays.
func (c *certificate) readAgain(log *slog.Logger) {
	if err := c.read(); err != nil {
		log.Error("the certificate was not read again; the old one stays", "err", err)
		return
	}
	log.Info("the certificate was read again", "until", c.leaf().NotAfter)
}

func (c *certificate) leaf() *x509.Certificate { return c.current.Load().Leaf }

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.current.Load(), nil
}
