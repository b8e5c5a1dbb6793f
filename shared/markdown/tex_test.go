package markdown

import (
	"strings"
	"testing"
)

// formulas and the MathML they become; an empty want is source that is shown
// as it is.
var formulas = []struct{ name, tex, want string }{
	{"a letter", "x", "<mi>x</mi>"},
	{"a number", "3.14", "<mn>3.14</mn>"},
	{"a sum", "a+b-1", "<mrow><mi>a</mi><mo>+</mo><mi>b</mi><mo>−</mo><mn>1</mn></mrow>"},
	{"scripts", "x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"},
	{"primes", "f''", "<msup><mi>f</mi><mo>′′</mo></msup>"},
	{"a fraction", `\frac12`, "<mfrac><mn>1</mn><mn>2</mn></mfrac>"},
	{"a fraction in braces", `\frac{a}{b}`, "<mfrac><mi>a</mi><mi>b</mi></mfrac>"},
	{"a root", `\sqrt[3]{x}`, "<mroot><mi>x</mi><mn>3</mn></mroot>"},
	{"limits", `\sum_{i=1}^n`, `<munderover><mo largeop="true" movablelimits="true">∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>`},
	{"an integral's limits stand beside it", `\int_0^1`, `<msubsup><mo largeop="true">∫</mo><mn>0</mn><mn>1</mn></msubsup>`},
	{"Greek", `\alpha\Omega`, "<mrow><mi>α</mi><mi>Ω</mi></mrow>"},
	{"a function's name", `2\sin x`, `<mrow><mn>2</mn><mspace width="0.17em"></mspace><mi>sin</mi><mspace width="0.17em"></mspace><mi>x</mi></mrow>`},
	{"fences that grow", `\left(\frac{a}{b}\right]`, `<mrow><mo stretchy="true" fence="true">(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo stretchy="true" fence="true">]</mo></mrow>`},
	{"a fence of one side", `\left.x\right|`, `<mrow><mo stretchy="true" fence="true"></mo><mi>x</mi><mo stretchy="true" fence="true">|</mo></mrow>`},
	{"a matrix", `\begin{pmatrix}a&b\\c&d\end{pmatrix}`, `<mrow><mo fence="true">(</mo><mtable.md-matrix><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable><mo fence="true">)</mo></mrow>`},
	{"cases", `\begin{cases}1&x\\0\end{cases}`, `<mrow><mo fence="true">{</mo><mtable.md-cases><mtr><mtd><mn>1</mn></mtd><mtd><mi>x</mi></mtd></mtr><mtr><mtd><mn>0</mn></mtd></mtr></mtable></mrow>`},
	{"alphabets", `\mathbb{R}\mathcal{L}\mathbf{v}`, "<mrow><mi>ℝ</mi><mi>ℒ</mi><mi>𝐯</mi></mrow>"},
	{"an upright word", `\mathrm{max}`, "<mi>max</mi>"},
	{"text", `\text{if } x`, "<mrow><mtext>if\u00a0</mtext><mi>x</mi></mrow>"},
	{"markup in text", `\text{<b>}`, "<mtext>&lt;b&gt;</mtext>"},
	{"accents", `\hat{x}\vec v`, `<mrow><mover accent="true"><mi>x</mi><mo>^</mo></mover><mover accent="true"><mi>v</mi><mo>→</mo></mover></mrow>`},
	{"a brace with a note", `\underbrace{x}_{n}`, `<munder><munder accentunder="true"><mi>x</mi><mo stretchy="true">⏟</mo></munder><mi>n</mi></munder>`},
	{"a line above", `\overline{AB}`, `<mrow.md-overline><mrow><mi>A</mi><mi>B</mi></mrow></mrow>`},
	{"not", `a\not=b`, "<mrow><mi>a</mi><mo>=\u0338</mo><mi>b</mi></mrow>"},
	{"an unknown command", `\foo x`, `<mrow><mtext.md-tex-unknown>\foo</mtext><mi>x</mi></mrow>`},
	{"a comment", "x % y\n+1", "<mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow>"},
	{"an override", "x\u202ey", "<mrow><mi>x</mi><mtext>⟨U+202E⟩</mtext><mi>y</mi></mrow>"},

	{"a brace without its end", "{x", ""},
	{"an end without its brace", "x}", ""},
	{"a fence without its end", `\left(x`, ""},
	{"an environment without its end", `\begin{matrix}x`, ""},
	{"an environment of another name", `\begin{matrix}x\end{cases}`, ""},
	{"an unknown environment", `\begin{evil}x\end{evil}`, ""},
	{"a missing argument", `\frac{a}`, ""},
	{"two subscripts", "x_1_2", ""},
	{"a stray dollar", "a$b", ""},
	{"too deep", strings.Repeat("{", 60) + "x" + strings.Repeat("}", 60), ""},
}

