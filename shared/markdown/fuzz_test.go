package markdown

import (
	"strings"
	"testing"
)

func FuzzRender(f *testing.F) {
	f.Add(everything)
	for _, h := range hostile() {
		f.Add(h.src[:min(len(h.src), 600)])
	}
	f.Fuzz(func(t *testing.T, src string) {
		check(t, render(src))
	})
}

func FuzzStream(f *testing.F) {
	f.Add(everything, uint(3))
	f.Add("[a]: b\n'c\nd'\n\n[a]", uint(1))
	f.Add("- a\n\n  b\n```\nc", uint(2))
	f.Add("a\n|b|\n|-|\n===\n", uint(1))
	f.Fuzz(func(t *testing.T, src string, n uint) {
		compareStream(t, src, cuts(src, int(n%64)+1))
	})
}

// FuzzTail looks at every frame.
func FuzzTail(f *testing.F) {
	f.Add(everything, uint(3))
	f.Add("   ~~~ x\n   a\n ~~~~\nb", uint(1))
	f.Fuzz(func(t *testing.T, src string, n uint) {
		s := new(Renderer).NewStream()
		var p page
		for _, part := range cuts(src, int(n%64)+1) {
			p.add(s.Append(part))
			p.show(t, s.Tail())
			check(t, p.tail[:len(p.tail):len(p.tail)])
		}
		closed, _ := s.Close()
		check(t, joined(closed))
	})
}

func FuzzHighlight(f *testing.F) {
	for _, s := range samples {
		f.Add(s.lang, s.code)
	}
	f.Fuzz(func(t *testing.T, lang, code string) {
		l, _ := languageOf(lang)
		if l == nil || len(code) > maxHighlight {
			return
		}
		nodes := highlight(l, code)
		check(t, nodes)
		if got := textOf(nodes); got != flatText(code, true) {
			t.Fatalf("%s: text\n%q\nbecame\n%q", lang, code, got)
		}
		var lines []Node
		c := colours{lang: l}
		for line := range strings.Lines(code) {
			lines = append(lines, c.add(line)...)
		}
		check(t, lines)
		if got := textOf(lines); got != flatText(code, true) {
			t.Fatalf("%s: line by line\n%q\nbecame\n%q", lang, code, got)
		}
	})
}

func FuzzFormula(f *testing.F) {
	for _, c := range formulas {
		f.Add(c.tex)
	}
	f.Add(strings.Repeat("{", 100))
	f.Add(`\left(\begin{matrix}a&b\\c`)
	f.Fuzz(func(t *testing.T, tex string) {
		if n, ok := texToMath(tex, true); ok {
			check(t, []Node{n})
			if count([]Node{n}) > 2*maxTeXNodes+2 {
				t.Fatalf("%d nodes", count([]Node{n}))
			}
		}
	})
}
