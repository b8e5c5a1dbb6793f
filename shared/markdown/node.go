package markdown

import (
	"slices"
	"strings"
)

// A Node is one node of a drawn document: an element, or a text node when Tag
// is empty. A tree of Nodes holds no HTML: Text is shown as it is, with
// textContent, and Tag and Attrs pass Allowed. An id, and an href that starts
// with #, are of this text only: a page puts something before both that no other
// text on it has.
type Node struct {
	Tag   string // element name in lower case; "" is a text node
	Class string // space-separated class names; "" is none
	Text  string // a text node's text; an element has Kids instead
	Attrs []Attr
	Kids  []Node
}

// An Attr is one attribute of an element; its value is safe to set as it is.
type Attr struct{ Name, Value string }

// Named is a as it stands on a page where names goes before the ids of its text:
// an id, and an href that leads to one.
func (a Attr) Named(names string) Attr {
	if id, local := strings.CutPrefix(a.Value, "#"); a.Name == "href" && local {
		a.Value = "#" + names + id
	} else if a.Name == "id" {
		a.Value = names + a.Value
	}
	return a
}

// Namespace is the one in which n's element is made with createElementNS:
// MathMLNamespace, or "" for an HTML element or a text node.
func (n Node) Namespace() string {
	if _, ok := mathTags[n.Tag]; ok {
		return MathMLNamespace
	}
	return ""
}

// MathMLNamespace is the namespace of formulas.
const MathMLNamespace = "http://www.w3.org/1998/Math/MathML"

// htmlTags and mathTags are every element that a tree can hold, with the
// attributes each may have beside its class. There is no style, no event
// handler, and nothing that fetches: href and target are on links only, and an
// href is an absolute http, https or mailto address (see link.go), or leads to
// a footnote or back, which alone have ids.
var htmlTags = map[string][]string{
	"p": nil, "br": nil, "hr": nil, "div": {"role", "tabindex", "aria-label"},
	"h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
	"blockquote": nil, "ul": nil, "ol": {"start"}, "li": {"id", "tabindex"},
	"table": nil, "thead": nil, "tbody": nil, "tr": nil, "th": {"scope"}, "td": nil,
	"pre": {"tabindex", "aria-label"}, "code": nil, "button": {"type"},
	"em": nil, "strong": nil, "del": nil, "sup": nil,
	"span": {"role", "title", "aria-label"},
	"a":    {"href", "title", "rel", "target", "id", "aria-label"},
}

var mathTags = map[string][]string{
	"math": {"display"}, "mrow": nil, "mi": {"mathvariant"}, "mn": nil,
	"mo":    {"stretchy", "form", "fence", "largeop", "movablelimits", "minsize", "lspace", "rspace"},
	"mtext": nil, "mspace": {"width"}, "msqrt": nil, "mroot": nil,
	"mfrac": {"linethickness"}, "msup": nil, "msub": nil, "msubsup": nil,
	"mover": {"accent"}, "munder": {"accentunder"}, "munderover": nil,
	"mtable": {"displaystyle"}, "mtr": nil, "mtd": nil, "mstyle": {"displaystyle", "scriptlevel"},
	"mphantom": nil,
}

// Allowed reports whether a tree can hold the element tag and, unless attr is
// empty, that attribute on it. What it refuses never comes out of this
// package; a page may ask again before it makes an element.
func Allowed(tag, attr string) bool {
	attrs, ok := htmlTags[tag]
	if !ok {
		attrs, ok = mathTags[tag]
	}
	return ok && (attr == "" || slices.Contains(attrs, attr))
}

// el is an element, text a text node; both are how every node here is made.
func el(tag, class string, kids ...Node) Node {
	return Node{Tag: tag, Class: class, Kids: kids}
}

func (n Node) with(name, value string) Node {
	n.Attrs = append(n.Attrs, Attr{name, value})
	return n
}

func text(s string) Node { return Node{Text: s} }
