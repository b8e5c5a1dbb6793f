package markdown

import (
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

// A builder turns goldmark's tree for one piece of source into Nodes.
type builder struct {
	src   []byte
	notes *notes
	left  int // nodes that may still be drawn
	deep  int // inline elements around the one that is drawn
}

// tooMany stops a drawing that goes over maxNodes.
type tooMany struct{}

func (d *builder) count() {
	if d.left--; d.left < 0 {
		panic(tooMany{})
	}
}

func (d *builder) blocks(parent ast.Node) []Node {
	var out []Node
	for c := parent.FirstChild(); c != nil; c = c.NextSibling() {
		out = d.block(out, c)
	}
	return out
}

// block appends what n draws to out.
func (d *builder) block(out []Node, n ast.Node) []Node {
	d.count()
	switch n := n.(type) {
	case *ast.Paragraph:
		return append(out, el("p", "", d.inlines(n)...))
	case *ast.TextBlock:
		return append(out, d.inlines(n)...)
	case *ast.Heading:
		return append(out, d.heading(n))
	case *ast.ThematicBreak:
		return append(out, el("hr", ""))
	case *ast.Blockquote:
		return append(out, el("blockquote", "", d.blocks(n)...))
	case *ast.List:
		return append(out, d.list(n))
	case *ast.FencedCodeBlock:
		var info []byte
		if n.Info != nil {
			info = n.Info.Segment.Value(d.src)
		}
		return append(out, drawCode(unescape(info), d.lines(n)))
	case *ast.CodeBlock:
		return append(out, drawCode("", d.lines(n)))
	case *east.Table:
		return append(out, d.table(n))
	case *mathBlock:
		return append(out, drawMath(n.tex, true, el("div", "md-math-block")))
	case *footnote, *ast.LinkReferenceDefinition:
		return out
	}
	return append(out, d.blocks(n)...)
}

// heading draws the document's first level as h3, below the page's own
// headings; the class keeps the author's level.
func (d *builder) heading(n *ast.Heading) Node {
	const below = 2
	tag := "h" + strconv.Itoa(min(n.Level+below, 6))
	return el(tag, "md-h"+strconv.Itoa(n.Level), d.inlines(n)...)
}

func (d *builder) list(n *ast.List) Node {
	out := el("ul", "")
	if n.IsOrdered() {
		out.Tag = "ol"
		if n.Start != 1 {
			out = out.with("start", strconv.Itoa(n.Start))
		}
	}
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		d.count()
		item := el("li", "", d.blocks(c)...)
		if isTask(c) {
			item.Class = "md-task"
		}
		out.Kids = append(out.Kids, item)
	}
	return out
}

func isTask(item ast.Node) bool {
	first := item.FirstChild()
	return first != nil && first.FirstChild() != nil && first.FirstChild().Kind() == east.KindTaskCheckBox
}

// table draws a table inside a region of its own that scrolls sideways and so
// must be reachable by keyboard.
func (d *builder) table(n *east.Table) Node {
	table := el("table", "")
	body := el("tbody", "")
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		tag, head := "td", row.Kind() == east.KindTableHeader
		if head {
			tag = "th"
		}
		tr := el("tr", "")
		for c := row.FirstChild(); c != nil; c = c.NextSibling() {
			d.count()
			cell := el(tag, "", d.inlines(c)...)
			if head {
				cell = cell.with("scope", "col")
			}
			if a := c.(*east.TableCell).Alignment; a != east.AlignNone {
				cell.Class = "md-" + a.String()
			}
			tr.Kids = append(tr.Kids, cell)
		}
		if head {
			table.Kids = append(table.Kids, el("thead", "", tr))
		} else {
			body.Kids = append(body.Kids, tr)
		}
	}
	if len(body.Kids) > 0 {
		table.Kids = append(table.Kids, body)
	}
	return el("div", "md-table", table).
		with("role", "region").with("tabindex", "0").with("aria-label", "Table")
}

// lines is the verbatim text of a code block.
func (d *builder) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(d.src))
	}
	return b.String()
}
