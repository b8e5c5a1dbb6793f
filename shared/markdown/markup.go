package markdown

import "strings"

// Languages that are not a row of words: each is read by lines or by tags.

// scanMarkup reads HTML and XML; what stands inside script and style is read
// as JavaScript and CSS.
func scanMarkup(x *lexer) {
	if x.inside != "" {
		x.embedded()
	}
	for x.pos < len(x.src) {
		start := x.pos
		switch {
		case x.at("<!--"):
			x.past("-->")
			x.take(start, clsComment)
		case x.at("<!") || x.at("<?"):
			x.past(">")
			x.take(start, clsMeta)
		case x.at("<") && start+1 < len(x.src) && (isLetter(x.src[start+1]) || x.src[start+1] == '/'):
			x.tag()
		case x.at("&"):
			end := strings.IndexAny(x.rest()[1:min(len(x.rest()), 34)], "; \n&<")
			x.pos++
			if end >= 0 && x.src[start+1+end] == ';' {
				x.pos = start + end + 2
				x.take(start, clsNumber)
			}
		default:
			x.plain()
		}
	}
}

func (x *lexer) tag() {
	start := x.pos
	x.pos++
	if x.at("/") {
		x.pos++
	}
	name := x.pos
	for x.pos < len(x.src) && (wordByte(x.src[x.pos]) || strings.IndexByte("-:.", x.src[x.pos]) >= 0) {
		x.pos++
	}
	element := strings.ToLower(x.src[name:x.pos])
	closing := x.src[start+1] == '/'
	x.take(name, clsKeyword)
	for x.pos < len(x.src) && x.src[x.pos] != '>' && x.src[x.pos] != '<' {
		start := x.pos
		switch c := x.src[x.pos]; {
		case c == '"' || c == '\'':
			x.pos++
			x.past(string(c))
			x.take(start, clsString)
		case wordByte(c) || strings.IndexByte("@:#*-[(", c) >= 0:
			for x.pos < len(x.src) && !isBlank(x.src[x.pos]) && strings.IndexByte("=>/<", x.src[x.pos]) < 0 {
				x.pos++
			}
			x.take(start, clsKey)
		case c == '=':
			x.pos++
			if x.pos < len(x.src) && strings.IndexByte("\"' \t\n>", x.src[x.pos]) < 0 {
				start = x.pos
				for x.pos < len(x.src) && !isBlank(x.src[x.pos]) && x.src[x.pos] != '>' {
					x.pos++
				}
				x.take(start, clsString)
			}
		default:
			x.pos++
		}
	}
	if x.at(">") {
		x.pos++
	}
	if !closing && (element == "script" || element == "style") {
		x.inside, x.templates, x.last, x.lastWord, x.depth = element, nil, 0, false, 0
		x.embedded()
	}
}

// embedded reads up to the end tag of the script or style element that this is
// in.
func (x *lexer) embedded() {
	outer, src := x.lang, x.src
	i := strings.Index(strings.ToLower(x.rest()), "</"+x.inside)
	if i >= 0 {
		x.src = src[:x.pos+i]
	}
	x.lang = x.all[map[string]string{"script": "js", "style": "css"}[x.inside]]
	x.scan()
	x.pos = len(x.src)
	if i >= 0 {
		x.inside, x.templates = "", nil
	}
	x.lang, x.src = outer, src
}

// scanCSS reads selectors outside braces and declarations inside; with nested
// rules a name is a property when a colon follows and no brace before a ; or }.
func scanCSS(x *lexer) {
	for x.pos < len(x.src) {
		start, c := x.pos, x.src[x.pos]
		switch {
		case x.lang.starts[c] && (x.comment() || x.quoted()):
		case c == '{':
			x.depth++
			x.pos++
		case c == '}':
			x.depth--
			x.pos++
		case c == '@':
			x.cssWord()
			x.take(start, clsKeyword)
		case c == '#' || isDigit(c) || (c == '-' || c == '.') && start+1 < len(x.src) && isDigit(x.src[start+1]):
			x.cssWord()
			if x.at("%") {
				x.pos++
			}
			if x.depth > 0 {
				x.take(start, clsNumber)
			} else {
				x.take(start, clsType)
			}
		case wordStart(c) || c == '.' && x.depth == 0 || c == '-' || c == '$':
			x.cssWord()
			x.take(start, x.cssClass())
		default:
			x.plain()
		}
	}
}

