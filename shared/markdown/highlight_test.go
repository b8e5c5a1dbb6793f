package markdown

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// samples are code with what is hard in each language; [x:…] is a span of
// class md-x.
var samples = []struct{ name, lang, code, want string }{
	{"raw string over lines", "go", "x := `a\nb` // c", "x := [s:`a\nb`] [c:// c]"},
	{"rune of a quote", "go", `'\'' "`, `[s:'\''] [s:"]`},
	{"numbers", "go", "0x1F 1_000 3.5e-2 a1 x.y", "[n:0x1F] [n:1_000] [n:3.5e-2] a1 x.y"},
	{"call and keyword", "go", "func f() { return g(1) }", "[k:func] [f:f]() { [k:return] [f:g]([n:1]) }"},
	{"string without its end", "go", "\"abc\nx", "[s:\"abc]\nx"},
	{"triple quotes", "python", "'''a\n\"b'''+x", "[s:'''a\n\"b''']+x"},
	{"prefixes", "python", `rb'\'' f"{x}" x"`, `[s:rb'\''] [s:f"{x}"] x[s:"]`},
	{"decorator", "python", "@a.b\ndef f(): pass", "[a:@a.b]\n[k:def] [f:f](): [k:pass]"},
	{"member called like a keyword", "js", "a.delete(b)", "a.[f:delete](b)"},
	{"regular expression", "js", `x = /"[/]\/a/g; y = 1 / 2 / z`, `x = [s:/"[/]\/a/g]; y = [n:1] / [n:2] / z`},
	{"regular expression after return", "js", "return /'/", "[k:return] [s:/'/]"},
	{"template in a template", "js", "`a${b + `c${d}`}e` f", "[s:`a${]b + [s:`c${]d[s:}`}e`] f"},
	{"braces in a template", "js", "`${ {a: {}} }`", "[s:`${] {[a:a]: {}} [s:}`]"},
	{"keys", "json", `{"a": "b", "c": [1, true]}`, `{[a:"a"]: [s:"b"], [a:"c"]: [[n:1], [k:true]]}`},
	{"hash inside a word", "bash", "a#b # c", "a#b [c:# c]"},
	{"variables", "bash", `echo $a ${b:-c} $1 $? 'x $y'`, `[t:echo] [v:$a] [v:${b:-c}] [v:$1] [v:$?] [s:'x $y']`},
	{"variables in strings", "sh", `"a $b ${c}d $" '$e'`, `[s:"a ][v:$b][s: ][v:${c}][s:d $"] [s:'$e']`},
	{"lifetimes", "rust", "fn f<'a>(c: &'a str) { 'x' }", "[k:fn] f<'a>(c: &'a [t:str]) { [s:'x'] }"},
	{"raw hashes", "rust", `r#"a"b"# x`, `[s:r#"a"b"#] x`},
	{"macro and attribute", "rust", "#[derive(A)]\nprintln!(1)", "[a:#[derive(A)]]\n[f:println]!([n:1])"},
	{"directives", "c", "#include <a.h>\n#  define X 1", "[m:#include] [s:<a.h>]\n[m:#  define X] [n:1]"},
	{"SQL in either case", "sql", "Select 'it''s' FROM t -- x", "[k:Select] [s:'it''s'] [k:FROM] t [c:-- x]"},
	{"tags", "html", `<a href="x" b=c>t &amp; u</a>`, `<[k:a] [a:href]=[s:"x"] [a:b]=[s:c]>t [n:&amp;] u</[k:a]>`},
	{"code in a page", "html", "<script>let a = '<'</script><style>b{c:d}</style>", "<[k:script]>[k:let] a = [s:'<']</[k:script]><[k:style]>[t:b]{[a:c]:d}</[k:style]>"},
	{"comment in a page", "xml", "<!-- <a> --><b/>", "[c:<!-- <a> -->]<[k:b]/>"},
	{"style sheet", "css", "a.b{color:#fff;margin:-1px}", "[t:a.b]{[a:color]:[n:#fff];[a:margin]:[n:-1px]}"},
	{"YAML", "yaml", "a: 1 # c\n- b: \"x\"\n- |\n", "[a:a]: [n:1] [c:# c]\n- [a:b]: [s:\"x\"]\n- |\n"},
	{"YAML block", "yml", "a: |\n  x: 1\nb: true", "[a:a]: |\n[s:  x: 1]\n[a:b]: [k:true]"},
	{"TOML", "toml", "[a]\nb = 'c' # d", "[m:[a]]\n[a:b] = [s:'c'] [c:# d]"},
	{"diff", "diff", "@@ 1 @@\n+a\n-b\n c", "[a:@@ 1 @@]\n[i:+a]\n[d:-b]\n c"},
	{"Markdown", "md", "# a\n- `b`\n> c", "[m:# a]\n[k:-] [s:`b`]\n[c:> c]"},
	{"override in a comment", "go", "// a\u202eb", "[c:// a⟨U+202E⟩b]"},
	{"alias in capitals", "C++", "int a;", "[t:int] a;"},
}

