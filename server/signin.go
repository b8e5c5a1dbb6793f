package main

import (
	"errors"
	"flag"
	"net/netip"
	"net/textproto"
	"net/url"
	"os"
	"strings"

	"golang.org/x/net/http/httpguts"

	"screentest/server/people"
)

// signInConfig is how people of a team sign in.
type signInConfig struct {
	password                  bool
	trustHeader, trustFrom    string
	issuer, clientID          string
	clientSecret, secretFile  string
	allowDomains, groupsClaim string
}

const defaultGroupsClaim = "groups"

func (c *signInConfig) flags(fs *flag.FlagSet) {
	fs.BoolVar(&c.password, "password", true, "people may sign in with a password; false leaves single sign-on\nand passkeys")
	fs.StringVar(&c.issuer, "oidc-issuer", "", "`URL` of an OpenID Connect provider for single sign-on")
	fs.StringVar(&c.clientID, "oidc-client-id", "", "`name` that the provider knows this server by")
	fs.StringVar(&c.clientSecret, "oidc-client-secret", "", "`secret` that it knows it by; rather give it in the environment\nor in a file")
	fs.StringVar(&c.secretFile, "oidc-client-secret-file", "", "`file` with that secret")
	fs.StringVar(&c.allowDomains, "oidc-allow-domains", "", "`domains` of e-mail addresses, with commas between, whose people\nget an account at their first sign-in")
	fs.StringVar(&c.groupsClaim, "oidc-groups-claim", defaultGroupsClaim, "`claim` of the provider that lists a person's groups")
	fs.StringVar(&c.trustHeader, "trust-header", "", "`header` in which a proxy in front says the e-mail address of who\nis asking, such as X-Forwarded-Email")
	fs.StringVar(&c.trustFrom, "trust-from", "", "`networks` whose proxies are believed it, with commas between,\nsuch as 10.0.0.0/8")
}

// checked says what is wrong with the configuration, and what it comes to.
func (c signInConfig) checked(m mode) (people.Ways, error) {
	ways := people.Ways{Password: c.password}
	if m != team {
		if given := c.forTeams(); given != "" {
			return ways, mistakef("%s is for teams, and here nobody signs in: add -team", given)
		}
		return ways, nil
	}
	var err error
	if ways.SingleSignOn, err = c.singleSignOn(); err != nil {
		return ways, err
	}
	ways.Trusted, err = c.trusted()
	return ways, err
}

// forTeams names the first flag given that means something only for a team.
func (c signInConfig) forTeams() string {
	for _, f := range []struct {
		name  string
		given bool
	}{
		{"-password=false", !c.password},
		{"-oidc-issuer", c.issuer != ""},
		{"-oidc-client-id", c.clientID != ""},
		{"-oidc-client-secret", c.clientSecret != ""},
		{"-oidc-client-secret-file", c.secretFile != ""},
		{"-oidc-allow-domains", c.allowDomains != ""},
		{"-oidc-groups-claim", c.groupsClaim != defaultGroupsClaim},
		{"-trust-header", c.trustHeader != ""},
		{"-trust-from", c.trustFrom != ""},
	} {
		if f.given {
			return f.name
		}
	}
	return ""
}

