package people

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// Address is where a request comes from, as far as it can be known: the peer, or
// whom a proxy that is believed says it passes on. Of X-Forwarded-For only the
// last address counts that isn't a named proxy's: those before it are whatever
// the browser sent. Behind a proxy that wasn't named it is one on this machine or
// in a private network, where its container is; whoever else is there and reaches
// the port can pretend an address, and with it escapes the limits of addresses
// alone.
func (d *Directory) Address(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	from := peer.Addr().Unmap().WithZone("")
	believed := d.trusted(from) || d.BehindProxy && (from.IsLoopback() || from.IsPrivate())
	header := r.Header.Values("X-Forwarded-For")
	if believed && len(header) == 0 && d.BehindProxy {
		d.silent.Do(func() {
			d.Logger.Warn("a request came without X-Forwarded-For: if the proxy doesn't set it, all people have one address, and who guesses at passwords holds up everybody", "peer", from)
		})
	}
	passed := strings.Split(strings.Join(header, ","), ",")
	for i := len(passed) - 1; i >= 0 && believed; i-- {
		a, err := netip.ParseAddr(strings.TrimSpace(passed[i]))
		if err != nil {
			break
		}
		from = a.Unmap().WithZone("")
		believed = d.trusted(from)
	}
	return from.String()
}

// trusted says whether an address is that of a proxy that was named.
func (d *Directory) trusted(a netip.Addr) bool {
	return slices.ContainsFunc(d.TrustFrom, func(p netip.Prefix) bool { return p.Contains(a) })
}

// device says in a few words what a browser says of itself: "Firefox on Linux".
func device(agent string) string {
	first := func(of ...string) string {
		for i := 0; i < len(of); i += 2 {
			if strings.Contains(agent, of[i]) {
				return of[i+1]
			}
		}
		return ""
	}
	// Each of these says that it is those behind it, too.
	program := first("Edg", "Edge", "OPR/", "Opera", "SamsungBrowser/", "Samsung Internet", "Firefox/", "Firefox", "FxiOS/", "Firefox",
		"CriOS/", "Chrome", "Chrome/", "Chrome", "Chromium/", "Chromium", "Safari/", "Safari", "curl/", "curl")
	system := first("iPhone", "iPhone", "iPad", "iPad", "Android", "Android", "CrOS", "ChromeOS", "Windows", "Windows",
		"Mac OS X", "macOS", "Linux", "Linux")
	switch {
	case program != "" && system != "":
		return program + " on " + system
	case program+system != "":
		return program + system
	}
	name, _, _ := strings.Cut(agent, "/")
	return wire.Cut(strings.Join(strings.Fields(name), " "), 40)
}
