package markdown

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestStreamIsTheSameTreeAtAnyCut(t *testing.T) {
	for name, src := range map[string]string{
		"every feature":              everything,
		"CRLF":                       strings.ReplaceAll(everything, "\n", "\r\n"),
		"CR alone":                   strings.ReplaceAll(everything, "\n", "\r"),
		"wide characters":            "# Größe ☃\n\n日本語 **太字** 🙂\n\n- é\n- ü\n\n```\n漢字\n```\n",
		"no line end":                "one line",
		"only blank lines":           "\n\n \n\t\n",
		"open fence":                 "text\n\n```py\nx = 1\n\n\ny = 2",
		"fence that looks closed":    "````\n```\n~~~~\n````x\n   ````  \nafter\n",
		"fence in a list":            "- a\n\n  ```\n  x\n\n  y\n  ```\n\n- b\n\nend\n",
		"indented fence":             "   ```\n   a\n     b\n  c\n   ```\ntext\n",
		"open math":                  "$$\na\n\nb\n",
		"list turned loose late":     "- a\n- b\n- c\n\n- d\n\ntext\n",
		"table without a blank line": "text\n| a | b |\n|---|---|\n| 1 | 2 |\nmore | cells\n\nend",
		"heading underlined late":    "a\nb\n===\nc\n---\nd",
		"definition before use":      "[a]: https://example.org 'title'\n\nsee [a] and [A][]\n",
		"definition first in a list": "---\n- [a]: http://b.cd\na\n",
		"title on its own line":      "[a]: https://example.org\n'ti\ntle'\n\nsee [a]\n",
	} {
		t.Run(name, func(t *testing.T) {
			want := render(src)
			check(t, want)
			if once := renderAtOnce(src); show(once) != show(want) {
				t.Fatalf("Render\n%s\none parse\n%s", show(want), show(once))
			}
			for _, n := range []int{1, 2, 3, 5, 7, 37, 1000} {
				got, redraw := stream(t, cuts(src, n))
				if redraw {
					t.Errorf("cut in %d: wants a redraw", n)
				}
				if !reflect.DeepEqual(got.closed, want) {
					t.Fatalf("cut in %d\n got %s\nwant %s", n, show(got.closed), show(want))
				}
			}
		})
	}
}

// What is shown after every byte is what a whole render of that much would
// show, but that open code gets its colours by whole lines.
func TestEachFrameShowsTheTextSoFar(t *testing.T) {
	s := new(Renderer).NewStream()
	var p page
	for i := range everything {
		p.add(s.Append(everything[i : i+1]))
		p.show(t, s.Tail())
		got, want := append(p.closed[:len(p.closed):len(p.closed)], p.tail...), render(everything[:i+1])
		if s.inFence {
			if g, w := strings.TrimSpace(textOf(got)), strings.TrimSpace(textOf(want)); !strings.HasPrefix(w, g) || len(w)-len(g) > 3 {
				t.Fatalf("after %q\n got %q\nwant %q", everything[:i+1], g, w)
			}
			continue
		}
		if show(got) != show(want) {
			t.Fatalf("after %q\n got %s\nwant %s", everything[:i+1], show(got), show(want))
		}
	}
}

// pieces of Markdown whose neighbourhood matters.
var scraps = []string{
	"a", "b c", "\n", "\n", "\n\n", " ", "  ", "    ", "\t", "- ", "* ", "1. ", "2) ", "> ", "# ", "```", "~~~", "```go\n", "---\n", "===\n", "***",
	"|", "| a | b |\n|---|---|\n", "|-|\n", "[a]", "(b)", "[a](http://x.yz)", "![", "`", "**", "_", "~~", "$", "$$", "\\[", "\\]", "\\(", "\\)", "\\", "<", "<br>", "<b>", "<!--", "-->",
	"[ ] ", "[x] ", "&amp;", "http://a.bc", "[a]: http://b.cd\n", "[a]: x 't\n", "u'\n", "[^n]", "[^n]: y", "é", "\xff", "\x00", "\u202e", "\r", "\r\n", ":", "x^2",
}

