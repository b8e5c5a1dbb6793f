package strictjson

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// manyKeys is where looking through an object's keys one by one gives way to a
// map, so that an object of a stranger's making can't cost the square of its
// size.
const manyKeys = 16

// keys finds the keys of one object that clash.
type keys struct {
	folded map[string]string // folded → as first written
	exact  map[string]bool
}

// add takes the next key; members are those before it. A duplicate is named in
// preference to one that differs in case.
func (k *keys) add(members []Member, name string) (first string, clash bool) {
	if k.folded == nil && len(members) < manyKeys {
		for i := range members {
			if members[i].Name == name {
				return name, true
			}
			if !clash && SameButCase(members[i].Name, name) {
				first, clash = members[i].Name, true
			}
		}
		return first, clash
	}
	if k.folded == nil {
		k.folded = make(map[string]string, 2*manyKeys)
		k.exact = make(map[string]bool, 2*manyKeys)
		for i := range members {
			k.put(members[i].Name)
		}
	}
	if k.exact[name] {
		return name, true
	}
	first, clash = k.folded[fold(name)]
	k.put(name)
	return first, clash
}

func (k *keys) put(name string) {
	k.exact[name] = true
	if f := fold(name); k.folded[f] == "" {
		k.folded[f] = name
	}
}

// SameButCase says whether the standard decoder would take a for b: equal
// under simple Unicode folding, so that "ſeconds" is "seconds" too.
func SameButCase(a, b string) bool { return strings.EqualFold(a, b) }

// fold gives equal strings for all that are SameButCase.
func fold(s string) string {
	lower := true
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			lower = false
			break
		}
	}
	if lower {
		// 'k' and 's' also fold to a character beyond ASCII, but that one
		// folds back to them below.
		return s
	}
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		if least >= 'A' && least <= 'Z' {
			return least + ('a' - 'A')
		}
		return least
	}, s)
}