func TestFormulas(t *testing.T) {
	for _, c := range formulas {
		t.Run(c.name, func(t *testing.T) {
			n, ok := texToMath(c.tex, false)
			if !ok {
				if c.want != "" {
					t.Fatalf("%s is not read", c.tex)
				}
				return
			}
			check(t, []Node{n})
			if got := show(n.Kids); got != c.want {
				t.Errorf("%s\n got %s\nwant %s", c.tex, got, c.want)
			}
		})
	}
}

func TestWhereFormulasAre(t *testing.T) {
	for _, c := range []struct {
		name, src string
		inline    int
		display   int
	}{
		{"dollars", "let $x$ be", 1, 0},
		{"parentheses", `let \(x\) be`, 1, 0},
		{"double dollars in a line", "so $$x$$ holds", 0, 1},
		{"double dollars on a line", "$$x$$", 0, 1},
		{"double dollars over lines", "a:\n$$\nx\n= y\n$$\nb", 0, 1},
		{"brackets over lines", "\\[\nx\n=\n- y\n\\]", 0, 1},
		{"in a list", "- $$\n  x\n  $$\n- $y$", 1, 1},
		{"in a quote", "> \\[ x \\]", 0, 1},
		{"in a cell", "|a|\n|-|\n|$x$|", 1, 0},
		{"two in a line", "$a$ and $b$", 2, 0},
		{"a suffix", "the $n$th, $i$-th", 2, 0},
		{"in brackets", "($x$)", 1, 0},
		{"prices", "$5 and $6", 0, 0},
		{"prices with cents", "from $5.00 to $6.00.", 0, 0},
		{"a range", "$5-$6 or $7/$8", 0, 0},
		{"another currency", "US$5 and A$6", 0, 0},
		{"a price and a name", "costs $5 (US$)", 0, 0},
		{"a dollar behind", "10$ and 20$", 0, 0},
		{"shell", "$HOME/$USER and $PATH", 0, 0},
		{"escaped", `\$x\$`, 0, 0},
		{"in code", "`$x$`", 0, 0},
		{"in a fence", "```\n$$\nx\n$$\n```", 0, 0},
		{"no end", "$$\nx\n\ny", 0, 0},
		{"empty", "$$ $$ and \\(\\)", 0, 0},
		{"an escaped bracket", "\\[not a link] at all\n- x", 0, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := show(render(c.src))
			if n := strings.Count(got, "<math>"); n != c.inline {
				t.Errorf("%d in the line, want %d: %s", n, c.inline, got)
			}
			if n := strings.Count(got, `<math display="block">`); n != c.display {
				t.Errorf("%d displayed, want %d: %s", n, c.display, got)
			}
		})
	}
}

func TestFormulaThatIsNotReadIsShown(t *testing.T) {
	if got, want := show(render(`$\frac{a$`)), `<p><span.md-math><code.md-tex>\frac{a</code></span></p>`; got != want {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}
