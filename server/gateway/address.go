package gateway

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// endings are what addresses are pasted with and every path brings along (F170),
// the longest first.
var endings = []string{"/chat/completions", "/completions", "/video/generations", "/responses", "/models", "/v1"}

// Tidy is ParseBase of an address as people paste it: without a scheme, or with a
// whole endpoint. note says what was made of it; "" where it was right.
func Tidy(text string) (base *url.URL, note string, err error) {
	text = strings.TrimSpace(text)
	var notes []string
	if text != "" && !strings.Contains(text, "://") {
		scheme := "https"
		if within(hostOf(text)) {
			scheme = "http"
		}
		text = scheme + "://" + text
		notes = append(notes, "It has no scheme, so "+scheme+" is meant.")
	}
	rest, cut := strings.TrimRight(text, "/"), ""
	for {
		i := slices.IndexFunc(endings, func(e string) bool { return strings.HasSuffix(rest, e) })
		if i < 0 {
			break
		}
		rest, cut = strings.TrimRight(strings.TrimSuffix(rest, endings[i]), "/"), endings[i]+cut
	}
	if base, err = ParseBase(rest); err != nil {
		return nil, "", err
	}
	if cut != "" && cut != "/v1" {
		notes = append(notes, cut+" was taken off: the requests bring it along.")
	}
	return base, strings.Join(notes, " "), nil
}

// hostOf is the host of an address without a scheme.
func hostOf(text string) string {
	host, _, _ := strings.Cut(text, "/")
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return strings.Trim(host, "[]")
}

// within says whether a host is on this machine or in its own network, as far as
// its name tells.
func within(host string) bool {
	if ip, err := netip.ParseAddr(host); err == nil {
		return private(ip)
	}
	return !strings.Contains(host, ".") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost") ||
		strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".lan")
}

func private(ip netip.Addr) bool {
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()
}
