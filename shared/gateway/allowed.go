package gateway

import "strings"

// ModelAllowed says whether one of the patterns is that of a model: its id, in
// which an asterisk stands for any characters, also none: "openai/*". Without a
// pattern every model is allowed. Case doesn't count, so that nobody is shut out by
// how a pattern was typed. To a Catalogue it does: an id in another case has no
// price there, and is refused with that wherever a limit holds.
func ModelAllowed(patterns []string, model string) bool {
	if len(patterns) == 0 {
		return true
	}
	model = strings.ToLower(model)
	for _, p := range patterns {
		if matches(strings.ToLower(p), model) {
			return true
		}
	}
	return false
}

func matches(pattern, s string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	if !more {
		return pattern == s
	}
	s, ok := strings.CutPrefix(s, first)
	if !ok {
		return false
	}
	for {
		next, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(s, rest)
		}
		i := strings.Index(s, next)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(next):], after
	}
}
