package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// A piece is a run of source that can be drawn by itself: a top-level block,
// or two that goldmark makes of one paragraph.
type piece struct {
	start, end int
	kind       pieceKind
	note       string // the label of a footnote's definition
}

type pieceKind byte

const (
	flow  pieceKind = iota // anything else
	fence                  // fenced code, which has no bound on its size
	note                   // a footnote's definition, drawn at the end
)

// split finds the pieces of src, which ends at a line's end or at the end of
// the document, and how many of them no later line can change. Pieces cover src
// without a gap.
//
// It rests on CommonMark's structure: of a document's blocks only the last is
// open. So with whole lines only, every block but the last is final; the last
// is, too, when it ends by itself (a heading) or is of a kind that a blank line
// ends. A block's own source gives the same block again when it starts with a
// blank line before it or with a mark of its own; where it does not, it stays
// with the block before.
func (r *Renderer) split(src []byte, pc parser.Context) (pieces []piece, closed int) {
	doc := r.blocks.Parse(gtext.NewReader(src), parser.WithContext(pc))
	var last ast.Node
	for c := doc.FirstChild(); c != nil; c = c.NextSibling() {
		at := lineStart(src, position(c))
		kind, label := pieceOf(c)
		n := len(pieces)
		if n > 0 && (at <= pieces[n-1].start || !separate(src, at, last, c)) {
			pieces[n-1].kind = flow
			last = c
			continue
		}
		if n > 0 {
			pieces[n-1].end = at
		} else {
			at = 0
		}
		pieces = append(pieces, piece{start: at, kind: kind, note: label})
		last = c
	}
	n := len(pieces)
	if n == 0 {
		return nil, 0
	}
	pieces[n-1].end = len(src)
	if endsItself(last) || endsWithBlank(src) && endsAtBlank(last) {
		return pieces, n
	}
	return pieces, n - 1
}

func pieceOf(n ast.Node) (pieceKind, string) {
	switch n := n.(type) {
	case *ast.FencedCodeBlock:
		return fence, ""
	case *footnote:
		return note, n.label
	}
	return flow, ""
}

// position is an offset on n's first line, or -1.
func position(n ast.Node) int {
	if n.Kind() == east.KindTable && n.FirstChild() != nil {
		return n.FirstChild().Pos() // the table's own is its paragraph's
	}
	return n.Pos()
}

func lineStart(src []byte, at int) int {
	if at < 0 {
		return -1
	}
	return bytes.LastIndexByte(src[:min(at, len(src))], '\n') + 1
}

// separate reports whether next, whose first line starts at, can be drawn apart
// from the block before.
func separate(src []byte, at int, before, next ast.Node) bool {
	if at < 1 {
		return false
	}
	if util.IsBlank(src[lineStart(src, at-1):at]) {
		return true
	}
	switch next.Kind() {
	case ast.KindFencedCodeBlock, ast.KindList, ast.KindBlockquote, kindFootnote:
		return true
	}
	switch before.Kind() {
	case ast.KindFencedCodeBlock, ast.KindThematicBreak, kindMathBlock:
		return true
	}
	return false
}

// endsItself: nothing that follows n's last line belongs to it.
func endsItself(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindHeading, ast.KindThematicBreak, kindMathBlock:
		return true
	}
	return false
}

// endsAtBlank: n goes on over no blank line.
func endsAtBlank(n ast.Node) bool {
	switch n.Kind() {
	case ast.KindParagraph, ast.KindBlockquote, ast.KindLinkReferenceDefinition, east.KindTable:
		return true
	}
	return false
}

func endsWithBlank(src []byte) bool {
	end := len(src) - 1
	return end > 0 && src[end] == '\n' && util.IsBlank(src[lineStart(src, end):end+1])
}

// A fenceMark is the line that opened fenced code, and by it the line that
// ends it.
type fenceMark struct {
	char   byte
	length int
	indent int
	info   string
}

// fenceOf reads the first line of a piece that is fenced code.
func fenceOf(line []byte) (fenceMark, bool) {
	width, at := util.IndentWidth(line, 0)
	if width > 3 || at >= len(line) || line[at] != '`' && line[at] != '~' {
		return fenceMark{}, false
	}
	m := fenceMark{char: line[at], indent: width}
	end := at
	for end < len(line) && line[end] == m.char {
		end++
	}
	m.length = end - at
	m.info = unescape(bytes.TrimSpace(line[end:]))
	return m, m.length >= 3
}

// closedBy reports whether line, whole or not yet, is or can become the one
// that ends the code.
func (m fenceMark) closedBy(line []byte, whole bool) bool {
	width, at := util.IndentWidth(line, 0)
	if width > 3 {
		return false
	}
	end := at
	for end < len(line) && line[end] == m.char {
		end++
	}
	if !whole {
		return util.IsBlank(line[end:])
	}
	return end-at >= m.length && util.IsBlank(line[end:])
}
