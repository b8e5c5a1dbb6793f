package gateway

import (
	"strconv"
	"strings"

	"screentest/shared/strictjson"
)

// checkStop checks what ends an answer (G48).
func (k *checker) checkStop(s *spec, v *strictjson.Value) {
	list := v.Items
	if v.Kind == strictjson.String {
		list = []strictjson.Value{*v}
	} else if v.Kind != strictjson.Array {
		k.report(s.shape, s.name, s.name+" must be a string or an array of "+count(s.lo, s.hi, [2]string{"string", "strings"})+", not "+show(v))
		return
	}
	if len(list) < s.lo || len(list) > s.hi {
		k.report(s.bounds, s.name, s.name+" must have "+count(s.lo, s.hi, [2]string{"string", "strings"})+"; there are "+strconv.Itoa(len(list)))
	}
	for i := range list {
		if len(k.verdict.Errors) > maxIssues {
			return
		}
		if list[i].Kind != strictjson.String || list[i].Text == "" {
			k.report(s.shape, s.name, s.name+" holds strings that are not empty, not "+show(&list[i]))
		}
	}
}

// checkChoice checks one of the choices. Where others are no more than unusual,
// bounds is the warning that says so (G50).
func (k *checker) checkChoice(s *spec, at string, v *strictjson.Value) {
	switch {
	case v.Kind == strictjson.String && contains(s.choices, v.Text):
	case v.Kind == strictjson.String && v.Text != "" && s.bounds != 0:
		k.reportWith(s.bounds, at, at+" is usually "+either(s.choices)+"; it is "+strconv.Quote(cut(v.Text)), s.choices, "")
	default:
		k.reportWith(s.shape, at, at+" must be "+either(s.choices)+", not "+show(v), s.choices, "")
	}
}

// checkWithin checks one member of an object, where it is there.
func (k *checker) checkWithin(s *spec, v *strictjson.Value, name string, check func(*spec, string, *strictjson.Value)) {
	if v.Kind != strictjson.Object {
		k.report(s.shape, s.name, s.name+" must be an object with "+name+", not "+show(v))
		return
	}
	if inner := member(v, name); inner != nil {
		check(s, s.name+"."+name, inner)
	}
}

// checkFormat checks what an answer is to look like (G49): on chat what is told
// of a schema is within an object of that name, on responses beside the type.
func (k *checker) checkFormat(s *spec, at string, v *strictjson.Value, within string) {
	if v.Kind != strictjson.Object {
		k.report(s.shape, at, at+" must be an object with a type, not "+show(v))
		return
	}
	kind := member(v, "type")
	if kind == nil || kind.Kind != strictjson.String || !contains(s.choices, kind.Text) {
		found := "missing"
		if kind != nil {
			found = show(kind)
		}
		k.reportWith(s.shape, at+".type", "the type of a format is "+either(s.choices)+"; it is "+found, s.choices, "")
		return
	}
	if kind.Text != "json_schema" {
		return
	}
	if within != "" {
		at += "." + within
		v = member(v, within)
		if v == nil || v.Kind != strictjson.Object {
			k.report(s.shape, at, "a format with a schema needs json_schema, an object with name and schema")
			return
		}
	}
	if name := member(v, "name"); name == nil || name.Kind != strictjson.String || !SchemaName(name.Text) {
		k.report(s.shape, at+".name", "a schema needs a name of letters, digits, _ and -, at most "+strconv.Itoa(maxName)+" of them")
	}
	if schema := member(v, "schema"); schema == nil || schema.Kind != strictjson.Object {
		found := "missing"
		if schema != nil {
			found = show(schema)
		}
		k.report(s.shape, at+".schema", "the schema is a JSON Schema, an object; it is "+found)
	}
	if strict := member(v, "strict"); strict != nil && strict.Kind != strictjson.Bool {
		k.report(s.shape, at+".strict", "strict must be a boolean, not "+show(strict))
	}
}

// SchemaName says whether a function or a schema can be called that: 1 to 64
// letters, digits, _ and - (G49).
func SchemaName(s string) bool {
	return s != "" && len(s) <= maxName && strings.IndexFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' && r != '-'
	}) < 0
}

// bytesPerToken is a usual length of a token, for estimates.
const bytesPerToken = 4

// checkContext warns of a request that is longer than the model reads (G54).
func (k *checker) checkContext(body int) {
	most := k.model.Context
	if most == 0 || k.endpoint == Video {
		return
	}
	field := "messages"
	if k.endpoint == Responses {
		field = "input"
	}
	in := (body - k.imageBytes) / bytesPerToken
	if in > most {
		k.report(rContext, field, "this is about "+grouped(int64(in))+" tokens, and "+k.subject()+" reads "+grouped(int64(most))+" at most")
		return
	}
	if out := k.bound(); out <= int64(most) && int64(in)+out > int64(most) {
		k.report(rContext, field, "this is about "+grouped(int64(in))+" tokens, and with an answer of "+grouped(out)+" it is more than the "+
			grouped(int64(most))+" that "+k.subject()+" reads and writes")
	}
}

// bound is how many tokens the request asks for at most, 0 where it doesn't say.
func (k *checker) bound() int64 {
	for _, name := range boundNames {
		if v := k.field(name); v != nil && v.Kind == strictjson.Number {
			if n, err := strconv.ParseInt(v.Text, 10, 64); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}

// boundNames are the fields that bound an answer's length (G47).
var boundNames = []string{"max_tokens", "max_completion_tokens", "max_output_tokens"}
