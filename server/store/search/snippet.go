package search

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"screentest/server/store/text"
)

// Sizes of a snippet, in bytes.
const (
	snippetSize   = 240
	snippetBefore = 60 // before the first mark
	maxMarks      = 32
	// maxMarked is how far into a text marks are looked for.
	maxMarked = 256 << 10
	maxBegun  = 64
)

// A span is a stretch of a text, in bytes.
type span struct{ from, to int }

// spans finds phrases in s, at most most of them, in order.
func spans(s string, ps []phrase, most int) (found []span) {
	if len(s) > maxMarked {
		s = s[:maxMarked]
	}
	// Where phrases have begun whose next word is awaited.
	type begun struct{ phrase, words, from int }
	var open, next []begun
	eachWord(s, func(w []byte, from, to int) bool {
		next = next[:0]
		first, end := from, -1
		step := func(b begun) {
			p := ps[b.phrase]
			want, last := p.folded[b.words], b.words == len(p.folded)-1
			switch {
			case string(w) != want && !(last && p.prefix && bytes.HasPrefix(w, []byte(want))):
			case last:
				first, end = min(first, b.from), to
			case len(next) < maxBegun:
				next = append(next, begun{b.phrase, b.words + 1, b.from})
			}
		}
		for _, b := range open {
			step(b)
		}
		for i := range ps {
			step(begun{i, 0, from})
		}
		open, next = next, open
		if end < 0 {
			return true
		}
		if n := len(found); n > 0 && first <= found[n-1].to {
			found[n-1].to = end
		} else {
			found = append(found, span{first, end})
		}
		return len(found) < most
	})
	return found
}

// snippet is the part of s around its first mark, on one line, with the marks
// in it as pairs of offsets.
func snippet(s string, found []span) (line string, marks []int) {
	from := 0
	if len(found) > 0 {
		from = wordStart(s, found[0].from-snippetBefore, found[0].from)
	}
	to := from + snippetSize
	if to >= len(s) {
		to = len(s)
	} else {
		to = wordEnd(s, to, from+snippetSize/2)
	}
	var b strings.Builder
	if from > 0 {
		b.WriteString("… ")
	}
	// Space of any kind becomes one space, so places move.
	at := make([]int, to-from+1)
	space := true
	for i, r := range s[from:to] {
		at[i] = b.Len()
		switch {
		case text.NotShown(r) || unicode.Is(unicode.Bidi_Control, r):
			if !space {
				b.WriteByte(' ')
			}
			space = true
		default:
			b.WriteRune(r)
			space = false
		}
	}
	at[to-from] = b.Len()
	for _, f := range found {
		if f.from >= from && f.to <= to && len(marks) < 2*maxMarks {
			marks = append(marks, at[f.from-from], at[f.to-from])
		}
	}
	line = b.String()
	if to < len(s) {
		line = strings.TrimRight(line, " ") + " …"
	}
	return line, marks
}

// wordStart is a place at or after i where a word begins, at most limit.
func wordStart(s string, i, limit int) int {
	if i <= 0 {
		return 0
	}
	for j := i; j < limit; j++ {
		if s[j-1] == ' ' || s[j-1] == '\n' {
			return j
		}
	}
	return runeStart(s, i)
}

// wordEnd is a place at or before i where a word ends, at least limit.
func wordEnd(s string, i, limit int) int {
	for j := i; j > limit; j-- {
		if s[j] == ' ' || s[j] == '\n' {
			return j
		}
	}
	return runeStart(s, i)
}

func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
