// Package markdown turns the Markdown of an answer into a small tree of Nodes
// that the page draws with createElement and textContent: no HTML string is
// made on the way, so none can be smuggled in.
//
// A finished text goes through Renderer.Render. A text that still grows goes
// through a Stream, which hands out each block once, when nothing can change it
// any more, and says how to show the open rest; the result is the same tree,
// however the text was cut.
//
// It reads CommonMark and GFM (tables, strikethrough, task lists, autolinks),
// footnotes, and formulas. Raw HTML is text, but for <br>. Pictures are links:
// nothing is fetched. A link that is not absolute http, https or mailto is text
// with its address beside it. Headings start at h3. Characters that reorder
// their neighbours are shown by their code point. Each bound on what a text can
// cost is in parse.go; what is over one is shown as text.
//
// Code is coloured by a lexer of this package (highlight.go, languages.go) and
// formulas are turned into MathML by a parser of this package (tex.go). The
// libraries were tried first: fifteen of chroma's lexers add 0.31 MB to the
// compressed program and match by backtracking expressions, treeblood adds
// 0.16 MB and logs what it reads; these two together add 0.06 MB, take linear
// time, and make Nodes directly. Chroma is the yardstick of the lexer's test.
package markdown

import (
	"bytes"
	"iter"
	"slices"
	"sync"

	"github.com/yuin/goldmark/parser"
	gtext "github.com/yuin/goldmark/text"
)

// A Renderer turns Markdown into Nodes. Its parser is made on first use, so
// that making a Renderer costs nothing; Prepare does that early, when a page
// has time. The zero value is ready; it is for one goroutine at a time.
type Renderer struct {
	once   sync.Once
	full   parser.Parser
	blocks parser.Parser // without inline parsing: only where blocks end
}

// Prepare makes what the first Render or Append would make.
func (r *Renderer) Prepare() {
	r.once.Do(func() { r.full, r.blocks = newParsers() })
}

// Render draws a whole document. Joined, its blocks are the tree that a Stream
// gives for the same text.
func (r *Renderer) Render(source string) []Block { return slices.Collect(r.Blocks(source)) }

// Blocks draws a whole document block by block, as Render does, for a page that
// has to stop in between to let others work (see iter.Pull). Between two blocks
// the Renderer may be used for other texts.
func (r *Renderer) Blocks(source string) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		r.Prepare()
		src, _ := appendLines(nil, source, false)
		refs, notes := references{}, newNotes()
		pieces, _ := r.split(src, newContext(refs, refs, nil))
		for _, p := range pieces {
			if p.kind == note {
				notes.defined[p.note] = true
			}
		}
		definitions := map[string][]byte{}
		for _, p := range pieces {
			part := src[p.start:p.end]
			if p.kind == note {
				if definitions[p.note] == nil {
					definitions[p.note] = part
				}
				continue
			}
			nodes := r.draw(part, p.kind, newContext(refs, references{}, notes))
			if len(nodes) > 0 && !yield(Block{Nodes: nodes, Size: len(part)}) {
				return
			}
		}
		if b := r.footnotes(notes, refs, definitions); len(b.Nodes) > 0 {
			yield(b)
		}
	}
}

// footnotes draws the definitions that are referred to, in the order of their
// numbers; one that refers to another appends to that order.
func (r *Renderer) footnotes(notes *notes, refs references, definitions map[string][]byte) Block {
	list := el("ol", "md-notes")
	size := 0
	for i := 0; i < len(notes.order); i++ {
		part := definitions[notes.order[i]]
		size += len(part)
		list.Kids = append(list.Kids, noteItem(i+1, r.draw(part, note, newContext(refs, references{}, notes))))
	}
	if len(list.Kids) == 0 {
		return Block{}
	}
	return Block{Nodes: []Node{list}, Size: size}
}

// draw draws one piece: as plain text if it is over a bound, or if the parser
// does not get through it.
func (r *Renderer) draw(part []byte, kind pieceKind, pc *context) (nodes []Node) {
	if kind != fence && len(bytes.TrimSpace(part)) > maxBlock {
		return plain(part)
	}
	defer func() {
		if recover() != nil {
			nodes = plain(part)
		}
	}()
	doc := r.full.Parse(gtext.NewReader(part), parser.WithContext(pc))
	d := &builder{src: part, notes: pc.notes, left: maxNodes}
	if kind == note && doc.FirstChild() != nil {
		return d.blocks(doc.FirstChild())
	}
	return d.blocks(doc)
}

// plain shows source as it is.
func plain(part []byte) []Node {
	return []Node{el("pre", "md-plain", textNodes(string(bytes.TrimSpace(part)), false)...)}
}
