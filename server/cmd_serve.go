package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"runtime/debug"
	"strings"

	gatewayclient "screentest/server/gateway"
)

const serveHelp = `screentest serve serves the playground until it is interrupted. Answers that are
under way then are kept as far as they had come.

It listens on this machine only: there are no accounts yet, so everybody who
reaches it is the same person. SIGHUP reads the file of -catalog again.
SCREENTEST_SEAL_KEY, 32 bytes in base64 or hex, seals keys in place of the file
seal.key in the data folder.
`

// serveConfig is the configuration of screentest serve.
type serveConfig struct {
	addr, data, gateway, catalog, publicURL string
	sandboxSpeed                            float64
	fetchPrivate                            bool
	timeouts                                gatewayclient.Options // of the gateway; zero but in tests
}

func (c *serveConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 takes a free one")
	fs.StringVar(&c.data, "data", "./data", "`folder` for history, spend and sealed keys")
	fs.StringVar(&c.gateway, "gateway", "", "base `URL` of the gateway, such as https://gateway.example.com;\nempty: a sandbox inside this program")
	fs.StringVar(&c.catalog, "catalog", "", "`file` of models and prices (JSON); empty: the sample inside")
	fs.StringVar(&c.publicURL, "public-url", "", "`URL` by which browsers and gateways reach this server from\noutside, when it is behind a proxy")
	fs.BoolVar(&c.fetchPrivate, "fetch-private", false, "fetch clips and links from private addresses too: for a\ngateway whose files are on a host of your own network")
	fs.Float64Var(&c.sandboxSpeed, "sandbox-speed", 20, "`times` faster than life that the sandbox makes clips")
}

// checked says what is wrong with the configuration, and reads its addresses.
func (c serveConfig) checked() (public *url.URL, err error) {
	if err := loopbackOnly(c.addr); err != nil {
		return nil, err
	}
	if !isPace(c.sandboxSpeed) {
		return nil, mistakef("-sandbox-speed %g: it must be from %g to %g; 1 is the pace of a real gateway", c.sandboxSpeed, slowest, fastest)
	}
	if c.publicURL == "" {
		return nil, nil
	}
	public, err = url.Parse(c.publicURL)
	if err != nil || public.Hostname() == "" || (public.Scheme != "http" && public.Scheme != "https") {
		return nil, mistakef("-public-url %q: it must be an address such as https://screentest.example.com", c.publicURL)
	}
	if strings.Trim(public.Path, "/") != "" || public.RawQuery != "" || public.User != nil {
		return nil, mistakef("-public-url %q: leave out what follows the host; the page must be at the top of its address", c.publicURL)
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

// loopbackOnly refuses an address that others can reach.
func loopbackOnly(addr string) error {
	if here, err := onLoopback(addr); here || err != nil {
		return err
	}
	host, _, _ := net.SplitHostPort(addr) // it was one a moment ago
	where := "on " + host
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		where = "on every network of this machine"
	}
	return mistakef("-addr %s would listen %s, and there are no accounts yet: whoever reaches it could read the conversations "+
		"and spend with the key. Listen on 127.0.0.1 and let others in through an SSH tunnel, or a proxy that asks who they are (-public-url)", addr, where)
}

// gcPercent trades some processor time for memory: what a stream holds is
// small, and doubling it with garbage, as is Go's default, is most of its cost.
const gcPercent = 50

// serve is the command screentest serve.
func (p *program) serve(ctx context.Context, c serveConfig) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	s, err := start(ctx, c, p.logger())
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "Screentest is ready on %s (%s)\n", s.url, s.gatewayName())
	for {
		select {
		case <-p.reload:
			s.reload()
		case err := <-s.failed:
			return errors.Join(err, s.close())
		case <-ctx.Done():
			return s.close()
		}
	}
}
