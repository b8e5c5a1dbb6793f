package snippet

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"screentest/shared/gateway"
)

// The languages in which the call is made with OpenAI's own client. It takes the
// body apart, so that the gateway gets the same request and not the same bytes. A
// call that failed is not made again by itself: it may have been charged.
const (
	PythonClient     Language = "openai-python"     // openai 1.66 or later
	JavaScriptClient Language = "openai-javascript" // openai 4.87 or later, Node 20 or later
)

// Clients are those languages. Of what is no JSON object, and of a video task, they
// write nothing.
func Clients() []Language { return []Language{PythonClient, JavaScriptClient} }

// named are the arguments that the client in Python has a name for. Any other goes
// by extra_body, which is sent the same.
var named = map[gateway.Endpoint][]string{
	gateway.Chat: {"model", "messages", "frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "metadata", "n",
		"parallel_tool_calls", "presence_penalty", "reasoning_effort", "response_format", "seed", "service_tier", "stop", "store", "stream",
		"stream_options", "temperature", "tool_choice", "tools", "top_logprobs", "top_p", "user"},
	gateway.Responses: {"model", "input", "include", "instructions", "max_output_tokens", "metadata", "parallel_tool_calls", "previous_response_id",
		"reasoning", "store", "stream", "temperature", "text", "tool_choice", "tools", "top_p", "truncation", "user"},
}

// method is what the clients call an endpoint.
var method = map[gateway.Endpoint]string{gateway.Chat: "chat.completions", gateway.Responses: "responses"}

// base is the address that the clients are given: they add what comes after the
// version.
func (r Request) base() string { return strings.TrimRight(r.BaseURL, "/") + "/v1" }

func pythonClient(r Request) string {
	fields, ok := fieldsOf(r)
	if !ok {
		return ""
	}
	w := literals{yes: "True", no: "False", null: "None", indent: "    "}
	var more []field
	var b strings.Builder
	for _, f := range fields {
		if !slices.Contains(named[r.Endpoint], f.name) {
			more = append(more, f)
			continue
		}
		b.WriteString("    " + f.name + "=" + w.of(f.value, 1) + ",\n")
	}
	if len(more) > 0 {
		b.WriteString("    extra_body=" + w.object(more, 1) + ",\n")
	}
	what, then := "reply", "print(reply.model_dump_json(indent=2))\n"
	switch r.kind() {
	case chatStream:
		what, then = "stream", `for event in stream:
    if event.choices:
        print(event.choices[0].delta.content or '', end='', flush=True)
print()
`
	case responsesStream:
		what, then = "stream", `for event in stream:
    if event.type in ('response.failed', 'error'):
        raise SystemExit(event.model_dump_json())
    if event.type == 'response.output_text.delta':
        print(event.delta, end='', flush=True)
print()
`
	}
	return "# pip install openai\n# " + KeyEnv + `=… python3 call.py
import os

from openai import OpenAI

client = OpenAI(
    base_url=` + escaped([]byte(r.base()), '\'') + `,
    api_key=os.environ['` + KeyEnv + `'],
    max_retries=0,  # a call that broke off may have been charged
)

` + what + " = client." + method[r.Endpoint] + ".create(\n" + b.String() + ")\n" + then
}

func javaScriptClient(r Request) string {
	fields, ok := fieldsOf(r)
	if !ok {
		return ""
	}
	w := literals{yes: "true", no: "false", null: "null", indent: "  ", javaScript: true}
	what, then := "reply", "console.log(JSON.stringify(reply, null, 2));\n"
	switch r.kind() {
	case chatStream:
		what, then = "stream", `for await (const event of stream) {
  process.stdout.write(event.choices[0]?.delta?.content || '');
}
process.stdout.write('\n');
`
	case responsesStream:
		what, then = "stream", `for await (const event of stream) {
  if (event.type === 'response.failed' || event.type === 'error') throw new Error(JSON.stringify(event));
  if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
}
process.stdout.write('\n');
`
	}
	return "// npm install openai\n// " + KeyEnv + `=… node call.mjs
import OpenAI from 'openai';

const client = new OpenAI({
  baseURL: ` + escaped([]byte(r.base()), '\'') + `,
  apiKey: process.env.` + KeyEnv + `,
  maxRetries: 0, // a call that broke off may have been charged
});

const ` + what + " = await client." + method[r.Endpoint] + ".create(" + w.object(fields, 0) + ");\n" + then
}

// A field is one of a JSON object, in its order.
type field struct {
	name  string
	value any // string, json.Number, bool, nil, []any or []field
}

// fieldsOf are the fields of the body; ok is false where a client can't be told it.
func fieldsOf(r Request) (fields []field, ok bool) {
	if method[r.Endpoint] == "" || !utf8.Valid(r.Body) {
		return nil, false
	}
	d := json.NewDecoder(bytes.NewReader(r.Body))
	d.UseNumber()
	v, err := value(d, 0)
	if err != nil {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	fields, ok = v.([]field)
	return fields, ok
}

// maxDepth bounds how deep a body goes that a client is told.
const maxDepth = 100

var (
	errDeep   = errors.New("this goes too deep")
	errNumber = errors.New("this number would be another one")
)

// kept says that a number is the same once it is one of a program's own: whole ones
// as far as JavaScript counts, others that are no infinity.
func kept(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && (strings.ContainsAny(n.String(), ".eE") || math.Abs(f) <= 1<<53)
}

// value reads a value with the order of its fields. Of two with one name the last
// counts, as it does everywhere.
func value(d *json.Decoder, depth int) (any, error) {
	t, err := d.Token()
	if err == nil && depth > maxDepth {
		err = errDeep
	}
	if err != nil {
		return nil, err
	}
	if n, is := t.(json.Number); is && !kept(n) {
		return nil, errNumber
	}
	switch t {
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	case json.Delim('{'):
		list := []field{}
		for d.More() {
			name, err := d.Token()
			if err != nil {
				return nil, err
			}
			v, err := value(d, depth+1)
			if err != nil {
				return nil, err
			}
			f := field{name.(string), v}
			list = slices.DeleteFunc(list, func(o field) bool { return o.name == f.name })
			list = append(list, f)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}

// literals writes values as a language does.
type literals struct {
	yes, no, null, indent string
	javaScript            bool // names of fields stand without quotes
}

func (w literals) of(v any, depth int) string {
	switch v := v.(type) {
	case nil:
		return w.null
	case bool:
		if v {
			return w.yes
		}
		return w.no
	case string:
		return escaped([]byte(v), '\'')
	case json.Number:
		return v.String()
	case []field:
		return w.object(v, depth)
	}
	list := v.([]any)
	lines := make([]string, 0, len(list))
	for _, item := range list {
		lines = append(lines, w.of(item, depth+1))
	}
	return w.within("[", lines, "]", depth)
}

// word is a name that needs no quotes.
var word = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (w literals) object(fields []field, depth int) string {
	lines := make([]string, 0, len(fields))
	for _, f := range fields {
		name := escaped([]byte(f.name), '\'')
		switch {
		case !w.javaScript:
		case f.name == "__proto__": // else it would be no field
			name = "[" + name + "]"
		case word.MatchString(f.name):
			name = f.name
		}
		lines = append(lines, name+": "+w.of(f.value, depth+1))
	}
	return w.within("{", lines, "}", depth)
}

func (w literals) within(open string, lines []string, end string, depth int) string {
	if len(lines) == 0 {
		return open + end
	}
	in := "\n" + strings.Repeat(w.indent, depth+1)
	return open + in + strings.Join(lines, ","+in) + ",\n" + strings.Repeat(w.indent, depth) + end
}
