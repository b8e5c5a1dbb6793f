package wire

import (
	"bytes"
	"encoding/json"
	"errors"
)

// Verbatim is s as JSON with its Body as it stands, which must be JSON.
// json.Marshal would take the white space out of it and escape <, > and &: the
// gateway would get other bytes than those that were shown and judged.
func (s Start) Verbatim() (json.RawMessage, error) {
	body := s.Body
	s.Body = nil
	raw, err := json.Marshal(s)
	if err != nil || body == nil {
		return raw, err
	}
	head, ok := bytes.CutSuffix(raw, []byte("null}"))
	if !ok || !bytes.HasSuffix(head, []byte(`"body":`)) {
		return nil, errors.New("wire: the body is not the last field of a Start")
	}
	out := make([]byte, 0, len(head)+len(body)+1)
	out = append(append(append(out, head...), body...), '}')
	return out, nil
}
