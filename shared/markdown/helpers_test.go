package markdown

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	gtext "github.com/yuin/goldmark/text"

	"github.com/yuin/goldmark/parser"
)

// show writes nodes the way HTML would look, for tests to read.
func show(nodes []Node) string {
	var b strings.Builder
	for _, n := range nodes {
		if n.Tag == "" {
			b.WriteString(strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(n.Text))
			continue
		}
		b.WriteString("<" + n.Tag)
		if n.Class != "" {
			b.WriteString("." + strings.ReplaceAll(n.Class, " ", "."))
		}
		for _, a := range n.Attrs {
			fmt.Fprintf(&b, " %s=%q", a.Name, a.Value)
		}
		b.WriteString(">" + show(n.Kids) + "</" + n.Tag + ">")
	}
	return b.String()
}

// noteRef and noteOf are a footnote's reference and the note, as show writes
// them; again is what the id of a second reference ends with.
func noteRef(n int, again string) string {
	return fmt.Sprintf(`<sup.md-note-ref><a.md-note id="ref-%d%s" href="#note-%d" aria-label="Footnote %d">%d</a></sup>`, n, again, n, n, n)
}

func noteOf(n int, before, after string) string {
	return fmt.Sprintf(`<li id="note-%d" tabindex="-1">%s <a.md-note.md-note-back href="#ref-%d" aria-label="Back to the text">↩</a>%s</li>`, n, before, n, after)
}

// textOf is what a page's textContent would be.
func textOf(nodes []Node) string {
	var b strings.Builder
	for _, n := range nodes {
		b.WriteString(n.Text)
		b.WriteString(textOf(n.Kids))
	}
	return b.String()
}

func joined(blocks []Block) []Node {
	var out []Node
	for _, b := range blocks {
		out = append(out, b.Nodes...)
	}
	return out
}

func render(src string) []Node { return joined(new(Renderer).Render(src)) }

// renderAtOnce draws a document from one parse of the whole, without this
// package's division into pieces: what every division must be equal to.
func renderAtOnce(src string) []Node {
	r := new(Renderer)
	r.Prepare()
	b, _ := appendLines(nil, src, false)
	refs := references{}
	doc := r.full.Parse(gtext.NewReader(b), parser.WithContext(newContext(refs, refs, nil)))
	d := &builder{src: b, left: 1 << 30}
	return d.blocks(doc)
}

// check fails the test if nodes hold anything that Allowed refuses or that the
// page could not set as it is.
func check(t testing.TB, nodes []Node) {
	t.Helper()
	for _, n := range nodes {
		if n.Tag == "" {
			if n.Class != "" || len(n.Attrs) > 0 || len(n.Kids) > 0 {
				t.Fatalf("a text node with more than text: %+v", n)
			}
			if n.Text == "" {
				t.Fatalf("an empty text node")
			}
			for _, r := range n.Text {
				if r == 0 || showsItsName(r, false) {
					t.Fatalf("text holds %U: %q", r, n.Text)
				}
			}
			if !strings.EqualFold(strings.ToValidUTF8(n.Text, "!"), n.Text) {
				t.Fatalf("text is not UTF-8: %q", n.Text)
			}
			continue
		}
		if n.Text != "" {
			t.Fatalf("an element with text of its own: %+v", n)
		}
		if !Allowed(n.Tag, "") {
			t.Fatalf("element %q is not allowed", n.Tag)
		}
		if strings.Trim(n.Class, "abcdefghijklmnopqrstuvwxyz0123456789- ") != "" {
			t.Fatalf("class %q", n.Class)
		}
		for _, a := range n.Attrs {
			if !Allowed(n.Tag, a.Name) {
				t.Fatalf("attribute %q on %q is not allowed", a.Name, n.Tag)
			}
			if strings.ContainsFunc(a.Value, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || showsItsName(r, true) }) {
				t.Fatalf("attribute %s=%q", a.Name, a.Value)
			}
			if a.Name == "href" {
				checkLink(t, n, a.Value)
			}
			if a.Name == "id" && !noteID.MatchString(a.Value) {
				t.Fatalf("the id %q is none of a footnote's", a.Value)
			}
		}
		check(t, n.Kids)
	}
}

