package voice

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// kind is what a prompt asks for.
type kind int

const (
	explain kind = iota
	code
	compare
	steps
	list
	write
	sum
	hello
	self
)

// kinds are tried in this order.
var kinds = []struct {
	kind    kind
	pattern *regexp.Regexp
}{
	{hello, regexp.MustCompile(`(?i)^(hi|hello|hey|good (morning|evening|afternoon)|howdy|moin|servus|hallo)\b[\s,!.\w]{0,20}$`)},
	{self, regexp.MustCompile(`(?i)\b(who|what) are you\b|\bwhat can you do\b|\byour name\b|\bwhich model\b`)},
	{sum, sumPattern},
	{code, regexp.MustCompile(`(?i)\b(code|function|program|script|regexp?|sql|query|golang|go|python|javascript|typescript|rust|bash|shell|html|css|json|algorithm|unit test|bug|compile)\b`)},
	{compare, regexp.MustCompile(`(?i)\b(vs\.?|versus|compare|comparison|difference between|better)\b`)},
	{write, regexp.MustCompile(`(?i)\b(poem|haiku|story|limerick|song|letter|e-?mail|tale|slogan)\b`)},
	{steps, regexp.MustCompile(`(?i)\b(how (do|can|to|should)|step by step|steps|plan|guide|recipe|set up|install)\b`)},
	{list, regexp.MustCompile(`(?i)\b(list|ideas|names|examples|suggest|top \d+|\d+ (ways|things|reasons|tips|facts))\b`)},
}

func kindOf(prompt string) kind {
	p := cut(prompt, 2000)
	for _, k := range kinds {
		if k.pattern.MatchString(p) {
			return k.kind
		}
	}
	return explain
}

// Need says what a prompt needs beside words.
type Need int

// The needs.
const (
	TextOnly Need = iota // a greeting, a poem, code, or what to say word for word
	Perhaps              // an explanation, a comparison: something that fits may help
	Action               // something is to be found out or done
)

var explainPattern = regexp.MustCompile(`(?i)^\s*(please\s+)?(explain|describe|why|tell|summari[sz]e|translate|define|discuss|teach)\b`)

// NeedOf is what a prompt needs.
func NeedOf(prompt string) Need {
	if _, ok := verbatim(prompt); ok || strings.TrimSpace(prompt) == "" {
		return TextOnly
	}
	switch k := kindOf(prompt); {
	case k == hello || k == self || k == sum || k == write || k == code:
		return TextOnly
	case k == explain && !explainPattern.MatchString(cut(prompt, 2000)):
		return Action
	}
	return Perhaps
}

// verbatimPattern is a prompt that says what to answer.
var verbatimPattern = regexp.MustCompile(`(?is)^\s*(?:please\s+)?(?:say|repeat|(?:reply|answer|respond) (?:only )?with|write only)(?:\s+(?:exactly|just|only|the words?))*\s*[:,]?\s+(.+?)\s*$`)

// verbatim returns what the prompt wants said word for word.
func verbatim(prompt string) (string, bool) {
	if len(prompt) > 20_000 {
		return "", false
	}
	m := verbatimPattern.FindStringSubmatch(prompt)
	if m == nil {
		return "", false
	}
	t := m[1]
	for _, q := range []string{`""`, `''`, "“”", "‘’", "``"} {
		_, n := utf8.DecodeRuneInString(q)
		if rest, ok := strings.CutPrefix(t, q[:n]); ok {
			if rest, ok := strings.CutSuffix(strings.TrimSuffix(rest, "."), q[n:]); ok {
				return rest, true
			}
		}
	}
	return t, true
}

// lead-ins that are not part of a subject.
var leadIn = regexp.MustCompile(`(?i)^(please|can you|could you|would you|tell me|explain( to me)?|describe|write( me)?|show( me)?|give( me)?|make|create|search( the web)?( for)?|find|look up|use|compare|list|suggest|what('s| is| are| was| were)|how (do|does|can|should|to)( i| you| we| one)?|why( is| are| do| does)?|who( is| are| was)?|(\d+|some|a few) (ideas|ways|things|tips|names|examples|reasons|facts)( for| to| about| of)?|when|where( is| are)?|a|an|the|some|about|me|in detail|briefly|in (one|two|three|a few) (words?|sentences?|paragraphs?)|step by step)\b[\s,:]*`)

// howPattern is a question whose verb comes last: "How does a lock work?"
var howPattern = regexp.MustCompile(`(?i)\bhow (do|does|did|a|the|an)\b`)

// subjectOf is what the prompt is about, short enough to be quoted, and safe
// inside a line of Markdown.
func subjectOf(prompt string) string {
	prompt = cut(strings.TrimSpace(prompt), 2000)
	line := prompt
	if first, _, ok := strings.Cut(line, "\n"); ok {
		line = strings.TrimSpace(first)
	}
	line = cut(line, 400)
	for range 6 {
		next := leadIn.ReplaceAllString(line, "")
		if next == line || next == "" {
			break
		}
		line = next
	}
	if i := strings.IndexAny(line, "?!;"); i > 8 {
		line = line[:i]
	}
	line = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune("`*_[]<>|#\\$~", r) {
			return -1
		}
		return r
	}, line)
	words := strings.Fields(line)
	line = ""
	for i, word := range words {
		if i == 8 || utf8.RuneCountInString(line)+utf8.RuneCountInString(word) > 60 {
			line += "…"
			break
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	line = strings.TrimRight(line, " .,:;!?")
	if howPattern.MatchString(prompt) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, " work"), " works")
	}
	if who := howDoes.FindStringSubmatch(prompt); who != nil && !anyone.MatchString(who[2]) {
		line = doer(line)
	}
	if line == "" || line == "…" {
		return "this"
	}
	return cut(line, 200)
}

// howDoes begins a question of how something does what it does.
var howDoes = regexp.MustCompile(`(?i)^how (do|does|did) (\S+)`)

// anyone is who does it where that says nothing.
var anyone = regexp.MustCompile(`(?i)^(i|you|we|one|they|people)$`)

// doer is what does something, of "back-pressure keep a stream honest": the words
// before a verb can't be told from it, so that the first word has to do, and with it
// what it is of.
func doer(line string) string {
	words := strings.Fields(line)
	switch {
	case len(words) < 3:
		return line
	case words[1] == "of":
		return strings.Join(words[:3], " ")
	}
	return words[0]
}

// cut cuts s to at most n bytes, between characters.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// shortName is a model's id without the vendor's prefix.
func shortName(model string) string { return model[strings.LastIndexByte(model, '/')+1:] }

// sides are the two things that a prompt compares.
func sides(prompt string) (a, b string) {
	first, _, _ := strings.Cut(cut(strings.TrimSpace(prompt), 2000), "\n")
	p := cut(first, 400)
	m := sidesPattern.FindStringSubmatch(p)
	if m == nil {
		return subjectOf(prompt), "the usual alternative"
	}
	return subjectOf(m[1]), subjectOf(m[2])
}

var sidesPattern = regexp.MustCompile(`(?i)^(?:.*?\b(?:compare|between|than|is|are|choose|prefer)\s+)?(.+?)\s+(?:vs\.?|versus|and|or|with|to)\s+(.+?)(?:\s+(?:for|in|when|as|better)\b.*)?[?.!]*$`)
