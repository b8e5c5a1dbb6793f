package figure

import (
	"strings"

	"screentest/shared/money"
)

// Typed reads an amount of dollars as a person types it, such as 25 or 0.50, that
// bounds what may be spent; kind is what the bound is called. "" is none. wrong
// says what is wrong with it.
func Typed(text, kind string, most int64) (nano int64, wrong string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return 0, ""
	}
	n, err := money.ParseUSD(text)
	switch {
	case err != nil:
		return 0, "Enter dollars as a number, for example 25 or 0.50; leave it empty for no " + kind + "."
	case n < 0:
		return 0, "A " + kind + " can't be negative. Leave it empty for none."
	case int64(n) > most:
		return 0, "A " + kind + " is at most " + Dollars(most) + "."
	case n == 0:
		return 0, "A " + kind + " of $0 would stop everything. Leave it empty for none."
	}
	return int64(n), ""
}
