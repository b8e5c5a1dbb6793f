package publicip_test

import (
	"net/netip"
	"testing"

	"screentest/server/publicip"
)

func TestOnlyTheInternetAtLargeIsPublic(t *testing.T) {
	for _, addr := range []string{
		"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.15.0.1", "172.32.0.1", "100.63.255.255", "100.128.0.1", "192.0.1.1", "198.17.0.1", "223.255.255.255",
		"::ffff:8.8.8.8", "2606:4700::1111", "2a00:1450:4001:80b::200e", "2001:4860:4860::8888", "2400:cb00::1",
	} {
		if !publicip.Is(netip.MustParseAddr(addr)) {
			t.Errorf("%s is public", addr)
		}
	}
	for why, addrs := range map[string][]string{
		"none":                     {"0.0.0.0", "0.1.2.3", "::"},
		"this machine":             {"127.0.0.1", "127.255.0.1", "::1", "::ffff:127.0.0.1"},
		"private":                  {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1", "fec0::1", "::ffff:10.0.0.1"},
		"link-local":               {"169.254.169.254", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254"},
		"a public one with a zone": {"2606:4700::1111%eth0"},
		"of a provider":            {"100.64.0.1", "100.127.255.255"},
		"multicast":                {"224.0.0.1", "239.255.255.250", "ff02::1"},
		"broadcast and reserved":   {"255.255.255.255", "240.0.0.1", "4000::1", "5f00::1", "100::1"},
		"of no machine":            {"192.0.0.1", "192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "2001:db8::1", "3fff::1"},
		"another address inside":   {"::127.0.0.1", "::8.8.8.8", "::ffff:0:7f00:1", "64:ff9b::7f00:1", "64:ff9b:1::7f00:1", "2002:7f00:1::", "2001::1", "192.88.99.1"},
	} {
		for _, addr := range addrs {
			if publicip.Is(netip.MustParseAddr(addr)) {
				t.Errorf("%s (%s) is taken for public", addr, why)
			}
		}
	}
	if publicip.Is(netip.Addr{}) {
		t.Error("no address at all is taken for public")
	}
}
