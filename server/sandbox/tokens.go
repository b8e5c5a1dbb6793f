package sandbox

import (
	"unicode"
	"unicode/utf8"
)

// tokenLetters is how many characters besides white space a token has at most.
const tokenLetters = 8

// A token is white space and up to eight other characters that follow it;
// "internationally agreed" is "internat", "ionally", " agreed". It is the unit
// of every usage figure here, and of streaming: one token, one event.

// nextToken returns how many bytes of s its first token has; 0 for an empty s.
func nextToken(s string) int {
	i, letters := 0, 0
	for i < len(s) {
		c, size := rune(s[i]), 1
		if c >= utf8.RuneSelf {
			c, size = utf8.DecodeRuneInString(s[i:])
		}
		if unicode.IsSpace(c) {
			if letters > 0 {
				return i
			}
		} else if letters++; letters > tokenLetters {
			return i
		}
		i += size
	}
	return i
}

func countTokens(s string) (n int64) {
	for s != "" {
		s = s[nextToken(s):]
		n++
	}
	return n
}

// firstTokens returns the beginning of s that has n tokens.
func firstTokens(s string, n int64) string {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		i += nextToken(s[i:])
	}
	return s[:i]
}
