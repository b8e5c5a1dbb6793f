package search

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxPhrases bounds the words of one search.
const maxPhrases = 32

// A phrase is words that must stand together. The tokenizer gets them as they
// were typed, for it has rules of its own for capitals and accents; folded they
// mark what was found.
type phrase struct {
	typed  []string
	folded []string
	prefix bool // the last word may be a beginning
}

// parseQuery reads what a person types: words, and words in double quotes. The
// last word may be a beginning, unless something follows it. There is no
// mistake that a query could have.
func parseQuery(q string) (ps []phrase) {
	q = strings.ToValidUTF8(q, " ")
	for i, part := range strings.Split(q, `"`) {
		chunks := []string{part}
		if i%2 == 0 { // outside of quotes
			chunks = strings.Fields(part)
		}
		for _, c := range chunks {
			if p := phraseOf(c); len(p.typed) > 0 && len(ps) < maxPhrases {
				ps = append(ps, p)
			}
		}
	}
	if n := len(ps); n > 0 && endsInWord(q) {
		ps[n-1].prefix = true
	}
	return ps
}

// endsInWord says whether the last character of s belongs to a word that goes
// on, as far as one can tell.
func endsInWord(s string) bool {
	r := []rune(s)
	return len(r) > 0 && inWord(r[len(r)-1]) && !unspaced(r[len(r)-1])
}

func phraseOf(s string) (p phrase) {
	eachWord(s, func(w []byte, from, to int) bool {
		p.typed, p.folded = append(p.typed, s[from:to]), append(p.folded, string(w))
		return len(p.typed) < maxPhrases
	})
	return p
}

// inWord says whether the tokenizer takes r as part of a word.
func inWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.N, unicode.Mn, unicode.Co)
}

// eachWord calls fn for each word of s, folded, and the place where it stands,
// until fn says that it is enough. The bytes are fn's until it returns.
func eachWord(s string, fn func(w []byte, from, to int) bool) {
	var buf []byte
	start := -1
	flush := func(end int) bool {
		if start < 0 {
			return true
		}
		buf = fold(buf[:0], s[start:end])
		ok := len(buf) == 0 || fn(buf, start, end)
		start = -1
		return ok
	}
	for i, r := range s {
		switch {
		case unspaced(r):
			if !flush(i) {
				return
			}
			start = i
			if !flush(i + len(string(r))) {
				return
			}
		case inWord(r):
			if start < 0 {
				start = i
			}
		case !flush(i):
			return
		}
	}
	flush(len(s))
}

// fold appends s in lower case and without accents.
func fold(dst []byte, s string) []byte {
	if ascii(s) {
		for i := range len(s) {
			c := s[i]
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
		}
		return dst
	}
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.Mn, r) {
			dst = append(dst, string(unicode.ToLower(r))...)
		}
	}
	return norm.NFC.Append(nil, dst...)
}
