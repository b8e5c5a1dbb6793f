package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"screentest/server/check"
	"screentest/server/sandbox"
	"screentest/shared/gateway"
)

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

// onlyHere answers only those who ask for this machine. Otherwise a page of any
// site could point its own name at it (DNS rebinding) and use the sandbox, whose
// key is no secret here.
func onlyHere(sandbox http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if onThisMachine(&url.URL{Host: r.Host}) {
			sandbox.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusMisdirectedRequest)
		fmt.Fprint(w, `{"error":{"message":"The sandbox on this machine answers to localhost and 127.0.0.1 only.",`+
			`"type":"invalid_request_error","param":"","code":"unknown_host"}}`)
	})
}

// check is the command screentest check.
func (p *program) check(c checkConfig) error {
	catalogue, err := readCatalogue(c.catalog)
	if err != nil {
		return err
	}
	ok, err := check.Run(catalogue, gateway.Endpoint(c.endpoint), p.stdin, p.stdout)
	if err != nil {
		return mistake{err}
	}
	if !ok {
		return errRefused
	}
	return nil
}
