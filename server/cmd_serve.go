package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"screentest/server/blob"
	gatewayclient "screentest/server/gateway"
	"screentest/server/people"
)

const serveHelp = `screentest serve serves the playground until it is interrupted. Answers that are
under way then are kept as far as they had come.

On an address of this machine alone it is one person's, without accounts. With -team,
and wherever others reach it, people sign in, and what they send is encrypted:
by -tls-cert and -tls-key, by -acme, or by a proxy that -public-url names.

SIGHUP reads the files of -catalog, -tls-cert and -tls-key again.
AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are the keys to the bucket of -files.
SCREENTEST_SEAL_KEY, 32 bytes in base64 or hex, seals keys in place of the file
seal.key in the data folder. Of several, with commas between, the first seals and all
open.
`

// serveConfig is the configuration of screentest serve.
type serveConfig struct {
	addr, data, gateway, catalog string
	cluster                      clusterConfig
	files                        string
	reach                        reachConfig
	signIn                       signInConfig
	sandboxSpeed                 float64
	fetchPrivate                 bool
	metricsToken, logFormat      string
	timeouts                     gatewayclient.Options // of the gateway; zero but in tests
}

func (c *serveConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.addr, "addr", "127.0.0.1:8080", "`host:port` to listen on; port 0 takes a free one")
	fs.StringVar(&c.data, "data", "./data", "`folder` for history, spend and sealed keys")
	fs.StringVar(&c.files, "files", "", "`folder` that is shared, or s3://bucket/prefix?endpoint=https://host:port,\nfor clips, posters and uploads; empty: the data folder")
	fs.StringVar(&c.gateway, "gateway", "", "base `URL` of the gateway, such as https://gateway.example.com;\nempty: the one connected in the page, or a sandbox inside")
	fs.StringVar(&c.catalog, "catalog", "", "`file` of models and prices (JSON); empty: the sample inside")
	fs.BoolVar(&c.fetchPrivate, "fetch-private", false, "fetch clips and links from private addresses too: for a\ngateway whose files are on a host of your own network")
	fs.Float64Var(&c.sandboxSpeed, "sandbox-speed", 20, "`times` faster than life that the sandbox makes clips")
	fs.StringVar(&c.metricsToken, "metrics-token", "", "`token` by which /metrics is read from elsewhere\n(Authorization: Bearer); empty: from this machine alone")
	fs.StringVar(&c.logFormat, "log-format", logText, "`text` or json, a line for each entry of the log")
	c.cluster.flags(fs)
	c.reach.flags(fs)
	c.signIn.flags(fs)
}

// checked says what is wrong with the configuration, and what it comes to.
func (c serveConfig) checked() (r reach, ways people.Ways, err error) {
	if r, err = c.reach.checked(c.addr); err != nil {
		return r, ways, err
	}
	if ways, err = c.signIn.checked(r.mode); err != nil {
		return r, ways, err
	}
	if ways.SingleSignOn != nil && !r.here && r.public == nil {
		return r, ways, mistakef("-oidc-issuer: the provider sends people back to this server. Say with -public-url how their browsers reach it")
	}
	if err := c.cluster.checked(c.files); err != nil {
		return r, ways, err
	}
	if _, err := blob.Parse(c.files); err != nil {
		return r, ways, mistake{err}
	}
	if !isPace(c.sandboxSpeed) {
		return r, ways, mistakef("-sandbox-speed %g: it must be from %g to %g; 1 is the pace of a real gateway", c.sandboxSpeed, slowest, fastest)
	}
	return r, ways, nil
}

// gcPercent trades some processor time for memory: what a stream holds is
// small, and doubling it with garbage, as is Go's default, is most of its cost.
const gcPercent = 50

// serve is the command screentest serve.
func (p *program) serve(ctx context.Context, c serveConfig) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	log, err := p.loggerAs(c.logFormat)
	if err != nil {
		return err
	}
	s, err := start(ctx, c, log)
	if err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "Screentest is ready on %s (%s)\n", s.url, s.gatewayName())
	if s.setUp != "" {
		fmt.Fprintf(p.stdout, "Set up at %s\n", s.setUp)
	}
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
