package inspect

import (
	"bytes"
	"encoding/json"
	"iter"
	"strings"
	"unicode/utf8"
)

// Kind is what a piece of JSON is, for its colour.
type Kind uint8

// The kinds.
const (
	Plain Kind = iota // punctuation, white space, and what is no JSON
	Key
	String
	Number
	Word // true, false, null
)

// Tokens gives JSON in pieces that together are the text, whatever it is: it
// may be broken, or cut anywhere.
func Tokens(text string) iter.Seq2[Kind, string] {
	return func(yield func(Kind, string) bool) {
		for at := 0; at < len(text); {
			kind, n := token(text[at:])
			if !yield(kind, text[at:at+n]) {
				return
			}
			at += n
		}
	}
}

// token is the first piece of a text that is not empty.
func token(s string) (Kind, int) {
	switch c := s[0]; {
	case c == '"':
		n := 1
		for n < len(s) && s[n] != '"' {
			if s[n] == '\\' && n+1 < len(s) {
				n++
			}
			n++
		}
		n = min(n+1, len(s))
		if strings.HasPrefix(strings.TrimLeft(s[n:min(len(s), n+16)], " \t\r\n"), ":") {
			return Key, n
		}
		return String, n
	case c == '-' || c >= '0' && c <= '9':
		return Number, 1 + run(s[1:], "0123456789+-.eE")
	case c >= 'a' && c <= 'z':
		n := 0
		for n < len(s) && s[n] >= 'a' && s[n] <= 'z' {
			n++
		}
		if w := s[:n]; w == "true" || w == "false" || w == "null" {
			return Word, n
		}
		return Plain, n
	}
	n := 1
	for n < len(s) && s[n] != '"' && s[n] != '-' && (s[n] < '0' || s[n] > '9') && (s[n] < 'a' || s[n] > 'z') {
		n++
	}
	return Plain, n
}

func run(s, of string) (n int) {
	for n < len(s) && strings.IndexByte(of, s[n]) >= 0 {
		n++
	}
	return n
}

// Pretty is JSON with a line for each member; what is no JSON stays as it is.
// Nothing but white space between the pieces changes.
func Pretty(p []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, bytes.TrimSpace(p), "", "  ") != nil {
		return strings.ToValidUTF8(string(p), "\ufffd")
	}
	return strings.ToValidUTF8(b.String(), "\ufffd")
}

// Cut is the text up to some bytes, at the end of a line or at least of a
// character, and how many bytes were left out.
func Cut(s string, most int) (string, int) {
	if len(s) <= most {
		return s, 0
	}
	at := most
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	if i := strings.LastIndexByte(s[:at], '\n'); i > at/2 {
		at = i
	}
	return s[:at], len(s) - at
}
