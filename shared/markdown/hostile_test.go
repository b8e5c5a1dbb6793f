package markdown

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

// hostile is text that is made to break its reader, each at a size that would
// show cost by the square.
func hostile() []struct{ name, src string } {
	const size = 48 << 10
	rep := func(s string) string { return strings.Repeat(s, size/len(s)) }
	grow := func(f func(i int) string) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			b.WriteString(f(i))
		}
		return b.String()
	}
	return []struct{ name, src string }{
		{"quotes", rep(">")},
		{"quotes and text", rep("> ") + "a"},
		{"quotes in lists", rep("- > ")},
		{"bullets", rep("- ")},
		{"numbers", rep("1. ")},
		{"a staircase of lists", grow(func(i int) string { return strings.Repeat("  ", i) + "- a\n" })},
		{"deep lines", rep(strings.Repeat(">", 200) + "a\n")},
		{"open brackets", rep("[")},
		{"open images", rep("![")},
		{"nested brackets", rep("[") + rep("]")},
		{"open links", rep("[a](")},
		{"open links with targets", rep("[a](b")},
		{"open angle links", rep("[](<b")},
		{"open titles", rep(`[a](b "`)},
		{"images in images", rep("![a ")},
		{"many links", rep("[a](http://b.cd) ")},
		{"emphasis that never closes", rep("*a_ ")},
		{"emphasis in emphasis", rep("*a ") + rep(" a*")},
		{"strong in emphasis", rep("*a**b")},
		{"struck", rep("~a ")},
		{"backticks", grow(func(i int) string { return "e" + strings.Repeat("`", i) })},
		{"comments", rep("a <!--")},
		{"instructions", rep("a <?")},
		{"tags without end", rep(`a <a b="`)},
		{"a tag with many attributes", "x <a" + rep(" b")},
		{"CDATA", rep("a <![CDATA[")},
		{"references", rep("&amp;")},
		{"broken references", rep("&#x")},
		{"backslashes", rep(`\`)},
		{"addresses", rep("http://")},
		{"an address of parentheses", "http://a.bc/" + rep("(")},
		{"mail", rep("a@")},
		{"definitions", grow(func(i int) string { return fmt.Sprintf("[a%d]: http://b.cd\n", i) })},
		{"definition without end", rep("[a\n")},
		{"titles without end", rep("[a]: b '\n")},
		{"wide table", rep("|") + "\n" + rep("|-") + "|\n" + strings.Repeat("x\n", 5_000)},
		{"table that rows leave empty", strings.Repeat("|a", 2000) + "|\n" + strings.Repeat("|-", 2000) + "|\n" + rep("x\n")},
		{"long table", "|a|b|\n|-|-|\n" + rep("|x|y|\n")},
		{"delimiter rows", rep("|-|-\n")},
		{"table of escaped pipes", "|a|b|\n|-|-|\n|`" + rep(`\|`) + "`|y|\n"},
		{"footnotes", grow(func(i int) string { return fmt.Sprintf("[^%d] ", i) }) + "\n\n" + grow(func(i int) string { return fmt.Sprintf("[^%d]: [^%d]\n\n", i, i+1) })},
		{"dollars", rep("$a ")},
		{"double dollars", rep("$$a ")},
		{"open formulas", rep(`\(a `)},
		{"braces in a formula", "$$\n" + strings.Repeat("{", 4000) + "\n$$\n"},
		{"fractions in fractions", "$$\n" + strings.Repeat(`\frac{`, 1000) + "\n$$\n"},
		{"scripts", "$$\n" + strings.Repeat("x^", 4000) + "\n$$\n"},
		{"matrices", "$$\n" + strings.Repeat(`\begin{matrix}`, 500) + "\n$$\n"},
		{"headings", rep("# a\n")},
		{"underlines", rep("a\n=\n")},
		{"rules", rep("---\n")},
		{"tasks", rep("- [ ] a\n")},
		{"items apart", rep("- a\n\n")},
		{"hard breaks", rep("a  \n")},
		{"short lines", rep("a\n")},
		{"tabs", rep("\t")},
		{"tabs in quotes", rep(">\t")},
		{"NULs", rep("\x00")},
		{"no UTF-8", rep("\xff\xfe")},
		{"overrides", rep("\u202e\u2066a")},
		{"fences", rep("```\n")},
		{"fence openers", rep("~~~ a\n\n")},
		{"code of quotes", "```js\n" + rep("'`${") + "\n```"},
		{"code of slashes", "```js\n" + rep("(/[") + "\n```"},
		{"markup in code", "```html\n" + rep("<script>") + "\n```"},
		{"entities in code", "```html\n" + rep("&a") + "\n```"},
		{"stylesheet in code", "```css\n{" + rep("a:") + "\n```"},
		{"rust in code", "```rust\n" + rep("#![") + "\n```"},
		{"C in code", "```c\n" + rep("#include <") + "\n```"},
		{"unclosed everything", rep("> - **[`$$~~<a ![](\n")},
		{"a long list", strings.Repeat("- an *item*\n", 20_000) + "\nafter\n"},
		{"a long fence", "```go\n" + strings.Repeat("x := 1\n\n", 30_000) + "```\nafter\n"},
		{"one line", strings.Repeat("word ", 100<<10)},
	}
}

// Nothing that can be sent gets an element or attribute through that is not
// allowed, or costs more than some tens of times what plain text of its length
// does.
func TestHostileTextIsBoundedAndHarmless(t *testing.T) {
	cost := func(src string) (time.Duration, []Node) {
		start := time.Now()
		nodes := render(src)
		return time.Since(start), nodes
	}
	prose := strings.Repeat("Some plain words, *one* of them marked, and a [link](https://example.org).\n\n", 1400)
	normal, _ := cost(prose)
	for range 2 {
		again, _ := cost(prose)
		normal = min(normal, again)
	}
	for _, h := range hostile() {
		t.Run(h.name, func(t *testing.T) {
			spent, nodes := cost(h.src)
			check(t, nodes)
			most := normal * time.Duration(30+60*len(h.src)/len(prose))
			for try := 0; try < 3 && spent > most; try++ { // something else may have run
				again, _ := cost(h.src)
				spent = min(spent, again)
			}
			if spent > most {
				t.Errorf("took %v; plain text takes %v", spent, normal)
			}
			t.Logf("%.1f times plain text", float64(spent)/float64(normal))
			if n, most := count(nodes), 2*len(h.src)+1000; n > most {
				t.Errorf("%d nodes from %d bytes", n, len(h.src))
			}
		})
	}
}

// Over the bounds, too, a stream gives what a whole render gives.
func TestHostileStreamIsTheSameTree(t *testing.T) {
	for _, h := range hostile() {
		t.Run(h.name, func(t *testing.T) {
			limit := 24 << 10
			if strings.HasPrefix(h.name, "a long") {
				limit = maxBlock + 10_000
			}
			src := h.src[:min(len(h.src), limit)]
			p, redraw := stream(t, cuts(src, 10<<10))
			check(t, p.closed)
			if want := render(src); !redraw && !reflect.DeepEqual(p.closed, want) {
				t.Errorf("%d nodes, want %d", count(p.closed), count(want))
			}
		})
	}
}

func TestMarkupIsText(t *testing.T) {
	for _, src := range []string{
		"<script>alert(1)</script>",
		"a <script>alert(1)</script> b",
		"<img src=x onerror=alert(1)>",
		"<svg/onload=alert(1)>",
		"<a href=\"javascript:alert(1)\">x</a>",
		"<iframe srcdoc='<script>'>",
		"<style>*{display:none}</style>",
		"<!-- <script> -->",
		"<![CDATA[<script>]]>",
		"<b onclick=alert(1)>bold</b>",
		"| <script>alert(1)</script> |\n|---|\n| <img onerror=x> |",
		"- <form action=//evil><input>",
		"# <meta http-equiv=refresh content=0>",
		"```<script>\n<script>\n```",
		"``` \" onmouseover=alert(1) x=\"\nx\n```",
		"$\\text{<script>}$",
		"$$\n\\href{javascript:alert(1)}{x}\n$$",
		"[^<script>]\n\n[^<script>]: <script>",
		"&lt;script&gt;alert(1)&lt;/script&gt;",
	} {
		nodes := render(src)
		check(t, nodes)
		if got := show(nodes); strings.Contains(got, "<script") || strings.Contains(got, "<img") || strings.Contains(got, "<a ") || strings.Contains(got, "<iframe") {
			t.Errorf("%q became %s", src, got)
		}
	}
}

func TestControlCharactersAreShown(t *testing.T) {
	for _, c := range []struct{ name, src, want string }{
		{"override in prose", "a\u202eb", "<p>a<span.md-control>⟨U+202E⟩</span>b</p>"},
		{"isolate in prose", "\u2066a\u2069", "<p><span.md-control>⟨U+2066⟩</span>a<span.md-control>⟨U+2069⟩</span></p>"},
		{"mark in prose stays", "\u05d0\u200f!", "<p>\u05d0\u200f!</p>"},
		{"mark in code", "`a\u200fb`", "<p><code>a<span.md-control>⟨U+200F⟩</span>b</code></p>"},
		{"by reference", "a&#x202e;b", "<p>a<span.md-control>⟨U+202E⟩</span>b</p>"},
		{"escape", "a\x1b[31m", "<p>a<span.md-control>⟨U+001B⟩</span>[31m</p>"},
		{"NUL", "a\x00b", "<p>a\uFFFDb</p>"},
		{"NUL by reference", "a&#0;b", "<p>a\uFFFDb</p>"},
		{"surrogate by reference", "a&#xD800;b", "<p>a\uFFFDb</p>"},
		{"no UTF-8", "a\xffb", "<p>a\uFFFDb</p>"},
		{"in a link's title", "[a](http://b.cd \"x\u202ey\")", `<p><a href="http://b.cd" rel="noopener noreferrer" target="_blank" title="x⟨U+202E⟩y">a</a></p>`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(render(c.src)); got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
		})
	}
	s := new(Renderer).NewStream()
	s.Append("```\na\u202eb\n")
	if got := s.Tail().Text; got != "a⟨U+202E⟩b\n" {
		t.Errorf("open code shows %q", got)
	}
}
