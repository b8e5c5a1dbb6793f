//go:build js && wasm

package chat

import (
	"syscall/js"

	"github.com/maxence-charriere/go-app/v10/pkg/app"
)

// shell is the composer that stands in the document before the program has arrived.
// It has what is typed until the first address is known: the program may take a while
// to draw its own, and keys come at any time. Its script (server/page/early.js) has
// noted which draft it began with, and whether it was sent.
type shell struct {
	field   js.Value
	focused bool // when the program came
}

func newShell(field js.Value) shell {
	return shell{field: field, focused: field.Truthy() && js.Global().Get("document").Get("activeElement").Equal(field)}
}

// text is what was typed so far, and is false once it was taken.
func (s *shell) text() (string, bool) {
	if !s.field.Truthy() || s.field.Get("value").Type() != js.TypeString {
		return "", false
	}
	return s.field.Get("value").String(), true
}

// A taken is what the shell's composer leaves to the program's.
type taken struct {
	text       string
	seen       string // the draft that it showed
	sent       bool
	start, end int // of what was selected, from the text's end: the draft may come before it
}

// take is what was typed, once.
func (s *shell) take() (t taken) {
	text, is := s.text()
	if !is {
		return t
	}
	t.text = text
	length := s.field.Get("textLength").Int()
	t.start, t.end = length-s.field.Get("selectionStart").Int(), length-s.field.Get("selectionEnd").Int()
	if early := js.Global().Get("screentestEarly"); early.Truthy() {
		t.seen, t.sent = early.Get("seen").String(), early.Get("sent").Bool()
	}
	s.field = js.Value{}
	return t
}

// keep is told what was typed on in the program's own composer. It returns false where
// that belongs to a conversation.
func (s *shell) keep(text string) bool {
	_, is := s.text()
	if is {
		s.field.Set("value", text)
		if early := js.Global().Get("screentestEarly"); early.Truthy() {
			early.Set("sent", false)
		}
	}
	return is
}

// draft is what the composer has.
func (p *Page) draft() string {
	if text, is := p.shell.text(); is {
		return text
	}
	return p.chat.Shown().Draft()
}

// takeOver puts what was typed before the program had come into the composer of the
// conversation that the address names, with the cursor where it was, and sends it if
// it was sent. It is not sent with a draft that the person has not seen.
func (p *Page) takeOver() {
	t := p.shell.take()
	if t.text == "" && t.seen == "" {
		return
	}
	c := p.chat.Shown()
	whole := c.TakeOver(t.text, t.seen)
	p.Context().Defer(func(_ app.Context) {
		defer p.Guard("what was typed")
		if field := p.DOM.ByID("composer"); field.Truthy() && c == p.chat.Shown() {
			p.Put("composer", c.Draft())
			length := field.Get("textLength").Int()
			field.Call("setSelectionRange", max(0, length-t.start), max(0, length-t.end))
		}
		if t.sent && whole && c.Draft() == t.text {
			p.send(p.Context(), t.text)
		}
	})
}
