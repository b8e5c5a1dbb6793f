package reply

import (
	"bytes"
	"strings"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// ReadProblem says what an HTTP reply other than 2xx means. header returns a
// header by name and may be nil; body is the start of the body, as much as was
// read. The problem's code is the gateway's own where it gave one.
func ReadProblem(status int, contentType string, header func(string) string, body []byte) *wire.Problem {
	if header == nil {
		header = func(string) string { return "" }
	}
	var p *wire.Problem
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	if v, ok := parseJSON(body); ok {
		p = problemOf(status, v, body)
	} else {
		said := plain(body)
		if strings.Contains(contentType, "html") || isHTML(body) {
			said = pageTitle(body)
		}
		p = problemFrom(status, errorWords{said: said})
	}
	p.Raw = rawText(body)
	p.Request = RequestID(header)
	if d, ok := RetryAfter(header, time.Now()); ok && Repeatable(p) {
		WithRetryAfter(p, d)
	}
	return p
}

// RequestID is the gateway's id of a request, for its support; "" without one.
func RequestID(header func(string) string) string {
	for _, name := range []string{"X-Oneapi-Request-Id", "X-Request-Id"} {
		if id := plain([]byte(header(name))); id != "" {
			return clip(id, maxID)
		}
	}
	return ""
}

// errorWords is what an error says, whatever its shape.
type errorWords struct {
	code, said, field, hint string
	allowed                 []string
}

// problemOf reads an error in any shape of S; v may be missing. When it says
// nothing readable, its text does: the body.
func problemOf(status int, v raw, body []byte) *wire.Problem {
	for first := range v.items() {
		v = first // some gateways wrap it in an array
		break
	}
	var w errorWords
	readError(v, &w, 3)
	if w.said == "" && w.code == "" {
		w.said = plain(body)
		if len(bytes.TrimSpace(body)) <= 2 {
			w.said = "" // {}, "", []
		}
	}
	return problemFrom(status, w)
}

// readError fills what is still empty in w. Deeper shapes come first: in
// {"error":{…},"message":…} it is the error that counts.
func readError(v raw, w *errorWords, depth int) {
	if v.is('"') {
		if w.said == "" {
			w.said = plain(plainText(v))
		}
		return
	}
	if v.is('[') { // FastAPI: "detail":[{"loc":…,"msg":…}]
		for first := range v.items() {
			if depth > 0 {
				readError(first, w, depth-1)
			}
			break
		}
		return
	}
	var m [6]raw
	var nested, code, typ, param, hint, allowed raw
	for name, val := range v.members() {
		switch string(name) {
		case "error":
			nested = val
		case "message":
			m[0] = val
		case "msg":
			m[1] = val
		case "err":
			m[2] = val
		case "error_msg":
			m[3] = val
		case "detail":
			m[4] = val
		case "fail_reason":
			m[5] = val
		case "code":
			code = val
		case "type":
			typ = val
		case "param", "field":
			if !val.null() {
				param = val
			}
		case "hint":
			hint = val
		case "allowed", "allowed_values":
			if val.is('[') {
				allowed = val
			}
		}
	}
	name := ""
	switch {
	case nested.is('"') && depth > 0: // "TypeError", "Bad Request": what it is called, or all there is
		name = plain(plainText(nested))
		if _, known := adviceFor(name); known && w.code == "" {
			w.code = name
		}
	case !nested.null() && depth > 0:
		readError(nested, w, depth-1)
	}
	for _, text := range m {
		if w.said == "" && !text.null() && depth > 0 {
			readError(text, w, depth-1)
		}
	}
	if w.code != name {
		w.said = named(name, w.said)
	}
	if w.code == "" {
		w.code = codeOf(code, typ)
	}
	if w.field == "" {
		w.field = plain([]byte(clip(param.text(), maxID)))
	}
	if w.hint == "" {
		w.hint = plain([]byte(hint.text()))
	}
	for val := range allowed.items() {
		if len(w.allowed) < maxAllowed {
			text := string(val)
			if val.is('"') {
				text = val.text()
			}
			w.allowed = append(w.allowed, plain([]byte(clip(text, maxID))))
		}
	}
}

// named joins what an error is called with what it says.
func named(name, said string) string {
	switch {
	case name == "" || strings.HasPrefix(said, name):
		return said
	case said == "":
		return name
	}
	return clip(name+": "+said, maxSaid)
}

// maxAllowed bounds the values that an error lists.
const maxAllowed = 100

// codeOf is the code of an error, of any JSON type, or its type where that
// says more; "" where neither names anything.
func codeOf(code, typ raw) string {
	s := ""
	switch {
	case code.is('"'):
		s = code.text()
	case len(code) > 0 && (code[0] == '-' || code[0] >= '0' && code[0] <= '9'):
		s = string(code)
	}
	if !isCode(s) || s == "success" {
		s = ""
	}
	if s == "" {
		if t := typ.text(); t != "invalid_request_error" {
			if _, ok := adviceFor(t); ok {
				s = t
			}
		}
	}
	return s
}

// isCode says whether s is a name and not a sentence.
func isCode(s string) bool {
	if s == "" || len(s) > 80 {
		return false
	}
	for _, c := range []byte(s) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_-.:/", c) >= 0) {
			return false
		}
	}
	return true
}

