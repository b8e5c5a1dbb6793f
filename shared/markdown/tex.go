package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on one formula; one that is over them is shown as its source.
const (
	maxTeXDeep  = 40
	maxTeXNodes = 4000
)

// texToMath turns a TeX formula, without its dollar signs, into a MathML
// element, and reports false when it can't: braces or environments that don't
// match, or a formula over the bounds. A command it does not know is shown by
// its name in its place. It reads what answers of models use: LaTeX's
// mathematics without packages beyond amsmath's common parts, and no macros,
// so the time is linear in the source.
func texToMath(tex string, display bool) (math Node, ok bool) {
	if len(tex) > maxFormula {
		return Node{}, false
	}
	p := &texParser{src: tex, display: display}
	defer func() {
		if r := recover(); r != nil {
			if _, mine := r.(texError); !mine {
				panic(r)
			}
			math, ok = Node{}, false
		}
	}()
	body := p.rows("")
	if p.peek() != "" {
		return Node{}, false
	}
	math = el("math", "", body)
	if display {
		math = math.with("display", "block")
	}
	return math, true
}

// texError ends the reading of a formula.
type texError struct{}

type texParser struct {
	src     string
	pos     int
	deep    int
	nodes   int
	display bool
	variant string // the alphabet of letters: \mathbf and its like
}

// An atom is what scripts attach to.
type atom struct {
	Node
	limits bool // scripts go below and above
	none   bool // nothing to show, as for \label
	name   bool // a function's name, set apart from its neighbours
}

func (p *texParser) fail() { panic(texError{}) }

// enter bounds the nesting; use as defer p.enter()().
func (p *texParser) enter() func() {
	if p.deep++; p.deep > maxTeXDeep {
		p.fail()
	}
	return func() { p.deep-- }
}

func (p *texParser) el(tag string, kids ...Node) Node {
	if p.nodes++; p.nodes > maxTeXNodes {
		p.fail()
	}
	return el(tag, "", kids...)
}

func (p *texParser) leaf(tag, s string) Node {
	if s == "" {
		return p.el(tag) // as for \left.
	}
	return p.el(tag, text(flatText(s, true)))
}

// peek is the next token, "" at the end: a command with its backslash, or one
// character. White space and comments are passed over.
func (p *texParser) peek() string {
	for p.pos < len(p.src) {
		r, n := utf8.DecodeRuneInString(p.src[p.pos:])
		switch {
		case unicode.IsSpace(r):
			p.pos += n
		case r == '%':
			end := strings.IndexByte(p.src[p.pos:], '\n')
			if end < 0 {
				end = len(p.src) - p.pos
			}
			p.pos += end
		case r == '\\':
			return p.src[p.pos : p.pos+commandLen(p.src[p.pos:])]
		default:
			return p.src[p.pos : p.pos+n]
		}
	}
	return ""
}

