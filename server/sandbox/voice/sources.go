package voice

import (
	"net/url"
	"strings"
)

// Query is what a model would search the web for to answer the prompt.
func Query(prompt string) string { return subjectOf(prompt) }

// Sources are the pages that the sandbox's search finds: always three, below
// example.com and its like, where nobody lives (RFC 2606).
func Sources(prompt string) []Source {
	subject := subjectOf(prompt)
	slug := url.PathEscape(strings.ReplaceAll(strings.ToLower(subject), " ", "-"))
	// Brackets and parentheses would end the link.
	slug = strings.NewReplacer("(", "%28", ")", "%29").Replace(slug)
	name := capital(subject)
	return []Source{
		{name + ": an introduction", "https://example.com/guide/" + slug},
		{name + " in practice", "https://example.org/practice/" + slug},
		{"Questions about " + subject, "https://example.net/questions/" + slug},
	}
}
