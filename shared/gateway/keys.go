package gateway

import (
	"strconv"
	"strings"

	"screentest/shared/strictjson"
)

// shape is the documented keys of an object, or of the objects of an array.
type shape struct {
	names []string
	inner map[string]*shape // of the names whose value has documented keys too
}

var (
	shapeMessage = &shape{names: messageNames, inner: map[string]*shape{
		"content": {names: partNames, inner: map[string]*shape{
			"image_url": {names: imageURLNames},
		}},
		"tool_calls": {names: toolCallNames, inner: map[string]*shape{
			"function": {names: calledNames},
		}},
	}}
	shapeChat = &shape{names: fieldNames(chatFields), inner: map[string]*shape{
		"messages": shapeMessage,
		"tools": {names: chatToolNames, inner: map[string]*shape{
			"function": {names: functionNames},
		}},
		"stream_options":  {names: streamOptionNames},
		"response_format": {names: formatNames, inner: map[string]*shape{"json_schema": {names: schemaNames}}},
	}}
	shapeResponses = &shape{names: fieldNames(responsesFields), inner: map[string]*shape{
		"tools":     {names: responsesToolNames},
		"text":      {names: answerNames, inner: map[string]*shape{"format": {names: flatFormatNames}}},
		"reasoning": {names: reasoningNames},
	}}
	shapeVideo = &shape{names: fieldNames(videoFields), inner: map[string]*shape{
		"multi_prompt": {names: sceneNames},
	}}
)

func fieldNames(table []spec) []string {
	list := make([]string, len(table))
	for i := range table {
		list[i] = table[i].name
	}
	return list
}

func (ep Endpoint) shape() *shape {
	switch ep {
	case Chat:
		return shapeChat
	case Responses:
		return shapeResponses
	}
	return shapeVideo
}

// checkKeys refuses keys that clash and keys that are a documented one but for
// case, and warns of the others that are not documented (G42, G11).
func (k *checker) checkKeys() {
	clashed := map[int]bool{}
	for _, c := range k.doc.Clashes {
		field := join(c.Path, c.Second)
		switch {
		case c.First == c.Second:
			k.report(rDuplicate, field, strconv.Quote(cut(c.Second))+" is there twice; leave one of them out")
		default:
			k.report(rCase, field, strconv.Quote(cut(c.Second))+" and "+strconv.Quote(cut(c.First))+
				" differ only in case, and a gateway may take one for the other; leave one of them out")
		}
		clashed[c.Offset] = true
	}
	w := keyWalker{k: k, clashed: clashed}
	w.walk(&k.doc.Root, k.endpoint.shape())
}

// inParameters says whether a path is within a JSON Schema, a function's or an
// answer's, whose keys are a person's own names. The validator's reader asks it.
func inParameters(path string) bool {
	return strings.HasPrefix(path, "tools[") && strings.Contains(path, ".parameters") ||
		strings.HasPrefix(path, "response_format.json_schema.schema") || strings.HasPrefix(path, "text.format.schema")
}

// keyWalker goes through the part of a body that has documented keys.
type keyWalker struct {
	k       *checker
	clashed map[int]bool
	path    []string // "messages", "[2]"
}

func (w *keyWalker) walk(v *strictjson.Value, s *shape) {
	if v.Kind == strictjson.Array {
		for i := range v.Items {
			if v.Items[i].Kind == strictjson.Object {
				w.path = append(w.path, "["+strconv.Itoa(i)+"]")
				w.walk(&v.Items[i], s)
				w.path = w.path[:len(w.path)-1]
			}
		}
		return
	}
	for i := range v.Members {
		m := &v.Members[i]
		if !contains(s.names, m.Name) {
			w.unknown(m, s)
			continue
		}
		if inner := s.inner[m.Name]; inner != nil {
			w.path = append(w.path, m.Name)
			w.walk(&m.Value, inner)
			w.path = w.path[:len(w.path)-1]
		}
	}
}

func (w *keyWalker) unknown(m *strictjson.Member, s *shape) {
	if w.clashed[m.Offset] {
		return
	}
	field := join(w.at(), m.Name)
	for _, name := range s.names {
		if strictjson.SameButCase(name, m.Name) {
			w.k.reportWith(rCase, field, strconv.Quote(cut(m.Name))+" is "+name+" in other letters, and a gateway may take it for that",
				[]string{name}, "Write "+name+".")
			return
		}
	}
	switch {
	case m.Value.Kind == strictjson.Null:
		return // as absent (G12)
	case s == shapeResponses.inner["tools"] && m.Name == "function":
		return // refused, not passed on (F37)
	}
	w.k.report(rUndocumented, field, passedOn(m.Name))
}

// passedOn says of a field that no document has it.
func passedOn(name string) string {
	return cut(name) + " is not documented; it is passed on, and a gateway may ignore or refuse it"
}

func (w *keyWalker) at() string {
	return strings.ReplaceAll(strings.Join(w.path, "."), ".[", "[")
}
