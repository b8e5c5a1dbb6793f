package markdown

import "strings"

// maxHighlight bounds, in bytes, the beginning of code that is coloured, and maxLabelShown,
// in characters, the name of an unknown language.
const (
	maxHighlight  = 64 << 10
	maxLabelShown = 24
)

// CopyClass is the class of a code block's copy button. A click on it copies
// the text of the code element beside it, below the element with CodeClass.
const (
	CopyClass = "md-copy"
	CodeClass = "md-code"
)

// drawCode draws a code block: a head with the language and a copy button, and
// the code, coloured when its language is known. A code block scrolls sideways
// and so is reachable by keyboard.
func drawCode(info, source string) Node {
	lang, label := languageOf(info)
	code := el("code", "")
	n := 0
	if lang != nil {
		n = colourable(source)
		code.Kids = highlight(lang, source[:n])
	}
	code.Kids = coalesce(append(code.Kids, textNodes(source[n:], true)...))
	return codeFrame(label, code)
}

// colourable is how much of code is coloured: all, or the first lines.
func colourable(code string) int {
	if len(code) <= maxHighlight {
		return len(code)
	}
	return strings.LastIndexByte(code[:maxHighlight], '\n') + 1
}

func codeFrame(label string, code Node) Node {
	if label == "" {
		label = "Plain text"
	}
	name := el("span", "md-lang")
	name.Kids = textNodes(label, true)
	head := el("div", "md-code-head", name,
		el("button", CopyClass, text("Copy")).with("type", "button"))
	pre := el("pre", "", code).with("tabindex", "0").with("aria-label", "Code")
	return el("div", CodeClass, head, pre)
}

// languageOf finds the language that a fence's info string names, nil when it
// is not among languages, and the name to show.
func languageOf(info string) (*language, string) {
	word := strings.Trim(info, " \t{}.")
	if i := strings.IndexAny(word, " \t,:{"); i >= 0 {
		word = word[:i]
	}
	if l := languages()[strings.ToLower(word)]; l != nil {
		return l, l.name
	}
	n := 0
	for i := range word {
		if n++; n > maxLabelShown {
			return nil, word[:i] + "…"
		}
	}
	return nil, word
}
