package strictjson

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parser reads src from left to right. path holds where it is, for errors and
// clashes; a step is a key, or an index with an empty key.
type parser struct {
	src     string
	at      int
	depth   int
	values  int
	limits  Limits
	path    []step
	root    Value
	clashes []Clash
}

type step struct {
	key   string
	index int
}

// path writes steps as people do: multi_prompt[2].duration. Long keys are cut.
func path(steps []step) string {
	var b strings.Builder
	for _, s := range steps {
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(clip(s.key))
		}
	}
	return b.String()
}

// clip cuts a key of a stranger's making to what a message can show.
func clip(s string) string {
	const most = 60
	n := 0
	for i := range s { // not to its end: a key may be megabytes
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

func (p *parser) document() *Error {
	if strings.HasPrefix(p.src, "\ufeff") {
		return p.fail(Syntax, 0, "the JSON starts with a byte order mark; leave it out")
	}
	p.space()
	if p.at == len(p.src) {
		return p.fail(Syntax, p.at, "there is no JSON here, the text is empty")
	}
	if err := p.value(&p.root); err != nil {
		return err
	}
	p.space()
	if p.at < len(p.src) {
		return p.fail(Syntax, p.at, "there is more after the end of the JSON value: %s", p.here())
	}
	return nil
}

func (p *parser) fail(r Reason, offset int, format string, args ...any) *Error {
	return &Error{Reason: r, Offset: offset, Message: fmt.Sprintf(format, args...)}
}

// here shows the character at the reader's place.
func (p *parser) here() string {
	if p.at >= len(p.src) {
		return "the end of the text"
	}
	r, size := utf8.DecodeRuneInString(p.src[p.at:])
	if r == utf8.RuneError && size <= 1 {
		return fmt.Sprintf("the byte 0x%02x", p.src[p.at])
	}
	return strconv.QuoteRune(r)
}

func (p *parser) space() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// count takes one value or key off the limit.
func (p *parser) count() *Error {
	p.values++
	if p.values > p.limits.Values {
		return p.fail(TooMany, p.at, "the JSON has more than %d values and keys", p.limits.Values)
	}
	return nil
}

func (p *parser) value(v *Value) *Error {
	if err := p.count(); err != nil {
		return err
	}
	v.Offset = p.at
	if p.at == len(p.src) {
		return p.fail(Syntax, p.at, "the JSON stops where a value should be")
	}
	switch c := p.src[p.at]; {
	case c == '{':
		return p.nest(v, p.object)
	case c == '[':
		return p.nest(v, p.array)
	case c == '"':
		v.Kind = String
		text, err := p.string()
		v.Text = text
		return err
	case c == '-' || c >= '0' && c <= '9':
		return p.number(v)
	case p.word("true"), p.word("false"):
		v.Kind, v.Text = Bool, p.src[v.Offset:p.at]
		return nil
	case p.word("null"):
		v.Kind = Null
		return nil
	}
	return p.fail(Syntax, p.at, "a value should be here, not %s", p.here())
}

func (p *parser) word(w string) bool {
	if strings.HasPrefix(p.src[p.at:], w) {
		p.at += len(w)
		return true
	}
	return false
}

// nest reads an array or an object one level down.
func (p *parser) nest(v *Value, read func(*Value) *Error) *Error {
	if p.depth == p.limits.Depth {
		return p.fail(TooDeep, p.at, "arrays and objects are nested more than %d deep", p.limits.Depth)
	}
	p.depth++
	p.at++
	err := read(v)
	p.depth--
	return err
}

func (p *parser) array(v *Value) *Error {
	v.Kind = Array
	p.space()
	if p.at < len(p.src) && p.src[p.at] == ']' {
		p.at++
		return nil
	}
	for {
		p.space()
		p.path = append(p.path, step{index: len(v.Items)})
		v.Items = append(v.Items, Value{})
		if err := p.value(&v.Items[len(v.Items)-1]); err != nil {
			return err
		}
		p.path = p.path[:len(p.path)-1]
		if done, err := p.next(']', "an array"); done || err != nil {
			return err
		}
	}
}

// next reads what follows an item: a comma, or the end.
func (p *parser) next(end byte, of string) (done bool, err *Error) {
	p.space()
	if p.at == len(p.src) {
		return false, p.fail(Syntax, p.at, "the JSON stops in the middle of %s", of)
	}
	switch p.src[p.at] {
	case ',':
		p.at++
		return false, nil
	case end:
		p.at++
		return true, nil
	}
	return false, p.fail(Syntax, p.at, "a comma or %q should follow in %s, not %s", string(end), of, p.here())
}

func (p *parser) object(v *Value) *Error {
	v.Kind = Object
	p.space()
	if p.at < len(p.src) && p.src[p.at] == '}' {
		p.at++
		return nil
	}
	var keys keys
	var own answer
	v.Members = make([]Member, 0, 4) // most objects have a few keys
	for {
		p.space()
		if p.at == len(p.src) {
			return p.fail(Syntax, p.at, "the JSON stops in the middle of an object")
		}
		if p.src[p.at] != '"' {
			return p.fail(Syntax, p.at, "a key in double quotes should be here, not %s", p.here())
		}
		if err := p.count(); err != nil {
			return err
		}
		offset := p.at
		name, err := p.string()
		if err != nil {
			return err
		}
		if first, clash := keys.add(v.Members, name); clash && len(p.clashes) < maxClashes {
			if first == name || !p.ownNames(&own) {
				p.clashes = append(p.clashes, Clash{Path: path(p.path), First: first, Second: name, Offset: offset})
			}
		}
		p.space()
		if p.at == len(p.src) || p.src[p.at] != ':' {
			return p.fail(Syntax, p.at, "a colon should follow the key %q, not %s", clip(name), p.here())
		}
		p.at++
		p.space()
		p.path = append(p.path, step{key: name, index: -1})
		v.Members = append(v.Members, Member{Name: name, Offset: offset})
		if err := p.value(&v.Members[len(v.Members)-1].Value); err != nil {
			return err
		}
		p.path = p.path[:len(p.path)-1]
		if done, err := p.next('}', "an object"); done || err != nil {
			return err
		}
	}
}

// answer is that of Limits.OwnNames for one object, asked once.
type answer uint8

const (
	unasked answer = iota
	yes
	no
)

func (p *parser) ownNames(known *answer) bool {
	if *known == unasked {
		*known = no
		if p.limits.OwnNames != nil && p.limits.OwnNames(path(p.path)) {
			*known = yes
		}
	}
	return *known == yes
}

// number reads -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? and keeps it as
// it stands.
func (p *parser) number(v *Value) *Error {
	start := p.at
	if p.src[p.at] == '-' {
		p.at++
	}
	whole := p.at
	if p.digits() == 0 {
		return p.fail(Syntax, p.at, "a digit should follow the minus sign, not %s", p.here())
	}
	if p.src[whole] == '0' && p.at > whole+1 {
		return p.fail(Syntax, whole, "a number has no leading zero")
	}
	if p.at < len(p.src) && p.src[p.at] == '.' {
		p.at++
		if p.digits() == 0 {
			return p.fail(Syntax, p.at, "a digit should follow the decimal point, not %s", p.here())
		}
	}
	if p.at < len(p.src) && (p.src[p.at] == 'e' || p.src[p.at] == 'E') {
		p.at++
		if p.at < len(p.src) && (p.src[p.at] == '+' || p.src[p.at] == '-') {
			p.at++
		}
		if p.digits() == 0 {
			return p.fail(Syntax, p.at, "a digit should follow the exponent sign, not %s", p.here())
		}
	}
	if p.at-start > p.limits.Digits {
		return p.fail(NumberTooLong, start, "a number is longer than %d characters", p.limits.Digits)
	}
	v.Kind, v.Text = Number, p.src[start:p.at]
	return nil
}

func (p *parser) digits() (n int) {
	for p.at < len(p.src) && p.src[p.at] >= '0' && p.src[p.at] <= '9' {
		p.at++
		n++
	}
	return n
}