func TestStreamOfAnyScraps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(rapid.SampledFrom(scraps), 1, 60).Draw(t, "parts")
		src := strings.Join(parts, "")
		step := rapid.IntRange(1, 12).Draw(t, "step")
		compareStream(t, src, cuts(src, step))
	})
}

// compareStream fails unless the document is the same as one parse, as a
// Render and, where no definition comes after its use, as a Stream.
func compareStream(t interface{ Fatalf(string, ...any) }, src string, parts []string) {
	want := render(src)
	if once := renderAtOnce(src); !hasNotes(src) && show(once) != show(want) {
		t.Fatalf("source %q\nRender    %s\none parse %s", src, show(want), show(once))
	}
	s := new(Renderer).NewStream()
	var got []Node
	for _, p := range parts {
		got = append(got, joined(s.Append(p))...)
	}
	closed, redraw := s.Close()
	got = append(got, joined(closed)...)
	if !redraw && !reflect.DeepEqual(got, want) {
		t.Fatalf("source %q\n got %s\nwant %s", src, show(got), show(want))
	}
}

// hasNotes: renderAtOnce knows no footnotes.
func hasNotes(src string) bool { return strings.Contains(src, "[^") }

func TestRedrawWhenADefinitionComesLate(t *testing.T) {
	for _, c := range []struct {
		name, src string
		redraw    bool
		want      string // in the whole render
	}{
		{"definition after its use", "see [a]\n\n[a]: https://example.org\n", true, `href="https://example.org"`},
		{"definition before its use", "[a]: https://example.org\n\nsee [a]\n", false, `href="https://example.org"`},
		{"definition without a bracket before it", "text\n\n[a]: https://example.org\n\nsee [a]", false, `href="https://example.org"`},
		{"footnote", "text[^n]\n\n[^n]: the note\n", true, noteRef(1, "") + `</p><ol.md-notes>` + noteOf(1, "<p>the note", "</p>") + `</ol>`},
		{"brackets but no definition", "a[0] = [1]\n\nb[1]\n", false, "a[0] = [1]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := show(render(c.src)); !strings.Contains(got, c.want) {
				t.Errorf("render: %s", got)
			}
			for _, n := range []int{1, 4, 1000} {
				p, redraw := stream(t, cuts(c.src, n))
				if redraw != c.redraw {
					t.Errorf("cut in %d: redraw %v", n, redraw)
				}
				if !redraw && show(p.closed) != show(render(c.src)) {
					t.Errorf("cut in %d: %s", n, show(p.closed))
				}
			}
		})
	}
}

// An open block has the colours that it has when it is closed, but for its last
// line, wherever the text is cut.
func TestOpenCodeIsColouredByTheLine(t *testing.T) {
	try := func(t *testing.T, lang, fence, code string) {
		l, _ := languageOf(lang)
		for _, step := range []int{1, 7, 100, 1 << 20} {
			s := new(Renderer).NewStream()
			var p page
			for _, part := range cuts(fence+lang+"\n"+code, step) {
				p.add(s.Append(part))
				p.show(t, s.Tail())
			}
			check(t, p.tail)
			open := findOpen(p.tail)
			whole := code[:strings.LastIndexByte(code, '\n')+1]
			if open == nil || textOf(p.lines) != flatText(whole, true) || !strings.HasPrefix(code, whole+p.open) {
				t.Fatalf("in parts of %d: %s", step, show(p.tail))
			}
			if got, want := classes(p.lines), classes(highlight(l, whole)); got != want {
				t.Fatalf("in parts of %d\n%s", step, differences(textOf(p.lines), []byte(got), []byte(want)))
			}
		}
	}
	for _, c := range samples {
		t.Run(c.name, func(t *testing.T) { try(t, c.lang, "~~~~~~", c.code+"\n"+c.code+"\nthe end of") })
	}
	files, err := filepath.Glob("testdata/code/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files of code: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			try(t, strings.TrimSuffix(filepath.Base(file), ".txt"), "~~~~~~", string(b))
		})
	}
	t.Run("script in a page, with a comment over lines", func(t *testing.T) {
		try(t, "html", "```", "<p>\n<script>\n/* a\nb */ let x = `c\n${ {d:\n1} }\n`\n</script>\n<style>\na {\ncolor: red;\n/* b\n*/ }\n</style>\n<b>\n")
	})
}

