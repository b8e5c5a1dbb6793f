package shown

import (
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A doc is a page as a browser has it, patched as its script does (web/shown.js).
type doc struct {
	t     testing.TB
	root  *xhtml.Node
	tails map[string]string
}

func newDoc(t testing.TB, page string) *doc {
	root, err := xhtml.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return &doc{t, root, map[string]string{}}
}

func find(n *xhtml.Node, is func(*xhtml.Node) bool) *xhtml.Node {
	if n.Type == xhtml.ElementNode && is(n) {
		return n
	}
	for k := n.FirstChild; k != nil; k = k.NextSibling {
		if f := find(k, is); f != nil {
			return f
		}
	}
	return nil
}

func attr(n *xhtml.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (d *doc) byID(id string) *xhtml.Node {
	return find(d.root, func(n *xhtml.Node) bool { return attr(n, "id") == id })
}

func (d *doc) main(name string) string { return attr(d.byID("main"), name) }

func elements(t testing.TB, source string) []*xhtml.Node {
	list, err := xhtml.ParseFragment(strings.NewReader(source), &xhtml.Node{Type: xhtml.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func empty(n *xhtml.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
}

// slice16 is the first n UTF-16 units of s.
func slice16(s string, n int) string {
	for i, r := range s {
		if n <= 0 {
			return s[:i]
		}
		if n--; r >= 0x10000 {
			n--
		}
	}
	return s
}

func (d *doc) apply(p patch) {
	text := func(i int) string { return p[i].(string) }
	n := d.byID(text(1))
	rest := func() *xhtml.Node {
		return find(n, func(n *xhtml.Node) bool { return attr(n, "class") == "rest" })
	}
	switch kind := text(0); kind {
	case "put":
		holder, next := d.byID(text(2)), (*xhtml.Node)(nil)
		if n != nil {
			holder, next = n.Parent, n.NextSibling
			holder.RemoveChild(n)
		} else if text(3) != "" {
			next = d.byID(text(3))
		}
		if holder == nil {
			d.t.Fatalf("%v has no place", p)
		}
		for _, k := range elements(d.t, text(4)) {
			holder.InsertBefore(k, next)
		}
	case "drop":
		n.Parent.RemoveChild(n)
	case "add":
		for _, k := range elements(d.t, text(2)) {
			n.Parent.InsertBefore(k, n)
		}
	case "tail":
		was, known := d.tails[text(1)]
		if !known {
			was = attr(n, "data-html")
		}
		all := slice16(was, int(p[2].(float64))) + text(3)
		d.tails[text(1)] = all
		empty(n)
		for _, k := range elements(d.t, all) {
			n.AppendChild(k)
		}
	case "grow":
		d.tails[text(1)] = ""
		r := rest()
		for _, k := range elements(d.t, text(2)) {
			r.Parent.InsertBefore(k, r)
		}
		if p[3].(bool) {
			empty(r)
		}
		r.AppendChild(&xhtml.Node{Type: xhtml.TextNode, Data: text(4)})
	case "thought":
		n.AppendChild(&xhtml.Node{Type: xhtml.TextNode, Data: text(2)})
		fold := n.Parent
		fold.Attr = slices.DeleteFunc(fold.Attr, func(a xhtml.Attribute) bool { return a.Key == "hidden" })
	default:
		d.t.Fatalf("what is %v?", p)
	}
}

// text is what main shows as HTML, texts joined, and without what only the script
// reads.
func (d *doc) text() string {
	var b strings.Builder
	var write func(n *xhtml.Node)
	write = func(n *xhtml.Node) {
		if n.Type == xhtml.TextNode {
			b.WriteString(xhtml.EscapeString(n.Data))
			return
		}
		b.WriteString("<" + n.Data)
		for _, a := range n.Attr {
			if !strings.HasPrefix(a.Key, "data-html") && a.Key != "data-from" {
				b.WriteString(" " + a.Key + "=" + xhtml.EscapeString(a.Val))
			}
		}
		b.WriteString(">")
		for k := n.FirstChild; k != nil; k = k.NextSibling {
			write(k)
		}
		b.WriteString("</" + n.Data + ">")
	}
	if m := d.byID("main"); m != nil {
		write(m)
	}
	return b.String()
}
