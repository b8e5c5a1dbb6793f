package markdown

import (
	"strings"
	"testing"
)

const linked = `rel="noopener noreferrer" target="_blank"`

func TestRender(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"paragraphs", "a\nb\n\nc", "<p>a\nb</p><p>c</p>"},
		{"hard breaks", "a  \nb\\\nc", "<p>a<br></br>b<br></br>c</p>"},
		{"headings start at h3 and stop at h6", "# a\n### b\n##### c", "<h3.md-h1>a</h3><h5.md-h3>b</h5><h6.md-h5>c</h6>"},
		{"underlined headings", "a\n=\n\nb\n-", "<h3.md-h1>a</h3><h4.md-h2>b</h4>"},
		{"emphasis", "*a* __b__ ***c***", "<p><em>a</em> <strong>b</strong> <em><strong>c</strong></em></p>"},
		{"struck", "~~a~~ ~b~", "<p><del>a</del> <del>b</del></p>"},
		{"code", "`` a`b `` `<i>`", "<p><code>a`b</code> <code>&lt;i&gt;</code></p>"},
		{"escapes and references", `\*a\* &copy; &#65; &#x42; \&copy; &nope; &`, "<p>*a* © A B &amp;copy; &amp;nope; &amp;</p>"},
		{"tight list", "- a\n- b", "<ul><li>a</li><li>b</li></ul>"},
		{"loose list", "- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"},
		{"list in a list", "- a\n  1. b", "<ul><li>a<ol><li>b</li></ol></li></ul>"},
		{"numbers that start elsewhere", "7. a\n8. b", `<ol start="7"><li>a</li><li>b</li></ol>`},
		{"tasks", "- [x] a\n- [ ] b", `<ul><li.md-task><span.md-check role="img" aria-label="done">☑</span>a</li><li.md-task><span.md-check role="img" aria-label="not done">☐</span>b</li></ul>`},
		{"quote", "> a\nb\n> > c", "<blockquote><p>a\nb</p><blockquote><p>c</p></blockquote></blockquote>"},
		{"rule", "a\n\n---", "<p>a</p><hr></hr>"},
		{"table", "| a | b |\n|:-|-:|\n| *1* | 2 |", `<div.md-table role="region" tabindex="0" aria-label="Table"><table><thead><tr><th.md-left scope="col">a</th><th.md-right scope="col">b</th></tr></thead><tbody><tr><td.md-left><em>1</em></td><td.md-right>2</td></tr></tbody></table></div>`},
		{"line break in a cell", "|a|\n|-|\n|x<br>y|", `<div.md-table role="region" tabindex="0" aria-label="Table"><table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td>x<br></br>y</td></tr></tbody></table></div>`},
		{"code without a language", "```\na\n\n b\n```", frame("Plain text", "a\n\n b\n")},
		{"code of an unknown language", "```brainmelt {x=1}\na\n```", frame("brainmelt", "a\n")},
		{"code with colours", "```js\nlet a // b\n```", frame("JavaScript", "<span.md-k>let</span> a <span.md-c>// b</span>\n")},
		{"indented code", "    a\n    b", frame("Plain text", "a\nb\n")},
		{"code without its end", "```\na", frame("Plain text", "a\n")},
		{"raw HTML", "<div>*a*</div>\n\n<b>c</b> <!-- d -->", "<p>&lt;div&gt;<em>a</em>&lt;/div&gt;</p><p>&lt;b&gt;c&lt;/b&gt; &lt;!-- d --&gt;</p>"},
		{"footnotes in the order of the text", "b[^2] a[^1] b[^2] c[^x]\n\n[^1]: one\n[^2]: two\n\n    more\n[^3]: never", "<p>b" + noteRef(1, "") + " a" + noteRef(2, "") + " b" + noteRef(1, "-2") + " c[^x]</p><ol.md-notes>" + noteOf(1, "<p>two</p><p>more", "</p>") + noteOf(2, "<p>one", "</p>") + "</ol>"},
		{"a footnote that ends with code", "a[^1]\n\n[^1]: see\n\n        x\n", "<p>a" + noteRef(1, "") + "</p><ol.md-notes>" + strings.Replace(noteOf(1, "<p>see</p>"+show([]Node{drawCode("", "x\n")}), ""), "> <a.md", "><a.md", 1) + "</ol>"},
		{"picture", "![a *b*](https://x.yz/i.png)", `<p><a.md-image href="https://x.yz/i.png" ` + linked + `>a b</a></p>`},
		{"picture without a name", "![](https://x.yz/i.png)", `<p><a.md-image href="https://x.yz/i.png" ` + linked + `>image</a></p>`},
		{"picture inside the text", "![a](data:image/png;base64,AAAA)", "<p><span.md-no-link>a (data:image/png;base64,AAAA)</span></p>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := render(c.src)
			check(t, got)
			if show(got) != c.want {
				t.Errorf("\n got %s\nwant %s", show(got), c.want)
			}
		})
	}
}

