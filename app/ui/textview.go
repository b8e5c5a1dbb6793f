//go:build js && wasm

package ui

import (
	"strings"
	"syscall/js"

	"screentest/app/markdown"
)

const (
	// slice bounds the Markdown that is drawn at once, in bytes, so that the
	// time it takes is looked at often enough.
	slice = 8 << 10
	// chunkSize is the Markdown, in bytes, after which closed blocks are sealed
	// in an element that the browser leaves out while it is off the screen.
	chunkSize = 8 << 10
)

// textView draws Markdown that may still grow into an element: blocks that
// are closed once, in chunks, and the open rest after them.
type textView struct {
	p      *page
	host   js.Value
	stream *markdown.Stream
	text   string // what was drawn
	closed bool   // to its end

	chunk js.Value // takes closed blocks
	size  int      // Markdown in chunk
	tail  js.Value // holds the open rest
	open  js.Value // text node in the tail that grows
	caret js.Value // element that shows it
}

func newTextView(p *page, host js.Value) *textView {
	v := &textView{p: p, host: host}
	v.clear()
	return v
}

// clear forgets what was drawn.
func (v *textView) clear() {
	v.host.Call("replaceChildren")
	v.host.Get("classList").Call("remove", "raw")
	v.tail = v.p.dom.el("div", "tail")
	v.host.Call("append", v.tail)
	v.stream = v.p.md.NewStream()
	v.text, v.size, v.closed = "", 0, false
	v.chunk, v.open, v.caret = js.Undefined(), js.Undefined(), js.Undefined()
}

// showRaw shows text as it was written, before any of it is drawn.
func (v *textView) showRaw(text string) {
	v.host.Get("classList").Call("add", "raw")
	v.tail.Set("textContent", text)
}

// grow draws what text has beyond what was drawn, at most one slice of it, and
// says whether more is left. A text that goes on otherwise is drawn anew. With
// final, nothing will follow.
func (v *textView) grow(text string, final bool) (more bool) {
	if !strings.HasPrefix(text, v.text) || v.closed && len(text) > len(v.text) {
		v.clear()
	}
	if v.closed {
		return false
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
	case rest != "":
		v.drawTail()
	}
	return more
}

// blocks draws closed blocks before the tail.
func (v *textView) blocks(blocks []markdown.Block) {
	for _, b := range blocks {
		if v.chunk.IsUndefined() {
			v.chunk = v.p.dom.el("div", "chunk")
			v.host.Call("insertBefore", v.chunk, v.tail)
		}
		v.p.dom.nodes(v.chunk, b.Nodes)
		if v.size += b.Size; v.size >= chunkSize {
			v.chunk.Get("classList").Call("add", "sealed")
			v.chunk, v.size = js.Undefined(), 0
		}
	}
}

func (v *textView) drawTail() {
	t := v.stream.Tail()
	if t.Fresh {
		v.hideCaret()
		v.tail.Call("replaceChildren")
		v.p.dom.nodes(v.tail, t.Nodes)
		v.open = js.Undefined()
	}
	if t.Text == "" {
		return
	}
	if v.open.IsUndefined() {
		e := v.tail.Call("querySelector", "."+markdown.OpenClass)
		if e.IsNull() {
			return
		}
		v.open = v.p.dom.doc.Call("createTextNode", t.Text)
		e.Call("append", v.open)
		return
	}
	v.open.Call("appendData", t.Text)
}

// finish draws the last blocks, and everything again where the end of a
// document changes its beginning.
func (v *textView) finish() {
	v.hideCaret()
	text := v.text
	blocks, redraw := v.stream.Close()
	v.tail.Call("replaceChildren")
	if redraw {
		v.clear()
		blocks = v.p.md.Render(text)
	}
	v.blocks(blocks)
	v.tail.Call("remove")
	v.stream, v.open = nil, js.Undefined()
	v.text, v.closed = text, true
}

// showCaret marks the end of what has come, or shows dots while nothing has.
func (v *textView) showCaret() {
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

func (v *textView) hideCaret() {
	if !v.caret.IsUndefined() {
		v.caret.Get("classList").Call("remove", "caret")
		v.caret = js.Undefined()
	}
}

// dots puts three dots into the empty tail; the first text replaces them.
func (v *textView) dots() js.Value {
	d := v.p.dom
	dots := d.el("div", "waiting")
	dots.Call("setAttribute", "aria-hidden", "true")
	for range 3 {
		dots.Call("append", d.el("i", ""))
	}
	v.tail.Call("replaceChildren", dots)
	return dots
}
