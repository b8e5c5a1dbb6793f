package markdown

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxFormula bounds, in bytes, how far a closing mark is looked for.
const maxFormula = 8 << 10

// mathParser reads a formula in a line of text: $…$, $$…$$, \(…\) and \[…\].
type mathParser struct{}

func (mathParser) Trigger() []byte { return []byte{'$', '\\'} }

func (mathParser) Parse(_ ast.Node, block gtext.Reader, _ parser.Context) ast.Node {
	before := block.PrecendingCharacter()
	line, _ := block.PeekLine()
	if len(line) < 3 {
		return nil
	}
	closer, display := "", false
	switch {
	case line[0] == '\\' && line[1] == '(':
		closer = `\)`
	case line[0] == '\\' && line[1] == '[':
		closer, display = `\]`, true
	case line[0] == '\\':
		return nil
	case line[1] == '$':
		closer, display = "$$", true
	default:
		if opensNoMath(before, line) {
			return nil
		}
		closer = "$"
	}
	opener := min(len(closer), 2)
	block.Advance(opener)
	tex, after, ok := readFormula(block, closer)
	if !ok || closer == "$" && !isMath(tex, after) {
		return nil
	}
	return &mathSpan{tex: tex, display: display}
}

// readFormula reads up to closer, and past it; after is what follows it on its line.
func readFormula(block gtext.Reader, closer string) (tex string, after []byte, ok bool) {
	var b strings.Builder
	for b.Len() < maxFormula {
		line, _ := block.PeekLine()
		if line == nil {
			return "", nil, false
		}
		if i := findCloser(line, closer); i >= 0 {
			b.Write(line[:i])
			block.Advance(i + len(closer))
			tex = b.String()
			return tex, line[i+len(closer):], strings.TrimSpace(tex) != ""
		}
		b.Write(line)
		block.AdvanceLine()
	}
	return "", nil, false
}

// findCloser is the index of closer in line where no backslash stands before
// it, or -1.
func findCloser(line []byte, closer string) int {
	for i := 0; i+len(closer) <= len(line); i++ {
		if string(line[i:i+len(closer)]) == closer {
			return i
		}
		if line[i] == '\\' {
			i++
		}
	}
	return -1
}

// opensNoMath: after a letter or digit (US$5), or before a space ($ 5), a
// dollar sign is money.
func opensNoMath(before rune, line []byte) bool {
	return before == '$' || unicode.IsLetter(before) || unicode.IsDigit(before) || util.IsSpace(line[1])
}

// isMath tells $x+1$ from prices and shell variables: "$5 and $6", "$5 (US$)",
// "$HOME/$USER" are none, "the $n$th" is one.
func isMath(tex string, after []byte) bool {
	if util.IsSpace(tex[len(tex)-1]) {
		return false
	}
	marked := strings.ContainsAny(tex, `\^_=<>{}+|`)
	if r, _ := utf8.DecodeRune(after); len(after) > 0 {
		if unicode.IsDigit(r) {
			return false
		}
		if unicode.IsLetter(r) && (unicode.IsUpper(r) || len(tex) > 3 && !marked) {
			return false
		}
	}
	if first := tex[0]; first >= '0' && first <= '9' || first == '-' || first == '.' {
		return marked || !strings.ContainsAny(tex, " \n\t")
	}
	return true
}

// mathBlockParser reads a formula on lines of its own: $$ or \[ at the start of
// a line, up to a line that ends with $$ or \]. A blank line before that, or
// text after the mark, and it is a paragraph like any other.
type mathBlockParser struct{}

func (mathBlockParser) Trigger() []byte { return []byte{'$', '\\'} }

func (mathBlockParser) Open(_ ast.Node, r gtext.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, segment := r.PeekLine()
	at := pc.BlockOffset()
	if at < 0 || at+2 > len(line) {
		return nil, parser.NoChildren
	}
	n := &mathBlock{opener: string(line[at : at+2])}
	rest := bytes.TrimSpace(line[at+2:])
	switch n.opener {
	case "$$":
	case `\[`:
		if i := bytes.IndexByte(rest, ']'); i >= 0 && (i == 0 || rest[i-1] != '\\') {
			return nil, parser.NoChildren // an escaped bracket, as in \[not a link]
		}
	default:
		return nil, parser.NoChildren
	}
	if i := findCloser(rest, n.closer()); i >= 0 {
		if i+2 < len(rest) || i == 0 {
			return nil, parser.NoChildren
		}
		n.closed = true
	}
	n.Lines().Append(segment)
	r.AdvanceToEOL()
	return n, parser.NoChildren
}

func (n *mathBlock) closer() string {
	if n.opener == "$$" {
		return "$$"
	}
	return `\]`
}

func (mathBlockParser) Continue(node ast.Node, r gtext.Reader, _ parser.Context) parser.State {
	n := node.(*mathBlock)
	line, segment := r.PeekLine()
	if n.closed || util.IsBlank(line) {
		return parser.Close
	}
	n.Lines().Append(segment)
	r.AdvanceToEOL()
	if i := findCloser(line, n.closer()); i >= 0 {
		n.closed = util.IsBlank(line[i+2:])
		return parser.Close
	}
	return parser.Continue | parser.NoChildren
}

// Close sets the formula, or puts a paragraph in the place of one that has no
// end.
func (mathBlockParser) Close(node ast.Node, r gtext.Reader, _ parser.Context) {
	n, src := node.(*mathBlock), r.Source()
	if n.closed {
		tex := strings.TrimSpace(string(n.Lines().Value(src)))
		n.tex = strings.TrimSpace(tex[2 : len(tex)-2])
		if n.tex != "" {
			return
		}
	}
	p := ast.NewParagraph()
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		p.Lines().Append(line.TrimLeftSpace(src))
	}
	last := p.Lines().Len() - 1
	end := p.Lines().At(last)
	p.Lines().Set(last, end.TrimRightSpace(src))
	p.SetBlankPreviousLines(n.HasBlankPreviousLines())
	n.Parent().ReplaceChild(n.Parent(), n, p)
}

func (mathBlockParser) CanInterruptParagraph() bool { return true }
func (mathBlockParser) CanAcceptIndentedLine() bool { return false }

// drawMath puts the formula into frame, as its source when it is not TeX that
// this package reads.
func drawMath(tex string, display bool, frame Node) Node {
	math, ok := texToMath(tex, display)
	if !ok {
		math = el("code", "md-tex", textNodes(strings.TrimSpace(tex), true)...)
	}
	frame.Kids = append(frame.Kids, math)
	return frame
}
