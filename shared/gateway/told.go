package gateway

import (
	"bytes"
	"encoding/json"
)

// Member is a field of a request and its value as JSON.
type Member struct {
	Name  string
	Value json.RawMessage
}

// further puts More and Extra at the end of a body.
func (p TextParams) further(body []byte) []byte {
	add := func(members []byte) {
		body = append(body[:len(body)-1], ',')
		body = append(append(body, members...), '}')
	}
	for _, m := range p.More {
		if value := whole(m.Value); len(value) > 0 {
			add(append(append(marshal(m.Name), ':'), compact(value)...))
		}
	}
	if extra := bytes.TrimSpace(p.Extra); len(extra) > 0 && extra[0] == '{' && json.Valid(extra) {
		extra = compact(extra)
		if inside := extra[1 : len(extra)-1]; len(inside) > 0 {
			add(inside)
		}
	}
	return body
}

// compact writes JSON on one line, as it stands there otherwise.
func compact(raw json.RawMessage) []byte {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return raw
	}
	return b.Bytes()
}

// Format is what an answer is to look like (G49).
type Format struct {
	Type string // "text", "json_object" or "json_schema"
	// Of json_schema: a name, the JSON Schema, and whether the model is held to it.
	Name   string
	Schema json.RawMessage
	Strict bool
}

// Member is the field that asks for the format: response_format on chat, text on
// responses.
func (f Format) Member(ep Endpoint) Member {
	type schema struct {
		Name   string          `json:"name"`
		Schema json.RawMessage `json:"schema,omitempty"`
		Strict bool            `json:"strict"`
	}
	type format struct {
		Type   string  `json:"type"`
		Schema *schema `json:"json_schema,omitempty"`
	}
	type flat struct {
		Type string `json:"type"`
		*schema
	}
	var of *schema
	if f.Type == "json_schema" {
		of = &schema{f.Name, whole(f.Schema), f.Strict}
	}
	if ep == Responses {
		return Member{"text", marshal(map[string]any{"format": flat{f.Type, of}})}
	}
	return Member{"response_format", marshal(format{f.Type, of})}
}

// Bound is how many tokens a text request asks for at most, of any of the fields
// that say so, 0 where none does (G47). Where n asks for several answers, it is
// all of theirs together. kept says that the model is known to take the field, so
// that no answer is longer.
func (m Model) Bound(body []byte) (tokens int64, kept bool) {
	var r struct {
		Tokens     int64 `json:"max_tokens"`
		Completion int64 `json:"max_completion_tokens"`
		Output     int64 `json:"max_output_tokens"`
		N          int64 `json:"n"`
	}
	if json.Unmarshal(body, &r) != nil {
		return 0, false
	}
	kept = r.Tokens > 0 && m.CanTake("max_tokens") || r.Completion > 0 && m.CanTake("max_completion_tokens") ||
		r.Output > 0 && m.CanTake("max_output_tokens")
	const most = 1 << 30 // of each factor: their product is a number still
	return min(max(r.Tokens, r.Completion, r.Output, 0), most) * min(max(r.N, 1), most), kept
}
