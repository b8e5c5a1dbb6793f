package review

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"screentest/shared/wire"
)

// offered is how many people a list offers at once.
const offered = 6

// Mention is what is being typed of a name after an @, up to the caret.
func Mention(before string) (query string, typing bool) {
	at := strings.LastIndexByte(before, '@')
	if at < 0 || !starts(before[:at]) {
		return "", false
	}
	query = before[at+1:]
	if utf8.RuneCountInString(query) > 40 || strings.ContainsRune(query, '\n') || strings.HasPrefix(query, " ") {
		return "", false
	}
	return query, true
}

// starts says whether a name may begin after this: not within a word, as in an
// e-mail address.
func starts(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before == "" || !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// Matches are the people whom a query may mean: a word of whose name begins so.
func Matches(people []wire.Mate, query string) []wire.Mate {
	query = strings.ToLower(query)
	var list []wire.Mate
	for _, p := range people {
		name := strings.ToLower(p.Name)
		if len(list) < offered && name != query && (strings.HasPrefix(name, query) || strings.Contains(name, " "+query)) {
			list = append(list, p)
		}
	}
	return list
}

// Complete puts a name in place of what was typed of it.
func Complete(before, after, name string) (string, string) {
	before = before[:strings.LastIndexByte(before, '@')+1] + name
	if !strings.HasPrefix(after, " ") {
		before += " "
	}
	return before, after
}

// Piece is a stretch of a comment: a name that is mentioned, or text.
type Piece struct {
	Text string
	Name bool
}

// Pieces are a text with the names of people in it.
func Pieces(text string, people []wire.Mate) []Piece {
	var list []Piece
	from := 0
	for at := range text {
		if at < from || text[at] != '@' || !starts(text[:at]) {
			continue
		}
		if name := nameAt(text[at+1:], people); name != "" {
			if at > from {
				list = append(list, Piece{Text: text[from:at]})
			}
			from = at + 1 + len(name)
			list = append(list, Piece{Text: text[at:from], Name: true})
		}
	}
	if from < len(text) {
		list = append(list, Piece{Text: text[from:]})
	}
	return list
}

// nameAt is the longest name with which a text begins, as it is written there.
func nameAt(text string, people []wire.Mate) string {
	longest := ""
	for _, p := range people {
		n := len(p.Name)
		if n <= len(longest) || len(text) < n || !strings.EqualFold(text[:n], p.Name) {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(text[n:]); n == len(text) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			longest = text[:n]
		}
	}
	return longest
}

// Mentioned are the ids of those whom a text names, at most MaxMentions. Of people
// of one name those are meant who were picked, else all.
func Mentioned(text string, people []wire.Mate, picked []string) []string {
	var ids []string
	for _, piece := range Pieces(text, people) {
		if !piece.Name {
			continue
		}
		var all, chosen []string
		for _, p := range people {
			if strings.EqualFold(p.Name, piece.Text[1:]) {
				all = append(all, p.ID)
				if slices.Contains(picked, p.ID) {
					chosen = append(chosen, p.ID)
				}
			}
		}
		if len(chosen) > 0 {
			all = chosen
		}
		for _, id := range all {
			if !slices.Contains(ids, id) && len(ids) < wire.MaxMentions {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
