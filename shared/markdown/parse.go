package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Bounds on one document. Each keeps an input that a person would not write
// from costing more than a page of normal text; what is over one is still
// shown, as text.
const (
	maxBlock      = 128 << 10 // bytes of one top-level block other than fenced code
	maxNesting    = 48        // quotes, lists and items inside each other
	maxInlineDeep = 24        // emphasis and links inside each other
	maxBrackets   = 1024      // [ and ] in one paragraph, heading or cell
	maxEmphasis   = 2048      // runs of *, _ or ~ in one of these
	maxDollars    = 512       // possible starts of a formula in one of these
	maxCells      = 20_000    // cells of one table, with those that rows leave out
	maxNodes      = 60_000    // nodes drawn for one top-level block
)

// Keys under which goldmark's context keeps what this package's parsers need.
var (
	dollarKey   = parser.NewContextKey()
	bracketKey  = parser.NewContextKey()
	emphasisKey = parser.NewContextKey()
	strikeKey   = parser.NewContextKey()
	notesKey    = parser.NewContextKey()
)

// newParsers makes goldmark's parser for GFM with footnotes and formulas, and
// the same without inline parsing, to find where blocks end. HTML blocks are
// left out: their tags are text like any other, and Markdown between them is
// drawn.
func newParsers() (full, blocks parser.Parser) {
	p := util.Prioritized
	blockParsers := []util.PrioritizedValue{
		p(parser.NewSetextHeadingParser(), 100),
		p(parser.NewThematicBreakParser(), 200),
		p(nesting{parser.NewListParser()}, 300),
		p(parser.NewListItemParser(), 400),
		p(parser.NewCodeBlockParser(), 500),
		p(parser.NewATXHeadingParser(), 600),
		p(parser.NewFencedCodeBlockParser(), 700),
		p(mathBlockParser{}, 750),
		p(nesting{parser.NewBlockquoteParser()}, 800),
		p(footnoteParser{}, 999),
		p(parser.NewParagraphParser(), 1000),
	}
	transformers := []util.PrioritizedValue{
		p(definitions{parser.LinkReferenceParagraphTransformer}, 100),
		p(boundedTable{extension.NewTableParagraphTransformer()}, 200),
	}
	full = parser.NewParser(
		parser.WithBlockParsers(blockParsers...),
		parser.WithInlineParsers(
			p(extension.NewTaskCheckBoxParser(), 0),
			p(parser.NewCodeSpanParser(), 100),
			p(limited(mathParser{}, dollarKey, maxDollars), 150),
			p(footnoteRefParser{}, 190),
			p(limited(parser.NewLinkParser(), bracketKey, maxBrackets), 200),
			p(parser.NewAutoLinkParser(), 300),
			p(lineBreakParser{}, 390),
			p(parser.NewRawHTMLParser(), 400),
			p(limited(parser.NewEmphasisParser(), emphasisKey, maxEmphasis), 500),
			p(limited(extension.NewStrikethroughParser(), strikeKey, maxEmphasis), 500),
			p(extension.NewLinkifyParser(), 999),
		),
		parser.WithParagraphTransformers(transformers...),
		parser.WithASTTransformers(p(extension.NewTableASTTransformer(), 0)),
	)
	blocks = parser.NewParser(
		parser.WithBlockParsers(blockParsers...),
		parser.WithParagraphTransformers(transformers...),
	)
	return full, blocks
}

// nesting is a container's parser that opens none below maxNesting open
// blocks: a line of a hundred thousand > costs goldmark time by the square.
type nesting struct{ parser.BlockParser }

func (n nesting) Open(parent ast.Node, r gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxNesting {
		return nil, parser.NoChildren
	}
	return n.BlockParser.Open(parent, r, pc)
}

// limitedInline is an inline parser that gives up on a paragraph after so many
// tries, because pairing up brackets or delimiters takes time by the square.
type limitedInline struct {
	parser.InlineParser
	key parser.ContextKey
	max int
}

type tries struct {
	of ast.Node
	n  int
}

func limited(p parser.InlineParser, key parser.ContextKey, most int) parser.InlineParser {
	l := limitedInline{p, key, most}
	if _, ok := p.(parser.CloseBlocker); ok {
		return limitedCloser{l}
	}
	return l
}

func (l limitedInline) Parse(parent ast.Node, block gtext.Reader, pc parser.Context) ast.Node {
	t := pc.ComputeIfAbsent(l.key, func() any { return new(tries) }).(*tries)
	if t.of != parent {
		*t = tries{of: parent}
	}
	if t.n++; t.n > l.max {
		return nil
	}
	return l.InlineParser.Parse(parent, block, pc)
}

// limitedCloser keeps the inner parser's end-of-block work.
type limitedCloser struct{ limitedInline }

func (l limitedCloser) CloseBlock(parent ast.Node, block gtext.Reader, pc parser.Context) {
	l.InlineParser.(parser.CloseBlocker).CloseBlock(parent, block, pc)
}

// boundedTable leaves a paragraph as it is when its table would have more than
// maxCells cells: a short row is filled up to the header's width, so that few
// bytes could make millions of cells.
type boundedTable struct{ parser.ParagraphTransformer }

func (b boundedTable) Transform(node *ast.Paragraph, r gtext.Reader, pc parser.Context) {
	lines, src := node.Lines(), r.Source()
	columns := 0
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		if v := line.Value(src); isDelimiterRow(v) {
			columns = max(columns, bytes.Count(v, []byte{'|'})+1)
		}
	}
	if columns == 0 || columns*lines.Len() > maxCells {
		return
	}
	b.ParagraphTransformer.Transform(node, r, pc)
}

func isDelimiterRow(line []byte) bool {
	for _, c := range line {
		if c != '-' && c != '|' && c != ':' && !util.IsSpace(c) {
			return false
		}
	}
	return true
}

// definitions is goldmark's reader of link definitions. The text of a paragraph
// that goes on after them has no blank line before it, which goldmark leaves
// open: a list item that starts so would make its list loose, or not, by what
// stands before the list.
type definitions struct{ parser.ParagraphTransformer }

func (d definitions) Transform(node *ast.Paragraph, r gtext.Reader, pc parser.Context) {
	d.ParagraphTransformer.Transform(node, r, pc)
	if before := node.PreviousSibling(); before != nil && before.Kind() == ast.KindLinkReferenceDefinition {
		node.SetBlankPreviousLines(false)
	}
}

// lineBreakParser reads <br>, the one tag that is drawn, because answers use
// it for lines inside table cells.
type lineBreakParser struct{}

func (lineBreakParser) Trigger() []byte { return []byte{'<'} }

func (lineBreakParser) Parse(_ ast.Node, block gtext.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	for _, tag := range []string{"<br>", "<br/>", "<br />"} {
		if len(line) >= len(tag) && bytes.EqualFold(line[:len(tag)], []byte(tag)) {
			block.Advance(len(tag))
			return newLineBreak()
		}
	}
	return nil
}
