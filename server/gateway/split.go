package gateway

import "slices"

const (
	// shown is how many characters of a key that is spread over pieces come
	// through: from the next one on the pieces are held back until it is known
	// whether it is the key. Most keys begin with the same three, and hardly
	// any other text goes on from there as a key does, so nothing is delayed.
	shown = 3
	// maxSplit is how far apart in the reply, in bytes, the pieces are looked
	// for, and maxLines in how many lines without another one.
	maxSplit = 64 << 10
	maxLines = 16
)

// split masks a key that a gateway spreads over pieces of an answer: the end of
// one fragment and the beginning of the next, or one character in each. The
// reader of the answer joins the fragments, and the key would stand in the text.
//
// It follows the strings of the reply's JSON by their names, no deeper than it
// needs: a name is what stands before a colon, and a line feed is never within
// a string.
type split struct {
	key  string
	back []int // for each number of characters that fit: how many do if the next doesn't
	at   int64 // where in the reply it looks next

	state  state
	colon  bool // the last string is a name: its value follows
	name   []byte
	tail   *tail // of the value that is being read; nil where it is of no interest
	tails  [len(fragments)]tail
	start  int64 // of the character that is being read
	code   int   // of an escape
	digits int   // of it so far
	over   bool  // this line ends the text
}

// fragments are the names of texts that come in pieces.
var fragments = [...]string{"content", "delta", "text", "arguments", "reasoning_content", "reasoning", "refusal"}

// tail is how much of the key the end of a text is.
type tail struct {
	fits  []span // where the characters are that fit
	lines int    // since the last of them
}

// span is a part of the reply, in bytes.
type span struct{ from, to int64 }

type state uint8

const (
	outside state = iota
	inName        // or in a value of no interest
	escapedName
	inText
	escaped
	inCode
)

func newSplit(key string) *split {
	s := &split{key: key, back: make([]int, len(key))}
	for i := 1; i < len(key); i++ {
		k := s.back[i-1]
		for k > 0 && key[i] != key[k] {
			k = s.back[k-1]
		}
		if key[i] == key[k] {
			k++
		}
		s.back[i] = k
	}
	return s
}

// cover looks at p, which begins at from in the reply, masks what ends a key in
// it, and returns how much of it may go on.
func (s *split) cover(p []byte, from int64) int {
	for i := int(s.at - from); i < len(p); i++ {
		c := p[i]
		switch s.state {
		case outside:
			s.outside(c)
		case inName:
			switch {
			case c == '"':
				s.state = outside
			case c == '\\':
				s.state = escapedName
			case c != '\n':
				end := i + 1 // all of it at once: most of a reply is this
				for end < len(p) && p[end] != '"' && p[end] != '\\' && p[end] != '\n' {
					end++
				}
				s.name = append(s.name, p[i:min(end, i+cap(s.name)-len(s.name))]...)
				i = end - 1
			}
		case escapedName:
			s.state, s.name = inName, s.name[:0]
		case inText:
			s.start = from + int64(i)
			switch c {
			case '"':
				s.state = outside
			case '\\':
				s.state = escaped
			default:
				s.char(c, p, from, i+1)
			}
		case escaped:
			if s.state = inText; c == 'u' {
				s.state, s.code, s.digits = inCode, 0, 0
			} else {
				s.char(c, p, from, i+1)
			}
		case inCode:
			s.code = s.code<<4 | max(hexDigit(c), 0)
			if s.digits++; s.digits == 4 {
				s.state = inText
				s.char(byte(min(s.code, 0xff)), p, from, i+1)
			}
		}
		if c == '\n' {
			s.line(from + int64(i))
		}
	}
	s.at = from + int64(len(p))
	for i := range s.tails {
		if t := &s.tails[i]; len(t.fits) > shown {
			p = p[:min(len(p), int(t.fits[shown].from-from))]
		}
	}
	return len(p)
}

// outside takes a character that is in no string.
func (s *split) outside(c byte) {
	switch c {
	case '"':
		s.state = inName
		if s.colon {
			s.tail = s.tailOf()
			if s.tail != nil {
				s.state = inText
			}
		}
		s.colon = false
		if s.name == nil {
			s.name = make([]byte, 0, 24)
		}
		s.name = s.name[:0]
	case ':':
		s.colon = true
		s.over = s.over || string(s.name) == "response" // it is in the event that ends a responses stream
	case ' ', '\t':
	case 'D':
		s.over = true // of [DONE]: nothing in JSON
	default:
		s.colon = false
	}
}

// tailOf is the tail of the text with the name that was just read.
func (s *split) tailOf() *tail {
	if string(s.name) == "finish_reason" {
		s.over = true
	}
	for i, name := range fragments {
		if string(s.name) == name {
			return &s.tails[i]
		}
	}
	return nil
}

// char takes a character of a text, which ends at p[end].
func (s *split) char(c byte, p []byte, from int64, end int) {
	t := s.tail
	for len(t.fits) > 0 && s.key[len(t.fits)] != c {
		k := s.back[len(t.fits)-1]
		t.fits = append(t.fits[:0], t.fits[len(t.fits)-k:]...)
	}
	if s.key[len(t.fits)] != c {
		return
	}
	t.fits = append(t.fits, span{s.start, from + int64(end)})
	t.lines = 0
	if len(t.fits) < len(s.key) {
		return
	}
	for _, f := range t.fits[shown:] {
		for i := f.from; i < f.to; i++ {
			p[i-from] = '*'
		}
	}
	t.fits = t.fits[:0]
}

// line ends a line: no string goes on behind it. A beginning of the key that
// nothing has followed for long is let go, and so is one at the text's end.
func (s *split) line(at int64) {
	s.state, s.colon = outside, false
	for i := range s.tails {
		t := &s.tails[i]
		t.lines++
		if len(t.fits) > 0 && (s.over || t.lines > maxLines || at-t.fits[0].from > maxSplit) {
			t.fits = slices.Delete(t.fits, 0, len(t.fits))
		}
	}
	s.over = false
}
