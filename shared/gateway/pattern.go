package gateway

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxModelID is how many characters the id of a model may have.
const MaxModelID = 200

// IsModelID says that a text can be the id of a model: 1 to MaxModelID characters
// without spaces or controls.
func IsModelID(id string) bool {
	return id != "" && utf8.ValidString(id) && utf8.RuneCountInString(id) <= MaxModelID &&
		!strings.ContainsFunc(id, func(c rune) bool { return unicode.IsSpace(c) || unicode.IsControl(c) })
}

// A family's file tells two things of an id: what the model is, and, for its
// actions, which source clips fit. Patterns come second: an entry of the
// catalogue is believed before them (G31).

// patterns are asked in this order; the first that knows the id decides.
var patterns = []func(id string) (Model, bool){
	describeAlpha, describeBetaVideo, describeGamma, describeDelta, describeText,
}

// describe returns what an id tells of its model, without a price.
func describe(id string) Model {
	for _, p := range patterns {
		if m, ok := p(id); ok {
			m.ID = id
			return m
		}
	}
	return Model{ID: id, Family: Unknown, Endpoint: Chat, Mode: TextMode}
}

// describeText knows epsilon and beta by their name after the vendor's prefix
// (F12, F17), zeta by its own (F20), and takes every other prefixed id for an
// ordinary model (F10).
func describeText(id string) (Model, bool) {
	if strings.HasPrefix(id, "zeta-") {
		return Model{Family: Zeta, Endpoint: Chat, Mode: TextMode}, true
	}
	if !prefixed(id) {
		return Model{}, false
	}
	name := id[strings.LastIndexByte(id, '/')+1:]
	switch {
	case strings.HasPrefix(name, "epsilon-5.6-"):
		return Model{Family: Epsilon, Endpoint: Responses, Mode: TextMode}, true
	case strings.HasPrefix(name, "beta-4."):
		return Model{Family: Beta, Endpoint: Responses, Mode: TextMode}, true
	}
	return Model{Family: Ordinary, Endpoint: Chat, Mode: TextMode}, true
}

// prefixed says whether an id is <prefix>/<model> (F10).
func prefixed(id string) bool {
	prefix, name, ok := strings.Cut(id, "/")
	return ok && prefix != "" && name != ""
}

// betaVersion says whether a beta text id is one of the three versions the
// document names (F17).
func betaVersion(id string) bool {
	switch id[strings.LastIndexByte(id, '/')+1:] {
	case "beta-4.3", "beta-4.5", "beta-4.6":
		return true
	}
	return false
}

// isResolution says whether s is written as 720p or 4k.
func isResolution(s string) bool { return height(s) > 0 }

// height returns the lines of a resolution, 0 for what is none: 720p has 720,
// 4k 2160.
func height(resolution string) int {
	if k, ok := strings.CutSuffix(resolution, "k"); ok {
		if n, ok := number(k, 2); ok {
			return n * 540
		}
		return 0
	}
	if p, ok := strings.CutSuffix(resolution, "p"); ok {
		if n, ok := number(p, 5); ok {
			return n
		}
	}
	return 0
}

// number reads 1 to most decimal digits that start with no zero.
func number(s string, most int) (n int, ok bool) {
	if s == "" || len(s) > most || s[0] == '0' {
		return 0, false
	}
	for i := 0; i < len(s); i++ {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// word says whether s is one part of an id: not empty, no hyphen, no slash.
func word(s string) bool { return s != "" && !strings.ContainsAny(s, "-/") }
