package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// string reads a string from its opening quote on. Text without an escape is
// a part of src and costs no copy.
func (p *parser) string() (string, *Error) {
	p.at++
	start := p.at
	ascii := true
	for p.at < len(p.src) {
		switch c := p.src[p.at]; {
		case c == '"':
			text := p.src[start:p.at]
			if !ascii && !utf8.ValidString(text) {
				return "", p.invalid(start, text)
			}
			p.at++
			return text, nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", p.fail(Syntax, p.at, "a string holds the control character 0x%02x; write it as an escape", c)
		case c >= utf8.RuneSelf:
			ascii = false
		}
		p.at++
	}
	return "", p.fail(Syntax, p.at, "the JSON stops in the middle of a string")
}

// invalid points at the first byte of text that is not UTF-8.
func (p *parser) invalid(start int, text string) *Error {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return p.fail(Encoding, start+i, "a string is not UTF-8: the byte 0x%02x", text[i])
			}
		}
	}
	return p.fail(Encoding, start, "a string is not UTF-8")
}

// escaped reads a string with at least one escape; start is its first byte.
func (p *parser) escaped(start int) (string, *Error) {
	var b strings.Builder
	from := start // of the stretch not yet copied
	for p.at < len(p.src) {
		c := p.src[p.at]
		if c == '"' || c == '\\' {
			stretch := p.src[from:p.at]
			if !utf8.ValidString(stretch) {
				return "", p.invalid(from, stretch)
			}
			b.WriteString(stretch)
			if c == '"' {
				p.at++
				return b.String(), nil
			}
			r, err := p.escape()
			if err != nil {
				return "", err
			}
			b.WriteRune(r)
			from = p.at
			continue
		}
		if c < ' ' {
			return "", p.fail(Syntax, p.at, "a string holds the control character 0x%02x; write it as an escape", c)
		}
		p.at++
	}
	return "", p.fail(Syntax, p.at, "the JSON stops in the middle of a string")
}

func (p *parser) escape() (rune, *Error) {
	start := p.at
	if p.at+1 == len(p.src) {
		p.at++
		return 0, p.fail(Syntax, p.at, "the JSON stops in the middle of a string")
	}
	p.at += 2
	switch c := p.src[start+1]; c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		p.at = start + 1
		return 0, p.fail(Syntax, start, "an escape \\%s does not exist", strings.Trim(p.here(), "'"))
	}
	first, ok := p.hex4()
	if !ok {
		return 0, p.fail(Syntax, start, `an escape \u needs four hexadecimal digits`)
	}
	if !utf16.IsSurrogate(first) {
		return first, nil
	}
	if strings.HasPrefix(p.src[p.at:], `\u`) {
		p.at += 2
		second, ok := p.hex4()
		if !ok {
			return 0, p.fail(Syntax, p.at, `an escape \u needs four hexadecimal digits`)
		}
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, nil
		}
	}
	return 0, p.fail(Encoding, start, `the escape \u%04x is half of a character; its other half is missing`, first)
}

func (p *parser) hex4() (rune, bool) {
	if p.at+4 > len(p.src) {
		return 0, false
	}
	n, err := strconv.ParseUint(p.src[p.at:p.at+4], 16, 16)
	p.at += 4
	return rune(n), err == nil
}
