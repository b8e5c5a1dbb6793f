package gateway

import (
	"bytes"
	"encoding/json"
)

// marshal encodes v on one line, without escaping <, > and &, so that a body
// reads as it was typed. The types given to it always encode.
func marshal(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("gateway: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
