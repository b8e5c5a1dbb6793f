package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// certificate writes one for localhost that nobody vouches for, and its key.
func certificate(t *testing.T) (certFile, keyFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	cert := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, cert, cert, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// With a certificate of the server's own a team's page is whole in a browser: its
// socket, its cookie, and what it fetches.
func TestATeamByHTTPS(t *testing.T) {
	t.Parallel()
	cert, key := certificate(t)
	w := newDoor(t, "", "-tls-cert", cert, "-tls-key", key)
	if !strings.HasPrefix(w.server.URL, "https://localhost:") {
		t.Fatalf("it is at %s", w.server.URL)
	}
	tab, err := w.profile.Tab()
	if err != nil {
		t.Fatal(err)
	}
	p := &page{w: w, tab: tab, base: w.server.URL}
	w.pages = append(w.pages, p)
	p.must(tab.TrustAnyCertificate())
	w.allow = append(w.allow, "An SSL certificate error") // service workers want one that is vouched for
	p.must(tab.Front())
	p.openDoor("/setup#" + w.setUpToken())
	p.enter("Ana Lima", anaMail)
	p.wait(ready)
	p.send("By https [[repeat: 30]]")
	p.settled()
	p.reload()
	p.wait(`document.querySelectorAll(".message").length === 2`)
	if seen := p.text(`isSecureContext + " " + location.protocol + " " + document.cookie`); seen != "true https: " {
		t.Errorf("the page sees %q", seen)
	}
}
