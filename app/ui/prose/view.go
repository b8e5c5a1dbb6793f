//go:build js && wasm

// Package prose draws Markdown by direct DOM, also while it grows: go-app would
// draw all of it again with every piece.
//
// A [Pen] makes the [View] of a text. [View.Grow] draws what the text has beyond
// what was drawn, a slice at a time, so that its caller decides how long that may
// take in a frame.
package prose

import (
	"iter"
	"strconv"
	"strings"
	"syscall/js"

	"screentest/app/ui/kit"
	"screentest/shared/markdown"
)

const (
	// slice bounds the Markdown that is drawn at once, in bytes, so that the
	// time it takes is looked at often enough.
	slice = 3 << 10
	// chunkSize is the Markdown, in bytes, after which closed blocks are sealed
	// in an element that the browser leaves out while it is off the screen.
	chunkSize = 2 << 10
	// linesTogether is how many nodes of coloured code stand in one block.
	linesTogether = 200
)

// Pen draws the texts of a page.
type Pen struct {
	dom   kit.DOM
	md    markdown.Renderer
	texts int // drawn so far, for their names
}

// NewPen returns the Pen of a page.
func NewPen(dom kit.DOM) *Pen { return &Pen{dom: dom} }

// View draws Markdown that may still grow into an element: blocks that
// are closed once, in chunks, and the open rest after them.
type View struct {
	pen    *Pen
	host   js.Value
	names  string // before the ids in it
	stream *markdown.Stream
	text   string // what was drawn
	closed bool   // to its end

	chunks []*chunk // of closed blocks; the last may take more

	// Where the end of a document changes what stands before it, as a footnote
	// does, its blocks are looked through once more, a chunk at a time.
	again func() (markdown.Block, bool) // the next of them; nil when done
	stop  func()                        // gives again up
	at    int                           // the chunk that is looked at

	tail    js.Value // holds the open rest
	open    js.Value // text node in the tail that grows
	lines   js.Value // element before it that takes the next lines of open code
	inLines int      // nodes in lines
	caret   js.Value // element that shows it
}

// chunk is a stretch of closed blocks in an element of its own.
type chunk struct {
	el     js.Value
	size   int // bytes of Markdown
	blocks []drawn
	sealed bool
}

// drawn is what is known of a block in the document.
type drawn struct {
	sum   uint64 // over its nodes
	nodes int    // in the chunk's element
}

// New returns the View of a text that host will hold.
func (p *Pen) New(host js.Value) *View {
	p.texts++
	v := &View{pen: p, host: host, names: "text-" + strconv.Itoa(p.texts) + "-"}
	v.Clear()
	return v
}

// Clear forgets what was drawn.
func (v *View) Clear() {
	v.host.Call("replaceChildren")
	v.host.Get("classList").Call("remove", "raw")
	v.tail = v.pen.dom.El("div", "tail")
	v.host.Call("append", v.tail)
	v.stream = v.pen.md.NewStream()
	v.text, v.closed = "", false
	v.chunks = nil
	v.EndRepair()
	v.open, v.lines, v.caret = js.Undefined(), js.Undefined(), js.Undefined()
}

// ShowRaw shows text as it was written, before any of it is drawn.
func (v *View) ShowRaw(text string) {
	v.host.Get("classList").Call("add", "raw")
	v.tail.Set("textContent", text)
}

// Grow draws what text has beyond what was drawn, at most one slice of it, and
// says whether more is left. A text that goes on otherwise is drawn anew. With
// final, nothing will follow.
func (v *View) Grow(text string, final bool) (more bool) {
	if !strings.HasPrefix(text, v.text) || v.closed && len(text) > len(v.text) {
		v.Clear()
	}
	if v.closed {
		return v.repair()
	}
	if v.text == "" && text != "" {
		v.host.Get("classList").Call("remove", "raw")
		v.tail.Call("replaceChildren")
	}
	rest := text[len(v.text):]
	if len(rest) > slice {
		rest, more = rest[:slice], true
	}
	if rest != "" {
		v.blocks(v.stream.Append(rest))
		v.text = text[:len(v.text)+len(rest)]
	}
	switch {
	case more:
	case final:
		v.finish()
		more = v.again != nil
	case rest != "":
		v.drawTail()
	}
	return more
}

// blocks draws closed blocks before the tail.
func (v *View) blocks(blocks []markdown.Block) {
	for _, b := range blocks {
		if n := len(v.chunks); n == 0 || v.chunks[n-1].sealed {
			c := &chunk{el: v.pen.dom.El("div", "text-chunk")}
			v.chunks = append(v.chunks, c)
			v.host.Call("insertBefore", c.el, v.tail)
		}
		c := v.chunks[len(v.chunks)-1]
		nodes(v.pen.dom, v.names, c.el, b.Nodes)
		if c.add(b); c.sealed {
			c.el.Get("classList").Call("add", "sealed")
		}
	}
}

// add counts a block in.
func (c *chunk) add(b markdown.Block) {
	c.blocks = append(c.blocks, drawn{sumNodes(0, b.Nodes), len(b.Nodes)})
	c.size += b.Size
	c.sealed = c.size >= chunkSize
}

