package sandbox

import "github.com/go-json-experiment/json/jsontext"

// appendString appends s as a JSON string: a chunk of a stream is written for
// every token, and this neither reflects nor allocates. What is not UTF-8
// becomes U+FFFD.
func appendString(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s) // it quotes what is not UTF-8, too
	return b
}
