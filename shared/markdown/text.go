package markdown

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/util"
)

// controlClass marks a control character that is shown by its name.
const controlClass = "md-control"

// Characters that change how their neighbours are shown would let a text look
// different from what it is, so they are shown by their code point: the bidi
// embeddings, overrides and isolates everywhere, and in code also the marks,
// which in prose only order the neutral characters beside them and are needed
// in Arabic and Hebrew.
func showsItsName(r rune, code bool) bool {
	switch {
	case r >= 0x202A && r <= 0x202E, r >= 0x2066 && r <= 0x2069:
		return true
	case r == 0x200E || r == 0x200F || r == 0x061C:
		return code
	case r < 0x20:
		return r != '\n' && r != '\t'
	}
	return r >= 0x7F && r < 0xA0
}

func controlName(r rune) string { return fmt.Sprintf("⟨U+%04X⟩", r) }

// eachPart cuts s into plain runs and control characters, in order. NUL and
// bytes that are no UTF-8 become U+FFFD in a plain run.
func eachPart(s string, code bool, part func(plain string, control rune)) {
	start := 0
	flush := func(end int) {
		if end > start {
			part(s[start:end], 0)
		}
	}
	for i := 0; i < len(s); {
		if c := s[i]; c >= 0x20 && c < 0x7F || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == 0 || r == utf8.RuneError && n == 1:
			flush(i)
			part("\uFFFD", 0)
			start = i + n
		case showsItsName(r, code):
			flush(i)
			part("", r)
			start = i + n
		}
		i += n
	}
	flush(len(s))
}

// appendText appends s to kids as text, with control characters in spans of
// their own. Text nodes may come to stand side by side: see coalesce.
func appendText(kids []Node, s string, code bool) []Node {
	eachPart(s, code, func(plain string, control rune) {
		if control != 0 {
			kids = append(kids, el("span", controlClass, text(controlName(control))))
			return
		}
		kids = append(kids, text(plain))
	})
	return kids
}

// coalesce joins the text nodes that stand side by side, in place. It is done
// once for a list, because to join them one by one takes time by the square.
func coalesce(nodes []Node) []Node {
	out := nodes[:0]
	for i := 0; i < len(nodes); {
		end := i + 1
		for nodes[i].Tag == "" && end < len(nodes) && nodes[end].Tag == "" {
			end++
		}
		n := nodes[i]
		if end > i+1 {
			var b strings.Builder
			for _, t := range nodes[i:end] {
				b.WriteString(t.Text)
			}
			n = text(b.String())
		}
		out = append(out, n)
		i = end
	}
	return out
}

// textNodes is s as nodes.
func textNodes(s string, code bool) []Node { return coalesce(appendText(nil, s, code)) }

// flatText is s as appendText shows it, as one string: for attributes, and for
// an open tail, whose text is only ever appended to.
func flatText(s string, code bool) string {
	var b strings.Builder
	eachPart(s, code, func(plain string, control rune) {
		if control != 0 {
			plain = controlName(control)
		}
		b.WriteString(plain)
	})
	return b.String()
}

// unescape resolves backslash escapes and character references in one pass,
// so that \&amp; stays &amp;.
func unescape(raw []byte) string {
	if !hasEscape(raw) {
		return string(raw)
	}
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case c == '\\' && i+1 < len(raw) && util.IsPunct(raw[i+1]):
			i++
			b.WriteByte(raw[i])
		case c == '&':
			s, n := reference(raw[i:])
			if n == 0 {
				b.WriteByte(c)
				continue
			}
			b.WriteString(s)
			i += n - 1
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func hasEscape(raw []byte) bool {
	for _, c := range raw {
		if c == '\\' || c == '&' {
			return true
		}
	}
	return false
}

// reference reads the character reference that p starts with and its length,
// or 0 when it is none.
func reference(p []byte) (string, int) {
	const longest = 34 // &CounterClockwiseContourIntegral; and a little
	end := 1
	for ; end < len(p) && end < longest && p[end] != ';'; end++ {
		if c := p[end]; !util.IsAlphaNumeric(c) && (c != '#' || end != 1) {
			return "", 0
		}
	}
	if end < 2 || end >= len(p) || p[end] != ';' {
		return "", 0
	}
	name := string(p[1:end])
	if name[0] != '#' {
		if e, ok := util.LookUpHTML5EntityByName(name); ok {
			return string(e.Characters), end + 1
		}
		return "", 0
	}
	digits, base, most := name[1:], 10, 7
	if digits != "" && (digits[0] == 'x' || digits[0] == 'X') {
		digits, base, most = digits[1:], 16, 6
	}
	if len(digits) > most {
		return "", 0
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil {
		return "", 0
	}
	r := rune(v)
	if r == 0 || !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return string(r), end + 1
}
