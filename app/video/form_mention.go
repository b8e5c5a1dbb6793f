package video

import (
	"strconv"
	"strings"
)

// Names are what a reference prompt may name: @Video1 for the first reference
// video, @Image1 for the first image (F145).
func (f *Form) Names() []string {
	var list []string
	for i := range links(f.draft.Videos) {
		list = append(list, "@Video"+strconv.Itoa(i+1))
	}
	for i := range links(f.draft.Images) {
		list = append(list, "@Image"+strconv.Itoa(i+1))
	}
	return list
}

// Mention finds the name that is being typed at the end of a text: it begins at
// the @, which stands at the text's start or after something that is no part of
// a word, as in an address.
func Mention(text string) (query string, typing bool) {
	at := strings.LastIndexByte(text, '@')
	if at < 0 || at > 0 && wordy(text[at-1]) {
		return "", false
	}
	query = text[at:]
	for i := 1; i < len(query); i++ {
		if !wordy(query[i]) {
			return "", false
		}
	}
	return query, true
}

func wordy(b byte) bool {
	return b >= '0' && b <= '9' || b|0x20 >= 'a' && b|0x20 <= 'z' || b >= 0x80
}

// MentionMatches are the names that begin with what is typed, in any case. A
// name that is typed whole matches nothing any more.
func MentionMatches(names []string, query string) []string {
	var list []string
	for _, n := range names {
		if len(query) < len(n) && strings.EqualFold(n[:len(query)], query) {
			list = append(list, n)
		}
	}
	return list
}

// Complete puts a name into a text whose caret is between before and after, in
// place of what is being typed of it, with spaces around it. It returns the
// new text before the caret and after it.
func Complete(before, after, name string) (string, string) {
	if query, typing := Mention(before); typing {
		before = before[:len(before)-len(query)]
	}
	if before != "" && !strings.ContainsAny(before[len(before)-1:], " \n\t([{\"'") {
		before += " "
	}
	before += name
	if after == "" || !strings.ContainsAny(after[:1], " \n\t,.;:!?)]}\"'") {
		before += " "
	}
	return before, after
}
