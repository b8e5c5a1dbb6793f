package video

import (
	"encoding/json"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// BodyField returns a string of a request's body, "" where it is none.
func BodyField(body json.RawMessage, name string) string {
	var fields map[string]json.RawMessage
	var s string
	if json.Unmarshal(body, &fields) != nil || json.Unmarshal(fields[name], &s) != nil {
		return ""
	}
	return s
}

// Parameter is a line of a request as a clip's page shows it.
type Parameter struct {
	Name  string // the gateway's field
	Value string // without the quotes of a string
}

// Shots are the shots of a multi-shot clip, nil of any other.
func Shots(t *wire.VideoTask) []gateway.Scene {
	if gateway.Mode(t.Mode) != gateway.MultiShot {
		return nil
	}
	return gateway.Scenes(t.Body)
}

// Parameters are the fields of a task's request but for its prompts, in the
// order in which they were sent.
func Parameters(t *wire.VideoTask) []Parameter {
	var list []Parameter
	dec := json.NewDecoder(strings.NewReader(string(t.Body)))
	if tok, err := dec.Token(); err != nil || tok != json.Delim('{') {
		return nil
	}
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return list
		}
		var raw json.RawMessage
		if dec.Decode(&raw) != nil {
			return list
		}
		key, _ := name.(string)
		if key == "prompt" || key == "multi_prompt" && Shots(t) != nil {
			continue
		}
		var s string
		if json.Unmarshal(raw, &s) != nil {
			s = string(raw)
		}
		list = append(list, Parameter{Name: key, Value: s})
	}
	return list
}