var (
	noteLink = regexp.MustCompile(`^#(note|ref)-\d+$`)
	noteID   = regexp.MustCompile(`^(note-\d+|ref-\d+(-\d+)?)$`)
)

func checkLink(t testing.TB, n Node, href string) {
	t.Helper()
	if noteLink.MatchString(href) {
		if slices.ContainsFunc(n.Attrs, func(a Attr) bool { return a.Name == "target" || a.Name == "rel" }) {
			t.Fatalf("a footnote's link that leads out: %+v", n)
		}
		return
	}
	low := strings.ToLower(href)
	if !strings.HasPrefix(low, "http://") && !strings.HasPrefix(low, "https://") && !strings.HasPrefix(low, "mailto:") {
		t.Fatalf("a link to %q", href)
	}
	if !reflect.DeepEqual(n.Attrs[1:3], []Attr{{"rel", "noopener noreferrer"}, {"target", "_blank"}}) {
		t.Fatalf("a link without its attributes: %+v", n)
	}
}

// count is the number of nodes.
func count(nodes []Node) int {
	n := len(nodes)
	for _, k := range nodes {
		n += count(k.Kids)
	}
	return n
}

// A page does with blocks and tails what the browser does.
type page struct {
	closed []Node
	tail   []Node
	lines  []Node // coloured, in the open element
	open   string // the text after them
}

func (p *page) add(blocks []Block) { p.closed = append(p.closed, joined(blocks)...) }

func (p *page) show(t testing.TB, tail Tail) {
	if tail.Fresh {
		p.tail, p.lines, p.open = tail.Nodes, nil, ""
	}
	if tail.Text == "" && len(tail.Lines) == 0 {
		return
	}
	at := findOpen(p.tail)
	if at == nil {
		t.Fatalf("the tail has no element for %q", tail.Text)
	}
	if len(tail.Lines) > 0 {
		p.lines, p.open = append(p.lines, tail.Lines...), ""
	}
	p.open += tail.Text
	at.Kids = slices.Clone(p.lines)
	if p.open != "" {
		at.Kids = append(at.Kids, text(p.open))
	}
}

func findOpen(nodes []Node) *Node {
	for i := range nodes {
		if strings.Contains(" "+nodes[i].Class+" ", " "+OpenClass+" ") {
			return &nodes[i]
		}
		if n := findOpen(nodes[i].Kids); n != nil {
			return n
		}
	}
	return nil
}

// stream feeds parts to a Stream with a page and returns the page.
func stream(t testing.TB, parts []string) (p page, redraw bool) {
	t.Helper()
	s := new(Renderer).NewStream()
	for _, part := range parts {
		p.add(s.Append(part))
		p.show(t, s.Tail())
	}
	closed, redraw := s.Close()
	p.add(closed)
	p.show(t, s.Tail())
	if len(p.tail) > 0 {
		t.Fatalf("after Close the tail shows %q", show(p.tail))
	}
	return p, redraw
}

// cuts divides s into parts of n bytes.
func cuts(s string, n int) []string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

// everything has each feature once.
const everything = "# Title *one*\n\nA paragraph with **strong**, _em_, ~~struck~~, `code`, a [link](https://example.org/a?b=c \"t\"),\n" +
	"<https://example.org>, www.example.org, me@example.org, a hard  \nbreak, \\*escaped\\*, &copy; &#x41;.\n\n" +
	"Setext\n======\n\n- one\n- two\n  - three\n\n    more\n\n1. a\n2. b\n\n3. c\n\n- [x] done\n- [ ] open\n\n> quote\nlazy\n> > deeper\n\n***\n\n" +
	"| a | b | c |\n|:--|:-:|--:|\n| 1 | `x\\|y` | <br> |\n| short |\n\nText:\n```go\nfunc main() {\n\n\tprintln(\"hi\") // there\n}\n```\n~~~\nplain\n~~~\n\n    indented\n\n    code\n\n" +
	"Inline $x^2$ and \\(y_1\\), prices $5 and $6.\n\n$$\n\\frac{a}{b}\n$$\n\n\\[\n\\sum_{i=0}^n i\n\\]\n\nAfter.\n- list right after\n1. other list\n" +
	"<details>\n<summary>raw *html*</summary>\n\ninside\n</details>\n\n![alt *text*](https://example.org/i.png)\n\nfinal line"