// classes is the class of every byte, as its last letter.
func classes(nodes []Node) string {
	var b strings.Builder
	for _, n := range nodes {
		c := "."
		if n.Tag != "" && n.Class != controlClass {
			c = n.Class[len(n.Class)-1:]
		}
		b.WriteString(strings.Repeat(c, len(textOf([]Node{n}))))
	}
	return b.String()
}

// What has its colours is not read again.
func TestColouredLinesAreReadOnce(t *testing.T) {
	lang, _ := languageOf("go")
	c := colours{lang: lang}
	for range 1000 {
		c.add("x := f(`a`) // b\n")
		if c.src != "" {
			t.Fatalf("%q is to be read again", c.src)
		}
	}
	c.add("/* a comment\n")
	c.add("without its end\n")
	if c.src != "/* a comment\nwithout its end\n" || c.given != len(c.src) {
		t.Errorf("%q is to be read again, %d bytes of it are drawn", c.src, c.given)
	}
	if got := show(c.add("*/ 1\n")); got != "<span.md-c>*/</span> <span.md-n>1</span>\n" {
		t.Errorf("drawn %s", got)
	}
}

func TestOpenCodeIsOnlyAppendedTo(t *testing.T) {
	s := new(Renderer).NewStream()
	s.Append("```go\nline 0\n")
	first := s.Tail()
	if got := show(first.Nodes); !first.Fresh || !strings.Contains(got, `<code.md-open></code>`) || !strings.Contains(got, ">Go<") {
		t.Fatalf("the open block is %q", got)
	}
	text := textOf(first.Lines) + first.Text
	for range 2 * maxHighlight / len("another line\n") {
		if closed := s.Append("another line\n"); len(closed) > 0 {
			t.Fatal("closed")
		}
		tail := s.Tail()
		if tail.Fresh || len(tail.Nodes) > 0 || textOf(tail.Lines)+tail.Text != "another line\n" {
			t.Fatalf("tail %+v", tail)
		}
		text += "another line\n"
	}
	s.Append("``")
	if tail := s.Tail(); tail.Text != "" {
		t.Fatalf("half of the closing line is shown: %q", tail.Text)
	}
	closed := s.Append("`\n")
	if got := textOf(joined(closed)); !strings.HasSuffix(got, text) {
		t.Fatalf("the closed block lacks text: %d of %d bytes", len(got), len(text))
	}
	if tail := s.Tail(); !tail.Fresh || len(tail.Nodes) > 0 || tail.Text != "" {
		t.Fatalf("the tail stays: %+v", tail)
	}
}

// A long open block is drawn a few times as it grows, not at every step, and
// what is shown is never behind.
func TestLongTailIsDrawnSeldom(t *testing.T) {
	for _, c := range []struct{ name, part string }{
		{"one endless line", "some *words* of "},
		{"one long list", "- an *item* of the list\n"},
		{"one long quote", "> a *line* of the quote\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			const size = 100 << 10
			s := new(Renderer).NewStream()
			var p page
			const times = 8
			part := strings.Repeat(c.part, times)
			drawn, steps := 0, size/len(part)
			for i := range steps {
				p.add(s.Append(part))
				tail := s.Tail()
				if tail.Fresh {
					drawn++
				}
				p.show(t, tail)
				if i%50 == 0 && strings.Count(textOf(p.tail), " of ") < i*times {
					t.Fatalf("step %d: the tail shows %d of them", i, strings.Count(textOf(p.tail), " of "))
				}
			}
			if small := maxTail/len(part) + 20; drawn > small {
				t.Errorf("drawn %d times in %d steps, %d are enough", drawn, steps, small)
			}
		})
	}
}

func TestPrepareIsOptional(t *testing.T) {
	var a, b Renderer
	b.Prepare()
	if x, y := show(joined(a.Render(everything))), show(joined(b.Render(everything))); x != y {
		t.Errorf("%s\n%s", x, y)
	}
}
