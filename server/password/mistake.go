package password

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"screentest/shared/wire"
)

// common.txt has those of ten and more characters among the passwords that are
// tried first, in lower case.
//
//go:embed common.txt
var commonList string

var common = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(commonList) {
		all[word] = true
		if c := core(word); len(c) >= 4 {
			all[c] = true
		}
	}
	return all
})

// Mistake says why a password is not to be taken: it is too short, too long, or
// one of those that are tried first, which is what is about the person and the
// instance, too. There are no rules of what it is made of: they make people write
// Password1! and feel safe (NIST SP 800-63B, 3.1.1.2). nil: it will do.
func Mistake(password string, about ...string) *wire.Problem {
	bad := func(message, hint string) *wire.Problem {
		return &wire.Problem{Code: "bad_password", Field: "password", Message: message, Hint: hint}
	}
	password = norm.NFC.String(password)
	const hint = "Three or four words that have nothing to do with each other are long and easy to keep in mind."
	switch n := utf8.RuneCountInString(password); {
	case !utf8.ValidString(password):
		return bad("The password has characters that are none.", hint)
	case n < wire.MinPassword:
		return bad(fmt.Sprintf("The password has %d characters, and %d is the least.", n, wire.MinPassword), hint)
	case n > wire.MaxPassword:
		return bad(fmt.Sprintf("The password has %d characters, and %d is the most.", n, wire.MaxPassword), "Shorten it.")
	}
	plain := strings.ToLower(password)
	if common()[plain] || common()[core(plain)] || repeats(plain) {
		return bad("This password is among those that are tried first.", hint)
	}
	for _, of := range about {
		of = strings.ToLower(strings.TrimSpace(norm.NFC.String(of)))
		name, _, _ := strings.Cut(of, "@")
		for _, word := range []string{of, name, strings.Join(strings.Fields(of), "")} {
			if utf8.RuneCountInString(word) >= 4 && (plain == word || core(plain) == word || plain == word+word) {
				return bad("This password is your name, your e-mail address, or that of this instance.", hint)
			}
		}
	}
	return nil
}

// core is a password without the digits and signs that people put behind it.
func core(plain string) string { return strings.TrimRight(plain, "0123456789!?.*#$@_- ") }

// repeats says whether a password is a short piece again and again, or a row of
// neighbours.
func repeats(plain string) bool {
	runes := []rune(plain)
	for size := 1; size <= 3; size++ {
		same := true
		for i := size; i < len(runes) && same; i++ {
			same = runes[i] == runes[i-size]
		}
		if same {
			return true
		}
	}
	up, down := true, true
	for i := 1; i < len(runes); i++ {
		up, down = up && runes[i] == runes[i-1]+1, down && runes[i] == runes[i-1]-1
	}
	return up || down
}