func (x *lexer) cssWord() {
	for x.pos++; x.pos < len(x.src) && (wordByte(x.src[x.pos]) || x.src[x.pos] == '-' || x.src[x.pos] == '.' && isDigit(x.src[x.pos-1])); x.pos++ {
	}
}

func (x *lexer) cssClass() string {
	const near = 200 // bytes to look ahead
	rest := x.rest()[:min(len(x.rest()), near)]
	if strings.HasPrefix(rest, "(") {
		return clsFunction
	}
	if x.depth == 0 {
		return clsType
	}
	if i := strings.IndexAny(rest, ";{}"); strings.HasPrefix(strings.TrimLeft(rest, " "), ":") && (i < 0 || rest[i] != '{') {
		return clsKey
	}
	return ""
}

// eachLine calls f at the start of every line with that line.
func (x *lexer) eachLine(f func(line string)) {
	for x.pos < len(x.src) {
		end := x.lineEnd()
		f(x.src[x.pos:end])
		x.pos = min(max(x.pos, end)+1, len(x.src))
		x.save()
	}
}

// span gives the next n bytes the class.
func (x *lexer) span(n int, class string) {
	start := x.pos
	x.pos += n
	x.take(start, class)
}

func scanDiff(x *lexer) {
	x.eachLine(func(line string) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "index "):
			x.span(len(line), clsMeta)
		case strings.HasPrefix(line, "@@"):
			x.span(len(line), clsKey)
		case strings.HasPrefix(line, "+"), strings.HasPrefix(line, ">"):
			x.span(len(line), clsInserted)
		case strings.HasPrefix(line, "-"), strings.HasPrefix(line, "<"):
			x.span(len(line), clsDeleted)
		}
	})
}

func scanYAML(x *lexer) {
	x.eachLine(func(line string) {
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		if x.block > 0 && (body == "" || indent >= x.block) {
			x.span(len(line), clsString)
			return
		}
		x.block = 0
		x.pos += indent
		if strings.HasPrefix(body, "---") || strings.HasPrefix(body, "%") {
			x.span(len(body), clsMeta)
			return
		}
		for strings.HasPrefix(body, "- ") {
			rest := strings.TrimLeft(body[2:], " ")
			x.pos += len(body) - len(rest)
			indent += len(body) - len(rest)
			body = rest
		}
		if n := yamlKey(body); n > 0 {
			x.span(n, clsKey)
			x.pos++
			body = body[n+1:]
			if v := strings.TrimSpace(body); strings.HasPrefix(v, "|") || strings.HasPrefix(v, ">") {
				x.block = indent + 1
			}
		}
		x.value(body)
	})
}

// yamlKey is the length of the key that line starts with, 0 for none.
func yamlKey(line string) int {
	if line != "" && (line[0] == '"' || line[0] == '\'') {
		if i := strings.IndexByte(line[1:], line[0]); i > 0 && strings.HasPrefix(line[i+2:], ":") {
			return i + 2
		}
		return 0
	}
	i := strings.IndexByte(line, ':')
	if i <= 0 || i+1 < len(line) && line[i+1] != ' ' || strings.IndexByte("#[{&*!|>", line[0]) >= 0 {
		return 0
	}
	return i
}

