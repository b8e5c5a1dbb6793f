package reply

import (
	"iter"
	"math"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// This file reads JSON in place. A stream is tens of thousands of small
// objects of which three fields matter; decoding each into Go values took most
// of the browser's time. So a document is checked once, whole, and then walked:
// a value is the bytes it stands in, and only text that is kept is copied.
// What it gives is what encoding/json gives (a fuzz test compares the two),
// except that names are compared exactly and that maxDepth is smaller.

// maxDepth bounds the nesting of a document; a deeper one counts as malformed.
const maxDepth = 512

// raw is one JSON value, without space around it, in a document that was
// checked; empty for a value that is not there.
type raw []byte

// parseJSON checks a whole document and returns its value.
func parseJSON(b []byte) (raw, bool) {
	start := skipSpace(b, 0)
	end, ok := checkValue(b, start, maxDepth)
	if !ok || skipSpace(b, end) != len(b) {
		return nil, false
	}
	return raw(b[start:end]), true
}

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\r' || b[i] == '\t') {
		i++
	}
	return i
}

// checkValue returns the end of the value at i.
func checkValue(b []byte, i, depth int) (int, bool) {
	if i >= len(b) || depth == 0 {
		return i, false
	}
	switch c := b[i]; c {
	case '"':
		return checkString(b, i)
	case '{', '[':
		return checkGroup(b, i, c, depth)
	case 't':
		return checkWord(b, i, "true")
	case 'f':
		return checkWord(b, i, "false")
	case 'n':
		return checkWord(b, i, "null")
	}
	return checkNumber(b, i)
}

func checkGroup(b []byte, i int, open byte, depth int) (int, bool) {
	closing := open + 2 // '{' and '}', '[' and ']' are two apart
	i = skipSpace(b, i+1)
	if i < len(b) && b[i] == closing {
		return i + 1, true
	}
	for {
		var ok bool
		if open == '{' {
			if i >= len(b) || b[i] != '"' {
				return i, false
			}
			if i, ok = checkString(b, i); !ok {
				return i, false
			}
			if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
				return i, false
			}
			i = skipSpace(b, i+1)
		}
		if i, ok = checkValue(b, i, depth-1); !ok {
			return i, false
		}
		if i = skipSpace(b, i); i >= len(b) {
			return i, false
		}
		switch b[i] {
		case closing:
			return i + 1, true
		case ',':
			i = skipSpace(b, i+1)
		default:
			return i, false
		}
	}
}

func checkWord(b []byte, i int, word string) (int, bool) {
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return i, false
	}
	return i + len(word), true
}

