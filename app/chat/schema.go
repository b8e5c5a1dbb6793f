package chat

import (
	"slices"
	"strconv"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/strictjson"
)

// CheckFunction says what is wrong with a function as it is being written, one
// sentence each: its name, and its parameters as a JSON Schema. others are the
// names that are taken.
func CheckFunction(f Function, others []string) (name, parameters []string) {
	switch {
	case f.Name == "":
		name = append(name, "A function needs a name.")
	case !gateway.SchemaName(f.Name):
		name = append(name, "Use up to 64 letters, digits, _ and -.")
	case slices.Contains(others, f.Name):
		name = append(name, "Another function has this name.")
	}
	if strings.TrimSpace(f.Parameters) != "" { // a function may take nothing
		parameters = CheckSchema(f.Parameters)
	}
	return name, parameters
}

// maxComplaints bounds what is said of one schema.
const maxComplaints = 5

// CheckSchema says what is wrong with the JSON Schema of a function's
// parameters, with the line where it is. It checks that it makes sense as one,
// not all that a schema may be.
func CheckSchema(text string) []string { return checkSchema(text, "the parameters are") }

// CheckAnswer is CheckSchema for the schema of an answer, which has to be there.
func CheckAnswer(text string) []string {
	if strings.TrimSpace(text) == "" {
		return []string{"Write the JSON Schema the answer must follow."}
	}
	return checkSchema(text, "an answer is")
}

// checkSchema checks a schema of an object that these words begin to speak of.
func checkSchema(text, these string) []string {
	doc, err := strictjson.Parse([]byte(text), strictjson.Limits{Bytes: 64 << 10, OwnNames: func(string) bool { return true }})
	if err != nil {
		return []string{sentence(err.Error())}
	}
	s := schemaCheck{doc: doc}
	for _, c := range doc.Clashes {
		s.say(c.Offset, strconv.Quote(c.Second)+" is there twice")
	}
	if doc.Root.Kind != strictjson.Object {
		s.say(0, "a schema is an object, not "+doc.Root.Kind.String())
		return s.complaints
	}
	if t, ok := doc.Root.Get("type"); !ok {
		s.say(0, these+` an object: "type": "object" is missing`)
	} else if t.Kind != strictjson.String || t.Text != "object" {
		s.say(t.Offset, these+` an object, so the type is "object"`)
	}
	s.schema(&doc.Root, 0)
	return s.complaints
}

type schemaCheck struct {
	doc        *strictjson.Document
	complaints []string
}

func (s *schemaCheck) say(offset int, what string) {
	if len(s.complaints) < maxComplaints {
		s.complaints = append(s.complaints, sentence("line "+strconv.Itoa(s.doc.Line(offset))+": "+what))
	}
}

var schemaTypes = []string{"object", "array", "string", "number", "integer", "boolean", "null"}

// schema looks at one schema and those within it.
func (s *schemaCheck) schema(v *strictjson.Value, depth int) {
	if depth > 16 {
		return
	}
	if t, ok := v.Get("type"); ok {
		s.types(t)
	}
	properties, has := v.Get("properties")
	if has && properties.Kind != strictjson.Object {
		s.say(properties.Offset, "properties is an object of schemas, not "+properties.Kind.String())
		has = false
	}
	if has {
		for i := range properties.Members {
			p := &properties.Members[i]
			if p.Value.Kind != strictjson.Object {
				s.say(p.Offset, "the property "+strconv.Quote(p.Name)+" is a schema, an object, not "+p.Value.Kind.String())
				continue
			}
			s.schema(&p.Value, depth+1)
		}
	}
	if items, ok := v.Get("items"); ok {
		if items.Kind == strictjson.Object {
			s.schema(items, depth+1)
		} else {
			s.say(items.Offset, "items is a schema, an object, not "+items.Kind.String())
		}
	}
	if enum, ok := v.Get("enum"); ok && (enum.Kind != strictjson.Array || len(enum.Items) == 0) {
		s.say(enum.Offset, "enum is a list of at least one value")
	}
	if required, ok := v.Get("required"); ok {
		s.required(required, properties, has)
	}
}

func (s *schemaCheck) types(t *strictjson.Value) {
	list := t.Items
	if t.Kind == strictjson.String {
		list = []strictjson.Value{*t}
	} else if t.Kind != strictjson.Array {
		s.say(t.Offset, "type is a name or a list of names, not "+t.Kind.String())
		return
	}
	for i := range list {
		if list[i].Kind != strictjson.String || !slices.Contains(schemaTypes, list[i].Text) {
			s.say(list[i].Offset, "a type is one of "+strings.Join(schemaTypes, ", "))
		}
	}
}

func (s *schemaCheck) required(v, properties *strictjson.Value, has bool) {
	if v.Kind != strictjson.Array {
		s.say(v.Offset, "required is a list of names, not "+v.Kind.String())
		return
	}
	for i := range v.Items {
		name := &v.Items[i]
		if name.Kind != strictjson.String {
			s.say(name.Offset, "required is a list of names, and has "+name.Kind.String())
			continue
		}
		known := false
		if has {
			_, known = properties.Get(name.Text)
		}
		if !known {
			s.say(name.Offset, "required names "+strconv.Quote(name.Text)+", which is no property")
		}
	}
}

// sentence gives a complaint its capital and full stop.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}
