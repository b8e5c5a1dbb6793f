// Package fuzzy finds what somebody means who types some of its letters: [Rank]
// puts the choices of a palette in order, and [Pieces] cuts a text at the letters
// that were found.
package fuzzy

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Choice is a line that the palette can offer.
type Choice struct {
	Group string // the heading it stands under
	Name  string
	Note  string // beside the name, searched too but not marked: "responses", a date
	Keys  string // that do the same
	ID    string // what it is, for whoever offers it: unique in its group

	// Set by Rank: the places of the query's letters in Name, as pairs of byte
	// offsets, from and to, in order.
	Marks []int
	score int
}

// aWord is what a choice scores more, above all that Match gives, whose words
// begin with what was typed.
const aWord = 1 << 20

// Rank returns the choices that fit what was typed, the best first in each
// group, at most limit of each group. The groups are in the order in which they
// came, but those in which words begin with what was typed before those that
// only have its letters. An empty query takes all, as they came.
func Rank(all []Choice, query string, limit int) []Choice {
	var groups []string
	best := map[string][]Choice{}
	typed := strings.TrimSpace(query) != ""
	for _, c := range all {
		if !slices.Contains(groups, c.Group) {
			groups = append(groups, c.Group)
		}
		score, marks, ok := Match(query, c.Name)
		if !ok {
			if _, _, in := Match(query, c.Name+" "+c.Note+" "+c.Group); !in || !wordsIn(query, c.Name+" "+c.Note+" "+c.Group) {
				continue
			}
			score, marks = 0, nil
		}
		if typed && beginsWords(query, c.Name) {
			score += aWord
		}
		c.score, c.Marks = score, marks
		best[c.Group] = append(best[c.Group], c)
	}
	if typed {
		for _, found := range best {
			slices.SortStableFunc(found, func(a, b Choice) int { return cmp.Compare(b.score, a.score) })
		}
		var words, letters []string
		for _, g := range groups {
			if found := best[g]; len(found) > 0 && found[0].score >= aWord {
				words = append(words, g)
			} else {
				letters = append(letters, g)
			}
		}
		groups = append(words, letters...)
	}
	var out []Choice
	for _, g := range groups {
		found := best[g]
		out = append(out, found[:min(limit, len(found))]...)
	}
	return out
}

// beginsWords says that each word of the query begins one of the text.
func beginsWords(query, text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if !slices.ContainsFunc(words, func(in string) bool { return strings.HasPrefix(in, w) }) {
			return false
		}
	}
	return true
}

// wordsIn says that each word of the query is somewhere in the text.
func wordsIn(query, text string) bool {
	text = strings.ToLower(text)
	for _, w := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Match looks for the letters of query in text, in their order but not
// necessarily side by side, without regard to capitals; white space in query
// counts for nothing. The score is higher the more of them stand at beginnings
// of words and side by side; marks are their places, as pairs of byte offsets.
func Match(query, text string) (score int, marks []int, ok bool) {
	var want []rune
	for _, r := range query {
		if !unicode.IsSpace(r) {
			want = append(want, unicode.ToLower(r))
		}
	}
	if len(want) == 0 {
		return 0, nil, true
	}
	type place struct {
		r        rune
		from, to int
		start    bool // of a word
	}
	var in []place
	before := ' '
	for i, r := range text {
		start := !unicode.IsLetter(before) && !unicode.IsDigit(before) || unicode.IsUpper(r) && unicode.IsLower(before)
		in = append(in, place{unicode.ToLower(r), i, i + utf8.RuneLen(r), start})
		before = r
	}
	if len(in) > 400 {
		in = in[:400] // a title has at most 200
	}
	// score[i][j] is the best with want[:i+1] matched and want[i] at in[j]; 0
	// is none. from[i][j] is where want[i-1] was then.
	scores := make([][]int, len(want))
	from := make([][]int, len(want))
	for i, w := range want {
		scores[i], from[i] = make([]int, len(in)), make([]int, len(in))
		best, bestAt := 0, -1 // of the row above, left of j-1
		for j, p := range in {
			if i > 0 && j > 1 && scores[i-1][j-2] >= best && scores[i-1][j-2] > 0 {
				best, bestAt = scores[i-1][j-2], j-2
			}
			if p.r != w {
				continue
			}
			own := 1
			if p.start {
				own += 5
			}
			switch {
			case i == 0:
				scores[i][j], from[i][j] = own+max(0, 3-j/4), -1
			case j > 0 && scores[i-1][j-1] > 0 && scores[i-1][j-1]+8 >= best:
				scores[i][j], from[i][j] = scores[i-1][j-1]+8+own, j-1
			case bestAt >= 0:
				scores[i][j], from[i][j] = best+own, bestAt
			}
		}
	}
	last := len(want) - 1
	end := -1
	for j := range in {
		if scores[last][j] > score {
			score, end = scores[last][j], j
		}
	}
	if end < 0 {
		return 0, nil, false
	}
	for i := last; i >= 0; i-- {
		marks = append(marks, in[end].to, in[end].from)
		end = from[i][end]
	}
	slices.Reverse(marks)
	// What stands side by side is one mark.
	joined := marks[:2]
	for i := 2; i < len(marks); i += 2 {
		if joined[len(joined)-1] == marks[i] {
			joined[len(joined)-1] = marks[i+1]
		} else {
			joined = append(joined, marks[i], marks[i+1])
		}
	}
	return score, joined, true
}

// Piece is a part of a text that is marked or not.
type Piece struct {
	Text   string
	Marked bool
}

// Pieces cuts a text at its marks: pairs of byte offsets, in order. Marks that
// don't fit the text are left out.
func Pieces(text string, marks []int) []Piece {
	var out []Piece
	at := 0
	for i := 0; i+1 < len(marks); i += 2 {
		from, to := marks[i], marks[i+1]
		if from < at || to <= from || to > len(text) {
			continue
		}
		if from > at {
			out = append(out, Piece{Text: text[at:from]})
		}
		out = append(out, Piece{Text: text[from:to], Marked: true})
		at = to
	}
	if at < len(text) {
		out = append(out, Piece{Text: text[at:]})
	}
	return out
}
