package admin

import (
	"strings"

	"screentest/shared/gateway"
)

// Pattern is one of a team's patterns of models, with how many models of the
// catalogue have it.
type Pattern struct {
	Text   string
	Models int
}

// Patterns are those in a text, one on each line or between commas.
func Patterns(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ',' || r == ' ' || r == '\t' || r == '\r' })
}

// Counted are the patterns in a text with how many models each allows, and how
// many they allow together.
func Counted(text string, models []string) (patterns []Pattern, together int) {
	all := Patterns(text)
	for _, p := range all {
		patterns = append(patterns, Pattern{p, allowed([]string{p}, models)})
	}
	return patterns, allowed(all, models)
}

func allowed(patterns, models []string) int {
	n := 0
	for _, id := range models {
		if gateway.ModelAllowed(patterns, id) {
			n++
		}
	}
	return n
}