func checkString(b []byte, i int) (int, bool) {
	for i++; i < len(b); i++ {
		c := b[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		if c == '"' {
			return i + 1, true
		}
		if c < ' ' {
			return i, false
		}
		if i++; i >= len(b) {
			return i, false
		}
		switch b[i] {
		case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		case 'u':
			if hex4(b[i+1:]) < 0 {
				return i, false
			}
			i += 4
		default:
			return i, false
		}
	}
	return i, false
}

func checkNumber(b []byte, i int) (int, bool) {
	digits := func() bool {
		start := i
		for i < len(b) && b[i] >= '0' && b[i] <= '9' {
			i++
		}
		return i > start
	}
	if i < len(b) && b[i] == '-' {
		i++
	}
	if i < len(b) && b[i] == '0' {
		i++
	} else if !digits() {
		return i, false
	}
	if i < len(b) && b[i] == '.' {
		i++
		if !digits() {
			return i, false
		}
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if !digits() {
			return i, false
		}
	}
	return i, true
}

// hex4 is the value of four hexadecimal digits, -1 where there are none.
func hex4(b []byte) rune {
	if len(b) < 4 {
		return -1
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

// skip returns the end of the value at i of a document that was checked.
func skip(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		for depth := 0; ; i++ {
			switch b[i] {
			case '"':
				i = skipString(b, i) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return i + 1
				}
			}
		}
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}

func skipString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// is says whether v is there and starts with c: '{', '[' or '"'.
func (v raw) is(c byte) bool { return len(v) > 0 && v[0] == c }

// null says whether v is missing or null, which mean the same here (G12).
func (v raw) null() bool { return len(v) == 0 || v[0] == 'n' }

// members yields the names and values of an object, in their order; nothing
// for any other value. Of a name that stands twice, the last one counts.
func (v raw) members() iter.Seq2[[]byte, raw] {
	return func(yield func([]byte, raw) bool) {
		if !v.is('{') {
			return
		}
		for i := skipSpace(v, 1); v[i] == '"'; {
			end := skipString(v, i)
			name := plainText(v[i:end])
			i = skipSpace(v, end)
			i = skipSpace(v, i+1)
			end = skip(v, i)
			if !yield(name, v[i:end]) {
				return
			}
			if i = skipSpace(v, end); v[i] == ',' {
				i = skipSpace(v, i+1)
			}
		}
	}
}

// items yields the values of an array; nothing for any other value.
func (v raw) items() iter.Seq[raw] {
	return func(yield func(raw) bool) {
		if !v.is('[') {
			return
		}
		for i := skipSpace(v, 1); v[i] != ']'; {
			end := skip(v, i)
			if !yield(v[i:end]) {
				return
			}
			if i = skipSpace(v, end); v[i] == ',' {
				i = skipSpace(v, i+1)
			}
		}
	}
}

// get is the value under that name, empty if v is no object or has none.
func (v raw) get(name string) raw {
	var found raw
	for n, val := range v.members() {
		if string(n) == name {
			found = val
		}
	}
	return found
}

// plainText is the text of a string: the bytes in place where that is right.
func plainText(v raw) []byte {
	in := v[1 : len(v)-1]
	for _, c := range in {
		if c == '\\' || c >= utf8.RuneSelf {
			return appendText(nil, v)
		}
	}
	return in
}

// appendText appends the text of a string to dst, nothing for any other value.
// Bytes that are not UTF-8, and halves of surrogate pairs, become U+FFFD.
func appendText(dst []byte, v raw) []byte {
	if !v.is('"') {
		return dst
	}
	in := v[1 : len(v)-1]
	for len(in) > 0 {
		n := 0
		for n < len(in) && in[n] != '\\' && in[n] < utf8.RuneSelf {
			n++
		}
		dst = append(dst, in[:n]...)
		in = in[n:]
		switch {
		case len(in) == 0:
		case in[0] == '\\':
			dst, in = appendEscape(dst, in)
		default:
			r, size := utf8.DecodeRune(in)
			dst = utf8.AppendRune(dst, r)
			in = in[size:]
		}
	}
	return dst
}

func appendEscape(dst []byte, in []byte) ([]byte, []byte) {
	c := in[1]
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case 'u':
		r := hex4(in[2:])
		in = in[6:]
		if utf16.IsSurrogate(r) {
			second := rune(-1)
			if len(in) >= 6 && in[0] == '\\' && in[1] == 'u' {
				second = hex4(in[2:])
			}
			if r = utf16.DecodeRune(r, second); r != utf8.RuneError {
				in = in[6:]
			}
		}
		return utf8.AppendRune(dst, r), in
	}
	return append(dst, c), in[2:]
}

// text is the text of a string, "" for any other value.
func (v raw) text() string {
	if !v.is('"') {
		return ""
	}
	return string(plainText(v))
}

// equals says whether v is the string s, without copying it.
func (v raw) equals(s string) bool {
	return v.is('"') && string(plainText(v)) == s
}

// int is the value of a number, or of a number written as a string, with its
// fraction cut off.
func (v raw) int() (int64, bool) {
	b := []byte(v)
	if v.is('"') {
		b = plainText(v)
	}
	if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
		return n, true
	}
	if f, err := strconv.ParseFloat(string(b), 64); err == nil && math.Abs(f) < 1<<53 {
		return int64(f), true
	}
	return 0, false
}