func (v *View) drawTail() {
	t := v.stream.Tail()
	if t.Fresh {
		v.hideCaret()
		v.tail.Call("replaceChildren")
		nodes(v.pen.dom, v.names, v.tail, t.Nodes)
		v.open, v.lines = js.Undefined(), js.Undefined()
	}
	if t.Text == "" && len(t.Lines) == 0 {
		return
	}
	if v.open.IsUndefined() {
		e := v.tail.Call("querySelector", "."+markdown.OpenClass)
		if e.IsNull() {
			return
		}
		v.open = v.pen.dom.Doc.Call("createTextNode", "")
		e.Call("append", v.open)
	}
	if len(t.Lines) == 0 {
		v.open.Call("appendData", t.Text)
		return
	}
	// Blocks of lines, for the browser lays a block out as a whole.
	if v.lines.IsUndefined() || v.inLines > linesTogether {
		v.lines, v.inLines = v.pen.dom.El("span", "md-lines"), 0
		v.open.Call("before", v.lines)
	}
	lines := v.pen.dom.Doc.Call("createDocumentFragment")
	nodes(v.pen.dom, v.names, lines, t.Lines)
	v.lines.Call("append", lines)
	v.inLines += len(t.Lines)
	v.open.Set("data", t.Text)
}

// finish draws the last blocks. What the end of the document changes before
// them is left to repair.
func (v *View) finish() {
	v.hideCaret()
	blocks, redraw := v.stream.Close()
	v.blocks(blocks)
	v.tail.Call("remove")
	v.stream, v.open = nil, js.Undefined()
	v.closed = true
	if redraw {
		v.again, v.stop = iter.Pull(v.pen.md.Blocks(v.text))
		v.at = 0
	}
}

// repair looks at one chunk of a closed document, draws its blocks again that are
// not what the whole document makes them, and says whether more are left.
func (v *View) repair() (more bool) {
	if v.again == nil {
		return false
	}
	var want chunk
	var blocks []markdown.Block
	for !want.sealed {
		b, ok := v.again()
		if !ok {
			v.EndRepair()
			break
		}
		blocks = append(blocks, b)
		want.add(b)
	}
	if len(blocks) == 0 {
		v.dropRest()
		return false
	}
	if v.at == len(v.chunks) {
		c := &chunk{el: v.pen.dom.El("div", "text-chunk")}
		v.chunks = append(v.chunks, c)
		v.host.Call("append", c.el)
	}
	c := v.chunks[v.at]
	v.at++
	v.replace(c, want, blocks)
	if v.again == nil {
		v.dropRest()
	}
	return v.again != nil
}

// replace makes c what want is, which has these blocks.
func (v *View) replace(c *chunk, want chunk, blocks []markdown.Block) {
	at := 0 // of the next block's nodes
	for i := range max(len(c.blocks), len(blocks)) {
		var old, meant drawn
		if i < len(c.blocks) {
			old = c.blocks[i]
		}
		if i < len(blocks) {
			meant = want.blocks[i]
		}
		if old != meant {
			there := c.el.Get("childNodes")
			for range old.nodes {
				there.Index(at).Call("remove")
			}
			if i < len(blocks) {
				block := v.pen.dom.Doc.Call("createDocumentFragment")
				nodes(v.pen.dom, v.names, block, blocks[i].Nodes)
				c.el.Call("insertBefore", block, there.Index(at))
			}
		}
		at += meant.nodes
	}
	if c.sealed != want.sealed {
		c.el.Get("classList").Call("toggle", "sealed", want.sealed)
	}
	c.size, c.blocks, c.sealed = want.size, want.blocks, want.sealed
}

// dropRest removes the chunks that the whole document has not.
func (v *View) dropRest() {
	for _, c := range v.chunks[v.at:] {
		c.el.Call("remove")
	}
	v.chunks = v.chunks[:v.at]
}

// EndRepair gives up what is left of looking a closed document through.
func (v *View) EndRepair() {
	if v.again != nil {
		v.stop()
		v.again, v.stop = nil, nil
	}
}

// ShowCaret marks the end of what has come, or shows dots while nothing has.
func (v *View) ShowCaret() {
	if v.text == "" {
		if v.caret.IsUndefined() {
			v.caret = v.dots()
		}
		return
	}
	at := v.tail
	for {
		last := at.Get("lastChild")
		if last.IsNull() || last.Get("nodeType").Int() != 1 || inline[last.Get("localName").String()] {
			break
		}
		at = last
	}
	if !v.caret.IsUndefined() {
		if v.caret.Equal(at) {
			return
		}
		v.hideCaret()
	}
	at.Get("classList").Call("add", "caret")
	v.caret = at
}

func (v *View) hideCaret() {
	if !v.caret.IsUndefined() {
		v.caret.Get("classList").Call("remove", "caret")
		v.caret = js.Undefined()
	}
}

// dots puts three dots into the empty tail; the first text replaces them.
func (v *View) dots() js.Value {
	d := v.pen.dom
	dots := d.El("div", "waiting")
	dots.Call("setAttribute", "aria-hidden", "true")
	for range 3 {
		dots.Call("append", d.El("i", ""))
	}
	v.tail.Call("replaceChildren", dots)
	return dots
}
