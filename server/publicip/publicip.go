// Package publicip tells addresses of the internet at large from those of a
// machine, a network of its own, or nobody. Ask [Is] about the address that is
// dialled, after the name was looked up: then a name that changes its address
// between two look-ups gains nothing, and neither does a redirect.
package publicip

import "net/netip"

// special are networks that are not public though net/netip's own tests do not
// name them (RFC 6890 and its successors), and those that carry an IPv4 address
// inside, which could be any.
var special = [...]netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),       // this network
	netip.MustParsePrefix("100.64.0.0/10"),   // within a provider's network
	netip.MustParsePrefix("192.0.0.0/24"),    // protocols
	netip.MustParsePrefix("192.0.2.0/24"),    // documentation
	netip.MustParsePrefix("192.88.99.0/24"),  // relays of 6to4
	netip.MustParsePrefix("198.18.0.0/15"),   // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"), // documentation
	netip.MustParsePrefix("203.0.113.0/24"),  // documentation
	netip.MustParsePrefix("240.0.0.0/4"),     // reserved
	netip.MustParsePrefix("2001::/23"),       // protocols, Teredo among them
	netip.MustParsePrefix("2001:db8::/32"),   // documentation
	netip.MustParsePrefix("2002::/16"),       // 6to4: an IPv4 address inside
	netip.MustParsePrefix("3fff::/20"),       // documentation
}

// allocated is all of IPv6 that is given out for the internet at large. Beyond
// it lie site-local and IPv4-compatible addresses, and those that translate to
// IPv4.
var allocated = netip.MustParsePrefix("2000::/3")

// Is says whether a is an address of the internet at large.
func Is(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Zone() != "" || a.Is6() && !allocated.Contains(a) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}
