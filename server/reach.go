package main

import (
	"errors"
	"flag"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// mode says whether people have accounts.
type mode int

const (
	alone      mode = iota // whoever reaches the server is its one person
	behindGate             // the same, with a proxy in front that asks who they are: -team=false
	team                   // people sign in
)

// reachConfig is how people reach the server.
type reachConfig struct {
	team            triState
	publicURL       string
	tlsCert, tlsKey string
	acme            bool
	acmeDirectory   string
	plainHTTP       bool
	acmeClient      *http.Client // that asks the issuer; nil but in tests
}

func (c *reachConfig) flags(fs *flag.FlagSet) {
	fs.Var(&c.team, "team", "people have accounts and sign in; by itself where others reach the\nserver (-public-url, or an -addr that is not of this machine alone)")
	fs.StringVar(&c.publicURL, "public-url", "", "`URL` by which browsers and gateways reach this server from\noutside; with https it says that a proxy in front encrypts,\nunless this server does")
	fs.StringVar(&c.tlsCert, "tls-cert", "", "`file` of the certificate and those that vouch for it (PEM);\nSIGHUP reads it again")
	fs.StringVar(&c.tlsKey, "tls-key", "", "`file` of its private key (PEM)")
	fs.BoolVar(&c.acme, "acme", false, "get certificates by ACME for the host of -public-url, which must\nlead to this server's port as its port 443")
	fs.StringVar(&c.acmeDirectory, "acme-directory", "", "`URL` of another issuer than Let's Encrypt")
	fs.BoolVar(&c.plainHTTP, "plain-http", false, "speak plain http to others: the network itself is closed or\nencrypted")
}

// triState is a flag that is true, false or not given.
type triState struct{ given, value bool }

func (t *triState) IsBoolFlag() bool { return true }

func (t *triState) String() string {
	switch {
	case t == nil || !t.given:
		return ""
	case t.value:
		return "true"
	}
	return "false"
}

func (t *triState) Set(text string) error {
	switch strings.ToLower(text) {
	case "true", "t", "1":
		*t = triState{true, true}
	case "false", "f", "0":
		*t = triState{true, false}
	default:
		return errors.New("parse error") // as package flag says it, see command.parse
	}
	return nil
}

// reach is what a reachConfig comes to.
type reach struct {
	mode mode
	// public is how browsers reach the server from outside, or nil.
	public *url.URL
	// tls says that this server encrypts by itself.
	tls bool
	// here says that it listens on this machine alone.
	here bool
}

// secure says whether browsers come by https.
func (r reach) secure() bool { return r.tls || r.public != nil && r.public.Scheme == "https" }

// checked says what is wrong with the configuration, and what it comes to.
func (c reachConfig) checked(addr string) (r reach, err error) {
	if r.here, err = onLoopback(addr); err != nil {
		return r, err
	}
	if r.public, err = publicAddress(c.publicURL); err != nil {
		return r, err
	}
	if r.tls, err = c.encrypts(r.public); err != nil {
		return r, err
	}
	switch alone := c.team.given && !c.team.value; {
	case alone && !r.here:
		return r, mistakef("-team=false: -addr %s listens %s, and whoever reaches it there could read the conversations and spend with the key. "+
			"Leave -team=false out, or listen on 127.0.0.1 behind a proxy that asks who they are (-public-url)", addr, where(addr))
	case alone && r.public != nil:
		r.mode = behindGate
	case c.team.value || !r.here || r.public != nil:
		r.mode = team
	}
	if !r.here && !r.secure() && !c.plainHTTP {
		return r, mistakef("-addr %s would listen %s by plain http, where passwords and conversations can be read on the way. Encrypt with -tls-cert and -tls-key, "+
			"or with -acme and -public-url https://HOST; name the proxy that does with -public-url https://HOST; or say -plain-http if the network itself is closed", addr, where(addr))
	}
	return r, nil
}

// encrypts says whether the server encrypts by itself.
func (c reachConfig) encrypts(public *url.URL) (bool, error) {
	files := c.tlsCert != "" || c.tlsKey != ""
	switch {
	case files && c.tlsCert == "":
		return false, mistakef("-tls-key %s: give the certificate that it belongs to with -tls-cert", c.tlsKey)
	case files && c.tlsKey == "":
		return false, mistakef("-tls-cert %s: give its private key with -tls-key", c.tlsCert)
	case files && c.acme:
		return false, mistakef("-acme and -tls-cert: take one of both, certificates come from an issuer or from files")
	case !c.acme && c.acmeDirectory != "":
		return false, mistakef("-acme-directory %s: add -acme, which asks that issuer for certificates", c.acmeDirectory)
	case (files || c.acme) && c.plainHTTP:
		return false, mistakef("-plain-http: leave it out, with -tls-cert or -acme the server speaks https")
	case (files || c.acme) && public != nil && public.Scheme != "https":
		return false, mistakef("-public-url %s: it must begin with https://, which the server speaks with -tls-cert or -acme", c.publicURL)
	case c.acme:
		return true, c.acmeChecked(public)
	}
	return files, nil
}

// acmeChecked says what ACME lacks.
func (c reachConfig) acmeChecked(public *url.URL) error {
	if public == nil {
		return mistakef("-acme: name the host to get a certificate for with -public-url https://HOST")
	}
	if _, err := netip.ParseAddr(public.Hostname()); err == nil || !strings.Contains(public.Hostname(), ".") {
		return mistakef("-public-url %s: with -acme its host must be a name that the issuer can look up, such as screentest.example.com", c.publicURL)
	}
	if c.acmeDirectory == "" {
		return nil
	}
	if u, err := url.Parse(c.acmeDirectory); err != nil || u.Scheme != "https" || u.Hostname() == "" {
		return mistakef("-acme-directory %q: it must be the https:// address of the issuer's directory", c.acmeDirectory)
	}
	return nil
}

// publicAddress reads -public-url.
func publicAddress(text string) (*url.URL, error) {
	if text == "" {
		return nil, nil
	}
	public, err := url.Parse(text)
	if err != nil || public.Hostname() == "" || (public.Scheme != "http" && public.Scheme != "https") {
		return nil, mistakef("-public-url %q: it must be an address such as https://screentest.example.com", text)
	}
	if strings.Trim(public.Path, "/") != "" || public.RawQuery != "" || public.User != nil {
		return nil, mistakef("-public-url %q: leave out what follows the host; the page must be at the top of its address", text)
	}
	return public, nil
}

// onLoopback says whether only this machine reaches an address.
func onLoopback(addr string) (bool, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false, mistakef("-addr %q: it must be host:port, such as 127.0.0.1:8080", addr)
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback(), nil
}

// where says who reaches an address that others can.
func where(addr string) string {
	if isEverywhere(addr) {
		return "on every network of this machine"
	}
	host, _, _ := net.SplitHostPort(addr) // onLoopback has seen to it
	return "on " + host
}

// isEverywhere says whether an address is that of all networks.
func isEverywhere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	ip, bad := netip.ParseAddr(host)
	return err == nil && (host == "" || bad == nil && ip.IsUnspecified())
}

// local is an address as it is reached from this machine.
func local(addr string) string {
	if !isEverywhere(addr) {
		return addr
	}
	_, port, _ := net.SplitHostPort(addr) // isEverywhere has seen to it
	return net.JoinHostPort("127.0.0.1", port)
}

// origin is an address without its path: what browsers know a server by.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }
