package main

import (
	"flag"

	"screentest/server/check"
	"screentest/shared/gateway"
)

const checkHelp = `screentest check reads a request (JSON) from its standard input and prints, as JSON,
what the gateway would say of it: errors, warnings, and the price of a video. It
exits with 1 if there are errors.

  echo '{"model":"beta-video-720p","prompt":"a cat","seconds":"7"}' |
    screentest check -endpoint video
`

// checkConfig is the configuration of screentest check.
type checkConfig struct{ endpoint, catalog string }

func (c *checkConfig) flags(fs *flag.FlagSet) {
	fs.StringVar(&c.endpoint, "endpoint", "", "`name` of the endpoint: chat, responses or video; empty: that\nof the model")
	fs.StringVar(&c.catalog, "catalog", "", "`file` of models and prices (JSON); empty: the sample inside")
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
