package markdown

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// atom reads one character, group or command.
func (p *texParser) atom() atom {
	defer p.enter()()
	t := p.peek()
	if strings.HasPrefix(t, `\`) {
		p.next()
		return p.command(t[1:])
	}
	switch t {
	case "{":
		p.next()
		nodes := p.expr("")
		p.expect("}")
		return atom{Node: p.row(nodes)}
	case "~":
		p.next()
		return p.space("0.33em")
	}
	r, _ := utf8.DecodeRuneInString(t)
	if r >= '0' && r <= '9' || r == '.' {
		return atom{Node: p.number()}
	}
	p.next()
	switch {
	case unicode.IsLetter(r):
		return atom{Node: p.letter(r)}
	case strings.Contains("()[]|/", t):
		return atom{Node: p.leaf("mo", t).with("stretchy", "false")}
	case t == "-":
		return atom{Node: p.leaf("mo", "−")}
	case t == "*":
		return atom{Node: p.leaf("mo", "∗")}
	case strings.Contains("#$%&_", t):
		p.fail()
	case unicode.IsMark(r) || unicode.IsSymbol(r) || unicode.IsPunct(r):
		return atom{Node: p.leaf("mo", t)}
	}
	return atom{Node: p.leaf("mtext", t)}
}

// number joins digits, and a point or comma between digits.
func (p *texParser) number() Node {
	digit := func(i int) bool { return i < len(p.src) && p.src[i] >= '0' && p.src[i] <= '9' }
	start := p.pos
	for digit(p.pos) || p.pos < len(p.src) && p.src[p.pos] == '.' && digit(p.pos+1) {
		p.pos++
	}
	if p.pos == start {
		p.pos++
		return p.leaf("mo", ".")
	}
	s := p.src[start:p.pos]
	if p.variant != "" {
		s = inAlphabet(p.variant, s)
	}
	return p.leaf("mn", s)
}

func (p *texParser) letter(r rune) Node {
	if p.variant == "" {
		return p.leaf("mi", string(r))
	}
	n := p.leaf("mi", inAlphabet(p.variant, string(r)))
	if p.variant == "rm" {
		n = n.with("mathvariant", "normal")
	}
	return n
}

func (p *texParser) space(width string) atom {
	return atom{Node: p.el("mspace").with("width", width)}
}

// command reads what follows the command name, without its backslash.
func (p *texParser) command(name string) atom {
	if s, ok := texSymbols()[name]; ok {
		return p.symbol(s)
	}
	if w, ok := texSpaces[name]; ok {
		return p.space(w)
	}
	if v, ok := texAlphabets[name]; ok {
		return p.inVariant(v)
	}
	if mark, ok := texAccents[name]; ok {
		base := p.argument()
		return atom{Node: p.el("mover", base, p.leaf("mo", mark)).with("accent", "true")}
	}
	if s, ok := texStretched[name]; ok {
		return p.stretched(s)
	}
	if size, ok := texSizes[strings.TrimRight(name, "lrm")]; ok && len(name) <= len("biggl") {
		return atom{Node: p.delimiter().with("minsize", size)}
	}
	if texIgnored[name] {
		return atom{none: true}
	}
	if a, ok := p.withArguments(name); ok {
		return a
	}
	n := p.leaf("mtext", `\`+name)
	n.Class = "md-tex-unknown"
	return atom{Node: n}
}

// withArguments reads the commands that take arguments, each in its own way.
func (p *texParser) withArguments(name string) (atom, bool) {
	switch name {
	case "frac", "dfrac", "tfrac", "cfrac", "binom", "dbinom", "tbinom":
		return p.fraction(name), true
	case "sqrt":
		return p.root(), true
	case "left":
		return p.fenced(), true
	case "begin":
		return p.environment(), true
	case "text", "textrm", "textbf", "textit", "texttt", "textsf", "textnormal", "mbox", "intertext":
		return p.textCommand(), true
	case "operatorname":
		return p.operatorName(), true
	case "overset", "underset", "stackrel":
		return p.stacked(name), true
	case "xrightarrow", "xleftarrow":
		return p.arrow(name), true
	case "not":
		return p.negated(), true
	case "pmod", "bmod", "mod":
		return p.modulo(name), true
	case "displaystyle", "textstyle":
		return p.style(name), true
	case "label", "hspace", "vspace", "color":
		p.raw()
		return atom{none: true}, true
	case "textcolor":
		p.raw()
		return atom{Node: p.argument()}, true
	case "tag":
		return atom{Node: p.leaf("mtext", "\u2003("+p.raw()+")")}, true
	case "substack":
		p.expect("{")
		n := p.rows("md-rows")
		p.expect("}")
		return atom{Node: n}, true
	case "phantom":
		return atom{Node: p.el("mphantom", p.argument())}, true
	case "boxed":
		n := p.el("mrow", p.argument())
		n.Class = "md-boxed"
		return atom{Node: n}, true
	case "overline", "underline":
		n := p.el("mrow", p.argument()) // the style sheet's line fits without a mathematical font
		n.Class = "md-" + name
		return atom{Node: n}, true
	case "mathop":
		return atom{Node: p.argument(), limits: true}, true
	case "mathbin", "mathrel", "mathord", "cancel":
		return atom{Node: p.argument()}, true
	}
	return atom{}, false
}

func (p *texParser) symbol(s texSymbol) atom {
	switch s.kind {
	case 'f': // a function's name, upright
		n := p.leaf("mi", s.text)
		return atom{Node: n, name: true}
	case 'l': // a function with limits below it
		return atom{Node: p.leaf("mo", s.text).with("movablelimits", "true"), limits: true}
	case 'b': // a big operator
		return atom{Node: p.leaf("mo", s.text).with("largeop", "true").with("movablelimits", "true"), limits: true}
	case 'i': // an integral, its limits beside it
		return atom{Node: p.leaf("mo", s.text).with("largeop", "true")}
	case 'd': // a fence that does not grow by itself
		return atom{Node: p.leaf("mo", s.text).with("stretchy", "false")}
	case 'v': // a letter
		if p.variant != "" {
			return atom{Node: p.leaf("mi", inAlphabet(p.variant, s.text))}
		}
		return atom{Node: p.leaf("mi", s.text)}
	}
	return atom{Node: p.leaf("mo", s.text)}
}

func (p *texParser) inVariant(v string) atom {
	was := p.variant
	p.variant = v
	defer func() { p.variant = was }()
	return atom{Node: p.words(p.argument(), v)}
}

// words joins the letters of \mathrm{max} to one upright name.
func (p *texParser) words(n Node, v string) Node {
	if v != "rm" || n.Tag != "mrow" {
		return n
	}
	name := ""
	for _, k := range n.Kids {
		if k.Tag != "mi" || len(k.Kids) != 1 {
			return n
		}
		name += k.Kids[0].Text
	}
	if utf8.RuneCountInString(name) < 2 {
		return n
	}
	return p.leaf("mi", name)
}

type stretched struct {
	mark  string
	over  bool
	brace bool // scripts go beside the mark, not the base
}

func (p *texParser) stretched(s stretched) atom {
	base := p.argument()
	mark := p.leaf("mo", s.mark).with("stretchy", "true")
	if s.over {
		return atom{Node: p.el("mover", base, mark).with("accent", "true"), limits: s.brace}
	}
	return atom{Node: p.el("munder", base, mark).with("accentunder", "true"), limits: s.brace}
}

// delimiter reads what \left, \right and \big take.
func (p *texParser) delimiter() Node {
	t := p.next()
	switch {
	case t == "":
		p.fail()
	case t == ".":
		t = ""
	case t == "<":
		t = "⟨"
	case t == ">":
		t = "⟩"
	case strings.HasPrefix(t, `\`):
		s, ok := texSymbols()[t[1:]]
		if !ok {
			p.fail()
		}
		t = s.text
	case !strings.Contains("()[]|/.", t):
		p.fail()
	}
	return p.leaf("mo", t).with("stretchy", "true").with("fence", "true")
}

// fenced reads what \left opened.
func (p *texParser) fenced() atom {
	kids := []Node{p.delimiter()}
	for {
		kids = append(kids, p.rows(""))
		if p.accept(`\middle`) {
			kids = append(kids, p.delimiter())
			continue
		}
		p.expect(`\right`)
		return atom{Node: p.el("mrow", append(kids, p.delimiter())...)}
	}
}

// environment reads \begin{name} … \end{name}.
func (p *texParser) environment() atom {
	name := p.raw()
	e, ok := texEnvironments[strings.TrimSuffix(name, "*")]
	if !ok {
		p.fail()
	}
	if e.columns {
		p.optional()
		p.raw()
	}
	table := p.rows(e.class)
	p.expect(`\end`)
	if p.raw() != name {
		p.fail()
	}
	if e.open == "" && e.close == "" {
		return atom{Node: table}
	}
	kids := []Node{table}
	if e.open != "" {
		kids = append([]Node{p.leaf("mo", e.open).with("fence", "true")}, kids...)
	}
	if e.close != "" {
		kids = append(kids, p.leaf("mo", e.close).with("fence", "true"))
	}
	return atom{Node: p.el("mrow", kids...)}
}

func (p *texParser) fraction(name string) atom {
	top, below := p.argument(), p.argument()
	frac := p.el("mfrac", top, below)
	switch name {
	case "binom", "dbinom", "tbinom":
		frac = frac.with("linethickness", "0")
		frac = p.el("mrow", p.leaf("mo", "("), frac, p.leaf("mo", ")"))
	}
	switch name[0] {
	case 'd', 'c':
		frac = p.el("mstyle", frac).with("displaystyle", "true").with("scriptlevel", "0")
	case 't':
		frac = p.el("mstyle", frac).with("displaystyle", "false").with("scriptlevel", "0")
	}
	return atom{Node: frac}
}

func (p *texParser) root() atom {
	index, ok := p.optional()
	base := p.argument()
	if ok {
		return atom{Node: p.el("mroot", base, index)}
	}
	return atom{Node: p.el("msqrt", base)}
}

// words in an upright or text style; a formula inside stays as it is written.
func (p *texParser) textCommand() atom {
	s := strings.NewReplacer(`\$`, "$", `\%`, "%", `\&`, "&", `\_`, "_", `\#`, "#", `\{`, "{", `\}`, "}", "~", "\u00a0").Replace(p.raw())
	if strings.HasPrefix(s, " ") {
		s = "\u00a0" + s[1:]
	}
	if strings.HasSuffix(s, " ") {
		s = s[:len(s)-1] + "\u00a0"
	}
	return atom{Node: p.leaf("mtext", s)}
}

func (p *texParser) operatorName() atom {
	limits := false
	if p.accept("*") {
		limits = true
	}
	name := strings.NewReplacer(`\,`, "\u2009", `\ `, " ", "{", "", "}", "").Replace(p.raw())
	if limits {
		return atom{Node: p.leaf("mo", name).with("movablelimits", "true"), limits: true}
	}
	return atom{Node: p.leaf("mi", name), name: true}
}

// stacked reads \overset{above}{base} and \underset{below}{base}.
func (p *texParser) stacked(name string) atom {
	mark, base := p.argument(), p.argument()
	if name == "underset" {
		return atom{Node: p.el("munder", base, mark)}
	}
	return atom{Node: p.el("mover", base, mark)}
}

func (p *texParser) arrow(name string) atom {
	arrow := "→"
	if name == "xleftarrow" {
		arrow = "←"
	}
	below, ok := p.optional()
	above := p.argument()
	mo := p.leaf("mo", arrow).with("stretchy", "true")
	if ok {
		return atom{Node: p.el("munderover", mo, below, above)}
	}
	return atom{Node: p.el("mover", mo, above)}
}

// negated draws \not and the symbol after it.
func (p *texParser) negated() atom {
	a := p.atom()
	if len(a.Kids) == 1 && a.Kids[0].Tag == "" {
		a.Kids[0].Text += "\u0338"
	}
	return a
}

func (p *texParser) modulo(name string) atom {
	if name == "bmod" {
		return atom{Node: p.leaf("mo", "mod").with("lspace", "0.22em").with("rspace", "0.22em")}
	}
	arg := p.argument()
	kids := []Node{p.el("mspace").with("width", "0.5em"), p.leaf("mi", "mod"), p.el("mspace").with("width", "0.3em"), arg}
	if name == "pmod" {
		kids = append([]Node{kids[0], p.leaf("mo", "(")}, append(kids[1:], p.leaf("mo", ")"))...)
	}
	return atom{Node: p.el("mrow", kids...)}
}
