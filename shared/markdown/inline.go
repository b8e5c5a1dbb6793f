package markdown

import (
	"strings"

	"github.com/yuin/goldmark/ast"
	east "github.com/yuin/goldmark/extension/ast"
)

func (d *builder) inlines(parent ast.Node) []Node {
	return coalesce(d.appendInlines(nil, parent))
}

func (d *builder) appendInlines(kids []Node, parent ast.Node) []Node {
	for c := parent.FirstChild(); c != nil; c = c.NextSibling() {
		kids = d.inline(kids, c)
	}
	return kids
}

// inline appends what n draws to kids.
func (d *builder) inline(kids []Node, n ast.Node) []Node {
	d.count()
	switch n := n.(type) {
	case *ast.Text:
		return d.text(kids, n)
	case *ast.String:
		return appendText(kids, string(n.Value), false)
	case *ast.CodeSpan:
		return append(kids, d.codeSpan(n))
	case *ast.RawHTML:
		return appendText(kids, string(n.Segments.Value(d.src)), false)
	case *ast.AutoLink:
		return append(kids, d.autoLink(n))
	case *east.TaskCheckBox:
		return append(kids, checkBox(n.IsChecked))
	case *lineBreak:
		return append(kids, el("br", ""))
	case *mathSpan:
		return append(kids, drawMath(n.tex, n.display, el("span", "md-math")))
	case *footnoteRef:
		return append(kids, d.footnoteRef(n))
	case *ast.Image:
		return append(kids, d.image(n))
	}
	if d.deep >= maxInlineDeep {
		return d.appendInlines(kids, n)
	}
	d.deep++
	defer func() { d.deep-- }()
	switch n := n.(type) {
	case *ast.Emphasis:
		tag := "em"
		if n.Level >= 2 {
			tag = "strong"
		}
		return append(kids, el(tag, "", d.inlines(n)...))
	case *east.Strikethrough:
		return append(kids, el("del", "", d.inlines(n)...))
	case *ast.Link:
		return append(kids, link("", unescape(n.Destination), unescape(n.Title), d.inlines(n)))
	}
	return d.appendInlines(kids, n)
}

func (d *builder) text(kids []Node, n *ast.Text) []Node {
	raw := n.Segment.Value(d.src)
	s := ""
	if n.IsRaw() {
		s = string(raw)
	} else {
		s = unescape(raw)
	}
	kids = appendText(kids, s, false)
	switch {
	case n.HardLineBreak():
		kids = append(kids, el("br", ""))
	case n.SoftLineBreak():
		kids = appendText(kids, "\n", false)
	}
	return kids
}

func (d *builder) codeSpan(n *ast.CodeSpan) Node {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if t, ok := c.(*ast.Text); ok {
			b.Write(t.Segment.Value(d.src))
		}
	}
	s := strings.ReplaceAll(b.String(), "\n", " ")
	return el("code", "", textNodes(s, true)...)
}

func (d *builder) autoLink(n *ast.AutoLink) Node {
	label, dest := string(n.Label(d.src)), string(n.URL(d.src))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(dest), "mailto:") {
		dest = "mailto:" + dest
	}
	shown := textNodes(label, false)
	if _, ok := LinkAddress(dest); !ok {
		return el("span", "md-no-link", shown...)
	}
	return link("", dest, "", shown)
}

// image draws a link to the picture: to fetch one would tell its host who
// reads the answer, and when.
func (d *builder) image(n *ast.Image) Node {
	dest := unescape(n.Destination)
	alt := textNodes(strings.TrimSpace(d.plain(n)), false)
	if len(alt) == 0 {
		alt = textNodes("image", false)
	}
	return link("md-image", dest, unescape(n.Title), alt)
}

// plain is the text below n, without its marks.
func (d *builder) plain(n ast.Node) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		d.count()
		if t, ok := c.(*ast.Text); ok {
			b.WriteString(unescape(t.Segment.Value(d.src)))
			if t.SoftLineBreak() || t.HardLineBreak() {
				b.WriteByte(' ')
			}
			continue
		}
		b.WriteString(d.plain(c))
	}
	return b.String()
}

func checkBox(checked bool) Node {
	mark, state := "☐", "not done"
	if checked {
		mark, state = "☑", "done"
	}
	return el("span", "md-check", text(mark)).with("role", "img").with("aria-label", state)
}
