//go:build js && wasm

package ui

import (
	"strings"
	"syscall/js"
	"time"

	"screentest/app/markdown"
	"screentest/app/model"
)

const (
	// budget is how long texts are drawn for in one frame; what is left waits
	// for the next.
	budget = 7 * time.Millisecond
	// slice bounds the Markdown taken at once, in bytes, so that the budget
	// is looked at often enough.
	slice = 8 << 10
	// chunkSize is the Markdown, in bytes, after which closed blocks are sealed
	// in an element that the browser leaves out while it is off the screen.
	chunkSize = 8 << 10
)

// answers draws the texts of the answers on the page by direct DOM: closed
// blocks once, the open rest at most once a frame. The newest come first, so
// that opening a long conversation shows its end at once.
type answers struct {
	p     *page
	views map[string]*answerView
	queue []*answerView // what has something to draw; the last is next
}

func newAnswers(p *page) *answers {
	return &answers{p: p, views: map[string]*answerView{}}
}

// answerView is one answer's text in the document.
type answerView struct {
	id     string
	host   js.Value // the message's body
	stream *markdown.Stream
	text   string // what was drawn, for comparison with what there is
	fresh  int    // Answer.Replaced when drawing began

	chunk  js.Value // takes closed blocks
	size   int      // Markdown in chunk
	tail   js.Value // holds the open rest
	open   js.Value // text node in the tail that grows
	caret  js.Value // element that shows it
	closed bool
	queued bool

	extras extras
}

// mount begins to draw the answer id into its message's body.
func (a *answers) mount(id string) {
	host := a.p.dom.byID("body-" + id)
	if !host.Truthy() {
		return
	}
	v := &answerView{id: id, host: host}
	a.views[id] = v
	v.clear(a.p)
	if m := a.message(id); m != nil && !m.Running() {
		// Until its turn comes it stands there as it was written.
		host.Get("classList").Call("add", "raw")
		v.tail.Set("textContent", m.Content())
	}
	a.push(v)
}

func (a *answers) unmount(id string) { delete(a.views, id) }

// refresh looks at an answer again: its text may be another, or at its end.
func (a *answers) refresh(id string) {
	if v := a.views[id]; v != nil {
		a.push(v)
	}
}

// grow looks at the answers that are streaming.
func (a *answers) grow() {
	if c := a.p.desk.Current; c != nil {
		for i := range c.Lanes {
			if m := c.Message(c.Lanes[i].Leaf); m != nil {
				a.refresh(m.ID)
			}
		}
	}
}

func (a *answers) push(v *answerView) {
	if !v.queued {
		v.queued = true
		a.queue = append(a.queue, v)
	}
	a.p.changed(model.PartStream)
}

func (a *answers) message(id string) *model.Message {
	if c := a.p.desk.Current; c != nil {
		return c.Message(id)
	}
	return nil
}

// work draws for as long as the budget lasts and says whether more is left.
func (a *answers) work() bool {
	var again []*answerView
	for end := time.Now().Add(budget); len(a.queue) > 0; {
		v := a.queue[len(a.queue)-1]
		a.queue = a.queue[:len(a.queue)-1]
		v.queued = false
		m := a.message(v.id)
		if m == nil || a.views[v.id] != v {
			continue
		}
		if v.step(a.p, m) {
			again = append(again, v)
		}
		if time.Now().After(end) {
			break
		}
	}
	for i := len(again) - 1; i >= 0; i-- {
		again[i].queued = true
		a.queue = append(a.queue, again[i])
	}
	return len(a.queue) > 0
}

// step draws one slice and says whether more is left.
func (v *answerView) step(p *page, m *model.Message) bool {
	text := m.Content()
	r := m.Reply()
	if replaced := r != nil && r.Replaced != v.fresh; replaced || !strings.HasPrefix(text, v.text) || v.closed && len(text) > len(v.text) {
		v.clear(p)
		if r != nil {
			v.fresh = r.Replaced
		}
	}
	v.extras.draw(p, m)
	if v.closed {
		return false
	}
	if len(v.text) == 0 && len(text) > 0 {
		v.host.Get("classList").Call("remove", "raw")
		v.tail.Call("replaceChildren")
	}
	rest := text[len(v.text):]
	more := len(rest) > slice
	if more {
		rest = rest[:slice]
	}
	if rest != "" {
		v.blocks(p, v.stream.Append(rest))
		v.text = text[:len(v.text)+len(rest)]
	}
	if more {
		return true
	}
	if !m.Running() {
		v.finish(p, text)
		return false
	}
	if rest != "" {
		v.drawTail(p)
	}
	v.showCaret(len(text) > 0)
	return false
}

// clear forgets what was drawn.
func (v *answerView) clear(p *page) {
	v.host.Call("replaceChildren")
	v.host.Get("classList").Call("remove", "raw")
	v.tail = p.dom.el("div", "tail")
	v.host.Call("append", v.tail)
	v.stream = p.md.NewStream()
	v.text, v.size, v.closed = "", 0, false
	v.chunk, v.open, v.caret = js.Undefined(), js.Undefined(), js.Undefined()
}

// blocks draws closed blocks before the tail.
func (v *answerView) blocks(p *page, blocks []markdown.Block) {
	for _, b := range blocks {
		if v.chunk.IsUndefined() {
			v.chunk = p.dom.el("div", "chunk")
			v.host.Call("insertBefore", v.chunk, v.tail)
		}
		p.dom.nodes(v.chunk, b.Nodes)
		if v.size += b.Size; v.size >= chunkSize {
			v.chunk.Get("classList").Call("add", "sealed")
			v.chunk, v.size = js.Undefined(), 0
		}
	}
}

func (v *answerView) drawTail(p *page) {
	t := v.stream.Tail()
	if t.Fresh {
		v.hideCaret()
		v.tail.Call("replaceChildren")
		p.dom.nodes(v.tail, t.Nodes)
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
		v.open = p.dom.doc.Call("createTextNode", t.Text)
		e.Call("append", v.open)
		return
	}
	v.open.Call("appendData", t.Text)
}

// finish draws the last blocks, and everything again where the end of a
// document changes its beginning.
func (v *answerView) finish(p *page, text string) {
	v.hideCaret()
	blocks, redraw := v.stream.Close()
	v.tail.Call("replaceChildren")
	if redraw {
		v.clear(p)
		blocks = p.md.Render(text)
	}
	v.blocks(p, blocks)
	v.tail.Call("remove")
	v.stream, v.open = nil, js.Undefined()
	v.text, v.closed = text, true
}

// showCaret marks the end of what has come, or dots while nothing has.
func (v *answerView) showCaret(begun bool) {
	if !begun {
		if v.caret.IsUndefined() {
			v.caret = waitingDots(v.tail)
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

func (v *answerView) hideCaret() {
	if !v.caret.IsUndefined() {
		v.caret.Get("classList").Call("remove", "caret")
		v.caret = js.Undefined()
	}
}

// waitingDots puts three dots into an empty tail; the first text replaces it.
func waitingDots(tail js.Value) js.Value {
	d := newDOM()
	dots := d.el("div", "waiting")
	dots.Call("setAttribute", "aria-hidden", "true")
	for range 3 {
		dots.Call("append", d.el("i", ""))
	}
	tail.Call("replaceChildren", dots)
	return dots
}
