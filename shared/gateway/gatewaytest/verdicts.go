package gatewaytest

import (
	"encoding/json"
	"fmt"
	"io"

	"screentest/shared/gateway"
)

// WriteVerdicts writes a line for each request of a corpus: its endpoint, its
// body as a JSON string, and the verdict. Two builds of the validator agree
// when they write the same.
func WriteVerdicts(w io.Writer, c *gateway.Catalogue, seed uint64, n int) error {
	for r := range Corpus(c, seed, n) {
		verdict, err := json.Marshal(c.Validate(r.Endpoint, r.Body, r.Options))
		if err != nil {
			return fmt.Errorf("verdict of %s: %w", r.Body, err)
		}
		if _, err := fmt.Fprintf(w, "%s %s %s\n", r.Endpoint, quote(string(r.Body)), verdict); err != nil {
			return err
		}
	}
	return nil
}
