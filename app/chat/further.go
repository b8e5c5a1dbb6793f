package chat

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"screentest/shared/gateway"
	"screentest/shared/strictjson"
)

// Further are the parameters that no family documents and that many models take:
// each set once, whatever a model calls its field. [Lane.Further] says which of
// them a model is asked with.
type Further struct {
	// Figures are those that are numbers, by their names on chat: MaxTokens,
	// "seed", "presence_penalty", "frequency_penalty", "top_k".
	Figures map[string]float64 `json:"figures,omitempty"`
	Stop    []string           `json:"stop,omitempty"`
	Effort  string             `json:"effort,omitempty"`
	Format  Format             `json:"format,omitzero"`
	// Extra is a JSON object as it was typed, whose members come after all: for
	// what the page has no field for.
	Extra string `json:"extra,omitempty"`
}

// Names of further parameters, which are those of their fields on chat.
const (
	MaxTokens = "max_tokens"
	Stop      = "stop"
	Effort    = "reasoning_effort"
	FormatOf  = "response_format"
)

// Format is what an answer is to look like.
type Format struct {
	Type   string `json:"type,omitempty"` // "" is not sent; "text", "json_object", "json_schema"
	Name   string `json:"name,omitempty"` // of a schema; "" is called answer
	Schema string `json:"schema,omitempty"`
	Loose  bool   `json:"loose,omitempty"` // the model isn't held to the schema: strict false
}

// parameter is the further parameter that a field of a request is, "" for none.
func parameter(field string) string {
	switch field {
	case "max_completion_tokens", "max_output_tokens":
		return MaxTokens
	case "text":
		return FormatOf
	case "reasoning":
		return Effort
	case MaxTokens, Stop, Effort, FormatOf, "seed", "presence_penalty", "frequency_penalty", "top_k":
		return field
	}
	return ""
}

// FurtherField is a further parameter as a lane's model takes it.
type FurtherField struct {
	gateway.Field
	Of string // the parameter, by its name on chat
}

// further are the fields of the model for further parameters, each parameter
// once. Of a model of which none is told all are returned, and known is false:
// they may do, or not. Else only what is told.
func further(m gateway.Model) (fields []FurtherField, known bool) {
	known = slices.ContainsFunc(m.Takes, func(what string) bool { return parameter(what) != "" })
	for _, f := range m.Fields(m.Mode) {
		of := parameter(f.Name)
		if of == "" || known && f.Standing != gateway.Optional || slices.ContainsFunc(fields, func(o FurtherField) bool { return o.Of == of }) {
			continue
		}
		fields = append(fields, FurtherField{f, of})
	}
	return fields, known
}

// Further returns the further parameters that a form offers for the lane's model.
// Where known is false nothing is told of the model, and it may take them or not.
func (l *Lane) Further() (fields []FurtherField, known bool) {
	m, _ := l.next()
	return further(m)
}

// FurtherSet are the further fields that are sent to the lane's model.
func (l *Lane) FurtherSet() []gateway.Member {
	m, _ := l.next()
	return l.params.members(m)
}

// members are the further parameters as a request to m carries them.
func (p Params) members(m gateway.Model) []gateway.Member {
	var list []gateway.Member
	fields, _ := further(m)
	for _, f := range fields {
		var value json.RawMessage
		switch f.Of {
		case Stop:
			if len(p.Stop) > 0 {
				value, _ = json.Marshal(p.Stop) // strings always encode
			}
		case Effort:
			if p.Effort != "" {
				value = json.RawMessage(strconv.Quote(p.Effort))
				if f.Form == gateway.FormEffort {
					value = json.RawMessage(`{"effort":` + string(value) + `}`)
				}
			}
		case FormatOf:
			if p.Format.Type != "" {
				list = append(list, p.Format.member(m.Endpoint))
			}
		default:
			if n, set := p.Figures[f.Of]; set {
				value = json.RawMessage(strconv.FormatFloat(n, 'f', -1, 64))
			}
		}
		if value != nil {
			list = append(list, gateway.Member{Name: f.Name, Value: value})
		}
	}
	return list
}

func (f Format) member(ep gateway.Endpoint) gateway.Member {
	name := f.Name
	if name == "" {
		name = "answer"
	}
	return gateway.Format{Type: f.Type, Name: name, Schema: json.RawMessage(strings.TrimSpace(f.Schema)), Strict: !f.Loose}.Member(ep)
}

func (p Further) clone() Further {
	p.Figures, p.Stop = maps.Clone(p.Figures), slices.Clone(p.Stop)
	return p
}

// set counts what is set.
func (p Further) set() int {
	n := len(p.Figures)
	for _, set := range []bool{len(p.Stop) > 0, p.Effort != "", p.Format.Type != "", strings.TrimSpace(p.Extra) != ""} {
		if set {
			n++
		}
	}
	return n
}

