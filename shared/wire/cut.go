package wire

import (
	"strings"
	"unicode/utf8"
)

// Bounds of a problem's parts, in bytes. What is echoed in one, such as a value
// that was sent, is cut to MaxEchoed where the words are made (see Cut).
const (
	MaxEchoed  = 80
	maxProblem = 2 << 10 // Message and Hint, each
	maxRaw     = 8 << 10
	maxAllowed = 200 // values
)

// Cut is s, or so much of its beginning that it has at most n bytes with the
// mark that it was cut. It cuts at the end of a character.
func Cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	const mark = "…"
	s = strings.ToValidUTF8(s[:n], "\ufffd") // which can be longer
	end := min(max(n-len(mark), 0), len(s))
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}

// Bounded is p with each part cut to what a person can read, so that what is
// sent back does not grow with what was sent.
func (p *Problem) Bounded() *Problem {
	q := *p
	for _, part := range []struct {
		s    *string
		most int
	}{{&q.Code, MaxEchoed}, {&q.Message, maxProblem}, {&q.Hint, maxProblem}, {&q.Field, 4 * MaxEchoed}, {&q.Request, 4 * MaxEchoed}, {&q.Raw, maxRaw}} {
		*part.s = Cut(*part.s, part.most)
	}
	q.Allowed = nil
	for _, v := range p.Allowed[:min(len(p.Allowed), maxAllowed)] {
		q.Allowed = append(q.Allowed, Cut(v, 4*MaxEchoed))
	}
	return &q
}
