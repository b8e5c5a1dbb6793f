package markdown

import (
	"github.com/yuin/goldmark/ast"
)

// Kinds of node that goldmark does not have.
var (
	kindLineBreak   = ast.NewNodeKind("LineBreak")
	kindMath        = ast.NewNodeKind("Math")
	kindMathBlock   = ast.NewNodeKind("MathBlock")
	kindFootnote    = ast.NewNodeKind("FootnoteDefinition")
	kindFootnoteRef = ast.NewNodeKind("FootnoteReference")
)

type lineBreak struct{ ast.BaseInline }

func newLineBreak() *lineBreak                { return &lineBreak{} }
func (*lineBreak) Kind() ast.NodeKind         { return kindLineBreak }
func (n *lineBreak) Dump(src []byte, lev int) { ast.DumpHelper(n, src, lev, nil, nil) }

// mathSpan is a formula in a line of text, shown in display style for $$ and \[.
type mathSpan struct {
	ast.BaseInline
	tex     string
	display bool
}

func (*mathSpan) Kind() ast.NodeKind         { return kindMath }
func (n *mathSpan) Dump(src []byte, lev int) { ast.DumpHelper(n, src, lev, nil, nil) }

// mathBlock is a formula on lines of its own. Its lines hold all its source;
// tex is set when it was closed.
type mathBlock struct {
	ast.BaseBlock
	opener string
	closed bool
	tex    string
}

func (*mathBlock) Kind() ast.NodeKind         { return kindMathBlock }
func (*mathBlock) IsRaw() bool                { return true }
func (n *mathBlock) Dump(src []byte, lev int) { ast.DumpHelper(n, src, lev, nil, nil) }

type footnote struct {
	ast.BaseBlock
	label string
}

func (*footnote) Kind() ast.NodeKind         { return kindFootnote }
func (n *footnote) Dump(src []byte, lev int) { ast.DumpHelper(n, src, lev, nil, nil) }

type footnoteRef struct {
	ast.BaseInline
	label string
}

func (*footnoteRef) Kind() ast.NodeKind         { return kindFootnoteRef }
func (n *footnoteRef) Dump(src []byte, lev int) { ast.DumpHelper(n, src, lev, nil, nil) }
