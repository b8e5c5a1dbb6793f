package shown

import (
	"os"
	"slices"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"screentest/shared/markdown"
)

// drawn is the HTML of a text, as an answer's body has it.
func drawn(source string) string {
	var h html
	for _, b := range new(markdown.Renderer).Render(source) {
		h.nodes("t-", b.Nodes, nil)
	}
	return string(h)
}

// parsed is HTML as a browser reads it, as the nodes that it was written from.
func parsed(t *testing.T, source string) []markdown.Node {
	t.Helper()
	list, err := xhtml.ParseFragment(strings.NewReader(source), &xhtml.Node{Type: xhtml.ElementNode, Data: "div", DataAtom: atom.Div})
	if err != nil {
		t.Fatal(err)
	}
	var nodes func(first *xhtml.Node) []markdown.Node
	one := func(n *xhtml.Node) markdown.Node {
		if n.Type == xhtml.TextNode {
			return markdown.Node{Text: n.Data}
		}
		if n.Type != xhtml.ElementNode {
			t.Fatalf("a browser reads a node of type %d in %s", n.Type, source)
		}
		out := markdown.Node{Tag: n.Data, Kids: nodes(n.FirstChild)}
		for _, a := range n.Attr {
			if a.Key == "class" {
				out.Class = a.Val
			} else {
				out.Attrs = append(out.Attrs, markdown.Attr{Name: a.Key, Value: a.Val})
			}
		}
		return out
	}
	nodes = func(first *xhtml.Node) (out []markdown.Node) {
		for n := first; n != nil; n = n.NextSibling {
			out = append(out, one(n))
		}
		return out
	}
	var out []markdown.Node
	for _, n := range list {
		out = append(out, one(n))
	}
	return out
}

// joined puts texts beside each other together, which a browser does.
func joined(names string, list []markdown.Node) (out []markdown.Node) {
	for _, n := range list {
		if n.Tag == "" {
			if n.Text == "" {
				continue
			}
			if k := len(out); k > 0 && out[k-1].Tag == "" {
				out[k-1].Text += n.Text
				continue
			}
		}
		n.Kids = joined(names, n.Kids)
		attrs := n.Attrs
		n.Attrs = nil
		for _, a := range attrs {
			n.Attrs = append(n.Attrs, a.Named(names))
		}
		slices.SortFunc(n.Attrs, func(a, b markdown.Attr) int { return strings.Compare(a.Name, b.Name) })
		out = append(out, n)
	}
	return out
}

func same(a, b []markdown.Node) bool {
	return slices.EqualFunc(a, b, func(a, b markdown.Node) bool {
		return a.Tag == b.Tag && a.Class == b.Class && a.Text == b.Text && slices.Equal(a.Attrs, b.Attrs) && same(a.Kids, b.Kids)
	})
}

// asRead fails unless a browser reads of a text's HTML the nodes that the page
// makes of the text, and nothing else.
func asRead(t *testing.T, source string) {
	t.Helper()
	var nodes []markdown.Node
	for _, b := range new(markdown.Renderer).Render(source) {
		nodes = append(nodes, b.Nodes...)
	}
	got, want := parsed(t, drawn(source)), joined("t-", nodes)
	if !same(joined("", got), want) {
		t.Fatalf("%.2000q is written as\n%.4000s", source, drawn(source))
	}
}

const everything = "# A\n\npara *em* **strong** ~~gone~~ `code <b>` [link](https://example.com/?a=1&b=\"2\" \"ti\\\"tle\") ![pic](http://x.y/z)\n" +
	"<script>alert(1)</script> & &amp; <br> \u202e\x01\x00 [bad](javascript:alert(1)) [^n]\n\n- [x] done\n- [ ] not\n\n3. three\n4. four\n\n> quote\n\n" +
	"| a | b |\n|:-|-:|\n| 1 | `|` |\n\n```go\nfunc main() { println(\"<&>\") }\n```\n\n```\n\n\nplain\n```\n\n$$\\frac{a}{b} < \\sqrt{c}$$ and $x^2$\n\n[^n]: a *note*\n"

func TestWrittenAsThePageDraws(t *testing.T) {
	for _, source := range []string{
		everything, "", "</div></main><img src=x onerror=alert(1)>", "a\r\nb\rc", "```\"><script>\n</code></pre><script>x</script>\n```",
		"[x](<https://a.b/\"onmouseover=alert(1)>)", "`\n`", "    \n    indented\n", strings.Repeat(">", 300) + "deep",
	} {
		asRead(t, source)
	}
}

func TestGoldenHTML(t *testing.T) {
	const file = "testdata/everything.html"
	got := strings.ReplaceAll(drawn(everything), "><", ">\n<")
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("is\n%s", got)
	}
	for _, no := range []string{"<script", "href=\"javascript", "style=", "\x00"} {
		if strings.Contains(got, no) {
			t.Errorf("%q is in it", no)
		}
	}
}

func FuzzHTML(f *testing.F) {
	f.Add(everything)
	f.Add("<!-- --><![CDATA[ ]]><?x?>\n\n<textarea>\n</title><svg><math><mtext><table><style>")
	f.Add("$\\text{<script>}$ $$\\begin{cases} a & b \\\\ c & d \\end{cases}$$")
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) < 1<<14 {
			asRead(t, source)
		}
	})
}