func frame(label, code string) string {
	return `<div.md-code><div.md-code-head><span.md-lang>` + label + `</span><button.md-copy type="button">Copy</button></div><pre tabindex="0" aria-label="Code"><code>` + code + `</code></pre></div>`
}

func TestLinks(t *testing.T) {
	for _, c := range []struct{ name, src, href, text string }{
		{"https", "[a](https://b.cd/e?f=g#h)", "https://b.cd/e?f=g#h", "a"},
		{"http", "[a](http://b.cd)", "http://b.cd", "a"},
		{"mail", "[a](mailto:b@c.de)", "mailto:b@c.de", "a"},
		{"any case of scheme", "[a](HTTPS://b.cd)", "https://b.cd", "a"},
		{"angle brackets", "<https://b.cd>", "https://b.cd", "https://b.cd"},
		{"angle mail", "<b@c.de>", "mailto:b@c.de", "b@c.de"},
		{"bare address", "see https://b.cd/e.", "https://b.cd/e", "see https://b.cd/e."},
		{"bare www", "www.b.cd", "http://www.b.cd", "www.b.cd"},
		{"reference in the address", "[a](https://b.cd?e&amp;f)", "https://b.cd?e&f", "a"},
		{"blanks in the address", "[a](<https://b.cd/e f>)", "", "a (https://b.cd/e f)"},
		{"wide characters", "[a](https://b.cd/é)", "https://b.cd/%C3%A9", "a"},

		{"javascript", "[a](javascript:alert(1))", "", "a (javascript:alert(1))"},
		{"javascript, other case", "[a](JaVaScRiPt:alert(1))", "", "a (JaVaScRiPt:alert(1))"},
		{"javascript by references", "[a](&#106;avascript&colon;alert&lpar;1&rpar;)", "", "a (javascript:alert(1))"},
		{"javascript with a tab by reference", "[a](java&#9;script:alert)", "", "a (java\tscript:alert)"},
		{"javascript with a line end", "[a](<java&#10;script:alert>)", "", "a (java\nscript:alert)"},
		{"javascript behind a control character", "[a](&#1;javascript:alert)", "", "a (⟨U+0001⟩javascript:alert)"},
		{"javascript behind a blank", "[a](<\u00a0javascript:alert>)", "", "a (\u00a0javascript:alert)"},
		{"javascript in angle brackets", "<javascript:alert(1)>", "", "javascript:alert(1)"},
		{"javascript by definition", "[a]\n\n[a]: javascript:alert(1)", "", "a (javascript:alert(1))"},
		{"vbscript", "[a](vbscript:x)", "", "a (vbscript:x)"},
		{"data", "[a](data:text/html,x)", "", "a (data:text/html,x)"},
		{"blob", "[a](blob:https://b.cd/x)", "", "a (blob:https://b.cd/x)"},
		{"file", "[a](file:///etc/passwd)", "", "a (file:///etc/passwd)"},
		{"ftp", "<ftp://b.cd>", "", "ftp://b.cd"},
		{"relative", "[a](b/c.md)", "", "a (b/c.md)"},
		{"page-relative", "[a](#x)", "", "a (#x)"},
		{"root-relative", "[a](/settings)", "", "a (/settings)"},
		{"scheme-relative", "[a](//evil.example)", "", "a (//evil.example)"},
		{"backslashes", `[a](https:\\\\evil.example)`, "", `a (https:\\evil.example)`},
		{"no slashes", "[a](https:evil.example)", "", "a (https:evil.example)"},
		{"no host", "[a](https://)", "", "a (https://)"},
		{"user name that looks like a host", "[a](https://bank.example@evil.example)", "", "a (https://bank.example@evil.example)"},
		{"override in the address", "[a](https://b.cd/\u202ex)", "", "a (https://b.cd/⟨U+202E⟩x)"},
		{"empty", "[a]()", "", "a"},
		{"mail without an address", "[a](mailto:)", "", "a (mailto:)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := render(c.src)
			check(t, nodes)
			if got := textOf(nodes); got != c.text {
				t.Errorf("shows %q, want %q", got, c.text)
			}
			href := ""
			if _, rest, ok := strings.Cut(show(nodes), `href="`); ok {
				href = rest[:strings.IndexByte(rest, '"')]
			}
			if href != c.href {
				t.Errorf("href %q, want %q", href, c.href)
			}
		})
	}
}

