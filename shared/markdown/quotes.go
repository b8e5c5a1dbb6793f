package markdown

import (
	"strings"
	"unicode/utf8"
)

// Strings: how each language opens, fills and ends them.

// quoted reads a string, if one starts here.
func (x *lexer) quoted() bool {
	for _, q := range x.lang.quotes {
		if x.at(q.open) {
			start := x.pos
			x.pos += len(q.open)
			if q.char && !x.isChar() {
				x.pos = start
				return false
			}
			start = x.closeQuote(q, start)
			x.take(start, x.stringClass(start))
			x.last, x.lastWord = '"', true
			return true
		}
	}
	return false
}

// stringClass is the class of the string from start to x.pos: in some languages
// one before a colon is a key.
func (x *lexer) stringClass(start int) string {
	if x.lang.keys && strings.HasPrefix(strings.TrimLeft(x.rest(), " \t"), ":") {
		return clsKey
	}
	return clsString
}

// closeQuote moves behind the end of the string that began at start. Variables
// in it are taken apart; what it returns is where the rest of the string starts.
func (x *lexer) closeQuote(q quote, start int) int {
	for x.pos < len(x.src) {
		switch c := x.src[x.pos]; {
		case c == '\\' && !q.raw:
			x.pos = min(x.pos+2, len(x.src))
		case c == '\n' && !q.lines:
			return start
		case c == q.close[0] && x.at(q.close):
			x.pos += len(q.close)
			return start
		case c == '$' && x.lang.dollars && q.open == `"`:
			at := x.pos
			if !x.variable() {
				x.pos++
				continue
			}
			end := x.pos
			x.pos = at
			x.take(start, clsString)
			x.pos = end
			x.take(at, clsVariable)
			start = end
		default:
			x.pos++
		}
	}
	return start
}

// isChar tells Rust's 'a' from the lifetime 'a.
func (x *lexer) isChar() bool {
	s := x.rest()
	if strings.HasPrefix(s, `\`) {
		return true
	}
	_, n := utf8.DecodeRuneInString(s)
	return n > 0 && strings.HasPrefix(s[n:], "'")
}

func (x *lexer) inTemplate(start int) {
	for x.pos < len(x.src) {
		switch {
		case x.src[x.pos] == '\\':
			x.pos = min(x.pos+2, len(x.src))
		case x.src[x.pos] == '`':
			x.pos++
			x.take(start, clsString)
			return
		case x.at("${") && len(x.templates) < maxNesting:
			x.pos += 2
			x.take(start, clsString)
			x.templates = append(x.templates, 0)
			return
		default:
			x.pos++
		}
	}
	x.take(start, clsString)
}

// prefixedString reads r"…", f'…', r#"…"# and the like, whose prefix was read.
func (x *lexer) prefixedString(start int) bool {
	hashes := 0
	for x.lang.attributes && x.pos+hashes < len(x.src) && x.src[x.pos+hashes] == '#' && hashes < 16 {
		hashes++
	}
	if hashes > 0 {
		if x.pos+hashes >= len(x.src) || x.src[x.pos+hashes] != '"' {
			return false
		}
		x.pos += hashes + 1
		x.past(`"` + strings.Repeat("#", hashes))
		x.take(start, clsString)
		return true
	}
	for _, q := range x.lang.quotes {
		if x.at(q.open) && (!q.char || x.src[start] == 'b') {
			x.pos += len(q.open)
			x.take(x.closeQuote(q, start), clsString)
			x.last, x.lastWord = '"', true
			return true
		}
	}
	return false
}
