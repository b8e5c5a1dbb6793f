package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/util"
)

// references are a document's link definitions by their normal label.
type references map[string]parser.Reference

// A context is goldmark's, with the link definitions of the whole document:
// those found before, and its own, which come second because the first
// definition of a label counts.
type context struct {
	parser.Context
	before, own references
	notes       *notes
}

func newContext(before, own references, n *notes) *context {
	c := &context{Context: parser.NewContext(), before: before, own: own, notes: n}
	if n != nil {
		c.Set(notesKey, n)
	}
	return c
}

func (c *context) AddReference(r parser.Reference) {
	key := util.ToLinkReference(r.Label())
	if _, ok := c.Reference(key); !ok {
		// The source may be overwritten while the definition stays.
		c.own[key] = parser.NewReference(bytes.Clone(r.Label()), bytes.Clone(r.Destination()), bytes.Clone(r.Title()))
	}
}

func (c *context) Reference(label string) (parser.Reference, bool) {
	if r, ok := c.before[label]; ok {
		return r, true
	}
	r, ok := c.own[label]
	return r, ok
}

func (c *context) References() []parser.Reference {
	var out []parser.Reference
	for _, m := range []references{c.before, c.own} {
		for _, r := range m {
			out = append(out, r)
		}
	}
	return out
}
