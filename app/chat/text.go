package chat

import "strings"

// firstLine is the title of a conversation until the server gives it one.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return Short(strings.TrimSpace(line), 60)
}

// Short is text in at most n characters, with an ellipsis for what was cut off.
func Short(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimSpace(string(r[:n-1])) + "…"
	}
	return text
}

// Gap is the white space that sets a text apart, by a blank line, from what is
// written before it or after it.
func Gap(beside string, after bool) string {
	if strings.TrimSpace(beside) == "" {
		return ""
	}
	n := len(beside) - len(strings.TrimRight(beside, "\n"))
	if after {
		n = len(beside) - len(strings.TrimLeft(beside, "\n"))
	}
	return strings.Repeat("\n", max(0, 2-n))
}
