package gateway

import (
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
)

// checkURL checks that a link is absolute, and warns where only this machine
// or network could follow it (F65).
func (k *checker) checkURL(broken ruleID, at, link string) (ok bool) {
	u, err := url.Parse(link)
	if err != nil || !strings.EqualFold(u.Scheme, "http") && !strings.EqualFold(u.Scheme, "https") || u.Hostname() == "" || !usablePort(u.Port()) {
		k.report(broken, at, at+" must be a public link, https:// or http:// and a host, such as https://example.com/clip, not "+strconv.Quote(cut(link)))
		return false
	}
	if privateHost(u.Hostname()) {
		k.report(rPrivateURL, at, cut(u.Hostname())+" is an address of this machine or network, which a gateway elsewhere can't reach; give a public link")
	}
	return true
}

// usablePort says whether a link's port, "" for none, is one that can be
// called.
func usablePort(port string) bool {
	n, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && n > 0
}

// sharedRange is 100.64.0.0/10, addresses within a provider's network.
var sharedRange = netip.PrefixFrom(netip.AddrFrom4([4]byte{100, 64, 0, 0}), 10)

// privateHost says whether a host is plainly not public: a loopback, private
// or link-local address, a name without a dot, or one of a local network.
func privateHost(host string) bool {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if addr, err := netip.ParseAddr(host); err == nil {
		addr = addr.Unmap().WithZone("")
		return !addr.IsGlobalUnicast() || addr.IsPrivate() || sharedRange.Contains(addr)
	}
	dot := strings.LastIndexByte(host, '.')
	if dot < 0 {
		return true
	}
	switch last := host[dot+1:]; last {
	case "localhost", "local", "internal", "lan", "home", "test", "invalid":
		return true
	default:
		// Numbers in other notations, such as 127.1 or 0x7f.1, are addresses
		// to some resolvers and names to none.
		return last == "" || last[0] >= '0' && last[0] <= '9'
	}
}

// isMP4 says whether a link's path ends in .mp4.
func isMP4(link string) bool {
	u, err := url.Parse(link)
	return err == nil && strings.EqualFold(path.Ext(u.Path), ".mp4")
}
