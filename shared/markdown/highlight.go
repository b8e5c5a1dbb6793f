package markdown

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A token's class, one of md-k keyword, md-t type or built-in, md-s string,
// md-n number, md-c comment, md-f function, md-a attribute, key or decorator,
// md-v variable, md-m directive or heading, md-i inserted, md-d deleted. Text
// without a class stands for itself.
const (
	clsKeyword  = "md-k"
	clsType     = "md-t"
	clsString   = "md-s"
	clsNumber   = "md-n"
	clsComment  = "md-c"
	clsFunction = "md-f"
	clsKey      = "md-a"
	clsVariable = "md-v"
	clsMeta     = "md-m"
	clsInserted = "md-i"
	clsDeleted  = "md-d"
)

// highlight cuts code into spans. It reads every byte a bounded number of
// times, without regular expressions, and gives all of the text back.
func highlight(lang *language, code string) []Node {
	return (&colours{lang: lang}).add(code)
}

// colours colours code that grows, by whole lines: a line is read once, but for
// those of a comment or string that has no end yet.
type colours struct {
	lang  *language
	src   string // from where reading can go on
	from  state  // there; its pos is 0
	given int    // bytes of src that add has returned
}

// add returns the next lines in their colours. Of lines that are not whole
// nothing may follow.
func (c *colours) add(lines string) []Node {
	x := &lexer{all: languages(), lang: c.lang, src: c.src + lines, mark: c.given, state: c.from, safe: c.from}
	x.scan()
	x.flush(len(x.src))
	c.src, c.from = x.src[x.safe.pos:], x.safe
	c.from.pos, c.given = 0, len(c.src)
	for i := range x.out {
		x.out[i].Kids = coalesce(x.out[i].Kids)
	}
	return coalesce(x.out)
}

// A lexer is a place in the code and what was cut so far. What lies between
// mark and pos has no class yet.
type lexer struct {
	all  map[string]*language
	lang *language
	src  string
	mark int
	out  []Node
	state
	safe state // the last place from which reading can go on: see save
}

// state is all that reading on from a place depends on.
type state struct {
	pos       int
	last      byte   // last byte of code that is no white space, for regular expressions
	lastWord  bool   // it ends a value or a name
	templates []int  // open braces in each ${ of a template string
	depth     int    // open braces of a style sheet
	block     int    // YAML: 1 + the indent of the key whose block text this is
	open      string // what ends the lines of a string or of code, if they are open
	inside    string // the script or style element that this is in
}

// save notes that reading can go on from here: a line has ended, and no token
// is open.
func (x *lexer) save() {
	x.safe = x.state
	x.safe.templates = slices.Clone(x.templates)
}

// scan reads to the end.
func (x *lexer) scan() {
	if x.lang.scan != nil {
		x.lang.scan(x)
	} else {
		x.generic(len(x.src))
	}
}

// plain goes over a byte without a class.
func (x *lexer) plain() {
	x.pos++
	if x.src[x.pos-1] == '\n' {
		x.save()
	}
}

// flush gives the text up to end without a class.
func (x *lexer) flush(end int) {
	if end > x.mark {
		x.out = appendText(x.out, x.src[x.mark:end], true)
		x.mark = end
	}
}

// take gives the text from start to x.pos the class; without one it stays plain.
func (x *lexer) take(start int, class string) {
	start = max(start, x.mark)
	if x.pos <= start || class == "" {
		return
	}
	x.flush(start)
	if n := len(x.out); n > 0 && x.out[n-1].Class == class {
		x.out[n-1].Kids = appendText(x.out[n-1].Kids, x.src[start:x.pos], true)
	} else {
		x.out = append(x.out, el("span", class, appendText(nil, x.src[start:x.pos], true)...))
	}
	x.mark = x.pos
}

func (x *lexer) rest() string { return x.src[x.pos:] }

func (x *lexer) at(s string) bool { return strings.HasPrefix(x.src[x.pos:], s) }

// lineEnd is the index of the next newline, or the end.
func (x *lexer) lineEnd() int {
	if i := strings.IndexByte(x.src[x.pos:], '\n'); i >= 0 {
		return x.pos + i
	}
	return len(x.src)
}

// past moves behind the next s, or to the end.
func (x *lexer) past(s string) {
	if i := strings.Index(x.src[x.pos:], s); i >= 0 {
		x.pos += i + len(s)
	} else {
		x.pos = len(x.src)
	}
}

func (x *lexer) lineStart() bool {
	for i := x.pos - 1; i >= 0 && x.src[i] != '\n'; i-- {
		if x.src[i] != ' ' && x.src[i] != '\t' {
			return false
		}
	}
	return true
}

