package sandbox

import (
	"encoding/json"
	"strconv"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/strictjson"
)

// told is what a request says in the fields that the catalogue tells of its
// model (G43, G47 to G53). Of another model they are ignored (G11).
type told struct {
	most    int64 // tokens; 0 is any number
	stop    []string
	object  bool   // the answer is a JSON object
	schema  schema // that it follows
	effort  bool   // reasoning was asked for
	variant string // seed, penalties and top_k as they were written
}

// readTold reads a body that was found valid.
func readTold(m gateway.Model, root *strictjson.Value) told {
	var t told
	get := func(name string) *strictjson.Value {
		v, there := root.Get(name)
		if !there || v.Kind == strictjson.Null || !m.CanTake(name) {
			return &strictjson.Value{}
		}
		return v
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		if n, err := strconv.ParseInt(get(name).Text, 10, 64); err == nil {
			t.most = n
		}
	}
	switch stop := get("stop"); stop.Kind {
	case strictjson.String:
		t.stop = []string{stop.Text}
	case strictjson.Array:
		for _, s := range stop.Items {
			t.stop = append(t.stop, s.Text)
		}
	}
	t.format(get("response_format"), "json_schema")
	if format, there := get("text").Get("format"); there {
		t.format(format, "")
	}
	_, effort := get("reasoning").Get("effort")
	t.effort = effort || get("reasoning_effort").Text != ""
	for _, name := range []string{"seed", "presence_penalty", "frequency_penalty", "top_k"} {
		if v := get(name); v.Kind == strictjson.Number {
			t.variant += name + "=" + v.Text + " "
		}
	}
	return t
}

// format reads what the answer is to look like; what is told of a schema is
// within an object of that name, or beside the type.
func (t *told) format(f *strictjson.Value, within string) {
	kind, there := f.Get("type")
	if !there || kind.Text == "text" {
		return
	}
	t.object = true
	if within != "" {
		if f, there = f.Get(within); !there {
			return
		}
	}
	if s, there := f.Get("schema"); there {
		_ = json.Unmarshal(appendValue(nil, s), &t.schema) // one that makes no sense asks for nothing
	}
}

// shape makes the answer what was asked for: JSON, ended before a stop string,
// and no longer than its bound.
func (t *told) shape(a *answer, prompt string) {
	if len(a.calls) > 0 {
		return
	}
	if t.object && a.script.free() {
		var value any = map[string]any{"answer": a.text}
		if t.schema.kind() == "object" {
			value = t.schema.example("", prompt, 0)
		}
		if b, err := json.Marshal(value); err == nil {
			a.text, a.citations = string(b), nil
		}
	}
	for _, s := range t.stop {
		if before, _, found := strings.Cut(a.text, s); found {
			a.text = before
		}
	}
	if t.most > 0 && countTokens(a.reasoning)+countTokens(a.text) > t.most {
		a.bounded = true
		a.reasoning = firstTokens(a.reasoning, t.most)
		a.text = firstTokens(a.text, t.most-countTokens(a.reasoning))
	}
}

// incomplete says that the answer was ended by a bound of its length.
func (a *answer) incomplete() bool { return a.script.incomplete || a.bounded }