// SetFigure sets a parameter that is a number, or takes it out with nil.
func (p *Further) SetFigure(name string, n *float64) {
	switch {
	case n == nil:
		delete(p.Figures, name)
	case p.Figures == nil:
		p.Figures = map[string]float64{name: *n}
	default:
		p.Figures[name] = *n
	}
}

// Figure returns a parameter that is a number, nil where it isn't set.
func (p Further) Figure(name string) *float64 {
	if n, set := p.Figures[name]; set {
		return &n
	}
	return nil
}

// MaxExtra bounds the extra JSON, in bytes.
const MaxExtra = 16 << 10

// readExtra reads extra JSON, nil where there is none. fault says what is wrong
// with it.
func readExtra(text string) (o *strictjson.Value, fault string) {
	if strings.TrimSpace(text) == "" {
		return nil, ""
	}
	if len(text) > MaxExtra {
		return nil, "This is too long: extra JSON has at most " + strconv.Itoa(MaxExtra>>10) + " KiB."
	}
	doc, err := strictjson.Parse([]byte(text), strictjson.Limits{Bytes: MaxExtra, OwnNames: func(path string) bool { return path != "" }})
	switch {
	case err != nil:
		return nil, sentence(err.Error())
	case doc.Root.Kind != strictjson.Object:
		return nil, "This must be an object in braces, such as {\"user\": \"me\"}, not " + doc.Root.Kind.String() + "."
	case len(doc.Clashes) > 0:
		return nil, strconv.Quote(doc.Clashes[0].Second) + " is there twice. Leave one of them out."
	}
	return &doc.Root, ""
}

// CheckExtra says what is wrong with extra JSON in the requests of the lane, one
// sentence each: it is no object, says again what the page sends already, or the
// rules refuse it there.
func (l *Lane) CheckExtra(text string) []string {
	extra, fault := readExtra(text)
	switch {
	case fault != "":
		return []string{fault}
	case extra == nil || l.Model() == "":
		return nil
	}
	p := l.params.clone()
	p.Extra = ""
	m, switched := l.next()
	usage := l.of.chat.session.Hello.Gateway.StreamOptions
	ts := []gateway.Turn{{Role: "user", Text: "Hi"}}
	sent, err := strictjson.Parse(m.TextBody(ts, p.text(m, usage)), strictjson.Limits{})
	if err != nil {
		return nil // said of the parameter that is half typed
	}
	var faults []string
	for _, e := range extra.Members {
		for _, s := range sent.Root.Members {
			if strictjson.SameButCase(s.Name, e.Name) {
				faults = append(faults, "The page sends "+s.Name+" itself, so it can’t be here too. Remove one of them.")
			}
		}
	}
	if len(faults) > 0 {
		return faults
	}
	p.Extra = text
	body := m.TextBody(ts, p.text(m, usage))
	v := l.of.chat.session.Catalogue.Validate(m.Endpoint, body, gateway.Options{StreamOptions: usage, Switched: switched})
	for _, i := range v.Errors {
		root, _, _ := strings.Cut(i.Field, ".")
		root, _, _ = strings.Cut(root, "[")
		if slices.ContainsFunc(extra.Members, func(m strictjson.Member) bool { return m.Name == root }) {
			faults = append(faults, i.Message+".")
		}
	}
	return faults
}

// extraFault is why a request with this extra JSON can't go: what is no object
// isn't in its body, so the validator has not seen it.
func extraFault(text string) *gateway.Issue {
	_, fault := readExtra(text)
	if fault == "" {
		return nil
	}
	return &gateway.Issue{Field: "extra JSON", Code: gateway.CodeInvalidRequest, Message: fault, Hint: "Fix it in Parameters or empty it."}
}

// bound is how many tokens an answer of the lane has at most, by what is asked
// for and by what is told of the model; 0 where nobody says.
func (l *Lane) bound() int64 {
	m, _ := l.next()
	most := int64(m.MaxOutput)
	for _, o := range l.FurtherSet() {
		if parameter(o.Name) == MaxTokens {
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(o.Value)), 10, 64); err == nil && n > 0 && (most == 0 || n < most) {
				most = n
			}
		}
	}
	return most
}

// StopLines reads the strings that end an answer from lines: \n within one is a
// line break, \t a tab, \\ a backslash.
func StopLines(text string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			list = append(list, stopMarks.Replace(line))
		}
	}
	return list
}

// StopText writes them as lines.
func StopText(list []string) string {
	lines := make([]string, len(list))
	for i, s := range list {
		lines[i] = marksOfStop.Replace(s)
	}
	return strings.Join(lines, "\n")
}

var (
	stopMarks   = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t", `\r`, "\r")
	marksOfStop = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\t", `\t`, "\r", `\r`)
)

// CheckSchemaName says what is wrong with the name of an answer's schema.
func CheckSchemaName(name string) string {
	if name == "" || gateway.SchemaName(name) {
		return ""
	}
	return "Use up to 64 letters, digits, _ and -."
}