// problemFrom puts what was said in the words of the table. About a request
// that it refuses the gateway knows more than the table: its own words stand
// alone.
func problemFrom(status int, w errorWords) *wire.Problem {
	code := w.code
	a, known := adviceFor(code)
	if !known {
		a, _ = adviceFor(codeOfStatus(status))
		if code == "" {
			code = a.code
		}
	}
	p := NewProblem(a.code, w.said)
	p.Code, p.Status, p.Field, p.Allowed = code, status, w.field, w.allowed
	if a.kind == Request && w.said != "" {
		p.Message = w.said
	}
	if status == 400 && p.Field == "" {
		p.Field = fieldOf[code]
	}
	if code == gateway.CodeReferenceSeconds && p.Allowed == nil {
		p.Allowed = allowedIn(w.said)
	}
	if w.hint != "" {
		p.Hint = w.hint
	}
	return p
}

// fieldOf is the field that a refusal is about, by its code, for errors whose
// shape has no place for it.
var fieldOf = map[string]string{
	gateway.CodeWrongEndpoint:      "model",
	gateway.CodeStreamRequired:     "stream",
	gateway.CodeInvalidSeconds:     "seconds",
	gateway.CodeReferenceSeconds:   "seconds",
	gateway.CodeSourceModeMismatch: "task_id",
	gateway.CodeSourceMismatch:     "task_id",
	gateway.CodeUpstreamRejected:   "task_id",
	gateway.CodeSourceNotReady:     "task_id",
}

// allowedIn reads the numbers of a range or a list from words that end in such
// as "allowed: 10 to 21" (F149). Other words are for people.
func allowedIn(said string) []string {
	said = strings.ToLower(said)
	at := strings.LastIndex(said, "allowed:")
	if at < 0 {
		return nil
	}
	numbers := strings.FieldsFunc(said[at:], func(c rune) bool { return c < '0' || c > '9' })
	return numbers[:min(len(numbers), maxAllowed)]
}

func isHTML(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 1 && b[0] == '<' && (b[1] == '!' || b[1] == '?' || b[1] >= 'a' && b[1] <= 'z' || b[1] >= 'A' && b[1] <= 'Z')
}

// pageTitle is the title of a web page, which says what happened better than
// its start does: "502 Bad Gateway".
func pageTitle(b []byte) string {
	low := bytes.Clone(b[:min(len(b), 8<<10)])
	for i, c := range low { // byte by byte, so that places stay the same
		if c >= 'A' && c <= 'Z' {
			low[i] = c + 'a' - 'A'
		}
	}
	_, low, ok := bytes.Cut(low, []byte("<title"))
	if !ok {
		return ""
	}
	_, low, ok = bytes.Cut(low, []byte(">"))
	n := bytes.IndexByte(low, '<')
	if !ok || n < 0 {
		return ""
	}
	start := min(len(b), 8<<10) - len(low)
	return clip(plain(b[start:start+n]), 100)
}
