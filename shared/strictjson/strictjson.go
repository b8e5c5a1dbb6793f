// Package strictjson reads JSON and hides nothing: use [Parse] where it
// matters what was written and not only what it could be taken for.
//
// The standard decoder takes a duplicate key, a key in other letters, half a
// surrogate pair or a number as 1e4 in its stride. This reader keeps each
// number as it was written, names each key that appears twice or differs from
// another only in case (G42), refuses text that is not Unicode, and knows the
// line of everything. Size, depth and count are bounded, each with an error of
// its own.
package strictjson

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Kind is the JSON type of a value.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Value is one JSON value.
type Value struct {
	Kind Kind
	// Text is a string's text, a number as it was written, or "true" or "false".
	Text    string
	Items   []Value  // of an array
	Members []Member // of an object, in their order, duplicates too
	Offset  int      // of the value's first byte
}

// Member is one key of an object with its value.
type Member struct {
	Name   string
	Offset int // of the key
	Value  Value
}

// Get returns the first member of that exact name.
func (v *Value) Get(name string) (*Value, bool) {
	for i := range v.Members {
		if v.Members[i].Name == name {
			return &v.Members[i].Value, true
		}
	}
	return nil, false
}

// Integer says whether v is a number written as an integer: no point, no
// exponent. 1e4 and 5.0 are not.
func (v *Value) Integer() bool {
	return v.Kind == Number && !strings.ContainsAny(v.Text, ".eE")
}

// Clash is a key that is in its object already, exactly or but for the case
// of its letters.
type Clash struct {
	Path   string // of the object: "", "multi_prompt[0]"
	First  string
	Second string // the same as First for a duplicate
	Offset int    // of the second
}

// Document is a JSON text that was read whole.
type Document struct {
	Root Value
	// Clashes are the keys that clash, the first maxClashes of them. They are
	// not an error here: it is for the caller to say what they mean.
	Clashes []Clash
	src     string
}

// Line returns the line of an offset, from 1.
func (d *Document) Line(offset int) int {
	line, _ := position(d.src, offset)
	return line
}

// Limits bound what is read. A zero field takes the default.
type Limits struct {
	Bytes  int // of the whole text
	Depth  int // of arrays and objects within each other
	Values int // values and keys in all
	Digits int // characters of one number
	// OwnNames says, by an object's path, that its keys are a person's own
	// names: there "a" and "A" are two things and no clash. Nil: nowhere.
	OwnNames func(path string) bool
}

// The default limits.
const (
	DefaultBytes  = 4 << 20
	DefaultDepth  = 64
	DefaultValues = 200_000
	DefaultDigits = 64
	maxClashes    = 16
)

// Reason says why a text was refused.
type Reason string

// The reasons.
const (
	Syntax        Reason = "syntax"          // not JSON
	Encoding      Reason = "encoding"        // not Unicode text
	TooLarge      Reason = "too_large"       // Limits.Bytes
	TooDeep       Reason = "too_deep"        // Limits.Depth
	TooMany       Reason = "too_many_values" // Limits.Values
	NumberTooLong Reason = "number_too_long" // Limits.Digits
)

// Error is why a text was refused, and where.
type Error struct {
	Reason       Reason
	Path         string // of the value that was being read: "messages[2].content"
	Offset       int    // in bytes
	Line, Column int    // from 1; the column counts characters
	Message      string // what is wrong, without the place
}

func (e *Error) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.Message)
}

// Parse reads one JSON value and nothing after it. The error is an *Error.
func Parse(src []byte, limits Limits) (*Document, error) {
	limits = limits.withDefaults()
	if len(src) > limits.Bytes {
		return nil, &Error{Reason: TooLarge, Line: 1, Column: 1,
			Message: fmt.Sprintf("the JSON is longer than %d bytes, the most that is read", limits.Bytes)}
	}
	p := parser{src: string(src), limits: limits}
	if err := p.document(); err != nil {
		err.Path = path(p.path)
		err.Line, err.Column = position(p.src, err.Offset)
		return nil, err
	}
	return &Document{Root: p.root, Clashes: p.clashes, src: p.src}, nil
}

func (l Limits) withDefaults() Limits {
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Depth == 0 {
		l.Depth = DefaultDepth
	}
	if l.Values == 0 {
		l.Values = DefaultValues
	}
	if l.Digits == 0 {
		l.Digits = DefaultDigits
	}
	return l
}

// position turns an offset into a line and a column, both from 1.
func position(src string, offset int) (line, column int) {
	before := src[:min(offset, len(src))]
	line = 1 + strings.Count(before, "\n")
	start := strings.LastIndexByte(before, '\n') + 1
	return line, 1 + utf8.RuneCountInString(before[start:])
}
