package search

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"screentest/server/store/engine"
)

// Bounds of PostgreSQL's vectors: of the places in one, of those of one word, of a
// word and of all of them, in bytes. What is over one of them goes into the next
// piece, which begins with the last words of the one before, so that no phrase is
// cut.
const (
	maxPlaces     = 16000
	maxSamePlaces = 255
	maxWordBytes  = 1000
	maxPieceBytes = 500_000
)

// letters tell the columns apart in a vector: each word begins with that of its
// own. metaLetter is that of what a row is.
var letters = map[string]byte{"title": 't', "question": 'q', "answer": 'a', "tool": 'o', "error": 'e', "model": 'm'}

const metaLetter = '='

// lexeme is a word of a column as a vector, and a question to one, has it.
func lexeme(letter byte, word string) string {
	if len(word) > maxWordBytes {
		n := maxWordBytes
		for !utf8.RuneStart(word[n]) {
			n--
		}
		word = word[:n]
	}
	return "'" + string(letter) + strings.NewReplacer("'", "''", `\`, `\\`).Replace(word) + "'"
}

// anyOf is a question with or between its parts.
func anyOf(parts []string) string { return "(" + strings.Join(parts, " | ") + ")" }

// vectorQuery asks for rows that are like f.
func (f filter) vectorQuery() string {
	lists := make([]string, len(f))
	for i, words := range f {
		parts := make([]string, len(words))
		for k, w := range words {
			parts[k] = lexeme(metaLetter, w)
		}
		lists[i] = anyOf(parts)
	}
	return strings.Join(lists, " & ")
}

// vectorQueries ask for each phrase in one of columns.
func (l *lookup) vectorQueries(columns []string) (queries []string) {
	for _, p := range l.phrases {
		var parts []string
		for _, c := range columns {
			words := make([]string, len(p.folded))
			for i, w := range p.folded {
				words[i] = lexeme(letters[c], w)
			}
			if p.prefix && l.prefix {
				words[len(words)-1] += ":*"
			}
			parts = append(parts, "("+strings.Join(words, " <-> ")+")")
		}
		queries = append(queries, anyOf(parts))
	}
	return queries
}

// A piece is a part of a document in PostgreSQL's index.
type piece struct {
	row     int64
	at      int
	long    bool
	vectors string
}

// insertVectors puts docs into PostgreSQL's index.
func insertVectors(w *engine.Tx, docs []placed) error {
	var pieces []piece
	for _, d := range docs {
		list := d.vectors()
		for i, v := range list {
			pieces = append(pieces, piece{d.row, i, len(list) > 1, v})
		}
	}
	return insertMany(w, "search (n, piece, long, words)", pieces, func(p piece) []any {
		return []any{p.row, p.at, p.long, p.vectors}
	})
}

// vectors are d in as many pieces as it takes.
func (d placed) vectors() (list []string) {
	type column struct {
		letter byte
		words  []string
		next   int
	}
	columns := make([]*column, 0, len(letters))
	for name, text := range map[string]string{"title": d.title, "question": d.question, "answer": d.answer, "tool": d.tool, "error": d.errors, "model": d.model} {
		c := &column{letter: letters[name]}
		eachWord(text, func(w []byte, _, _ int) bool {
			c.words = append(c.words, string(w))
			return true
		})
		if len(c.words) > 0 {
			columns = append(columns, c)
		}
	}
	for {
		places, bytes, more := map[string][]int{}, 0, false
		for _, c := range columns {
			at := 0
			for c.next < len(c.words) && at < maxPlaces && bytes < maxPieceBytes {
				word := lexeme(c.letter, c.words[c.next])
				if len(places[word]) == maxSamePlaces {
					break
				}
				if places[word] == nil {
					bytes += len(word)
				}
				bytes += 2
				at++
				places[word] = append(places[word], at)
				c.next++
			}
			if c.next < len(c.words) {
				more = true
				// A piece that could take less than a phrase would never end.
				if at >= 2*maxPhrases {
					c.next -= maxPhrases - 1
				}
			}
		}
		var b strings.Builder
		for _, word := range strings.Fields(d.meta) {
			b.WriteString(lexeme(metaLetter, word) + " ")
		}
		for word, at := range places {
			b.WriteString(word)
			before := byte(':')
			for _, n := range at {
				b.WriteByte(before)
				b.WriteString(strconv.Itoa(n))
				before = ','
			}
			b.WriteByte(' ')
		}
		if list = append(list, b.String()); !more {
			return list
		}
	}
}
