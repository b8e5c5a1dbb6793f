package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"os"
	"strings"

	"github.com/peterbourgon/ff/v3"
	"github.com/peterbourgon/ff/v3/ffcli"

	gatewayclient "screentest/server/gateway"
	"screentest/server/sandbox"
	"screentest/shared/gateway"
	"screentest/shared/money"
)

// Help texts, above the list of flags.
const (
	rootHelp = `screentest serves a playground for a model gateway: chat, compare models and make
videos in the browser, with history and spend.

  screentest                 serve the playground (the same as screentest serve)
  screentest sandbox         serve only the sandbox, a gateway for tests
  screentest check           judge a request before it is sent
  screentest backup FILE     write all that is kept to one file, while it is served
  screentest restore FILE    make a data folder of such a file
  screentest version         print the version

screentest COMMAND -h tells more of each.

Without -gateway it starts a sandbox of its own, which costs nothing and needs no
key: run it, open the address that it prints, and talk to a model. With -gateway
it asks for your key in the settings of the page, and keeps it sealed.

It exits with 0 when it was ended, 1 when it failed, and 2 when a flag, the
configuration or the surroundings (a port in use, a full disk) are wrong.
`
	serveHelp = `screentest serve serves the playground until it is interrupted. Answers that are
under way then are kept as far as they had come.

It listens on this machine only: there are no accounts yet, so everybody who
reaches it is the same person. SIGHUP reads the file of -catalog again.
SCREENTEST_SEAL_KEY, 32 bytes in base64 or hex, seals keys in place of the file
seal.key in the data folder.
`
	sandboxHelp = `screentest sandbox serves only the sandbox: a whole model gateway, by its contract,
for trying and testing programs without cost. Words in double brackets in a prompt
steer it: [[fail: reason]] [[slow]] [[status: 429]] [[drop]] [[truncate]] [[error]]
[[repeat: N]] [[markdown]] [[no-usage]] [[expire]].
`
	checkHelp = `screentest check reads a request (JSON) from its standard input and prints, as JSON,
what the gateway would say of it: errors, warnings, and the price of a video. It
exits with 1 if there are errors.

  echo '{"model":"beta-video-720p","prompt":"a cat","seconds":"7"}' |
    screentest check -endpoint video
`
	versionHelp = `screentest version prints the version.
`
)

// command makes a command whose flags can also be set by the environment:
// PREFIX_ADDR for -addr. Its help goes to help when it is asked for.
func (p *program) command(help *string, name, long, prefix string, flags func(*flag.FlagSet), run func(context.Context) error) *ffcli.Command {
	return p.commandOf(help, name, long, prefix, flags, noArgs(name, run))
}

// commandOf is command for one that takes words after its flags.
func (p *program) commandOf(help *string, name, long, prefix string, flags func(*flag.FlagSet), run func(context.Context, []string) error) *ffcli.Command {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // mistakes are told once, by complain
	flags(fs)
	return &ffcli.Command{
		Name: name, FlagSet: fs,
		Options:   []ff.Option{ff.WithEnvVarPrefix(prefix)},
		UsageFunc: func(*ffcli.Command) string { *help = usage(fs, long, prefix); return "" },
		Exec:      run,
	}
}

// usage is what -h prints.
func usage(fs *flag.FlagSet, long, prefix string) string {
	var b strings.Builder
	b.WriteString(long)
	head := "\nFlags, and the environment variables for the same:\n"
	fs.VisitAll(func(f *flag.Flag) {
		b.WriteString(head)
		head = ""
		arg, text := flag.UnquoteUsage(f)
		line := "  -" + f.Name
		if arg != "" {
			line += " " + arg
		}
		fmt.Fprintf(&b, "%-27s %s\n", line, strings.ReplaceAll(text, "\n", fmt.Sprintf("\n%28s", "")))
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" {
			fmt.Fprintf(&b, "%28sdefault %s, ", "", f.DefValue)
		} else {
			fmt.Fprintf(&b, "%28s", "")
		}
		fmt.Fprintf(&b, "%s_%s\n", prefix, strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")))
	})
	return b.String()
}

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

// sandboxConfig is the configuration of screentest sandbox.
type sandboxConfig struct {
	addr, key, balance, data, catalog string
	speed, tokensPerSecond            float64
	fetchPrivate                      bool
}

func (c *sandboxConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.addr, "addr", "127.0.0.1:9090", "`host:port` to listen on; port 0 takes a free one")
	fs.StringVar(&c.key, "key", "sandbox", "the API `key` that it takes")
	fs.Float64Var(&c.speed, "speed", 1, "`times` faster than life that it makes clips")
	fs.Float64Var(&c.tokensPerSecond, "tokens-per-second", 60, "`pace` of streamed text; -1: as fast as it is read")
	fs.StringVar(&c.balance, "balance", "100", "`USD` on the account at first")
	fs.StringVar(&c.data, "data", "", "`folder` to keep tasks and the account in; empty: in memory")
	fs.StringVar(&c.catalog, "catalog", "", "`file` of models and prices (JSON); empty: the sample inside")
	fs.BoolVar(&c.fetchPrivate, "fetch-private", false, "fetch reference and motion clips from private addresses too;\nonly for tests")
}

// Bounds of a pace, so that no time worked out from it is endless.
const slowest, fastest = 1e-6, 1e9

func isPace(x float64) bool { return x >= slowest && x <= fastest } // and not NaN

func (c sandboxConfig) checked() (money.NanoUSD, error) {
	here, err := onLoopback(c.addr)
	if err != nil {
		return 0, err
	}
	balance, err := money.ParseUSD(c.balance)
	switch {
	case err != nil:
		return 0, mistakef("-balance: %w", err)
	case balance < 0:
		return 0, mistakef("-balance %s: it must not be below 0", c.balance)
	case !isPace(c.speed):
		return 0, mistakef("-speed %g: it must be from %g to %g; 1 is the pace of a real gateway", c.speed, slowest, fastest)
	case c.tokensPerSecond != -1 && !isPace(c.tokensPerSecond):
		return 0, mistakef("-tokens-per-second %g: it must be from %g to %g, or -1 for as fast as it is read", c.tokensPerSecond, slowest, fastest)
	case c.key == "":
		return 0, mistakef("-key is empty: calls need one")
	case c.key == sandbox.DefaultKey && !here:
		return 0, mistakef("-addr %s can be reached by others, and everybody knows the key %q: give one of your own with -key", c.addr, c.key)
	}
	return balance, nil
}

// checkConfig is the configuration of screentest check.
type checkConfig struct{ endpoint, catalog string }

func (c *checkConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.endpoint, "endpoint", "", "`name` of the endpoint: chat, responses or video; empty: that\nof the model")
	fs.StringVar(&c.catalog, "catalog", "", "`file` of models and prices (JSON); empty: the sample inside")
}

// readCatalogue reads the file of -catalog, or takes the sample.
func readCatalogue(file string) (*gateway.Catalogue, error) {
	if file == "" {
		return gateway.SampleCatalogue(), nil
	}
	p, err := os.ReadFile(file)
	if err != nil {
		return nil, mistakef("-catalog: %w", err)
	}
	c, err := gateway.ParseCatalogue(p)
	if err != nil {
		return nil, mistakef("-catalog %s: %w", file, err)
	}
	return c, nil
}