func TestHighlight(t *testing.T) {
	for _, c := range samples {
		t.Run(c.name, func(t *testing.T) {
			l, _ := languageOf(c.lang)
			if l == nil {
				t.Fatalf("no language %q", c.lang)
			}
			nodes := highlight(l, c.code)
			check(t, nodes)
			var got strings.Builder
			for _, n := range nodes {
				if n.Tag == "" {
					got.WriteString(n.Text)
				} else {
					got.WriteString("[" + strings.TrimPrefix(n.Class, "md-") + ":" + textOf(n.Kids) + "]")
				}
			}
			if got.String() != c.want {
				t.Errorf("\n got %s\nwant %s", got.String(), c.want)
			}
		})
	}
}

func TestEveryAliasNamesOneLanguage(t *testing.T) {
	seen := map[string]string{}
	for _, l := range languageTable() {
		for _, a := range strings.Fields(l.alias) {
			if was, ok := seen[a]; ok {
				t.Errorf("%q is %s and %s", a, was, l.name)
			}
			seen[a] = l.name
			if a != strings.ToLower(a) {
				t.Errorf("%q is not in lower case", a)
			}
		}
	}
}

// The lexers of chroma, which are made of many more rules, are the yardstick:
// byte by byte, what is a comment, a string, a number or a keyword to them is
// the same here, but for a tenth. In style sheets it calls properties and named
// values keywords, so there keywords are left out.
func TestHighlightAgreesWithChroma(t *testing.T) {
	const enough = 0.90
	files, err := filepath.Glob("testdata/code/*.txt")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d files of code: %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			code := string(b)
			l, _ := languageOf(name)
			theirs := chromaGroups(t, name, code)
			var ours []byte
			for _, n := range highlight(l, code) {
				s := textOf([]Node{n})
				g := group(n.Class)
				if name == "css" && g == 'k' {
					g = '.'
				}
				ours = append(ours, strings.Repeat(string(g), len(s))...)
			}
			same, all := 0, 0
			for i := range code {
				if isBlank(code[i]) {
					continue
				}
				all++
				if ours[i] == theirs[i] {
					same++
				}
			}
			if share := float64(same) / float64(all); share < enough {
				t.Errorf("%.3f agree\n%s", share, differences(code, ours, theirs))
			} else {
				t.Logf("%.3f agree", share)
			}
		})
	}
}

// group is the coarse kind of a class: c, s, n, k, or a dot for the rest.
func group(class string) byte {
	switch class {
	case clsComment:
		return 'c'
	case clsString:
		return 's'
	case clsNumber:
		return 'n'
	case clsKeyword:
		return 'k'
	}
	return '.'
}

func chromaGroups(t *testing.T, lang, code string) []byte {
	it, err := lexers.Get(lang).Tokenise(nil, code)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	for _, tok := range it.Tokens() {
		g := byte('.')
		switch {
		case tok.Type.InSubCategory(chroma.CommentPreproc):
		case tok.Type.InCategory(chroma.Comment):
			g = 'c'
		case tok.Type.InSubCategory(chroma.LiteralString):
			g = 's'
		case tok.Type.InSubCategory(chroma.LiteralNumber), tok.Type == chroma.LiteralDate:
			g = 'n'
		case tok.Type == chroma.KeywordType:
		case tok.Type.InCategory(chroma.Keyword), tok.Type == chroma.NameTag && lang == "html", tok.Type == chroma.OperatorWord, tok.Type == chroma.NameBuiltinPseudo:
			if lang != "css" {
				g = 'k'
			}
		}
		out = append(out, strings.Repeat(string(g), len(tok.Value))...)
	}
	return out
}

func differences(code string, ours, theirs []byte) string {
	var b strings.Builder
	at := 0
	for line := range strings.Lines(code) {
		end := at + len(line)
		if string(ours[at:end]) != string(theirs[at:end]) {
			b.WriteString("  " + line + "o " + string(ours[at:end]) + "\nt " + string(theirs[at:end]) + "\n")
		}
		at = end
	}
	return b.String()
}
