package snippet

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// odd says that a character is not to stand in a snippet as it is: controls
// but the line feed, which terminals and clipboards act on or drop; the byte
// order mark, which compilers refuse; line separators, which some editors turn
// into line feeds; and what turns the direction of text, so that code is not
// what it looks like. size is what utf8.DecodeRune said: 1 with
// utf8.RuneError is no character at all.
func odd(r rune, size int) bool {
	switch {
	case r == '\n':
		return false
	case r < ' ', r >= 0x7f && r <= 0x9f, r == utf8.RuneError && size == 1:
		return true
	case r == 0xfeff, r == 0x2028, r == 0x2029:
		return true
	case r == 0x061c, r == 0x200e, r == 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}

// clean says that nothing in b is odd.
func clean(b []byte) bool {
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if odd(r, size) {
			return false
		}
		b = b[size:]
	}
	return true
}

// shellQuote is a word of a POSIX shell that stands for s; s must be clean.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// shellEscape is a word of a POSIX shell that printf's %b writes as b, whatever
// its bytes are.
func shellEscape(b []byte) string {
	var w strings.Builder
	w.WriteByte('\'')
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r == '\n':
			w.WriteString(`\n`)
		case r == '\\':
			w.WriteString(`\\`)
		case r == '\'':
			w.WriteString(`'\''`)
		case odd(r, size):
			for _, c := range b[:size] {
				w.WriteString(`\0`)
				w.WriteByte('0' + c>>6)
				w.WriteByte('0' + c>>3&7)
				w.WriteByte('0' + c&7)
			}
		default:
			w.Write(b[:size])
		}
		b = b[size:]
	}
	w.WriteByte('\'')
	return w.String()
}

// maxPieces bounds the pieces that a Go string is put together from.
const maxPieces = 200

// goQuote is a Go expression for b: a raw string, in which JSON reads as it
// is, with what can't stand in one between in double quotes.
func goQuote(b []byte) string {
	var w strings.Builder
	pieces := 0
	for len(b) > 0 {
		if pieces++; pieces > maxPieces {
			w.WriteString(" +\n\t")
			w.WriteString(escaped(b, '"'))
			return w.String()
		}
		if w.Len() > 0 {
			w.WriteString(" + ")
		}
		n := run(b, false)
		if n > 0 {
			w.WriteByte('`')
			w.Write(b[:n])
			w.WriteByte('`')
		} else {
			n = run(b, true)
			w.WriteString(escaped(b[:n], '"'))
		}
		b = b[n:]
	}
	if w.Len() == 0 {
		return "``"
	}
	return w.String()
}

// run is how many bytes at the start of b can stand in a raw Go string, or,
// with quoted, can't.
func run(b []byte, quoted bool) (n int) {
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if (r == '`' || odd(r, size)) != quoted {
			break
		}
		n += size
	}
	return n
}

// pythonQuote is a Python expression of the type bytes for b.
func pythonQuote(b []byte) string {
	s := string(b)
	switch {
	case !utf8.Valid(b):
		var w strings.Builder
		w.WriteString("b'")
		for _, c := range b {
			switch {
			case c == '\n':
				w.WriteString(`\n`)
			case c == '\\' || c == '\'':
				w.WriteByte('\\')
				w.WriteByte(c)
			case c < ' ' || c >= 0x7f:
				w.WriteString(`\x` + digits(c, 2))
			default:
				w.WriteByte(c)
			}
		}
		w.WriteByte('\'')
		return w.String()
	case clean(b) && !strings.Contains(s, "'''") && !strings.HasSuffix(s, "'") && !strings.HasSuffix(s, `\`):
		return "r'''" + s + "'''.encode()"
	}
	return escaped(b, '\'') + ".encode()"
}

// javaScriptQuote is a JavaScript expression for b that fetch takes as a body.
func javaScriptQuote(b []byte) string {
	s := string(b)
	switch {
	case !utf8.Valid(b):
		list := make([]string, len(b))
		for i, c := range b {
			list[i] = strconv.Itoa(int(c))
		}
		return "new Uint8Array([" + strings.Join(list, ",") + "])"
	case clean(b) && !strings.Contains(s, "`") && !strings.Contains(s, "${") && !strings.HasSuffix(s, `\`):
		return "String.raw`" + s + "`"
	}
	return escaped(b, '\'')
}

// escaped is b between quotes, in one line, as Go, Python and JavaScript read it
// alike: nothing that is odd has a code point of more than four digits. What is
// no character at all is written as a byte, which of the three only Go has.
func escaped(b []byte, quote byte) string {
	var w strings.Builder
	w.WriteByte(quote)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		switch {
		case r == '\n':
			w.WriteString(`\n`)
		case r == rune(quote) || r == '\\':
			w.WriteByte('\\')
			w.WriteRune(r)
		case r == utf8.RuneError && size == 1:
			w.WriteString(`\x` + digits(b[0], 2))
		case odd(r, size):
			w.WriteString(`\u` + digits(uint16(r), 4))
		default:
			w.Write(b[:size])
		}
		b = b[size:]
	}
	w.WriteByte(quote)
	return w.String()
}

// digits is n in that many hexadecimal digits.
func digits[N uint8 | uint16](n N, width int) string {
	s := strconv.FormatUint(uint64(n), 16)
	return strings.Repeat("0", width-len(s)) + s
}
