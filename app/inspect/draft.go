package inspect

import (
	"encoding/json"
	"strings"

	"screentest/shared/gateway"
)

// Draft is a request that the person writes as JSON.
type Draft struct {
	Endpoint gateway.Endpoint `json:"endpoint"`
	Text     string           `json:"text"`
	// Closed says that the person went back to the form; the text stays.
	Closed bool `json:"closed,omitempty"`
}

// Body is what is sent: the text without the white space around it.
func (d Draft) Body() []byte { return []byte(strings.TrimSpace(d.Text)) }

// Encode writes the draft for the browser's store.
func (d Draft) Encode() string {
	b, err := json.Marshal(d)
	if err != nil {
		return ""
	}
	return string(b)
}

// DecodeDraft reads what Encode wrote; false where there is none.
func DecodeDraft(s string) (d Draft, ok bool) {
	if s == "" || json.Unmarshal([]byte(s), &d) != nil || d.Endpoint.Path() == "" {
		return Draft{}, false
	}
	return d, true
}