// commandLen is the length of the command that s starts with: letters, or one
// other character.
func commandLen(s string) int {
	n := 1
	for n < len(s) && isLetter(s[n]) {
		n++
	}
	if n == 1 && len(s) > 1 {
		_, size := utf8.DecodeRuneInString(s[1:])
		n += size
	}
	return n
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func (p *texParser) next() string {
	t := p.peek()
	p.pos += len(t)
	return t
}

// accept passes over t if it is next.
func (p *texParser) accept(t string) bool {
	if p.peek() == t {
		p.pos += len(t)
		return true
	}
	return false
}

func (p *texParser) expect(t string) {
	if !p.accept(t) {
		p.fail()
	}
}

// ends reports whether t ends a row of cells or what holds it.
func ends(t string) bool {
	switch t {
	case "", "}", "&", `\\`, `\cr`, `\right`, `\end`, `\middle`:
		return true
	}
	return false
}

// expr reads up to a token that ends it, or up to stop.
func (p *texParser) expr(stop string) []Node {
	defer p.enter()()
	var out []Node
	for {
		t := p.peek()
		if ends(t) || t == stop {
			return out
		}
		a := p.scripted()
		if a.none {
			continue
		}
		if a.name && len(out) > 0 && out[len(out)-1].Tag != "mo" {
			out = append(out, p.space("0.17em").Node)
		}
		out = append(out, a.Node)
		if t := p.peek(); a.name && !ends(t) && t != stop && t != "(" && t != "[" && t != `\left` {
			out = append(out, p.space("0.17em").Node)
		}
	}
}

// row joins nodes to one.
func (p *texParser) row(nodes []Node) Node {
	if len(nodes) == 1 {
		return nodes[0]
	}
	return p.el("mrow", nodes...)
}

// scripted reads an atom with its sub- and superscripts and primes.
func (p *texParser) scripted() atom {
	var base atom
	if t := p.peek(); t == "^" || t == "_" || t == "'" {
		base.Node = p.el("mrow")
	} else {
		base = p.atom()
	}
	var sub, sup []Node
	for {
		switch t := p.peek(); {
		case t == `\limits` && !base.none:
			p.next()
			base.limits = true
		case t == `\nolimits` && !base.none:
			p.next()
			base.limits = false
		case t == "'":
			primes := ""
			for p.accept("'") {
				primes += "′"
			}
			sup = append(sup, p.leaf("mo", primes))
		case t == "^":
			p.next()
			sup = append(sup, p.argument())
		case t == "_" && sub == nil:
			p.next()
			sub = append(sub, p.argument())
		case t == "_":
			p.fail() // a double subscript, as in TeX
		default:
			if base.none && (sub != nil || sup != nil) {
				base = atom{Node: p.el("mrow")}
			}
			return atom{Node: p.attach(base, sub, sup), none: base.none, name: base.name}
		}
	}
}

func (p *texParser) attach(base atom, sub, sup []Node) Node {
	one, low, both := "msup", "msub", "msubsup"
	if base.limits {
		one, low, both = "mover", "munder", "munderover"
	}
	switch {
	case sub == nil && sup == nil:
		return base.Node
	case sub == nil:
		return p.el(one, base.Node, p.row(sup))
	case sup == nil:
		return p.el(low, base.Node, p.row(sub))
	}
	return p.el(both, base.Node, p.row(sub), p.row(sup))
}

// argument reads a command's argument: a group in braces, or one atom.
func (p *texParser) argument() Node {
	defer p.enter()()
	if p.accept("{") {
		nodes := p.expr("")
		p.expect("}")
		return p.row(nodes)
	}
	t := p.peek()
	if ends(t) {
		p.fail()
	}
	if isDigit(t[0]) {
		p.next()
		return p.leaf("mn", inAlphabet(p.variant, t)) // \frac12 is a half
	}
	a := p.atom()
	if a.none {
		return p.el("mrow")
	}
	return a.Node
}

// optional reads an argument in brackets; ok is false when there is none.
func (p *texParser) optional() (Node, bool) {
	if !p.accept("[") {
		return Node{}, false
	}
	nodes := p.expr("]")
	p.expect("]")
	return p.row(nodes), true
}

// raw reads an argument in braces as it stands, for \text and for names.
func (p *texParser) raw() string {
	p.expect("{")
	depth, start := 1, p.pos
	for ; p.pos < len(p.src); p.pos++ {
		switch p.src[p.pos] {
		case '\\':
			p.pos++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				p.pos++
				return p.src[start : p.pos-1]
			}
		}
	}
	p.pos = len(p.src)
	p.fail()
	return ""
}

// rows reads cells and rows up to what ends them: one row of one cell is that
// cell's content, anything else a table.
func (p *texParser) rows(class string) Node {
	var trs []Node
	cells := []Node{}
	for {
		cells = append(cells, p.row(p.expr("")))
		switch t := p.peek(); t {
		case "&":
			p.next()
			continue
		case `\\`, `\cr`:
			p.next()
			if p.peek() == "[" { // \\[2pt]: the distance is the style sheet's
				p.skipDistance()
			}
		default:
			if len(trs) == 0 && len(cells) == 1 && class == "" {
				return cells[0]
			}
			if !(len(cells) == 1 && isEmpty(cells[0])) {
				trs = append(trs, p.tableRow(cells))
			}
			table := p.el("mtable", trs...)
			table.Class = class
			switch class {
			case "":
				table.Class = "md-rows"
			case "md-rows", "md-aligned":
				if p.display {
					table = table.with("displaystyle", "true")
				}
			}
			return table
		}
		trs = append(trs, p.tableRow(cells))
		cells = nil
	}
}

// skipDistance passes over [2pt]; a bracket with anything else stays.
func (p *texParser) skipDistance() {
	end := strings.IndexByte(p.src[p.pos:], ']')
	if end > 1 && end < 12 && strings.ContainsAny(p.src[p.pos+1:p.pos+2], "0123456789-.") {
		p.pos += end + 1
	}
}

func (p *texParser) tableRow(cells []Node) Node {
	tr := p.el("mtr")
	for _, c := range cells {
		tr.Kids = append(tr.Kids, p.el("mtd", c))
	}
	return tr
}

func isEmpty(n Node) bool { return n.Tag == "mrow" && len(n.Kids) == 0 }

// style reads the rest of a group in the style that \displaystyle sets.
func (p *texParser) style(name string) atom {
	nodes := p.expr("")
	s := p.el("mstyle", nodes...)
	if name == "displaystyle" {
		return atom{Node: s.with("displaystyle", "true").with("scriptlevel", "0")}
	}
	return atom{Node: s.with("displaystyle", "false").with("scriptlevel", "0")}
}
