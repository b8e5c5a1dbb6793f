package markdown

// A Node is one node of a drawn document: an element, or a text node when Tag
// is empty. A tree of Nodes holds no HTML: Text is shown as it is, with
// textContent, and Tag and Attrs come from the allow-list in allow.go only.
type Node struct {
	Tag   string // element name in lower case; "" is a text node
	Class string // space-separated class names; "" is none
	Text  string // a text node's text; an element has Kids instead
	Attrs []Attr
	Kids  []Node
}

// An Attr is one attribute of an element; its value is already safe to set.
type Attr struct{ Name, Value string }

// MathMLNamespace is the namespace of the elements for which Node.MathML is
// true; they are made with createElementNS.
const MathMLNamespace = "http://www.w3.org/1998/Math/MathML"
