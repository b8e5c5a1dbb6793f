package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"

	"screentest/server/sandbox"
	"screentest/shared/money"
)

const sandboxHelp = `screentest sandbox serves only the sandbox: a whole model gateway, by its contract,
for trying and testing programs without cost. Words in double brackets in a prompt
steer it: [[fail: reason]] [[slow]] [[status: 429]] [[drop]] [[truncate]] [[error]]
[[repeat: N]] [[markdown]] [[no-usage]] [[expire]].
`

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

// sandbox is the command screentest sandbox.
func (p *program) sandbox(ctx context.Context, c sandboxConfig) error {
	balance, err := c.checked()
	if err != nil {
		return err
	}
	catalogue, err := readCatalogue(c.catalog)
	if err != nil {
		return err
	}
	listener, err := listen(c.addr)
	if err != nil {
		return err
	}
	if balance == 0 {
		balance = sandbox.NoBalance
	}
	log := p.logger()
	sb, err := sandbox.New(sandbox.Config{
		Key: c.key, Speed: c.speed, TokensPerSecond: c.tokensPerSecond, Balance: balance,
		Dir: c.data, FetchPrivate: c.fetchPrivate, Catalogue: catalogue, Logger: log,
	})
	if err != nil {
		listener.Close()
		return mistake{err}
	}
	var handler http.Handler = sb
	if here, _ := onLoopback(c.addr); here {
		handler = onlyHere(sb)
	} else {
		log.Warn("others can reach the sandbox, and by plain http: its key can be read on the way", "addr", c.addr)
	}
	hs := newHTTPServer(handler, log)
	failed := make(chan error, 1)
	go func() { failed <- hs.Serve(listener) }()
	fmt.Fprintf(p.stdout, "The sandbox gateway is ready on http://%s, key %s\n", listener.Addr(), c.key)
	for {
		select {
		case <-p.reload:
			if catalogue, err := readCatalogue(c.catalog); err != nil {
				log.Error("the catalogue was not read again; the old one stays", "err", err)
			} else {
				sb.SetCatalogue(catalogue)
			}
			continue
		case err = <-failed:
		case <-ctx.Done():
			err = http.ErrServerClosed
		}
		if errors.Is(err, http.ErrServerClosed) {
			err = nil
		}
		return errors.Join(err, sb.Close(), hs.Close())
	}
}
