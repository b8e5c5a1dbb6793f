package markdown

import (
	"strings"
	"sync"
)

// A quote is one way to write a string. Unless raw, a backslash takes the next
// character's meaning away; only one with lines goes over a line's end; a char
// holds a single character, so that Rust's lifetimes are none.
type quote struct {
	open, close      string
	raw, lines, char bool
}

// A language says how its code is cut into tokens. Adding one is an entry in
// languageTable; only a language unlike all others needs a scan of its own.
type language struct {
	name  string // shown above the code
	alias string // names in an info string, in lower case
	scan  func(*lexer)

	line   []string  // what opens a comment to the end of its line
	block  [2]string // what opens and closes a comment
	quotes []quote   // longest opening first
	prefix string    // letters that may stand before a string: r"…"

	keywords, types string // words, separated by spaces

	foldCase   bool // keywords in either case
	template   bool // `…${…}…`
	regexps    bool // /…/
	decorators bool // @name
	dollars    bool // $name
	directives bool // #word at the start of a line
	attributes bool // #[…], and r#"…"#
	bangs      bool // name!(…) is a call
	dashes     bool // names may hold a dash
	keys       bool // a name or string before a colon is a key
	upperTypes bool // a name that starts with a capital is a type
	wordHash   bool // # starts a comment only after white space

	words  map[string]string
	starts [256]bool // bytes that can open a comment or a string
}

func (l *language) class(word string) string {
	if l.foldCase {
		word = strings.ToLower(word)
	}
	return l.words[word]
}

// prefixed reports whether word may stand before a string.
func (l *language) prefixed(word string) bool {
	return l.prefix != "" && strings.Contains(l.prefix, " "+word+" ")
}

// languages is the table by alias, made on first use.
var languages = sync.OnceValue(func() map[string]*language {
	out := map[string]*language{}
	for _, l := range languageTable() {
		l.words = map[string]string{}
		for _, w := range strings.Fields(l.types) {
			l.words[w] = clsType
		}
		for _, w := range strings.Fields(l.keywords) {
			l.words[w] = clsKeyword
		}
		for _, open := range append(l.line, l.block[0]) {
			if open != "" {
				l.starts[open[0]] = true
			}
		}
		for _, q := range l.quotes {
			l.starts[q.open[0]] = true
		}
		for _, a := range strings.Fields(l.alias) {
			out[a] = l
		}
	}
	return out
})

