package sandbox

import (
	"strconv"
	"strings"
)

// The bounds of the script's arguments.
const (
	maxWords = 1_000_000 // of repeat
	maxPace  = 1_000_000 // tokens a second
	maxWord  = 320       // bytes between the brackets
)

// script is what the words of a prompt ask for. See the package documentation.
type script struct {
	fail       string // the reason; "" is none
	fault      bool   // [[error]]
	incomplete bool
	drop       bool
	truncate   bool
	silent     bool
	slow       bool
	pace       float64 // tokens a second; 0 is not asked for
	repeat     int     // words; 0 is not asked for
	markdown   bool
	echo       bool
	reasoning  bool
	call       string // name of a function
	json       bool
	noUsage    bool
	expire     bool
	poll       int // status of the first poll; 0 is none
	status     int // 0 is none
	statusBody string
}

// readScript takes the words out of a prompt and returns the rest of it. The
// rest keeps its line breaks, which mean something in Markdown.
func readScript(prompt string) (sc script, rest string) {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(prompt, "[[")
		if !ok {
			break
		}
		b.WriteString(before)
		// Only so far: a prompt may be megabytes of open brackets.
		word, _, closed := strings.Cut(after[:min(len(after), maxWord)], "]]")
		if closed && sc.set(word) {
			prompt = strings.TrimPrefix(after[len(word)+2:], " ")
			continue
		}
		// Plain text; a word may still begin within it.
		b.WriteString("[[")
		prompt = after
	}
	b.WriteString(prompt)
	return sc, strings.TrimSpace(b.String())
}

// set takes one word and says whether it is one.
func (sc *script) set(word string) bool {
	name, arg, given := strings.Cut(word, ":")
	name, arg = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(arg)
	if given {
		switch name {
		case "fail":
			sc.fail = arg
			return arg != ""
		case "call":
			sc.call = arg
			return arg != ""
		case "repeat":
			return number(arg, maxWords, &sc.repeat)
		case "pace":
			var n int
			ok := number(arg, maxPace, &n)
			sc.pace = float64(n)
			return ok
		case "poll":
			return httpStatus(arg, &sc.poll)
		case "status":
			code, body, _ := strings.Cut(arg, " ")
			if body != "" && body != "html" && body != "empty" {
				return false
			}
			if body == "" && (code == "502" || code == "504") {
				body = "html"
			}
			sc.statusBody = body
			return httpStatus(code, &sc.status)
		}
		return false
	}
	flags := map[string]*bool{
		"error": &sc.fault, "incomplete": &sc.incomplete, "drop": &sc.drop, "truncate": &sc.truncate,
		"silent": &sc.silent, "slow": &sc.slow, "markdown": &sc.markdown, "echo": &sc.echo,
		"reasoning": &sc.reasoning, "json": &sc.json, "no-usage": &sc.noUsage, "expire": &sc.expire,
	}
	if f := flags[name]; f != nil {
		*f = true
		return true
	}
	if name == "fail" {
		sc.fail = "the script asked for it"
		return true
	}
	return false
}

// number reads 1 to limit.
func number(s string, limit int, to *int) bool {
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 || n > limit {
		return false
	}
	*to = n
	return true
}

// httpStatus reads 400 to 599.
func httpStatus(s string, to *int) bool {
	n, err := strconv.Atoi(s)
	if err != nil || n < 400 || n > 599 {
		return false
	}
	*to = n
	return true
}

// free says whether the script leaves open what the answer is.
func (sc *script) free() bool {
	return !sc.half() && sc.repeat == 0 && !sc.markdown && !sc.echo && sc.call == ""
}

// half says whether the answer stops half way, and is not what it would be.
func (sc *script) half() bool {
	return sc.fail != "" || sc.fault || sc.incomplete || sc.drop || sc.truncate || sc.silent
}