// value colours what stands behind a key: strings, numbers, words like true,
// anchors and a comment.
func (x *lexer) value(s string) {
	end := x.pos + len(s)
	for x.pos < end {
		start, c := x.pos, x.src[x.pos]
		switch {
		case (c == '#' || c == ';') && (start == 0 || isBlank(x.src[start-1])):
			x.pos = end
			x.take(start, clsComment)
		case c == '"' || c == '\'':
			x.closeValue(c, end)
			x.take(start, clsString)
		case c == '&' || c == '*' || c == '!' || c == '$':
			for x.pos++; x.pos < end && (wordByte(x.src[x.pos]) || strings.IndexByte("{}!-", x.src[x.pos]) >= 0); x.pos++ {
			}
			x.take(start, clsVariable)
		case wordByte(c) || c == '-' || c == '+':
			for x.pos++; x.pos < end && !isBlank(x.src[x.pos]) && strings.IndexByte(",]}=", x.src[x.pos]) < 0; x.pos++ {
			}
			x.take(start, scalarClass(x.src[start:x.pos]))
		default:
			x.pos++
		}
	}
}

func (x *lexer) closeValue(q byte, end int) {
	for x.pos++; x.pos < end; x.pos++ {
		if x.src[x.pos] == '\\' && q == '"' {
			x.pos++
		} else if x.src[x.pos] == q {
			x.pos++
			return
		}
	}
	x.pos = end
}

func scalarClass(s string) string {
	switch strings.ToLower(s) {
	case "true", "false", "null", "yes", "no", "on", "off", "inf", "nan":
		return clsKeyword
	}
	if strings.Trim(s, "0123456789+-.:_TZxabcdefABCDEF") == "" && strings.ContainsAny(s[:min(2, len(s))], "0123456789") {
		return clsNumber
	}
	return ""
}

// scanTOML reads TOML, and the simpler INI and .env.
func scanTOML(x *lexer) {
	x.eachLine(func(line string) {
		body := strings.TrimLeft(line, " \t")
		if x.open != "" {
			if strings.Contains(line, x.open) {
				x.open = ""
			}
			x.span(len(line), clsString)
			return
		}
		x.pos += len(line) - len(body)
		if strings.HasPrefix(body, "[") && strings.HasSuffix(strings.TrimSpace(body), "]") {
			x.span(len(body), clsMeta)
			return
		}
		if i := strings.IndexByte(body, '='); i > 0 && strings.IndexByte("#;\"'{", body[0]) < 0 {
			x.span(len(strings.TrimRight(body[:i], " \t")), clsKey)
			x.pos += i - len(strings.TrimRight(body[:i], " \t")) + 1
			body = body[i+1:]
			for _, q := range []string{`"""`, `'''`} {
				if v := strings.TrimSpace(body); strings.HasPrefix(v, q) && !strings.Contains(v[3:], q) {
					x.open = q
					x.pos += strings.Index(body, q)
					x.span(len(v), clsString)
					return
				}
			}
		}
		x.value(body)
	})
}

func scanMarkdown(x *lexer) {
	x.eachLine(func(line string) {
		body := strings.TrimLeft(line, " ")
		if x.open != "" {
			if strings.HasPrefix(body, x.open) {
				x.open = ""
			}
			x.span(len(line), clsString)
			return
		}
		switch {
		case strings.HasPrefix(body, "```"), strings.HasPrefix(body, "~~~"):
			x.open = body[:3]
			x.span(len(line), clsString)
			return
		case strings.HasPrefix(body, "#"):
			x.span(len(line), clsMeta)
			return
		case strings.HasPrefix(body, ">"):
			x.span(len(line), clsComment)
			return
		case strings.HasPrefix(body, "- "), strings.HasPrefix(body, "* "), strings.HasPrefix(body, "+ "):
			x.pos += len(line) - len(body)
			x.span(1, clsKeyword)
		}
		x.codeSpans()
	})
}

// codeSpans colours `…` up to the end of the line.
func (x *lexer) codeSpans() {
	for end := x.lineEnd(); x.pos < end; x.pos++ {
		if x.src[x.pos] != '`' {
			continue
		}
		i := strings.IndexByte(x.src[x.pos+1:end], '`')
		if i < 0 {
			return
		}
		x.span(i+2, clsString)
		x.pos--
	}
}