// singleSignOn is the OpenID Connect provider, or nil.
func (c signInConfig) singleSignOn() (*people.SingleSignOn, error) {
	if c.issuer == "" {
		for _, f := range []struct{ name, value string }{
			{"-oidc-client-id", c.clientID}, {"-oidc-client-secret", c.clientSecret}, {"-oidc-client-secret-file", c.secretFile},
		} {
			if f.value != "" {
				return nil, mistakef("%s: name the provider that it is for with -oidc-issuer", f.name)
			}
		}
		if c.allowDomains != "" && c.trustHeader == "" {
			return nil, mistakef("-oidc-allow-domains: name who says the e-mail addresses that it is for, with -oidc-issuer or -trust-header")
		}
		return nil, nil
	}
	u, err := url.Parse(c.issuer)
	switch {
	case err != nil || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "https" && (u.Scheme != "http" || !onThisMachine(u)):
		return nil, mistakef("-oidc-issuer %q: it must be the provider's https:// address; http:// is for one on this machine", c.issuer)
	case c.clientID == "":
		return nil, mistakef("-oidc-client-id is empty: give the name by which %s knows this server", c.issuer)
	case c.clientSecret != "" && c.secretFile != "":
		return nil, mistakef("-oidc-client-secret and -oidc-client-secret-file: give one of both")
	case c.groupsClaim == "":
		return nil, mistakef("-oidc-groups-claim is empty: name the claim that lists a person's groups, such as %s", defaultGroupsClaim)
	}
	sso := &people.SingleSignOn{Issuer: c.issuer, ClientID: c.clientID, ClientSecret: c.clientSecret, GroupsClaim: c.groupsClaim}
	if c.secretFile != "" {
		raw, err := os.ReadFile(c.secretFile)
		if err != nil {
			return nil, mistakef("-oidc-client-secret-file: %w", err)
		}
		if sso.ClientSecret = strings.TrimSpace(string(raw)); sso.ClientSecret == "" {
			return nil, mistakef("-oidc-client-secret-file %s is empty: write the provider's secret into it", c.secretFile)
		}
	}
	sso.AllowDomains, err = c.domains()
	return sso, err
}

// domains are those whose people get an account by themselves.
func (c signInConfig) domains() (list []string, err error) {
	for _, domain := range commaList(c.allowDomains) {
		if strings.ContainsAny(domain, "@*/: ") || !strings.Contains(domain, ".") {
			return nil, mistakef("-oidc-allow-domains %q: give domains such as example.com, with commas between", domain)
		}
		list = append(list, strings.ToLower(domain))
	}
	return list, nil
}

// trusted is the proxy that says who is asking, or nil.
func (c signInConfig) trusted() (*people.TrustedHeader, error) {
	switch {
	case c.trustHeader == "" && c.trustFrom == "":
		return nil, nil
	case c.trustHeader == "":
		return nil, mistakef("-trust-from %s: name the header that its proxies set with -trust-header", c.trustFrom)
	case c.trustFrom == "":
		return nil, mistakef("-trust-header %s: anybody could send it; say with -trust-from which proxies are believed, such as 10.0.0.0/8", c.trustHeader)
	case !httpguts.ValidHeaderFieldName(c.trustHeader):
		return nil, mistakef("-trust-header %q: it must be the name of a header, such as X-Forwarded-Email", c.trustHeader)
	}
	h := &people.TrustedHeader{Name: textproto.CanonicalMIMEHeaderKey(c.trustHeader)}
	for _, text := range commaList(c.trustFrom) {
		p, err := network(text)
		if err != nil {
			return nil, mistakef("-trust-from %q: give networks such as 10.0.0.0/8 or addresses such as 10.1.2.3, with commas between", text)
		}
		if p.Bits() == 0 {
			return nil, mistakef("-trust-from %s is everybody, who could then be anybody: name only the proxy's own network", text)
		}
		h.From = append(h.From, p)
	}
	if len(h.From) == 0 {
		return nil, mistakef("-trust-from %q names no network: give one such as 10.0.0.0/8", c.trustFrom)
	}
	var err error
	h.AllowDomains, err = c.domains()
	return h, err
}

// network reads a network, or an address as one of its own.
func network(text string) (netip.Prefix, error) {
	if a, err := netip.ParseAddr(text); err == nil {
		a = a.Unmap().WithZone("")
		return netip.PrefixFrom(a, a.BitLen()), nil
	}
	p, err := netip.ParsePrefix(text)
	if err == nil && p.Addr().Is4In6() {
		err = errors.New("an IPv4 network is written as one")
	}
	return p.Masked(), err
}

// commaList are the words of a list with commas between.
func commaList(text string) []string {
	var words []string
	for word := range strings.SplitSeq(text, ",") {
		if word = strings.TrimSpace(word); word != "" {
			words = append(words, word)
		}
	}
	return words
}
