package shown

import (
	"strings"

	"screentest/shared/markdown"
)

// A html is HTML that is being written. What is given as text is escaped, so that
// it is text in a browser too, whatever it says.
type html []byte

// nodes writes Markdown's nodes, the same elements that the page makes of them.
// names goes before the ids in them, so that no two texts have the same. What the
// one element with [markdown.OpenClass] holds more is written by open, at its end;
// nil where nothing is open.
func (h *html) nodes(names string, list []markdown.Node, open func()) {
	for _, n := range list {
		if n.Tag == "" {
			h.text(n.Text)
			continue
		}
		if !markdown.Allowed(n.Tag, "") {
			continue
		}
		h.raw("<", n.Tag)
		if n.Class != "" {
			h.attr("class", n.Class)
		}
		for _, a := range n.Attrs {
			if a = a.Named(names); markdown.Allowed(n.Tag, a.Name) {
				h.attr(a.Name, a.Value)
			}
		}
		h.raw(">")
		if n.Tag == "br" || n.Tag == "hr" {
			continue
		}
		if n.Tag == "pre" && len(n.Kids) > 0 && strings.HasPrefix(n.Kids[0].Text, "\n") {
			h.raw("\n") // a browser leaves the first one out
		}
		h.nodes(names, n.Kids, open)
		if open != nil && strings.HasSuffix(n.Class, markdown.OpenClass) {
			open()
		}
		h.raw("</", n.Tag, ">")
	}
}

// raw writes what is HTML already.
func (h *html) raw(parts ...string) {
	for _, p := range parts {
		*h = append(*h, p...)
	}
}

// text writes text.
func (h *html) text(s string) {
	from := 0
	for i := range len(s) {
		var to string
		switch s[i] {
		case '&':
			to = "&amp;"
		case '<':
			to = "&lt;"
		case '>':
			to = "&gt;"
		case '"':
			to = "&#34;"
		case '\r': // else a browser makes another line end of it
			to = "&#13;"
		case 0:
			to = "\ufffd"
		default:
			continue
		}
		h.raw(s[from:i], to)
		from = i + 1
	}
	h.raw(s[from:])
}

// attr writes an attribute, which must be one that a text may say.
func (h *html) attr(name, value string) {
	h.raw(" ", name, `="`)
	h.text(value)
	h.raw(`"`)
}

// el writes an element around what body writes. attrs are names and values.
func (h *html) el(tag string, attrs []string, body func()) {
	h.raw("<", tag)
	for i := 0; i+1 < len(attrs); i += 2 {
		h.attr(attrs[i], attrs[i+1])
	}
	h.raw(">")
	body()
	h.raw("</", tag, ">")
}

// line writes an element that holds text alone; nothing where that is empty.
func (h *html) line(tag, class, text string) {
	if text == "" {
		return
	}
	h.raw("<", tag)
	if class != "" {
		h.attr("class", class)
	}
	h.raw(">")
	if tag == "pre" && text[0] == '\n' {
		h.raw("\n")
	}
	h.text(text)
	h.raw("</", tag, ">")
}
