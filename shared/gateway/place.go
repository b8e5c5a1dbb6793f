package gateway

import (
	"strconv"
	"strings"
)

// PlaceName names a place of a video request within a sentence, as a person
// would: "the text of shot 3" for multi_prompt[2].prompt. What no form has a
// field for is the request.
func PlaceName(place string) string {
	root, rest, indexed := strings.Cut(place, "[")
	for i := range videoFields {
		s := &videoFields[i]
		if s.name != root || s.people == "" {
			continue
		}
		digits, inner, _ := strings.Cut(rest, "]")
		n, err := strconv.Atoi(digits)
		if !indexed || err != nil || s.item == "" {
			return s.people
		}
		item := s.item + " " + strconv.Itoa(n+1)
		switch inner {
		case ".prompt":
			return "the text of " + item
		case ".duration":
			return "the length of " + item
		}
		return item
	}
	return "the request"
}