func TestLongAddressThatIsNoLinkIsCut(t *testing.T) {
	got := textOf(render("![x](data:image/png;base64," + strings.Repeat("A", 10_000) + ")"))
	if len(got) > 200 || !strings.HasSuffix(got, "…)") {
		t.Errorf("%d bytes: %.80q", len(got), got)
	}
}

// Each bound on one block shows the text over it as text.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		name, src string
		none      string // an element that may not be there
		text      string // what must still be shown
	}{
		{"long block", strings.Repeat("*a* ", maxBlock/3), "<em>", "*a* *a*"},
		{"wide table", strings.Repeat("|a", 200) + "|\n" + strings.Repeat("|-", 200) + "|\n" + strings.Repeat("x\n", 200), "<table", "|a|a"},
		{"long formula", "$$\n" + strings.Repeat("x ", maxFormula) + "\n$$", "<math", "x x x"},
		{"long code", "```go\n" + strings.Repeat("func ", maxHighlight/5+1) + "\n```", "<span.md-k>", "func func"},
		{"many items", strings.Repeat("- a\n", maxNodes/2), "<li>", "- a\n- a"},
	} {
		t.Run(c.name, func(t *testing.T) {
			nodes := render(c.src)
			check(t, nodes)
			if got := show(nodes); strings.Contains(got, c.none) {
				t.Errorf("%s is there: %.200s", c.none, got)
			}
			if got := textOf(nodes); !strings.Contains(got, c.text) {
				t.Errorf("text is lost: %.200q", got)
			}
		})
	}
	depth := func(nodes []Node) int { return deepest(nodes) }
	if n := depth(render(strings.Repeat("> ", 500) + "a")); n > maxNesting+3 {
		t.Errorf("quotes are %d deep", n)
	}
	if n := depth(render(strings.Repeat("*a **b ", 400) + strings.Repeat("c** d*", 400))); n > maxInlineDeep+3 {
		t.Errorf("emphasis is %d deep", n)
	}
}

func deepest(nodes []Node) int {
	n := 0
	for _, k := range nodes {
		n = max(n, 1+deepest(k.Kids))
	}
	return n
}

func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		tag, attr string
		want      bool
	}{
		{"p", "", true}, {"a", "href", true}, {"math", "display", true},
		{"script", "", false}, {"img", "", false}, {"iframe", "", false}, {"a", "onclick", false},
		{"a", "style", false}, {"p", "id", false}, {"math", "href", false}, {"annotation-xml", "", false}, {"", "", false},
	} {
		if got := Allowed(c.tag, c.attr); got != c.want {
			t.Errorf("Allowed(%q, %q) = %v", c.tag, c.attr, got)
		}
	}
	if ns := (Node{Tag: "mfrac"}).Namespace(); ns != MathMLNamespace {
		t.Errorf("mfrac in %q", ns)
	}
	if ns := (Node{Tag: "p"}).Namespace(); ns != "" {
		t.Errorf("p in %q", ns)
	}
}