func wordStart(c byte) bool {
	return isLetter(c) || c == '_' || c >= utf8.RuneSelf
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func wordByte(c byte) bool { return wordStart(c) || isDigit(c) }

func isBlank(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// generic reads up to end by the language's table.
func (x *lexer) generic(end int) {
	for x.pos < end {
		x.step()
	}
}

// step reads one token.
func (x *lexer) step() {
	start, c, l := x.pos, x.src[x.pos], x.lang
	switch {
	case isBlank(c):
		x.plain()
		return
	case l.starts[c] && (x.comment() || x.quoted()):
		return
	case c == '`' && l.template:
		x.pos++
		x.inTemplate(start)
	case c == '/' && l.regexps && x.regexp():
		x.take(start, clsString)
	case isDigit(c) || c == '.' && start+1 < len(x.src) && isDigit(x.src[start+1]):
		x.number()
		x.take(start, clsNumber)
	case wordStart(c):
		x.word()
		return
	case c == '@' && l.decorators && x.name(1):
		x.take(start, clsKey)
	case c == '$' && l.dollars && x.variable():
		x.take(start, clsVariable)
	case c == '#' && l.directives && x.lineStart():
		x.directive()
	case c == '#' && l.attributes && (x.at("#[") || x.at("#![")):
		x.pos = min(x.lineEnd(), x.pos+strings.IndexByte(x.rest()+"]", ']')+1)
		x.take(start, clsKey)
	case c == '{' && len(x.templates) > 0:
		x.templates[len(x.templates)-1]++
		x.pos++
	case c == '}' && len(x.templates) > 0:
		x.pos++
		if x.templates[len(x.templates)-1]--; x.templates[len(x.templates)-1] < 0 {
			x.templates = x.templates[:len(x.templates)-1]
			x.inTemplate(start)
		}
	default:
		x.pos++
	}
	x.last, x.lastWord = x.src[x.pos-1], wordByte(x.src[x.pos-1])
}

// comment reads a comment, if one starts here.
func (x *lexer) comment() bool {
	start := x.pos
	for _, open := range x.lang.line {
		if !x.at(open) || open == "#" && x.lang.wordHash && start > 0 && !isBlank(x.src[start-1]) && x.src[start-1] != ';' {
			continue
		}
		x.pos = x.lineEnd()
		x.take(start, clsComment)
		return true
	}
	if open := x.lang.block[0]; open != "" && x.at(open) {
		x.pos += len(open)
		x.past(x.lang.block[1])
		x.take(start, clsComment)
		return true
	}
	return false
}

// regexp reads a regular expression where a value can start.
func (x *lexer) regexp() bool {
	if x.lastWord || x.last == ')' || x.last == ']' || x.last == '}' || x.last == '"' {
		return false
	}
	const longest = 500
	class := false
	for i := x.pos + 1; i < len(x.src) && i < x.pos+longest; i++ {
		switch c := x.src[i]; {
		case c == '\n':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			for i++; i < len(x.src) && isLetter(x.src[i]); i++ {
			}
			x.pos = i
			return true
		}
	}
	return false
}

func (x *lexer) number() {
	for x.pos++; x.pos < len(x.src); x.pos++ {
		c := x.src[x.pos]
		sign := (c == '+' || c == '-') && x.src[x.pos-1]|0x20 == 'e' && x.pos+1 < len(x.src) && isDigit(x.src[x.pos+1])
		point := c == '.' && x.pos+1 < len(x.src) && isDigit(x.src[x.pos+1])
		if !wordByte(c) && !sign && !point || c >= utf8.RuneSelf {
			return
		}
	}
}

// name moves over a dotted name that starts skip bytes on.
func (x *lexer) name(skip int) bool {
	i := x.pos + skip
	if i >= len(x.src) || !wordStart(x.src[i]) {
		return false
	}
	for i < len(x.src) && (wordByte(x.src[i]) || x.src[i] == '.') {
		i++
	}
	x.pos = i
	return true
}

// variable moves over $name, ${name} and $1.
func (x *lexer) variable() bool {
	s := x.rest()
	if strings.HasPrefix(s, "${") {
		if i := strings.IndexAny(s, "}\n"); i > 0 && s[i] == '}' {
			x.pos += i + 1
			return true
		}
		return false
	}
	n := 1
	for n < len(s) && wordByte(s[n]) {
		n++
	}
	if n == 1 && len(s) > 1 && strings.IndexByte("@#?*!$-", s[1]) >= 0 {
		n = 2
	}
	if n > 1 {
		x.pos += n
	}
	return n > 1
}

// directive reads a line's #word, and the file that it includes.
func (x *lexer) directive() {
	start := x.pos
	for x.pos++; x.pos < len(x.src) && (x.src[x.pos] == ' ' || isLetter(x.src[x.pos])); x.pos++ {
	}
	word := strings.TrimRight(x.src[start:x.pos], " ")
	x.pos = start + len(word)
	x.take(start, clsMeta)
	if strings.HasSuffix(word, "include") {
		start, end := x.pos, x.lineEnd()
		if i := strings.IndexByte(x.src[start:end], '>'); i >= 0 && strings.HasPrefix(strings.TrimLeft(x.src[start:end], " "), "<") {
			x.pos += i + 1
			x.take(start+strings.IndexByte(x.src[start:end], '<'), clsString)
		}
	}
}

// word reads a name and gives it its class.
func (x *lexer) word() {
	start, l := x.pos, x.lang
	for x.pos < len(x.src) && (wordByte(x.src[x.pos]) || l.dashes && x.src[x.pos] == '-') {
		x.pos++
	}
	w := x.src[start:x.pos]
	if len(w) <= 3 && x.pos < len(x.src) && l.prefixed(strings.ToLower(w)) && x.prefixedString(start) {
		return
	}
	class := l.class(w)
	if class == clsKeyword && start > 0 && x.src[start-1] == '.' {
		class = "" // a member that is called like a keyword
	}
	if class == "" {
		after := strings.TrimLeft(x.src[x.pos:min(len(x.src), x.pos+8)], " \t")
		switch {
		case strings.HasPrefix(after, "("), l.bangs && strings.HasPrefix(after, "!("):
			class = clsFunction
		case l.keys && strings.HasPrefix(after, ":") && x.keyPlace():
			class = clsKey
		case l.upperTypes && w[0] >= 'A' && w[0] <= 'Z' && strings.ToUpper(w) != w:
			class = clsType
		}
	}
	if class != "" {
		x.take(start, class)
	}
	x.last, x.lastWord = 'a', class != clsKeyword
	if class == clsKeyword {
		x.last = ';' // a value can follow: return /x/
	}
}

// keyPlace: a name before a colon is a key after { or , only.
func (x *lexer) keyPlace() bool { return x.last == '{' || x.last == ',' || x.last == 0 }
