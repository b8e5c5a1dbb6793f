// Package text puts what people type on one line.
package text

import (
	"strings"
	"unicode"
)

// OneLine is s on one line: space of any kind and control characters, and
// several of them, become one space.
func OneLine(s string) string { return strings.Join(strings.FieldsFunc(s, NotShown), " ") }

// NotShown is space of any kind, and control characters.
func NotShown(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }
