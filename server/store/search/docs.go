package search

import (
	"encoding/hex"
	"hash/fnv"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// maxIndexed is how much of a text can be found, in bytes from its beginning.
const maxIndexed = 1 << 20

// perSecond is how many rows of the index one second has room for; further ones
// go to the seconds after it.
const perSecond = 1 << 16

// A doc is what of a message or a title can be found.
type doc struct {
	kinds                                        string // words of meta
	title, question, answer, tool, errors, model string
}

// Words of meta. The tokenizer takes letters and digits for words, so each is
// of these alone.
const (
	metaQuestion = "kquestion"
	metaAnswer   = "kanswer"
	metaTool     = "ktool"
	metaError    = "kerror"
	metaTitle    = "ktitle"
	metaVideo    = "kvideo"
)

func metaOwner(n int64) string { return "o" + strconv.FormatInt(n, 10) }

func metaConversation(n int64) string { return "c" + strconv.FormatInt(n, 10) }

func metaClip(n int64) string { return "v" + strconv.FormatInt(n, 10) }

func metaState(s wire.RunState) string { return "s" + metaHash(string(s)) }

func metaModel(id string) string { return "m" + metaHash(id) }

func metaHash(s string) string {
	h := fnv.New64a()
	h.Write([]byte(s))
	return hex.EncodeToString(h.Sum(nil))
}

// sentDoc is the doc of a message that was sent.
func sentDoc(m wire.Message) doc {
	if m.Role == "tool" {
		return doc{kinds: metaTool, tool: searchable(m.Tool + "\n" + m.Text)}
	}
	return doc{kinds: metaQuestion, question: searchable(m.Text)}
}

// answerDoc is the doc of an answer whose run r has ended.
func answerDoc(r wire.Run, text string) doc {
	d := doc{kinds: metaAnswer + " " + metaModel(r.Model) + " " + metaState(r.State),
		answer: searchable(text), tool: searchable(callsText(r.Calls)), errors: searchable(problemText(r.Problem)), model: r.Model}
	if r.Answered != r.Model {
		d.model += " " + r.Answered
	}
	if len(r.Calls) > 0 {
		d.kinds += " " + metaTool
	}
	if r.Problem != nil {
		d.kinds += " " + metaError
	}
	return d
}

// callsText is what of calls is searched and shown.
func callsText(calls []wire.ToolCall) string {
	parts := make([]string, len(calls))
	for i, c := range calls {
		parts[i] = c.Name + " " + c.Arguments
	}
	return strings.Join(parts, "\n")
}

// problemText is what of a problem is searched and shown.
func problemText(p *wire.Problem) string {
	if p == nil {
		return ""
	}
	return strings.TrimSpace(strings.Join([]string{p.Code, p.Message, p.Hint, p.Request}, " "))
}

// A placed doc has its row of the index.
type placed struct {
	row  int64
	meta string
	of   subject
	doc
}

// A subject is what a row of the index is about: a message, with an answer's
// run; a conversation, by its title; or a video task. What it isn't is 0.
type subject struct{ owner, conversation, message, run, video int64 }

// placeDoc gives a doc a row of the index, for a time in Unix milliseconds, and
// appends it to docs.
func placeDoc(w *engine.Tx, docs []placed, s subject, ms int64, d doc) ([]placed, error) {
	at, err := freeRow(w, docs, ms)
	if err != nil {
		return docs, err
	}
	meta := metaOwner(s.owner) + " "
	if s.conversation != 0 {
		meta += metaConversation(s.conversation) + " "
	}
	if s.video != 0 {
		meta += metaClip(s.video) + " "
	}
	return append(docs, placed{at, meta + d.kinds, s, d}), nil
}

// insertDocs puts docs into the index.
func insertDocs(w *engine.Tx, docs []placed) error {
	err := insertMany(w, "search_rows (n, owner, conversation, message, run, video)", docs, func(d placed) []any {
		return []any{d.row, d.of.owner, engine.OrNull(d.of.conversation), engine.OrNull(d.of.message), engine.OrNull(d.of.run), engine.OrNull(d.of.video)}
	})
	if err != nil {
		return err
	}
	if w.OnPostgres() {
		return insertVectors(w, docs)
	}
	return insertMany(w, "search (rowid, meta, title, question, answer, tool, error, model)", docs, func(d placed) []any {
		return []any{d.row, d.meta, d.title, d.question, d.answer, d.tool, d.errors, d.model}
	})
}

// insertMany inserts a row for each doc, many with one statement: at the beginning
// of each one FTS5 writes out what it has gathered, to be able to go back to there.
func insertMany[T any](w *engine.Tx, into string, docs []T, row func(T) []any) error {
	for _, size := range []int{indexStep, indexStep / 8, 1} {
		for len(docs) >= size {
			var args []any
			for _, d := range docs[:size] {
				args = append(args, row(d)...)
			}
			one := "(?" + strings.Repeat(", ?", len(args)/size-1) + ")"
			if _, err := w.Exec("INSERT INTO "+into+" VALUES "+one+strings.Repeat(", "+one, size-1), args...); err != nil {
				return err
			}
			docs = docs[size:]
		}
	}
	return nil
}

// freeRow finds a place in the index for a time: behind all of its second, those of
// docs among them.
func freeRow(w *engine.Tx, docs []placed, ms int64) (int64, error) {
	for at := rowOf(ms); ; at += perSecond {
		last := int64(-1)
		for _, d := range docs {
			if d.row >= at && d.row < at+perSecond {
				last = max(last, d.row)
			}
		}
		if last < 0 {
			if err := w.Scan("SELECT coalesce(max(n), ?1 - 1) FROM search_rows WHERE n >= ?1 AND n < ?1 + ?2", []any{at, perSecond}, &last); err != nil {
				return 0, err
			}
		}
		if last < at+perSecond-1 {
			return last + 1, nil
		}
	}
}

// rowOf is the first place in the index of a time's second.
func rowOf(ms int64) int64 { return ms / 1000 * perSecond }

// searchable prepares a text for the tokenizer. That takes a run of letters for
// a word, and there are scripts that put nothing between words: each character
// of those becomes a word of its own, and a word that is looked for a row of
// them.
func searchable(s string) string {
	if len(s) > maxIndexed {
		s = s[:maxIndexed]
	}
	if ascii(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + len(s)/4)
	for _, r := range s {
		if unspaced(r) {
			b.WriteByte(' ')
			b.WriteRune(r)
			b.WriteByte(' ')
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unspaced says that r is of a script that is written without spaces, or with
// words that grow together.
func unspaced(r rune) bool {
	return r >= 0x0e00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) &&
		(unicode.IsLetter(r) || unicode.IsNumber(r))
}
