package markdown

import (
	"strings"
	"testing"
)

// answer is a long answer of the usual mix, some 200 KB.
func answer() string {
	part := "## A heading\n\nSome text with **strong** words, `code`, a [link](https://example.org) and $x^2$. " +
		strings.Repeat("More words that make the paragraph as long as they are. ", 8) + "\n\n" +
		"- one item\n- another *item*\n  - below\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n| 3 | 4 |\n\n" +
		"```go\nfunc add(a, b int) int {\n\t// the sum\n\treturn a + b\n}\n```\n\n> a quote\n\n"
	return strings.Repeat(part, 200<<10/len(part))
}

func BenchmarkRender(b *testing.B) {
	src := answer()
	r := new(Renderer)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		r.Render(src)
	}
}

// BenchmarkStream is one answer in frames of 170 bytes, 10 KB a second at 60
// frames, with a look at the tail in each.
func BenchmarkStream(b *testing.B) {
	src := answer()
	parts := cuts(src, 170)
	r := new(Renderer)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		s := r.NewStream()
		for _, p := range parts {
			s.Append(p)
			s.Tail()
		}
		s.Close()
	}
}

// BenchmarkOpenCode is a code block that stays open, 1 MB in frames of 170
// bytes.
func BenchmarkOpenCode(b *testing.B) {
	src := "```go\n" + strings.Repeat("	fmt.Println(\"some text\", 12)\n", 1<<20/32)
	parts := cuts(src, 170)
	r := new(Renderer)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		s := r.NewStream()
		for _, p := range parts {
			s.Append(p)
			s.Tail()
		}
	}
}

func BenchmarkHighlight(b *testing.B) {
	code := strings.Repeat("func add(a, b int) int {\n\t// the sum\n\treturn a + b + 12 // \"x\"\n}\n\n", 700)
	l, _ := languageOf("go")
	b.SetBytes(int64(len(code)))
	for b.Loop() {
		highlight(l, code)
	}
}

func BenchmarkFormula(b *testing.B) {
	const tex = `\sum_{i=0}^{n} \frac{x_i^2}{\sqrt{1+\alpha}} = \left(\begin{matrix}a&b\\c&d\end{matrix}\right)`
	b.SetBytes(int64(len(tex)))
	for b.Loop() {
		if _, ok := texToMath(tex, true); !ok {
			b.Fatal("not read")
		}
	}
}
