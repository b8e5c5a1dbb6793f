package inspect

import (
	"bytes"
	"unicode/utf8"
)

// needle is a text that is looked for in any letters, in many events with every
// key that is pressed: so without a copy of them where it is plain ASCII.
type needle struct {
	lower []byte
	first [2]byte // the two forms of its first letter
	ascii bool
}

func newNeedle(text string) needle {
	n := needle{lower: bytes.ToLower([]byte(text)), ascii: true}
	for i := range len(text) {
		n.ascii = n.ascii && text[i] < utf8.RuneSelf
	}
	if len(n.lower) > 0 {
		n.first = [2]byte{n.lower[0], upper(n.lower[0])}
	}
	return n
}

func (n needle) in(b []byte) bool {
	if len(n.lower) == 0 {
		return true
	}
	if !n.ascii {
		return bytes.Contains(bytes.ToLower(b), n.lower)
	}
	if n.from(b, n.first[0]) {
		return true
	}
	return n.first[1] != n.first[0] && n.from(b, n.first[1])
}

// from looks for it where its first letter has that form.
func (n needle) from(b []byte, first byte) bool {
	for {
		i := bytes.IndexByte(b, first)
		if i < 0 || len(b)-i < len(n.lower) {
			return false
		}
		at, same := b[i:], 1
		for same < len(n.lower) && lower(at[same]) == n.lower[same] {
			same++
		}
		if same == len(n.lower) {
			return true
		}
		b = at[1:]
	}
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}
