package people

import "net/netip"

// Ways are the ways to sign in to a team that the operator chose with flags;
// passkeys are always one. The zero value allows passkeys alone.
type Ways struct {
	// Password says that people may have passwords.
	Password bool
	// SingleSignOn is the provider of OpenID Connect; nil: none.
	SingleSignOn *SingleSignOn
	// Trusted is the proxy in front that says who is asking; nil: none.
	Trusted *TrustedHeader
}

// SingleSignOn is a provider of OpenID Connect, as the operator wrote it down.
type SingleSignOn struct {
	// Issuer is https://…, or http:// on this machine; without a slash at its end
	// unless it was written with one, since it is compared as it is.
	Issuer string
	// ClientID and ClientSecret are what the provider knows this server by. The
	// secret is "" for a public client, which PKCE alone vouches for.
	ClientID, ClientSecret string
	// AllowDomains are those of e-mail addresses, in lower case, whose people are
	// made at their first sign-in; none: a mapped group alone lets new people in.
	AllowDomains []string
	// GroupsClaim names the claim that lists a person's groups.
	GroupsClaim string
}

// TrustedHeader is a header that a proxy in front sets to the e-mail address of
// who is asking. From any other address it is removed.
type TrustedHeader struct {
	Name string // in its canonical form, such as X-Forwarded-Email
	From []netip.Prefix
	// AllowDomains are those of e-mail addresses, in lower case, whose people are
	// made when they first come.
	AllowDomains []string
}

// Trusts says whether an address is a trusted proxy's.
func (h *TrustedHeader) Trusts(a netip.Addr) bool {
	if h == nil {
		return false
	}
	a = a.Unmap().WithZone("")
	for _, p := range h.From {
		if p.Contains(a) {
			return true
		}
	}
	return false
}
