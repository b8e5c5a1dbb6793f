package markdown

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// NoteClass is the class of the links to a footnote and back.
const NoteClass = "md-note"

// maxLabel bounds a footnote's label in bytes.
const maxLabel = 100

// notes are a document's footnotes: which labels are defined, and the numbers
// that their references got, in the order of the text.
type notes struct {
	defined map[string]bool
	numbers map[string]int
	order   []string
	refs    map[string]int // how many there are so far, by label
}

func newNotes() *notes {
	return &notes{defined: map[string]bool{}, numbers: map[string]int{}, refs: map[string]int{}}
}

func (n *notes) number(label string) int {
	if v, ok := n.numbers[label]; ok {
		return v
	}
	n.order = append(n.order, label)
	n.numbers[label] = len(n.order)
	return len(n.order)
}

// noteLabel reads [^label] at the start of p: the label and its length, 0 for
// none. Labels differ in more than case.
func noteLabel(p []byte) (string, int) {
	if len(p) < 4 || p[0] != '[' || p[1] != '^' {
		return "", 0
	}
	end := bytes.IndexByte(p[:min(len(p), maxLabel+3)], ']')
	if end < 3 || bytes.ContainsAny(p[2:end], "[ \t\n") {
		return "", 0
	}
	return strings.ToLower(string(p[2:end])), end + 1
}

// footnoteParser reads a definition, [^label]: and what is indented below it,
// at the top level of a document.
type footnoteParser struct{}

func (footnoteParser) Trigger() []byte { return []byte{'['} }

func (footnoteParser) Open(parent ast.Node, r gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := r.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || parent.Kind() != ast.KindDocument {
		return nil, parser.NoChildren
	}
	label, n := noteLabel(line[at:])
	if n == 0 || at+n >= len(line) || line[at+n] != ':' {
		return nil, parser.NoChildren
	}
	r.Advance(at + n + 1)
	return &footnote{label: label}, parser.HasChildren
}

func (footnoteParser) Continue(_ ast.Node, r gtext.Reader, _ parser.Context) parser.State {
	line, _ := r.PeekLine()
	if util.IsBlank(line) {
		return parser.Continue | parser.HasChildren
	}
	at, padding := util.IndentPosition(line, r.LineOffset(), 4)
	if at < 0 {
		return parser.Close
	}
	r.AdvanceAndSetPadding(at, padding)
	return parser.Continue | parser.HasChildren
}

func (footnoteParser) Close(ast.Node, gtext.Reader, parser.Context) {}
func (footnoteParser) CanInterruptParagraph() bool                  { return true }
func (footnoteParser) CanAcceptIndentedLine() bool                  { return false }

// footnoteRefParser reads [^label] where label is defined.
type footnoteRefParser struct{}

func (footnoteRefParser) Trigger() []byte { return []byte{'['} }

func (footnoteRefParser) Parse(_ ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	known, _ := pc.Get(notesKey).(*notes)
	if known == nil {
		return nil
	}
	line, _ := block.PeekLine()
	label, n := noteLabel(line)
	if n == 0 || !known.defined[label] {
		return nil
	}
	block.Advance(n)
	return &footnoteRef{label: label}
}

// footnoteRef draws a reference: a link to its note, which leads back to the
// first of those to it. Their ids are the text's own: see Node.
func (d *builder) footnoteRef(n *footnoteRef) Node {
	number := strconv.Itoa(d.notes.number(n.label))
	id := "ref-" + number
	if d.notes.refs[n.label]++; d.notes.refs[n.label] > 1 {
		id += "-" + strconv.Itoa(d.notes.refs[n.label])
	}
	return el("sup", "md-note-ref", el("a", NoteClass, text(number)).
		with("id", id).with("href", "#note-"+number).with("aria-label", "Footnote "+number))
}

// noteItem is a note with its way back to the text, at the end of its last
// paragraph.
func noteItem(number int, kids []Node) Node {
	n := strconv.Itoa(number)
	back := el("a", NoteClass+" md-note-back", text("↩")).with("href", "#ref-"+n).with("aria-label", "Back to the text")
	if last := len(kids) - 1; last >= 0 && kids[last].Tag == "p" {
		kids[last].Kids = coalesce(append(kids[last].Kids, text(" "), back))
	} else {
		kids = append(kids, back)
	}
	return el("li", "", kids...).with("id", "note-"+n).with("tabindex", "-1")
}