func languageTable() []*language {
	var (
		double   = quote{open: `"`, close: `"`}
		single   = quote{open: `'`, close: `'`}
		char     = quote{open: `'`, close: `'`, char: true}
		back     = quote{open: "`", close: "`", raw: true, lines: true}
		triple   = quote{open: `"""`, close: `"""`, lines: true}
		triple1  = quote{open: `'''`, close: `'''`, lines: true}
		doubleNL = quote{open: `"`, close: `"`, lines: true}
		rawNL    = quote{open: `'`, close: `'`, raw: true, lines: true}
		slashes  = []string{"//"}
		hash     = []string{"#"}
		stars    = [2]string{"/*", "*/"}
	)
	const js = `async await break case catch class const continue debugger default delete do else export extends finally for from function get if import in instanceof let new of return set static super switch this throw try typeof var void while with yield true false null undefined NaN Infinity`
	const jsTypes = `Array Boolean Date Error Map Math JSON Number Object Promise Proxy RegExp Set String Symbol WeakMap console document window globalThis process`
	const c = `auto break case const continue default do else enum extern for goto if inline register restrict return sizeof static struct switch typedef union volatile while NULL true false`
	const cTypes = `bool char double float int long short signed unsigned void size_t ssize_t ptrdiff_t intptr_t uintptr_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t FILE wchar_t`
	return []*language{
		{name: "Go", alias: "go golang", line: slashes, block: stars, quotes: []quote{double, single, back},
			keywords: `break case chan const continue default defer else fallthrough for func go goto if import interface map package range return select struct switch type var true false nil iota`,
			types:    `any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr append cap clear close complex copy delete imag len make max min new panic print println real recover`},
		{name: "Python", alias: "python py python3 pycon", line: hash, quotes: []quote{triple, triple1, double, single}, prefix: " r b f u br rb fr rf t ", decorators: true,
			keywords: `and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield True False None self cls`,
			types:    `abs all any bool bytes bytearray callable chr classmethod complex dict dir enumerate eval exec filter float format frozenset getattr hasattr hash hex id input int isinstance issubclass iter len list map max memoryview min next object oct open ord pow print property range repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip Exception ValueError TypeError KeyError IndexError RuntimeError StopIteration NotImplementedError OSError AttributeError`},
		{name: "JavaScript", alias: "javascript js jsx mjs cjs node", line: slashes, block: stars, quotes: []quote{double, single}, template: true, regexps: true, decorators: true, keys: true, keywords: js, types: jsTypes},
		{name: "TypeScript", alias: "typescript ts tsx mts", line: slashes, block: stars, quotes: []quote{double, single}, template: true, regexps: true, decorators: true, keys: true,
			keywords: js + ` abstract as asserts declare enum implements infer interface is keyof module namespace override private protected public readonly satisfies type unique`,
			types:    jsTypes + ` any bigint boolean never number object string symbol unknown Record Partial Readonly Pick Omit`},
		{name: "JSON", alias: "json jsonc json5 jsonl ndjson webmanifest", line: slashes, block: stars, quotes: []quote{double, single}, keys: true, keywords: `true false null`},
		{name: "Shell", alias: "bash sh shell zsh console shell-session terminal", line: hash, wordHash: true, quotes: []quote{doubleNL, rawNL}, dollars: true, dashes: true,
			keywords: `if then else elif fi for while until do done case esac in function select time return break continue`,
			types:    `alias cd declare exit export local readonly set shift source trap unset echo eval exec printf pwd read test true false kill wait umask type hash getopts`},
		{name: "HTML", alias: "html htm xhtml vue svelte", scan: scanMarkup},
		{name: "XML", alias: "xml svg rss xsl xsd plist mathml", scan: scanMarkup},
		{name: "CSS", alias: "css scss less", scan: scanCSS, line: nil, block: stars, quotes: []quote{double, single}},
		{name: "SQL", alias: "sql sqlite postgres postgresql mysql plsql tsql", line: []string{"--"}, block: stars, foldCase: true,
			quotes:   []quote{{open: `'`, close: `'`, raw: true, lines: true}, double},
			keywords: `add all alter analyze and any as asc autoincrement before begin between by cascade case cast check collate column commit conflict constraint create cross current_date current_timestamp database default deferrable delete desc distinct do drop each else end escape except exists explain false fetch following for foreign from full function grant group having if ignore in index inner insert instead intersect into is isnull join key last lateral left like limit materialized natural not nothing notnull null nulls of offset on only or order outer over partition plan pragma preceding primary procedure range recursive references release rename replace restrict returning returns revoke right rollback row rows savepoint schema select set show start strict table temp temporary then to transaction trigger true truncate unbounded union unique update using vacuum values view virtual when where window with without`,
			types:    `bigint binary bit blob boolean bool bytea char character date datetime decimal double float int integer interval json jsonb long nchar number numeric nvarchar real serial smallint text time timestamp timestamptz tinyint uuid varchar`},
		{name: "YAML", alias: "yaml yml", scan: scanYAML},
		{name: "TOML", alias: "toml", scan: scanTOML},
		{name: "INI", alias: "ini conf cfg properties env dotenv", scan: scanTOML},
		{name: "Rust", alias: "rust rs", line: slashes, block: stars, quotes: []quote{doubleNL, char}, prefix: " r b br c cr ", attributes: true, bangs: true, upperTypes: true,
			keywords: `as async await break const continue crate dyn else enum extern fn for if impl in let loop match mod move mut pub ref return self static struct super trait type unsafe use where while true false`,
			types:    `Self bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize String Vec Option Result Some None Ok Err Box`},
		{name: "Java", alias: "java", line: slashes, block: stars, quotes: []quote{triple, double, single}, decorators: true, upperTypes: true,
			keywords: `abstract assert break case catch class const continue default do else enum extends final finally for goto if implements import instanceof interface native new package permits private protected public record return sealed static strictfp super switch synchronized this throw throws transient try var volatile while yield true false null`,
			types:    `boolean byte char double float int long short void String Object`},
		{name: "Kotlin", alias: "kotlin kt kts", line: slashes, block: stars, quotes: []quote{triple, double, single}, decorators: true, upperTypes: true,
			keywords: `abstract as break by catch class companion const constructor continue data do else enum false final finally for fun if import in init inline interface internal is lateinit null object open operator out override package private protected public return sealed super suspend this throw true try typealias val var vararg when where while`},
		{name: "Swift", alias: "swift", line: slashes, block: stars, quotes: []quote{triple, double}, decorators: true, upperTypes: true,
			keywords: `actor as associatedtype async await break case catch class continue default defer deinit do else enum extension fallthrough false fileprivate final for func guard if import in init inout internal is lazy let mutating nil open override private protocol public repeat rethrows return self Self some static struct subscript super switch throw throws true try typealias unowned var weak where while`},
		{name: "C", alias: "c h", line: slashes, block: stars, quotes: []quote{double, single}, directives: true, keywords: c, types: cTypes},
		{name: "C++", alias: "c++ cpp cc cxx hpp hh objc", line: slashes, block: stars, quotes: []quote{double, single}, prefix: " l u u8 ", directives: true,
			keywords: c + ` alignas alignof and and_eq asm catch class co_await co_return co_yield concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export final friend import module mutable namespace new noexcept not nullptr operator or override private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw try typename using virtual`,
			types:    cTypes + ` string vector map set pair tuple array unique_ptr shared_ptr optional variant string_view unordered_map std`},
		{name: "C#", alias: "c# cs csharp", line: slashes, block: stars, quotes: []quote{triple, double, single}, directives: true, upperTypes: true,
			keywords: `abstract as async await base break case catch checked class const continue default delegate do else enum event explicit extern false finally fixed for foreach get goto if implicit in init interface internal is lock namespace new null operator out override params partial private protected public readonly record ref required return sealed set sizeof stackalloc static struct switch this throw true try typeof unchecked unsafe using value var virtual volatile when where while with yield`,
			types:    `bool byte char decimal double dynamic float int long nint nuint object sbyte short string uint ulong ushort void`},
		{name: "PHP", alias: "php", line: []string{"//", "#"}, block: stars, quotes: []quote{doubleNL, {open: `'`, close: `'`, lines: true}}, dollars: true, foldCase: true,
			keywords: `abstract and array as break callable case catch class clone const continue declare default do echo else elseif empty enum extends final finally fn for foreach function global goto if implements include include_once instanceof insteadof interface isset list match namespace new or print private protected public readonly require require_once return static switch throw trait try unset use var while xor yield true false null php`,
			types:    `bool float int string void mixed never object iterable self parent`},
		{name: "Ruby", alias: "ruby rb", line: hash, quotes: []quote{doubleNL, {open: `'`, close: `'`, lines: true}, back}, upperTypes: true,
			keywords: `alias and begin break case class def defined? do else elsif end ensure false for if in module next nil not or redo rescue retry return self super then true undef unless until when while yield require require_relative attr_accessor attr_reader attr_writer private protected public raise puts lambda proc include extend`},
		{name: "Lua", alias: "lua", line: []string{"--"}, block: [2]string{"--[[", "]]"}, quotes: []quote{double, single},
			keywords: `and break do else elseif end false for function goto if in local nil not or repeat return then true until while`},
		{name: "Dockerfile", alias: "dockerfile docker containerfile", line: hash, wordHash: true, quotes: []quote{double, single}, dollars: true, dashes: true,
			keywords: `FROM AS RUN CMD LABEL MAINTAINER EXPOSE ENV ADD COPY ENTRYPOINT VOLUME USER WORKDIR ARG ONBUILD STOPSIGNAL HEALTHCHECK SHELL`},
		{name: "Diff", alias: "diff patch udiff", scan: scanDiff},
		{name: "Markdown", alias: "markdown md mdx", scan: scanMarkdown},
	}
}
