// Package check is the command `screentest check`: it reads a request and
// prints what the validator says of it, for people and scripts.
package check

import (
	"encoding/json"
	"fmt"
	"io"

	"screentest/shared/gateway"
)

// Run reads one request body (JSON) from in, judges it for an endpoint, and
// prints the verdict to out as one line of JSON:
//
//	{"errors":[{"field":"seconds","code":"invalid_seconds","message":"…",
//	"allowed":["6","10"],"fact":"F59"}],"warnings":[],"price":null}
//
// With an empty endpoint it takes the one of the model that the body names. ok
// says that the request may go: a script's exit status is 1 without it. The
// error is of reading, writing or an endpoint that does not exist.
func Run(c *gateway.Catalogue, ep gateway.Endpoint, in io.Reader, out io.Writer) (ok bool, err error) {
	if ep != "" && ep.Path() == "" {
		return false, fmt.Errorf("check: there is no endpoint %q; there are %s, %s and %s", ep, gateway.Chat, gateway.Responses, gateway.Video)
	}
	// One byte more than may be, so that a body too long is seen as one.
	body, err := io.ReadAll(io.LimitReader(in, gateway.MaxBody+1))
	if err != nil {
		return false, fmt.Errorf("check: read the request: %w", err)
	}
	if ep == "" {
		ep = endpointOf(c, body)
	}
	verdict := c.Validate(ep, body, gateway.Options{})
	line, err := verdict.MarshalJSON()
	if err != nil {
		return false, fmt.Errorf("check: %w", err)
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return false, fmt.Errorf("check: print the verdict: %w", err)
	}
	return verdict.OK(), nil
}

// endpointOf returns the endpoint of the model that a body names, chat where
// that can't be told: the verdict then says why.
func endpointOf(c *gateway.Catalogue, body []byte) gateway.Endpoint {
	var request struct {
		Model string `json:"model"`
	}
	if err := json.Unmarshal(body, &request); err != nil || request.Model == "" {
		return gateway.Chat
	}
	m, _ := c.Lookup(request.Model)
	return m.Endpoint
}
